"""Requests of broken and hostile clients: a 4xx, never a 5xx, never a hang, and no change."""

import hashlib
import json
import os
import re
import socket
import sqlite3
import struct
import urllib.parse

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from identity_provider import IdentityProvider
from program import PASSWORD, PATIENCE_SECONDS, poll
from wire import Reply, exchange, request

UNKNOWN_ID = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b"
KNOWN_ID = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5c"
MEBIBYTE = 1 << 20
VERIFIER = "a-verifier-of-more-than-forty-three-characters-0001"
CHALLENGE = "xCQLDnsvQE3aYFg46AmNN8eBcY1SOEkfclHh_2vn254"
AUTHORIZE = f"/auth/v1/authorize?provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=s256"
# The form of a token, without a valid signature.
ID_TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJodHRwOi8vMTI3LjAuMC4xOjkvcmVhbG1zL3Rlc3QifQ.AAAA"
# Never in a response: it would help an attacker.
# A random value in base64url may have "NIOJwb" or "fatal" in its midst, also after a hyphen.
INNER = re.compile(
    rb"\.swift|SQLITE|sqlite|HTTPClient|(?<![\w-])(?:NIO[A-Z][a-z]{2}[A-Za-z]*(?![\w-])|fatal)"
    rb"|Optional\(|Error\(|Failure\(|Rejection"
)

# Method, path below the server, whose bearer, and a body that would do as it is.
WITH_BODY = [
    ("POST", "/auth/v1/signup", None, {"email": "{new}", "password": PASSWORD, "data": {"a": 1}}),
    ("POST", "/auth/v1/token?grant_type=password", None, {"email": "{mine}", "password": PASSWORD}),
    ("POST", "/auth/v1/token?grant_type=refresh_token", None, {"refresh_token": "abcdefghijkl"}),
    ("PUT", "/auth/v1/user", "user", {"data": {"a": 1}, "password": PASSWORD, "email": "{mine}"}),
    (
        "POST",
        "/auth/v1/admin/users",
        "admin",
        {
            "email": "{new}",
            "password": PASSWORD,
            "user_metadata": {"a": 1},
            "ban_duration": "1h",
            "email_confirm": True,
        },
    ),
    ("PUT", f"/auth/v1/admin/users/{KNOWN_ID}", "admin", {"email": "{new}", "app_metadata": {}}),
    ("DELETE", f"/auth/v1/admin/users/{UNKNOWN_ID}", "admin", {"should_soft_delete": True}),
    (
        "POST",
        "/auth/v1/token?grant_type=id_token",
        None,
        {
            "provider": "keycloak",
            "id_token": ID_TOKEN,
            "access_token": "abc",
            "nonce": "abc",
            "user": {"name": {"firstName": "Ana", "lastName": "Example"}},
            "authorization_code": "abc",
        },
    ),
    ("POST", "/auth/v1/token?grant_type=pkce", None, {"auth_code": UNKNOWN_ID, "code_verifier": VERIFIER}),
    (
        "POST",
        "/auth/v1/token?grant_type=link_confirmation",
        None,
        {"link_ticket": VERIFIER, "email": "{mine}", "password": PASSWORD},
    ),
    ("POST", "/auth/v1/token?grant_type=link_confirmation", "user", {"link_ticket": VERIFIER}),
    ("POST", "/auth/v1/token?grant_type=link_recovery", None, {"link_ticket": VERIFIER}),
    ("POST", "/auth/v1/apple/notifications", None, {"payload": ID_TOKEN}),
    (
        "PATCH",
        "/v1/auth/me",
        "user",
        {"first_name": "Ana", "favorite_teams": ["nba_1610612744"], "data": {"mood": "calm", "goals": {"a": None}}},
    ),
    ("PATCH", "/api/v1/profile", "user", {"name": "Ana", "timezone": "Europe/Berlin"}),
]
WITHOUT_BODY = [
    ("GET", "/auth/v1/health", None),
    ("GET", "/auth/v1/settings", None),
    ("GET", "/auth/v1/.well-known/jwks.json", None),
    ("GET", "/auth/v1/.well-known/openid-configuration", None),
    ("GET", AUTHORIZE, None),
    ("GET", "/auth/v1/authorize?provider=nobody", None),
    ("GET", f"/auth/v1/callback?state={UNKNOWN_ID}&code=abc", None),
    ("GET", f"/auth/v1/callback/keycloak?state={UNKNOWN_ID}&code=abc", None),
    (
        "GET",
        f"/auth/v1/user/identities/authorize?provider=keycloak&skip_http_redirect=true&code_challenge={CHALLENGE}"
        "&code_challenge_method=s256",
        "user",
    ),
    ("GET", "/auth/v1/user/identities/undoable", "user"),
    ("DELETE", f"/auth/v1/user/identities/{UNKNOWN_ID}", "user"),
    ("POST", f"/auth/v1/user/identities/{UNKNOWN_ID}/undo", "user"),
    ("POST", "/auth/v1/logout?scope=nowhere", "user"),
    ("GET", "/auth/v1/user", "user"),
    ("GET", "/auth/v1/admin/users", "admin"),
    ("GET", "/auth/v1/admin/audit", "admin"),
    ("GET", f"/auth/v1/admin/users/{UNKNOWN_ID}", "admin"),
    ("GET", "/v1/auth/me", "user"),
    ("GET", "/api/v1/profile", "user"),
    ("GET", "/v1/teams", None),
    ("GET", "/api/v1/auth/callback", None),
    ("GET", "/metrics", None),
    ("GET", "/health", None),
    ("GET", "/ready", None),
]
ALL = [*((method, path, bearer) for method, path, bearer, _ in WITH_BODY), *WITHOUT_BODY]


