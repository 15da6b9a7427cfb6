"""What a pipeline would gain if equal operations took equally long: `what_if`.

The operations of a pipeline are the rows of `phases` that name a data-parallel
rank and a stage. The program simulates such a job (`tfprof FILE what_if`), so
that its rules are in one place; here the rows become the one timeline that it
reads. Clocks of files are not compared: in each step, files are moved so that
the operation that all workers begin together begins at the same time.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import IO, Any

from tfprof._engine.engine import find_program
from tfprof._fleet.asking import begin, lacking_stages, lacking_text
from tfprof._fleet.dataset import DatasetError
from tfprof._fleet.output import Answer, Table
from tfprof._fleet.view import Fleet

# The program needs 100 bytes for each, and a job has more than it needs to know
# what a step costs.
MOST_OPERATIONS = 4_000_000
_AT_ONCE = 100_000
_MOST_NAMED = 5
# All workers begin it when the last one is there.
_TOGETHER = "optimizer-clip-main-grad"
_TITLES = {
    "types": "Types of operations",
    "dp_ranks": "Data-parallel ranks",
    "stages": "Stages of the pipeline",
    "workers": "Workers: a data-parallel rank in a stage",
    "steps": "Steps",
}


def what_if(fleet: Fleet) -> Answer:
    """How much faster the job would be, and which part costs the time."""
    answer = begin("what_if", fleet)
    steps = [
        row[0]
        for row in fleet.rows(
            "SELECT DISTINCT step FROM pipeline ORDER BY step"
        )
    ]
    if not steps:
        raise DatasetError(
            "no file has operations of a pipeline, which name their "
            "data-parallel rank and their stage; what_if needs them"
        )
    lacking = lacking_stages(fleet)
    left_out = sorted({dp for dp, _ in lacking})
    if lacking:
        (kept,) = fleet.one(
            f"SELECT count(DISTINCT dp) - {len(left_out)} FROM pipeline"
        )
        said = lacking_text(lacking)
        if not kept:
            raise DatasetError(
                f"no data-parallel rank of the pipeline is complete. {said}"
            )
        names = ", ".join(map(str, left_out[:_MOST_NAMED]))
        more = ", …" if len(left_out) > _MOST_NAMED else ""
        answer.sentences.append(
            f"{said}. Left out, of the data-parallel ranks: {names}{more}"
        )
        answer.facts["left_out_dp_ranks"] = left_out
        answer.bad = True
    whole = f"dp NOT IN ({', '.join(map(str, left_out or [-1]))})"
    (count,) = fleet.one(f"SELECT count(*) FROM pipeline WHERE {whole}")
    most = max(1, int(len(steps) * MOST_OPERATIONS / count))
    if most < len(steps):
        fewer = len(steps) - most
        steps = [steps[i * len(steps) // most] for i in range(most)]
        answer.sentences.append(
            f"{fewer} of {most + fewer} steps are left out, evenly, "
            f"because the simulation takes {MOST_OPERATIONS:,} operations"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pipeline.json")
        with open(path, "w", encoding="utf-8") as file:
            _write_timeline(fleet, steps, whole, file)
        found = _ask(path, "what_if")
        advice = _ask(path, "advise", "all")
    answer.facts.update(found["facts"])
    facts = found["facts"]
    answer.sentences.append(
        f"Steps take {facts['S']:.3f} times as long because equal operations "
        f"take unequally long (S), and {facts['L']:.3f} times because work "
        "begins later than it could (L)"
    )
    if facts["steps_left_out"]:
        answer.sentences.append(
            f"{facts['steps_left_out']} steps lack operations of others and "
            "are left out"
        )
    answer.tables.append(_causes_table(advice))
    for name, title in _TITLES.items():
        table = found["tables"].get(name)
        if table:
            columns = [column["name"] for column in table["columns"]]
            rows = [[row[c] for c in columns] for row in table["rows"]]
            columns = [c.replace("_micros", "_nanos") for c in columns]
            for i, column in enumerate(columns):
                if column.endswith("_nanos"):
                    for row in rows:
                        row[i] = row[i] * 1000
            answer.tables.append(Table(name, title, columns, rows))
    answer.bad = answer.bad or bool(answer.tables[0].rows)
    return answer


def _causes_table(advice: dict[str, Any]) -> Table:
    return Table(
        "causes",
        "Who is to blame",
        ["severity", "rule", "subject", "slowdown", "what"],
        [
            [row[k] for k in ("severity", "rule", "subject", "value", "text")]
            for row in advice["tables"]["findings"]["rows"]
            if row["checker"] == "PipelineChecker"
            and row["severity"] in ("critical", "warning")
        ],
        "nobody: the job loses too little",
    )


def _ask(path: str, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        [find_program(), *words, "-output", "json", "--", path],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TFPROF_AGENT": "0"},
        check=False,
    )
    if not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise DatasetError(
            "the operations of the pipeline cannot be simulated: "
            + said.replace(f"{path}: ", "")
        )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _write_timeline(
    fleet: Fleet, steps: list[int], whole: str, file: IO[str]
) -> None:
    """A Chrome trace: a process is a data-parallel rank, a thread a stage.

    `whole` is SQL that is true for the operations that count.
    """
    file.write("[")
    for dp, stage in fleet.rows(
        f"SELECT DISTINCT dp, stage FROM pipeline WHERE {whole} ORDER BY 1, 2"
    ):
        name = {"name": f"PP rank {stage}, TP rank 0, compute"}
        event = {"ph": "M", "name": "thread_name", "args": name}
        _write_event(file, {**event, "pid": dp, "tid": stage})
    sql = _OPERATIONS.format(STEPS=", ".join(map(str, steps)), WHOLE=whole)
    for rows in fleet.batches(sql, [], _AT_ONCE):
        for dp, stage, step, phase, number, batch, chunk, start, length in rows:
            args = {
                "step": step,
                "seq_id": number,
                "mb_id": batch,
                "model_chunk": chunk,
            }
            _write_event(
                file,
                {
                    "ph": "X",
                    "name": phase,
                    "cat": phase,
                    "pid": dp,
                    "tid": stage,
                    "ts": start / 1000,
                    "dur": length / 1000,
                    "args": args,
                },
            )
    file.write("{}]")


def _write_event(file: IO[str], event: dict[str, Any]) -> None:
    file.write(json.dumps(event, separators=(",", ":")) + ",\n")


_OPERATIONS = f"""
WITH refs AS (
  SELECT src, step, coalesce(
    min(start_nanos) FILTER (WHERE phase = '{_TOGETHER}'),
    min(start_nanos)) AS moment
  FROM pipeline GROUP BY src, step
), firsts AS (
  SELECT step, min_by(moment, src) AS moment FROM refs GROUP BY step
)
SELECT dp, stage, step, phase,
  row_number() OVER (PARTITION BY dp, stage, step, phase
    ORDER BY start_nanos, end_nanos, micro_batch, model_chunk) - 1 AS number,
  coalesce(micro_batch, -1), coalesce(model_chunk, -1),
  start_nanos - refs.moment + firsts.moment AS start, end_nanos - start_nanos
FROM pipeline JOIN refs USING (src, step) JOIN firsts USING (step)
WHERE step IN ({{STEPS}}) AND {{WHOLE}}
ORDER BY step, start, dp, stage, phase, number"""
