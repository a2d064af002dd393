"""Versions, places and scripts of an installation."""

import gzip
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from script_loading import load
import packaging

dist, install, package_test = load("dist"), load("install"), load("../Tests/Soak/package")
DEPLOY = packaging.ROOT / "Deploy"
STAMP = packaging.Stamp("0123456789ab", 1_769_817_600)


class VersionTests(unittest.TestCase):
    def test_a_tagged_commit_has_the_programs_version(self):
        for tags in (["v0.3.0"], ["0.3.0"]):
            self.assertEqual(packaging.package_version("0.3.0", tags, STAMP), "0.3.0")

    def test_other_commits_sort_after_it_by_time(self):
        versions = [packaging.package_version("0.3.0", ["v0.2.0"], packaging.Stamp("f" * 12, STAMP.epoch + later))
                    for later in (0, 1)]
        self.assertEqual(versions[0], "0.3.0+git20260131000000.ffffffffffff")
        self.assertEqual(sorted(["0.3.0", *versions]), ["0.3.0", *versions])
        if shutil.which("dpkg"):
            for older, newer in (("0.3.0", versions[0]), versions, (versions[1], "0.3.1")):
                subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=True)

    def test_the_version_is_read_from_the_source(self):
        text = (packaging.ROOT / "Sources/Server/GatehouseServer/ProgramVersion.swift").read_text()
        self.assertRegex(packaging.program_version(text), r"^\d+\.\d+\.\d+")

    def test_the_upgrade_of_the_package_test_is_a_later_version(self):
        version = packaging.package_version("0.3.0", [], STAMP)
        if shutil.which("dpkg"):
            later = package_test.version_after(version)
            subprocess.run(["dpkg", "--compare-versions", version, "lt", later], check=True)


class TreeTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_files_have_their_rights_whatever_the_umask(self):
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        place = packaging.write(self.folder, "/usr/bin/tool", b"x", 0o755)
        self.assertEqual([each.stat().st_mode & 0o777 for each in (place, place.parent, place.parent.parent)], [0o755] * 3)

    def test_a_compressed_file_has_no_time(self):
        self.assertEqual(packaging.packed("text")[4:8], bytes(4))
        self.assertEqual(gzip.decompress(packaging.packed("text")), b"text")

    def test_an_installation_replaces_files_and_is_removed_with_its_folders_alone(self):
        tree, root = self.folder / "tree", self.folder / "root"
        packaging.write(tree, "usr/lib/gatehouse/gatehouse", b"new")
        packaging.write(tree, "usr/share/man/man1/gatehouse.1", b"page")
        (tree / "usr/bin").mkdir()
        (tree / "usr/bin/gatehouse").symlink_to("../lib/gatehouse/gatehouse")
        old = packaging.write(root, "usr/lib/gatehouse/gatehouse", b"old")
        with open(old, "rb") as running:
            install.copy(tree, root)
            self.assertEqual(running.read(), b"old")
        self.assertEqual((root / "usr/bin/gatehouse").read_bytes(), b"new")
        self.assertEqual(len(install.files(root)), 3)
        packaging.write(root, f"usr/lib/gatehouse/{install.LIST}", "".join(
            f"{path}\n" for path in [*install.files(tree), f"usr/lib/gatehouse/{install.LIST}"]))
        install.uninstall("/usr/lib/gatehouse", root)
        self.assertEqual(install.files(root), [])
        self.assertFalse((root / "usr/lib/gatehouse").exists())
        self.assertTrue((root / "usr/share/man/man1").exists())

    def test_only_what_was_installed_is_removed(self):
        with self.assertRaisesRegex(SystemExit, "nothing is installed there"):
            install.uninstall("/usr/lib/gatehouse", self.folder)
        kept = packaging.write(self.folder, "kept", "x")
        for line in ("/kept", "../kept", "usr/../../kept"):
            packaging.write(self.folder / "root", f"usr/lib/gatehouse/{install.LIST}", line)
            with self.assertRaisesRegex(SystemExit, "names files elsewhere"):
                install.uninstall("/usr/lib/gatehouse", self.folder / "root")
        self.assertTrue(kept.exists())

    def test_two_archives_of_a_tree_are_the_same(self):
        if not shutil.which("tar"):
            self.skipTest("tar is not installed")
        dist.PACKAGES, before = self.folder, dist.PACKAGES
        self.addCleanup(setattr, dist, "PACKAGES", before)
        made = []
        for names in (("a", "b"), ("b", "a")):
            tree = self.folder / "-".join(names)
            for name in names:
                packaging.write(tree, f"tool/{name}", name)
            made.append(dist.tarball(tree, "tool", STAMP.epoch).read_bytes())
        self.assertEqual(made[0], made[1])


