"""Compares each response that the shared client sees with the OpenAPI document. A fixture of `conftest` fails the test
that got a response which the document does not describe."""

import functools
import json
import os
import re
import urllib.parse

import jsonschema_rs

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = os.path.join(REPOSITORY, "Sources", "Server", "GatehouseServer", "OpenAPI", "openapi.json")
AUTH = "/auth/v1"
# Pages and files of `gatehouse dev`, which are no API.
PAGES = ("/account", "/console", "/dev", "/app", "/inbox")
# The body of a 404 at the paths of a role that the node does not have, or of a feature that is turned off.
ABSENT = b'"NOT_FOUND"'


@functools.cache
def document():
    with open(DOCUMENT, encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def routes():
    """Pairs of a pattern and the operations of its path; fixed paths come before those with parameters."""
    paths = sorted(document()["paths"].items(), key=lambda item: ("{" in item[0], item[0]))
    return [(re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "/?"), ways) for path, ways in paths]


def ways(path):
    """The operations at a path, also of an Auth API at the root; None for an unknown path."""
    for candidate in (path, AUTH + path):
        for pattern, found in routes():
            if pattern.fullmatch(candidate):
                return found
    return None


def resolved(part):
    while "$ref" in part:
        target = document()
        for name in part["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        part = target
    return part


@functools.cache
def validator(schema):
    # References lead to the root, which is this schema.
    whole = {**json.loads(schema), "components": document()["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def fault(method, path, status, headers, body):
    """Why the document does not describe this response; None if it does."""
    found = ways(urllib.parse.urlsplit(path).path)
    if found is None:
        return None if status in (404, 405) else "the document has no such path"
    operation = found.get("get" if method == "HEAD" else method.lower())
    if operation is None:
        return None if status == 405 or method == "OPTIONS" else "it has no such method"
    response = operation["responses"].get(str(status))
    if response is None:
        return None if status == 404 and ABSENT in body else "it has no such status"
    response = resolved(response)
    content = response.get("content", {})
    if method == "HEAD" or not body and not content:
        return None
    kind = headers.get("content-type", "").partition(";")[0]
    if kind not in content:
        return f"it has no such content type ({kind})"
    schema = content[kind].get("schema")
    if kind != "application/json" or schema is None:
        return None
    try:
        found = validator(json.dumps(schema)).iter_errors(json.loads(body))
    except ValueError:
        return "it is no JSON"
    errors = [f"{error.instance_path}: {error.message}" for error in found]
    return "; ".join(errors) or None


class Faults:
    """The responses that the document does not describe, of one process of tests."""

    def __init__(self):
        self.found = []

    def note(self, method, path, answer):
        if urllib.parse.urlsplit(path).path.startswith(PAGES):
            return
        if why := fault(method, path, answer.status, answer.headers, answer.body):
            self.found.append(f"{method} {path}: {str(answer)[:300]}: {why}")

    def taken(self):
        """What was found since the last call."""
        found, self.found = self.found, []
        return found
