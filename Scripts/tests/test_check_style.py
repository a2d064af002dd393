"""Each rule of Scripts/checks/check-style fires where it should, and only there."""

import unittest

from script_loading import load
from swift_text import SwiftText

style = load("check-style")

SOURCE = "Sources/Accounts/AccountDomain/Accounts/Account.swift"
TEST = "Tests/Accounts/AccountDomainTests/AccountTests.swift"
TRIPLE = '"""'


def found(source, path=SOURCE):
    """(line, rule) of every finding."""
    return [(line, rule) for line, rule, _ in style.check_swift(path, source)]


class SwiftTextTests(unittest.TestCase):
    def code(self, source):
        return " ".join(SwiftText(source).code.split())

    def test_comments_are_not_code(self):
        self.assertEqual(self.code("a // b\nc /* d /* e */ f */ g\n/// h"), "a c g")

    def test_strings_are_not_code_but_interpolations_are(self):
        self.assertEqual(self.code(r'let a = "b \(c(d)) e \"f\" // g"; h'), "let a = c(d) ; h")

    def test_interpolations_nest(self):
        self.assertEqual(self.code(r'a("b \(c("d \(e) f")) g") h'), "a( c( e ) ) h")

    def test_raw_strings_need_their_hashes(self):
        self.assertEqual(self.code(r'a = #"b "c" \(d) \#(e) f"# g'), "a = e g")

    def test_long_strings_hold_quotes_and_braces(self):
        self.assertEqual(self.code(f'a = {TRIPLE}\n  "b" {{ // c\n  {TRIPLE}; d'), "a = ; d")

    def test_a_string_that_never_ends_ends_with_its_line(self):
        self.assertEqual(self.code('a = "b\nc'), "a = c")

    def test_regex_literals_are_not_code_and_division_is(self):
        self.assertEqual(self.code('a.split(/"[/"]{2}/) + b'), "a.split( ) + b")
        self.assertEqual(self.code('let a = b / c / d // "e'), "let a = b / c / d")
        self.assertEqual(self.code('a = #/"b/c"/# d'), "a = d")

    def test_layers_keep_every_offset(self):
        source = 'a // b\n"c \\(d)" /* e\n f */ g\n'
        text = SwiftText(source)
        self.assertEqual(len(text.code), len(source))
        self.assertEqual(len(text.comments), len(source))
        self.assertEqual(text.comments.split(), ["//", "b", "/*", "e", "f", "*/"])

    def test_lines_are_counted_as_editors_count_them(self):
        self.assertEqual([SwiftText(s).line_count for s in ("", "a", "a\n", "a\nb")], [0, 1, 1, 2])

    def functions(self, source):
        return [(line, name, lines) for line, name, lines in SwiftText(source).functions()]

    def test_functions_are_found_with_their_lengths(self):
        source = (
            "struct A {\n    init(a: Int) {\n    }\n    static func < (a: A, b: A) -> Bool {\n        true\n    }\n"
            "    subscript(a: Int) -> Int { a }\n    var b: [String: Int] {\n        [:]\n    }\n    deinit {}\n}\n"
        )
        self.assertEqual(
            self.functions(source),
            [(2, "init", 2), (4, "func <", 3), (7, "subscript", 1), (8, "var b: [String: Int]", 3), (11, "deinit", 1)],
        )

    def test_a_requirement_has_no_body(self):
        source = (
            "protocol A {\n    func b() throws\n    init(c: Int)\n    func d(_ e: () -> Void = {}) async -> [Int]\n}\n"
            "func f() {}"
        )
        self.assertEqual(self.functions(source), [(6, "func f", 1)])

    def test_stored_properties_and_calls_of_init_are_not_functions(self):
        self.assertEqual(self.functions("var a: Int = b.init(1)\nvar c: Int\nlet d = A.init(e) { f }\n{ }"), [])

    def test_a_signature_may_take_lines_and_braces(self):
        source = "func a<B>(\n    c: () -> Void = { }\n) async throws(E) -> B\nwhere B: C {\n    d()\n}\n"
        self.assertEqual(self.functions(source), [(1, "func a<B>", 6)])

    def test_braces_in_strings_and_comments_do_not_end_a_function(self):
        source = f'func a() {{\n    b("}}") // }}\n    c({TRIPLE}\n    }}\n    {TRIPLE})\n}}\nfunc d() {{}}'
        self.assertEqual(self.functions(source), [(1, "func a", 6), (7, "func d", 1)])


