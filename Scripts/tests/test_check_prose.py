"""Scripts/checks/check-prose finds its phrases in prose, and only there."""

import os
import pathlib
import unittest

from script_loading import load

prose = load("check-prose")
SOURCE = "Sources/Server/AuthServer/Routes/Token.swift"


def found(source, path=SOURCE):
    """(line, phrase) of every finding."""
    return [(line, phrase) for line, phrase, _, _ in prose.check(path, source)]


class PhraseTests(unittest.TestCase):
    def test_each_phrase_is_found(self):
        examples = (
            ("Each code counts once.", "counts"),
            ("A refusal always counts.", "counts"),
            ("It works so that nobody can sign in.", "nobody"),
            ("A secret begins with its number, in a file, too.", ", too"),
            ("A key beside a token.", "beside"),
            ("Twenty at once.", "at once"),
            ("The browser has the cookie of before.", "of before"),
            ("The branch starts anew.", "anew"),
            ("Mails that arrive meanwhile.", "meanwhile"),
            ("The request goes on.", "goes on"),
            ("The row stays behind.", "stays behind"),
            ("The export takes along the passkeys.", "takes along"),
            ("The block is given back.", "gives back"),
            ("The code stands for the password.", "stands for"),
            ("Another session has a limit of its own.", "of its own"),
            ("Markup of ours.", "of ours"),
            ("The time tells nothing.", "tells nothing"),
            ("A header that is believed.", "believed"),
            ("The hook hears of passwords.", "hears of"),
            ("What a page says.", "What …"),
            ("It does nothing but wait.", "nothing but"),
            ("An administrator makes accounts.", "makes"),
            ("Lost: the reason.", "Lost:"),
            ("Ignored: the error if the key is unreadable.", "Ignored: the error if"),
        )
        for text, phrase in examples:
            self.assertEqual(found(f"/// {text}\n"), [(1, phrase)], text)
        tested = {phrase for _, phrase in examples} | {"Whether …"}
        self.assertEqual(tested, {phrase for phrase, _, _ in prose.PHRASES})

    def test_good_english_is_not(self):
        for text in (
            "Each failed attempt counts against the address.", "The table counts rows.", "What is a session?",
            "A token from before the second factor.", "Whether the request continues.", "Its own limit.",
            "It is too long.", "Ignored: the next read reports it.", "The user makes changes.", "Besides the code.",
        ):
            self.assertEqual(found(f"/// {text}\n"), [], text)

    def test_descriptions_in_pages_begin_with_the_effect(self):
        for text in ("Whether sign-ups are disabled.", "| `a` | flag | Whether sign-ups are disabled. |"):
            self.assertEqual(found(text + "\n", "Docs/a.md"), [(1, "Whether …")], text)


class PlaceTests(unittest.TestCase):
    def test_comments_of_every_language(self):
        for path, line in (
            ("a.swift", "let a = 1  // At most two at once."), ("a.swift", "    - /// - Returns: nil at once."),
            ("a.swift", "/// - Parameter limit: How many run at once."), ("a.py", "# Two at once."),
            ("Scripts/run", "    a()  # Two at once."),
        ):
            self.assertEqual(found(line + "\n", path), [(1, "at once")], line)

    def test_code_is_not_prose(self):
        for path, text in (
            ("a.swift", 'let a = "two at once"\n'), ("a.swift", "/// - Parameter meanwhile: Runs first.\n"),
            ("a.swift", "/// Calls `beside` and ``Queue/run(beside:)``.\n"), ("a.md", "`beside`\n"),
            ("a.swift", "/// ```\n/// run(beside: a)\n/// ```\n"), ("a.md", "```sh\nrun --at once at once\n```\n"),
            ("a.swift", 'let a = "// at once"\n'), ("a.py", 'a = "beside"\n'),
        ):
            self.assertEqual(found(text, path), [], text)

    def test_prose_after_code_is_found(self):
        self.assertEqual(found("```\nbeside\n```\nbeside\n", "a.md"), [(4, "beside")])

    def test_help_of_commands(self):
        source = 'static let a = B(commandName: "a", abstract: "Tries mails at once.")\n@Flag(help: "Two at once.") var c = 1\n'
        self.assertEqual(found(source), [(1, "at once"), (2, "at once")])

    def test_english_texts_of_catalogues(self):
        source = '    "Nobody is \\"in\\"." : {\n      "comment" : "nobody",\n    "Delete it, too." : {\n'
        self.assertEqual(found(source, "a.xcstrings"), [(1, "nobody")])

    def test_reviewed_texts_are_in_a_catalogue(self):
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        sources = [path.read_text(encoding="utf-8") for path in (root / "Sources").rglob("*.xcstrings")]
        texts = {text for source in sources for _, text in prose.sentences("a.xcstrings", source)}
        for text in prose.REVIEWED:
            self.assertIn(text, texts)
            self.assertEqual(found(f'    "{text}" : {{\n', "a.xcstrings"), [])


class SubjectTests(unittest.TestCase):
    def test_subjects_name_the_change(self):
        for subject in (
            "Let accounts without a time count as older", "Import: give codes to nobody", "Added a limit",
            "Docs: fixes a link", "Seal the secrets anew",
        ):
            self.assertNotEqual(prose.check_subject(subject), [], subject)
        for subject in (
            "Import: keep pre-MFA refresh tokens at aal1", "Fix paging past accounts created before year 1",
            "Add a limit", "Embed the schema", "Address three findings",
        ):
            self.assertEqual(prose.check_subject(subject), [], subject)


class FileTests(unittest.TestCase):
    def test_skipped_files_exist(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        for path in prose.SKIPPED:
            self.assertTrue(os.path.exists(os.path.join(root, path)), path)


if __name__ == "__main__":
    unittest.main()
