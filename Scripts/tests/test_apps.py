"""The Xcode projects under Apps/ name only existing files, and the apps' sources use only APIs of both systems.

This cannot build them; .github/workflows/ios.yml does, on a Mac.
"""

import json
import pathlib
import plistlib
import re
import struct
import subprocess
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMES = ("BoxScore", "DailyRitual")
LANGUAGES = ("ar", "de", "es", "ja")
PRODUCTS = {"Gatehouse", "GatehouseModel", "GatehouseUI", "GatehouseTesting"}
IMPORTS = {"Foundation", "SwiftUI", "AuthenticationServices", "Gatehouse", "GatehouseModel", "GatehouseUI"}
# Variables that Xcode defines itself.
BUILT_IN = {"inherited", "TARGET_NAME", "PRODUCT_BUNDLE_IDENTIFIER"}
IDENTIFIER = re.compile(r"[0-9A-F]{24}")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|[\w./$-]+|[{}()=;,]|\s+', re.DOTALL)
VARIABLE = re.compile(r"\$\((\w+)\)")
IMPORT = re.compile(r"^(?:@\w+ )*(?:public |package |internal )?import (\w+)", re.MULTILINE)
UI_TESTS = "bundle.ui-testing"
TAPPED = re.compile(r'(?:app\.\w+\[|label CONTAINS %@", )"([^"]+)"')
TEXT_KEY = re.compile(r'(?:\bText\(|\btext\()\s*"((?:[^"\\]|\\.)*)"')
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")


def read_project(source):
    """An old-style property list as dictionaries, lists and strings."""
    tokens, at = [], 0
    while at < len(source):
        found = TOKEN.match(source, at)
        if not found:
            raise ValueError(f"unreadable at {source[at:at + 20]!r}")
        at = found.end()
        if not found.group().isspace() and not found.group().startswith(("//", "/*")):
            tokens.append(found.group())
    tokens.reverse()

    def expect(mark):
        if (token := tokens.pop()) != mark:
            raise ValueError(f"{mark} expected, not {token}")

    def value():
        token = tokens.pop()
        if token == "{":
            members = {}
            while tokens[-1] != "}":
                key = value()
                expect("=")
                if key in members:
                    raise ValueError(f"{key} is there twice")
                members[key] = value()
                expect(";")
            tokens.pop()
            return members
        if token == "(":
            items = []
            while tokens[-1] != ")":
                items.append(value())
                if tokens[-1] != ")":
                    expect(",")
            tokens.pop()
            return items
        return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith('"') else token

    project = value()
    if tokens:
        raise ValueError("there is more than one value")
    return project


def read_settings(text):
    """Name -> value of the lines of an xcconfig, and its includes."""
    lines = [line.split("//")[0].strip() for line in text.splitlines()]
    settings = dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines if "=" in line)
    includes = [line for line in text.splitlines() if line.startswith("#include")]
    return settings, includes


def strings(value):
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from strings(member)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


class Project:
    def __init__(self, name):
        self.name = name
        self.folder = ROOT / "Apps" / name
        self.bundle = self.folder / f"{name}.xcodeproj"
        self.file = read_project((self.bundle / "project.pbxproj").read_text(encoding="utf-8"))
        self.objects = self.file["objects"]

    def all(self, kind):
        return {key: value for key, value in self.objects.items() if value["isa"] == kind}

    def paths(self):
        """Object -> path, of everything below the main group that has one."""
        found = {}

        def visit(key, base):
            entry = self.objects[key]
            if entry["sourceTree"] != "<group>":
                return
            path = base / entry["path"] if "path" in entry else base
            found[key] = path
            for child in entry.get("children", []):
                visit(child, path)

        visit(self.objects[self.file["rootObject"]]["mainGroup"], self.folder)
        return found

    def target(self, kind="application"):
        """The identifier of the target of this kind, and the target; None without one."""
        return next(((key, target) for key, target in self.all("PBXNativeTarget").items()
                     if target["productType"] == f"com.apple.product-type.{kind}"), None)

    def folders(self, kind="application"):
        paths = self.paths()
        return [paths[key] for key in self.target(kind)[1]["fileSystemSynchronizedGroups"]]

    def sources(self):
        return [path for folder in self.folders() for path in sorted(folder.rglob("*.swift"))]

    def configuration(self, name):
        return (self.folder / "Configuration" / name).read_bytes()


