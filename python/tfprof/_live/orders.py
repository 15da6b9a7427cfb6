"""Orders: which runs are traced, and when that ends.

The server sends orders as dictionaries; `OrderBook.apply` takes the whole list,
and what is not in it any more is cancelled. The training thread asks
`wanting(row, …)` before a run of a row that has orders, and `ended` afterwards,
with what came of it. All calls hold the lock of the table. g3doc/tracing.md
says in words what the rules mean.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from typing import Any, Callable

from tfprof._live.rows import Row

# The rules, and the part that an order needs beside its rule.
_RULES = {
    "next": "",
    "for": "until_ns",
    "every": "every",
    "steps": "steps",
    "slower": "slower",
    "at": "at",
    "global": "",
}
LIMIT = 20  # traces of an order that names no limit
# More would slow the program: every run of a row looks at the orders for it.
MAX_ORDERS = 1000
MAX_STEPS = 10_000  # of an order
# Rules that name a certain run; the others wait until there is room.
CERTAIN = ("at", "steps")


class Order:
    """One order. `state` is "armed", "done" or "missed"."""

    def __init__(self, spec: dict[str, Any]) -> None:
        """spec: as in the message; ValueError if it makes no sense."""
        self.number = int(spec["order"])
        row = spec.get("row")
        self.row: int | None = None if row is None else int(row)
        self.rule = str(spec["rule"])
        if self.rule not in _RULES:
            raise ValueError(f"order {self.number} has the rule {self.rule!r}")
        self.state = "armed"
        self.why = ""
        self.left: int | None = None  # traces, where they are counted
        self.until_ns = int(spec.get("until_ns") or 0)
        if self.rule == "next":
            self.left = max(int(spec.get("count") or 1), 1)
        elif self.rule in ("for", "every", "slower", "global"):
            self.left = max(int(spec.get("limit") or LIMIT), 1)
        elif self.rule == "at":
            self.left = 1
        self.every = int(spec.get("every") or 0)
        self.at = int(spec.get("at") or 0)
        steps = spec.get("steps") or ()
        if len(steps) > MAX_STEPS:
            raise ValueError(
                f"order {self.number} has more than {MAX_STEPS} steps"
            )
        self.steps = {int(step) for step in steps}
        self.past: list[int] = []  # steps that are over, without a trace
        self._got_step = False
        self.slower = float(spec.get("slower") or 0)
        self.cool_down = int(spec.get("cool_down_ns") or 0)
        self._triggered: set[int] = set()  # rows whose next run is traced
        self._last_trace: int | None = None
        self._check()

    def _check(self) -> None:
        needed = _RULES[self.rule]
        if not needed:
            return
        value = getattr(self, needed)
        if not value or (needed != "steps" and value < 0):
            raise ValueError(f"order {self.number} has no {needed}")

    # -- called by the training thread

    def wants(self, row: Row, count: int, step: int | None, now: int) -> bool:
        """Whether the run that starts now is to be traced."""
        if self.state != "armed":
            return False
        if self.until_ns and now >= self.until_ns:
            self.tick(now)
            return False
        if self.rule == "every":
            return count % self.every == 0
        if self.rule == "at":
            return count == self.at
        if self.rule == "steps":
            return (count if step is None else step) in self.steps
        if self.rule == "slower":
            return row.number in self._triggered
        return True

    def recorded(
        self, row: Row, count: int, step: int | None, now: int
    ) -> None:
        """A run that the order wanted gave a record."""
        if self.state != "armed":
            return
        if self.rule == "steps":
            self.steps.discard(count if step is None else step)
            self._got_step = True
            self._settle_steps()
            return
        if self.rule == "slower":
            self._triggered.discard(row.number)
            self._last_trace = now
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                self.state = "done"

    def lost(self, row: Row, count: int, step: int | None, reason: str) -> None:
        """A run that the order wanted is over and has no record."""
        if self.state != "armed":
            return
        if self.rule == "at":
            self.state = "missed"
            self.why = f"run {self.at}: {reason}"
        elif self.rule == "steps":
            self._pass_steps(count if step is None else step)

    def unwanted(
        self,
        row: Row,
        count: int,
        step: int | None,
        duration: int | None,
        now: int,
    ) -> None:
        """A run of the row is over that the order did not want.

        duration: of a run without a trace; None if it had one.
        """
        if self.state != "armed":
            return
        if self.rule == "slower" and duration is not None:
            self._trigger(row, duration, now)
        elif self.rule == "at" and self.row is not None and count >= self.at:
            # It had begun when the order came.
            self.state = "missed"
            self.why = f"run {self.at} was past: {count} runs are done"
        elif self.rule == "steps" and (
            step is not None or self.row is not None
        ):
            self._pass_steps(count if step is None else step)

    def _trigger(self, row: Row, duration: int, now: int) -> None:
        if (
            self._last_trace is not None
            and now - self._last_trace < self.cool_down
        ):
            return
        median = row.median()
        if median is not None and duration > self.slower * median:
            self._triggered.add(row.number)

    # -- called by the other thread

    def arrived(self, rows: Iterable[Row]) -> None:
        """The order is new: what it asks for may be past."""
        concerned = [r for r in rows if self.row in (None, r.number)]
        for row in concerned:
            row.drain()
        if self.rule == "at":
            runs = max((r.runs for r in concerned), default=0)
            if runs >= self.at:
                self.state = "missed"
                self.why = f"run {self.at} was past: {runs} runs are done"
        elif self.rule == "steps":
            known = [r.step for r in concerned if r.step is not None]
            done = known or [r.runs for r in concerned]
            self._pass_steps(max(done, default=0))

    def _pass_steps(self, reached: int) -> None:
        """Steps up to this one are over, and have no trace."""
        past = sorted(step for step in self.steps if step <= reached)
        self.past += past
        self.steps.difference_update(past)
        self._settle_steps()

    def _settle_steps(self) -> None:
        if self.past:
            self.why = "without a trace: " + ", ".join(map(str, self.past))
        if not self.steps:
            self.state = "done" if self._got_step else "missed"

    def tick(self, now: int) -> None:
        """Time has passed."""
        if self.state == "armed" and self.until_ns and now >= self.until_ns:
            self.state = "done"
            self.why = "its time is over"

    def report(self) -> dict[str, Any]:
        left = len(self.steps) if self.rule == "steps" else self.left
        return {
            "order": self.number,
            "state": self.state,
            "left": left,
            "why": self.why,
        }


class OrderBook:
    """The orders of a process, those of the server and those of the program."""

    def __init__(
        self, rows: Iterable[Row], now: Callable[[], int] = time.time_ns
    ) -> None:
        self._rows = rows
        self._now = now
        self._orders: dict[int, Order] = {}
        self._said: dict[int, tuple[Any, ...]] = {}
        self._own = 0  # the program's own have numbers below 0

    def place(self, rule: str, row: Row | None = None, **more: Any) -> Order:
        """An order of the program itself."""
        self._own -= 1
        number = None if row is None else row.number
        order = Order({"order": self._own, "row": number, "rule": rule, **more})
        order.arrived(self._rows)
        self._orders[order.number] = order
        self._arm()
        return order

    def apply(self, specs: Iterable[dict[str, Any]]) -> list[str]:
        """The orders that the server has now; what is wrong with some."""
        problems = []
        kept = {n: o for n, o in self._orders.items() if n < 0}
        taken = list(itertools.islice(specs, MAX_ORDERS + 1))
        if len(taken) > MAX_ORDERS:
            problems.append(
                f"more than {MAX_ORDERS} orders: the rest is unused"
            )
            taken.pop()
        for spec in taken:
            try:
                order = self._orders.get(int(spec["order"]))
                if order is None:
                    order = Order(spec)
                    order.arrived(self._rows)
            except (KeyError, TypeError, ValueError) as error:
                problems.append(f"{type(error).__name__}: {error}")
                continue
            kept[order.number] = order
        self._orders = kept
        self._said = {n: s for n, s in self._said.items() if n in kept}
        self._arm()
        return problems

    @property
    def armed(self) -> bool:
        """Whether some run is still to be traced."""
        return any(o.state == "armed" for o in list(self._orders.values()))

    def added(self, row: Row) -> None:
        """A row is new: orders for every row are for it too."""
        row.orders = self._for(row)

    def _for(self, row: Row) -> tuple[Order, ...]:
        return tuple(
            order
            for order in self._orders.values()
            if order.state == "armed" and order.row in (None, row.number)
        )

    def _arm(self) -> None:
        for number, order in list(self._orders.items()):
            if number < 0 and order.state != "armed":
                del self._orders[number]
        for row in self._rows:
            row.orders = self._for(row)

    def wanting(
        self, row: Row, step: int | None, room: bool
    ) -> tuple[Order, ...]:
        """The orders that want the run of the row that starts now.

        room: whether another record can be kept. Without room a run is traced
        only if the order names this very run.
        """
        now = self._now()
        row.drain()
        count = row.runs + 1
        return tuple(
            order
            for order in row.orders
            if (room or order.rule in CERTAIN)
            and order.wants(row, count, step, now)
        )

    def ended(
        self,
        row: Row,
        wanting: tuple[Order, ...],
        count: int,
        step: int | None,
        duration: int | None,
        why: str,
    ) -> None:
        """The run is over.

        wanting: what `wanting` returned before it.
        duration: of a run without a trace; None if it had one.
        why: why its record was not kept; "" if it was.
        """
        now = self._now()
        for order in row.orders:
            if order not in wanting:
                order.unwanted(row, count, step, duration, now)
            elif why:
                order.lost(row, count, step, why)
            else:
                order.recorded(row, count, step, now)
        if any(order.state != "armed" for order in row.orders):
            self._arm()

    def tick(self) -> None:
        now = self._now()
        for order in self._orders.values():
            order.tick(now)
        if any(o.state != "armed" for row in self._rows for o in row.orders):
            self._arm()

    def reports(self) -> list[dict[str, Any]]:
        """What changed since `reported`, of the server's orders."""
        return [
            report
            for report in (
                order.report()
                for order in self._orders.values()
                if order.number >= 0
            )
            if self._said.get(report["order"]) != _saying(report)
        ]

    def reported(self, reports: Iterable[dict[str, Any]]) -> None:
        """The server has heard these."""
        for report in reports:
            self._said[report["order"]] = _saying(report)


def _saying(report: dict[str, Any]) -> tuple[Any, ...]:
    return report["state"], report["left"], report["why"]
