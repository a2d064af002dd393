"""Creates hostile requests: each is a valid request with a few changes. Standard library only.

A number and a seed determine a request, so a finding can be repeated. Every text contains MARK, which no log may repeat.
"""

import base64
import json
import pathlib
import random
import re
import urllib.parse

from program import PASSWORD, PUBLISHABLE_KEY, REPOSITORY, SECRET_KEY
from wire import request

MARK = "k7hostile"
# A response header, if a line break got through.
INJECTED = "x-hostile-line"
UNKNOWN_ID = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b"
VERIFIER = "a-verifier-of-more-than-forty-three-characters-0001"
CHALLENGE = "xCQLDnsvQE3aYFg46AmNN8eBcY1SOEkfclHh_2vn254"
FORM = "application/x-www-form-urlencoded"
GRANT = "/auth/v1/token?grant_type="
FLOW = f"provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=s256"
BROUGHT = {"state": UNKNOWN_ID, "code": "abc", "user": '{"name":{"firstName":"Ana"}}', "iss": "x", "error": "denied"}
NEW, MINE = "{new}@example.com", "{mine}"
CREDENTIAL = {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "clientExtensionResults": {},
              "response": {"clientDataJSON": "e30", "attestationObject": "oA", "authenticatorData": "AAAA",
                           "signature": "AAAA", "userHandle": "AAAA", "transports": ["internal"]}}
