"""Benchmarks/costs compares counts with a record."""

import json
import shutil
import subprocess
import tempfile
import unittest

from script_loading import load

costs = load("../Benchmarks/costs")


class CostsTests(unittest.TestCase):
    def test_the_total_of_a_dump_is_read(self):
        self.assertEqual(costs.total("version: 1\nevents: Ir\n\nfn=(1)\n10 5\ntotals: 1234\n"), 1234)

    def test_more_than_the_limit_fails_and_less_asks_for_a_record(self):
        record = {"a": 1_000, "b": 1_000, "c": 1_000, "gone": 1}
        counts = {"a": 1_080, "b": 1_081, "c": 919, "new": 5}
        self.assertEqual([(name, word) for name, _, _, word in costs.verdicts(counts, record)], [
            ("a", "ok"), ("b", "too much"), ("c", "less: record it"), ("new", "not in the record"),
            ("gone", "not counted")])

    def test_the_program_is_built_by_this_repository(self):
        """Python's own package of the same name has no `build`."""
        self.assertTrue(callable(costs.packaging.build) and callable(costs.packaging.stamp))

    def test_the_distance_of_runs_is_a_part_of_their_median(self):
        self.assertEqual(costs.spread([{"a": 90}, {"a": 100}, {"a": 110}]), {"a": 20.0})

    def test_the_table_has_the_change(self):
        self.assertIn("| a | 1,100 | +10.0 % | too much |", costs.table(costs.verdicts({"a": 1_100}, {"a": 1_000})))

    def test_the_record_has_every_kind_of_request(self):
        class Server:
            def json(self, *request, **options):
                return {"access_token": "", "refresh_token": ""}
        record = json.loads(costs.RECORD.read_text())
        self.assertEqual(sorted(record["instructions"]), sorted(costs.requests(Server())))

    @unittest.skipUnless(shutil.which("cc"), "no C compiler is installed")
    def test_the_stand_in_of_argon2_distinguishes_passwords(self):
        source = costs.HERE / "cheap-argon2.c"
        main = """
            #include <argon2.h>
            #include <stdio.h>
            #include <string.h>
            int main(int count, char **arguments) {
                unsigned char out[32];
                argon2_context context = {.out = out, .outlen = 32, .pwd = (unsigned char *)arguments[1],
                    .pwdlen = (unsigned)strlen(arguments[1]), .salt = (unsigned char *)arguments[2],
                    .saltlen = (unsigned)strlen(arguments[2])};
                if (argon2_ctx(&context, Argon2_id) != ARGON2_OK) return 1;
                for (int index = 0; index < 32; index++) printf("%02x", out[index]);
            }"""
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/program"
            built = subprocess.run(["cc", "-o", program, str(source), "-x", "c", "-"], input=main, text=True,
                                   capture_output=True)
            if "argon2.h" in built.stderr:
                self.skipTest("libargon2's header is not installed")
            self.assertEqual(built.returncode, 0, built.stderr)
            made = [subprocess.check_output([program, *pair], text=True)
                    for pair in (("one", "salt"), ("one", "salt"), ("two", "salt"), ("one", "other"))]
        self.assertEqual(made[0], made[1])
        self.assertEqual(len(set(made)), 3)


if __name__ == "__main__":
    unittest.main()
