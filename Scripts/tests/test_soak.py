"""Tests/Soak/run writes a page with the measurements of each stage."""

import pathlib
import tempfile
import unittest

from script_loading import load
import stages

soak = load("../Tests/Soak/run")


class SoakTests(unittest.TestCase):
    def ended(self, name, log):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "log")
        path.write_text(log)
        stage = next(stage for stage in soak.STAGES if stage.name == name)
        return stages.Ended(stage, 0, 125, stage.read(log), path)

    def test_the_selections_of_tests_are_expressions(self):
        chosen = [stage.command[stage.command.index("-k") + 1] for stage in soak.STAGES if "-k" in stage.command]
        self.assertTrue(chosen)
        for each in chosen:
            with self.subTest(each):
                compile(each, "-k", "eval")

    def test_every_stage_on_the_page_exists(self):
        self.assertLessEqual(set(soak.SHOWS), {stage.name for stage in soak.STAGES})
        stages.Run(soak.STAGES, "unused")

    def test_figures_come_from_a_stages_output(self):
        for name, log, figures in (
            ("kills", "figure: 1,000 rounds\n.\n1 passed in 9.99s\n", "1,000 rounds"),
            ("kills", ".figure: 1,000 rounds\n1 passed in 9.99s\n", "1,000 rounds"),
            ("schedules", "explored 5 schedules\nfault a: seen\nfaults caught 1 of 1\n",
             "explored 5 schedules; faults caught 1 of 1"),
            ("requests", "figure: 9 requests, at most 8 ms of CPU (PUT /user) (200 4, 404 5)\n1 passed in 9.99s\n",
             "9 requests, at most 8 ms of CPU (PUT /user)"),
            ("damage", "....\n4 passed, 2 deselected in 3.21s\n", "4 passed"),
        ):
            with self.subTest(log):
                self.assertEqual(soak.figures(self.ended(name, log)), figures)

    def test_the_page_has_a_row_for_each_test_and_none_for_preparation(self):
        ended = [self.ended("build", ""), self.ended("kills", "figure: 7 rounds\n1 passed in 9.99s\n")]
        page = soak.page(soak.rows_of(ended, "abc, 2026-01-02"), "2 cores")
        rows = [line for line in page.splitlines() if line.startswith("* ")]
        self.assertEqual(rows, [f"* **kills** (2:05; abc, 2026-01-02): {soak.SHOWS['kills']} 7 rounds."])

    def test_a_single_stage_replaces_its_row(self):
        both = [self.ended("kills", "figure: 7 rounds\n1 passed in 9.99s\n"),
                self.ended("day", "figure: 24 hours\nTest run with 1 test in 1 suite passed")]
        before = soak.page(soak.rows_of(both, "abc, 2026-01-02"), "2 cores")
        again = soak.rows_of([self.ended("kills", "figure: 9 rounds\n1 passed in 9.99s\n")], "def, 2026-01-03")
        rows = soak.rows_on(soak.page({**soak.rows_on(before), **again}, "2 cores"))
        self.assertEqual(list(rows), ["kills", "day"])
        self.assertRegex(rows["kills"], r"\(2:05; def, 2026-01-03\): .* 9 rounds\.$")
        self.assertRegex(rows["day"], r"\(2:05; abc, 2026-01-02\): .* 24 hours\.$")

    def test_a_stage_that_failed_keeps_the_row_of_its_last_success(self):
        failed = self.ended("kills", "figure: 7 rounds\n1 failed in 9.99s\n")
        self.assertEqual(soak.rows_of([failed], "abc"), {})

    def test_a_stage_whose_tests_were_skipped_writes_no_row(self):
        self.assertEqual(soak.rows_of([self.ended("versions", "2 passed, 1 skipped in 9.99s\n")], "abc"), {})


if __name__ == "__main__":
    unittest.main()
