"""The changelog is for people who upgrade: short entries, each with few words."""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECTIONS = {
    "Upgrade notes", "Security", "Added", "Changed", "Fixed", "Removed", "Not there yet",
    # Of the first release, which has no earlier one to compare with.
    "Upgrade notes for development builds", "Server", "Emails and pages", "Gateway", "Swift client", "Program",
}


def entries(text):
    """The versions' entries: (heading, section, text without link targets)."""
    version = section = None
    for block in re.split(r"\n(?=## |### |- )", text):
        if block.startswith("## "):
            version, section = block.split("\n")[0][3:], None
        elif block.startswith("### "):
            section = block.split("\n")[0][4:]
        elif block.startswith("- "):
            yield version, section, re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split())[2:])


class ChangelogTests(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
            self.text = file.read()

    def test_a_release_has_at_most_120_lines(self):
        for release in re.split(r"\n(?=## )", self.text)[1:]:
            self.assertLessEqual(release.count("\n"), 120, release.split("\n")[0])

    def test_an_entry_is_in_a_known_section_and_has_at_most_40_words(self):
        found = list(entries(self.text))
        self.assertGreater(len(found), 40)
        for version, section, text in found:
            self.assertIn(section, SECTIONS, version)
            self.assertLessEqual(len(text.split()), 40, text)
            self.assertRegex(text, r"[.!]$|\)$|:$", text)

    def test_entries_are_read_with_their_sections(self):
        text = "# C\n\n## [1.0.0]\n\n### Added\n\n- One [two](three)\n  four.\n"
        self.assertEqual(list(entries(text)), [("[1.0.0]", "Added", "One two four.")])


if __name__ == "__main__":
    unittest.main()
