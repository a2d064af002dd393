"""Scripts/documentation/make-examples finds the examples of the documentation, and its files are up to date."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

from script_loading import load

examples = load("make-examples")

SOURCE = '''
/// A.
///
/// ```swift
/// let a = A()      // new
/// for b in a {
///     use(b)
/// }
/// ```
@MainActor
public struct A {
    /// ```sh
    /// no Swift
    /// ```
    public var b: Int

    /// ```swift
    /// c()
    /// ```
    package func c() {}

    // ```swift
    // no documentation
    // ```
}
'''


class ExampleTests(unittest.TestCase):
    def wrapped(self, code):
        return examples.wrapped(1, code)

    def test_the_examples_of_public_declarations_are_found(self):
        self.assertEqual(list(examples.commented(SOURCE)), ["let a = A()      // new\nfor b in a {\n    use(b)\n}\n"])

    def test_statements_become_a_function_that_uses_its_constants(self):
        self.assertEqual(self.wrapped("let a = A()      // new\ntry await a.b()\n"), (
            "extension Given {\n    @MainActor private func example1() async throws {\n"
            "        let a = A()  // new\n        try await a.b()\n        _ = a\n    }\n}\n"))

    def test_a_view_on_its_own_is_a_value(self):
        self.assertIn("        _ = HomeView()\n            .a()\n", self.wrapped("HomeView()\n    .a()\n"))

    def test_a_choice_between_views_is_a_view(self):
        self.assertIn("@ViewBuilder private func", self.wrapped("switch a {\ncase .b: Text(\"c\")\n}\n"))
        self.assertNotIn("@ViewBuilder", self.wrapped("switch a {\ncase .b: c = 1\n}\n"))

    def test_declarations_become_members_of_a_type(self):
        self.assertEqual(
            self.wrapped("import A\n\n@main struct B: App {\n    var c: Int\n}\n"),
            "private struct Example1 {\n    struct B: App {\n        var c: Int\n    }\n}\n")
        self.assertTrue(self.wrapped('@MainActor @Test("A")\nfunc a() {\n}\n').startswith("private struct"))
        self.assertTrue(self.wrapped("struct A {}\nlet a = A()\n").startswith("extension Given"))

    def test_the_files_are_up_to_date(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), mock.patch("sys.argv", ["make-examples", "--check"]):
            self.assertEqual(examples.main(), 0, output.getvalue())

    def test_an_old_file_is_noticed_and_rewritten(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(examples, "ROOT", pathlib.Path(folder)), \
                mock.patch.object(examples, "FOLDER", pathlib.Path(folder)):
            for arguments, code in ((["--check"], 1), ([], 0), (["--check"], 0)):
                with mock.patch("sys.argv", ["make-examples", *arguments]):
                    self.assertEqual(examples.main(), code)

    def test_there_are_examples_for_what_apps_meet_first(self):
        count = sum(len(examples.examples(path)) for name in examples.LIBRARIES for path in examples.sources(name))
        self.assertGreater(count, 30)


if __name__ == "__main__":
    unittest.main()
