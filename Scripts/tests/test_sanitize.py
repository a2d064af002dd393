"""Scripts/sanitize finds the sanitizers' reports beside the failed tests."""

import re
import unittest

from script_loading import load
import stages

sanitize = load("sanitize")
PASSED = "Test run with 7 tests in 2 suites passed after 1 seconds.\n"
RACE = """==================
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 8 at 0x1 by thread T2:
    #0 someFunction File.swift:1
SUMMARY: ThreadSanitizer: data race File.swift:1 in someFunction
==================
"""
OVERFLOW = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n    #0 someFunction\n"


class SanitizeTests(unittest.TestCase):
    def test_reports_are_failures(self):
        for log, passed, failed in ((PASSED, 7, 0), (RACE + PASSED, 7, 1), (RACE + RACE + PASSED, 7, 2)):
            with self.subTest(log):
                result = sanitize.read_sanitized(log)
                self.assertEqual((result.passed, result.failed), (passed, failed))
        self.assertIn("someFunction", sanitize.read_sanitized(RACE + PASSED).failures[0])

    def test_an_address_error_ends_the_tests_early(self):
        result = sanitize.read_sanitized(OVERFLOW)
        self.assertEqual(result.failed, 2)
        self.assertIn("heap-buffer-overflow", "".join(result.failures))

    def test_each_sanitizer_builds_in_its_own_folder(self):
        names = [stage.name for name in sanitize.OPTIONS for stage in sanitize.stages_of(name)]
        self.assertEqual(names, ["thread-build", "thread", "address-build", "address"])
        stages.Run([stage for name in sanitize.OPTIONS for stage in sanitize.stages_of(name)], "unused")

    def test_the_stand_in_has_every_atomic_operation_of_the_sources(self):
        used = re.compile(r"\.(\w+)\((?:[^()]*, )?ordering: \.(\w+)\)")
        uses = {use for file in (sanitize.ROOT / "Sources").rglob("*.swift") for use in used.findall(file.read_text())}
        self.assertIn(("load", "relaxed"), uses)
        stand_in = (sanitize.ROOT / "Tests/Support/PosixSynchronization/Synchronization.swift").read_text()
        operations = re.findall(r"func (\w+)\(", stand_in)
        orderings = re.search(r"enum AtomicOrdering: Sendable \{ case (.*?) \}", stand_in).group(1).split(", ")
        for operation, ordering in uses:
            with self.subTest(operation, ordering=ordering):
                self.assertIn(operation, operations)
                self.assertIn(ordering, orderings)


if __name__ == "__main__":
    unittest.main()
