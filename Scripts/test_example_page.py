"""Every piece of Swift on Docs/sign-in-in-ten-minutes.md is code of Tests/Example, which the tests compile."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Docs" / "sign-in-in-ten-minutes.md"
EXAMPLE = ROOT / "Tests" / "Example"
FENCE = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(text):
    """The significant lines of a piece of code, without indentation and blank lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def is_within(piece, source):
    wanted, given = lines(piece), lines(source)
    return any(given[start : start + len(wanted)] == wanted for start in range(len(given) - len(wanted) + 1))


def strays(page, sources):
    """The pieces of a page that no source contains in one place."""
    return [piece for piece in FENCE.findall(page) if not any(is_within(piece, source) for source in sources)]


class ExamplePageTests(unittest.TestCase):
    def test_every_piece_is_code_of_the_example(self):
        page = PAGE.read_text(encoding="utf-8")
        paths = [EXAMPLE / "Package.swift"]
        paths += [path for folder in ("Sources", "Tests") for path in sorted((EXAMPLE / folder).rglob("*.swift"))]
        sources = [path.read_text(encoding="utf-8") for path in paths]
        self.assertGreater(len(FENCE.findall(page)), 10)
        self.assertEqual(strays(page, sources), [])

    def test_a_piece_that_is_in_no_source_is_found(self):
        source = "struct A {\n    let b: Int\n\n    let c: Int\n}\n"
        for piece, is_code in (
            ("let b: Int\nlet c: Int\n", True), ("        let c: Int\n", True), ("let c: Int\nlet b: Int\n", False),
            ("let b: Int\n}\n", False), ("let b: String\n", False), ("struct A {\n    let b\n", False),
        ):
            with self.subTest(piece):
                found = strays(f"Text\n\n```swift\n{piece}```\n\n```sh\nnot Swift\n```\n", ["import B\n", source])
                self.assertEqual(found, [] if is_code else [piece])


if __name__ == "__main__":
    unittest.main()
