"""Scripts/documentation/make-api-page: the reference pages are current, and their tables cover the sources."""

import json
import re
import subprocess
import unittest

from script_loading import load

make = load("make-api-page")
DOCUMENT = {
    "tags": [{"name": "Auth"}, {"name": "Absent"}],
    "paths": {
        "/a/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "post": {
                "tags": ["Auth"], "summary": "Do it", "description": "Once", "security": [{"user": []}],
                "parameters": [{"name": "scope", "in": "query", "required": True, "schema": {"enum": ["x", "y"]}, "description": "Far."}],
                "requestBody": {"content": {"application/json": {"schema": {"anyOf": [
                    {"properties": {"b": {"type": "string"}, "c": {}}, "required": ["b"]}, {"type": "array"}]}}}},
                "responses": {
                    "200": {"description": "Done.", "content": {"application/json": {
                        "schema": {"$ref": "#/components/schemas/Thing"}}}},
                    "400": {"description": "Wrong."}},
                "x-error-codes": ["one", "one"], "x-settings": ["s"],
            },
        },
        "/b": {"get": {"tags": ["Absent"], "summary": "Off", "responses": {"404": {}}, "x-error-codes": ["two"]}},
    },
    "components": {"parameters": {}, "schemas": {
        "Thing": {"properties": {"d": {"type": "string", "format": "uuid"}, "e": {"type": ["string", "null"]}}, "required": ["d"]}}},
}
SOURCE = '    /// It is\n    /// ``Thing``.\n    public static let first = Self(rawValue: "one")\n' \
    '    /// Gone.\n    public static let last = Self(rawValue: "three")\n'


class APIPageTests(unittest.TestCase):
    def test_both_pages_are_current(self):
        script = make.REPOSITORY / "Scripts/documentation/make-api-page"
        checked = subprocess.run([script, "--check"], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_a_route_is_shown_with_all_of_its_parts(self):
        shown = make.reference(DOCUMENT)
        for part in (
            "[Auth](#auth), [Objects](#objects)\n", "#### `POST /a/{id}`: Do it\n\nOnce.\n\n* Caller: user\n", "* Query: **`scope`** (`x`, `y`. Far)\n",
            "* Body: **`b`**, `c`; or array of any JSON\n", "* Returns: `200` Done ([Thing](#thing))\n", "* Errors: `one`\n",
            "### Thing\n", "**`d`** (uuid), `e` (string or null)\n",
        ):
            self.assertIn(part, shown)
        self.assertNotIn("/b", shown)

    def test_a_chapter_names_the_shared_caller_and_equal_facts_once(self):
        operation = DOCUMENT["paths"]["/a/{id}"]["post"]
        shown = "".join(make.chapter("Auth", [("Auth", method, "/a", {}, operation) for method in ("get", "post")], DOCUMENT))
        self.assertIn("### Auth\nCaller: user.\n", shown)
        self.assertEqual([shown.count(part) for part in ("Caller", "* Errors: `one`", "`c`", "* Otherwise as above\n")], [1, 1, 2, 1])

    def test_a_user_below_the_admin_api_may_be_missing(self):
        operation = {"x-error-codes": ["user_not_found", "one"]}
        self.assertEqual(make.own_codes(operation, make.ONE_USER + "/factors"), ["one"])
        self.assertEqual(make.own_codes(operation), ["user_not_found", "one"])

    def test_codes_are_shown_with_their_comments(self):
        shown = make.code_lists(SOURCE, "throw .first")
        self.assertIn("* `one`: It is `Thing`.\n", shown)
        self.assertIn("this server never sends them.\n\n* `three`: Gone.\n", shown)

    def test_codes_that_the_page_names_once_are_not_repeated(self):
        page = make.API_PAGE.read_text(encoding="utf-8").partition(make.MARKER)[0]
        shared = [codes for groups in make.SHARED.values() for codes in groups]
        self.assertEqual([code for code in set.union(make.GENERAL, *shared) if f"`{code}`" not in page], [])
        operation = {"security": [{"user": []}], "x-error-codes": [
            "bad_json", "TOKEN_INVALID", "UNAUTHORIZED", "one", "TOKEN_EXPIRED"]}
        self.assertEqual(make.own_codes(operation), ["one"])
        operation["x-error-codes"].remove("UNAUTHORIZED")
        self.assertEqual(make.own_codes(operation), ["TOKEN_INVALID", "one", "TOKEN_EXPIRED"])

    def test_a_code_without_an_explanation_is_found(self):
        self.assertEqual(make.strangers(DOCUMENT, SOURCE), [])
        self.assertEqual(make.strangers(DOCUMENT, ""), ["one"])
        unknown = {"paths": {"/a": {"get": {"tags": ["Auth"], "x-oauth-errors": ["invalid_grant", "nonsense"]}}}}
        self.assertEqual(make.strangers(unknown, SOURCE), ["nonsense"])

    def test_the_text_before_the_marker_is_kept(self):
        self.assertEqual(make.completed(f"a\n{make.MARKER}old", "new\n"), f"a\n{make.MARKER}\nnew\n")
        with self.assertRaises(SystemExit):
            make.completed("a\n", "new")

    def test_every_route_is_on_the_page(self):
        document = json.loads(make.DOCUMENT.read_text(encoding="utf-8"))
        page = make.API_PAGE.read_text(encoding="utf-8")
        routes = [(method.upper(), path) for _, method, path, *_ in make.operations(document)]
        self.assertGreater(len(routes), 80)
        self.assertEqual([route for route in routes if "#### `{} {}`".format(*route) not in page], [])

    def test_every_code_of_the_gateway_is_explained(self):
        sources = [*(make.REPOSITORY / "Sources/Server/ProfileGateway").rglob("*.swift"),
                   make.REPOSITORY / "Sources/Server/HTTPServing/Answers/RefusalFormat.swift"]
        text = "".join(path.read_text(encoding="utf-8") for path in sources)
        used = set(re.findall(r'RefusalCode\("([A-Z_]+)"\)|unauthorized\("([A-Z_]+)"|: "([A-Z_]+)"$', text, re.MULTILINE))
        used = {code for found in used for code in found if code}
        self.assertGreater(len(used), 12)
        self.assertEqual(used, set(make.GATEWAY))

    def test_every_error_of_the_oauth_server_is_explained(self):
        server = make.REPOSITORY / "Sources/Server/AuthServer"
        sources = [*(server / "OAuth").glob("*.swift"), server / "Tokens/KeyProofs.swift"]
        text = "".join(path.read_text(encoding="utf-8") for path in sources)
        form = r'(?:\.oauth\(|OAuthProblem\(|badBearer\(|error: String = |error: |error \?\? )\s*"([a-z_]+)"'
        used = set(re.findall(form, text))
        # Named in the call `.invalidRequest`, and by the name of the parameter.
        self.assertIn('OAuthProblem("\\(name)_not_supported"', text)
        used |= {"request_not_supported", "request_uri_not_supported", "registration_not_supported"}
        self.assertGreater(len(used), 15)
        self.assertEqual(used, set(make.OAUTH))


if __name__ == "__main__":
    unittest.main()
