"""Odd and hostile input on every route of the OAuth server: refused with a stable code, and nothing changes."""

import base64
import urllib.parse

import pytest
from agent import OAUTH, REDIRECT, Agent, User, admin

API = "https://api.example.org/mcp"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request, session_servers):
    settings = {**OAUTH, "GATEHOUSE_OAUTH_RESOURCES": API, "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true"}
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return session_servers.serve(**settings).start()


@pytest.fixture
def ada(server):
    return User(server)


@pytest.fixture
def agent(server):
    return Agent(server)


def basic(name, secret):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()}


# Who a client is.


@pytest.mark.parametrize(
    "header",
    [
        "Basic", "Basic %%%", "Basic " + base64.b64encode(b"\xff\xfe:\xff").decode(), "Basic Og==", "Basic " + "A" * 5_000,
        "Basic " + base64.b64encode(b"no colon").decode(), "Basic " + base64.b64encode(b"%zz:%zz").decode(), "Bearer x", "Negotiate x",
        "Basic " + base64.b64encode(b"a\x00b:c\x00d").decode(),
    ],
)
def test_a_broken_header_identifies_nobody(agent, header):
    for path in ("/oauth/token", "/oauth/introspect", "/oauth/revoke", "/oauth/par", "/oauth/device_authorization"):
        fields = {"grant_type": "refresh_token", "refresh_token": "a", "token": "a"}
        answer = agent.http.post(path, data=fields, headers={"Authorization": header})
        assert answer.status_code in (400, 401) and answer.json()["error"] == "invalid_client", (path, answer.text)


def test_a_secret_in_the_header_is_form_encoded(server):
    """RFC 6749 §2.3.1; every character may be encoded."""
    agent = Agent(server)
    encoded = "".join(f"%{byte:02x}" for byte in agent.secret.encode())
    fields = {"grant_type": "refresh_token", "refresh_token": "a"}
    name = agent.client_id.replace("-", "%2D")
    assert agent.http.post("/oauth/token", data=fields, headers=basic(name, encoded)).json()["error"] == "invalid_grant"
    both = agent.http.post("/oauth/token", data={**fields, "client_secret": agent.secret}, auth=(agent.client_id, agent.secret))
    assert both.json()["error"] == "invalid_request"
    other = agent.http.post("/oauth/token", data={**fields, "client_id": Agent(server).client_id}, auth=(agent.client_id, agent.secret))
    assert other.json()["error"] == "invalid_client"
    for prefix in (agent.secret[:-1], agent.secret + "a", "", agent.secret.swapcase()):
        assert agent.http.post("/oauth/token", data=fields, auth=(agent.client_id, prefix)).json()["error"] == "invalid_client"


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "code_challenge", "state", "scope", "response_type", "nonce"])
def test_no_parameter_comes_twice(agent, name):
    agent.authorize()
    fields = [(key, value) for key, value in {
        "client_id": agent.client_id, "redirect_uri": REDIRECT, "response_type": "code", "scope": "email", "state": "s",
        "code_challenge": "c" * 43, "code_challenge_method": "S256", "nonce": "n"}.items()]
    for more in ([(name, "https://evil.example/")], [(name, dict(fields)[name])]):
        for order in (fields + more, more + fields):
            answer = agent.http.get("/oauth/authorize", params=order)
            assert answer.status_code == 400 and "location" not in answer.headers
            answer = agent.http.post("/oauth/authorize", content=urllib.parse.urlencode(order))
            assert answer.status_code == 400 and "location" not in answer.headers


@pytest.mark.parametrize(
    "address",
    [
        "https://agent.example/callback/../evil", "https://agent.example/callback%2f..", "https://agent.example/CALLBACK",
        "https://AGENT.example/callback", "https://agent.example:443/callback", "https://agent.example:444/callback",
        "https://agent.example@evil.example/callback", "https://agent.example.evil.example/callback", "//agent.example/callback",
        "https://agent.example/callback#a", "https://agent.example/callback?code=x", "https://agent.example\\@evil.example/callback",
        "https://agent.example/callback\r\nX-Evil: 1", "https://agent.example/callback\x00", " https://agent.example/callback",
        "https://agent.example/callback ", "http://agent.example/callback", "javascript:alert(1)", "https://agent.example/callback/",
        "https://agent.example/\u0441allback", "https:agent.example/callback", "https:///agent.example/callback", "", "https://",
        "https://agent.example/callback" + "a" * 9_000,
    ],
)
def test_only_the_registered_address_gets_an_answer(agent, address):
    for change in ({}, {"response_type": "token"}, {"scope": "unknown"}, {"prompt": "none"}):
        agent.authorize(redirect_uri=address, **change)
        assert agent.answer.status_code in (400, 413, 414, 431) and "location" not in agent.answer.headers


