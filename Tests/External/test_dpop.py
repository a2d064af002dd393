"""Refresh tokens that are bound to a key of the device (RFC 9449), with proofs that joserfc signs."""

import hashlib
import secrets
import time

import httpx
import pytest
from agent import OAUTH, Agent, User, admin, b64, header
from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey
from program import PASSWORD, at_once


class Device:
    """A device's key, and the proofs that it makes."""

    def __init__(self, server):
        self.server, self.key, self.alg = server, ECKey.generate_key("P-256"), "ES256"

    def proof(self, path, method="POST", header=None, access=None, **claims):
        payload = {"jti": secrets.token_hex(8), "htm": method, "htu": self.server.auth_url + path, "iat": int(time.time())}
        if access:
            payload["ath"] = b64(hashlib.sha256(access.encode()).digest())
        head = {"typ": "dpop+jwt", "alg": self.alg, "jwk": self.key.as_dict(private=False), **(header or {})}
        return jwt.encode(head, {**payload, **claims}, self.key, algorithms=["ES256", "EdDSA", "ES384", "HS256"])


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request, session_servers):
    settings = dict(OAUTH)
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return session_servers.serve(**settings).start()


@pytest.fixture
def phone(server):
    return Device(server)


def sign_in(server, device, email):
    headers = {"DPoP": device.proof("/token")} if device else {}
    answer = httpx.post(
        f"{server.auth_url}/token?grant_type=password", json={"email": email, "password": PASSWORD}, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refresh(server, token, proof=None):
    return httpx.post(
        f"{server.auth_url}/token?grant_type=refresh_token", json={"refresh_token": token},
        headers={"DPoP": proof} if proof else {}, timeout=60)


def claims(server, token):
    return Agent(server, client_id="none").claims(token)


def test_a_copied_token_opens_nothing_and_ends_nothing(server, phone):
    session = sign_in(server, phone, User(server).email)
    assert claims(server, session["access_token"])["cnf"] == {"jkt": phone.key.thumbprint()}
    token, thief = session["refresh_token"], Device(server)
    for proof in (None, thief.proof("/token")):
        refused = refresh(server, token, proof)
        assert refused.status_code == 400 and refused.json()["error"] == "invalid_dpop_proof"
    renewed = refresh(server, token, phone.proof("/token"))
    assert renewed.status_code == 200 and renewed.json()["token_type"] == "bearer"


def test_an_old_token_with_the_key_is_a_lost_answer(server, phone):
    first = sign_in(server, phone, User(server).email)["refresh_token"]
    token = first
    for _ in range(3):
        token = refresh(server, token, phone.proof("/token")).json()["refresh_token"]
    again = refresh(server, first, phone.proof("/token"))
    assert again.status_code == 200 and again.json()["refresh_token"] == token


def test_a_proof_works_once_on_every_node(server, phone):
    token = sign_in(server, phone, User(server).email)["refresh_token"]
    proof = phone.proof("/token")
    answers = at_once(*[lambda: refresh(server, token, proof).status_code for _ in range(8)])
    assert sorted(answers) == [200] + [400] * 7
    older = phone.proof("/token", iat=int(time.time()) - 60)
    assert refresh(server, token, older).json()["error"] == "invalid_dpop_proof"


def test_a_copied_access_token_changes_nothing(server, phone):
    token = sign_in(server, phone, User(server).email)["access_token"]

    def rename(proof=None):
        headers = {"Authorization": f"Bearer {token}", **({"DPoP": proof} if proof else {})}
        return httpx.put(f"{server.auth_url}/user", json={"data": {"name": "Eve"}}, headers=headers)

    for proof in (
        None, Device(server).proof("/user", "PUT", access=token), phone.proof("/user", "PUT", access="other"),
        phone.proof("/user", "PUT"),
    ):
        refused = rename(proof)
        assert refused.status_code == 400 and refused.json()["error"] == "invalid_dpop_proof"
    assert rename(phone.proof("/user", "PUT", access=token)).status_code == 200
    sessions = httpx.get(f"{server.auth_url}/sessions", headers={"Authorization": f"Bearer {token}"}).json()["sessions"]
    assert [session["bound"] for session in sessions if session["is_current"]] == [True]


def test_keys_are_required_from_a_date_on(session_servers):
    server = session_servers.serve(**OAUTH, GATEHOUSE_SESSION_KEYS_REQUIRED_FROM="2020-01-31").start()
    phone, password = Device(server), {"email": f"{secrets.token_hex(8)}@example.com", "password": PASSWORD}
    for path in ("/signup", "/token?grant_type=password"):
        refused = httpx.post(server.auth_url + path, json=password)
        assert refused.status_code == 400 and refused.json()["error"] == "invalid_dpop_proof"
    session = httpx.post(f"{server.auth_url}/signup", json=password, headers={"DPoP": phone.proof("/signup")}).json()
    refused = refresh(server, session["refresh_token"])
    assert refused.status_code == 400 and "update the app" in refused.json()["error_description"]
    assert refresh(server, session["refresh_token"], phone.proof("/token")).status_code == 200


def test_a_session_without_a_key_gets_one_with_its_next_token(server, phone):
    session = sign_in(server, None, User(server).email)
    assert "cnf" not in claims(server, session["access_token"])
    bound = refresh(server, session["refresh_token"], phone.proof("/token")).json()
    assert claims(server, bound["access_token"])["cnf"] == {"jkt": phone.key.thumbprint()}
    assert refresh(server, bound["refresh_token"]).json()["error"] == "invalid_dpop_proof"


def test_a_wrong_clock_gets_a_nonce(server, phone):
    token = sign_in(server, phone, User(server).email)["refresh_token"]
    for difference in (-86_400, 86_400):
        refused = refresh(server, token, phone.proof("/token", iat=int(time.time()) + difference))
        assert refused.status_code == 400 and refused.json()["error"] == "use_dpop_nonce"
        nonce = refused.headers["dpop-nonce"]
        renewed = refresh(server, token, phone.proof("/token", iat=int(time.time()) + difference, nonce=nonce))
        # Both differences within one second of the server's clock are equally new.
        assert renewed.status_code == 200
        token = renewed.json()["refresh_token"]
    forged = refresh(server, token, phone.proof("/token", nonce="29000000.AAAAAAAAAAAAAAAAAAAAAA"))
    assert forged.json()["error"] == "use_dpop_nonce"


@pytest.mark.parametrize(
    ("claims", "head"),
    [
        ({"htm": "GET"}, {}), ({"htu": "https://elsewhere.example/auth/v1/token"}, {}), ({"htu": "token"}, {}),
        ({"jti": ""}, {}), ({"jti": None}, {}), ({"iat": "now"}, {}), ({}, {"typ": "JWT"}),
        ({}, {"jwk": ECKey.generate_key("P-256").as_dict(private=False)}), ({}, {"private": True}),
    ],
)
def test_an_unusable_proof_is_refused(server, phone, claims, head):
    email = User(server).email
    if head == {"private": True}:
        head = {"jwk": phone.key.as_dict(private=True)}
    proof = phone.proof("/token", header=head, **claims)
    answer = httpx.post(
        f"{server.auth_url}/token?grant_type=password", json={"email": email, "password": PASSWORD},
        headers={"DPoP": proof})
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_dpop_proof"


@pytest.mark.parametrize("text", ["", "a.b.c", "x" * 5_000, "e30.e30.e30"])
def test_text_that_is_no_proof_is_refused(server, text):
    answer = httpx.post(f"{server.auth_url}/token?grant_type=refresh_token", json={"refresh_token": "r"}, headers={"DPoP": text})
    assert answer.status_code == 400


def test_an_agents_tokens_are_bound_too(server, phone):
    ada, agent = User(server), Agent(server, public=True, redirect="https://agent.example/callback")
    authorization = agent.authorize()
    ada.see(authorization)
    code = agent.returned(ada.decide(authorization)["redirect_url"])["code"]
    fields = {"grant_type": "authorization_code", "code": code, "code_verifier": agent.verifier, "client_id": agent.client_id}
    tokens = agent.http.post("/oauth/token", data=fields, headers={"DPoP": phone.proof("/oauth/token")}).json()
    assert tokens["token_type"] == "DPoP" and header(tokens["access_token"])["typ"] == "at+jwt"
    access = tokens["access_token"]
    for scheme, proof, status in [
        ("Bearer", None, 401), ("DPoP", None, 401), ("DPoP", Device(server).proof("/oauth/userinfo", "GET", access=access), 401),
        ("DPoP", phone.proof("/oauth/userinfo", "GET", access="other"), 400),
        ("DPoP", phone.proof("/oauth/userinfo", "GET", access=access), 200),
    ]:
        headers = {"Authorization": f"{scheme} {access}", **({"DPoP": proof} if proof else {})}
        assert agent.http.get("/oauth/userinfo", headers=headers).status_code == status
    assert agent.refresh(tokens["refresh_token"]).json()["error"] == "invalid_dpop_proof"
    fields = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": agent.client_id}
    # A proof for the users' token endpoint is none for the clients'.
    for path, status in [("/token", 400), ("/oauth/token", 200)]:
        assert agent.http.post("/oauth/token", data=fields, headers={"DPoP": phone.proof(path)}).status_code == status


def test_other_keys_sign_too(server):
    device = Device(server)
    device.key, device.alg = OKPKey.generate_key("Ed25519"), "EdDSA"
    session = sign_in(server, device, User(server).email)
    assert refresh(server, session["refresh_token"], device.proof("/token")).status_code == 200


def test_an_administrator_still_ends_a_bound_session(server, phone):
    session = sign_in(server, phone, User(server).email)
    user = session["user"]["id"]
    assert httpx.delete(f"{server.auth_url}/admin/users/{user}/sessions", headers=admin(server)).status_code == 200
    gone = refresh(server, session["refresh_token"], phone.proof("/token"))
    assert gone.status_code == 400 and gone.headers["x-gatehouse-session-end"] == "signed_out_everywhere"


def test_an_expired_session_says_so_to_the_keys_holder(session_servers):
    server = session_servers.serve(**OAUTH, GOTRUE_SESSIONS_TIMEBOX="1ns").start()
    phone = Device(server)
    session = sign_in(server, phone, User(server).email)
    ended = refresh(server, session["refresh_token"], phone.proof("/token"))
    assert ended.status_code == 400 and ended.json()["error_code"] == "session_expired"
