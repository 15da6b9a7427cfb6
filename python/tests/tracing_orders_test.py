"""Rows and orders of live tracing: counts, times, and what is traced when."""

import unittest

from tfprof._live import rows as rows_module
from tfprof._live.orders import Order, OrderBook
from tfprof._live.rows import Clock, Row, Table, percentile


class Program:
    """Runs rows as a training thread does, with a clock of its own."""

    def __init__(self):
        self.now = 1_000_000_000
        self.table = Table(lambda row: self.book.added(row))
        self.book = OrderBook(self.table, lambda: self.now)
        self.room = True
        self.traced = []  # (fetches, count)

    def run(
        self,
        fetches="train",
        duration=100,
        record=True,
        fails=False,
        step=None,
        why="",
    ):
        row = self.table.row(fetches)
        wanting = ()
        if row.orders:
            wanting = self.book.wanting(row, step, self.room)
        self.now += duration
        if fails:
            return row
        traced = bool(wanting) and record
        orders = row.orders
        count = row.finished(self.now - duration, self.now, traced, step)
        if traced:
            self.traced.append((fetches, count))
        if orders:
            if wanting and not traced:
                why = "no record"
            self.book.ended(
                row, wanting, count, step, None if traced else duration, why
            )
        return row

    def states(self):
        return {r["order"]: r["state"] for r in self.book.reports()}


def order(number, rule, row=None, **more):
    return {"order": number, "rule": rule, "row": row, **more}


class Rows(unittest.TestCase):
    def test_counts_times_and_percentiles(self):
        table = Table()
        row = table.row("train", ["y:0", "x:0"])
        self.assertIs(row, table.row("train", ["x:0", "y:0"]))
        for duration in range(1, 101):
            row.finished(0, duration)
        row.finished(5, 1005, traced=True, step=7)
        (facts,) = table.take_changed(Clock())
        self.assertEqual(facts["feeds"], ["x:0", "y:0"])
        self.assertEqual(facts["runs"], 101)
        self.assertEqual(facts["mean_ns"], 50)
        self.assertEqual(facts["p50_ns"], 50)
        self.assertEqual(facts["p95_ns"], 95)
        self.assertEqual(facts["p99_ns"], 99)
        self.assertEqual(facts["traced_mean_ns"], 1000)
        self.assertEqual(facts["last_ns"], 1000)
        self.assertEqual(facts["step"], 7)
        self.assertEqual(facts["spark"], list(range(71, 101)))
        self.assertEqual(table.take_changed(Clock()), [])
        table.give_back([0])
        self.assertEqual(len(table.take_changed(Clock())), 1)

    def test_a_row_without_runs(self):
        table = Table()
        table.row("never")
        (facts,) = table.take_changed(Clock())
        self.assertEqual(facts["mean_ns"], 0)
        self.assertIsNone(facts["traced_mean_ns"])
        self.assertEqual(facts["spark"], [])

    def test_percentiles(self):
        self.assertEqual(percentile([], 50), 0)
        self.assertEqual(percentile([3], 99), 3)
        self.assertEqual(percentile([1, 2, 3, 4], 50), 2)
        self.assertEqual(percentile([1, 2, 3, 4], 95), 4)

    def test_only_the_last_durations_are_kept(self):
        row = Row(0, "train")
        for duration in range(3 * rows_module.WINDOW):
            row.finished(0, duration)
        self.assertEqual(len(row.durations), rows_module.WINDOW)
        self.assertEqual(row.runs, 3 * rows_module.WINDOW)

    def test_more_kinds_than_the_limit_share_a_row(self):
        table = Table()
        for number in range(rows_module.MAX_ROWS + 5):
            table.row(f"fetch{number}").finished(0, 1)
        self.assertEqual(len(table), rows_module.MAX_ROWS + 1)
        last = list(table)[-1]
        self.assertEqual(last.fetches, rows_module.OTHERS)
        self.assertEqual(last.runs, 5)

    def test_long_names_are_cut(self):
        row = Table().row("x" * 1_000_000)
        self.assertLess(len(row.fetches), 3000)

    def test_the_median_follows(self):
        row = Row(0, "train")
        for _ in range(19):
            row.finished(0, 10)
        self.assertIsNone(row.median())
        row.finished(0, 10)
        self.assertEqual(row.median(), 10)
        for _ in range(rows_module.WINDOW):
            row.finished(0, 50)
        self.assertEqual(row.median(), 50)


