"""The privacy manifest of each library that an app links names the APIs that its sources use and Apple wants a reason for.

https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
"""

import pathlib
import plistlib
import re
import unittest

import script_loading  # noqa: F401  the folders of the scripts
from swift_text import SwiftText

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Library -> the targets that come with it and are no product. GatehouseTesting is for tests; no shipped app links it.
LIBRARIES = {"Gatehouse": ("GatehouseWire",), "GatehouseModel": (), "GatehouseUI": ()}
APPS = ("BoxScore", "DailyRitual")

# Category -> the API as it reads in Swift code, and the reasons that Apple accepts.
CATEGORIES = {
    "FileTimestamp": (
        r"\b(?:f|l)?stat(?:at)?\s*\(|\bf?getattrlist(?:at|bulk)?\b"
        r"|\b(?:content|file)?[Mm]odificationDate(?:Key)?\b|\bcreationDate(?:Key)?\b",
        {"DDA9.1", "C617.1", "3B52.1", "0A2A.1"}),
    "SystemBootTime": (r"\bsystemUptime\b|\bmach_absolute_time\b", {"35F9.1", "8FFB.1", "3D61.1"}),
    "DiskSpace": (
        r"\bvolume(?:Available|Total)Capacity\w*|\bsystem(?:Free)?Size\b|\bf?stat(?:v)?fs\b",
        {"85F4.1", "E174.1", "7D9E.1", "B728.1"}),
    "ActiveKeyboards": (r"\bactiveInputModes\b", {"3EC4.1", "54BD.1"}),
    "UserDefaults": (r"\bUserDefaults\b|@AppStorage\b", {"CA92.1", "1C8F.1", "C56D.1", "AC6B.1"}),
}


def used(code):
    """The categories whose APIs this code uses."""
    return {name for name, (pattern, _) in CATEGORIES.items() if re.search(pattern, code)}


def used_by(library):
    folders = (ROOT / "Sources" / "Client" / name for name in (library, *LIBRARIES[library]))
    paths = (path for folder in folders for path in folder.rglob("*.swift"))
    return set().union(*(used(SwiftText(path.read_text(encoding="utf-8")).code) for path in paths))


def manifest(library):
    return plistlib.loads((ROOT / "Sources" / "Client" / library / "PrivacyInfo.xcprivacy").read_bytes())


def collected(privacy):
    return {entry["NSPrivacyCollectedDataType"] for entry in privacy["NSPrivacyCollectedDataTypes"]}


class PrivacyTests(unittest.TestCase):
    def test_each_library_declares_the_apis_that_it_uses_with_a_reason(self):
        for library in LIBRARIES:
            with self.subTest(library):
                declared = {
                    entry["NSPrivacyAccessedAPIType"].removeprefix("NSPrivacyAccessedAPICategory"):
                        entry["NSPrivacyAccessedAPITypeReasons"]
                    for entry in manifest(library)["NSPrivacyAccessedAPITypes"]
                }
                self.assertEqual(set(declared), used_by(library))
                for category, reasons in declared.items():
                    self.assertTrue(reasons)
                    self.assertLessEqual(set(reasons), CATEGORIES[category][1])

    def test_no_library_tracks(self):
        for library in LIBRARIES:
            privacy = manifest(library)
            self.assertIs(privacy["NSPrivacyTracking"], False)
            self.assertEqual(privacy["NSPrivacyTrackingDomains"], [])
            for entry in privacy["NSPrivacyCollectedDataTypes"]:
                self.assertIs(entry["NSPrivacyCollectedDataTypeLinked"], True)
                self.assertIs(entry["NSPrivacyCollectedDataTypeTracking"], False)

    def test_the_apps_declare_what_the_libraries_send(self):
        sent = set().union(*(collected(manifest(library)) for library in LIBRARIES))
        self.assertGreaterEqual(len(sent), 3)
        for app in APPS:
            path = ROOT / "Apps" / app / "Resources" / "PrivacyInfo.xcprivacy"
            self.assertLessEqual(sent, collected(plistlib.loads(path.read_bytes())))

    def test_the_package_gives_each_library_its_manifest(self):
        package = (ROOT / "Package.swift").read_text(encoding="utf-8")
        for library in LIBRARIES:
            self.assertIn(f'"{library}": privacy.excluded', package)
            self.assertRegex(package, rf'"{library}": (?:\[[^\]]*\] \+ )?privacy\.resources')

    def test_uses_are_found_in_code_only(self):
        for code, category in (
            ("try check(fstat(file, &status))", "FileTimestamp"), ("stat(path, &a)", "FileTimestamp"),
            ("a[.modificationDate]", "FileTimestamp"), ("[.contentModificationDateKey]", "FileTimestamp"),
            ("[.creationDate]", "FileTimestamp"), ("getattrlist(a)", "FileTimestamp"),
            ("ProcessInfo.processInfo.systemUptime", "SystemBootTime"), ("mach_absolute_time()", "SystemBootTime"),
            ("[.volumeAvailableCapacityKey]", "DiskSpace"), ("statfs(a, &b)", "DiskSpace"),
            ("UITextInputMode.activeInputModes", "ActiveKeyboards"), ("UserDefaults.standard", "UserDefaults"),
            ('@AppStorage("a") var b', "UserDefaults"),
        ):
            with self.subTest(code):
                self.assertEqual(used(code), {category})
        self.assertEqual(used(SwiftText("// UserDefaults\nlet a = \"systemUptime\"").code), set())
        self.assertEqual(used("statistics(a); state(b); attributes[.size]"), set())


if __name__ == "__main__":
    unittest.main()
