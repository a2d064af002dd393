"""The modules of the OpenID Foundation's plans "Basic OP" and "Config OP", with agent.py's user for the pages.

The suite itself needs https, a browser, and requests without PKCE, which this server requires: each request here has it.
"""

import hashlib
import json
import time
import urllib.parse

import pytest
from agent import OAUTH, REDIRECT, Agent, User, admin, b64, header, query_of
from joserfc.jwk import KeySet
from program import PASSWORD, poll

DYNAMIC = "runs with clients that choose the ID token's algorithm or a request_uri at their registration only"
# By the name in the plan: passes, or why it does not.
BASIC = {
    "oidcc-server": "passes",
    "oidcc-response-type-missing": "passes",
    "oidcc-idtoken-signature": DYNAMIC,
    "oidcc-idtoken-unsigned": DYNAMIC,
    "oidcc-userinfo-get": "passes",
    "oidcc-userinfo-post-header": "passes",
    "oidcc-userinfo-post-body": "passes with a warning: a token in the body is optional, and refused",
    "oidcc-ensure-request-without-nonce-succeeds-for-code-flow": "passes",
    "oidcc-scope-profile": "passes with a warning: the ID token has the claims too",
    "oidcc-scope-email": "passes with a warning: the ID token has the claims too",
    "oidcc-scope-address": "skipped: scopes_supported has no address",
    "oidcc-scope-phone": "passes with a warning: the ID token has the claims too",
    "oidcc-scope-all": "skipped: scopes_supported has no address",
    "oidcc-ensure-other-scope-order-succeeds": "passes",
    # The name of the same module since version 5.2.
    "oidcc-alternate-happy-flow": "passes",
    "oidcc-display-page": "passes",
    "oidcc-display-popup": "passes",
    "oidcc-prompt-login": "passes",
    "oidcc-prompt-none-not-logged-in": "passes",
    "oidcc-prompt-none-logged-in": "passes",
    "oidcc-max-age-1": "passes",
    "oidcc-max-age-10000": "passes",
    "oidcc-ensure-request-with-unknown-parameter-succeeds": "passes",
    "oidcc-id-token-hint": "passes",
    "oidcc-login-hint": "passes",
    "oidcc-ui-locales": "passes",
    "oidcc-claims-locales": "passes",
    "oidcc-ensure-request-with-acr-values-succeeds": "passes",
    "oidcc-codereuse": "passes",
    "oidcc-codereuse-30seconds": "passes",
    "oidcc-ensure-registered-redirect-uri": "passes",
    "oidcc-ensure-post-request-succeeds": "passes",
    "oidcc-server-client-secret-post": "passes",
    "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported": DYNAMIC,
    "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": "passes",
    "oidcc-claims-essential": "passes with a warning: the parameter claims is ignored",
    "oidcc-ensure-request-object-with-redirect-uri": "skipped: request_parameter_supported is false",
    "oidcc-refresh-token": "passes",
    "oidcc-ensure-request-with-valid-pkce-succeeds": "passes",
}
CONFIG = {"oidcc-discovery-endpoint-verification": "passes, except that this test's server has no https"}
RUNS = {}


def module(*names, **parameters):
    def add(run):
        for name in names:
            assert name not in RUNS
            RUNS[name] = (run, parameters)
        return run

    return add


