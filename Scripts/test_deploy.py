"""What stands in Deploy/ names settings and paths that there are."""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "Deploy")


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


class DeployTests(unittest.TestCase):
    def test_every_setting_is_one_of_the_program(self):
        known = set(re.findall(r"`(GATEHOUSE_[A-Z0-9_]+)`", read("Docs", "configuration.md")))
        self.assertIn("GATEHOUSE_DATABASE", known)
        files = [entry.name for entry in os.scandir(FOLDER) if entry.is_file()]
        for name in sorted(files):
            named = set(re.findall(r"\bGATEHOUSE_[A-Z0-9_]+", read("Deploy", name)))
            self.assertEqual(sorted(named - known), [], name)

    def test_what_the_image_copies_is_there(self):
        for source in re.findall(r"^COPY (?!--from)(.+) \S+$", read("Deploy", "Dockerfile"), re.MULTILINE):
            for path in source.split():
                self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)
        kept = re.findall(r"^!(\S+)$", read("Deploy", "Dockerfile.dockerignore"), re.MULTILINE)
        self.assertEqual(sorted(kept), ["Package.swift", "Sources", "Tests"])

    def test_the_image_has_the_libraries_that_the_build_links(self):
        text = read("Deploy", "Dockerfile")
        linked = re.findall(r"lib(sqlite3|argon2|crypt|pq)-dev", text)
        self.assertEqual(sorted(linked), ["argon2", "crypt", "pq", "sqlite3"])
        for library in ("libsqlite3-0", "libargon2-1", "libcrypt1", "libpq5"):
            self.assertIn(library, text)

    def test_the_proxy_knows_the_nodes_of_the_composition(self):
        nodes = re.findall(r"^  (node-\w+):", read("Deploy", "compose.yaml"), re.MULTILINE)
        self.assertEqual(re.findall(r"server (node-\w+):9999", read("Deploy", "nginx.conf")), nodes)
        self.assertGreater(len(nodes), 1)

    def test_nodes_are_given_the_time_that_they_need_to_end(self):
        # `serve` finishes what runs within 15 s (ServiceGroup's limit in Serve.swift).
        serve = read("Sources", "GatehouseCLI", "Commands", "Serve.swift")
        self.assertIn("maximumGracefulShutdownDuration = .seconds(15)", serve)
        for name, pattern in (
            ("compose.yaml", r"stop_grace_period: (\d+)s"),
            ("gatehouse.service", r"TimeoutStopSec=(\d+)"),
            ("kubernetes.yaml", r"terminationGracePeriodSeconds: (\d+)"),
        ):
            self.assertGreater(int(re.search(pattern, read("Deploy", name)).group(1)), 15, name)


if __name__ == "__main__":
    unittest.main()
