"""Scripts/documentation/make-texts checks the string catalogues, collects their texts, and its files are up to date."""

import json
import subprocess
import unittest

from script_loading import load

make = load("make-texts")
# Fewer than the catalogues have.
make.LANGUAGES = ["es", "de", "ja", "ar"]


def forms(text, *translations):
    return {"en": text} | dict(zip(make.LANGUAGES, translations or [text] * 4))


class TextTests(unittest.TestCase):
    def collect(self, screens=(), pages=(), emails=(), source="", link_page="", screen_source=None):
        """Each text is its own translation."""
        catalogues = {"Localizable": screens, "Pages": pages, "Emails": emails}
        catalogues = {name: texts if isinstance(texts, dict) else {text: forms(text) for text in texts}
                      for name, texts in catalogues.items()}
        used = "".join(f'"{text}"' for text in screens) if screen_source is None else screen_source
        return make.collect(catalogues, [used], [source], link_page)

    def test_a_catalogue_has_a_source_text_or_its_key_is_one(self):
        unit = {"stringUnit": {"state": "translated", "value": "Weiter"}}
        catalogue = {"strings": {"Go On": {"localizations": {"de": unit}}, "go.on": {"localizations": {"en": unit}}}}
        self.assertEqual(make.texts(catalogue), {"Go On": {"en": "Go On", "de": "Weiter"}, "go.on": {"en": "Weiter"}})

    def test_plural_forms_have_one_for_all_other_numbers(self):
        def plural(**forms):
            return {"variations": {"plural": {name: {"stringUnit": {"value": text}} for name, text in forms.items()}}}
        catalogue = {"strings": {"%lld": {"localizations": {"de": plural(one="Eins", other="%lld"), "ja": plural(one="1")}}}}
        self.assertEqual(make.texts(catalogue), {"%lld": {"en": "%lld", "de": "%lld", "ja": None}})

    def test_texts_come_from_the_screens_and_from_the_pages(self):
        pages, mails, problems = self.collect(
            screens={"Sign In": forms("Sign In", "a", "b", "c", "d")}, pages=["Ours", "Mailed"], emails={"a.b": forms("{app}")},
            source='say("Sign In"), say(\n  "Ours")', link_page='"\\(say("Mailed"))"')
        self.assertEqual(problems, [])
        self.assertEqual(json.loads(pages), {
            "languages": ["es", "de", "ja", "ar"], "texts": {"Ours": ["Ours"] * 4, "Sign In": ["a", "b", "c", "d"]}})
        self.assertEqual(json.loads(mails), {
            "languages": ["en", "es", "de", "ja", "ar"], "texts": {"Mailed": ["Mailed"] * 5, "a.b": ["{app}"] * 5}})

    def test_a_long_text_may_be_in_two_lines(self):
        self.assertEqual(make.said(['say(\n    """\n    One, \\\n    two.\n    """)']), {"One, two."})
        self.assertEqual(make.literals(['"One, "\n    + "two \\(a(b(c), "d")) of \\(e)."']), {"One, two %@ of %@."})

    def test_every_gap_is_named(self):
        languages = "en, es, de, ja, ar"
        for catalogues, problem in [
            ({"source": 'say("New")'}, "no catalogue has 'New'"),
            ({"link_page": 'say("New")'}, "no catalogue has 'New'"),
            ({"screens": {"A": forms("A", "1")}}, f"Localizable: 'A' needs one text in each of {languages}"),
            ({"emails": {"a.b": forms("A") | {"fr": "A"}}}, f"Emails: 'a.b' needs one text in each of {languages}"),
            ({"emails": {"a.b": forms("A") | {"ja": None}}}, f"Emails: 'a.b' needs one text in each of {languages}"),
            ({"screens": {"%@": forms("%@", "1", "%@", "%@", "%@")}}, "Localizable: '%@' has other placeholders in a translation"),
            ({"emails": {"a.b": forms("{a} {b}", "{b} {a}", "{a} {b}", "{a}", "{a} {b}")}},
             "Emails: 'a.b' has other placeholders in a translation"),
            ({"screens": {"%lld": forms("%lld", "%@", "%lld", "%lld", "%lld")}},
             "Localizable: '%lld' has other placeholders in a translation"),
            ({"screens": ["A"], "pages": ["A"], "source": 'say("A")'}, "Pages: 'A' is a text of Localizable"),
            ({"screens": ["A"], "screen_source": '"B"'}, "Localizable: nothing says 'A'"),
            ({"pages": ["A"], "source": '"A"'}, "Pages: nothing says 'A'"),
        ]:
            with self.subTest(problem):
                self.assertEqual(self.collect(**catalogues)[2], [problem])

    def test_the_written_files_are_up_to_date(self):
        checked = subprocess.run([make.REPOSITORY / "Scripts/documentation/make-texts", "--check"], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
