"""The tasks of `ingest` on Spark: `--engine spark --master URL`.

    tfprof-fleet ingest /shared/traces -o /shared/job.dataset \\
        --engine spark --master spark://host:7077

An RDD has one element for each task. The workers write the parts themselves, so
Spark moves only paths and counts. A task whose executor was lost runs again,
and writes the same part. Without --master, Spark takes the one of its own
configuration (spark-submit), else local[*].
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from tfprof._fleet.dataset import DatasetError
from tfprof._fleet.engines import Result, Work, variables


class SparkEngine:
    """Runs tasks as the partitions of an RDD."""

    def __init__(self, master: str | None) -> None:
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
            self._session = builder.getOrCreate()
            self._context = self._session.sparkContext
        except Exception as error:
            # The causes are exceptions of Java, with many lines.
            raise DatasetError(
                f"--master {master or 'of the configuration'}: Spark does not "
                f"start: {_first_line(error)}"
            ) from None
        self.parallelism: int = self._context.defaultParallelism

    def run(self, work: Work, tasks: Sequence[Any]) -> Iterator[Result]:
        if not tasks:
            return
        elements = self._context.parallelize(tasks, len(tasks))
        try:
            yield from elements.map(work).collect()
        except Exception as error:
            raise DatasetError(
                f"Spark could not read the files: {_first_line(error)}"
            ) from None

    def close(self) -> None:
        self._session.stop()


def _first_line(error: Exception) -> str:
    """What a task said, without the stacks of Java and Python around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:
        name, _, text = line.partition("DatasetError: ")
        if text:
            return text
    return lines[0] if lines else type(error).__name__