@pytest.mark.parametrize(
    ("registered", "asked", "allowed"),
    [
        ("http://127.0.0.1/back", "http://127.0.0.1:4711/back", True), ("http://127.0.0.1/back", "http://localhost:4711/back", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:4711@evil.example/back", False), ("http://127.0.0.1/back", "http://127.0.0.1:4711/back/", False),
        ("http://127.0.0.1/back", "http://127.0.0.1.evil.example/back", False), ("http://127.0.0.1/back", "http://127.0.0.1:0/back", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:99999/back", False), ("http://127.0.0.1/back", "http://127.1:4711/back", False),
        ("http://127.0.0.1/back", "https://127.0.0.1:4711/back", False), ("http://127.0.0.1/back", "http://127.0.0.1:/back", False),
        ("http://[::1]/back", "http://[::1]:4711/back", True), ("http://[::1]/back", "http://[0:0::1]:4711/back", False),
        ("https://127.0.0.1/back", "https://127.0.0.1:4711/back", False), ("https://agent.example/back", "https://agent.example:4711/back", False),
        ("org.example.agent:/back", "org.example.agent:/back", True), ("org.example.agent:/back", "org.example.agent:/other", False),
    ],
)
def test_a_loopback_address_changes_its_port_alone(server, registered, asked, allowed):
    agent = Agent(server, public=True, redirect=registered)
    assert (agent.authorize(redirect_uri=asked) is not None) == allowed, agent.answer.text
    if registered.startswith("http://"):
        confidential = Agent(server, redirect=registered)
        assert confidential.authorize(redirect_uri=asked) is None


@pytest.mark.parametrize(
    "address",
    [
        "javascript:/alert(1)", "JavaScript://%0aalert(1)", "data:/text/html,a", "vbscript:/a", "file:///etc/passwd", "blob:/a", "about:/a",
        "intent://a#Intent;end", "http://192.168.1.1/a", "http://0.0.0.0/a", "http://localhost.evil.example/a", "http:///a",
        "https://a.example/#b", "https://u@a.example/b", "https://a.example\\b/", "https://0x7f.1/a",
    ],
)
def test_nobody_registers_an_address_that_runs_something(agent, address):
    answer = agent.http.post("/oauth/clients/register", json={"client_name": "Helper", "redirect_uris": [address]})
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_redirect_uri", answer.text


# Odd inputs.

TEXTS = [
    "\x00", "a\x00b", "\ufffd", "\u202e", "'\"--;", "%s%n", "../../etc/passwd", "a" * 5_000, "9" * 400, "-1", "null", "{}", "\U0001f600" * 500,
    "\r\nX-Evil: 1", "<script>", "00000000-0000-0000-0000-000000000000", "urn:ietf:params:oauth:request_uri:a",
]
FORMS = {
    "/oauth/token": ["grant_type", "code", "code_verifier", "redirect_uri", "refresh_token", "device_code", "scope", "resource", "client_id"],
    "/oauth/par": ["scope", "state", "nonce", "redirect_uri", "response_type", "code_challenge", "code_challenge_method", "prompt", "max_age",
                   "resource", "request", "request_uri", "response_mode", "registration"],
    "/oauth/revoke": ["token", "token_type_hint"], "/oauth/introspect": ["token", "token_type_hint"],
    "/oauth/device_authorization": ["scope", "resource"],
}


@pytest.mark.parametrize("path", FORMS)
def test_odd_texts_are_refused_in_oauths_format(server, path):
    agent = Agent(server, grant_types=["authorization_code", "refresh_token", DEVICE])
    usual = {
        "/oauth/token": {"grant_type": "authorization_code", "code": "a", "code_verifier": "v" * 43},
        "/oauth/par": {"redirect_uri": REDIRECT, "response_type": "code", "scope": "email", "code_challenge": "c" * 43,
                       "code_challenge_method": "S256"},
        "/oauth/revoke": {"token": "a"}, "/oauth/introspect": {"token": "a"}, "/oauth/device_authorization": {"scope": "email"},
    }[path]
    grants = [{}] if path != "/oauth/token" else [{}, {"grant_type": "refresh_token", "refresh_token": "a"}, {"grant_type": DEVICE, "device_code": "a"}]
    for name in FORMS[path]:
        for text in TEXTS:
            for grant in grants:
                for kind in ("data", "json"):
                    answer = agent.http.post(path, **{kind: {**usual, **grant, name: text}}, auth=(agent.client_id, agent.secret))
                    assert answer.status_code < 500, (name, text[:20], kind, answer.text)
                    if answer.status_code >= 400:
                        assert isinstance(answer.json()["error"], str), (name, text[:20], kind, answer.text)


def test_odd_texts_at_the_first_step_change_nothing(server, agent):
    for name in ["client_id", *FORMS["/oauth/par"], "login_hint", "id_token_hint", "claims", "ui_locales", "display", "acr_values"]:
        for text in TEXTS:
            agent.authorize(**{name: text})
            assert agent.answer.status_code in (303, 302, 400), (name, text[:20], agent.answer.status_code, agent.answer.text)
            assert "x-evil" not in agent.answer.headers
            if agent.answer.status_code == 400:
                assert agent.answer.json()["code"] in ("validation_failed", "oauth_client_not_found")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", None), (b"\xff\xfe", None), (b"&&&===", None), (b"a=b&" * 20_000, None), (b"%", None), (b"grant_type=%zz", None), (b"[]", "application/json"),
        (b"{", "application/json"), (b"nul", "application/json"), (b'{"grant_type":{"a":1}}', "application/json"), (b'{"grant_type":["a"]}', "application/json"),
        (b'{"a":' * 5_000, "application/json"), (b"{\"grant_type\":\"\\ud800\"}", "application/json"), (b"\x00" * 10, "application/octet-stream"),
        (b"a" * 2_000_000, None), (b"--x\r\n", "multipart/form-data; boundary=x"), (b'{"grant_type":"a","grant_type":"b"}', "application/json"),
    ],
)
def test_odd_bodies_are_refused(server, agent, ada, body, kind):
    headers = {"Content-Type": kind or "application/x-www-form-urlencoded"}
    for path in [*FORMS, "/oauth/clients/register", "/oauth/authorize", "/oauth/userinfo"]:
        answer = agent.http.post(path, content=body, headers=headers)
        assert 400 <= answer.status_code < 500, (path, answer.status_code, answer.text)
        assert isinstance(answer.json().get("error") or answer.json().get("code"), str)
    authorization = agent.authorize()
    ada.see(authorization)
    answer = ada.http.post(f"/oauth/authorizations/{authorization}/consent", content=body, headers=headers)
    assert 400 <= answer.status_code < 500 and isinstance(answer.json()["code"], str)
    assert "redirect_url" not in ada.see(authorization)