def providers(issuer):
    """The settings of a Keycloak, and of an unreachable Apple."""
    return {
        "GATEHOUSE_OUTGOING_LOOPBACK": "true",
        "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true",
        "GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID": "kc-client",
        "GOTRUE_EXTERNAL_KEYCLOAK_SECRET": "kc-secret",
        "GOTRUE_EXTERNAL_KEYCLOAK_URL": issuer,
        "GOTRUE_EXTERNAL_APPLE_ENABLED": "true",
        "GOTRUE_EXTERNAL_APPLE_CLIENT_ID": "com.example.service",
        "GOTRUE_EXTERNAL_APPLE_SECRET": "made-up",
        "GOTRUE_EXTERNAL_APPLE_URL": "http://127.0.0.1:9",
    }


def named(endpoint):
    return f"{endpoint[0]} {endpoint[1]}"


class Target:
    """A separate server with one user, and a comparison of every row."""

    def __init__(self, server):
        self.server = server
        server.auth().sign_up("witness@example.com")
        session = server.auth().sign_up("mine@example.com")
        assert server.admin().post("/admin/users", {"id": KNOWN_ID, "email": "known@example.com"}).status == 200
        self.bearers = {"user": session["access_token"], "admin": server.keys["secret_key"], None: None}
        self.database = sqlite3.connect(f"file:{urllib.parse.quote(server.database_path)}?mode=ro", uri=True)
        # The audit log also records refusals, and the hourly counts contain them.
        self.tables = [
            name
            for (name,) in self.database.execute(
                """SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
               AND name NOT IN ('audit_log', 'activity_counts', 'refused_sign_ins') AND name NOT LIKE 'search_%'
               ORDER BY name"""
            )
        ]
        assert {"users", "identities", "sessions", "profiles"} <= set(self.tables)
        self.version = None
        self.rows = self.fingerprint()

    def fingerprint(self):
        """Reads every row when the file has changed since the last look. https://sqlite.org/pragma.html#pragma_data_version"""
        before, (self.version,) = self.version, self.database.execute("PRAGMA data_version").fetchone()
        if before == self.version:
            return self.rows
        return {
            table: hashlib.sha256(repr(self.database.execute(f"SELECT * FROM {table}").fetchall()).encode()).hexdigest()
            for table in self.tables
        }

    def authorization(self, bearer):
        return [("Authorization", f"Bearer {self.bearers[bearer]}")] if bearer else []

    def send(self, method, path, bearer=None, body=b"", headers=(), **options):
        data = request(method, path, body, [*self.authorization(bearer), *headers], length=options.pop("length", None))
        return self.check(exchange(self.server.port, data, **options), f"{method} {path} {headers} {body[:120]!r}")

    def check(self, reply, what, may_close=False):
        assert reply.is_whole, f"{what}: cut off: {reply}"
        if reply.status == 0:
            assert may_close, f"{what}: closed without an answer"
        else:
            assert 200 <= reply.status < 500, f"{what}: {reply}"
            shown = reply.headers.get("location", "").encode("latin-1") + reply.body
            assert reply.headers.get("content-type", "").startswith("text/plain") or not INNER.search(shown), what
        before, self.rows = self.rows, self.fingerprint()
        if reply.status >= 400 or reply.status == 0:
            changed = [table for table in self.tables if self.rows[table] != before[table]]
            assert not changed, f"{what}: refused with {reply.status}, and changed {changed}"
        return reply

    def check_still_works(self):
        client = self.server.auth()
        answer = client.sign_in("witness@example.com")
        assert answer.status == 200, answer
        assert client.user(answer.json()["access_token"]).status == 200
        assert self.server.process.poll() is None
        self.rows = self.fingerprint()


@pytest.fixture(scope="module")
def target(session_servers):
    stand_in = IdentityProvider().start()
    target = Target(session_servers.serve(**providers(stand_in.url)).start())
    yield target
    target.check_still_works()
    target.database.close()
    stand_in.stop()


@pytest.fixture(autouse=True)
def nothing_is_broken(target):
    yield
    assert target.server.process.poll() is None, "the server ended"
    assert target.server.auth().get("/health").status == 200


def filled(body):
    text = json.dumps(body)
    return (
        text.replace("{mine}", "mine@example.com").replace("{new}", f"new-{os.urandom(6).hex()}@example.com").encode()
    )


