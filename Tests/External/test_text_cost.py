"""Text that is expensive to compare costs the server as much as any other text.

Unicode's normal form orders the combining marks after a letter. Comparing or hashing text in that form takes time
quadratic in their number: 80 kB took nine seconds, without a sign-in. Each request here sends such text in one place, and
the server's own CPU time shows whether that place normalizes it. No clock decides.
"""

import base64
import http.server
import json
import os
import sys
import urllib.parse

import pytest
from identity_provider import IdentityProvider
from program import PASSKEYS, LoopbackServer
from test_malformed import ALL, CHALLENGE, KNOWN_ID, WITH_BODY, filled, named, providers
from wire import exchange, request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads CPU time from /proc")

# The order of their classes is the other way round.
MARKS = "\u0315\u0300"
# 400 kB. Where one comparison is in the normal form, a debug build works at it for a minute or more.
LONG = "a" + MARKS * 100_000
# Fits into the 80 kB for all headers: 20 s in the normal form if one field is compared a few times.
HEADER = ("a" + MARKS * 18_000).encode()
# Escaped, one mark has six bytes.
QUERY = urllib.parse.quote("a" + MARKS * 6_000)
# The fault cost from 3 s up. The dearest request takes 0.7 s, and more where other work shares the processor's caches.
MOST_SECONDS = 2.0


class Meter:
    """A server, and the CPU cost of each request."""

    def __init__(self, server):
        self.server = server
        session = server.auth().sign_up("dear@example.com")
        assert server.admin().post("/admin/users", {"id": KNOWN_ID, "email": "known@example.com"}).status == 200
        self.bearers = {"user": session["access_token"], "admin": server.keys["secret_key"], None: None}

    def seconds(self):
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, method, path, bearer=None, body=b"", headers=(), what="", passing=range(200, 500)):
        if bearer:
            headers = [("Authorization", f"Bearer {self.bearers[bearer]}"), *headers]
        before = self.seconds()
        reply = exchange(self.server.port, request(method, path, body, headers))
        cost = self.seconds() - before
        shown = f"{method} {str(path)[:60]} {what}"
        assert cost < MOST_SECONDS, f"{shown}: {cost:.2f} s of CPU for {len(body)} bytes"
        assert reply.status in passing, f"{shown}: {reply}"
        return reply


@pytest.fixture(scope="module")
def meter(session_servers):
    stand_in = IdentityProvider().start()
    # This machine's proxies are trusted, so that their header is read.
    server = session_servers.serve(**providers(stand_in.url), **PASSKEYS, GATEHOUSE_TRUSTED_PROXIES="127.0.0.0/8")
    yield Meter(server.start())
    stand_in.stop()


def with_texts(value, text):
    """The value with this text for every text in it."""
    if isinstance(value, dict):
        return {name: with_texts(inner, text) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_texts(inner, text) for inner in value]
    return text if isinstance(value, str) else value


def raw(body):
    return json.dumps(body, ensure_ascii=False).encode()


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_members_and_their_names(meter, endpoint):
    method, path, bearer, good = endpoint
    usual = json.loads(filled(good))
    for member in good:
        meter.send(method, path, bearer, raw({**usual, member: LONG}), what=member)
        meter.send(method, path, bearer, raw({**usual, member: {LONG: LONG}}), what=f"{member}: an object")
        meter.send(method, path, bearer, raw({**usual, member: [LONG] * 2}), what=f"{member}: a list")
    meter.send(method, path, bearer, raw(with_texts(usual, LONG)), what="every text")
    meter.send(method, path, bearer, json.dumps({**usual, LONG: 1}).encode(), what="an escaped name")
    meter.send(method, path, bearer, raw({LONG: usual}), what="one name")
    # As long as a name may be, and each differs in its bytes alone.
    names = {f"{number:03}a" + MARKS * 62: LONG[:10] for number in range(1_000)}
    meter.send(method, path, bearer, raw({**usual, **names}), what="many names")
    meter.send(method, path, bearer, raw({**usual, "data": names}), what="many names within")