class RuleTests(unittest.TestCase):
    def assertFires(self, rule, *snippets, path=SOURCE):
        for snippet in snippets:
            with self.subTest(snippet):
                self.assertEqual(found(snippet, path), [(1, rule)])

    def assertQuiet(self, *snippets, path=SOURCE):
        for snippet in snippets:
            with self.subTest(snippet, path=path):
                self.assertEqual(found(snippet, path), [])

    def test_file_length(self):
        self.assertEqual(found("a\n" * 300), [])
        self.assertEqual(found("a\n" * 301), [(301, "file-length")])
        self.assertEqual(found("a\n" * 400, TEST), [])
        self.assertEqual(found("a\n" * 401, TEST), [(401, "file-length")])

    def test_function_length(self):
        self.assertEqual(found("func a() {\n" + "b\n" * 38 + "}"), [])
        self.assertEqual(found("\nfunc a() {\n" + "b\n" * 39 + "}"), [(2, "function-length")])
        self.assertEqual(found("@Test(arguments: [\n" + "1,\n" * 60 + "])\nfunc a() {\n}", TEST), [])

    def test_a_query_counts_as_lines(self):
        source = f"func a() {{\n    rows({TRIPLE}\n" + "    SELECT\n" * 38 + f"    {TRIPLE})\n}}"
        self.assertEqual(found(source), [(1, "function-length")])

    def test_calls_that_end_the_process_or_disable_checks(self):
        self.assertFires("force-try", "let a = try! b()")
        self.assertFires("fatal-error", 'fatalError("a")')
        self.assertFires("unsafe-isolation", "nonisolated(unsafe) var a = 1")
        self.assertQuiet("let a = try b()", "// try! fatalError()", '"try! fatalError()"', "nonisolated func a() {}")

    def test_unchecked_sendable(self):
        self.assertFires("unchecked-sendable", "final class A: @unchecked Sendable {}")
        self.assertQuiet("final class A: @unchecked Sendable {}", path="Sources/Databases/SQLiteDriver/SQLiteHandle.swift")
        self.assertQuiet("struct A: Sendable {}")

    def test_our_own_singletons(self):
        self.assertFires("singleton", "static let shared = A()", "public static var shared: A { A() }")
        self.assertQuiet("let a = URLSession.shared", "static let sharedColumns = 1")

    def test_print(self):
        self.assertFires("print", "print(a)", "Swift.print(a)", "if a { print(b) }", "debugPrint(a)", "dump(a)")
        self.assertQuiet("a.print(b)", "func print(_ a: Int) {}", "fingerprint(a)", '"print(a)"')
        self.assertQuiet("print(a)", path="Sources/Program/GatehouseCLI/Serve.swift")
        self.assertQuiet("print(a)", path=TEST)

    def test_clock(self):
        self.assertFires("clock", "let a = Date()", "let a = Date.now", "f(at: .now)", "{ .now }", "now: .now,")
        self.assertFires("clock", "let a = ContinuousClock()", "let a = DispatchTime.now()", "SuspendingClock()")
        self.assertQuiet("self.now = now", "let a = now()", "clock.now()", "server.clock.now", "self?.now", "a.nowhere")
        self.assertQuiet("f(now: now)", "let a = Date(timeIntervalSince1970: b)", "enum A { case now }")
        self.assertQuiet("let a = ContinuousClock().measure { b() }")
        for path in ("Sources/Program/GatehouseCLI/Serve.swift", "Tests/Support/TestDatabases/TestClock.swift"):
            self.assertQuiet("let a = Date()", "f(at: .now)", path=path)
        self.assertFires("clock", "f(at: .now)", path=TEST)

    def test_randomness(self):
        self.assertFires("randomness", "let a = UUID()", "var a = SystemRandomNumberGenerator()")
        self.assertQuiet("let a = UUID(b)", "let a = UUID(uuidString: b)", "RowUUID()")
        self.assertQuiet("let a = UUID()", path="Sources/Program/GatehouseCLI/Serve.swift")

    def test_conditional_compilation(self):
        self.assertFires("conditional", "#if os(Linux)", "    #elseif DEBUG")
        self.assertQuiet("#if os(Linux)", path="Sources/Accounts/AccountDomain/Platform.swift")
        self.assertQuiet("// #if os(Linux)", f"let a = {TRIPLE}\n#if\n{TRIPLE}")

    def test_a_condition_may_guard_a_whole_file(self):
        self.assertQuiet("// A.\n#if canImport(Security)\nimport Security\nlet a = 1\n#endif\n// B.\n")
        for source, lines in (
            ("import A\n#if B\n#endif", [2]), ("#if A\n#endif\nlet b = 1", [1]), ("#if A\n#else\n#endif", [1]),
            ("#if A\n#if B\n#endif\n#endif", [1, 2]), ("#if A\n#endif\n#if B\n#endif", [1, 3]),
        ):
            with self.subTest(source):
                self.assertEqual(found(source), [(line, "conditional") for line in lines])

    def test_previews_need_no_xcode(self):
        self.assertFires("preview", '#Preview("A") { B() }')
        self.assertQuiet("struct A: PreviewProvider {}", "/// `#Preview`")
        self.assertQuiet('#Preview("A") { B() }', path="Apps/BoxScore/Previews/A.swift")

    def test_driver_names(self):
        self.assertFires("driver-name", 'a == "sqlite"', 'a == "SQLite"', 'a("postgresql://b")')
        self.assertQuiet('a == "file"', "import SQLiteDriver", "case sqlite", '// "sqlite"')
        for path in ("Sources/Databases/SQLiteDriver/A.swift", "Sources/Server/AuthServer/Settings/A.swift", TEST):
            self.assertQuiet('a == "sqlite"', path=path)
        self.assertFires("driver-name", 'a == "sqlite"', path="Sources/Server/AuthServer/Routes/A.swift")

    def test_a_questioned_try_is_explained(self):
        self.assertEqual(found("let a = try? b()"), [(1, "questioned-try")])
        self.assertEqual(found("// Ignored: c.\n\nlet a = try? b()"), [(3, "questioned-try")])
        self.assertEqual(found('let a = "//"\nlet b = try? c()'), [(2, "questioned-try")])
        self.assertQuiet("let a = try? b() // lost: c", "// Ignored: c.\nlet a = try? b()", "/* c\n */\ntry? b()")

    def test_no_open_ends_are_left(self):
        self.assertFires("left-open", "// TODO: a", "/// FIXME", "let XXX = 1")
        self.assertQuiet('mkstemp("a.XXX")', "// TODOS", "case todo")

    def test_tests_do_not_sleep(self):
        for snippet in ("try await Task.sleep(for: a)", "usleep(1)", "Thread.sleep(forTimeInterval: 1)", "sleep(1)"):
            self.assertEqual(found(snippet, TEST), [(1, "sleep")])
        self.assertEqual(found("@Test(.disabled()) func a() {}", TEST), [(1, "disabled-test")])
        self.assertQuiet("asleep(1)", "clock.advance(by: a)", "@Test(.enabled(if: a)) func b() {}", path=TEST)
        self.assertQuiet("try await Task.sleep(for: a)", "Button(a).disabled(b)")