BROKEN = {
    "empty": b"",
    "blanks": b" \t\r\n ",
    "byte order mark alone": b"\xef\xbb\xbf",
    "utf-16": '{"email":"a@example.com"}'.encode("utf-16"),
    "not json": b"email=a%40example.com&password=secret",
    "xml": b"<?xml version='1.0'?><a/>",
    "one brace": b"{",
    "unfinished text": b'{"email":"a',
    "unfinished escape": b'{"email":"a\\',
    "unfinished unicode escape": b'{"email":"\\u00',
    "trailing comma": b'{"email":"a@example.com",}',
    "text after the value": b'{"refresh_token":"abcdefghijkl"} true',
    "two values": b"{}{}",
    "comment": b'{/* */"email":"a@example.com"}',
    "single quotes": b"{'email':'a@example.com'}",
    "member without a name": b'{:"a"}',
    "literal null": b"null",
    "literal true": b"true",
    "a number": b"12345678901234567890",
    "a text": b'"email"',
    "array": b"[]",
    "array of objects": b'[{"email":"a@example.com"}]',
    "NaN": b'{"email":NaN,"refresh_token":NaN,"data":NaN}',
    "Infinity": b'{"refresh_token":-Infinity}',
    "number with a leading zero": b'{"refresh_token":012}',
    "invalid utf-8": b'{"email":"\xff\xfe@example.com","refresh_token":"\xc0\xaf\xc0\xaf\xc0\xaf\xc0\xaf"}',
    "truncated utf-8": b'{"refresh_token":"abcdefghijk\xe2\x82"}',
    "surrogate in utf-8": b'{"refresh_token":"abcdefghijk\xed\xa0\x80"}',
    "overlong utf-8": b'{"refresh_token":"\xc0\x80\xc0\x80\xc0\x80"}',
    "control character in a text": b'{"email":"a\x01b@example.com","refresh_token":"abc\x00defghijkl"}',
    "NUL bytes": b"\x00" * 64,
    "deep arrays": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"data":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
    "deep and unfinished": b"[" * 500_000,
    "deep objects, unfinished": b'{"a":' * 100_000,
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\x4a\x04\x00",
}


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_bodies_with_the_wrong_json(target, endpoint):
    method, path, bearer, _ = endpoint
    for name, body in BROKEN.items():
        reply = target.send(method, path, bearer, body)
        is_optional = method == "DELETE" and not body.strip()
        assert reply.status >= 400 or is_optional, f"{name}: {reply}"


WRONG_VALUES = [
    0,
    -1,
    1.5,
    1e308,
    True,
    False,
    [],
    [[]],
    ["a"],
    {},
    {"a": 1},
    "",
    " ",
    "\x00",
    "a\x00b",
    "\ufeff",
    "\u202e",
    "a" * 300,
    "a" * 70_000,
    "ä" * 200,
    "'; DROP TABLE users; --",
    "${jndi:ldap://127.0.0.1/}",
    "../../etc/passwd",
    99999999999999999999,
    -9223372036854775809,
]


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_members_of_the_wrong_type_or_size(target, endpoint):
    method, path, bearer, good = endpoint
    for member in good:
        for value in WRONG_VALUES:
            target.send(method, path, bearer, filled({**good, member: value}))


RAW_MEMBERS = {
    "lone high surrogate": b'"\\ud83d"',
    "lone low surrogate": b'"\\ude00 abcdefghijkl"',
    "surrogates the wrong way round": b'"\\ude00\\ud83d abcdefghij"',
    "escaped NUL": b'"abc\\u0000defghijkl"',
    "a number beyond every double": b"1e999999",
    "a long number": b"1" * 5000,
    "a number of many digits": b"0." + b"3" * 5000,
    "a negative zero": b"-0",
    "a tiny number": b"1e-999999",
}


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_values_that_json_can_write_and_programs_cannot_hold(target, endpoint):
    method, path, bearer, good = endpoint
    for raw in RAW_MEMBERS.values():
        for member in good:
            body = filled({**good, member: "@"}).replace(b'"@"', raw, 1)
            target.send(method, path, bearer, body)
            inside = filled({**good, member: {"a": ["@"]}}).replace(b'"@"', raw, 1)
            target.send(method, path, bearer, inside)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_members_that_stand_twice(target, endpoint):
    method, path, bearer, good = endpoint
    for member, value in good.items():
        for other in (1, None, "x", value):
            body = filled(good)[:-1] + b"," + json.dumps({member: other}).encode()[1:]
            target.send(method, path, bearer, body)
    many = b"{" + b",".join(b'"a%d":1' % number for number in range(20_000)) + b"}"
    target.send(method, path, bearer, many)


def test_metadata_round_trips(target):
    """Unusual but valid values are kept unchanged."""
    client = target.server.auth(token=target.bearers["user"])
    data = {
        "": "empty name",
        "emoji": "👩‍👩‍👧‍👦",
        "rtl": "\u202eabc",
        "quote": '"\\/\b\f\n\r\t',
        "deep": [[[[{"a": [None]}]]]],
        "numbers": [0, -1, 0.5, 9007199254740991, -9007199254740991],
        "a" * 200: True,
    }
    stored = client.put("/user", {"data": data})
    assert stored.status == 200, stored
    metadata = client.get("/user").json()["user_metadata"]
    assert {name: metadata[name] for name in data} == data
    target.rows = target.fingerprint()


