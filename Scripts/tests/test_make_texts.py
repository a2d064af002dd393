"""Scripts/documentation/make-texts collects the texts of the account pages, and its files are up to date."""

import subprocess
import unittest

from script_loading import load

make = load("make-texts")


class PageTextTests(unittest.TestCase):
    SCREENS = {"Sign In": ["a", "b", "c", "d"], "Hello %@": ["%@", "%@", "%@", "%@"]}

    def collect(self, source, own=None):
        return make.collect([source], self.SCREENS, own or {})

    def test_texts_come_from_the_screens_and_from_the_pages(self):
        texts, problems = self.collect('say("Sign In"), say(\n  "Ours")', {"Ours": ["1", "2", "3", "4"]})
        self.assertEqual((texts, problems), ({"Ours": ["1", "2", "3", "4"], "Sign In": ["a", "b", "c", "d"]}, []))

    def test_every_gap_is_named(self):
        for source, own, problem in [
            ('say("New")', {}, "no translation of 'New'"),
            ('say("Ours")', {"Ours": ["1"]}, "'Ours' needs 4 translations with as many %@"),
            ('say("To %@")', {"To %@": ["1", "2", "3", "4"]}, "'To %@' needs 4 translations with as many %@"),
            ('say("Sign In")', {"Sign In": ["1", "2", "3", "4"]}, "pages.json: 'Sign In' is a text of the screens"),
            ("", {"Ours": ["1", "2", "3", "4"]}, "pages.json: no page says 'Ours'"),
        ]:
            with self.subTest(problem):
                self.assertEqual(self.collect(source, own)[1], [problem])

    def test_the_written_files_are_up_to_date(self):
        checked = subprocess.run([make.REPOSITORY / "Scripts/documentation/make-texts", "--check"], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