# Method, path with its query, bearer, body, kind of body. `Sender` replaces names in braces when it sends.
REQUESTS = [
    ("GET", "/auth/v1/health", None, None),
    ("GET", "/auth/v1/.well-known/jwks.json", None, None),
    ("GET", "/auth/v1/.well-known/openid-configuration", None, None),
    ("GET", "/auth/v1/settings?apikey={apikey}", None, None),
    ("GET", f"/auth/v1/authorize?{FLOW}&redirect_to=http://127.0.0.1:3000/a&scopes=email", None, None),
    ("GET", f"/auth/v1/authorize?{FLOW}&invite_token=abc&skip_http_redirect=true", None, None),
    ("GET", "/auth/v1/callback?" + urllib.parse.urlencode(BROUGHT), None, None),
    ("GET", "/auth/v1/callback/{provider}?" + urllib.parse.urlencode(BROUGHT), None, None),
    ("POST", "/auth/v1/callback", None, BROUGHT, FORM),
    ("POST", "/auth/v1/callback/{provider}", None, BROUGHT, FORM),
    ("POST", "/auth/v1/apple/notifications", None, {"payload": "{id_token}"}),
    ("POST", "/auth/v1/signup", None, {"email": NEW, "password": PASSWORD, "data": {"a": 1}}),
    ("POST", "/auth/v1/signup", None, {"data": {"a": 1}}),
    ("POST", GRANT + "password", None, {"email": MINE, "password": PASSWORD}),
    ("POST", GRANT + "refresh_token", None, {"refresh_token": "{refresh_token}"}),
    ("POST", GRANT + "id_token", None, {"provider": "keycloak", "id_token": "{id_token}", "access_token": "abc",
                                        "nonce": "abc", "user": {"name": {"firstName": "Ana", "lastName": "Example"}},
                                        "authorization_code": "abc"}),
    ("POST", GRANT + "pkce", None, {"auth_code": UNKNOWN_ID, "code_verifier": VERIFIER}),
    ("POST", GRANT + "link_confirmation", None, {"link_ticket": VERIFIER, "email": MINE, "password": PASSWORD}),
    ("POST", GRANT + "link_confirmation", "user", {"link_ticket": VERIFIER}),
    ("POST", GRANT + "link_recovery", None, {"link_ticket": VERIFIER}),
    ("POST", "/auth/v1/logout?scope=others", "user", None),
    ("GET", "/auth/v1/sessions", "user", None),
    ("POST", "/auth/v1/sessions/children", "user", {"name": "w", "kind": "widget", "lifetime": 600,
                                                     "refresh_token": "{refresh_token}"}),
    ("POST", "/auth/v1/sessions/report", None, {"token_hash": "5f" * 28, "email": MINE}),
    ("DELETE", "/auth/v1/sessions/{session_id}", "user", None),
    ("GET", "/auth/v1/user", "user", None),
    ("PUT", "/auth/v1/user", "user", {"data": {"a": 1}, "password": PASSWORD, "email": NEW, "nonce": "abc",
                                      "current_password": PASSWORD}),
    ("GET", "/auth/v1/user/export", "user", None),
    ("POST", "/auth/v1/authorize", "user", {"refresh_token": "{refresh_token}", "code_challenge": CHALLENGE,
                                            "code_challenge_method": "s256", "redirect_to": "http://127.0.0.1:3000/a"}),
    ("GET", f"/auth/v1/user/identities/authorize?{FLOW}&skip_http_redirect=true", "user", None),
    ("GET", "/auth/v1/user/identities/undoable", "user", None),
    ("POST", "/auth/v1/user/identities/{identity_id}/undo", "user", None),
    ("DELETE", "/auth/v1/user/identities/{identity_id}", "user", None),
    ("GET", "/auth/v1/admin/users?page=1&per_page=5&filter=a&sort=created_at+desc", "admin", None),
    ("POST", "/auth/v1/admin/users", "admin", {"id": UNKNOWN_ID, "email": NEW, "password": PASSWORD, "role": "a",
                                               "user_metadata": {"a": 1}, "app_metadata": {"a": 1},
                                               "ban_duration": "1h", "ban_reason": "a", "email_confirm": True,
                                               "password_hash": "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$AAAA"}),
    ("GET", "/auth/v1/admin/users/{user_id}", "admin", None),
    ("PUT", "/auth/v1/admin/users/{user_id}", "admin", {"email": NEW, "app_metadata": {"a": None}, "password": PASSWORD,
                                                        "user_metadata": {"a": 1}, "ban_duration": "none", "role": "a"}),
    ("DELETE", "/auth/v1/admin/users/{user_id}", "admin", {"should_soft_delete": True}),
    ("POST", "/auth/v1/admin/users/{user_id}/recover", "admin", None),
    ("POST", "/auth/v1/admin/users/{user_id}/resend", "admin", None),
    ("POST", "/auth/v1/admin/users/{user_id}/unlock", "admin", None),
    ("GET", "/auth/v1/admin/users/{user_id}/diagnosis", "admin", None),
    ("DELETE", "/auth/v1/admin/users/{user_id}/identities/{identity_id}", "admin", None),
    ("GET", "/auth/v1/admin/users/{user_id}/sessions?limit=5", "admin", None),
    ("DELETE", "/auth/v1/admin/users/{user_id}/sessions", "admin", None),
    ("DELETE", "/auth/v1/admin/users/{user_id}/sessions/{session_id}", "admin", None),
    ("GET", "/auth/v1/admin/users/{user_id}/history?limit=5", "admin", None),
    ("GET", "/auth/v1/admin/users/{user_id}/overview?limit=5", "admin", None),
    ("GET", "/auth/v1/admin/search/users?q=a&method=email&state=active&seen_after=2026-01-01T00:00:00Z&limit=5", "admin", None),
    ("GET", "/auth/v1/admin/search/audit?action=login&actor=a&since=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z", "admin", None),
    ("GET", "/auth/v1/admin/search/audit?limit=1000&after=abc", "admin", None),
    ("GET", "/auth/v1/admin/search/users?q=a&after=abc&seen_before=2026-01-01T00:00:00Z", "admin", None),
    ("GET", "/auth/v1/admin/activity?from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z", "admin", None),
    ("GET", "/auth/v1/admin/overview?from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z", "admin", None),
    ("GET", "/auth/v1/admin/latency", "admin", None),
    ("GET", "/auth/v1/admin/outbox?limit=5", "admin", None),
    ("POST", "/auth/v1/admin/outbox/{user_id}/retry", "admin", None),
    ("DELETE", "/auth/v1/admin/outbox/{user_id}", "admin", None),
    ("GET", "/auth/v1/admin/deliveries?limit=5", "admin", None),
    ("POST", "/auth/v1/admin/deliveries/{user_id}/replay", "admin", None),
    ("POST", "/auth/v1/admin/webhooks/crm/test", "admin", None),
    ("GET", "/auth/v1/admin/keys", "admin", None),
    ("GET", "/auth/v1/admin/requests?after=1", "admin", None),
    ("GET", "/auth/v1/admin/audit?page=1&per_page=5&query=author:a", "admin", None),
    ("POST", "/auth/v1/factors", "user", {"factor_type": "totp", "friendly_name": "a", "issuer": "b", "phone": "1"}),
    ("POST", "/auth/v1/factors/{factor_id}/challenge", "user", None),
    ("POST", "/auth/v1/factors/{factor_id}/verify", "user", {"challenge_id": UNKNOWN_ID, "code": "123456"}),
    ("DELETE", "/auth/v1/factors/{factor_id}", "user", None),
    ("GET", "/auth/v1/factors/recovery-codes", "user", None),
    ("POST", "/auth/v1/factors/recovery-codes", "user", {"friendly_name": "a"}),
    ("POST", "/auth/v1/factors/recovery-codes/verify", "user", {"code": "abcd-efgh-ijkl-mnop"}),
    ("POST", "/auth/v1/factors/recovery-codes/regenerate", "user", None),
    ("DELETE", "/auth/v1/factors/recovery-codes", "user", None),
    ("GET", "/auth/v1/admin/users/{user_id}/factors", "admin", None),
    ("DELETE", "/auth/v1/admin/users/{user_id}/factors/{factor_id}", "admin", None),
    ("POST", "/auth/v1/otp", None, {"email": NEW, "create_user": False, "data": {"a": 1}, "code_challenge": CHALLENGE,
                                    "code_challenge_method": "s256"}),
    ("POST", "/auth/v1/magiclink", None, {"email": NEW, "data": {"a": 1}}),
    ("POST", "/auth/v1/recover", None, {"email": MINE}),
    ("POST", "/auth/v1/resend", None, {"type": "signup", "email": MINE}),
    ("POST", "/auth/v1/link/code", None, {"link_ticket": "abc"}),
    ("POST", "/auth/v1/user/start-over", "user", None),
    ("GET", "/auth/v1/reauthenticate", "user", None),
    ("POST", "/auth/v1/verify", None, {"type": "signup", "email": MINE, "token": "123456"}),
    ("POST", "/auth/v1/verify", None, {"type": "email", "token_hash": "abc"}),
    ("POST", "/auth/v1/verify/page", None, {"token": "abc", "type": "signup", "code": "123456",
                                            "redirect_to": "http://127.0.0.1:3000/a"}, FORM),
    ("POST", "/auth/v1/invite", "admin", {"email": NEW, "data": {"a": 1}}),
    ("POST", "/auth/v1/admin/invite", "admin", {"email": NEW, "data": {"a": 1}}),
    ("GET", "/auth/v1/verify?token=abc&type=signup&redirect_to=http://127.0.0.1:3000/a", None, None),
    ("POST", "/auth/v1/admin/generate_link", "admin", {"type": "signup", "email": NEW}),
    ("PUT", "/auth/v1/admin/users/{user_id}/factors/{factor_id}", "admin", {"friendly_name": "a"}),
    ("GET", "/auth/v1/admin/users/{user_id}/passkeys", "admin", None),
    ("DELETE", "/auth/v1/admin/users/{user_id}/passkeys/{passkey_id}", "admin", None),
    ("GET", f"/auth/v1/oauth/authorize?client_id={UNKNOWN_ID}&redirect_uri=http://127.0.0.1:3000/a&response_type=code"
            f"&code_challenge={CHALLENGE}&code_challenge_method=S256&scope=openid&state=abc", None, None),
    ("POST", "/auth/v1/oauth/authorize", None, {"client_id": UNKNOWN_ID, "redirect_uri": "http://127.0.0.1:3000/a"}, FORM),
    ("POST", "/auth/v1/oauth/par", None, {"client_id": UNKNOWN_ID, "scope": "email"}, FORM),
    ("POST", "/auth/v1/oauth/token", None, {"grant_type": "authorization_code", "client_id": UNKNOWN_ID, "code": "abc",
                                            "code_verifier": VERIFIER, "resource": "https://example.com"}, FORM),
    ("POST", "/auth/v1/oauth/device_authorization", None, {"client_id": UNKNOWN_ID, "scope": "email"}, FORM),
    ("POST", "/auth/v1/oauth/introspect", None, {"client_id": UNKNOWN_ID, "client_secret": "abc", "token": "abc"}, FORM),
    ("POST", "/auth/v1/oauth/revoke", None, {"client_id": UNKNOWN_ID, "token": "abc"}, FORM),
    ("GET", "/auth/v1/oauth/userinfo", "user", None),
    ("POST", "/auth/v1/oauth/userinfo", "user", None),
    ("POST", "/auth/v1/oauth/clients/register", None, {"client_name": "a", "redirect_uris": ["https://example.com/a"]}),
    ("GET", "/auth/v1/oauth/authorizations/{session_id}", "user", None),
    ("POST", "/auth/v1/oauth/authorizations/{session_id}/consent", "user", {"action": "approve", "report": True}),
    ("GET", "/auth/v1/oauth/device?user_code=BCDF-GHJK", "user", None),
    ("GET", "/auth/v1/user/oauth/grants", "user", None),
    ("DELETE", f"/auth/v1/user/oauth/grants?client_id={UNKNOWN_ID}", "user", None),
    ("POST", "/auth/v1/admin/oauth/clients", "admin", {"client_name": "a", "redirect_uris": ["https://example.com/a"],
                                                       "grant_types": ["refresh_token"], "scope": "email"}),
    ("GET", "/auth/v1/.well-known/oauth-protected-resource", None, None),
    ("POST", "/auth/v1/sso", None, {"domain": "example.com"}),
    ("POST", "/auth/v1/passkeys/registration/options", "user", {"a": 1}),
    ("POST", "/auth/v1/passkeys/registration/verify", "user", {"challenge_id": UNKNOWN_ID, "credential": CREDENTIAL}),
    ("POST", "/auth/v1/passkeys/authentication/options", None, {"gotrue_meta_security": {"captcha_token": "abc"}}),
    ("POST", "/auth/v1/passkeys/authentication/verify", None, {"challenge_id": UNKNOWN_ID, "credential": CREDENTIAL}),
    ("POST", "/auth/v1/passkeys/signup/options", None, {"email": NEW, "data": {"name": "Ana"}}),
    ("POST", "/auth/v1/passkeys/signup/verify", None, {"challenge_id": UNKNOWN_ID, "credential": CREDENTIAL,
                                                       "email": NEW, "data": {"name": "Ana"}}),
    ("GET", "/auth/v1/passkeys", "user", None),
    ("PATCH", "/auth/v1/passkeys/{passkey_id}", "user", {"friendly_name": "a"}),
    ("DELETE", "/auth/v1/passkeys/{passkey_id}", "user", None),
    ("POST", "/auth/v1/factors/{factor_id}/verify", "user", {
        "challenge_id": UNKNOWN_ID, "webauthn": {"type": "create", "credential_response": CREDENTIAL}}),
    ("GET", "/.well-known/webauthn", None, None),
    ("GET", "/.well-known/apple-app-site-association", None, None),
    ("POST", "/auth/v1/admin/custom-providers", "admin", {"name": "a"}),
    ("GET", "/v1/auth/me", "user", None),
    ("PATCH", "/v1/auth/me", "user", {"first_name": "Ana", "last_name": "Example", "favorite_teams": ["nba_1610612744"],
                                      "notifications_enabled": True, "data": {"mood": "calm", "goals": {"a": [1]}}}),
    ("DELETE", "/v1/auth/me", "user", None),
    ("GET", "/v1/teams?league=nba", None, None),
    ("POST", "/v1/events", None, {"app": "a", "dropped": 1, "events": [
        {"name": "auth_completed", "labels": {"method": "email"}, "duration_ms": 900},
        {"name": "auth_failed", "labels": {"method": "google", "error_type": "no_network"}}]}),
    ("GET", "/api/v1/profile", "user", None),
    ("PATCH", "/api/v1/profile", "user", {"name": "Ana", "timezone": "Europe/Berlin",
                                          "avatar_url": "https://example.com/a.png"}),
    ("GET", "/api/v1/auth/callback?code=abc&scheme=app&redirect_to=app://a", None, None),
    ("GET", f"/account/sign-in?code_challenge={CHALLENGE}&redirect_to=http://127.0.0.1:3000/a", None, None),
    ("GET", "/account/sign-up?lang=ar", None, None),
    ("GET", "/account/callback?code=abc&error=access_denied", None, None),
    ("GET", "/account/provider/{rest}", None, None),
    ("GET", "/account/assets/pages.css?v=abc", None, None),
    ("POST", "/account/sign-in", None, {"form": "abc", "email": MINE, "password": PASSWORD}, FORM),
    ("GET", "/account/recover?error=access_denied", None, None),
    ("POST", "/account/recover", None, {"form": "abc", "email": MINE, "code": "123456"}, FORM),
    ("GET", "/account/second-step?use=recovery", None, None),
    ("POST", "/account/second-step", None, {"form": "abc", "act": "recovery", "factor": "abc", "code": "123456"}, FORM),
    ("POST", "/account/sign-in/passkey", None, {"form": "abc", "challenge": "abc", "credential": "{\"id\":\"a\"}"}, FORM),
    ("POST", "/account/methods", None, {"form": "abc", "act": "add", "provider": "keycloak", "identity": "a"}, FORM),
    ("GET", "/health", None, None),
    ("GET", "/ready", None, None),
]  # fmt: skip
# The sources of the server's routes, and their path prefixes.
TABLES = {"Sources/Server/AuthServer": ("/auth/v1",), "Sources/Server/ProfileGateway/Routes": ("/v1", "/api/v1")}
ROW = re.compile(r'\bRoute\(\s*\.(\w+),\s*"([^"]*)"')
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get")


