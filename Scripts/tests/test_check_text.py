"""Each rule of Scripts/checks/check-text fires where it should, and only there."""

import unittest

from script_loading import load

text = load("check-text")

SOURCE = "Sources/Server/AuthServer/Routes/Token.swift"


def found(source, path=SOURCE, names=("SignOutScope",), imports=True):
    """(line, rule) of every finding."""
    source = "import GatehouseWire;" + source if imports else source
    return [(line, rule) for line, rule, _ in text.check_swift(path, source, set(names))]


class ImportTests(unittest.TestCase):
    def test_files_that_compare_import_the_operators(self):
        for line in ("a == b", "a != b", "a < b", "switch a {", "a.hasPrefix(b)", "a.hasSuffix(b)", "a.contains(b)"):
            self.assertEqual(found(f"import NIOCore\nlet c = {line}\n", imports=False), [(2, "text-import")], line)
            self.assertEqual(found(f"let c = {line}\n"), [], line)

    def test_every_kind_of_import_will_do(self):
        for kind in ("", "package ", "public "):
            self.assertEqual(found(f"{kind}import GatehouseWire\nlet c = a == b\n", imports=False), [])
        self.assertEqual(found("// import GatehouseWire\nlet c = a == b\n", imports=False), [(2, "text-import")])

    def test_files_that_compare_nothing_need_none(self):
        self.assertEqual(found("func a(_ b: Array<Int>) -> Bool { c }\n", imports=False), [])

    def test_the_target_itself_has_them(self):
        self.assertEqual(found("let c = a == b\n", "Sources/Client/GatehouseWire/JSON/AuthJSON.swift", imports=False), [])


class KeyTests(unittest.TestCase):
    def test_keys_that_hash_the_normal_form(self):
        for key in (
            "[String: Int]", "[Substring: Int]", "[String: AuthJSON]", "Set<String>", "Dictionary<String, Int>", "Set(a)",
            "Set<Character>", "[ String : Int]",
        ):
            self.assertEqual(found(f"let b: {key}\n"), [(1, "text-key")], key)

    def test_other_keys(self):
        for key in (
            "[ExternalName: Int]", "Set<ExternalName>", "Set<Int>(a)", "KeySet(a)", "[String]", "a.Set(b)",
            "[String: AuthJSON?]", "[LogKey: String]",
        ):
            self.assertEqual(found(f"let b: {key}\n"), [], key)

    def test_prose_is_not_code(self):
        self.assertEqual(found('// [String: Int]\nlet a = "Set<String>"\n'), [])


class RawValueTests(unittest.TestCase):
    def test_enumerations_of_texts_compare_bytes(self):
        self.assertEqual(found("a = SignOutScope(rawValue: b)"), [(1, "text-raw-value")])
        self.assertEqual(found("a = b.flatMap(SignOutScope.init)"), [(1, "text-raw-value")])
        self.assertEqual(found("a = b.flatMap(SignOutScope.init(text:)) ?? SignOutScope(text: c)"), [])
        self.assertEqual(found("a = RefusalCode(rawValue: b)"), [])

    def test_names_are_known_in_their_target_and_further_when_they_are_shared(self):
        files = {
            "Sources/Server/AuthServer/A.swift": "enum Mode: String { case a }; package enum Scope: String { case b }",
            "Development/DevStack/B.swift": "enum Event : String, CaseIterable { case c }; enum Count: Int { case d }",
        }
        self.assertEqual(
            set(text.enumerations(files)), {("AuthServer", "Mode"), ("", "Scope"), ("DevStack", "Event")}
        )


class CharacterTests(unittest.TestCase):
    def test_characters_of_a_text(self):
        for code in (
            'a.split(separator: ",")', 'a.split(\n separator: ",")', 'a.firstIndex(of: "]")', 'a.lastIndex(of: ":")',
            'a.replacing(" ", with: "")', 'a.contains("@")', 'a.contains("\\0")', 'a.prefix { $0 != "=" }',
            'a.first == "["', 'a.last != "\\u{2F}"',
        ):
            self.assertEqual([rule for _, rule in found(code)], ["text-character"], code)

    def test_texts_and_bytes(self):
        for code in (
            'a.joined(separator: ",")', 'a.contains("openid")', 'methods.last == "oauth"', 'a.split(ascii: ",")',
            'a.unicodeScalars.first == "{"', 'a.contains(ascii: "@")', 'a.utf8.contains(UInt8(ascii: "@"))',
            'a.first { $0.name == "state" }',
        ):
            self.assertEqual(found(code), [], code)


class SitesTests(unittest.TestCase):
    FOUND = [("A.swift", 3, "text-key", "m"), ("A.swift", 9, "text-key", "m")]

    def remaining(self, sites, findings=FOUND):
        return [(path, line, rule) for path, line, rule, _ in text.check_sites(findings, text.parse_sites(sites))]

    def test_unlisted_places_are_found(self):
        self.assertEqual(self.remaining(""), [("A.swift", 3, "text-key"), ("A.swift", 9, "text-key")])

    def test_places_listed_with_a_reason_are_not_found(self):
        self.assertEqual(self.remaining("# head\nA.swift text-key 2  # names of our own\n"), [])

    def test_a_list_is_exact_and_has_reasons(self):
        self.assertEqual(self.remaining("A.swift text-key 1  # why"), [("A.swift", 3, "text-key")])
        self.assertEqual(self.remaining("A.swift text-key 3  # why"), [("A.swift", 1, "text-key")])
        self.assertEqual(self.remaining("A.swift text-key 2"), [("A.swift", 1, "text-key")])
        self.assertEqual(self.remaining("B.swift text-key 1  # why", []), [("B.swift", 1, "text-key")])


if __name__ == "__main__":
    unittest.main()
