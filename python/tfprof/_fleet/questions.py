"""The questions about one run, as functions of a Fleet.

Each returns an Answer. Statistics are robust, so a few bad ranks do not hide
themselves: medians, and distances from them (statistics.py). Times are
nanoseconds.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable

from tfprof._fleet import op_sums, places, statistics
from tfprof._fleet.asking import begin, lists, members, slowest
from tfprof._fleet.bubbles import bubbles
from tfprof._fleet.collectives import collectives
from tfprof._fleet.dataset import DatasetError
from tfprof._fleet.drift import drift
from tfprof._fleet.memory import memory
from tfprof._fleet.output import Answer, Table, duration
from tfprof._fleet.pipeline import what_if
from tfprof._fleet.step_changes import longer, step_changes
from tfprof._fleet.stragglers import (
    Straggler,
    find_groups,
    find_slow_ops,
    find_stragglers,
    looked_for,
    looked_for_ops,
)
from tfprof._fleet.view import Fleet

_TOP = 10
# A step is long from so many times the median step.
_LONG = 1.5


def overview(fleet: Fleet) -> Answer:
    """Where the time of all ranks goes, and who holds them back."""
    answer = begin("overview", fleet)
    quantities = [
        column
        for column in fleet.columns("rank_steps")
        if column.endswith("_nanos")
    ]
    rows = []
    known = fleet.one("SELECT count(*) FROM rank_steps")[0]
    for column in quantities if known else []:
        values = fleet.one(
            f"SELECT median({column}), percentile_cont(0.95) WITHIN "
            f"GROUP (ORDER BY {column}), max({column}), "
            f"{slowest(column, 'rank', 'step')} FROM rank_steps"
        )
        rows.append([column.removesuffix("_nanos").replace("_", " "), *values])
    answer.tables.append(
        Table(
            "times",
            "A step of a rank",
            ["what", "median_nanos", "p95_nanos", "max_nanos", "rank", "step"],
            rows,
            _no_ranks(fleet),
        )
    )
    answer.tables.append(
        Table(
            "account",
            "Where the wall time goes, over all ranks and steps",
            ["kind", "part", "wall_share", "of_a_step_nanos"],
            lists(
                fleet,
                "SELECT kind, part, sum(nanos) / (SELECT "
                "nullif(sum(wall_nanos), 0) FROM steps), sum(nanos) / "
                "nullif((SELECT count(*) FROM steps), 0) "
                "FROM account GROUP BY kind, part ORDER BY 3 DESC, kind, part "
                "LIMIT ?",
                [_TOP],
            ),
            _no_ranks(fleet),
        )
    )
    _see_what_if(fleet, answer)
    answer.tables.append(_long_steps_table(fleet))
    found = find_stragglers(fleet)
    _add_gain(fleet, answer, found)
    _add_groups(fleet, answer, found)
    slow_places = _places_table(fleet, found)
    answer.bad = answer.bad or bool(slow_places.rows)
    answer.tables += [
        _stragglers_table(fleet, found, 5),
        slow_places,
        _others_table(fleet, answer, found),
        _by_op(fleet, 5),
    ]
    return answer


def _long_steps_table(fleet: Fleet) -> Table:
    """Steps that are long on all ranks, which no rank is blamed for."""
    fleet.table("long_steps", _LONG_STEPS)
    return Table(
        "long_steps",
        "Steps that are long on most ranks",
        ["step", "wall_nanos", "median_nanos", "longer_share", "why"],
        [
            [step, wall, middle, wall / middle - 1, part.replace("_", " ")]
            for step, wall, middle, part in fleet.rows(_LONGER_PARTS)
        ],
        f"none is above {_LONG} times the median step",
    )


def stragglers(fleet: Fleet) -> Answer:
    """Which ranks hold the others back, when, and why."""
    answer = begin("stragglers", fleet)
    found = find_stragglers(fleet)
    _add_gain(fleet, answer, found)
    _add_groups(fleet, answer, found)
    _add_chance(fleet, answer, found)
    _see_what_if(fleet, answer)
    answer.tables += [
        _stragglers_table(fleet, found),
        _places_table(fleet, found),
        _slow_ops_table(fleet, found),
    ]
    answer.bad = answer.bad or any(table.rows for table in answer.tables)
    return answer


def _add_chance(fleet: Fleet, answer: Answer, found: list[Straggler]) -> None:
    """Whether slow steps are spread over ranks as if it were any rank."""
    ranks, pairs = fleet.one(
        "SELECT count(DISTINCT rank), count(*) FROM rank_steps"
    )
    slow = sum(straggler.slow_steps for straggler in found)
    if len(found) >= 3 and statistics.is_spread(
        slow, ranks, max(straggler.slow_steps for straggler in found)
    ):
        answer.sentences.append(
            f"The slow steps are spread over ranks as chance would do it: "
            f"{slow} of {pairs}, of {len(found)} ranks. So the ranks may be no "
            "cause, as with jitter of all hosts."
        )


def _add_groups(fleet: Fleet, answer: Answer, found: list[Straggler]) -> None:
    """If no rank is far from the median, many may be slow."""
    groups = None if found else find_groups(fleet)
    if groups is None:
        return
    answer.sentences.append(
        f"Own times have two groups: {len(groups.fast)} ranks at "
        f"{duration(groups.fast_nanos)}, and {len(groups.slow)} at "
        f"{duration(groups.slow_nanos)} ({members(groups.slow)}"
        + (f": {groups.place})" if groups.place else ")")
    )
    answer.facts["slow_group"] = groups.slow
    answer.bad = True


def _add_gain(fleet: Fleet, answer: Answer, found: list[Straggler]) -> None:
    """What the slow ranks cost."""
    lost, wall = fleet.one(
        "SELECT coalesce(sum(slowest - middle), 0), coalesce(sum(wall), 0) "
        "FROM (SELECT max(own_nanos) AS slowest, median(own_nanos) AS middle, "
        "median(wall_nanos) AS wall FROM rank_steps GROUP BY step)"
    )
    if found and wall:
        (in_order,) = fleet.one("SELECT count(*) > 0 FROM pipeline")
        if fleet.has_ranks and "pp" in fleet.columns("ranks"):
            (stages,) = fleet.one("SELECT count(DISTINCT pp) FROM ranks")
            in_order = in_order or stages > 1
        answer.sentences.append(
            "If no rank were slower than the median, steps would take up to "
            f"{lost / wall:.1%} less time. This is a first-order estimate"
            + (": it ignores the order of a pipeline." if in_order else ".")
        )
    answer.facts["avoidable_nanos"] = lost


# The tables of other questions that have a row only if something is wrong.
_FINDINGS = {
    "collectives": ("late", "slow_links", "late_steps"),
    "drift": ("job", "ranks"),
    "memory": ("different", "growing"),
}


def _others_table(
    fleet: Fleet, answer: Answer, found: list[Straggler]
) -> Table:
    """What other questions find. Its status is theirs.

    `found` are the stragglers, which the overview has found itself.
    """
    others = [("stragglers", _slow_ops_table(fleet, found))]
    for name, tables in _FINDINGS.items():
        other = QUESTIONS[name](fleet)
        answer.bad = answer.bad or other.bad
        others += [(name, t) for t in other.tables if t.name in tables]
    rows: list[list[Any]] = [
        [name, table.title, len(table.rows)]
        for name, table in others
        if table.rows
    ]
    answer.bad = answer.bad or bool(found or rows)
    return Table(
        "findings",
        "What other questions find",
        ["question", "what", "findings"],
        rows,
        f"nothing: {', '.join(('stragglers', *_FINDINGS))}"
        if fleet.one("SELECT count(*) FROM rank_steps")[0]
        else "not looked for: no rank is known",
    )


def _see_what_if(fleet: Fleet, answer: Answer) -> None:
    """A pipeline has stragglers of other kinds than ranks."""
    if fleet.one("SELECT count(*) FROM pipeline")[0]:
        answer.sentences.append(
            "The operations are of a pipeline: what_if says which worker, "
            "stage or data-parallel rank costs time, and bubbles who waits"
        )


def _no_ranks(fleet: Fleet) -> str:
    """Why there are no operations, and no times of ranks."""
    if fleet.one("SELECT count(*) FROM pipeline")[0]:
        return (
            "not of workers of a pipeline whose rank is not known; what_if and "
            "bubbles count their operations"
        )
    return "no file of a known rank has any"


def files(fleet: Fleet) -> Answer:
    """Each file that is not in the statistics, and why."""
    answer = begin("files", fleet)
    answer.tables.append(
        Table(
            "statuses",
            "Files by status",
            ["status", "files", "bytes", "rows"],
            lists(
                fleet,
                "SELECT status, count(*), sum(size), sum(rows) FROM all_files "
                "GROUP BY status ORDER BY status = 'ok' DESC, status",
            ),
            "no file was listed",
        )
    )
    answer.tables.append(
        Table(
            "lost",
            "Files that are not in the statistics",
            ["rank", "status", "path", "message"],
            lists(
                fleet,
                "SELECT rank, status, path, CASE WHEN status = 'double' THEN "
                "'another file of this rank counts' WHEN status = 'other_run' "
                "THEN 'its job has ' || world_size || ' ranks' "
                "WHEN status = 'unranked' "
                "THEN 'neither the name nor the content says the rank; see "
                "--rank-from' ELSE message END FROM all_files "
                "WHERE status <> 'ok' ORDER BY rank NULLS LAST, path",
            ),
        )
    )
    return answer


def by(fleet: Fleet, what: str) -> Answer:
    """A table with a row for each op, class, rank, host, stage or step."""
    answer = begin(f"by_{what}", fleet)
    if what == "op":
        answer.tables.append(_by_op(fleet, None))
    elif what == "class":
        answer.tables.append(_by_class(fleet))
    elif what == "scope":
        answer.tables.append(_by_scope(fleet))
    elif what == "code":
        answer.tables.append(_by_code(fleet))
    elif what == "rank":
        answer.tables.append(_by_rank(fleet))
    elif what == "step":
        answer.tables.append(_by_step(fleet))
    else:
        answer.tables.append(_by_place(fleet, what))
        _say_unmapped(fleet, answer)
    return answer


def _say_unmapped(fleet: Fleet, answer: Answer) -> None:
    """Ranks without a place, and ranks of the map without times."""
    for sql, text in (
        (
            "SELECT rank FROM rank_steps EXCEPT SELECT rank FROM ranks",
            "not in the rank map",
        ),
        (
            "SELECT rank FROM ranks EXCEPT SELECT rank FROM rank_steps",
            "in the rank map and not in the statistics",
        ),
    ):
        ranks = [rank for (rank,) in fleet.rows(f"{sql} ORDER BY rank")]
        if ranks:
            answer.sentences.append(
                f"{len(ranks)} ranks are {text}: {members(ranks)}"
            )
            answer.bad = True


def check(base: Fleet, new: Fleet) -> Answer:
    """What changed in a step, with noise over ranks and over steps."""
    answer = begin("check", new)
    answer.sentences.append(f"Base: {base.first_line()[0]}")
    sides = [_values(base), _values(new)]
    names = sorted(set(sides[0]) & set(sides[1]))
    if not names:
        raise DatasetError("the two runs have no operation in common")
    # Up or down: twice as many comparisons.
    limit = statistics.limit(2 * len(names))
    rows: list[list[Any]] = []
    for name in names:
        change = statistics.Change(*sides[0][name], *sides[1][name])
        if not change.is_real(limit):
            continue
        share = change.difference / change.base if change.base else None
        error = limit * change.error / change.base if change.base else None
        rows.append([name, change.base, change.new, share, error])
    rows.sort(key=lambda row: -abs(row[2] - row[1]))
    for name in sorted(set(sides[0]) ^ set(sides[1])):
        answer.sentences.append(
            f"Only in {'the base' if name in sides[0] else 'the new run'}: "
            f"{name}"
        )
    of_steps = step_changes(base, new)
    answer.tables.append(of_steps)
    answer.tables.append(
        Table(
            "changes",
            "Operations whose time in a step changed",
            ["name", "base_nanos", "new_nanos", "change_share", "noise_share"],
            rows,
            f"none of {len(names)} operations changed by more than 1us and "
            f"{limit:.1f} standard errors over ranks and steps",
        )
    )
    answer.facts["compared"] = len(names)
    answer.facts["limit"] = limit
    answer.bad = (
        answer.bad or longer(of_steps) or any(row[2] > row[1] for row in rows)
    )
    return answer


QUESTIONS: dict[str, Callable[[Fleet], Answer]] = {
    "overview": overview,
    "stragglers": stragglers,
    "collectives": collectives,
    "bubbles": bubbles,
    "drift": drift,
    "memory": memory,
    "what_if": what_if,
    "files": files,
}
# The page of the overview has them all.
ON_PAGE = ("stragglers", "collectives", "drift", "overview", "files")
BY = ("op", "class", "scope", "code", "rank", "step", "host", "stage")


def _stragglers_table(
    fleet: Fleet, found: list[Straggler], most: int | None = None
) -> Table:
    shown = found[:most]
    more = f", the {len(shown)} of {len(found)} that cost most"
    return Table(
        "stragglers",
        "Slow ranks" + (more if len(shown) < len(found) else ""),
        ["rank", "slow_steps", "steps", "lost_nanos", "z", "place", "why"],
        [
            [s.rank, s.slow_steps, s.steps, s.lost, s.z, s.place, s.why]
            for s in shown
        ],
        looked_for(fleet),
    )


def _places_table(fleet: Fleet, found: list[Straggler]) -> Table:
    rows: list[list[Any]] = []
    for place in places.find_slow_places(fleet):
        slow = [one for one in found if one.rank in place.ranks]
        whys = Counter(one.why for one in slow)
        rows.append(
            [
                place.text,
                len(place.ranks),
                len(slow),
                place.nanos,
                place.middle,
                place.nanos / place.middle - 1,
                place.z,
                whys.most_common(1)[0][0] if whys else "",
            ]
        )
    return Table(
        "slow_places",
        "Hosts, stages and other places that are slow as a whole",
        [
            "place",
            "ranks",
            "slow_ranks",
            "own_nanos",
            "median_nanos",
            "slower_share",
            "z",
            "why",
        ],
        rows,
        places.looked_for(fleet),
    )


def _slow_ops_table(fleet: Fleet, found: list[Straggler]) -> Table:
    return Table(
        "slow_ops",
        "Operations that are slow on a rank whose others are not",
        ["rank", "name", "nanos", "median_nanos", "slower_share", "z"],
        [list(row) for row in find_slow_ops(fleet, found)],
        looked_for_ops(fleet),
    )


def _by_op(fleet: Fleet, most: int | None) -> Table:
    """All operations, or the few that take most time and do not only wait."""
    left_out = "'frame'" if most is None else "'frame', 'wait'"
    op_sums.by_rank(fleet)
    rows = fleet.rows(
        "SELECT name, class, runs, total / nullif(sum(total) OVER (), 0), "
        "rank, longest FROM (SELECT name, min(class) AS class, "
        "CAST(sum(runs) AS BIGINT) AS runs, sum(total) AS total, "
        f"{slowest('longest')} AS rank, max(longest) AS longest "
        f"FROM op_ranks WHERE class NOT IN ({left_out}) GROUP BY name) "
        "ORDER BY total DESC, name LIMIT ?",
        [most or 1_000_000],
    )
    over_all = op_sums.over_all(fleet, [row[0] for row in rows])
    return Table(
        "ops",
        "Operations" if most is None else "Operations that are no waits",
        ["name", "class", *_OF_OPS],
        [
            [name, kind, runs, *over_all[name], share, rank, longest]
            for name, kind, runs, share, rank, longest in rows
        ],
        _no_ranks(fleet),
    )


def _by_class(fleet: Fleet) -> Table:
    op_sums.by_rank_and_class(fleet)
    return Table(
        "classes",
        "Classes of operations",
        ["class", *_OF_OPS],
        lists(
            fleet,
            "SELECT class, runs, middle, p95, "
            "total / nullif(sum(total) OVER (), 0), rank, longest FROM ("
            "SELECT class, sum(runs) AS runs, median(self_nanos) AS middle, "
            "percentile_cont(0.95) WITHIN GROUP (ORDER BY self_nanos) AS p95, "
            f"sum(self_nanos) AS total, {slowest('self_nanos')} AS rank, "
            "max(self_nanos) AS longest FROM class_steps "
            "WHERE class <> 'frame' GROUP BY class) ORDER BY total DESC, class",
        ),
        _no_ranks(fleet),
    )


def _by_scope(fleet: Fleet) -> Table:
    if not fleet.one("SELECT count(*) FROM scopes")[0]:
        raise DatasetError(
            "the dataset has no scopes: ingest with --scopes a profile whose "
            "operations have some"
        )
    return Table(
        "scopes",
        "Scopes; a total includes the scopes below",
        [
            "name",
            "depth",
            "runs",
            "self_nanos",
            "total_nanos",
            "rank",
            "max_nanos",
        ],
        lists(
            fleet,
            "SELECT name, depth, sum(runs), median(self_nanos), "
            f"median(total_nanos), {slowest('total_nanos')}, "
            "max(total_nanos) FROM scopes GROUP BY name, depth "
            "ORDER BY depth, sum(total_nanos) DESC, name",
        ),
    )


def _by_code(fleet: Fleet) -> Table:
    if not fleet.one("SELECT count(*) FROM code")[0]:
        raise DatasetError(
            "the dataset has no lines of code: ingest with --code a profile "
            "with call stacks"
        )
    return Table(
        "code",
        "Lines of code, the average step of a rank; a total includes the calls",
        [
            "name",
            "depth",
            "ranks",
            "runs",
            "self_nanos",
            "total_nanos",
            "rank",
            "max_nanos",
        ],
        lists(
            fleet,
            "SELECT name, depth, count(DISTINCT rank), sum(runs), "
            f"median(self_nanos), median(total_nanos), {slowest('total_nanos')}"
            f", max(total_nanos) FROM {_CODE} GROUP BY name, depth "
            "ORDER BY depth, sum(total_nanos) DESC, name",
        ),
    )


def _by_rank(fleet: Fleet) -> Table:
    return Table(
        "ranks",
        "Ranks",
        ["rank", "steps", *_QUANTITIES],
        lists(
            fleet,
            f"SELECT rank, count(*), {_MEDIANS} FROM rank_steps "
            "GROUP BY rank ORDER BY median(own_nanos) DESC, rank",
        ),
    )


def _by_step(fleet: Fleet) -> Table:
    return Table(
        "steps",
        "Steps",
        [
            "step",
            "ranks",
            "wall_nanos",
            "own_nanos",
            "slowest_own_nanos",
            "slowest_rank",
        ],
        lists(
            fleet,
            "SELECT step, count(*), median(wall_nanos), median(own_nanos), "
            f"max(own_nanos), {slowest('own_nanos')} FROM rank_steps "
            "GROUP BY step ORDER BY step",
        ),
    )


def _by_place(fleet: Fleet, what: str) -> Table:
    column = "pp" if what == "stage" else what
    if not fleet.has_ranks or column not in fleet.columns("ranks"):
        raise DatasetError(
            f"-by {what} needs a rank map with the column {column}: ingest "
            "with --rank-map FILE"
        )
    return Table(
        f"{what}s",
        f"{what.capitalize()}s",
        [what, "ranks", *_QUANTITIES],
        lists(
            fleet,
            f"SELECT r.{fleet.quoted(column)}, count(DISTINCT s.rank), "
            f"{_MEDIANS} FROM rank_steps s LEFT JOIN ranks r "
            "ON r.rank = s.rank "
            "GROUP BY 1 ORDER BY median(own_nanos) DESC, 1",
        ),
    )


def _values(fleet: Fleet) -> dict[str, tuple[list[float], list[float]]]:
    """The median of each op by rank and by step; waits are no causes."""
    op_sums.by_rank(fleet)
    op_sums.by_step(fleet, "op_steps")
    values: dict[str, tuple[list[float], list[float]]] = {}
    for place, sql in enumerate(
        (
            "SELECT name, own FROM op_ranks WHERE class NOT IN "
            f"{op_sums.NO_CAUSES} ORDER BY name, rank",
            "SELECT name, own FROM op_steps ORDER BY name, step",
        )
    ):
        for name, value in fleet.rows(sql):
            values.setdefault(name, ([], []))[place].append(value)
    return values


_LONG_STEPS = f"""
WITH walls AS (
  SELECT step, median(wall_nanos) AS wall FROM rank_steps GROUP BY step
), middles AS (SELECT median(wall) AS middle FROM walls)
SELECT step, wall, middle FROM walls CROSS JOIN middles
WHERE wall > {_LONG} * middle ORDER BY wall DESC, step LIMIT {_TOP}"""

# And the part that grew most, against the median step.
_LONGER_PARTS = """
WITH sums AS (
  SELECT step, part, min(kind) AS kind, sum(nanos) AS nanos FROM account
  GROUP BY step, part
), middles AS (
  SELECT part, CASE WHEN 2 * count(*) > (SELECT count(DISTINCT step) FROM sums)
    THEN median(nanos) ELSE 0 END AS middle
  FROM sums GROUP BY part
), grown AS (
  SELECT step, max_by(kind || ': ' || part, (nanos - middle, part)) AS why
  FROM sums JOIN middles USING (part) GROUP BY step
)
SELECT step, wall, middle, coalesce(why, 'not recorded') FROM long_steps
LEFT JOIN grown USING (step) ORDER BY wall DESC, step"""

_OF_OPS = [
    "runs",
    "of_a_step_nanos",
    "p95_nanos",
    "self_share",
    "rank",
    "max_nanos",
]
# A line may be called from several others.
_CODE = (
    "(SELECT rank, name, depth, sum(runs) AS runs, sum(self_nanos) AS "
    "self_nanos, sum(total_nanos) AS total_nanos FROM code "
    "GROUP BY rank, name, depth)"
)
_QUANTITIES = [
    "own_nanos",
    "compute_nanos",
    "idle_nanos",
    "exposed_communication_nanos",
    "wall_nanos",
]
_MEDIANS = ", ".join(f"median({column})" for column in _QUANTITIES)