def rows_in_sources():
    """(method, paths) of each row of the server's tables; the paths below every prefix that it may have."""
    for folder, prefixes in TABLES.items():
        for file in sorted(pathlib.Path(REPOSITORY, folder).rglob("*.swift")):
            for method, path in ROW.findall(file.read_text(encoding="utf-8")):
                yield method.upper(), [prefix + path for prefix in prefixes]


# Mark orders that normalization sorts, a base letter between long runs, expanding letters, and directions.
MARKS = ["\u0301\u0323", "\u0315\u0300\u05b0\u0338", "\u0f71\u0f74\u0f72", "\u1100\u1161\u11a8", "\ufdfa", "\u0130", "\u202e\u2066"]
HASHES = ["$2b$31$" + "a" * 53, "$argon2id$v=19$m=4194304,t=90000,p=255$YWFhYWFhYWE$AAAA", "$argon2id$" + "$" * 100]
TEXTS = [
    "", " ", "\t", "null", "undefined", "NaN", "../../etc/passwd", "'; DROP TABLE users; --", "' OR 1=1 --", "%s%n%x",
    "${jndi:ldap://127.0.0.1/}", "{{7*7}}", "<script>alert(1)</script>", "a\u0000b", "\ufeffa", "\ud800", "\udfff\ud800",
    "\x1b[31m", "\x85\x9b31m", "*", "%", "%_%", "\\", "a" * 255, "a" * 256, "a" * 257, "ä" * 128, "\U0001f468\u200d" * 30,
    f"a\r\n{INJECTED}: 1", f"a%0d%0a{INJECTED}:%201", "a@b", "a@b@c.example", "@example.com", "a@[127.0.0.1]", "a@xn--a.example",
    '"a b"@example.com', "ａ@ｅｘａｍｐｌｅ.com", "a@example.com\u0000", "javascript:alert(1)", "//example.net", "http://0x7f.1/",
    "http://a@b@c/", "https:///a", "https://example.com:99999/", "https://[::ffff:127.0.0.1%25a]/", "9" * 400, "-1", "1e309",
    "0x10", "1h" * 200, "-1h", "999999999999h", "1.5ns", "Europe/../../etc", "2026-02-30T25:61:61Z", "e30.e30.", "sb_secret_",
    *HASHES,
]  # fmt: skip
OTHERS = [None, True, False, 0, -1, 1.5, 1e308, 2**53, 2**63, -(2**63) - 1, 10**400, [], [[]], {}, {"": ""}, [None], {"a": [1]}]
HEADERS = [
    ("Authorization", "{token}"), ("Authorization", "Bearer {token}"), ("apikey", "{text}"), ("Cookie", "gatehouse-browser={text}"),
    ("Content-Type", "{text}"), ("Content-Type", FORM), ("Content-Type", "application/json; charset=utf-16"),
    ("Content-Encoding", "gzip"), ("Accept", "{text}"), ("Accept-Language", "{text}"), ("Origin", "{text}"), ("Origin", "null"),
    ("Referer", "{text}"), ("redirect_to", "{text}"), ("User-Agent", "{text}"), ("X-Forwarded-For", "{text}"),
    ("X-Forwarded-For", "::ffff:1.2.3.4, [::1]:80, 01.2.3.4"), ("Forwarded", "for={text};proto=https"), ("X-Real-IP", "{text}"),
    ("X-Forwarded-Host", "{text}"), ("X-Forwarded-Proto", "gopher"), ("Sb-Forwarded-For", "{text}"), ("X-Request-Id", "{text}"),
    ("X-Supabase-Api-Version", "{text}"), ("X-Supabase-Api-Version", "9999-12-31"), ("X-JWT-AUD", "{text}"), ("Range", "bytes=0-"),
    ("If-None-Match", "{text}"), ("Access-Control-Request-Method", "{text}"), ("Access-Control-Request-Headers", "{text}"),
    ("Expect", "{text}"), ("Upgrade", "h2c"), ("TE", "{text}"), ("X-HTTP-Method-Override", "DELETE"), ("x-client-info", "{text}"),
]  # fmt: skip


