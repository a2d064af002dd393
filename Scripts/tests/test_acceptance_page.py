"""Docs/reference/acceptance.md and Tests/Apps/AcceptanceTests name the same tests."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r"^\| (\d{3}\.\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
TITLE = re.compile(r'@Test\(\s*"((?:[^"\\]|\\.)*)"')
DESIGNS = {"000", "001", "002", "003", "004", "005"}


def rows(page: str) -> list[tuple[str, str, list[str]]]:
    """Number, criterion and the titles of its tests."""
    return [(number, criterion, tests.split("<br>")) for number, criterion, tests in ROW.findall(page)]


def titles(source: str) -> list[str]:
    """The titles of the tests of a Swift file."""
    return TITLE.findall(source)


class AcceptancePageTests(unittest.TestCase):
    page = rows((ROOT / "Docs" / "reference" / "acceptance.md").read_text(encoding="utf-8"))
    sources = sorted((ROOT / "Tests" / "Apps" / "AcceptanceTests").glob("*.swift"))
    tests = [title for path in sources for title in titles(path.read_text(encoding="utf-8"))]

    def test_every_test_on_the_page_exists(self) -> None:
        named = [title for _, _, tests in self.page for title in tests]
        self.assertEqual([title for title in named if title not in self.tests], [])

    def test_every_test_is_on_the_page(self) -> None:
        named = {title for _, _, tests in self.page for title in tests}
        self.assertEqual([title for title in self.tests if title not in named], [])

    def test_titles_are_unique_and_begin_with_their_design(self) -> None:
        self.assertEqual(len(self.tests), len(set(self.tests)))
        self.assertEqual([title for title in self.tests if title[:3] not in DESIGNS], [])

    def test_criteria_are_numbered_without_gaps(self) -> None:
        for design in DESIGNS:
            numbers = [number for number, _, _ in self.page if number.startswith(design)]
            self.assertEqual(numbers, [f"{design}.{count}" for count in range(1, len(numbers) + 1)])
            self.assertGreater(len(numbers), 10)

    def test_rows_and_titles_are_read(self) -> None:
        self.assertEqual(rows("| 000.1 | a | b<br>c |\n|---|---|---|\n"), [("000.1", "a", ["b", "c"])])
        self.assertEqual(titles('@Test("a: b")\n@Test(\n    "c", arguments: [1])'), ["a: b", "c"])


if __name__ == "__main__":
    unittest.main()
