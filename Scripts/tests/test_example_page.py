"""Every piece of Swift on the pages for app developers is code that the tests compile."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = [ROOT / "Tests" / "Example" / "Package.swift"] + [
    path for folder in ("Sources", "Tests") for path in sorted((ROOT / "Tests" / "Example" / folder).rglob("*.swift"))]
# Page -> the sources that its code is in.
PAGES = {
    "Docs/sign-in-in-ten-minutes.md": EXAMPLE,
    "Docs/own-screens.md": EXAMPLE,
    "Docs/own-fields.md": EXAMPLE,
    "Docs/second-factors.md": EXAMPLE,
    "Docs/sessions.md": EXAMPLE,
    "Docs/telemetry.md": EXAMPLE,
    "README.md": [ROOT / "Tests" / "Apps" / "AcceptanceTests" / "TenLineApp.swift"],
}
FENCE = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(text):
    """The significant lines of a piece of code, without indentation and blank lines, comments between declarations, and
    the mark of a program, which a library cannot have."""
    kept = (line.strip() for line in text.splitlines() if not line.startswith("// "))
    return [line.removeprefix("@main ") for line in kept if line]


def is_within(piece, source):
    wanted, given = lines(piece), lines(source)
    return any(given[start : start + len(wanted)] == wanted for start in range(len(given) - len(wanted) + 1))


def strays(page, sources):
    """The pieces of a page that no source contains in one place."""
    return [piece for piece in FENCE.findall(page) if not any(is_within(piece, source) for source in sources)]


class ExamplePageTests(unittest.TestCase):
    def test_every_piece_is_code_that_is_compiled(self):
        for name, paths in PAGES.items():
            with self.subTest(name):
                page = (ROOT / name).read_text(encoding="utf-8")
                sources = [path.read_text(encoding="utf-8") for path in paths]
                self.assertTrue(sources and FENCE.findall(page))
                self.assertEqual(strays(page, sources), [])

    def test_a_piece_that_is_in_no_source_is_found(self):
        source = "import D\n\n// A comment.\n/// Another.\nstruct A: App {\n    let b: Int\n\n    let c: Int\n}\n"
        for piece, is_code in (
            ("let b: Int\nlet c: Int\n", True), ("        let c: Int\n", True), ("let c: Int\nlet b: Int\n", False),
            ("let b: Int\n}\n", False), ("let b: String\n", False), ("struct A: App {\n    let b\n", False),
            ("@main struct A: App {\n", True), ("struct A: App {\n", True), ("@MainActor struct A: App {\n", False),
        ):
            with self.subTest(piece):
                found = strays(f"Text\n\n```swift\n{piece}```\n\n```sh\nnot Swift\n```\n", ["import B\n", source])
                self.assertEqual(found, [] if is_code else [piece])


if __name__ == "__main__":
    unittest.main()