class Wanted(dict):
    """Replaces the known names and leaves other braces unchanged."""

    def __missing__(self, name):
        return "{" + name + "}"


class Hostile:
    """The request with one number. `known`: the sender's values, such as a valid token."""

    def __init__(self, seed, number, known):
        self.random, self.known = random.Random(f"{seed}:{number}"), known
        self.method, self.target, self.bearer, self.body, *kind = self.random.choice(REQUESTS)
        self.kind, self.headers, self.forged = (kind or ["application/json"])[0], [], False
        self.path, _, query = self.target.partition("?")
        self.fields = [list(pair) for pair in urllib.parse.parse_qsl(query)]
        self.members = [list(pair) for pair in self.body.items()] if self.body is not None else []
        self.needs_bearer = self.bearer is not None
        self.raw_query = self.raw_body = None
        self.is_chunked = False
        changes = [self.path_part, self.header, self.bearer_token]
        changes += [self.field] * 3 if self.fields else [self.more_fields]
        changes += [self.member] * 8 + [self.encoding] * 2 if self.body is not None else []
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))):
            self.random.choice(changes)()
        if self.random.random() < 0.02:
            self.method = self.random.choice(METHODS)

    # Values

    def count(self, most):
        """Mostly few, seldom many: each order of size as often as the next."""
        return int(most ** self.random.random())

    def text(self, most=60_000):
        choose = self.random.random()
        if choose < 0.5:
            return MARK + self.random.choice(TEXTS) if choose < 0.4 else self.random.choice(TEXTS)
        if choose < 0.65:
            marks = self.random.choice(MARKS)
            return MARK + "a" + marks * (self.random.choice((8, 1_000, most)) // len(marks.encode()) + 1)
        if choose < 0.8:
            return MARK + self.random.choice(["a", ".", "/", "%", "@", "[", "\\", "-", "😀", "\u0000", ",", "=", "*"]) * self.count(most)
        if choose < 0.9:
            return MARK + "".join(chr(self.random.choice((0, 0x20, 0x80, 0x300, 0x10000)) + self.random.randrange(0x100)) for _ in range(20))
        return self.near_miss()

    def near_miss(self):
        """Something right with one character changed."""
        right = self.filled(self.random.choice(["{refresh_token}", "{user_id}", "{id_token}", MINE, VERIFIER, CHALLENGE, NEW]))
        place = self.random.randrange(len(right) + 1)
        return right[:place] + self.random.choice(["", "\u0000", "A", ".", "\u0301", " "]) + right[place + 1 :]

    def value(self):
        choose = self.random.random()
        if choose < 0.6:
            return self.text()
        if choose < 0.8:
            return self.random.choice(OTHERS)
        if choose < 0.9:
            return {self.text(): self.text() for _ in range(self.count(20))}
        if choose < 0.95:
            return [self.text(200) for _ in range(self.count(500))]
        value = MARK
        for _ in range(self.count(400)):
            value = [value] if self.random.random() < 0.5 else {"a": value}
        return value

    def token(self):
        """An invalid token: the user's own with a change, or a forged one."""
        self.forged = True
        parts = self.known["token"].split(".")
        choose = self.random.random()
        if choose < 0.3:
            number = self.random.randrange(3)
            place = self.random.randrange(len(parts[number]))
            old = parts[number][place]
            parts[number] = parts[number][:place] + self.random.choice([c for c in "AZaz09-_=.+" if c != old]) + parts[number][place + 1 :]
            return ".".join(parts)
        if choose < 0.8:
            number = self.random.randrange(2)
            members = json.loads(base64.urlsafe_b64decode(parts[number] + "==="))
            names = [*members, "jku", "jwk", "crit", "x5c", "b64", "zip", "nbf", "exp", "aud", "role"]
            for _ in range(self.count(30)):
                name = self.random.choice(names) if self.random.random() < 0.7 else self.text(20_000)
                members[name] = self.value()
            members |= self.random.choice([{}, {"alg": self.random.choice(["none", "None", "HS256", "RS256", "", None])}])
            # The head of a request is bounded; longer ones are not parsed.
            text = encoded(members)[:11_000]
            parts[number] = base64.urlsafe_b64encode(text).rstrip(b"=").decode()
            return ".".join(parts)
        return self.random.choice(["", ".", "..", "...", "a.b.c", "a" * 9_000, "." * 9_000, "e30.e30.e30", "null", self.text(2_000)])

    # Changes

    def field(self):
        field = self.random.choice(self.fields)
        if self.random.random() < 0.15:
            self.fields.append([field[0], self.text(2_000)])
        elif self.random.random() < 0.1:
            field[0] = self.text(20_000)
        else:
            field[1] = self.text(20_000)

    def more_fields(self):
        if self.random.random() < 0.5:
            self.fields = [[self.text(500), self.text(500)] for _ in range(self.count(20))]
        else:
            self.raw_query = self.random.choice(["%", "%zz", "%00", "&" * 3_000, "=" * 3_000, "a=%ff%fe", "a&" * 3_000, "?" * 3_000, "%c0%af"])

    def path_part(self):
        if "{" in self.path:
            value = self.random.choice([urllib.parse.quote(self.text(2_000), safe="", errors="surrogatepass"), "%", "%2f..", "%00", "%ff", "{a}"])
            self.path = re.sub(r"\{\w+\}", lambda _: value, self.path, count=1)
        else:
            self.path += self.random.choice(["/", "//", "/..", "%00", "%2f", ";a=b", "/" + MARK, ".json", "/%2e%2e/"])

    def header(self):
        name, value = self.random.choice(HEADERS)
        text = self.text(4_000) if "{text}" in value else ""
        # The log repeats an id of the caller's choice, as it should.
        text = text.replace(MARK, "") if name == "X-Request-Id" else text
        token = self.token() if "{token}" in value and self.bearer else ""
        self.headers.append((name, value.replace("{text}", text).replace("{token}", token)))

    def bearer_token(self):
        if self.bearer:
            self.headers.append(("Authorization", "Bearer " + self.token()))
            self.bearer = None

    def member(self):
        choose = self.random.random()
        if choose < 0.6 and self.members:
            self.random.choice(self.members)[1] = self.value()
        elif choose < 0.7 and self.members:
            self.members.append([self.random.choice(self.members)[0], self.value()])
        elif choose < 0.8 and self.members:
            member = self.random.choice(self.members)
            member[0] = self.random.choice([member[0].upper(), member[0] + "\u0000", member[0] + "\u0301", "__proto__", self.text()])
        elif choose < 0.9:
            self.members += [[self.text(), self.value()] for _ in range(self.count(10))]
        else:
            self.members += [[f"{MARK}{number}", number] for number in range(self.count(5_000))]

    def encoding(self):
        data = self.written()
        change = self.random.randrange(9)
        if change == 0:
            self.is_chunked = True
        elif change == 1:
            self.kind = self.random.choice([FORM, "text/plain", "multipart/form-data; boundary=a", "", "application/json"])
        elif change == 2:
            self.raw_body = self.random.choice([b"\xef\xbb\xbf" + data, data.decode("utf-8", "replace").encode("utf-16"), b"\x1f\x8b" + data])
        elif change == 3:
            self.raw_body = data[: self.random.randrange(len(data) + 1)]
        elif change == 4:
            self.raw_body = data + self.random.choice([b"x", b"\x00", data, b"}" * 9, b" " * 9_000])
        elif change == 5:
            open_, close = self.random.choice([(b"[", b"]"), (b'{"a":', b"}")])
            depth = self.count(50_000)
            self.raw_body = open_ * depth + b"1" + close * self.random.choice((0, depth))
        elif change == 6:
            self.raw_body = self.random.choice([b"", b"null", b"[]", b'"a"', b"0", b"-", b"1" * self.count(60_000), b'"' + b"\\u0061" * self.count(9_000)])
        else:
            changed = bytearray(data)
            for _ in range(self.count(8) if changed else 0):
                changed[self.random.randrange(len(changed))] = self.random.randrange(256)
            self.raw_body = bytes(changed)

    # Sending

    def filled(self, text):
        if "{" not in text:
            return text
        known = Wanted(self.known, new=f"{MARK}-{self.random.getrandbits(64):x}")
        return re.sub(r"\{(\w+)\}", lambda found: known[found.group(1)], text)

    def filled_value(self, value):
        return self.filled(value) if isinstance(value, str) else value

    def written(self):
        members = [(name, self.filled_value(value)) for name, value in self.members]
        if self.kind == FORM:
            pairs = [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in members]
            return urllib.parse.urlencode(pairs, errors="surrogatepass").encode()
        # Not a dictionary: a name may occur twice.
        return b"{" + b",".join(encoded(name) + b":" + encoded(value) for name, value in members) + b"}"

    def data(self):
        """The bytes of the request."""
        path = self.filled(self.path)
        query = self.raw_query
        if query is None:
            query = urllib.parse.urlencode([(name, self.filled(value)) for name, value in self.fields], errors="surrogatepass")
        headers = list(self.headers)
        if self.bearer and self.bearer in self.known:
            headers.append(("Authorization", "Bearer " + self.known[self.bearer]))
        body = b"" if self.body is None else self.written() if self.raw_body is None else self.raw_body
        if self.kind != "application/json" and not any(name == "Content-Type" for name, _ in headers):
            headers.append(("Content-Type", self.kind))
        # A line break in a head would start another request; `test_malformed.py` sends those.
        headers = [(name, re.sub(r"[\r\n\0]", " ", value).encode("utf-8", "surrogatepass")) for name, value in headers]
        path = re.sub(r"[^!-~]", lambda found: urllib.parse.quote(found.group(0), errors="surrogatepass"), path)
        path += "?" + query if query else ""
        if not self.is_chunked or not body:
            return request(self.method, path, body, headers)
        head = request(self.method, path, b"", [*headers, ("Transfer-Encoding", "chunked")])
        middle = self.random.randrange(len(body) + 1)
        pieces = [piece for piece in (body[:middle], body[middle:]) if piece]
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
        return head.replace(b"Content-Length: 0\r\n", b"") + chunks + b"0\r\n\r\n"

    def __str__(self):
        return f"{self.method} {self.path}"


def encoded(value):
    """JSON in UTF-8, with escapes only where UTF-8 has nothing."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def known(session, provider_token):
    """The sender's values, from the response to a sign-up."""
    claims = json.loads(base64.urlsafe_b64decode(session["access_token"].split(".")[1] + "==="))
    return {
        "user": session["access_token"], "token": session["access_token"], "refresh_token": session["refresh_token"],
        "admin": SECRET_KEY, "apikey": PUBLISHABLE_KEY, "user_id": session["user"]["id"], "mine": session["user"]["email"],
        "identity_id": UNKNOWN_ID, "session_id": claims.get("session_id", UNKNOWN_ID), "id_token": provider_token,
        "provider": "keycloak", "factor_id": UNKNOWN_ID, "passkey_id": UNKNOWN_ID, "rest": "a",
        "step": "b",
    }  # fmt: skip

