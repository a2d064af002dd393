"""Examples/ is small, and its page lists all of it."""

import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent / "Examples"


class ExamplesTests(unittest.TestCase):
    def test_every_example_is_listed_and_has_sources(self):
        page = (ROOT / "README.md").read_text(encoding="utf-8")
        for folder in (path for path in ROOT.iterdir() if path.is_dir()):
            self.assertIn(f"| [{folder.name}]({folder.name}) |", page)
            self.assertTrue(list(folder.rglob("*.swift")), folder.name)

    def test_every_example_has_fewer_than_140_lines_besides_its_manifest(self):
        for folder in (path for path in ROOT.iterdir() if path.is_dir()):
            files = (path for path in folder.rglob("*.swift") if path.name != "Package.swift" and ".build" not in path.parts)
            self.assertLess(sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files), 140, folder.name)


if __name__ == "__main__":
    unittest.main()