@pytest.mark.parametrize("endpoint", ALL, ids=named)
def test_queries_and_paths(meter, endpoint):
    method, path, bearer = endpoint
    base, _, query = path.partition("?")
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    meter.send(method, f"{base}?{QUERY}=1&{query}", bearer, what="a name")
    for name, _, _ in pairs or [("league", "", ""), ("filter", "", ""), ("page", "", ""), ("apikey", "", "")]:
        others = "".join(f"&{other}={value}" for other, _, value in pairs if other != name)
        meter.send(method, f"{base}?{name}={QUERY}{others}", bearer, what=name)
    meter.send(method, f"{base}/{QUERY}", bearer, what="a longer path")
    meter.send(method, f"{base.rpartition('/')[0]}/{QUERY}", bearer, what="another path")
    meter.send(method, HEADER.join([base.encode() + b"/", b""]), bearer, what="a path of bytes")


def test_parameters_that_only_some_routes_read(meter):
    for path, bearer, names in [
        ("/auth/v1/authorize", None, ["provider", "redirect_to", "scopes", "code_challenge_method", "invite_token"]),
        ("/auth/v1/callback", None, ["state", "code", "error", "error_description", "iss", "user"]),
        ("/auth/v1/admin/users", "admin", ["filter", "sort", "page", "per_page"]),
        ("/auth/v1/admin/audit", "admin", ["query", "page", "per_page"]),
        ("/v1/teams", None, ["league"]),
    ]:
        usual = f"&provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=s256"
        for name in names:
            meter.send("GET", f"{path}?{name}={QUERY}{usual}", bearer, what=name)
    for column in ("author:", "action:", "type:"):
        meter.send("GET", f"/auth/v1/admin/audit?query={column}{QUERY}", "admin", what=column)
    for grant in ("grant_type", "redirect_to"):
        meter.send("POST", f"/auth/v1/token?{grant}={QUERY}", body=b"{}", what=grant)
    meter.send("POST", f"/auth/v1/logout?scope={QUERY}", "user", what="scope")


HEADERS = [
    "Accept", "apikey", "Authorization", "Connection", "Content-Type", "Cookie", "Expect", "Forwarded", "Origin",
    "redirect_to", "Referer", "User-Agent", "X-Client-Info", "X-Forwarded-For", "X-Forwarded-Proto", "x-jwt-aud",
    "X-Request-Id", "X-Supabase-Api-Version",
]


@pytest.mark.parametrize("header", HEADERS)
def test_headers(meter, header):
    for method, path, bearer, body in [
        ("GET", "/auth/v1/user", "user", b""),
        ("GET", "/auth/v1/admin/users", "admin", b""),
        ("POST", "/auth/v1/token?grant_type=refresh_token", None, b'{"refresh_token":"abcdefghijkl"}'),
        ("GET", f"/auth/v1/authorize?provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=s256", None, b""),
        ("GET", "/auth/v1/callback?state=abc&code=abc", None, b""),
        ("PATCH", "/v1/auth/me", "user", b'{"first_name":"Ana"}'),
        ("OPTIONS", "/auth/v1/user", None, b""),
        ("GET", "/v1/teams", None, b""),
    ]:
        bearer = None if header == "Authorization" else bearer
        for before in (b"", b"Bearer ", b"gatehouse-browser=", b"192.0.2.1, "):
            meter.send(method, path, bearer, body, [(header, before + HEADER)], what=f"{header}: {before.decode()}")


def test_preflights(meter):
    for path in ("/auth/v1/user", "/v1/auth/me", "/nowhere"):
        for method, fields in ((HEADER, b"a"), (b"GET", HEADER), (b"GET", b"apikey, " + HEADER)):
            asked = [("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", fields)]
            meter.send("OPTIONS", path, headers=[("Origin", "https://app.example.com"), *asked], what="preflight")