class AppTests(unittest.TestCase):
    def setUp(self):
        self.projects = [Project(name) for name in NAMES]

    def each(self):
        for project in self.projects:
            with self.subTest(project.name):
                yield project

    def test_every_reference_leads_to_an_object_and_every_object_is_used(self):
        for project in self.each():
            self.assertEqual(project.file["objectVersion"], "77")
            used = {text for text in strings([*project.objects.values(), project.file["rootObject"]])
                    if IDENTIFIER.fullmatch(text)}
            self.assertEqual(used, set(project.objects))

    def test_every_file_and_folder_of_the_project_exists(self):
        for project in self.each():
            for path in project.paths().values():
                self.assertTrue(path.exists(), path)
            for folder in project.folders():
                self.assertTrue(any(folder.iterdir()), folder)
            self.assertEqual(set(project.paths()) & set(project.all("PBXFileSystemSynchronizedRootGroup")),
                             set(project.all("PBXFileSystemSynchronizedRootGroup")))

    def test_every_path_in_the_build_settings_exists(self):
        for project in self.each():
            catalogues = {path.name for folder in project.folders() for path in folder.glob("*.xcassets/*")}
            _, target = project.target()
            configurations = project.objects[target["buildConfigurationList"]]["buildConfigurations"]
            self.assertEqual([project.objects[key]["name"] for key in configurations], ["Debug", "Release"])
            for configuration in (project.objects[key] for key in configurations):
                self.assertIn(configuration["baseConfigurationReference"], project.paths())
                settings = configuration["buildSettings"]
                for name in ("INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS", "DEVELOPMENT_ASSET_PATHS"):
                    self.assertTrue((project.folder / settings[name]).exists(), settings[name])
                self.assertIn(settings["ASSETCATALOG_COMPILER_APPICON_NAME"] + ".appiconset", catalogues)
                self.assertIn(settings["ASSETCATALOG_COMPILER_GLOBAL_ACCENT_COLOR_NAME"] + ".colorset", catalogues)

    def test_the_package_has_every_product(self):
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        for project in self.each():
            package, = project.all("XCLocalSwiftPackageReference").values()
            self.assertEqual((project.folder / package["relativePath"]).resolve(), ROOT)
            products = {entry["productName"] for entry in project.all("XCSwiftPackageProductDependency").values()}
            self.assertEqual(products, PRODUCTS)
            libraries, = re.findall(r'products: words\("(.*)"\)', manifest)
            self.assertLessEqual(products, set(libraries.split()))
            linked = {entry["productRef"] for entry in project.all("PBXBuildFile").values()}
            self.assertEqual(linked, set(project.all("XCSwiftPackageProductDependency")))

    def test_the_scheme_builds_the_target(self):
        for project in self.each():
            key, _ = project.target()
            scheme = xml.etree.ElementTree.parse(
                project.bundle / "xcshareddata" / "xcschemes" / f"{project.name}.xcscheme")
            references = [each for each in scheme.findall(".//BuildableReference")
                          if each.get("BuildableName").endswith(".app")]
            self.assertEqual(len(references), 3)
            for reference in references:
                self.assertEqual(reference.get("BlueprintIdentifier"), key)
                self.assertEqual(reference.get("ReferencedContainer"), f"container:{project.bundle.name}")
                self.assertEqual(reference.get("BuildableName"), f"{project.name}.app")
            xml.etree.ElementTree.parse(project.bundle / "project.xcworkspace" / "contents.xcworkspacedata")

    def test_the_scheme_tests_the_app_with_its_ui_tests(self):
        project, = (project for project in self.projects if project.target(UI_TESTS))
        (key, target), (app, _) = project.target(UI_TESTS), project.target()
        scheme = xml.etree.ElementTree.parse(
            project.bundle / "xcshareddata" / "xcschemes" / f"{project.name}.xcscheme")
        tested = [each.get("BlueprintIdentifier") for each in scheme.findall("./TestAction//BuildableReference")]
        self.assertEqual(tested, [key])
        self.assertEqual([project.objects[each]["target"] for each in target["dependencies"]], [app])
        configurations = project.objects[target["buildConfigurationList"]]["buildConfigurations"]
        self.assertEqual({project.objects[each]["buildSettings"]["TEST_TARGET_NAME"] for each in configurations},
                         {project.name})
        self.assertIn(f'Apps/{project.name}/{project.name}.xcodeproj',
                      (ROOT / ".github" / "workflows" / "ios.yml").read_text(encoding="utf-8"))

    def test_the_ui_tests_tap_texts_that_the_screens_have(self):
        project, = (project for project in self.projects if project.target(UI_TESTS))
        catalogues = [path for folder in (*project.folders(), ROOT / "Sources/Client") for path in folder.rglob("*.xcstrings")]
        texts = {text for path in catalogues for text in json.loads(path.read_bytes())["strings"]}
        shown = [re.compile(".+".join(map(re.escape, text.split("%@")))) for text in texts if text.strip("%@")]
        screens = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "Sources/Client/GatehouseUI").rglob("*.swift"))
        tapped = [text for folder in project.folders(UI_TESTS) for path in folder.glob("*.swift")
                  for text in TAPPED.findall(path.read_text(encoding="utf-8"))]
        self.assertGreater(len(tapped), 10)
        for text in tapped:
            self.assertTrue(any(pattern.fullmatch(text) for pattern in shown)
                            or f'.accessibilityIdentifier("{text}")' in screens, text)

    def test_every_value_that_info_and_entitlements_name_is_set(self):
        for project in self.each():
            settings, includes = read_settings(project.configuration("App.xcconfig").decode())
            self.assertEqual(includes, [f'#include? "{project.name}.xcconfig"'])
            template, _ = read_settings(project.configuration(f"{project.name}.xcconfig.template").decode())
            self.assertEqual(set(template), set(settings))
            for name in ("Info.plist", f"{project.name}.entitlements"):
                used = VARIABLE.findall(project.configuration(name).decode())
                self.assertEqual(set(used) - set(settings) - BUILT_IN, set())

    def test_own_values_are_not_committed(self):
        for project in self.each():
            own = f"Apps/{project.name}/Configuration/{project.name}.xcconfig"
            ignored = subprocess.run(["git", "check-ignore", "--quiet", own], cwd=ROOT, check=False)
            self.assertEqual(ignored.returncode, 0, own)
            tracked = subprocess.check_output(["git", "ls-files", own], cwd=ROOT, text=True)
            self.assertEqual(tracked, "")

    def test_each_app_has_its_own_scheme_apple_sign_in_and_domain(self):
        schemes = set()
        for project in self.each():
            settings, _ = read_settings(project.configuration("App.xcconfig").decode())
            schemes.add(settings["APP_URL_SCHEME"])
            info = plistlib.loads(project.configuration("Info.plist"))
            self.assertEqual(info["CFBundleURLTypes"][0]["CFBundleURLSchemes"], ["$(APP_URL_SCHEME)"])
            self.assertEqual(info["GatehouseRedirect"], "$(APP_URL_SCHEME)://auth-callback")
            entitlements = plistlib.loads(project.configuration(f"{project.name}.entitlements"))
            self.assertEqual(entitlements["com.apple.developer.applesignin"], ["Default"])
            self.assertEqual(entitlements["com.apple.developer.associated-domains"],
                             ["applinks:$(APP_DOMAIN)", "webcredentials:$(APP_DOMAIN)"])
        self.assertEqual(schemes, {"boxscore", "dailyritual"})

    def test_info_has_exactly_the_keys_that_the_app_reads(self):
        read = set(re.findall(r'"(Gatehouse\w+)"', (ROOT / "Apps/Shared/ServerSettings.swift").read_text()))
        for project in self.each():
            info = plistlib.loads(project.configuration("Info.plist"))
            self.assertEqual({key for key in info if key.startswith("Gatehouse")}, read)

    def test_the_privacy_manifest_lists_stored_data_and_no_tracking(self):
        for project in self.each():
            manifest, = (path for folder in project.folders() for path in folder.glob("PrivacyInfo.xcprivacy"))
            privacy = plistlib.loads(manifest.read_bytes())
            self.assertIs(privacy["NSPrivacyTracking"], False)
            self.assertEqual(privacy["NSPrivacyTrackingDomains"], [])
            kinds = {entry["NSPrivacyCollectedDataType"] for entry in privacy["NSPrivacyCollectedDataTypes"]}
            self.assertEqual(kinds, {f"NSPrivacyCollectedDataType{kind}"
                                     for kind in ("EmailAddress", "Name", "UserID", "OtherUserContent",
                                                  "ProductInteraction")})
            for entry in privacy["NSPrivacyCollectedDataTypes"]:
                is_telemetry = entry["NSPrivacyCollectedDataType"].endswith("ProductInteraction")
                self.assertIs(entry["NSPrivacyCollectedDataTypeLinked"], not is_telemetry)
                self.assertIs(entry["NSPrivacyCollectedDataTypeTracking"], False)
            self.assertEqual(len(privacy["NSPrivacyAccessedAPITypes"]), 1)

    def test_the_icon_is_a_square_of_1024_without_transparency(self):
        for project in self.each():
            icons, = (path for folder in project.folders() for path in folder.glob("*.xcassets/AppIcon.appiconset"))
            image, = json.loads((icons / "Contents.json").read_bytes())["images"]
            data = (icons / image["filename"]).read_bytes()
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            width, height, depth, color = struct.unpack(">IIBB", data[16:26])
            self.assertEqual((width, height, depth, color), (1024, 1024, 8, 2))

    def test_the_sources_have_no_platform_switch_and_import_only_shared_modules(self):
        for project in self.each():
            self.assertGreater(len(project.sources()), 5)
            entries = 0
            for path in project.sources():
                source = path.read_text(encoding="utf-8")
                if path.parent.name == "Previews":
                    # Not in a shipped app.
                    self.assertRegex(source, r"\A#if DEBUG\n(?s:.*)\n#endif\n\Z", path)
                    source = source.removeprefix("#if DEBUG\n")
                self.assertNotRegex(source, r"(?m)^\s*#(?:if|elseif)\b", path)
                allowed = IMPORTS | ({"GatehouseTesting"} if path.parent.name == "Previews" else set())
                self.assertLessEqual(set(IMPORT.findall(source)), allowed, path)
                entries += len(re.findall(r"^@main$", source, re.MULTILINE))
            self.assertEqual(entries, 1)

    def test_the_previews_are_compiled_in_debug_builds_only(self):
        """Xcode sets the condition for packages, and for an app only if its project does."""
        for project in self.each():
            key = "SWIFT_ACTIVE_COMPILATION_CONDITIONS"
            settings = [(value["name"], value["buildSettings"].get(key)) for value in project.all("XCBuildConfiguration").values()]
            self.assertIn(("Debug", "DEBUG"), settings)
            self.assertEqual({value for name, value in settings if name != "Debug"}, {None})

    def test_linux_only_files_are_in_no_project(self):
        for project in self.each():
            self.assertTrue((project.folder / "Linux").is_dir())
            self.assertFalse(any("Linux" in path.parts for path in project.sources()))

    def test_every_text_is_in_a_catalogue_in_every_language(self):
        for project in self.each():
            texts = {}
            for folder in project.folders():
                for path in folder.glob("*.xcstrings"):
                    catalogue = json.loads(path.read_bytes())
                    self.assertEqual(catalogue["sourceLanguage"], "en")
                    texts.update(catalogue["strings"])
            for key, text in texts.items():
                for language in LANGUAGES:
                    value = text["localizations"][language]["stringUnit"]["value"]
                    self.assertEqual(value.count("%@"), key.count("%@"), f"{key} in {language}")
            used = [INTERPOLATION.sub("%@", key) for path in project.sources()
                    for key in TEXT_KEY.findall(path.read_text(encoding="utf-8"))]
            self.assertGreater(len(used), 10)
            self.assertEqual({key.replace("\\n", "\n") for key in used} - set(texts), set())

    def test_the_workflow_builds_both(self):
        workflow = (ROOT / ".github" / "workflows" / "ios.yml").read_text(encoding="utf-8")
        self.assertIn("Apps/${{ matrix.app }}/${{ matrix.app }}.xcodeproj", workflow)
        for name in NAMES:
            self.assertIn(name, re.search(r"app: \[(.*)\]", workflow).group(1).split(", "))


class ReadingTests(unittest.TestCase):
    def test_a_property_list_is_read(self):
        source = '// !$*UTF8*$!\n{ a = (b, "c \\"d\\"", ); /* note */ e = { f = ../x; }; }'
        self.assertEqual(read_project(source), {"a": ["b", 'c "d"'], "e": {"f": "../x"}})

    def test_an_invalid_project_is_refused(self):
        for source in ("{ a = b }", "{ a = b; a = c; }", "{ a = b; } c", "{ a b; }", "{ a = <00>; }"):
            with self.assertRaises((ValueError, IndexError), msg=source):
                read_project(source)

    def test_a_comment_ends_a_setting(self):
        text = 'A = https:/$()/x.com // why\nB =\n#include? "C.xcconfig"\n'
        self.assertEqual(read_settings(text), ({"A": "https:/$()/x.com", "B": ""}, ['#include? "C.xcconfig"']))


if __name__ == "__main__":
    unittest.main()
