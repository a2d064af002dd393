"""Scripts/check-arrows compares both directions and parses SwiftPM's output."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from script_loading import load

check = load("check-arrows")

DESCRIPTION = {
    "name": "gatehouse",
    "targets": [
        {
            "name": "Store", "path": "Sources/Store",
            "target_dependencies": ["Domain"], "product_dependencies": ["Crypto"],
        },
        {"name": "Domain", "path": "Sources/Domain"},
        {"name": "StoreTests", "path": "Tests/StoreTests", "target_dependencies": ["Store"]},
        {"name": "TestSupport", "path": "Tests/TestSupport", "target_dependencies": ["Store"]},
    ],
}


class ArrowTests(unittest.TestCase):
    def differences(self, table):
        return list(check.differences(check.arrows(DESCRIPTION), table))

    def test_targets_and_products_count_and_tests_do_not(self):
        self.assertEqual(check.arrows(DESCRIPTION), {"Store": {"Domain", "Crypto"}, "Domain": set()})

    def test_the_same_arrows_in_another_order_are_the_same(self):
        self.assertEqual(self.differences({"Domain": [], "Store": ["Crypto", "Domain"]}), [])

    def test_an_arrow_too_many(self):
        table = {"Domain": [], "Store": ["Crypto"]}
        self.assertEqual(self.differences(table), ["Store -> Domain: not in the table"])

    def test_an_arrow_too_few(self):
        table = {"Domain": ["Crypto"], "Store": ["Crypto", "Domain"]}
        self.assertEqual(self.differences(table), ["Domain -> Crypto: in the table, not in the package"])

    def test_targets_of_one_side_only(self):
        table = {"Store": ["Crypto", "Domain"], "Gateway": []}
        expected = ["Domain: not in the table", "Gateway: in the table, not in the package"]
        self.assertEqual(self.differences(table), expected)

    def test_the_table_allows_no_circle(self):
        table = json.loads(check.TABLE.read_text())
        left = {target: {name for name in names if name in table} for target, names in table.items()}
        while level := [target for target, names in left.items() if not names & left.keys()]:
            for target in level:
                del left[target]
        self.assertEqual(left, {})

    def test_a_description_from_a_file_fails_against_the_real_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "description.json")
            file.write_text(json.dumps(DESCRIPTION))
            output = io.StringIO()
            with mock.patch.object(sys, "argv", ["check-arrows", "--description", str(file)]):
                with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(check.main(), 1)
        self.assertIn("arrow: Domain: not in the table", output.getvalue())


if __name__ == "__main__":
    unittest.main()
