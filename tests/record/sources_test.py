#!/usr/bin/env python3
"""Tests the sources of the recorder against libraries with known activity.

Usage: tests/record/sources_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

The libraries are built by tests/record/BUILD: they have the names and the
layouts of the real ones. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import junit_runner
import recorded

binary = ""  # of junit_runner.main()


def built(path):
    """A file that was built, as the program was."""
    return os.path.join(os.path.dirname(os.path.dirname(binary)), path)


def stub(name):
    return built("tests/record/" + name)


def record(*command, **environment):
    return recorded.record(
        binary, built("record/libtfprof_record.so"), command, **environment
    )


def record_tensorflow(version, runs, **environment):
    return record(stub("fake_program"), stub(version), str(runs), **environment)


def record_device(tool, steps, variable, **environment):
    environment[variable] = stub(tool)
    return record(stub("device_program"), stub(tool), str(steps), **environment)


def notes(tables):
    return " ".join(str(row) for rows in tables.values() for row in rows)


class TensorFlowTest(unittest.TestCase):
    def test_ops_are_those_that_ran(self):
        output, tables = record_tensorflow("libfake_tensorflow.so", 4)
        self.assertEqual(output, "6 done\n")
        self.assertEqual(
            recorded.counts(tables["trace_ops"]),
            {
                "function/op": 3,
                "net/first": 4,
                "net/second": 4,
                "temporary/of_0": 2,
                "temporary/of_1": 2,
            },
        )
        for row in tables["trace_ops"]:
            self.assertGreater(row["min_ns"], 1_000_000, row)

    def test_asynchronous_ops_end_where_they_are_done(self):
        _, tables = record_tensorflow("libfake_tensorflow.so", 3)
        [row] = tables["trace_async_ops"]
        self.assertEqual((row["name"], row["count"]), ("net/third", 3))
        self.assertGreater(row["min_ns"], 2_000_000)

    def test_sessions_and_functions_are_steps_and_eager_ops_are_not(self):
        _, tables = record_tensorflow("libfake_tensorflow.so", 2)
        self.assertEqual(
            [row["count"] for row in tables["trace_sessions"]], [1, 2, 3, 4]
        )

    def test_ops_belong_to_the_steps_of_their_contexts(self):
        with_ids, _ = self.executions("libfake_tensorflow.so")
        self.assertEqual(with_ids, {1: 4, 2: 4, 3: 4, 4: 1, 5: 1})

    def test_without_step_ids_ops_belong_to_the_open_step(self):
        by_time, said = self.executions("libfake_tensorflow_layout.so")
        self.assertEqual(by_time, {1: 4, 2: 4, 3: 4, 4: 1, 5: 1})
        self.assertIn("the step ids of ops were not found", said)

    def executions(self, version):
        """Returns {step: executions}, and the notes.

        The three runs of the session have the numbers 1 to 3. The functions,
        whose numbers are random, follow.
        """
        with tempfile.TemporaryDirectory() as folder:
            recorded.run(
                built("record/libtfprof_record.so"),
                [stub("fake_program"), stub(version), "3"],
                folder,
            )
            rows = recorded.ask(binary, folder, "steps")["rows"]
            said = notes(recorded.status(binary, folder))
        return (
            {row["step"]: row["executions"] for row in rows if row["step"] > 0},
            said,
        )

    def test_memory_and_tensors_of_other_processes(self):
        _, tables = record_tensorflow("libfake_tensorflow.so", 1)
        self.assertEqual(
            [
                (row["name"], row["samples"], row["peak"], row["last"])
                for row in tables["trace_counters"]
            ],
            [
                ("cpu", 2, 4096, 0),
                (
                    "an_allocator_with_a_long_name_bfc",
                    3,
                    (1 << 20) + (1 << 16),
                    1 << 20,
                ),
            ],
        )
        [row] = tables["trace_requests"]
        self.assertEqual((row["requests"], row["answered"]), (1, 1))

    def test_memory_can_be_left_out(self):
        _, tables = record_tensorflow(
            "libfake_tensorflow.so", 1, TFPROF_RECORD_MEMORY="off"
        )
        self.assertNotIn("trace_counters", tables)

    def test_a_version_without_names_runs_and_the_recording_says_so(self):
        output, tables = record_tensorflow("libfake_tensorflow_no_names.so", 2)
        self.assertEqual(output, "4 done\n")
        self.assertNotIn("trace_ops", tables)
        self.assertIn("there is no OpKernel::TraceString", notes(tables))

    def test_a_version_with_other_devices_runs_and_the_recording_says_so(self):
        output, tables = record_tensorflow("libfake_tensorflow_device.so", 2)
        self.assertEqual(output, "4 done\n")
        self.assertNotIn("trace_ops", tables)
        self.assertIn("no op is recorded", notes(tables))

    def test_a_library_may_contain_tensorflow(self):
        output, tables = record_tensorflow("libembedded.so", 2)
        self.assertEqual(output, "4 done\n")
        self.assertEqual(recorded.counts(tables["trace_ops"])["net/first"], 2)

    def test_the_version_is_named(self):
        _, tables = record_tensorflow("libfake_tensorflow.so", 1)
        self.assertIn("TensorFlow 9.87: ops are recorded", notes(tables))


class DeviceTest(unittest.TestCase):
    """The launches of device_program.cc, through the stub of each tool."""

    # For each step: the number of kernels, and the nanoseconds of all.
    KERNELS = {
        "bias_kernel": (1, 2000),
        "gather_kernel": (2, 8000),
        "gemm_kernel": (1, 9000),
        "outside_kernel": (1, 1000),
    }
    OPS = {
        "net/dense": (1, 9000),
        "net/dense/bias": (1, 2000),
        "net/embed": (2, 8000),
        "": (1, 1000),
    }

    def check_work(self, tables, steps, kernels, copy, calls):
        """The kernels, copies and calls are those that were launched."""
        found = {"kernel": {}, "copy": {}}
        for row in tables["trace_activities"]:
            found[row["work"].rpartition(":")[2]][row["name"]] = (
                row["count"],
                row["total_ns"],
            )
        self.assertEqual(
            found,
            {
                "kernel": {
                    name: (n * steps, nanos * steps)
                    for name, (n, nanos) in kernels.items()
                },
                "copy": {copy: (steps, 1000 * steps)},
            },
        )
        self.assertEqual(
            recorded.counts(tables["trace_calls"], "call"),
            {calls[0]: 5 * steps, calls[1]: steps},
        )

    def check_ops(self, tables, steps):
        """Each kernel belongs to the op that was open where it was launched."""
        self.assertEqual(
            {
                row["op"]: (row["count"], row["total_ns"])
                for row in tables["trace_kernels_of_ops"]
            },
            {
                op: (n * steps, nanos * steps)
                for op, (n, nanos) in self.OPS.items()
            },
        )
        self.assertEqual(
            recorded.counts(tables["trace_links"], "rule", "kernels"),
            {"correlation": 4 * steps, "outside of ops": steps},
        )

    def check_clocks(self, tables, devices):
        """The bounds of a device's clock are as narrow as reading a clock."""
        clocks = tables["trace_clocks"]
        self.assertEqual(len(clocks), devices)
        for clock in clocks:
            self.assertEqual(clock["violations"], 0)
            self.assertNotEqual(clock["rule"], "unknown")
            self.assertGreaterEqual(clock["width_ns"], 0)
            self.assertLess(clock["width_ns"], 50_000)

    CUDA = ("cuda:cudaLaunchKernel_v7000", "cuda:cudaMemcpyAsync_v3020")
    HIP = ("hip:hipLaunchKernel", "hip:hipMemcpyAsync")

    def test_cuda(self):
        output, tables = record_device(
            "libstub_cupti.so", 3, "TFPROF_RECORD_CUPTI"
        )
        self.assertEqual(output, "3 steps\n")
        self.check_work(tables, 3, self.KERNELS, "Memcpy HtoD", self.CUDA)
        self.check_ops(tables, 3)
        # Its times are on the clock of the trace.
        self.assertNotIn("trace_clocks", tables)

    def test_cuda_before_11_6_has_a_clock_of_its_own(self):
        _, tables = record_device(
            "libstub_cupti_old.so", 4, "TFPROF_RECORD_CUPTI"
        )
        self.check_work(tables, 4, self.KERNELS, "Memcpy HtoD", self.CUDA)
        self.check_ops(tables, 4)
        self.check_clocks(tables, 2)

    def test_cuda_with_another_layout_is_refused(self):
        output, tables = record_device(
            "libstub_cupti_layout.so", 2, "TFPROF_RECORD_CUPTI"
        )
        self.assertEqual(output, "2 steps\n")
        self.assertEqual(
            {row["name"] for row in tables["trace_activities"]}, {"Memcpy HtoD"}
        )
        self.assertIn("have another layout", notes(tables))

    def test_hip(self):
        output, tables = record_device(
            "libstub_roctracer.so", 3, "TFPROF_RECORD_ROCTRACER"
        )
        self.assertEqual(output, "3 steps\n")
        self.check_work(tables, 3, self.KERNELS, "CopyHostToDevice", self.HIP)
        self.check_ops(tables, 3)
        self.check_clocks(tables, 2)

    def test_hip_before_4_1_does_not_name_kernels(self):
        _, tables = record_device(
            "libstub_roctracer_old.so", 2, "TFPROF_RECORD_ROCTRACER"
        )
        self.check_work(
            tables,
            2,
            {"KernelExecution": (5, 20_000)},
            "CopyHostToDevice",
            self.HIP,
        )
        self.check_ops(tables, 2)
        self.assertIn("does not name kernels", notes(tables))

    def test_level_zero(self):
        output, tables = record(stub("level_zero_program"), "3")
        self.assertEqual(output, "3 steps\n")
        work = {
            row["name"]: (row["work"], row["count"], row["total_ns"])
            for row in tables["trace_activities"]
        }
        self.assertEqual(
            work,
            {
                "relu_kernel": ("tfprof:kernel", 3, 12_000),
                "gemm_kernel": ("tfprof:kernel", 6, 48_000),
                "copy": ("tfprof:copy", 6, 48_000),
                "fill": ("tfprof:copy", 3, 6_000),
            },
        )
        # A list that is submitted again belongs to the op that does so.
        self.assertEqual(
            {
                row["op"]: (row["count"], row["total_ns"])
                for row in tables["trace_kernels_of_ops"]
            },
            {
                "net/now": (3, 12_000),
                "net/first": (3, 24_000),
                "net/second": (3, 24_000),
            },
        )
        self.assertEqual(
            recorded.counts(tables["trace_links"], "rule", "kernels"),
            {"correlation": 9},
        )
        self.check_clocks(tables, 1)
        self.assertIn("not been tested on hardware", notes(tables))

    def test_without_a_tool_the_program_runs_and_the_recording_says_so(self):
        for tool, variable in (("cupti", "CUPTI"), ("roctracer", "ROCTRACER")):
            output, tables = record(
                stub("device_program"),
                stub("libstub_%s.so" % tool),
                "1",
                **{"TFPROF_RECORD_" + variable: "/no/such/library.so"},
            )
            self.assertEqual(output, "1 steps\n")
            self.assertIn("was not found", notes(tables))
            self.assertNotIn("trace_activities", tables)

    def test_tools_can_be_left_out(self):
        for tool, variable in (("cupti", "CUPTI"), ("roctracer", "ROCTRACER")):
            _, tables = record(
                stub("device_program"),
                stub("libstub_%s.so" % tool),
                "1",
                **{"TFPROF_RECORD_" + variable: "off"},
            )
            self.assertNotIn("trace_activities", tables)
            self.assertNotIn("was not found", notes(tables))

    def test_drivers_find_the_recorder_in_the_environment(self):
        def variables(**environment):
            with tempfile.TemporaryDirectory() as parent:
                # The status is 1, because env does nothing that is recorded.
                output = subprocess.run(
                    [
                        binary,
                        "record",
                        "-o",
                        os.path.join(parent, "trace"),
                        "--",
                        "env",
                    ],
                    check=False,
                    capture_output=True,
                    text=True,
                    timeout=recorded.TIMEOUT,
                    env=dict(os.environ, **environment),
                ).stdout
            found = dict(
                line.split("=", 1)
                for line in output.splitlines()
                if "=" in line
            )
            return found["CUDA_INJECTION64_PATH"], found["HSA_TOOLS_LIB"]

        cuda, hsa = variables()
        self.assertRegex(cuda, "^/.*libtfprof_record.so$")
        self.assertEqual(hsa, cuda)
        # The driver of CUDA has one tool only, the runtime of HSA a list.
        cuda, hsa = variables(
            CUDA_INJECTION64_PATH="/a.so", HSA_TOOLS_LIB="/b.so"
        )
        self.assertEqual(cuda, "/a.so")
        self.assertRegex(hsa, "^/.*libtfprof_record.so /b.so$")

    def test_sources_that_were_not_tested_on_hardware_say_so(self):
        for tool, variable in (("cupti", "CUPTI"), ("roctracer", "ROCTRACER")):
            _, tables = record_device(
                "libstub_%s.so" % tool, 1, "TFPROF_RECORD_" + variable
            )
            self.assertIn("not been tested on hardware", notes(tables))
        _, tables = record_device(
            "libstub_cupti.so",
            1,
            "TFPROF_RECORD_CUPTI",
            STUB_TESTED_VERSION="1",
        )
        self.assertIn("CUPTI, version 130001", notes(tables))
        self.assertNotIn("hardware", notes(tables))


if __name__ == "__main__":
    sys.exit(junit_runner.main("sources"))
