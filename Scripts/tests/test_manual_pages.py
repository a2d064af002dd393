"""Manual pages have what the help has, and text cannot become a request of roff."""

import shutil
import subprocess
import unittest

import script_loading  # noqa: F401  the folders of the scripts
import manual_pages

HELP = {"valueName": "help", "kind": "flag", "isOptional": True, "abstract": "Show help information.",
        "names": [{"kind": "short", "name": "h"}, {"kind": "long", "name": "help"}]}
DUMP = {"command": {
    "commandName": "tool", "abstract": "A tool.", "arguments": [HELP],
    "subcommands": [
        {"commandName": "serve", "abstract": "Serves until it ends.",
         "discussion": "One paragraph.\n\nAnother:\n\n  a line \\ as it is\n\n.not a request\n'nor this",
         "arguments": [
             {"valueName": "file", "kind": "option", "isOptional": True, "abstract": "The file.", "defaultValue": "a-b",
              "names": [{"kind": "long", "name": "file"}]},
             {"valueName": "shell", "kind": "positional", "isOptional": False, "allValues": ["bash", "zsh"],
              "isRepeating": True},
             {"valueName": "hidden", "kind": "flag", "shouldDisplay": False, "names": []}, HELP,
         ]},
        {"commandName": "keys", "abstract": "", "defaultSubcommand": "list",
         "subcommands": [{"commandName": "list", "abstract": "Lists keys."}]},
        {"commandName": "secret", "shouldDisplay": False}, {"commandName": "help", "abstract": "Shows help."},
    ]}}


class ManualPagesTests(unittest.TestCase):
    def setUp(self):
        self.pages = manual_pages.pages(DUMP, "tool 1.0", "2026-01-31", title="Tool")

    def test_there_is_a_page_for_each_command_that_is_shown(self):
        self.assertEqual(sorted(self.pages), ["tool-keys.1", "tool-serve.1", "tool.1"])
        self.assertIn("\\fBserve\\fR\nServes until it ends.", self.pages["tool.1"])
        self.assertNotIn("secret", "".join(self.pages.values()))

    def test_a_page_has_every_argument_that_is_shown(self):
        page = self.pages["tool-serve.1"]
        self.assertIn("\\fBtool serve\\fR\n[\\fB\\-\\-file\\fR \\fIfile\\fR]\n\\fIshell\\fR...\n", page)
        self.assertIn(".TP\n\\fB\\-\\-file\\fR \\fIfile\\fR\nThe file. Default: a\\-b.\n", page)
        self.assertIn("One of: bash, zsh.", page)
        self.assertNotIn("hidden", page)

    def test_a_text_cannot_become_a_request(self):
        page = self.pages["tool-serve.1"]
        self.assertIn("\n\\&.not a request\n\\&'nor this\n", page)
        self.assertIn("\n.EX\n  a line \\e as it is\n.EE\n", page)

    def test_commands_below_are_sections(self):
        self.assertIn(".SS tool keys list\n\\fBtool keys list\\fR\n.PP\nLists keys.\n", self.pages["tool-keys.1"])

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_nothing_to_say(self):
        for name, text in self.pages.items():
            ended = subprocess.run(["mandoc", "-Tlint", "-Wwarning"], input=text, capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stdout), (0, ""), name)


if __name__ == "__main__":
    unittest.main()
