"""Scripts/stages.py runs stages in order, concurrently if allowed, and prints one line with the result of each."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import script_loading  # noqa: F401  the folders of the scripts
import stages
from stages import Stage

FOLDER = pathlib.Path(__file__).resolve().parent.parent
SWIFT = """◇ Test run started.
✔ Test "One and one" passed after 0.001 seconds.
➜ Test "For machines with a keyring" skipped.
✘ Test "Two are alike" recorded an issue with 1 argument kind → postgres at RuleTests.swift:12:9: Expectation failed: 1 == 2
↳ // What the rule says.
✘ Test "Two are alike" failed after 0.002 seconds with 1 issue.
✘ Test run with 3 tests in 1 suite failed after 0.003 seconds with 1 issue.
"""
PYTEST = """..F.s
=================================== FAILURES ===================================
_______________________________ test_signing_in ________________________________
    assert 1 == 2
E   assert 1 == 2
=========================== short test summary info ============================
FAILED test_a.py::test_signing_in - assert 1 == 2
1 failed, 3 passed, 1 skipped in 62.34s (0:01:02)
"""
HUNG = """Thread 3 (Thread 0x7fea36dfe6c0 (LWP 7) "-qos.overcommit"):
#0  0x00007fea37a75f36 in epoll_wait (epfd=3) at epoll_wait.c:30
#1  0x00007fea38555597 in _dispatch_event_loop_drain () from libdispatch.so

Thread 2 (Thread 0x7fea375ff6c0 (LWP 6) "default-qos"):
#0  __futex_abstimed_wait_common64 (private=0) at futex-internal.c:57
#1  0x00007fea38555d08 in _dispatch_sema4_wait () from libdispatch.so
#2  0x000055c1789d40ab in innermost(_:) ()
#3  0x000055c1789d33c9 in closure #1 in test() ()
#4  0x00007fea37dcae60 in swift::runJobInEstablishedExecutorContext(swift::Job*) ()
"""
UNITTEST = """.F
======================================================================
FAIL: test_links (test_a.Tests)
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.010s

FAILED (failures=1)
"""


def shell(name, text, **options):
    return Stage(name, ("sh", "-c", text), **options)


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.lines = pathlib.Path(folder.name, "logs"), []

    def run_all(self, *all_stages, cores=2):
        return {each.stage.name: each for each in stages.Run(all_stages, self.folder, cores, self.lines.append).run()}

    def test_each_stage_is_noted_as_soon_as_it_has_ended(self):
        noted = []
        both = [shell("a", "exit 0"), shell("b", "exit 1", after=("a",))]
        stages.Run(both, self.folder, tell=self.lines.append,
                   note=lambda ended: noted.append((ended.stage.name, ended.has_passed, len(self.lines)))).run()
        self.assertEqual(noted, [("a", True, 1), ("b", False, 2)])

    def test_a_stage_yields_by_its_niceness(self):
        log = pathlib.Path(self.folder, "a.log")
        group = pathlib.Path("/proc/self/autogroup")
        # From all users but root together, Linux takes one change of a group in a tenth of a second.
        for _ in range(100):
            self.run_all(shell("a", f"nice; [ ! -e {group} ] || cat {group}", niceness=7))
            if not group.exists() or "nice 7" in log.read_text():
                break
            time.sleep(0.1)
        self.assertEqual(log.read_text().split("\n")[0], str(min(19, os.nice(0) + 7)))
        if group.exists():
            self.assertIn("nice 7", log.read_text())

    def test_a_stage_waits_for_its_prerequisites(self):
        file = self.folder.parent / "made"
        ended = self.run_all(shell("use", f"cat {file}", after=("make",)), shell("make", f"echo made > {file}"))
        self.assertEqual(list(ended), ["make", "use"])
        self.assertTrue(ended["use"].has_passed)
        self.assertEqual(ended["use"].log.read_text(), "made\n")

    def test_stages_run_concurrently_while_cores_are_free(self):
        """Each of the two waits until the other one runs, so one after the other would not end."""
        mine, yours = self.folder.parent / "a", self.folder.parent / "b"
        meet = "touch {}; while [ ! -e {} ]; do :; done"
        ended = self.run_all(shell("a", meet.format(mine, yours)), shell("b", meet.format(yours, mine)))
        self.assertTrue(all(each.has_passed for each in ended.values()))

    def test_a_stage_that_keeps_all_cores_busy_runs_alone(self):
        note = self.folder.parent / "note"
        text = f"[ ! -e {note} ] && touch {note} && ls {note} && rm {note}"
        ended = self.run_all(*(shell(name, text, cores=2) for name in "abc"))
        self.assertEqual([each.code for each in ended.values()], [0, 0, 0])

    def test_a_failure_skips_only_dependent_stages(self):
        ended = self.run_all(
            shell("a", "echo no; exit 3"), shell("b", "true", after=("a",)), shell("c", "true", after=("b",)),
            shell("d", "true"))
        self.assertEqual({name: each.code for name, each in ended.items()}, {"a": 3, "b": None, "c": None, "d": 0})
        self.assertIn("not run", ended["c"].line)
        lines = stages.closing_lines(list(ended.values()), 65)
        self.assertIn("no", lines[0])
        self.assertEqual(lines[-2:], ["4 stages in 1:05, failed: a, b, c", "0 passed, 3 failed, 0 skipped"])

    def test_a_stage_that_hangs_is_ended_with_all_that_it_started(self):
        """The pipe ends when the last process does that has it open."""
        pipe = self.folder.parent / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        ended = self.run_all(shell("a", f"exec 3> {pipe}; sleep 600 & wait", limit_seconds=3))
        self.assertFalse(ended["a"].has_passed)
        self.assertIn("ended after", ended["a"].line)
        self.assertEqual(os.read(reader, 1), b"")

    def test_a_silent_stage_is_ended_and_the_report_says_what_it_waited_for(self):
        with unittest.mock.patch.object(stages, "LOOK_SECONDS", 0.1), \
                unittest.mock.patch.object(stages.hangs, "backtraces", lambda pid: HUNG):
            ended = self.run_all(shell("a", "echo begun; sleep 600", silence_seconds=0.5))["a"]
        self.assertIn("of silence", ended.line)
        self.assertIn("begun", ended.report)
        self.assertIn("This thread waits: innermost(_:) < closure #1 in test()", ended.report.splitlines()[-1])

    def test_tests_that_keep_databases_fail(self):
        result = stages.read_swift_testing(SWIFT + "leak: pages() keeps 13 databases\n")
        self.assertEqual(result.failed, 2)
        self.assertIn("leak: pages() keeps 13 databases", result.failures)

    def test_a_stage_that_hung_runs_again_as_a_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f"test -e {folder}/second || {{ touch {folder}/second; sleep 600; }}; echo 'Test run with 7 tests in 1 suite passed'"
            stage = shell("a", script, silence_seconds=0.5, read=stages.read_swift_testing,
                          again=lambda ended: ended.stage.command if ended.waits is not None else None)
            with unittest.mock.patch.object(stages, "LOOK_SECONDS", 0.1), \
                    unittest.mock.patch.object(stages.hangs, "backtraces", lambda pid: HUNG):
                ended = self.run_all(stage)
        self.assertTrue(ended["a"].has_passed)
        lines = stages.closing_lines(list(ended.values()), 65)
        self.assertIn("innermost", lines[0])
        self.assertEqual(lines[-1], "7 passed, 0 failed, 0 skipped")

    def test_a_terminated_run_ends_its_stages(self):
        """The pipe ends when the stage's process does; a process id stays as long as the system lets it."""
        pipe, ready = self.folder.parent / "pipe", self.folder.parent / "ready"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        text = (
            "import stages; stages.run_and_report([stages.Stage('a', ('sh', '-c', 'exec 3> "
            f"{pipe}; touch {ready}; exec sleep 600'))], {str(self.folder)!r})")
        program = subprocess.Popen([sys.executable, "-c", text], cwd=FOLDER, stderr=subprocess.DEVNULL)
        while not ready.exists():
            self.assertIsNone(program.poll())
            time.sleep(0.01)
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(60), 143)
        self.assertEqual(os.read(reader, 1), b"")

    def test_a_table_with_a_name_that_is_missing_or_twice_is_refused(self):
        for wrong in ([shell("a", "true", after=("b",))], [shell("a", "true"), shell("a", "true")]):
            with self.assertRaises(AssertionError):
                stages.Run(wrong, self.folder)