class Orders(unittest.TestCase):
    def setUp(self):
        self.p = Program()

    def test_next(self):
        self.p.run()
        self.p.run("eval")
        self.p.book.apply([order(1, "next", row=0, count=2)])
        for _ in range(3):
            self.p.run("eval")
            self.p.run()
        self.assertEqual(self.p.traced, [("train", 2), ("train", 3)])
        self.assertEqual(self.p.states(), {1: "done"})
        self.assertEqual(list(self.p.table)[0].orders, ())

    def test_two_orders_want_the_same_run(self):
        self.p.run()
        self.p.book.apply([order(1, "next", 0), order(2, "next", 0)])
        self.p.run()
        self.p.run()
        self.assertEqual(self.p.traced, [("train", 2)])
        self.assertEqual(self.p.states(), {1: "done", 2: "done"})

    def test_a_failed_run_or_one_without_a_record_leaves_it_armed(self):
        self.p.run()
        self.p.book.apply([order(1, "next", 0)])
        self.p.run(fails=True)
        self.p.run(record=False)
        self.assertEqual(self.p.states(), {1: "armed"})
        self.p.run()
        self.assertEqual(self.p.traced, [("train", 3)])

    def test_a_dropped_record_leaves_it_armed(self):
        self.p.run()
        self.p.book.apply([order(1, "next", 0)])
        self.p.run(why="the queue is full")
        self.assertEqual(self.p.states(), {1: "armed"})

    def test_without_room_only_certain_runs_are_traced(self):
        self.p.run()
        self.p.room = False
        self.p.book.apply([order(1, "next", 0), order(2, "at", 0, at=3)])
        self.p.run()
        self.p.run()
        self.assertEqual(self.p.traced, [("train", 3)])

    def test_every(self):
        self.p.run()
        self.p.book.apply([order(1, "every", 0, every=3, limit=2)])
        for _ in range(12):
            self.p.run()
        self.assertEqual(self.p.traced, [("train", 3), ("train", 6)])
        self.assertEqual(self.p.states(), {1: "done"})

    def test_for_some_time(self):
        self.p.run()
        until = self.p.now + 250
        self.p.book.apply([order(1, "for", 0, until_ns=until)])
        for _ in range(5):
            self.p.run(duration=100)
        self.assertEqual(len(self.p.traced), 3)
        self.p.book.tick()
        self.assertEqual(self.p.states(), {1: "done"})

    def test_time_is_over_without_a_run(self):
        self.p.run()
        self.p.book.apply([order(1, "global", until_ns=self.p.now + 10)])
        self.p.book.tick()
        self.assertEqual(self.p.states(), {1: "armed"})
        self.p.now += 10
        self.p.book.tick()
        self.assertEqual(self.p.states(), {1: "done"})
        self.assertEqual(list(self.p.table)[0].orders, ())

    def test_steps(self):
        for step in range(1, 6):
            self.p.run(step=step)
        self.p.book.apply([order(1, "steps", 0, steps=[2, 7, 9])])
        (report,) = self.p.book.reports()
        self.assertEqual(report["left"], 2)
        self.assertEqual(report["why"], "without a trace: 2")
        for step in range(6, 11):
            self.p.run(step=step)
        self.assertEqual(self.p.traced, [("train", 7), ("train", 9)])
        self.assertEqual(self.p.states(), {1: "done"})

    def test_steps_that_are_all_past_or_jumped_over(self):
        self.p.run(step=5)
        self.p.book.apply([order(1, "steps", 0, steps=[2, 3])])
        self.assertEqual(self.p.states(), {1: "missed"})
        self.p.book.apply([order(2, "steps", 0, steps=[8])])
        self.p.run(step=6)
        self.p.run(step=10)
        self.assertEqual(self.p.states(), {2: "missed"})

    def test_steps_are_counts_where_no_step_is_known(self):
        self.p.run()
        self.p.book.apply([order(1, "steps", 0, steps=[3])])
        for _ in range(4):
            self.p.run()
        self.assertEqual(self.p.traced, [("train", 3)])

    def test_slower(self):
        for _ in range(25):
            self.p.run(duration=100)
        self.p.book.apply(
            [order(1, "slower", 0, slower=2.0, limit=2, cool_down_ns=1000)]
        )
        self.p.run(duration=200)  # not more than twice the median
        self.p.run(duration=100)
        self.assertEqual(self.p.traced, [])
        self.p.run(duration=201)
        self.p.run(duration=100)
        self.assertEqual(self.p.traced, [("train", 29)])
        self.p.run(duration=500)  # it cools down
        self.p.run(duration=100)
        self.assertEqual(len(self.p.traced), 1)
        self.p.now += 1000
        self.p.run(duration=500)
        self.p.run(duration=100)
        self.assertEqual(len(self.p.traced), 2)
        self.assertEqual(self.p.states(), {1: "done"})

    def test_slower_needs_twenty_runs(self):
        for _ in range(10):
            self.p.run(duration=100)
        self.p.book.apply([order(1, "slower", 0, slower=2.0)])
        self.p.run(duration=1000)
        self.p.run(duration=100)
        self.assertEqual(self.p.traced, [])

    def test_at(self):
        self.p.run()
        self.p.book.apply([order(1, "at", 0, at=4), order(2, "at", 0, at=1)])
        self.assertEqual(self.p.states(), {1: "armed", 2: "missed"})
        for _ in range(5):
            self.p.run()
        self.assertEqual(self.p.traced, [("train", 4)])
        self.assertEqual(self.p.states(), {1: "done", 2: "missed"})

    def test_at_a_run_that_failed_and_came_again(self):
        self.p.run()
        self.p.book.apply([order(1, "at", 0, at=2)])
        self.p.run(fails=True)
        self.p.run()
        self.assertEqual(self.p.traced, [("train", 2)])

    def test_at_a_run_that_had_begun(self):
        row = self.p.run()
        begun = ()  # no order was there
        self.p.book.apply([order(1, "at", 0, at=2)])
        count = row.finished(0, 1)
        self.p.book.ended(row, begun, count, None, 1, "")
        self.assertEqual(self.p.states(), {1: "missed"})

    def test_at_a_run_whose_record_was_dropped(self):
        self.p.run()
        self.p.book.apply([order(1, "at", 0, at=2)])
        self.p.run(why="the queue is full")
        (report,) = self.p.book.reports()
        self.assertEqual(report["state"], "missed")
        self.assertIn("the queue is full", report["why"])

    def test_global_traces_rows_that_are_new(self):
        self.p.run()
        self.p.book.apply([order(1, "global", limit=3)])
        self.p.run()
        self.p.run("new")
        self.p.run("newer")
        self.p.run("newest")
        self.assertEqual(
            self.p.traced, [("train", 2), ("new", 1), ("newer", 1)]
        )
        self.assertEqual(self.p.states(), {1: "done"})

    def test_an_order_that_is_gone_is_cancelled(self):
        self.p.run()
        self.p.book.apply([order(1, "next", 0), order(2, "at", 0, at=3)])
        self.p.book.apply([order(2, "at", 0, at=3)])
        self.p.run()
        self.assertEqual(self.p.traced, [])
        self.p.book.apply([])
        self.p.run()
        self.assertEqual(self.p.traced, [])

    def test_progress_is_kept_when_the_list_comes_again(self):
        self.p.run()
        orders = [order(1, "next", 0, count=2)]
        self.p.book.apply(orders)
        self.p.run()
        self.p.book.apply(orders)
        self.p.run()
        self.p.run()
        self.assertEqual(len(self.p.traced), 2)

    def test_a_report_is_made_once(self):
        self.p.run()
        self.p.book.apply([order(1, "next", 0)])
        reports = self.p.book.reports()
        self.assertEqual(
            reports, [{"order": 1, "state": "armed", "left": 1, "why": ""}]
        )
        self.p.book.reported(reports)
        self.assertEqual(self.p.book.reports(), [])
        self.p.run()
        self.assertEqual(self.p.book.reports()[0]["state"], "done")

    def test_orders_of_the_program_are_not_reported(self):
        self.p.run()
        self.p.book.place("next", count=1)
        self.p.book.apply([])
        self.p.run()
        self.p.run()
        self.assertEqual(self.p.traced, [("train", 2)])
        self.assertEqual(self.p.book.reports(), [])

    def test_orders_that_make_no_sense_are_left_out(self):
        problems = self.p.book.apply(
            [
                order(1, "often"),
                order(2, "every"),
                order(3, "at"),
                order(4, "steps"),
                order(5, "slower"),
                order(6, "for"),
                {"rule": "next"},
                order(7, "next"),
            ]
        )
        self.assertEqual(len(problems), 7)
        self.p.run()
        self.assertEqual(self.p.traced, [("train", 1)])
        with self.assertRaises(ValueError):
            Order(order(1, "often"))


if __name__ == "__main__":
    unittest.main()