class MachinePathTests(unittest.TestCase):
    def test_machine_paths(self):
        for path in ("/wo" + "rk/a", "/ro" + "ot/.a", "/op" + "t/swift"):
            self.assertEqual([n for n, _, _ in style.check_machine_paths(f"a\nb {path}\n")], [2])
        self.assertEqual(list(style.check_machine_paths("/usr/lib /opt/homebrew network/a $HOME/a ./workers/b")), [])


class RevealTests(unittest.TestCase):
    def test_uses_are_found(self):
        source = "a.reveal()\nb?.reveal() + c.reveal()\nd.map(\\.reveal)\n// e.reveal()\nfunc reveal() -> String { f }"
        self.assertEqual(style.reveal_lines(SOURCE, source), [1, 2, 2, 3])

    def test_tests_may_reveal(self):
        self.assertEqual(style.reveal_lines(TEST, "a.reveal()"), [])

    def test_the_list_must_be_exact(self):
        sites = style.parse_sites("# head\n\nSources/A.swift 2  # signs\nSources/B.swift 1\n")
        self.assertEqual(sites, {"Sources/A.swift": (2, "signs"), "Sources/B.swift": (1, "")})
        exact = {"Sources/A.swift": [3, 9], "Sources/B.swift": [1]}
        self.assertEqual(list(style.check_reveals(exact, sites)), [])
        more, elsewhere = {**exact, "Sources/B.swift": [1, 2]}, {**exact, "Sources/C.swift": [4]}
        for uses in (more, elsewhere, {"Sources/A.swift": [3, 9]}):
            self.assertEqual([rule for _, _, rule, _ in style.check_reveals(uses, sites)], ["reveal"])

    def test_an_update_keeps_reasons_and_satisfies_the_check(self):
        uses = {"Sources/A.swift": [3], "Sources/C.swift": [4, 5]}
        listing = style.listing(uses, {"Sources/A.swift": (2, "signs"), "Sources/B.swift": (1, "gone")})
        sites = style.parse_sites(listing)
        self.assertEqual(sites, {"Sources/A.swift": (1, "signs"), "Sources/C.swift": (2, "")})
        self.assertEqual(list(style.check_reveals(uses, sites)), [])


if __name__ == "__main__":
    unittest.main()