class NeededTests(unittest.TestCase):
    table = [shell("a", ""), shell("b", "", after=("a",)), shell("c", "", after=("b",)), shell("d", "")]

    def names(self, *wanted):
        return "".join(stage.name for stage in stages.needed(self.table, wanted))

    def test_a_stage_includes_its_prerequisites(self):
        self.assertEqual([self.names("c"), self.names("d", "b"), self.names()], ["abc", "abd", "abcd"])

    def test_an_unknown_name_is_reported_with_the_known_ones(self):
        with self.assertRaisesRegex(SystemExit, "no stage 'e'; the stages are a, b, c, d"):
            self.names("e")


class ReadingTests(unittest.TestCase):
    def test_swift_testing(self):
        result = stages.read_swift_testing(SWIFT)
        self.assertEqual((result.passed, result.failed, result.skipped), (1, 1, 1))
        self.assertIn("1 == 2", result.failures[0])
        self.assertIn("What the rule says", result.failures[0])
        self.assertEqual(result.count, "1 passed, 1 failed, 1 skipped")

    def test_a_filter_that_fits_no_test_is_a_failure(self):
        log = "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.\n"
        self.assertEqual(stages.read_swift_testing(log).failed, 1)

    def test_a_swift_test_that_hangs_is_named(self):
        log = ('◇ Test "Two nodes" started.\n◇ Test refreshes() started.\n✔ Test refreshes() passed after 0.1 seconds.\n'
               '◇ Test "Three" started.\n✔ Test "Three" with 1 test case passed after 0.1 seconds.\n'
               '◇ Test case passing 1 argument to "Two nodes" started.\n')
        result = stages.read_swift_testing(log)
        self.assertEqual(result.failures, ("The log has no summary of its tests.", 'This test has not ended: "Two nodes"'))

    def test_pytest(self):
        result = stages.read_pytest(PYTEST)
        self.assertEqual((result.passed, result.failed, result.skipped), (3, 1, 1))
        self.assertIn("E   assert 1 == 2", result.failures[0])

    def test_unittest(self):
        result = stages.read_unittest(UNITTEST)
        self.assertEqual((result.passed, result.failed), (1, 1))
        self.assertIn("AssertionError: 1 != 2", result.failures[0])

    def test_build(self):
        line = "A.swift:1:2: error: cannot find 'a' in scope"
        self.assertEqual(stages.read_build(f"[1/2] Compiling A\n{line}\n{line}\nwarning: b\n").failures, (line,))

    def test_a_log_without_a_summary_is_a_failure(self):
        """A program that ends with 0 before its tests are done has not passed."""
        for read in (stages.read_swift_testing, stages.read_pytest, stages.read_unittest):
            for log in ("Segmentation fault\n", "Ran 0 tests in 0.000s\n"):
                self.assertEqual(read(log).failed, 1)
        self.assertEqual(stages.read_build("Segmentation fault\n"), stages.Result())


if __name__ == "__main__":
    unittest.main()
