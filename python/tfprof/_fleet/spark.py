"""Sessions of Spark, and the tasks of `ingest`: `--engine spark --master URL`.

    tfprof-fleet ingest /shared/traces -o /shared/job.dataset \\
        --engine spark --master spark://host:7077

An RDD has one element for each task. The workers write the parts themselves, so
Spark moves only paths and counts. A task whose executor was lost runs again,
and writes the same part. Without --master, Spark takes the one of its own
configuration (spark-submit), else local[*].
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from tfprof._fleet.dataset import DatasetError
from tfprof._fleet.engines import Result, Work, variables


class SparkEngine:
    """Runs tasks as the partitions of an RDD."""

    def __init__(self, master: str | None) -> None:
        self._is_ours = not _has_session()
        self._session = make_session(master)
        self._context = self._session.sparkContext
        self.parallelism: int = self._context.defaultParallelism

    def run(self, work: Work, tasks: Sequence[Any]) -> Iterator[Result]:
        if not tasks:
            return
        elements = self._context.parallelize(tasks, len(tasks))
        try:
            yield from elements.map(work).collect()
        except Exception as error:
            raise DatasetError(
                f"Spark could not read the files: {first_line(error)}"
            ) from None

    def close(self) -> None:
        if self._is_ours:
            self._session.stop()


def make_session(master: str | None) -> Any:
    """The SparkSession of this process, or a new one; DatasetError: none."""
    try:
        import pyspark
        from pyspark.sql import SparkSession
    except ImportError:
        raise DatasetError(
            "--engine spark needs pyspark: pip install 'tfprof[spark]'"
        ) from None
    # Else workers take any python3, perhaps one without pyarrow.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if "SPARK_HOME" not in os.environ:  # local-cluster asks for it
        os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    builder = SparkSession.builder.appName("tfprof-fleet")
    if master:
        builder = builder.master(master)
    for name, value in variables().items():
        builder = builder.config(f"spark.executorEnv.{name}", value)
    try:
        is_ours = not _has_session()
        with _java_writes_to_stderr():
            session = builder.getOrCreate()
        if is_ours:  # it would warn of each window without a partition
            session.sparkContext.setLogLevel("ERROR")
        return session
    except Exception as error:
        # The causes are exceptions of Java, with many lines.
        raise DatasetError(
            f"--master {master or 'of the configuration'}: Spark does not "
            f"start: {first_line(error)}"
        ) from None


@contextlib.contextmanager
def _java_writes_to_stderr() -> Iterator[None]:
    """Java that starts here has our stderr as its stdout.

    The answer is on ours, and Java writes warnings to its own at any time.
    """
    sys.stdout.flush()
    try:
        ours = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # this process has none
        yield
        return
    try:
        yield
    finally:
        os.dup2(ours, 1)
        os.close(ours)


def _has_session() -> bool:
    """Whether the caller has one, whose settings are not ours."""
    modules = sys.modules.get("pyspark.sql")
    return bool(modules and modules.SparkSession.getActiveSession())


def first_line(error: Exception) -> str:
    """What a task said, without the stacks of Java and Python around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:
        name, _, text = line.partition("DatasetError: ")
        if text:
            return text
    return lines[0] if lines else type(error).__name__
