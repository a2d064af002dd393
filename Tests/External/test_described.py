"""The comparison of responses with the OpenAPI document finds what the document does not describe."""

import json

import pytest

from described import fault

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("method, path, status, body, why", [
    ("GET", "/ready", 200, {"status": "ready"}, None),
    ("HEAD", "/ready", 200, {"status": "ready"}, None),
    ("GET", "/auth/v1/health", 404, {"error": "NOT_FOUND", "message": "There is nothing at this address."}, None),
    ("GET", "/nowhere", 404, {}, None),
    ("GET", "/ready", 503, {"status": "on holiday"}, "is not one of"),
    ("GET", "/ready", 200, {}, "required"),
    ("GET", "/ready", 418, {}, "no such status"),
    ("GET", "/nowhere", 200, {}, "no such path"),
    ("DELETE", "/ready", 200, {}, "no such method"),
    ("GET", "/auth/v1/health", 404, {"error": "GONE"}, "no such status"),
])
def test_a_response_is_compared_with_its_description(method, path, status, body, why):
    found = fault(method, path, status, JSON, json.dumps(body).encode())
    assert found is None if why is None else why in found


def test_a_body_of_another_type_is_a_fault():
    assert "content type" in fault("GET", "/ready", 200, {"content-type": "text/html"}, b"<p>")
    assert "no JSON" in fault("GET", "/ready", 200, JSON, b"{")
