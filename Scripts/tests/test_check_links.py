"""Scripts/checks/check-links finds links where Markdown has them, and follows them as a clone could."""

import unittest

from script_loading import load

check = load("check-links")


class LinkTests(unittest.TestCase):
    def targets(self, markdown):
        return [target for _, target in check.links(markdown)]

    def test_links_of_every_form_are_found(self):
        markdown = (
            "[a](b.md) ![c](d.png \"e\") [f](<g.md>) [h](i_(j).md)\n[k]: l.md 'm'\n<img alt='n' src=\"o.svg\">\n[p](#q)"
        )
        self.assertEqual(self.targets(markdown), ["b.md", "d.png", "g.md", "i_(j).md", "l.md", "o.svg", "#q"])

    def test_code_has_no_links(self):
        markdown = "`[a](b.md)` ``[a](b`.md)``\n```sh\n[a](b.md)\n```\n~~~\n[a](b.md)\n~~~\n[c](d.md)"
        self.assertEqual(list(check.links(markdown)), [(8, "d.md")])

    def test_headings_become_fragments(self):
        markdown = "# What's new?\n## `make` & *run*\n## Same\n## Same\n```\n# Not one\n```\n### [A](b.md) C #"
        self.assertEqual(check.anchors(markdown), {"whats-new", "make--run", "same", "same-1", "a-c"})

    def broken(self, target, path="Docs/a.md"):
        pages = {path: f"# Top\n[x]({target})\n", "Docs/b.md": "# Here it is\n", "README.md": ""}
        files = set(pages) | {"Docs/decisions/0001-x.md", "Sources/C/D.swift", "Docs/a b.svg"}
        return [message.partition(": ")[2] for _, _, message in check.broken(pages, files)]

    def test_links_that_lead_somewhere(self):
        for target in (
            "b.md", "./b.md", "../README.md", "decisions", "decisions/", "../Sources/C/D.swift", "..", "a%20b.svg",
            "b.md#here-it-is", "#top", "/README.md", "/Docs", "https://example.org/x.md", "mailto:a@example.org",
        ):
            with self.subTest(target):
                self.assertEqual(self.broken(target), [])

    def test_links_that_lead_nowhere(self):
        for target in ("c.md", "../b.md", "decisions/0002-x.md", "../../README.md", "B.md"):
            with self.subTest(target):
                self.assertEqual(self.broken(target), ["no such file in the tree"])
        for target in ("b.md#gone", "#gone"):
            with self.subTest(target):
                self.assertEqual(self.broken(target), ["no such heading"])


if __name__ == "__main__":
    unittest.main()