class Suite:
    """A client and a user with every claim."""

    def __init__(self, server):
        self.server, self.client, self.user = server, Agent(server, token_endpoint_auth_method="client_secret_basic"), User(server)
        phone = f"1{time.time_ns() % 10**10:010}"
        body = {"phone": phone, "phone_confirm": True, "user_metadata": {
            "name": "Ada King", "given_name": "Ada", "family_name": "King", "preferred_username": "ada",
            "picture": "https://img.example.org/ada.png"}}
        assert self.user.http.put(f"/admin/users/{self.user.id}", json=body, headers=admin(server)).status_code == 200
        self.metadata = self.client.http.get("/.well-known/openid-configuration").json()

    def flow(self, client=None, **parameters):
        """Tokens, with the checks of every module."""
        client = client or self.client
        parameters = {"scope": "openid", "nonce": "n-0S6_WzA2Mj", **parameters}
        tokens = client.sign_in(self.user, **parameters)
        self.check(tokens, client, parameters["nonce"])
        return tokens, client.claims(tokens["id_token"])

    def check(self, tokens, client, nonce):
        assert tokens["token_type"].lower() == "bearer" and tokens["expires_in"] > 0
        token, now = client.claims(tokens["id_token"]), time.time()
        head = header(tokens["id_token"])
        assert head["alg"] in self.metadata["id_token_signing_alg_values_supported"] and head["kid"]
        assert token["iss"] == self.metadata["issuer"] and token["aud"] in (client.client_id, [client.client_id])
        assert token["iat"] - 60 <= now < token["exp"] and 0 < len(token["sub"]) <= 255 and token.get("nonce") == nonce
        half = hashlib.sha256(tokens["access_token"].encode()).digest()[:16]
        assert token.get("at_hash", b64(half)) == b64(half)

    def userinfo(self, tokens, method="GET"):
        answer = self.client.http.request(method, "/oauth/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"})
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("application/json")
        return answer.json()

    def later(self, seconds=1):
        """ID tokens have whole seconds."""
        end = int(time.time()) + seconds
        poll(lambda: time.time() >= end, "a later second")

    def sign_in_again(self):
        answer = self.user.http.post("/token?grant_type=password", json={"email": self.user.email, "password": PASSWORD})
        self.user.http.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"


