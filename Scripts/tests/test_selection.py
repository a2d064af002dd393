"""Scripts/selection.py leaves out only tests that read no changed file."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest

from script_loading import load
import selection
import stages
from selection import Package, Record, Selection

run_tests = load("run-tests")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SWIFT = """✔ Test "One and one" passed after 0.001 seconds.
✔ Test "Two and two" passed after 0.001 seconds.
✔ Test run with 2 tests in 1 suite passed after 0.003 seconds.
"""
AREAS = json.loads((ROOT / "Tests/External/areas.json").read_text())


def target(name, path, *needs, kind="library"):
    return {"name": name, "path": path, "type": kind, "target_dependencies": list(needs)}


PACKAGE = Package({"targets": [
    target("Wire", "Sources/Wire"), target("Store", "Sources/Store", "Wire"), target("Pages", "Sources/Pages", "Wire"),
    target("GatehouseCLI", "Sources/Program/GatehouseCLI", "Store", "Pages"), target("Screens", "Apps/One/Screens", "Wire"),
    target("One", "Apps/One", "Screens"), target("WireTests", "Tests/WireTests", "Wire", kind="test"),
    target("StoreTests", "Tests/StoreTests", "Store", kind="test"),
    target("ScreensTests", "Tests/ScreensTests", "Screens", kind="test"),
    target("webauthn-verdicts", "Tests/WebAuthnVerdicts"), target("session-explorer", "Tests/SessionExplorer", "Store"),
]})
FILES = {
    "swift": [("swift", "WireTests"), ("swift", "StoreTests"), ("postgresql", "StoreTests"), ("screens", "ScreensTests")],
    "external": ["test_golden", "test_pages", "test_crash"],
}


class SelectionTests(unittest.TestCase):
    def setUp(self):
        self.selection = Selection(PACKAGE, FILES, {"Sources/Pages/": ["test_pages"]})
        self.all = set(self.selection.targets)

    def test_a_source_concerns_the_tests_whose_targets_depend_on_it(self):
        concerned = self.selection.readers("Sources/Store/Rows.swift")
        self.assertEqual(
            {part for part in concerned if not part.startswith(("external ", "example "))},
            {"swift StoreTests", "postgresql StoreTests", "explorer"})

    def test_a_source_of_the_program_concerns_all_external_tests_unless_its_area_names_some(self):
        def external(path):
            return {part for part in self.selection.readers(path) if part.startswith("external ")}

        self.assertEqual(external("Sources/Store/Rows.swift"), {f"external {name}" for name in FILES["external"]})
        self.assertEqual(external("Sources/Pages/Page.swift"), {"external test_golden", "external test_pages"})
        self.assertEqual(external("Apps/One/Screens/Screen.swift"), set())

    def test_the_innermost_target_has_a_file(self):
        self.assertEqual(PACKAGE.target("Apps/One/Screens/Screen.swift"), "Screens")
        self.assertEqual(PACKAGE.target("Apps/One/App.swift"), "One")
        self.assertIsNone(PACKAGE.target("Apps/Two/App.swift"))

    def test_a_file_of_external_tests_concerns_itself_and_what_they_share_concerns_all_of_them(self):
        self.assertEqual(self.selection.readers("Tests/External/test_crash.py"), {"external test_crash"})
        self.assertEqual(
            self.selection.readers("Tests/External/program.py"),
            {part for part in self.all if part.startswith(("external ", "example "))})

    def test_a_file_that_nothing_is_known_of_concerns_everything(self):
        for path in ("Package.swift", "Package.resolved", "Scripts/stages.py", "Scripts/prepare.sh", "new", "Apps/Two/App.swift"):
            with self.subTest(path):
                self.assertEqual(self.selection.readers(path), self.all)

    def test_what_only_scripts_read_concerns_nothing_else(self):
        for path in ("CHANGELOG.md", "Benchmarks/run", "Scripts/tests/test_stages.py", "Scripts/checks/check-links"):
            with self.subTest(path):
                self.assertEqual(self.selection.readers(path), set())

    def test_only_what_passed_with_the_same_files_is_left_out(self):
        before = {"Sources/Pages/Page.swift": "1", "Sources/Store/Rows.swift": "1"}
        passed = dict.fromkeys(self.all - {"docs"}, before)
        self.assertEqual(self.selection.to_run(passed, before), {"docs"})
        self.assertEqual(self.selection.to_run({}, before), self.all)
        for now in ({**before, "Sources/Store/Rows.swift": "2"}, {"Sources/Pages/Page.swift": "1"},
                    {**before, "Sources/Store/New.swift": "1"}):
            with self.subTest(now):
                run = self.selection.to_run(passed, now)
                self.assertIn("swift StoreTests", run)
                self.assertNotIn("swift WireTests", run)

    def test_a_part_is_compared_with_its_own_last_pass(self):
        old, new = {"Sources/Store/Rows.swift": "1"}, {"Sources/Store/Rows.swift": "2"}
        passed = {**dict.fromkeys(self.all, new), "swift StoreTests": old, "swift WireTests": old}
        self.assertEqual(self.selection.to_run(passed, new), {"swift StoreTests"})


class RecordTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "kept", "passed.json")

    def test_it_keeps_what_passed_and_forgets_what_failed(self):
        Record(self.file).note({"a", "b"}, set(), {"x": "1"})
        Record(self.file).note({"c"}, {"b"}, {"x": "2"})
        self.assertEqual(Record(self.file).passed, {"a": {"x": "1"}, "c": {"x": "2"}})

    def test_a_damaged_record_means_that_nothing_passed(self):
        self.file.parent.mkdir()
        for content in ("", "{", "[]", '{"states": {}, "parts": {"a": "1"}}', '{"states": [], "parts": []}'):
            with self.subTest(content):
                self.file.write_text(content)
                self.assertEqual(Record(self.file).passed, {})


class VerdictTests(unittest.TestCase):
    PARTS = {"external test_a", "external test_b"}

    def verdicts(self, log, code=1, name="external"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "log")
        path.write_text(log)
        stage = stages.Stage(name, ("true",), read=stages.read_pytest)
        return selection.verdicts(self.PARTS, stages.Ended(stage, code, 1, stage.read(log), path))

    def test_the_files_of_failed_tests_fail(self):
        for line in ("FAILED Tests/External/test_b.py::test_c - assert 1", "ERROR Tests/External/test_b.py::test_c",
                     "FAILED ../Tests/External/test_b.py::test_c[1]"):
            with self.subTest(line):
                found = self.verdicts(f"F.\n{line}\n1 failed, 1 passed in 1.00s\n")
                self.assertEqual(found, ({"external test_a"}, {"external test_b"}))

    def test_everything_fails_if_the_log_does_not_tell(self):
        for log in ("1 failed, 1 passed in 1.00s\n", "FAILED Tests/External/test_b.py::test_c\n",
                    "FAILED Tests/External/test_z.py::test_c\n1 failed in 1.00s\n"):
            with self.subTest(log):
                self.assertEqual(self.verdicts(log), (set(), self.PARTS))
        self.assertEqual(self.verdicts("", code=None), (set(), self.PARTS))

    def test_all_of_a_stage_that_passed_passes(self):
        self.assertEqual(self.verdicts("..\n2 passed in 1.00s\n", code=0), (self.PARTS, set()))


class AreaTests(unittest.TestCase):
    def test_every_area_and_every_test_in_it_exists(self):
        files = {file.stem for file in ROOT.glob("Tests/External/test_*.py")}
        for beginning, tests in AREAS.items():
            with self.subTest(beginning):
                parent, _, rest = beginning.rpartition("/")
                self.assertTrue(list(ROOT.joinpath(parent).glob(f"{rest}*")))
                self.assertLessEqual(set(tests), files)
        self.assertLessEqual(set(selection.ALWAYS), files)

    def test_every_reader_reads_what_exists(self):
        for beginning, _ in (*selection.READERS, *selection.ALSO_READ):
            with self.subTest(beginning):
                parent, _, rest = beginning.rpartition("/")
                self.assertTrue(list(ROOT.joinpath(parent).glob(f"{rest}*")))


class RunTests(unittest.TestCase):
    """The run that `Scripts/run-tests` makes of a choice."""

    PARTS = ("swift ATests", "swift BTests", "external test_a", "external test_b", "docs")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.record = Record(pathlib.Path(folder.name, "passed.json"))

    def stage(self, name):
        return next(stage for stage in run_tests.STAGES if stage.name == name)

    def test_a_stage_runs_the_chosen_targets_or_files_and_says_how_many(self):
        mine = ["swift ATests", "swift BTests"]
        swift = run_tests.reduced(self.stage("swift"), mine, {"swift BTests"})
        self.assertEqual(swift.command[-2:], ("--filter", r"^(BTests)\."))
        self.assertEqual(swift.read(SWIFT).count, "2 passed, 1 of 2 targets")
        external = run_tests.reduced(self.stage("external"), ["external test_a", "external test_b"], {"external test_b"})
        self.assertEqual(external.command[-1], "Tests/External/test_b.py")
        self.assertFalse([word for word in external.command if word.startswith("--ignore")])
        self.assertIn("-n", external.command)
        self.assertEqual(run_tests.reduced(self.stage("swift"), mine, set(mine)), self.stage("swift"))
        self.assertIsNone(run_tests.reduced(self.stage("docs"), ["docs"], set()))

    def run_parts(self, run, *failing):
        made = [stages.Stage("build", ("true",))]
        for name in ("swift", "external", "docs"):
            made.append(stages.Stage(name, ("false",) if name in failing else ("true",), ("build",)))
        reduced, run_tests.reduced = run_tests.reduced, lambda stage, mine, run: stage if run & set(mine) else None
        self.addCleanup(setattr, run_tests, "reduced", reduced)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            code = run_tests.run_parts(made, self.PARTS, set(run), self.record, {"x": "1"})
        run_tests.reduced = reduced
        return code, printed.getvalue()

    def test_what_passed_is_noted_and_what_was_left_out_is_said(self):
        code, printed = self.run_parts({"swift ATests", "external test_a"})
        self.assertEqual(code, 0)
        self.assertEqual(set(Record(self.record.file).passed), {"swift ATests", "external test_a"})
        self.assertIn("docs                 left out\n", printed)
        self.assertTrue(printed.endswith(
            "Left out 3 parts, which read no file that changed since they passed; make test FULL=1 runs all.\n"), printed)

    def test_what_failed_runs_again(self):
        self.run_parts(self.PARTS)
        code, printed = self.run_parts(self.PARTS, "swift")
        self.assertEqual(code, 1)
        self.assertEqual(set(Record(self.record.file).passed), {"external test_a", "external test_b", "docs"})
        self.assertNotIn("Left out", printed)

    def test_a_stage_with_parts_is_one_that_selection_knows(self):
        package = Package({"targets": [*[target(name, f"Tests/{name}", kind="test") for name in (
            "GatehouseUITests", "AcceptanceTests", "AuthServerTests", "AccountStoreTests")],
            target("GatehouseCLI", "Sources/Program/GatehouseCLI")]})
        os.chdir(ROOT)
        found = run_tests.parts_of(package)
        self.assertEqual(set(found["swift"]), {
            ("screens", "GatehouseUITests"), ("screens", "AcceptanceTests"), ("postgresql", "AcceptanceTests"),
            ("swift", "AuthServerTests"), ("postgresql", "AuthServerTests"), ("swift", "AccountStoreTests")})
        self.assertIn("test_golden", found["external"])
        self.assertNotIn("test_example_package", found["external"])
        names = {stage.name for stage in run_tests.STAGES}
        self.assertLessEqual({part.split(" ")[0] for part in Selection(package, found, {}).targets} - {"docs"}, names)


if __name__ == "__main__":
    unittest.main()
