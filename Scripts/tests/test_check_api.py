"""Scripts/checks/check-api reads public declarations from sources, and asks for the changelog's word on breaking changes."""

import io
import contextlib
import pathlib
import tempfile
import unittest
from unittest import mock

from script_loading import load
from public_api import Declarations

check = load("check-api")

SOURCE = '''
import Foundation
@_exported public import Wire

/// A comment with `public func nothing()`.
@MainActor @Observable
public final class Account<Value: Sendable>: Base, Named where Value: Codable {
    public private(set) var phase = Phase.idle
    public var name = "public var other: Int"
    public var count: Int { 1 }
    public var text: String {
        get { "a" }
        set { set(newValue) }
    }
    public var session: Session {
        get async throws { try await load() }
    }
    public static let limit = 1_000
    public let unavailable = Account { _ in .unavailable }
    package var hidden = 1
    var internalName = 2
    private let lock = Lock()

    public init?(
        _ first: String, for second: [String: Int] = [:],
        body: @escaping @Sendable (_ a: Int) async throws -> Void = { _ in }
    ) async throws {
        func public_() {}
    }

    @discardableResult
    public nonisolated func load<Result>(_ id: UUID, named name: String? = nil) async throws(AuthError)
        -> (name: String, Result)
    where Result: Sendable {
        public_()
    }

    public enum Phase: Hashable {
        case idle
        case failed(Int, reason: String = "a"), done
        var isDone: Bool { self == .done }
    }

    struct Hidden {
        public var notReachable: Int
    }
}

public protocol Named: Sendable {
    var name: String { get }
    func rename(to name: String) async
    associatedtype Kind: Hashable
}

protocol Internal {}
extension Account: Internal {}
extension Account: @unchecked Sendable where Value: Hashable {}
extension Account.Hidden { public func reach() {} }
extension String {
    public subscript(name: Int) -> Character? { nil }
    public static func == (a: String, b: Int) -> Bool { false }
    public typealias Text = [String]
}
enum NotPublic { case one }
#if canImport(Darwin)
public struct OnApple {}
#endif
'''

LINES = '''
Account.Phase.done: case done
Account.Phase.failed: case failed(Int, reason: String = …)
Account.Phase.idle: case idle
Account.Phase: conforms to Hashable
Account.Phase: enum Phase
Account.count: var count: Int { get }
Account.init(_:for:body:): init?(_: String, for: [String: Int] = …, body: @escaping @Sendable (_ a: Int) async throws -> Void = …) async throws
Account.limit: static var limit: Int { get }
Account.load(_:named:): @discardableResult nonisolated func load<Result>(_: UUID, named: String? = …) async throws(AuthError) -> (name: String, Result) where Result: Sendable
Account.name: var name: String { get set }
Account.phase: var phase: Phase { get }
Account.session: var session: Session { get async throws }
Account.text: var text: String { get set }
Account.unavailable: var unavailable: Account { get }
Account: @MainActor @Observable final class Account<Value: Sendable> where Value: Codable
Account: conforms to Base
Account: conforms to Named
Account: conforms to Sendable where Value: Hashable
Named.Kind: requirement associatedtype Kind: Hashable
Named.name: requirement var name: String { get }
Named.rename(to:): requirement func rename(to: String) async
Named: conforms to Sendable
Named: protocol Named
OnApple: struct OnApple
String.==(_:_:): static func ==(_: String, _: Int) -> Bool
String.Text: typealias Text = [String]
String.subscript(_:): subscript(_: Int) -> Character? { get }
'''


def lines_of(*sources):
    declarations = Declarations()
    for source in sources:
        declarations.read(source)
    return declarations.lines()


class DeclarationTests(unittest.TestCase):
    maxDiff = None

    def test_every_kind_of_public_declaration_is_a_line(self):
        self.assertEqual(lines_of(SOURCE), sorted(LINES.strip().splitlines()))

    def test_what_is_not_public_is_left_out_also_across_files(self):
        self.assertEqual(lines_of("struct A {}", "extension A { public init() {} }"), [])
        self.assertEqual(lines_of("package protocol P {}", "public struct A {}\nextension A: P {}"), ["A: struct A"])

    def test_the_layout_of_a_declaration_does_not_matter(self):
        one = "public func a(b: Int, c d: String = \"e\") -> [Int] { [] }"
        other = "public func a(\n    b: Int,\n    c e: String = \"f(\"\n)\n    -> [Int]\n{\n    []\n}"
        self.assertEqual(lines_of(one), lines_of(other))


