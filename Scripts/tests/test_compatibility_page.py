"""Every call of the Swift client in Docs/compatibility.md is declared in its sources."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ENTRY = re.compile(r"^\* (.+?) → (.+?)(?:: (.*))?$", re.MULTILINE)
FUNCTION = re.compile(r"public func (\w+)(?:<[^>]*>)?\((.*?)\) (?:async|throws|->|\{)", re.DOTALL)
NAME = re.compile(r"`(?:admin\.)?(var )?(\w+)(\([\w:]*\))?`")


def entries(page):
    _, _, section = page.partition("## The Swift client and supabase-swift\n")
    return ENTRY.findall(section)


def promised(entry):
    """The declarations that one entry names as ours: `var a` or `func a(b:c:)`."""
    theirs, ours, _ = entry
    if ours == "left out":
        return []
    names = NAME.findall(theirs if ours.startswith("the same") else ours)
    return [f"var {name}" if variable else f"func {name}{labels}" for variable, name, labels in names]


def declarations(sources):
    """Every public property and function of some Swift, in the same form."""
    found = set()
    for source in sources:
        found |= {f"var {name}" for name in re.findall(r"public var (\w+)", source)}
        for name, parameters in FUNCTION.findall(source):
            depth, flat = 0, ""
            for character in parameters:
                depth += character in "([{"
                depth -= character in ")]}"
                if depth == 0:
                    flat += character
            labels = [part.split()[0].rstrip(":") for part in flat.split(",") if part.strip()]
            found.add(f"func {name}({''.join(label + ':' for label in labels)})")
    return found


class CompatibilityPageTests(unittest.TestCase):
    page = (ROOT / "Docs" / "compatibility.md").read_text(encoding="utf-8")
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "Sources" / "Client" / "Gatehouse").rglob("*.swift"))]

    def test_every_promised_call_is_declared(self):
        ours, wanted = declarations(self.sources), [name for entry in entries(self.page) for name in promised(entry)]
        self.assertGreater(len(wanted), 30)
        self.assertEqual([name for name in wanted if "init" not in name and name not in ours], [])

    def test_every_call_of_our_client_is_listed(self):
        client = [text for text in self.sources if re.search(r"(?:extension|final class) GatehouseClient\b[^.]", text)]
        calls = {name for name in declarations(client) if name.startswith("func ")}
        listed = {name for entry in entries(self.page) for name in promised(entry)}
        self.assertEqual(sorted(calls - listed), [])

    def test_an_entry_is_read(self):
        entry = entries("## The Swift client and supabase-swift\n* `a(b:)` → the same, `async`: x\n")[0]
        self.assertEqual(promised(entry), ["func a(b:)"])
        self.assertEqual(promised(("`admin.a(_:)`", "`admin.b(c:)`, `var d`", "")), ["func b(c:)", "var d"])
        source = "public func a(_ b: [(c: Int, d: Int)] = [], e f: (Int) -> Int = { $0 }) async throws -> Int {}"
        self.assertEqual(declarations([source]), {"func a(_:e:)"})


if __name__ == "__main__":
    unittest.main()
