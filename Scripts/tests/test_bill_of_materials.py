"""The bill of materials lists what is linked, and is the same each time."""

import json
import pathlib
import unittest

import script_loading  # noqa: F401  the folders of the scripts
import bill_of_materials

PINS = [
    {"identity": "swift-nio", "location": "https://github.com/apple/swift-nio.git",
     "state": {"revision": "1" * 40, "version": "2.1.0"}},
    {"identity": "jwt-kit", "location": "https://github.com/vapor/jwt-kit.git",
     "state": {"revision": "2" * 40, "version": "5.0.0"}},
    {"identity": "branch", "location": "https://example.org/branch", "state": {"revision": "3" * 40}},
]
MODULES = {"swift-nio": ["NIOCore", "NIOPosix"], "jwt-kit": ["JWTKit"], "branch": ["Branch"]}


class BillOfMaterialsTests(unittest.TestCase):
    def test_modules_come_from_the_list_of_what_is_linked(self):
        text = "/a/release/NIOCore.build/Channel.swift.o\n/a/release/Branch.build/x.c.o\n/a/release/NIOCore.build/b.o\n"
        self.assertEqual(bill_of_materials.linked_modules(text), {"NIOCore", "Branch"})

    def test_a_package_of_which_nothing_is_linked_is_left_out(self):
        found = list(bill_of_materials.swift_components(PINS, {"NIOCore", "Branch"}, MODULES.get))
        self.assertEqual([each["purl"] for each in found], [
            "pkg:swift/example.org/branch@" + "3" * 40, "pkg:swift/github.com/apple/swift-nio@2.1.0"])

    def test_libraries_that_the_program_loads_at_first_use_are_found_in_its_sources(self):
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        self.assertEqual(bill_of_materials.late_libraries(root), {"libcurl.so.4", "libpq.so.5"})

    def test_a_version_of_debian_is_encoded(self):
        purl = bill_of_materials.debian_component("libx1", "1:2+b3", "amd64", "bookworm")["purl"]
        self.assertEqual(purl, "pkg:deb/debian/libx1@1%3A2%2Bb3?arch=amd64&distro=bookworm")

    def test_the_document_depends_on_its_contents_alone(self):
        components = list(bill_of_materials.swift_components(PINS, {"NIOCore", "Branch"}, MODULES.get))
        made = [bill_of_materials.document("gatehouse", "1.0", "2026-01-31T00:00:00Z", each)
                for each in (components, components[::-1], components[:1])]
        self.assertEqual(made[0], made[1])
        numbers = [json.loads(each)["serialNumber"] for each in made]
        self.assertNotEqual(numbers[0], numbers[2])
        self.assertRegex(numbers[0], r"^urn:uuid:[0-9a-f-]{36}$")


if __name__ == "__main__":
    unittest.main()
