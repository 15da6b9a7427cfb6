"""The parts of the fleet that need neither pyarrow nor duckdb."""

import os
import random
import tempfile
import unittest

from tfprof._fleet import inputs, output, reading, statistics


class InputsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, data=b"x"):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def names(self, *paths):
        return [
            os.path.relpath(file.path, self.folder)
            for file in inputs.find_files(paths)
        ]

    def test_folders_globs_and_files_count_once(self):
        self.write("a/rank_1.json")
        self.write("a/.hidden/rank_2.json")
        self.write("rank_0.json")
        pattern = os.path.join(self.folder, "*.json")
        self.assertEqual(
            self.names(self.folder, pattern), ["a/rank_1.json", "rank_0.json"]
        )

    def test_nothing_is_an_error(self):
        for path in (self.folder, os.path.join(self.folder, "no*")):
            with self.assertRaisesRegex(
                inputs.InputError, "not on shared storage"
            ):
                inputs.find_files([path])

    def test_shards_have_each_file_once(self):
        files = [inputs.File(str(n), 1, 1) for n in range(10)]
        parts = [inputs.shard(files, f"{n}/3") for n in (1, 2, 3)]
        self.assertEqual(sum(parts, []), files)
        self.assertLessEqual(max(map(len, parts)) - min(map(len, parts)), 1)
        for wrong in ("0/3", "4/3", "3", "a/b"):
            with self.assertRaises(inputs.InputError):
                inputs.shard(files, wrong)

    def test_the_last_match_in_a_path_is_the_rank(self):
        of = inputs.RANK_IN_NAME
        self.assertEqual(inputs.rank_in("/rank_9/x/rank_12.json", of), 12)
        self.assertIsNone(inputs.rank_in("/traces/host.json", of))
        self.assertEqual(inputs.rank_in("/w3/host.json", r"/w(\d+)/"), 3)
        with self.assertRaises(inputs.InputError):
            inputs.check_pattern("rank")

    def test_the_key_changes_with_the_file(self):
        path = self.write("rank_0.json", b"a" * 10)
        (file,) = inputs.find_files([path])
        before = inputs.content_key(file)
        self.assertEqual(inputs.content_key(file), before)
        self.write("rank_0.json", b"b" * 10)
        self.assertNotEqual(inputs.content_key(file), before)

    def test_a_rank_map_needs_ranks(self):
        good = self.write("good.csv", b"rank,host\n3,a\n")
        self.assertEqual(inputs.read_rank_map(good), [{"rank": 3, "host": "a"}])
        bad = self.write("bad.csv", b"rank,host\n3,a\nx,b\n")
        with self.assertRaisesRegex(inputs.InputError, "line 3"):
            inputs.read_rank_map(bad)


class StatisticsTest(unittest.TestCase):
    def test_the_limit_grows_with_the_comparisons(self):
        # The figures of g3doc/fleet.md: 2,000 ranks x 10 steps, 10,000 x 100.
        self.assertAlmostEqual(statistics.limit(20_000), 4.9, delta=0.05)
        self.assertAlmostEqual(statistics.limit(1_000_000), 5.6, delta=0.05)
        self.assertEqual(statistics.limit(0), float("inf"))

    def values(self, seed, factor=1.0, whole=1.0):
        rng = random.Random(seed)
        ranks = [1e6 * factor * whole * rng.gauss(1, 0.01) for _ in range(500)]
        steps = [1e6 * factor * whole * rng.gauss(1, 0.01) for _ in range(10)]
        return ranks, steps

    def test_a_change_of_one_operation_is_real(self):
        change = statistics.Change(*self.values(1), *self.values(2, 1.08))
        self.assertTrue(change.is_real(4))

    def test_a_run_that_is_a_little_slower_is_no_change(self):
        ranks, steps = self.values(3, whole=1.009)
        base_ranks, base_steps = self.values(4)
        change = statistics.Change(base_ranks, base_steps, ranks, steps)
        self.assertFalse(change.is_real(4))
        # Over ranks alone it would be one.
        alone = statistics.Change(base_ranks, [], ranks, [])
        self.assertTrue(alone.is_real(4))

    def test_less_than_a_microsecond_is_no_change(self):
        change = statistics.Change([100.0] * 9, [100.0], [300.0] * 9, [300.0])
        self.assertFalse(change.is_real(4))


class OutputTest(unittest.TestCase):
    answer = output.Answer(
        "by_op",
        "ranks 1 of 1",
        {"ranks": 1},
        [
            output.Table(
                "ops",
                "Operations",
                ["name", "self_nanos", "self_share", "bytes"],
                [["=mm|\x1b[2J" + "x" * 100, 1500, 0.25, None]],
            ),
            output.Table("none", "Nothing", ["a"], [], "looked for a"),
        ],
    )

    def test_a_table_fits_and_shows_no_control_characters(self):
        text = output.write(self.answer, "table", 60)
        self.assertLessEqual(max(map(len, text.splitlines())), 60)
        self.assertNotIn("\x1b", text)
        self.assertIn("1.50us", text)
        self.assertIn("looked for a", text)

    def test_data_is_not_shortened(self):
        self.assertIn("x" * 100, output.write(self.answer, "json", 10))
        self.assertIn("'=mm", output.write(self.answer, "csv", 10))
        self.assertIn("=mm\\|", output.write(self.answer, "markdown", 10))


class ReadingTest(unittest.TestCase):
    def test_rows_are_sorted_into_their_tables(self):
        facts, tables = reading.parse_rows(
            b'{"schema":"tfprof.rows","facts":{"rank":3},'
            b'"tables":{"ops":{},"steps":{}}}\n'
            b'{"table":"steps","step":0}\n{"table":"ops","step":0}\n'
            b'{"table":"steps","step":1}\n'
        )
        self.assertEqual(facts["rank"], 3)
        self.assertEqual([row["step"] for row in tables["steps"]], [0, 1])
        self.assertEqual(len(tables["ops"]), 1)

    def test_what_is_no_file_is_not_read(self):
        file = inputs.File("x", None, None, "not a regular file")
        self.assertEqual(reading.read_file(file, 1).status, "unreadable")
        self.assertEqual(
            reading.read_file(inputs.File("x", 0, 1), 1).status, "empty"
        )


if __name__ == "__main__":
    unittest.main()