def test_odd_metadata_is_refused(agent):
    usual = {"client_name": "Helper", "redirect_uris": [REDIRECT]}
    odd = [None, 1, True, [], {}, [1], [[]], "", "\x00", "a\x00", "a" * 5_000, "\u202e", [REDIRECT] * 11, ["a" * 3_000], "javascript:alert(1)", ["\x00"]]
    for name in ("client_name", "redirect_uris", "client_uri", "logo_uri", "grant_types", "response_types", "scope", "token_endpoint_auth_method"):
        for value in odd:
            answer = agent.http.post("/oauth/clients/register", json={**usual, name: value})
            assert answer.status_code in (201, 400), (name, value, answer.text)
            if answer.status_code == 400:
                assert isinstance(answer.json().get("error") or answer.json()["code"], str), (name, value, answer.text)
            answer = agent.http.post("/admin/oauth/clients", json={**usual, name: value}, headers=admin(agent.server))
            assert answer.status_code in (201, 400), (name, value, answer.text)
            answer = agent.http.put(f"/admin/oauth/clients/{agent.client_id}", json={name: value}, headers=admin(agent.server))
            assert answer.status_code in (200, 400), (name, value, answer.text)


@pytest.mark.parametrize("text", ["", "a", "%00", "..", "a" * 5_000, "00000000-0000-0000-0000-000000000000", "%ff", "%2e%2e%2f", "'"])
def test_odd_names_are_unknown(server, ada, text):
    for method, path in (
        ("GET", f"/oauth/authorizations/{text}"), ("POST", f"/oauth/authorizations/{text}/consent"), ("POST", f"/oauth/authorizations/{text}/cancel"),
        ("GET", f"/oauth/device?user_code={text}"), ("DELETE", f"/user/oauth/grants?client_id={text}"),
        ("GET", f"/admin/oauth/clients/{text}"), ("PUT", f"/admin/oauth/clients/{text}"), ("DELETE", f"/admin/oauth/clients/{text}"),
        ("POST", f"/admin/oauth/clients/{text}/regenerate_secret"), ("GET", f"/admin/users/{text}/oauth/grants"),
        ("DELETE", f"/admin/users/{ada.id}/oauth/grants?client_id={text}"),
    ):
        headers = admin(server) if "/admin" in path else {}
        body = {"json": {"action": "approve", "client_name": "a"}} if method in ("POST", "PUT") else {}
        answer = ada.http.request(method, path, headers=headers, **body)
        assert 400 <= answer.status_code < 500 or (text in ("", "..") and answer.status_code == 200), (method, path[:60], answer.status_code, answer.text)


def test_a_state_that_is_too_long_is_not_sent_back(agent):
    """Neither proxies nor browsers take such a header."""
    fields = {"client_id": agent.client_id, "redirect_uri": REDIRECT, "response_type": "code", "state": "s" * 50_000}
    answer = agent.http.post("/oauth/authorize", data=fields)
    assert answer.status_code in (303, 400) and len(answer.headers.get("location", "")) < 4_096
