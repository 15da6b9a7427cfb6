"""The command line of the fleet: `tfprof-fleet`, `python -m tfprof fleet`.

Exit status 0: complete. 1: files or ranks are lost, a rank is slow or a rule
failed, or nothing is where it was said to be. 2: a wrong command line.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfprof._fleet.view import Fleet

_USAGE = """\
tfprof-fleet ingest PATH… -o DATASET [--shard I/N] [--ranks N] [--resume]
       tfprof-fleet DATASET [overview | stragglers | collectives | bubbles |
           drift | memory | what_if | files]
       tfprof-fleet DATASET -by op|class|scope|code|rank|step|host|stage
       tfprof-fleet check BASE NEW
       tfprof-fleet serve DATASET [--port N]
       tfprof-fleet … --engine spark [--master URL]"""


def main(words: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if words is None else words)
    try:
        import duckdb  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        print(
            f"tfprof-fleet needs {error.name}: pip install 'tfprof[fleet]'",
            file=sys.stderr,
        )
        return 1
    from tfprof._engine.engine import EngineError
    from tfprof._fleet.inputs import FleetError

    try:
        if words[:1] == ["ingest"]:
            return _ingest(words[1:])
        if words[:1] == ["serve"]:
            return _serve(words[1:])
        return _ask(words)
    except (FleetError, EngineError) as error:
        print(f"tfprof-fleet: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tfprof-fleet: interrupted; --resume goes on", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _ingest(words: list[str]) -> int:
    from tfprof._fleet import inputs
    from tfprof._fleet.ingest import Options, ingest

    parser = argparse.ArgumentParser(
        prog="tfprof-fleet ingest",
        description="Summarise the profiles of many ranks in a dataset of "
        "Parquet files.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a folder, a file, a glob, or a URL (s3://, gs://, hdfs://)",
    )
    add(
        "-o",
        "--output",
        required=True,
        metavar="DATASET",
        help="the folder of the dataset",
    )
    add("--run", default="default", help="the name of the run")
    add(
        "--shard",
        default="1/1",
        metavar="I/N",
        help="read only part I of N, from 1, as one of N machines",
    )
    add(
        "--ranks",
        type=int,
        metavar="N",
        help="how many ranks the job has, so that missing ones are reported",
    )
    add(
        "--rank-from",
        default=inputs.RANK_IN_NAME,
        metavar="RE",
        help="a regular expression whose group is the rank in a path, for "
        "files that do not say their rank; usually %(default)s",
    )
    add(
        "--rank-map",
        metavar="FILE",
        help="CSV with the columns rank, host, dp, tp, pp and others",
    )
    add(
        "--resume",
        action="store_true",
        help="read only files that are new or have changed",
    )
    add(
        "--scopes",
        action="store_true",
        help="keep the scopes of each step too, for -by scope",
    )
    add(
        "--code",
        action="store_true",
        help="keep the lines of code too, for -by code",
    )
    add(
        "--processes",
        type=int,
        default=0,
        metavar="N",
        help="how many files are read at the same time; usually one on a CPU",
    )
    add(
        "--timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="the most time for one file; usually %(default)g",
    )
    add(
        "--engine",
        choices=("local", "spark", "ray"),
        default="local",
        help="where the files are read; usually by processes of this machine",
    )
    add("--master", metavar="URL", help="of Spark: local[4], spark://host:7077")
    add("--address", metavar="ADDRESS", help="of Ray: auto, host:6379")
    given = parser.parse_args(words)
    for option, value, engine in (
        ("--master", given.master, "spark"),
        ("--address", given.address, "ray"),
    ):
        if value and given.engine != engine:
            parser.error(f"{option} needs --engine {engine}")
    try:
        inputs.shard([], given.shard)
    except inputs.InputError as error:
        parser.error(str(error))
    on_screen = sys.stderr.isatty()

    def progress(done: int, files: int) -> None:
        if on_screen:
            print(
                f"\r{done} of {files} files",
                end="",
                file=sys.stderr,
                flush=True,
            )

    fields = vars(given)
    paths, output = fields.pop("paths"), fields.pop("output")
    try:
        done = ingest(paths, output, Options(**fields), progress)
    finally:
        if on_screen:
            print("\r\x1b[K", end="", file=sys.stderr)
    read = done.listed - done.unchanged
    statuses = ", ".join(
        f"{name} {count}" for name, count in done.statuses.items() if count
    )
    rate = read / done.seconds if done.seconds else 0
    print(
        f"{done.listed} files listed, {done.unchanged} unchanged, {read} read "
        f"in {done.seconds:.1f} s ({rate:.1f} a second)"
        + (f": {statuses}" if statuses else "")
    )
    print(f"{done.rows} rows added to {output}")
    return int(any(done.statuses.get(s) for s in done.statuses if s != "ok"))


def _serve(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tfprof-fleet serve",
        description="Show the pages of a dataset in a browser, on this machine "
        "only. Ctrl-C ends it.",
        allow_abbrev=False,
    )
    parser.add_argument("dataset", metavar="DATASET")
    parser.add_argument(
        "--port", type=int, default=0, help="usually a free one"
    )
    given = parser.parse_args(words)
    from tfprof._fleet.serving import PageServer

    with PageServer(given.dataset, given.port) as server:
        try:
            print(server.address, flush=True)
            server.serve_forever()
        except KeyboardInterrupt:  # from when the address is known
            return 0
    return 0


def _ask(words: list[str]) -> int:
    from tfprof._fleet import output, questions
    from tfprof._fleet.view import ENGINES, open_fleet

    parser = argparse.ArgumentParser(
        prog="tfprof-fleet",
        usage=_USAGE,
        allow_abbrev=False,
        description="Questions about the profiles of many ranks. DATASET may "
        "end in /run=R.",
    )
    add = parser.add_argument
    add("dataset", metavar="DATASET")
    add("question", nargs="*", default=[])
    add("-by", "--by", choices=questions.BY)
    add(
        "-output",
        "--output",
        default="table",
        metavar="FORMAT[:outfile=FILE]",
        help=f"{', '.join(output.FORMATS)}; usually table",
    )
    add(
        "--engine",
        choices=ENGINES,
        default="local",
        help="where the SQL runs; usually DuckDB in this process",
    )
    add("--master", metavar="URL", help="of Spark: local[4], spark://host:7077")
    given = parser.parse_args(words)
    if given.master and given.engine != "spark":
        parser.error("--master needs --engine spark")

    def opened(name: str) -> Fleet:
        return open_fleet(name, given.engine, given.master)

    form, _, options = given.output.partition(":")
    key, _, outfile = options.partition("=")
    if form not in output.FORMATS or (options and key != "outfile"):
        parser.error(
            f"-output {given.output}: expected FORMAT or FORMAT:outfile=FILE; "
            f"the formats are {', '.join(output.FORMATS)}"
        )
    if options and not outfile:
        parser.error(f"-output {given.output}: outfile has no name")
    if given.dataset == "check":
        if len(given.question) != 2 or given.by:
            parser.error("check needs two datasets: check BASE NEW")
        answers = [questions.check(*map(opened, given.question))]
        name, fleet = " ".join(["check", *given.question]), None
    else:
        name = (given.question or ["overview"])[0]
        if len(given.question) > 1 or name not in questions.QUESTIONS:
            parser.error(
                f"{' '.join(given.question)!r} is no question; there are: "
                f"{', '.join(questions.QUESTIONS)}, and -by"
            )
        if given.by and given.question:
            parser.error("give a question or -by, not both")
        fleet = opened(given.dataset)
        names = questions.ON_PAGE if name == "overview" else (name,)
        answers = (
            [questions.by(fleet, given.by)]
            if given.by
            else [
                questions.QUESTIONS[one](fleet)
                for one in (names if form == "html" else (name,))
            ]
        )
        if given.by or name != "overview":
            fleet = None
        name = f"{given.dataset}: {f'by {given.by}' if given.by else name}"
    if form == "html":
        from tfprof._fleet.page import write_page

        text = write_page(name, answers, fleet)
    else:
        width = shutil.get_terminal_size((120, 24)).columns
        text = output.write(answers[0], form, width)
    _write(text, outfile)
    return int(any(answer.bad for answer in answers))


def _write(text: str, outfile: str) -> None:
    from tfprof._fleet.dataset import DatasetError

    if not outfile:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        with open(outfile, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise DatasetError(
            f"{outfile}: cannot be written: {error.strerror}"
        ) from None


def script() -> None:
    sys.exit(main())


if __name__ == "__main__":
    script()