@pytest.fixture(scope="module")
def suite(session_servers):
    return Suite(session_servers.serve(**OAUTH, GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true").start())


@pytest.mark.parametrize("name", [name for name, outcome in {**BASIC, **CONFIG}.items() if outcome.startswith("passes")])
def test_the_module_passes(suite, name):
    run, parameters = RUNS[name]
    suite.user = Suite(suite.server).user
    run(suite, **parameters)


def test_every_module_runs_or_has_a_reason():
    outcomes = {**BASIC, **CONFIG}
    assert set(RUNS) == {name for name, outcome in outcomes.items() if outcome.startswith("passes")}
    assert all(outcome for outcome in outcomes.values())


@module("oidcc-server")
@module("oidcc-ensure-request-with-valid-pkce-succeeds")
@module("oidcc-ensure-request-with-unknown-parameter-succeeds", extra="foobar")
@module("oidcc-display-page", display="page")
@module("oidcc-display-popup", display="popup")
@module("oidcc-login-hint", login_hint="ada@example.org")
@module("oidcc-ui-locales", ui_locales="se")
@module("oidcc-claims-locales", claims_locales="se")
@module("oidcc-claims-essential", claims=json.dumps({"userinfo": {"name": {"essential": True}}}))
def completes(suite, **parameters):
    tokens, token = suite.flow(**parameters)
    assert suite.userinfo(tokens)["sub"] == token["sub"]


@module("oidcc-ensure-request-with-acr-values-succeeds")
def acr_values(suite):
    _, token = suite.flow(acr_values=" ".join(suite.metadata["acr_values_supported"]))
    assert token["acr"] in suite.metadata["acr_values_supported"]


@module("oidcc-response-type-missing")
def response_type_missing(suite):
    assert suite.client.authorize(response_type=None) is None
    assert suite.client.returned(suite.client.answer.headers["location"])["error"] in ("invalid_request", "unsupported_response_type")


@module("oidcc-userinfo-get", method="GET")
@module("oidcc-userinfo-post-header", method="POST")
def userinfo(suite, method):
    tokens, token = suite.flow()
    assert suite.userinfo(tokens, method) == {"sub": token["sub"]}


@module("oidcc-userinfo-post-body")
def userinfo_body(suite):
    tokens, _ = suite.flow()
    assert suite.client.http.post("/oauth/userinfo", data={"access_token": tokens["access_token"]}).status_code == 401


@module("oidcc-ensure-request-without-nonce-succeeds-for-code-flow")
def without_nonce(suite):
    _, token = suite.flow(nonce=None)
    assert "nonce" not in token


@module("oidcc-scope-email", scope="openid email", claims={"email", "email_verified"})
@module("oidcc-scope-phone", scope="openid phone", claims={"phone_number", "phone_number_verified"})
@module(
    "oidcc-scope-profile", scope="openid profile",
    claims={"name", "given_name", "family_name", "preferred_username", "picture", "updated_at"},
)
@module("oidcc-ensure-other-scope-order-succeeds", "oidcc-alternate-happy-flow", scope="email openid", claims={"email", "email_verified"})
def scope(suite, scope, claims):
    tokens, token = suite.flow(scope=scope)
    info = suite.userinfo(tokens)
    assert set(info) == {"sub", *claims} and info["sub"] == token["sub"]
    assert all(isinstance(info[name], bool) for name in claims if name.endswith("_verified"))
    assert "phone_number" not in info or info["phone_number"].startswith("+1")


@module("oidcc-prompt-login", prompt="login", seconds=1)
@module("oidcc-max-age-1", max_age="1", seconds=2)
def signs_in_again(suite, seconds, **parameters):
    _, first = suite.flow()
    suite.later(seconds)
    authorization = suite.client.authorize(scope="openid", nonce="n", **parameters)
    assert suite.user.see(authorization)["needs_sign_in"] is True
    path = f"/oauth/authorizations/{authorization}/consent"
    assert suite.user.http.post(path, json={"action": "approve"}).status_code == 403
    suite.sign_in_again()
    seen = suite.user.see(authorization)
    assert "needs_sign_in" not in seen
    address = seen.get("redirect_url") or suite.user.decide(authorization)["redirect_url"]
    tokens = suite.client.redeem(suite.client.returned(address)["code"]).json()
    suite.check(tokens, suite.client, "n")
    assert suite.client.claims(tokens["id_token"])["auth_time"] > first["auth_time"]


@module("oidcc-prompt-none-not-logged-in")
def not_signed_in(suite):
    authorization = suite.client.authorize(scope="openid", prompt="none", state="s" * 128)
    suite.client.state = "s" * 128
    left = suite.client.http.post(f"/oauth/authorizations/{authorization}/cancel").json()
    assert suite.client.returned(left["redirect_url"])["error"] == "login_required"


@module("oidcc-prompt-none-logged-in")
@module("oidcc-id-token-hint", has_hint=True)
def signed_in(suite, has_hint=False):
    tokens, first = suite.flow()
    suite.later()
    hint = {"id_token_hint": tokens["id_token"]} if has_hint else {}
    authorization = suite.client.authorize(scope="openid", prompt="none", nonce="n", **hint)
    again = suite.client.redeem(suite.client.returned(suite.user.see(authorization)["redirect_url"])["code"]).json()
    suite.check(again, suite.client, "n")
    second = suite.client.claims(again["id_token"])
    assert (second["sub"], second["auth_time"]) == (first["sub"], first["auth_time"]) and second["iat"] > first["iat"]


@module("oidcc-max-age-10000")
def max_age(suite):
    _, first = suite.flow(max_age="15000")
    authorization = suite.client.authorize(scope="openid", max_age="10000")
    tokens = suite.client.redeem(suite.client.returned(suite.user.see(authorization)["redirect_url"])["code"]).json()
    assert suite.client.claims(tokens["id_token"])["auth_time"] == first["auth_time"]


@module("oidcc-codereuse", "oidcc-codereuse-30seconds")
def code_reuse(suite):
    """The code is refused at any time: half a minute makes no difference."""
    tokens, _ = suite.flow()
    authorization = suite.client.authorize(scope="openid")
    code = suite.client.returned(suite.user.see(authorization)["redirect_url"])["code"]
    tokens = suite.client.redeem(code).json()
    suite.userinfo(tokens)
    again = suite.client.redeem(code)
    assert again.status_code == 400 and again.json()["error"] == "invalid_grant"
    gone = suite.client.http.get("/oauth/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    assert gone.status_code == 401


@module("oidcc-ensure-registered-redirect-uri")
def registered(suite):
    suite.client.authorize(redirect_uri=REDIRECT + "/random")
    assert suite.client.answer.status_code == 400 and "location" not in suite.client.answer.headers


@module("oidcc-ensure-post-request-succeeds")
def post(suite):
    suite.client.authorize(scope="openid", nonce="n")
    fields = dict(urllib.parse.parse_qsl(str(suite.client.answer.request.url.query, "ascii")))
    answer = suite.client.http.post("/oauth/authorize", data=fields)
    authorization = query_of(answer.headers["location"])["authorization_id"]
    suite.user.see(authorization)
    tokens = suite.client.redeem(suite.client.returned(suite.user.decide(authorization)["redirect_url"])["code"]).json()
    suite.check(tokens, suite.client, "n")


@module("oidcc-server-client-secret-post")
def secret_post(suite):
    client = Agent(suite.server, token_endpoint_auth_method="client_secret_post")
    client.token = lambda **fields: client.http.post(
        "/oauth/token", data={"client_id": client.client_id, "client_secret": client.secret, **fields})
    suite.flow(client)


@module("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported")
def request_object(suite):
    claims = b64(json.dumps({"client_id": suite.client.client_id}).encode())
    assert suite.client.authorize(request=f"{b64(json.dumps({'alg': 'none'}).encode())}.{claims}.") is None
    assert suite.client.returned(suite.client.answer.headers["location"])["error"] == "request_not_supported"


@module("oidcc-refresh-token")
def refresh(suite):
    tokens, first = suite.flow(scope="openid offline_access", prompt="consent")
    other = Agent(suite.server)
    assert other.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    suite.later()
    again = suite.client.refresh(tokens["refresh_token"]).json()
    second = suite.client.claims(again["id_token"])
    for name in ("iss", "sub", "aud", "auth_time"):
        assert second[name] == first[name]
    assert second["iat"] > first["iat"] and second.get("nonce", first["nonce"]) == first["nonce"]
    assert again["access_token"] != tokens["access_token"]
    suite.userinfo(again)


@module("oidcc-discovery-endpoint-verification")
def discovery(suite):
    document, issuer = suite.metadata, suite.server.auth_url
    assert document["issuer"] == issuer and "?" not in issuer and "#" not in issuer and not issuer.endswith("/")
    for name, value in document.items():
        if name.endswith(("_endpoint", "_uri")):
            assert value.startswith(issuer + "/"), name
    for name in ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "registration_endpoint"):
        assert name in document
    assert document["response_types_supported"] == ["code"] and "public" in document["subject_types_supported"]
    assert {"openid"} <= set(document["scopes_supported"]) and "RS256" in document["id_token_signing_alg_values_supported"]
    assert {"authorization_code"} <= set(document["grant_types_supported"]) and "sub" in document["claims_supported"]
    assert set(document["token_endpoint_auth_methods_supported"]) >= {"client_secret_basic", "client_secret_post"}
    assert document.get("request_uri_parameter_supported", True) is False
    keys = suite.client.http.get(document["jwks_uri"]).json()
    assert all(key["kid"] and key["kty"] != "oct" and not {"d", "k", "p", "q"} & set(key) for key in keys["keys"])
    assert KeySet.import_key_set(keys).keys and len({key["kid"] for key in keys["keys"]}) == len(keys["keys"])


# Beyond the plans: what OpenID Connect Core asks for and no module tries.


def test_a_request_without_pages_that_needs_consent_says_so(suite):
    """OpenID Connect Core §3.1.2.6: consent_required or interaction_required, without the user's decision."""
    client, bob = Agent(suite.server), User(suite.server)
    authorization = client.authorize(scope="openid", prompt="none")
    address = bob.see(authorization).get("redirect_url")
    if address is None:
        left = bob.http.post(f"/oauth/authorizations/{authorization}/cancel")
        assert left.status_code == 200, left.text
        address = left.json()["redirect_url"]
    assert client.returned(address)["error"] in ("consent_required", "interaction_required")


def test_what_a_request_without_pages_needs_cannot_be_approved_on_one(suite):
    client, bob = Agent(suite.server), User(suite.server)
    authorization = client.authorize(scope="openid", prompt="none")
    bob.see(authorization)
    answer = bob.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": "approve"})
    assert answer.status_code != 200, answer.text


def test_a_request_uri_of_a_site_is_refused_to_the_client(suite):
    """OpenID Connect Core §6.2: request_uri_not_supported, at the registered address."""
    assert suite.client.authorize(scope="openid", request_uri="https://agent.example/request.jwt") is None
    assert suite.client.returned(suite.client.answer.headers.get("location", ""))["error"] == "request_uri_not_supported"
