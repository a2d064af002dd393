"""Scripts/release/make-release-order reads callgrind's files and puts the functions of requests in order."""

import re
import unittest

from script_loading import load

order = load("make-release-order")

DUMP = """\
# callgrind format
version: 1
events: Ir

ob=(1) /tmp/gatehouse
fl=(1) ???
fn=(1) $s4main3oneyyF
0 7
+3 2
cob=(2) /lib/libc.so.6
cfn=(2) memcpy
calls=4 0
* 900
fn=(3) swift_retain
0 5

ob=(2)
fn=(2)
0 900

ob=(1)
fn=(4) swift_retain'2
-1 6
fn=(1)
0 1
totals: 921
"""


class ReleaseOrderTests(unittest.TestCase):
    def test_instructions_count_for_the_function_that_runs_them_and_the_program_alone(self):
        self.assertEqual(order.functions(DUMP, "/tmp/gatehouse"), {"$s4main3oneyyF": 10, "swift_retain": 11})

    def test_functions_of_most_kinds_come_first_then_the_longest_then_those_of_first_requests(self):
        steady = [{"both": 1, "short": 2, "long": 9}, {"both": 1}]
        first = [{"long": 5, "once": 7}, {"0x00000000000f5620": 8}]
        self.assertEqual(order.order(steady, first), ["both", "long", "short", "once"])

    def test_the_file_names_functions_of_this_program_and_each_once(self):
        names = [line for line in order.ORDER.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(len(names), len(set(names)))
        sources = order.ROOT / "Sources"
        modules = {folder.name for folder in sources.glob("*/*")}
        found = {module for name in names for module in modules if f"{len(module)}{module}" in name}
        self.assertLessEqual({"AuthServer", "AccountStore", "ProfileGateway", "SQLiteDriver", "HTTPServing"}, found)

    def test_the_linker_is_given_the_file_and_the_image_has_it(self):
        options = (order.ROOT / "Scripts" / "release" / "release-options").read_text()
        self.assertIn(" -Xlinker --symbol-ordering-file=Scripts/release/release.order", options)
        deploy = order.ROOT / "Deploy"
        self.assertRegex((deploy / "Dockerfile").read_text(), re.compile(r"^COPY .*Scripts/release/release\.order", re.MULTILINE))
        self.assertIn("!Scripts/release/release.order\n", (deploy / "Dockerfile.dockerignore").read_text())


if __name__ == "__main__":
    unittest.main()
