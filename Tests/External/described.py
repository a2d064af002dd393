"""Compares the responses that the shared client sees with the OpenAPI document, if GATEHOUSE_DESCRIBED_LOG names a file:
a line for each response that the document does not describe."""

import functools
import json
import os
import re
import urllib.parse

import jsonschema_rs

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = os.path.join(REPOSITORY, "Sources", "GatehouseServer", "OpenAPI", "openapi.json")
LOG = os.environ.get("GATEHOUSE_DESCRIBED_LOG")
AUTH = "/auth/v1"
# Pages and files of `gatehouse dev`, which are no API.
PAGES = ("/account", "/console", "/dev", "/app", "/inbox")


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
        return "it has no such status"
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


def note(method, path, answer):
    """Writes an answer that the document does not describe into the log."""
    if urllib.parse.urlsplit(path).path.startswith(PAGES):
        return
    if why := fault(method, path, answer.status, answer.headers, answer.body):
        with open(LOG, "a", encoding="utf-8") as file:
            file.write(f"{method} {path}: {str(answer)[:300]}: {why}\n")