def part(value):
    data = value if isinstance(value, bytes) else raw(value)
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def tokens(text):
    """Unsigned compact tokens with the text in every place."""
    header, claims = {"alg": "ES256", "kid": "a", "typ": "JWT"}, {"iss": "a", "sub": "a", "aud": "a", "exp": 2_000_000_000}
    for name in header:
        yield f"header {name}", ".".join([part({**header, name: text}), part(claims), "AAAA"])
    yield "header, a name", ".".join([part({**header, text: 1}), part(claims), "AAAA"])
    yield "header, names", ".".join([part({text[:100]: 1, text[:120]: 2, **header}), part(claims), "AAAA"])
    for name in claims:
        yield f"claim {name}", ".".join([part(header), part({**claims, name: text}), "AAAA"])
    yield "claims, a name", ".".join([part(header), part({**claims, text: 1}), "AAAA"])


def test_unsigned_tokens(meter):
    for what, token in tokens("a" + MARKS * 11_000):
        field = [("Authorization", f"Bearer {token}")]
        meter.send("GET", "/auth/v1/user", headers=field, what=what)
        meter.send("GET", "/auth/v1/admin/users", headers=field, what=what)
        meter.send("GET", "/v1/auth/me", headers=field, what=what)
        meter.send("PATCH", "/api/v1/profile", body=b'{"name":"Ana"}', headers=field, what=what)
        meter.send("GET", "/auth/v1/settings", headers=[("apikey", token)], what=what)
    # A provider's token has 16 kB at most.
    for what, token in tokens("a" + MARKS * 2_900):
        for provider in ("keycloak", "apple", "google", ""):
            body = {"provider": provider, "id_token": token, "client_id": "kc-client", "issuer": "http://a.example"}
            meter.send("POST", "/auth/v1/token?grant_type=id_token", body=raw(body), what=f"{provider} {what}")
        meter.send("POST", "/auth/v1/apple/notifications", body=raw({"payload": token}), what=what)


def test_forms_at_the_callback(meter):
    escaped = urllib.parse.quote(LONG).encode()
    form = [("Content-Type", "application/x-www-form-urlencoded")]
    for path in ("/auth/v1/callback", "/auth/v1/callback/keycloak"):
        for text in (LONG.encode(), escaped):
            meter.send("POST", path, body=text + b"=1", headers=form, what="a name")
            for name in (b"state", b"code", b"error", b"user", b"iss"):
                meter.send("POST", path, body=b"state=abc&" + name + b"=" + text, headers=form, what=name)
        names = b"&".join(b"%d" % number + HEADER[:250] + b"=1" for number in range(1_500))
        meter.send("POST", path, body=names, headers=form, what="many names")


class Documents(http.server.BaseHTTPRequestHandler):
    """A provider whose documents are as dear as they can be."""

    def do_GET(self):
        issuer = self.server.url if hasattr(self.server, "url") else ""
        metadata = {
            "issuer": issuer, "jwks_uri": issuer + "/keys", "authorization_endpoint": issuer + "/auth",
            "token_endpoint": issuer + "/token", "id_token_signing_alg_values_supported": [LONG[:20_000]] * 2,
            **{f"{number}a" + MARKS * 60: 1 for number in range(80)},
        }
        key = {"kty": "RSA", "n": "AQAB", "e": "AQAB", "alg": "a" + MARKS * 5_000, "kid": "a" + MARKS * 5_000}
        keys = {"keys": [key, {**key, "kty": "a" + MARKS * 5_000}, {**key, "crv": "a" + MARKS * 5_000}]}
        body = raw(keys if self.path == "/keys" else metadata)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def test_documents_of_providers(session_servers):
    provider = LoopbackServer(Documents)
    try:
        meter = Meter(session_servers.serve(**providers(provider.url)).start())
        query = f"provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=s256"
        meter.send("GET", f"/auth/v1/authorize?{query}", what="discovery")
        issuer = part({"iss": provider.url, "sub": "a", "aud": "kc-client", "exp": 2_000_000_000})
        token = ".".join([part({"alg": "RS256", "kid": "a"}), issuer, "AAAA"])
        body = raw({"provider": "keycloak", "id_token": token})
        # Without keys the issuer of a token is unknown.
        meter.send("POST", "/auth/v1/token?grant_type=id_token", body=body, what="keys", passing=range(200, 504))
    finally:
        provider.stop()