class BreakTests(unittest.TestCase):
    def breaks(self, released, current):
        return [name for name, _ in check.breaks(released.split("; "), current.split("; "))]

    def test_a_removal_and_a_change_break_and_an_addition_does_not(self):
        released = "A: struct A; A.b: var b: Int { get }"
        self.assertEqual(self.breaks(released, released), [])
        self.assertEqual(self.breaks(released, released + "; A.c: var c: Int { get }; B: struct B"), [])
        self.assertEqual(self.breaks(released, "A: struct A"), ["A.b"])
        self.assertEqual(self.breaks(released, "A: struct A; A.b: var b: Int? { get }"), ["A.b"])

    def test_a_removed_type_stands_for_its_members(self):
        self.assertEqual(self.breaks("A: struct A; A.b: var b: Int { get }; AB: struct AB", "AB: struct AB"), ["A"])

    def test_a_lost_conformance_is_a_change_of_the_type(self):
        self.assertEqual(self.breaks("A: struct A; A: conforms to Sendable", "A: struct A"), ["A"])

    def test_a_new_case_or_requirement_of_a_released_type_breaks(self):
        released = "A: enum A; P: protocol P"
        self.assertEqual(self.breaks(released, released + "; A.b: case b"), ["A.b"])
        self.assertEqual(self.breaks(released, released + "; P.c(): requirement func c()"), ["P.c()"])
        self.assertEqual(self.breaks(released, released + "; B: enum B; B.c: case c"), [])

    def test_the_changelog_names_a_declaration_in_code(self):
        for name, changelog, named in (
            ("A", "- `A` is gone.", True), ("A", "- A is gone.", False), ("A", "- `AB` is gone.", False),
            ("A.b(c:)", "- `A.b` is `A.d`.", True), ("A.b(c:)", "- `b(c:)` is gone.", True),
            ("A.b(c:)", "- `A` changed.", False), ("A.b(c:)", "- `C.b` is gone.", False),
            ("A.C.b", "- `C.b` is gone.", True), ("A.==(_:_:)", "- `A.==` is gone.", True),
        ):
            with self.subTest(name, changelog=changelog):
                self.assertEqual(check.is_named(name, changelog), named)


class ProgramTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for targets in check.LIBRARIES.values():
            for target in targets:
                (self.root / "Sources" / "Client" / target).mkdir(parents=True)
        (self.root / "Tests").mkdir()
        self.write("Sources/Client/GatehouseWire/A.swift", "public struct A {\n    public var b: Int\n}\n")
        self.write("Sources/Client/Gatehouse/B.swift", "extension A {\n    public var c: Int { 1 }\n}\n")
        self.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [1.0.0]\n\n- `A.b` is new.\n")
        self.run_check("--release", "1.0.0")

    def write(self, path, text):
        (self.root / path).write_text(text, encoding="utf-8")

    def run_check(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()), \
                mock.patch.object(check, "ROOT", self.root), mock.patch("sys.argv", ["check-api", *arguments]):
            code = check.main()
        return code, output.getvalue()

    def test_a_release_writes_a_list_for_each_library(self):
        lists = {path.stem: check.read_list(path) for path in (self.root / "Tests" / "API").iterdir()}
        self.assertEqual(set(lists), set(check.LIBRARIES))
        self.assertEqual(
            lists["Gatehouse"], ["A.b: var b: Int { get set }", "A.c: var c: Int { get }", "A: struct A"])
        self.assertEqual(self.run_check(), (0, ""))

    def test_a_change_needs_a_word_under_unreleased(self):
        self.write("Sources/Client/GatehouseWire/A.swift", "public struct A {}\n")
        code, output = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("Tests/API/Gatehouse.txt: api: `A.b` was removed", output)
        self.write("CHANGELOG.md", "## [Unreleased]\n\n### Removed\n\n- `A.b`.\n\n## [1.0.0]\n")
        self.assertEqual(self.run_check(), (0, ""))


if __name__ == "__main__":
    unittest.main()
