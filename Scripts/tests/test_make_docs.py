"""Scripts/documentation/make-docs counts what docc and the symbol graphs show. `make test` runs it on the libraries."""

import pathlib
import unittest

from script_loading import load

docs = load("make-docs")


def symbol(*path, kind="swift.method", comment=True):
    made = {
        "pathComponents": list(path), "kind": {"identifier": kind},
        "location": {"uri": f"file://{docs.ROOT}/Sources/A/B.swift", "position": {"line": 6}},
    }
    return {**made, "docComment": {"lines": []}} if comment else made


class DocumentationTests(unittest.TestCase):
    def test_each_diagnostic_counts_except_for_a_parameter_without_a_comment(self):
        found = docs.complaints([
            {"severity": "warning", "summary": "Parameter 'a' is missing documentation", "source": "file:///b"},
            {"severity": "warning", "summary": "Return value is missing documentation", "source": "file:///b"},
            {"severity": "warning", "summary": "Parameter 'a' not found in function declaration", "notes": []},
            {"severity": "warning", "summary": "'B' doesn't exist at '/A'",
             "source": f"file://{docs.ROOT}/Sources/A/A.docc/A.md", "range": {"start": {"line": 3, "column": 1}}},
        ])
        self.assertEqual(list(found), [
            ":1: warning: Parameter 'a' not found in function declaration",
            "Sources/A/A.docc/A.md:3: warning: 'B' doesn't exist at '/A'",
        ])

    def test_a_symbol_without_a_comment_is_found(self):
        found = docs.undocumented([
            symbol("A", "b()"), symbol("A", "c()", comment=False), symbol("A", "body", comment=False),
            symbol("A", "init(rawValue:)", comment=False), symbol("View", kind="swift.extension", comment=False),
            symbol("A", "d", kind="swift.enum.case", comment=False),
        ])
        self.assertEqual(
            list(found), ["Sources/A/B.swift:7: undocumented: A.c()", "Sources/A/B.swift:7: undocumented: A.d"])

    def test_a_symbol_that_the_list_of_the_api_lacks_is_found(self):
        known = [symbol("GatehouseClient"), symbol("GatehouseClient", "signOut(scope:)"),
                 symbol("AuthState", "signedOut(_:)", kind="swift.enum.case")]
        self.assertEqual(list(docs.unread("Gatehouse", known)), [])
        found = docs.unread("Gatehouse", [symbol("GatehouseClient", "fly()")])
        self.assertEqual(list(found), ["Scripts/checks/public_api.py:1: does not find GatehouseClient.fly() of Gatehouse"])

    def test_each_library_has_a_catalogue_and_comes_after_its_dependencies(self):
        names = list(docs.LIBRARIES)
        self.assertEqual(names[0], "Gatehouse")
        for library in names:
            page = pathlib.Path(docs.ROOT, "Sources", "Client", library, f"{library}.docc", f"{library}.md")
            self.assertTrue(page.read_text(encoding="utf-8").startswith(f"# ``{library}``\n"), page)


if __name__ == "__main__":
    unittest.main()
