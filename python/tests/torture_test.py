"""Nothing may hang a program, or leave a process of it running."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

from places import RESNET

import tfprof


def children(of="self"):
    """The process ids of a process's children."""
    tasks = Path(f"/proc/{of}/task")
    return {
        int(pid)
        for task in tasks.iterdir()
        for pid in (task / "children").read_text().split()
    }


def run(code, *arguments):
    """Runs a program in Python that opens RESNET; it must end in a minute."""
    code = f"import tfprof\nRESNET = {str(RESNET)!r}\n" + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
    )


class ChildTest(unittest.TestCase):
    def setUp(self):
        self.before = children()

    def own(self):
        return children() - self.before

    def test_a_killed_child_is_a_clear_error_and_comes_back(self):
        with tfprof.open(RESNET) as profile:
            (child,) = self.own()
            os.kill(child, signal.SIGKILL)
            with self.assertRaisesRegex(tfprof.EngineError, "SIGKILL"):
                profile.op()
            self.assertEqual(len(profile.op()), 36)
            self.assertEqual(len(self.own()), 1)
        self.assertEqual(self.own(), set())

    def test_a_profile_that_is_forgotten_leaves_no_process(self):
        for _ in range(3):
            tfprof.open(RESNET)
        end = time.monotonic() + 10
        while self.own() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(self.own(), set())

    def test_an_exception_in_the_loop(self):
        with self.assertRaises(ZeroDivisionError):
            with tfprof.open(RESNET) as profile:
                for _ in profile.op():
                    1 / 0
        self.assertEqual(self.own(), set())

    def test_a_closed_profile_says_so(self):
        profile = tfprof.open(RESNET)
        profile.close()
        profile.close()
        with self.assertRaisesRegex(tfprof.EngineError, "closed"):
            profile.op()

    def test_twenty_threads(self):
        results, errors = [], []

        def ask(number):
            try:
                for _ in range(3):
                    rows = profile.op(max_depth=number).rows
                    results.append((number, len(rows)))
            except Exception as error:
                errors.append(error)

        with tfprof.open(RESNET) as profile:
            threads = [
                threading.Thread(target=ask, args=[n], daemon=True)
                for n in range(1, 21)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
        self.assertEqual(errors, [])
        # Each thread has the answer to its own question.
        self.assertEqual({rows - number for number, rows in results}, {1})
        self.assertEqual(len(results), 60)


class ProcessTest(unittest.TestCase):
    def test_the_end_of_the_interpreter_ends_the_child(self):
        done = run("""
            profile = tfprof.open(RESNET)
            print(profile._engine._child.process.pid)
            """)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(Path(f"/proc/{int(done.stdout)}").exists())

    def test_parent_and_forked_child_both_ask(self):
        done = run("""
            import os, signal
            signal.alarm(50)
            profile = tfprof.open(RESNET)
            profile.op()
            child = os.fork()
            rows = len(profile.op())
            assert rows == 36, rows
            if not child:
                profile.close()
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert len(profile.op()) == 36
            """)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_full_disk_is_an_error_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(
                """
                import resource, signal, sys
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
                profile = tfprof.open(RESNET)
                for write in (profile.save, profile.timeline().save):
                    try:
                        write(sys.argv[1] + "/file.html")
                        print("written")
                    except (tfprof.Error, OSError) as error:
                        print("error")
                print(len(profile.op()))
                """,
                folder,
            )
            self.assertEqual(done.stdout, "error\nerror\n36\n", done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_an_interrupt_while_it_asks(self):
        done = run("""
            import os, signal, threading, time
            signal.alarm(50)
            profile = tfprof.open(RESNET)
            threading.Timer(
                0.3, lambda: os.kill(os.getpid(), signal.SIGINT)
            ).start()
            try:
                while True:
                    profile.scope(select=["micros", "bytes"])
            except KeyboardInterrupt:
                print("interrupted", len(profile.op()))
            """)
        self.assertEqual(done.stdout, "interrupted 36\n", done.stderr)

    def test_no_program_is_a_clear_error(self):
        done = run("""
            import os
            os.environ["TFPROF_BINARY"] = "/no/such/program"
            try:
                tfprof.open(RESNET)
            except tfprof.EngineError as error:
                print(error)
            """)
        self.assertIn("/no/such/program", done.stdout)

    def test_importing_imports_no_other_package(self):
        done = run("""
            import sys
            heavy = {"tensorflow", "jax", "torch", "pandas", "matplotlib",
                     "IPython", "json", "subprocess", "tfprof._engine.profile"}
            print(heavy & set(sys.modules))
            """)
        self.assertEqual(done.stdout, "set()\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