FORM = "application/x-www-form-urlencoded"
FIELDS = {"state": UNKNOWN_ID, "code": "abc", "user": '{"name":{"firstName":"Ana"}}', "id_token": ID_TOKEN, "iss": "x"}


def callback_form(target, body, **options):
    """The response redirects the browser to the site with a reason, or refuses the form; both change nothing."""
    before = target.rows
    path = options.pop("path", "/auth/v1/callback")
    reply = target.send("POST", path, None, body, [("Content-Type", options.pop("label", FORM))], **options)
    assert reply.status in (303, 400, 413), reply
    if reply.status == 303:
        assert reply.headers["location"].startswith("http://127.0.0.1:3000?error="), reply
    assert target.rows == before, "something was changed"
    return reply


def test_callback_forms_that_are_none(target):
    """Any post that a provider, or an attacker in its place, sends through the browser."""
    for body in BROKEN.values():
        callback_form(target, body)
        callback_form(target, b"state=" + body.replace(b"&", b""))
    for body in (
        b"state",
        b"=",
        b"&&&==&",
        b"state=%",
        b"state=%zz",
        b"state=%00",
        b"state=%ff%fe",
        b"state=%F0%9F%92%A9",
        b"state[]=a",
        b"state=a;code=b",
        b"state=" + b"a" * 500_000,
        b"a=b&" * 100_000,
        f"state={UNKNOWN_ID}&state={KNOWN_ID}&code=abc".encode(),
        f"state={UNKNOWN_ID}&error=%0d%0aSet-Cookie:%20a=b".encode(),
    ):
        callback_form(target, body)
    for label in ("", "application/json", "multipart/form-data; boundary=x", "text/plain"):
        callback_form(target, urllib.parse.urlencode(FIELDS).encode(), label=label)
    assert callback_form(target, b"state=" + b"a" * MEBIBYTE).status == 413


def test_callback_fields_of_any_value(target):
    texts = [value for value in WRONG_VALUES if isinstance(value, str)]
    for name in FIELDS:
        for value in texts:
            form = urllib.parse.urlencode({**FIELDS, name: value}).encode()
            callback_form(target, form)
            callback_form(target, form, path="/auth/v1/callback/apple")


def begun(target):
    """(state, cookie) of a sign-in that has begun at the provider that is not there."""
    reply = target.send("GET", AUTHORIZE)
    assert reply.status == 302, reply
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(reply.headers["location"]).query)["state"][0]
    return state, reply.headers["set-cookie"].partition(";")[0]


@pytest.mark.parametrize("name", ["code", "error", "error_description", "user", "iss"])
def test_responses_to_a_live_flow(target, name):
    """The same with a valid state and its cookie: to the site, with a reason, once."""
    for value in [value for value in WRONG_VALUES if isinstance(value, str) and len(value) < 10_000]:
        state, cookie = begun(target)
        fields = {"state": state, "code": "abc", name: value}
        form = urllib.parse.urlencode({key: field for key, field in fields.items() if field}).encode()
        headers = [("Content-Type", FORM), ("Cookie", cookie)]
        reply = target.send("POST", "/auth/v1/callback", None, form, headers)
        assert reply.status == 302 and "error=" in reply.headers["location"], f"{value!r}: {reply}"
        assert reply.headers["location"].startswith("http://127.0.0.1:3000"), reply
        again = target.send("POST", "/auth/v1/callback", None, form, headers)
        assert again.status == 303, again


@pytest.mark.parametrize(
    "cookie",
    [
        "gatehouse-browser=",
        "gatehouse-browser=a",
        "gatehouse-browser=" + "A" * 43,
        "gatehouse-browser=" + "A" * 5000,
        "gatehouse-browser=\x00",
        'gatehouse-browser="',
        "gatehouse-browser",
        "=;=;=",
        "; " * 500,
        "__Host-gatehouse-browser=" + "A" * 43,
    ],
)
def test_cookies_that_are_none_of_ours(target, cookie):
    state, _ = begun(target)
    before = target.rows
    data = request(
        "GET", f"/auth/v1/callback?state={state}&code=abc", headers=[("Cookie", cookie.encode("latin-1"))]
    )
    reply = target.check(exchange(target.server.port, data), cookie, may_close=True)
    assert reply.status in (0, 303, 400) and target.rows == before, reply
    assert reply.status != 303 or "error_code=bad_oauth_state" in reply.headers["location"], reply