class DebianTests(unittest.TestCase):
    def test_a_library_without_a_dependency_is_found(self):
        depends = ["libc6 (>= 2.36)", "libcurl4 (>= 7) | libcurl4t64", "adduser"]
        self.assertEqual(dist.missing_dependencies(depends, ["libc6", "libcurl4t64"]), [])
        self.assertEqual(dist.missing_dependencies(depends, ["libpq5", "libc6"]), ["libpq5"])

    def test_the_licence_is_quoted_whole(self):
        text = dist.copyright_text()
        self.assertIn("Copyright: 2026 The Gatehouse authors\n", text)
        self.assertIn("\n .\n", text)
        self.assertIn("WITHOUT WARRANTY OF ANY KIND", text)

    def test_the_scripts_of_the_package_are_shell(self):
        for script in dist.SCRIPTS:
            subprocess.run(["sh", "-n", str(DEPLOY / "debian" / script)], check=True)
            self.assertTrue(os.access(DEPLOY / "debian" / script, os.X_OK), script)

    def run_script(self, name, *arguments, **programs):
        """Runs a script of the package with its places in a folder of the test, and with the programs of a test."""
        for program, text in {"getent": "exit 0", "chown": "exit 0", "systemctl": "exit 0", **programs}.items():
            packaging.write(self.folder, f"/bin/{program}", f"#!/bin/sh\n{text}\n".encode(), 0o755)
        script = (DEPLOY / "debian" / name).read_text().replace("install -d -o gatehouse -g gatehouse", "install -d")
        for place in ("/etc/", "/var/lib/", "/run/", "/sys/"):
            script = script.replace(place, f"{self.folder}{place}")
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        return subprocess.run(["sh", "-c", script, name, *arguments], env={**os.environ, "PATH": path},
                              capture_output=True, text=True)

    def installed(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        packaging.write(self.folder, "/etc/gatehouse/gatehouse.yaml", b"external_url:\n", 0o640)
        return self.folder / "etc/gatehouse/secrets", self.folder / "var/lib/gatehouse"

    def test_a_secret_is_made_once_and_a_link_stays(self):
        secrets, _ = self.installed()
        made = []
        for before in ("", "0.1"):
            self.assertEqual(self.run_script("postinst", "configure", before).returncode, 0)
            made.append(secrets.read_text())
        self.assertRegex(made[0], r"^1:[A-Za-z0-9+/]{43}=\n$")
        self.assertEqual(made[1], made[0])
        secrets.unlink()
        secrets.symlink_to(self.folder / "volume/secrets")
        self.assertEqual(self.run_script("postinst", "configure", "0.1").returncode, 0)
        self.assertEqual(os.readlink(secrets), str(self.folder / "volume/secrets"))
        self.assertEqual(list(secrets.parent.glob("secrets.*")), [])

    def test_a_purge_empties_the_folder_and_leaves_only_a_mount_point(self):
        # As rm behaves at a mount point, and where it can remove nothing.
        busy = 'for each; do last=$each; done; case $last in */gatehouse) find "$last" -mindepth 1 -delete; exit 1;; esac'
        stuck = 'for each; do last=$each; done; case $last in */gatehouse) exit 1;; esac'
        for rm, code, left in (("", 0, None), (busy, 0, []), (stuck, 1, ["accounts.db"])):
            secrets, state = self.installed()
            secrets.write_text("1:x\n")
            packaging.write(self.folder, "/var/lib/gatehouse/accounts.db", b"x", 0o600)
            ended = self.run_script("postrm", "purge", rm=f'{rm}\nexec {shutil.which("rm")} "$@"')
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.assertEqual(os.listdir(state) if state.exists() else None, left)
            self.assertFalse(secrets.exists())

    def test_the_unit_and_the_profile_name_installed_files(self):
        places = packaging.debian_places()
        unit = packaging.unit((DEPLOY / "gatehouse.service").read_text(), places)
        profile = packaging.profile((DEPLOY / "apparmor").read_text(), places)
        command, user, state, environment = package_test.started_command(unit, {"A": "b"})
        self.assertEqual(command, ["/usr/bin/gatehouse", "serve", "--config", dist.CONFIGURATION[1]])
        self.assertEqual((user, state, environment), ("gatehouse", "gatehouse", {"A": "b"}))
        self.assertIn("  /usr/lib/gatehouse/gatehouse mr,\n", profile)
        self.assertNotIn("@LIBEXEC@", profile)
        self.assertIn("AppArmorProfile=-gatehouse-server\n", unit)
        self.assertIn("profile gatehouse-server {", profile)
        self.assertTrue(dist.CONFIGURATION[0].endswith("/gatehouse-server"))

    @unittest.skipUnless(shutil.which("apparmor_parser"), "apparmor_parser is not installed")
    def test_the_profile_is_understood(self):
        text = packaging.profile((DEPLOY / "apparmor").read_text(), packaging.debian_places())
        ended = subprocess.run(["apparmor_parser", "--skip-kernel-load", "--skip-cache"], input=text,
                               capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)


if __name__ == "__main__":
    unittest.main()
