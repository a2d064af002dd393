"""Each criterion of Docs/reference/acceptance.md has a test in Tests/Apps/AcceptanceTests, and each test has a criterion."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CRITERION = re.compile(r"^\* (\d{3}\.\d+) .+$", re.MULTILINE)
TEST = re.compile(r'(?:^ *// Criteria: (.+)\n)? *@Test\(\s*"((?:[^"\\]|\\.)*)"', re.MULTILINE)
DESIGNS = {"000", "001", "002", "003", "004", "005"}


def criteria(page: str) -> list[str]:
    """The numbers of a page's criteria."""
    return CRITERION.findall(page)


def tests(source: str) -> list[tuple[str, list[str]]]:
    """The title of each test of a Swift file, with the criteria that the comment above it names."""
    return [(title, named.split(", ") if named else []) for named, title in TEST.findall(source)]


class AcceptancePageTests(unittest.TestCase):
    page = criteria((ROOT / "Docs" / "reference" / "acceptance.md").read_text(encoding="utf-8"))
    sources = sorted((ROOT / "Tests" / "Apps" / "AcceptanceTests").glob("*.swift"))
    tests = [test for path in sources for test in tests(path.read_text(encoding="utf-8"))]

    def test_every_test_names_criteria_of_the_page(self) -> None:
        self.assertEqual([title for title, named in self.tests if not named or set(named) - set(self.page)], [])

    def test_every_criterion_has_a_test(self) -> None:
        covered = {number for _, named in self.tests for number in named}
        self.assertEqual([number for number in self.page if number not in covered], [])

    def test_titles_are_unique_and_begin_with_their_design(self) -> None:
        titles = [title for title, _ in self.tests]
        self.assertEqual(len(titles), len(set(titles)))
        self.assertEqual([title for title in titles if title[:3] not in DESIGNS], [])

    def test_criteria_are_numbered_without_gaps(self) -> None:
        for design in DESIGNS:
            numbers = [number for number in self.page if number.startswith(design)]
            self.assertEqual(numbers, [f"{design}.{count}" for count in range(1, len(numbers) + 1)])
            self.assertGreater(len(numbers), 10)

    def test_criteria_titles_and_comments_are_read(self) -> None:
        self.assertEqual(criteria("## 000\n\n* 000.1 a\n* b\n"), ["000.1"])
        source = '    // Criteria: 000.1, 001.2\n    @Test("a: b")\n    @Test(\n        "c", arguments: [1])'
        self.assertEqual(tests(source), [("a: b", ["000.1", "001.2"]), ("c", [])])


if __name__ == "__main__":
    unittest.main()