def chunked(size, total):
    """A chunked body of `total` bytes."""
    chunk = b"%x\r\n" % size + b" " * size + b"\r\n"
    return [chunk] * (total // size) + [b"0\r\n\r\n"]


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_bodies_over_the_limit(target, endpoint):
    method, path, bearer, good = endpoint
    padded = filled(good)[:-1] + b"," + b" " * MEBIBYTE + b'"z":1}'
    assert target.send(method, path, bearer, padded).status == 413
    announced = target.send(method, path, bearer, b"", length=1 << 40, half_close=True)
    assert announced.status in (400, 413)

    head = request(method, path, headers=[*target.authorization(bearer), ("Transfer-Encoding", "chunked")])
    head = head.replace(b"Content-Length: 0\r\n", b"")
    reply = exchange(target.server.port, head, pieces=chunked(1 << 16, 2 * MEBIBYTE))
    assert target.check(reply, "chunked").status == 413
    for size in (b"ffffffffffffffffff", b"-1", b"zz", b"1 ; x", b""):
        reply = exchange(target.server.port, head + size + b"\r\n{}\r\n0\r\n\r\n", half_close=True)
        target.check(reply, f"chunk size {size}", may_close=True)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_lengths_that_lie(target, endpoint):
    method, path, bearer, good = endpoint
    body = filled(good)
    # Shorter than announced, then the end of the stream.
    short = request(method, path, body[:-5], target.authorization(bearer), length=len(body))
    target.check(exchange(target.server.port, short, half_close=True), "too short", may_close=True)
    # Longer than announced: the rest is not a request.
    target.send(method, path, bearer, body[:10], length=9)
    for length in ("-1", "abc", "1e3", "0x10", "18446744073709551616", "99999999999999999999", " ", "1, 1", "1,2"):
        data = request(method, path, b"{", target.authorization(bearer), length=length)
        reply = exchange(target.server.port, data, half_close=True)
        target.check(reply, f"length {length!r}", may_close=True)
    # Two lengths that disagree, or a length with chunks: request smuggling.
    for extra in (
        [("Content-Length", 7)],
        [("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "gzip, chunked")],
        [("Transfer-Encoding", "identity")],
        [("Transfer-Encoding", "chunked, identity")],
    ):
        data = request(
            method,
            path,
            b"0\r\n\r\nGET /auth/v1/health HTTP/1.1\r\nHost: a\r\n\r\n",
            [*target.authorization(bearer), *extra],
            length=5,
        )
        reply = exchange(target.server.port, data, half_close=True)
        target.check(reply, f"framing {extra}", may_close=True)


@pytest.fixture(scope="module")
def impatient(session_servers):
    """One second for each request, so that the limit can be seen; the users sign up before, without it."""
    target = Target(session_servers.serve().start())
    target.server.stop()
    target.server.environment["GATEHOUSE_API_MAX_REQUEST_DURATION"] = "1s"
    target.server.start()
    return target


@pytest.mark.parametrize("path", ["/auth/v1/signup", "/auth/v1/token?grant_type=password"])
def test_a_body_that_never_arrives_times_out(impatient, path):
    """504 `request_timeout`, 408, or the end of the connection."""
    data = request("POST", path, b'{"email"', length=500)
    reply = exchange(impatient.server.port, data, timeout=PATIENCE_SECONDS)
    assert reply.status in (0, 408, 504), reply
    assert impatient.fingerprint() == impatient.rows


def received_soon(connection):
    """None: nothing came within the connection's time limit."""
    try:
        return connection.recv(65536)
    except TimeoutError:
        return None


@pytest.mark.parametrize("path", ["/auth/v1/signup", "/auth/v1/token?grant_type=refresh_token"])
def test_a_body_that_drips_is_cut_off(impatient, path):
    """Each byte comes in time; all of them would not."""
    with socket.create_connection(("127.0.0.1", impatient.server.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request("POST", path, b"{", length=500))
        is_open, received = True, b""
        connection.settimeout(0.1)
        # As many bytes as were announced, one in a tenth of a second: fifty times the limit.
        for _ in range(490):
            try:
                part = received_soon(connection)
                if part is None:
                    connection.sendall(b" ")
                    continue
                received += part
                if not part or b"\r\n\r\n" in received:
                    is_open = False
                    break
            except (BrokenPipeError, ConnectionResetError):
                is_open = False
                break
    assert not is_open, "the whole body was waited for"
    assert Reply(received).status in (0, 408, 504), received[:200]


def test_pipelined_requests_are_answered_in_order(target):
    paths = ["/auth/v1/health", "/nowhere", "/auth/v1/settings", "/auth/v1/user", "/ready"] * 5
    with socket.create_connection(("127.0.0.1", target.server.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(b"".join(request("GET", path) for path in paths))
        received, statuses = b"", []
        while len(statuses) < len(paths):
            part = connection.recv(65536)
            assert part, received[-300:]
            received += part
            statuses = [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3})", received)]
    assert statuses == [200, 404, 200, 401, 200] * 5


def test_callers_that_hang_up(servers):
    """In the middle of a sign-up, before or during hashing: each account is complete or absent."""
    server = servers.serve().start()
    for number in range(24):
        body = json.dumps({"email": f"hung-up-{number}@example.com", "password": PASSWORD}).encode()
        data = request("POST", "/auth/v1/signup", body)
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(data[: len(data) - 20 * (number % 3 == 2)])
            if number % 3 == 1:  # No goodbye, but a reset.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # On a busy machine the first attempts may time out behind the others' passwords, and still take effect.
    stays = {"email": "stays@example.com", "password": PASSWORD}
    poll(lambda: server.auth().post("/signup", stays).status in (200, 422), "a sign-up")
    # Waits for running requests, so that none falls between the two counts.
    server.stop()
    whole = """SELECT count(*) FROM users JOIN profiles ON profiles.id = users.id
               JOIN identities ON identities.user_id = users.id"""
    with sqlite3.connect(server.database_path) as database:
        whole, there = (database.execute(text).fetchone()[0] for text in (whole, "SELECT count(*) FROM users"))
    database.close()
    assert whole == there <= 25


def test_many_idle_connections_are_no_burden(target):
    idle = [socket.create_connection(("127.0.0.1", target.server.port), timeout=PATIENCE_SECONDS) for _ in range(300)]
    for connection in idle[::3]:
        connection.sendall(b"GET /auth/v1/health HTTP/1.1\r\nHost:")
    assert target.server.auth().get("/health").status == 200
    for connection in idle:
        connection.close()
    target.check_still_works()


AUTHORIZATIONS = [
    "",
    "Bearer",
    "Bearer ",
    "Bearer  two-blanks",
    "Bearer a b",
    "Bearer\ta",
    "bearer",
    "Basic YTpi",
    "Bearer .",
    "Bearer ..",
    "Bearer ...",
    "Bearer a.b.c",
    "Bearer a.b.c.d",
    "Bearer " + "a" * 5000,
    "Bearer " + "." * 3000,
    "Bearer \xff\xfe",
    "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.",
    "Bearer eyJhbGciOiJIUzI1NiJ9.bnVsbA.AAAA",
    "Bearer e30.e30.e30",
    "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6Ii4uLy4uLyJ9.e30.AAAA",
    "Bearer W10.W10.W10",
    "Bearer =.=.=",
    "Bearer null",
    "Bearer eyJhbGciOiJIUzI1NiIsImNyaXQiOlsieCJdfQ.e30.AAAA",
    "Digest username=a",
    "Bearer sb_secret_",
    "Bearer sb_publishable_",
]


@pytest.mark.parametrize("endpoint", ALL, ids=named)
def test_authorization_headers(target, endpoint):
    method, path, bearer = endpoint
    body = b"{}" if endpoint in [entry[:3] for entry in WITH_BODY] else b""
    for value in AUTHORIZATIONS:
        reply = target.send(method, path, None, body, [("Authorization", value.encode("latin-1"))])
        assert not bearer or reply.status in (400, 401, 403, 404), f"{value!r}: {reply}"
    if bearer:
        good = f"Bearer {target.bearers[bearer]}"
        for first, second in ((good, "Bearer a.b.c"), ("Bearer a.b.c", good)):
            reply = target.send(method, path, None, body, [("Authorization", first), ("Authorization", second)])
            assert reply.status in (400, 401, 403), f"two Authorization headers: {reply}"


ODD_HEADERS = (
    [
        [("X-Supabase-Api-Version", value)]
        for value in ("", "2024-13-45", "9999-99-99", "a" * 1000, "2024-01-01T00:00:00Z")
    ]
    + [
        [("Content-Type", value)]
        for value in ("", "text/plain", "application/x-www-form-urlencoded", "a" * 1000, "multipart/form-data")
    ]
    + [
        [("X-JWT-AUD", "\xff")],
        [("apikey", "\x7f")],
        [("apikey", "a" * 5000)],
        [("Cookie", "a=" * 1000)],
        [("Origin", "null")],
        [("X-Forwarded-For", "a, b, 999.1.1.1, [::1")],
        [("Referer", "javascript:alert(1)")],
        [("redirect_to", "//")],
        [("Accept", "nothing/known")],
        [("Accept-Encoding", "br;q=x")],
        [("Expect", "200-maybe")],
        [("Connection", "upgrade"), ("Upgrade", "h2c")],
        [("Range", "bytes=0-1")],
        [("If-None-Match", "*")],
        [("X-HTTP-Method-Override", "DELETE")],
        [("User-Agent", "ü" * 500)],
        [("Sb-Forwarded-For", "x")],
        [("X-Request-Id", "a" * 3000)],
        [("X-Request-Id", "new\tline")],
    ]
)


@pytest.mark.parametrize("endpoint", ALL, ids=named)
def test_odd_headers(target, endpoint):
    method, path, bearer = endpoint
    body = b"{" if endpoint in [entry[:3] for entry in WITH_BODY] else b""
    for headers in ODD_HEADERS:
        target.send(method, path, bearer, body, [(name, value.encode("latin-1", "replace")) for name, value in headers])


BIG_HEADS = {
    "a header of 60 KiB": [("X-Long", "a" * 60_000)],
    "a bearer of 60 KiB": [("Authorization", "Bearer " + "a" * 60_000)],
    "a header name of 60 KiB": [("X" * 60_000, "a")],
    "a cookie of 60 KiB": [("Cookie", "a=b; " * 12_000)],
}


@pytest.mark.parametrize("name", BIG_HEADS)
def test_big_heads(target, name):
    """Accepted or refused by the limit for heads; either way there is a response."""
    for method, path in (
        ("GET", "/auth/v1/user"),
        ("POST", "/auth/v1/signup"),
        ("GET", "/v1/auth/me"),
        ("GET", "/nowhere"),
    ):
        data = request(method, path, b"{" if method == "POST" else b"", BIG_HEADS[name])
        reply = target.check(exchange(target.server.port, data), name, may_close=True)
        assert reply.status == 0 or reply.status >= 400, reply


BROKEN_HEADS = {
    "a thousand headers": [(f"X-{number}", "a") for number in range(1000)],
    "NUL in a header": [("X-Zero", b"a\x00b")],
    "a control character in a header": [("X-Bell", b"a\x07b")],
    "a line feed alone": [("X-A", b"a\nX-B: b")],
    "a carriage return alone": [("X-A", b"a\rX-B: b")],
    "a folded header": [("X-A", b"a\r\n  b")],
    "a blank before the colon": [(b"X-A ", b"a")],
    "no name": [(b"", b"a")],
    "a name with blanks": [(b"X A", b"a")],
}


@pytest.mark.parametrize("name", BROKEN_HEADS)
def test_heads_that_break_the_rules(target, name):
    for method, path in (
        ("GET", "/auth/v1/user"),
        ("POST", "/auth/v1/signup"),
        ("GET", "/v1/auth/me"),
        ("GET", "/nowhere"),
    ):
        data = request(method, path, b"{}" if method == "POST" else b"", BROKEN_HEADS[name])
        reply = target.check(exchange(target.server.port, data, half_close=True), name, may_close=True)
        assert reply.status == 0 or reply.status >= 400, reply


@pytest.mark.parametrize(
    "line",
    [
        b"GET",
        b"GET /",
        b"GET / HTTP/9.9",
        b"GET / HTTP/0.9",
        b"GET / http/1.1",
        b"/ GET HTTP/1.1",
        b"GET  / HTTP/1.1",
        b"GET /a b HTTP/1.1",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\r\n\r\n\r\n",
        b"PRI * HTTP/2.0",
        b"G\x00T / HTTP/1.1",
        b"GET http://[::1 HTTP/1.1",
        b"GET / HTTP/1.1 extra",
        b"GET \xff\xfe HTTP/1.1",
        b"A" * 100_000,
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1",
        b"GET /auth/v1/user?" + b"a=1&" * 20_000 + b" HTTP/1.1",
    ],
)
def test_request_lines(target, line):
    reply = exchange(target.server.port, line + b"\r\nHost: a\r\n\r\n", half_close=True)
    target.check(reply, repr(line[:60]), may_close=True)
    assert reply.status == 0 or reply.status >= 400, reply


PATHS = [
    "/%00",
    "/auth/v1/%00",
    "/auth/v1/user%00",
    "/auth/v1/user%2f",
    "/auth/v1%2fuser",
    "/auth/v1/%75ser",
    "/auth/v1/user/..",
    "/auth/v1/../../etc/passwd",
    "/auth/v1/%2e%2e/%2e%2e/etc/passwd",
    "/auth/v1/%zz",
    "/auth/v1/%",
    "/auth/v1/user%ff%fe",
    "/auth/v1//user",
    "//auth/v1/user",
    "/auth/v1/user//",
    "/AUTH/V1/USER",
    "/auth/v1/user;a=b",
    "/auth/v1/user#fragment",
    "/auth/v1/user?%00=%00",
    "/auth/v1/user?a=%zz",
    "/auth/v1/user?&&==&",
    "/auth/v1/.",
    "/auth/v1/..",
    "/auth/v1/admin/users/%00",
    "/auth/v1/admin/users/" + "a" * 5000,
    "/auth/v1/admin/users/..%2f..%2fuser",
    "/auth/v1/admin/users/%F0%9F%92%A9",
    f"/auth/v1/admin/users/{UNKNOWN_ID}%00",
    f"/auth/v1/admin/users/{UNKNOWN_ID}/factors/%00",
    f"/auth/v1/admin/users/{{{UNKNOWN_ID}}}",
    "/auth/v1/admin/users?page=-1",
    "/auth/v1/admin/users?page=99999999999999999999",
    "/auth/v1/admin/users?page=1e3",
    "/auth/v1/admin/users?page=0",
    "/auth/v1/admin/users?per_page=0",
    "/auth/v1/admin/users?per_page=-5",
    "/auth/v1/admin/users?per_page=9223372036854775807",
    "/auth/v1/admin/users?page=9223372036854775807&per_page=9223372036854775807",
    "/auth/v1/admin/users?sort=password_hash+asc",
    "/auth/v1/admin/users?sort=created_at;drop",
    "/auth/v1/admin/users?filter=%00",
    "/auth/v1/admin/users?filter=%ff",
    "/auth/v1/admin/users?filter=%25_%5C'%22",
    "/auth/v1/admin/users?page=1&page=2",
    "/auth/v1/admin/audit?query=%00",
    "/auth/v1/admin/audit?query=author",
    "/auth/v1/admin/audit?query=:",
    "/auth/v1/admin/audit?query=id:1",
    "/auth/v1/admin/audit?query=action:%25",
    "/auth/v1/admin/audit?page=-1",
    "/auth/v1/admin/audit?per_page=0",
    "/auth/v1/authorize",
    "/auth/v1/authorize?provider=",
    "/auth/v1/authorize?provider=%00",
    "/auth/v1/authorize?provider=%ff",
    "/auth/v1/authorize?provider=" + "a" * 5000,
    "/auth/v1/authorize?provider=KEYCLOAK",
    "/auth/v1/authorize?provider=email",
    "/auth/v1/authorize?provider=../keycloak",
    "/auth/v1/authorize?provider=keycloak&provider=apple",
    "/auth/v1/authorize?provider=keycloak&code_challenge=a&code_challenge_method=s256",
    "/auth/v1/authorize?provider=keycloak&code_challenge=" + "a" * 129 + "&code_challenge_method=s256",
    "/auth/v1/authorize?provider=keycloak&code_challenge=" + "%00" * 50 + "&code_challenge_method=s256",
    f"/auth/v1/authorize?provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=plain",
    f"/auth/v1/authorize?provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=none",
    f"{AUTHORIZE}&redirect_to=javascript:alert(1)",
    f"{AUTHORIZE}&redirect_to=https://evil.example.net/%0d%0aSet-Cookie:a=b",
    f"{AUTHORIZE}&redirect_to=//evil.example.net",
    f"{AUTHORIZE}&redirect_to=%00",
    f"{AUTHORIZE}&redirect_to=" + "a" * 5000,
    f"{AUTHORIZE}&scopes=%00",
    f"{AUTHORIZE}&scopes=" + "a," * 2000,
    f"{AUTHORIZE}&state=mine&redirect_uri=https://evil.example.net&client_id=mine&nonce=mine",
    f"{AUTHORIZE}&a%0d%0aX-B:%20c=1",
    f"{AUTHORIZE}&" + "&".join(f"a{number}=1" for number in range(300)),
    f"{AUTHORIZE}&invite_token=%00",
    "/auth/v1/callback?",
    "/auth/v1/callback?state=%00&code=%00",
    "/auth/v1/callback?state=" + "a" * 5000,
    f"/auth/v1/callback?state={UNKNOWN_ID}&state={KNOWN_ID}",
    "/auth/v1/callback?error=%0d%0aSet-Cookie:a=b",
    "/auth/v1/callback/%00",
    "/auth/v1/callback/nobody?state=a",
    "/auth/v1/callback/..%2fuser",
    "/auth/v1/user/identities/%00",
    "/auth/v1/user/identities/undoable?page=%00",
    "/auth/v1/user/identities/authorize",
    "/auth/v1/user/identities/authorize?provider=%00&skip_http_redirect=true",
    "/auth/v1/user/identities/authorize?provider=keycloak&skip_http_redirect=maybe",
    "/auth/v1/token?grant_type=id_token",
    "/v1/teams?league=%00",
    "/v1/teams?league=" + "a" * 5000,
    "/v1/teams?league=nba&league=nfl",
    "/v1/teams?league=%ff",
    "/api/v1/auth/callback?code=%00",
    "/api/v1/auth/callback?redirect_to=https://evil.example",
    "/api/v1/auth/callback?scheme=javascript",
    "/api/v1/auth/callback?state=" + "a" * 5000,
    "/v1/auth/me/..",
    "/v1/auth/me%00",
    "/metrics/..",
    "/ready?%00",
]


def test_paths(target):
    for path in PATHS:
        for bearer in (None, "user", "admin"):
            target.send("GET", path, bearer)
    assert target.send("GET", "/auth/v1/user;a=b", "user").status == 404


METHODS = [
    "HEAD",
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PROPFIND",
    "FOO",
    "get",
    "M-SEARCH",
    "X" * 500,
]


@pytest.mark.parametrize("path", sorted({path.partition("?")[0] for _, path, _ in ALL}))
def test_methods(target, path):
    known = {method for method, known_path, _ in ALL if known_path.partition("?")[0] == path}
    for method in METHODS:
        if method in known or (method, path) in (("DELETE", "/v1/auth/me"), ("POST", "/auth/v1/admin/users")):
            continue
        data = request(method, path, b"", target.authorization("user"))
        reply = exchange(target.server.port, data, is_head=method == "HEAD")
        target.check(reply, f"{method} {path}", may_close=method == "CONNECT" or len(method) > 100)
        assert method not in ("TRACE", "FOO", "X" * 500) or reply.status >= 400 or reply.status == 0, reply


# Random JSON, the same in every run. A text may be anything that JSON can write, lone surrogates included.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
FUZZ = settings(
    max_examples=int(os.environ.get("GATEHOUSE_FUZZ_EXAMPLES", "60")),
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_random_json(target, endpoint):
    method, path, bearer, good = endpoint
    members = st.dictionaries(st.sampled_from(sorted(good)) | TEXTS, VALUES, max_size=6)

    @FUZZ
    @given(members | VALUES)
    def send(value):
        target.send(method, path, bearer, json.dumps(value, allow_nan=True).encode())

    send()


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_random_damage(target, endpoint):
    """A valid body with one span of bytes replaced."""
    method, path, bearer, good = endpoint
    body = json.dumps(good).replace("{mine}", "mine@example.com").replace("{new}", "damaged@example.com").encode()

    @FUZZ
    @given(st.integers(0, len(body)), st.integers(0, 8), st.binary(max_size=8))
    def send(start, length, other):
        target.send(method, path, bearer, body[:start] + other + body[start + length :])

    send()
