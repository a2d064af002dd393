"""Scripts/fuzz reports libFuzzer's results, and names the same targets as the Swift code."""

import pathlib
import re
import unittest

from script_loading import load

fuzz = load("fuzz")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class FuzzTests(unittest.TestCase):
    def test_figures_are_read_from_the_log(self):
        log = "#2\tINITED cov: 10 ft: 12\n#900\tNEW    cov: 1234 ft: 99\n#1000\tDONE   cov: 1240 ft: 99\nDone 1000 runs in 5 second(s)\n"
        self.assertEqual(fuzz.figure("json", log), "json 1,000 inputs, 1,240 edges")
        self.assertEqual(fuzz.figure("json", "#2\tINITED cov: 10\n==json== slow: 9 ms"), "json ended early")

    def test_every_target_has_a_corpus(self):
        text = (ROOT / "Tests" / "Fuzz" / "Targets" / "FuzzTarget.swift").read_text(encoding="utf-8")
        cases = re.search(r"^    case (.*)$", text, re.MULTILINE).group(1).split(", ")
        self.assertEqual(sorted(cases), sorted(folder.name for folder in (ROOT / fuzz.CORPUS).iterdir()))


if __name__ == "__main__":
    unittest.main()
