"""Scripts/prepare.sh asks for the Swift that the documents name. Stand-ins let it find everything else."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def prepare(compiler):
    """Runs the script with a compiler that describes itself so."""
    with tempfile.TemporaryDirectory() as folder:
        programs = {"swiftc": f"cat <<'end'\n{compiler}\nend", "pkg-config": "exit 0", "uname": "echo Linux"}
        for name, script in programs.items():
            program = pathlib.Path(folder, name)
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        return subprocess.run([ROOT / "Scripts/prepare.sh"], env=environment, capture_output=True, text=True)


def describes(version):
    return f'{{\n  "compilerVersion": "{version} (swift-RELEASE)",\n  "target": {{\n    "triple": "x"\n'


class SwiftTests(unittest.TestCase):
    def test_an_older_swift_is_refused_by_its_patch_version_too_and_the_message_names_both(self):
        for version in ("6.2.2", "6.2", "6.1.10", "5.10.1"):
            with self.subTest(version):
                run = prepare(describes(f"Swift version {version}"))
                self.assertEqual(run.returncode, 1)
                self.assertIn("Swift 6.2.3 or later is needed", run.stderr)
                self.assertIn(f" is {version}.", run.stderr)

    def test_that_swift_and_a_newer_one_are_accepted_in_silence(self):
        for version in ("Swift version 6.2.3", "Apple Swift version 6.2.10", "Swift version 6.3-dev", "Swift version 7.0"):
            with self.subTest(version):
                run = prepare(describes(version))
                self.assertEqual((run.returncode, run.stdout + run.stderr), (0, ""))

    def test_a_compiler_without_a_version_is_refused(self):
        self.assertIn("of an unknown version", prepare("{}").stderr)

    def test_the_documents_name_the_same_version(self):
        wanted = re.search(r"^readonly SWIFT_WANTED=(\S+)$", (ROOT / "Scripts/prepare.sh").read_text(), re.MULTILINE)[1]
        for page in ("README.md", "CONTRIBUTING.md", "Docs/stability.md", "Docs/sign-in-in-ten-minutes.md"):
            named = re.findall(r"Swift (\d+(?:\.\d+)+) or later", (ROOT / page).read_text())
            self.assertEqual(set(named), {wanted}, page)


if __name__ == "__main__":
    unittest.main()
