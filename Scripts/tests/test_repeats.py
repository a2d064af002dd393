"""Scripts/repeats.py reruns the failed tests of a stage alone. They count as passed only if all of them pass."""

import dataclasses
import json
import pathlib
import tempfile
import unittest

import script_loading  # noqa: F401  the folders of the scripts
import repeats
import stages
from stages import Stage
from test_stages import PYTEST


def event(kind, test):
    return json.dumps({"kind": "event", "payload": {"kind": kind, "testID": test}, "version": 0})


def ended(*failures, path=None, failed=1):
    stage = Stage("external", (".venv/bin/pytest", "-q", "-n", "6", "Tests/External"))
    return stages.Ended(stage, 1, 9, stages.Result(3, failed, 0, failures), pathlib.Path(path or "none"))


class CommandTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "file")

    def swift(self, text, failed):
        self.file.write_text(text)
        return repeats.swift_again(lambda *options: options, self.file)(ended(failed=failed))

    def test_swift_tests_with_an_issue_run_again_and_no_other(self):
        text = "\n".join([event("testStarted", "A.B/c()/B.swift:2:6"), event("issueRecorded", "A.B/d(of:)/B.swift:9:6")] * 2)
        self.assertEqual(self.swift(text, 1), ("--filter", r"^(A\.B/d\(of:\)/B\.swift:9:6)$"))

    def test_many_failures_do_not_run_again(self):
        text = "\n".join(event("issueRecorded", f"A.B/t{number}()/B.swift:{number}:6") for number in range(4))
        self.assertIsNone(self.swift(text, 4))
        self.file.unlink()
        self.assertIsNone(repeats.swift_again(lambda *options: options, self.file)(ended()))

    def test_a_program_that_ended_early_does_not_run_again(self):
        self.assertIsNone(self.swift(event("issueRecorded", "A.B/c()/B.swift:2:6"), 2))

    def test_a_stage_that_hung_runs_again_as_a_whole(self):
        hung = dataclasses.replace(ended(), waits=("This thread waits: a",))
        self.assertEqual(repeats.swift_again(lambda *options: options, self.file)(hung), hung.stage.command)

    def test_pytest_runs_the_named_tests_again(self):
        self.file.write_text(PYTEST)
        self.assertEqual(repeats.pytest_again(ended(path=self.file)), (".venv/bin/pytest", "-q", "test_a.py::test_signing_in"))
        self.assertIsNone(repeats.pytest_again(ended(path=self.file, failed=2)))

    def test_the_group_that_xdist_adds_to_a_name_is_not_part_of_it(self):
        name = "Tests/External/test_a.py::test_b[ada@example.org-c]"
        self.file.write_text(f"== short test summary info ==\nFAILED {name}@node killed - assert 1\n")
        groups = dataclasses.replace(ended(path=self.file).stage, command=("pytest", "--dist", "loadgroup", "Tests/External"))
        self.assertEqual(repeats.pytest_again(dataclasses.replace(ended(path=self.file), stage=groups)), ("pytest", "-q", name))

    def test_a_test_that_finds_lost_data_never_runs_again(self):
        self.file.write_text(PYTEST.replace("test_a.py", "test_crash.py"))
        self.assertIsNone(repeats.pytest_again(ended(path=self.file)))

    def test_a_test_with_spaces_and_dashes_in_its_name_keeps_them(self):
        name = "Tests/External/test_a.py::test_b[two words-1]"
        self.assertEqual(repeats.failed_pytest_tests(f"== short test summary info ==\nFAILED {name} - assert 1 - 1"), (name,))


class RunTests(unittest.TestCase):
    def run_twice(self, first, second):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lines = []
        stage = Stage("swift", ("sh", "-c", first), read=stages.read_pytest, again=lambda ended: ("sh", "-c", second))
        run = stages.Run([stage, Stage("other", ("true",))], pathlib.Path(folder.name, "logs"), tell=lines.append)
        return run.run(), lines

    def test_a_failure_that_passes_alone_is_reported_and_does_not_fail_the_run(self):
        both, lines = self.run_twice("echo '1 failed, 2 passed in 1.0s'; exit 1", "echo '1 passed in 1.0s'")
        self.assertTrue(all(each.has_passed for each in both))
        self.assertEqual([line.split()[0] for line in sorted(lines)], ["other", "swift", "swift-again"])
        closing = stages.closing_lines(both, 60)
        self.assertIn("These passed only alone", closing[0])
        self.assertEqual(closing[-2:], ["2 stages in 1:00, failed: none", "3 passed, 0 failed, 0 skipped"])

    def test_a_failure_that_fails_again_fails_the_run(self):
        for second in ("echo '1 failed in 1.0s'; exit 1", "true", "echo '1 passed in 1.0s'; exit 1", "echo '1 skipped in 1.0s'"):
            both, _ = self.run_twice("echo '1 failed, 2 passed in 1.0s'; exit 1", second)
            self.assertEqual([each.has_passed for each in both if each.stage.name == "swift"], [False], second)
            self.assertEqual(stages.closing_lines(both, 60)[-1], "2 passed, 1 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
