"""What an answer shows first in a notebook: its findings, or a picture.

`lead(answer)` is HTML without scripts, as in html.py: advice as sentences with
the line of Python that shows the evidence, a flame graph, and the work of
devices over time. The tables that it stands for follow it, folded up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tfprof._engine import html

if TYPE_CHECKING:
    from tfprof._engine.answer import Answer, Table

# Tables whose rows are sentences: what is wrong, and what to do.
_FINDINGS = ("findings", "problems")
_SEVERITIES = {
    "critical": "rgb(219, 68, 55)",
    "warning": "rgb(224, 142, 20)",
    "info": "rgb(128, 128, 128)",
}
_MOST_FINDINGS = 10
_FLAME_ROW = 20  # pixels, more if the picture would be low
_FLAME_HEIGHT = 240
_FLAME_MOST = 48
_FLAME_DEPTH = 30
_FLAME_NARROWEST = 0.0005  # of the width
_LANE_ROW = 26
_MOST_LANES = 24
# The parts of a slice, from the bottom, with colours that colour-blind people
# can tell apart.
_PARTS = (
    ("compute_micros", "compute", "rgb(66, 133, 244)"),
    ("communication_micros", "communication", "rgb(230, 126, 34)"),
    ("copy_micros", "copies", "rgb(0, 150, 110)"),
    ("launch_micros", "launches", "rgb(150, 110, 200)"),
    ("other_steps_micros", "other steps", "rgb(150, 150, 150)"),
)
_BUSY = "rgb(110, 130, 160)"  # of a lane, whatever it does


def lead(content: Answer) -> tuple[str, set[str]]:
    """The first part of an answer, and the tables that are to be folded up."""
    for name in _FINDINGS:
        if name in content.tables:
            return _findings(content.tables[name]), {name, "checkers"}
    if content.name == "explain" and content.facts.get("cause"):
        row = {
            "severity": "warning",
            "text": content.facts["cause"],
            "advice": content.facts.get("do"),
        }
        return _card(row), set()
    if content.name == "flame":
        return _flame(content), {"flame"}
    if "slices" in content.tables and "lanes" in content.tables:
        return _lanes(content), {"lanes", "slices", "gaps"}
    return "", set()


def python_line(line: str) -> str:
    """A line of the program as a call: `op -step 5` is profile.op(step=5)."""
    words = line.split()
    if not words or not words[0].isidentifier():
        return ""
    arguments, options = [], []
    rest = iter(words[1:])
    for word in rest:
        if re.fullmatch(r"--?[a-z]\w*(=\S+)?", word):
            name, equals, value = word.lstrip("-").partition("=")
            options.append(
                f"{name}={_literal(value if equals else next(rest, ''))}"
            )
        elif word != "all" or words[0] != "advise":
            arguments.append(_literal(word))
    return f"profile.{words[0]}({', '.join(arguments + options)})"


def _literal(word: str) -> str:
    return word if re.fullmatch(r"\d+", word) else repr(word)


def _findings(table: Table) -> str:
    if not table.rows:
        return "<p><b>No problem was found.</b></p>"
    shown = table.rows[:_MOST_FINDINGS]
    cards = "".join(_card(row) for row in shown)
    more = len(table.rows) - len(shown)
    if more > 0:
        cards += f"<p>{more} more are in the table.</p>"
    return cards


def _card(row: dict[str, Any]) -> str:
    severity = str(row.get("severity"))
    colour = _SEVERITIES.get(severity, _SEVERITIES["info"])
    small = []
    if row.get("saving_micros"):
        saving = html.number(row["saving_micros"], "micros")
        small.append(f"saves up to {saving} of a step")
    if row.get("rule"):
        small.append(f"rule {html.escaped(row['rule'])}")
    code = python_line(row.get("evidence") or "")
    if code:
        small.append(f"see <code>{html.escaped(code)}</code>")
    lines = [
        f'<div style="border-left:4px solid {colour};padding:4px 12px;'
        'margin:8px 0;max-width:60em;text-align:left;">',
        f'<b style="color:{colour};">{html.escaped(severity)}</b> '
        f"<b>{html.lines(row.get('text') or '')}</b>",
    ]
    if row.get("advice"):
        lines.append(f"<div>{html.escaped(row['advice'])}</div>")
    if small:
        lines.append(f'<div style="opacity:0.7;">{" · ".join(small)}</div>')
    lines.append("</div>")
    return "".join(lines)


def _flame(table: Table) -> str:
    """Boxes below their parents, as wide as their share of the whole."""
    if not table.rows:
        return ""
    # The cost that was asked for, or the one that the program chose.
    total = next(c for c in table.columns if c.name.startswith("total_"))
    own = "self_" + total.name.removeprefix("total_")
    boxes = []
    narrow = deep = 0
    deepest = min(max(r["depth"] for r in table.rows), _FLAME_DEPTH - 1)
    high = max(_FLAME_ROW, min(_FLAME_HEIGHT // (deepest + 1), _FLAME_MOST))
    for row in table.rows:
        if row["depth"] >= _FLAME_DEPTH:
            deep += 1
            continue
        if not row["share"] or row["share"] < _FLAME_NARROWEST:
            narrow += 1
            continue
        name = html.escaped(row["name"])
        title = (
            f"{name}\n{html.number(row[total.name], total.unit)}, "
            f"{html.number(row['share'], 'share')}; of its own "
            f"{html.number(row[own], total.unit)}"
        )
        hue = sum(map(ord, str(row["name"]))) % 40
        boxes.append(
            f'<div title="{title}" style="position:absolute;'
            f"left:{100 * row['start_share']:.3f}%;"
            f"width:{100 * row['share']:.3f}%;"
            f"top:{high * row['depth']}px;height:{high - 1}px;"
            f"background:hsla({20 + hue},85%,55%,0.55);overflow:hidden;"
            "white-space:nowrap;font-size:12px;line-height:19px;color:inherit;"
            "text-indent:3px;text-align:left;box-sizing:border-box;"
            f'border-right:1px solid rgba(128,128,128,0.5);">{name}</div>'
        )
    height = high * (deepest + 1)
    left_out = []
    if narrow:
        left_out.append(f"{narrow:,} narrower than a pixel")
    if deep:
        left_out.append(f"{deep:,} deeper than {_FLAME_DEPTH} levels")
    note = (
        f"<p>Left out: {' and '.join(left_out)}; they are in the table.</p>"
        if left_out
        else ""
    )
    return (
        f'<div style="position:relative;width:100%;min-width:480px;'
        f'height:{height}px;margin:8px 0;">{"".join(boxes)}</div>{note}'
    )


def _lanes(content: Answer) -> str:
    """A strip for each device and lane: how busy it was in each slice."""
    slices: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for row in content.tables["slices"].rows:
        slices.setdefault((row["device"], row["lane"]), []).append(row)
    lanes = content.tables["lanes"].rows
    count = int(content.facts["slices"])
    length = content.facts["micros"] / count if count else 0
    used: set[str] = set()
    strips = []
    for lane in lanes[:_MOST_LANES]:
        is_device = lane["lane"] is None
        bars = []
        for row in slices.get((lane["device"], lane["lane"]), []):
            bars.append(_bar(row, length, is_device, used))
        label = html.escaped(lane["device"] if is_device else lane["lane"])
        share = html.number(lane["busy_share"], "share")
        weight = "bold" if is_device else "normal;padding-left:14px"
        strips.append(
            f'<div style="display:flex;align-items:center;height:'
            f'{_LANE_ROW}px;"><div style="flex:0 0 190px;overflow:hidden;'
            "text-overflow:ellipsis;white-space:nowrap;text-align:left;"
            f'box-sizing:border-box;font-weight:{weight};" '
            f'title="{label}">{label}</div>'
            f'<div style="flex:0 0 60px;text-align:right;'
            f'padding-right:8px;">{share}</div>'
            f'<svg viewBox="0 0 {max(count, 1)} 1" preserveAspectRatio="none"'
            f' style="flex:1 1 auto;height:{_LANE_ROW - 6}px;'
            f'background:rgba(128,128,128,0.12);">{"".join(bars)}</svg></div>'
        )
    key = "".join(
        f'<span style="margin-right:14px;"><span style="color:{colour};">■'
        f"</span> {name}</span>"
        for column, name, colour in _PARTS
        if column in used
    )
    if any(lane["lane"] is not None for lane in lanes):
        key += f'<span style="color:{_BUSY};">■</span> busy lane'
    step = content.facts.get("step")
    what = "all" if step is None or step < 0 else f"step {step}"
    more = len(lanes) - len(strips)
    rest = f" {more} more lanes are in the table." if more > 0 else ""
    return (
        f'<div style="min-width:560px;margin:8px 0;"><p>{html.escaped(what)}, '
        f"{html.number(content.facts['micros'], 'micros')} from left to right: "
        f"how busy each device and lane was.{rest}</p>{''.join(strips)}"
        f'<p style="margin-left:198px;text-align:left;">{key}</p></div>'
    )


def _bar(
    row: dict[str, Any], length: float, is_device: bool, used: set[str]
) -> str:
    """The parts of a slice above each other; a lane is busy or not."""
    if length <= 0:
        return ""
    at = row["start_micros"] / length
    parts = [(_BUSY, row["busy_micros"])]
    if is_device:
        parts = []
        for column, _, colour in _PARTS:
            if row[column]:
                parts.append((colour, row[column]))
                used.add(column)
    text, top = "", 1.0
    for colour, micros in parts:
        height = min(micros / length, top)
        top -= height
        text += (
            f'<rect x="{at:.2f}" y="{top:.3f}" width="1" '
            f'height="{height:.3f}" fill="{colour}"/>'
        )
    return text
