"""The OAuth server against hostile clients, users and networks."""

import base64
import concurrent.futures
import secrets
import time
import urllib.parse

import pyotp
import pytest
from agent import OAUTH, REDIRECT, VERSION, Agent, User, admin, query_of
from program import PASSWORD, at_once

API, OTHER = "https://api.example.org/mcp", "https://bank.example.org/mcp"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request, session_servers):
    settings = {**OAUTH, "GATEHOUSE_OAUTH_RESOURCES": f"{API},{OTHER}", "GOTRUE_MFA_TOTP_ENROLL_ENABLED": "true"}
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return session_servers.serve(GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true", **settings).start()


@pytest.fixture
def ada(server):
    return User(server)


@pytest.fixture
def agent(server):
    return Agent(server)


def approved(agent, user, **parameters):
    """A code that the user has approved."""
    authorization = agent.authorize(**parameters)
    user.see(authorization)
    return agent.returned(user.decide(authorization)["redirect_url"])["code"]


def basic(name, secret):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()}


def begun(agent, scope="email"):
    """A device's request."""
    answer = agent.token_free("/oauth/device_authorization", scope=scope)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def television(server):
    agent = Agent(server, public=True, grant_types=[DEVICE, "refresh_token"], redirect_uris=[])
    agent.token_free = lambda path, **fields: agent.http.post(path, data={"client_id": agent.client_id, **fields})
    return agent


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


# What a client may get.


def test_a_code_opens_no_resource_that_the_user_was_not_shown(agent, ada):
    code = approved(agent, ada, resource=API)
    assert agent.redeem(code, resource=OTHER).json().get("error") == "invalid_target"
    code = approved(agent, User(agent.server), scope="email")
    assert agent.redeem(code, resource=OTHER).json().get("error") == "invalid_target"


def test_a_device_code_opens_no_resource_that_the_user_was_not_shown(television, ada):
    shown = begun(television)
    ada.decide(ada.http.get("/oauth/device", params={"user_code": shown["user_code"]}).json()["authorization_id"])
    stolen = television.token(grant_type=DEVICE, device_code=shown["device_code"], resource=OTHER)
    assert stolen.json().get("error") == "invalid_target"


def test_a_refused_refresh_uses_nothing_up(agent, ada):
    tokens = agent.sign_in(ada, scope="email", resource=API)
    for wrong in ({"scope": "phone"}, {"resource": OTHER}, {"scope": "\\"}):
        assert agent.refresh(tokens["refresh_token"], **wrong).status_code == 400
    before = agent.refresh(tokens["refresh_token"]).json()["refresh_token"]
    for _ in range(3):
        assert agent.refresh(before, scope="phone").status_code == 400
    assert agent.refresh(before).json()["refresh_token"] != before


def test_a_refresh_does_not_widen_what_an_earlier_one_narrowed_beyond_the_approval(agent, ada):
    tokens = agent.sign_in(ada, scope="openid email")
    narrowed = agent.refresh(tokens["refresh_token"], scope="email").json()
    whole = agent.refresh(narrowed["refresh_token"]).json()
    assert whole["scope"] == "openid email"
    assert agent.refresh(whole["refresh_token"], scope="openid email profile").json()["error"] == "invalid_scope"


def test_a_rotated_refresh_token_is_no_longer_active(agent, ada):
    tokens = agent.sign_in(ada)
    second = agent.refresh(tokens["refresh_token"]).json()["refresh_token"]
    agent.refresh(second)

    def active(token):
        return agent.http.post("/oauth/introspect", data={"token": token}, auth=(agent.client_id, agent.secret)).json()["active"]

    assert not active(tokens["refresh_token"])


# Decisions.


def test_a_denied_request_stays_denied(agent, ada):
    authorization = agent.authorize()
    ada.see(authorization)
    ada.decide(authorization, "deny")
    late = ada.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": "approve"})
    assert late.status_code == 400 and late.json()["code"] == "validation_failed"
    assert ada.grants() == []


def test_approve_and_deny_at_once_have_one_winner(agent, ada):
    for _ in range(5):
        authorization = agent.authorize(prompt="consent")
        ada.see(authorization)
        path = f"/oauth/authorizations/{authorization}/consent"
        answers = at_once(*[lambda action=action: ada.http.post(path, json={"action": action}) for action in ["approve", "deny"] * 3])
        addresses = {one.json()["redirect_url"] for one in answers if one.status_code == 200}
        assert len(addresses) == 1, addresses
        assert {one.json()["code"] for one in answers if one.status_code != 200} <= {"validation_failed"}


def test_of_two_users_who_look_at_once_one_owns_the_request(server, agent, ada):
    bob = User(server)
    for _ in range(5):
        authorization = agent.authorize()
        answers = at_once(*[lambda user=user: (user, user.http.get(f"/oauth/authorizations/{authorization}")) for user in [ada, bob] * 3])
        owners = {user.id for user, answer in answers if answer.status_code == 200}
        assert len(owners) == 1
        assert {answer.status_code for _, answer in answers} == {200, 404}


def test_a_request_that_its_user_has_left_cannot_be_decided(server, agent, ada):
    authorization = agent.authorize()
    assert agent.http.post(f"/oauth/authorizations/{authorization}/cancel").status_code == 200
    assert ada.http.get(f"/oauth/authorizations/{authorization}").status_code in (400, 404)
    assert ada.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": "approve"}).status_code == 404
    seen = agent.authorize()
    ada.see(seen)
    assert User(server).http.post(f"/oauth/authorizations/{seen}/cancel").status_code == 404


def test_choosing_an_account_is_never_skipped(agent, ada):
    agent.sign_in(ada)
    assert "redirect_url" not in ada.see(agent.authorize(prompt="select_account"))


# Races.


def test_of_ten_redemptions_at_once_one_succeeds(agent, ada):
    for _ in range(3):
        code = approved(agent, ada, prompt="consent")
        answers = at_once(*[lambda: agent.redeem(code)] * 10)
        assert sorted(one.status_code for one in answers) == [200] + [400] * 9
        assert {one.json()["error"] for one in answers if one.status_code == 400} == {"invalid_grant"}


def test_a_device_code_is_polled_at_once(television, ada):
    shown = begun(television)

    def ask():
        return television.token(grant_type=DEVICE, device_code=shown["device_code"]).json()

    waiting = [one["error"] for one in at_once(*[ask] * 6)]
    assert sorted(waiting) == ["authorization_pending"] + ["slow_down"] * 5
    ada.decide(ada.http.get("/oauth/device", params={"user_code": shown["user_code"]}).json()["authorization_id"])
    answers = at_once(*[ask] * 6)
    assert [one.get("error") for one in answers].count(None) == 1
    assert {one.get("error") for one in answers} == {None, "invalid_grant"}


def test_refreshes_at_once_leave_the_session_usable(agent, ada):
    tokens = agent.sign_in(ada)
    answers = at_once(*[lambda: agent.refresh(tokens["refresh_token"])] * 6)
    assert {one.status_code for one in answers} == {200}
    assert len({one.json()["refresh_token"] for one in answers}) == 1
    assert agent.refresh(answers[0].json()["refresh_token"]).status_code == 200


def test_a_grant_that_ends_during_a_redemption_leaves_no_session(agent, ada):
    for _ in range(5):
        code = approved(agent, ada)
        path = f"/user/oauth/grants?client_id={agent.client_id}"
        answer, ended = at_once(lambda: agent.redeem(code), lambda: ada.http.delete(path))
        assert ended.status_code == 204
        if answer.status_code == 200:
            assert agent.refresh(answer.json()["refresh_token"]).json()["error"] == "invalid_grant"
        assert [one for one in ada.http.get("/sessions").json()["sessions"] if one.get("oauth_client")] == []


# Between the approval and the tokens.


@pytest.mark.parametrize("what", ["ban", "delete", "soft delete", "sign out", "administrator", "password", "grant", "client", "secret"])
def test_nothing_is_opened_after_the_approval_lost_its_ground(server, agent, ada, what):
    code = approved(agent, ada)
    path = f"/admin/users/{ada.id}"
    answer = {
        "ban": lambda: ada.http.put(path, json={"ban_duration": "1h"}, headers=admin(server)),
        "delete": lambda: ada.http.delete(path, headers=admin(server)),
        "soft delete": lambda: ada.http.request("DELETE", path, json={"should_soft_delete": True}, headers=admin(server)),
        "sign out": lambda: ada.http.post("/logout?scope=global"),
        "administrator": lambda: ada.http.delete(path + "/sessions", headers=admin(server)),
        "password": lambda: ada.http.put("/user", json={"password": PASSWORD + " 2", "current_password": PASSWORD}),
        "grant": lambda: ada.http.delete("/user/oauth/grants", params={"client_id": agent.client_id}),
        "client": lambda: ada.http.delete(f"/admin/oauth/clients/{agent.client_id}", headers=admin(server)),
        "secret": lambda: ada.http.post(f"/admin/oauth/clients/{agent.client_id}/regenerate_secret", headers=admin(server)),
    }[what]()
    assert answer.status_code in (200, 204), answer.text
    refused = agent.redeem(code)
    expected = "invalid_client" if what in ("client", "secret") else "invalid_grant"
    assert refused.status_code in (400, 401) and refused.json()["error"] == expected


@pytest.mark.parametrize("what", ["ban", "delete", "soft delete", "sign out", "administrator", "password", "client"])
def test_a_live_session_ends_with_its_ground(server, agent, ada, what):
    tokens = agent.sign_in(ada)
    path = f"/admin/users/{ada.id}"
    answer = {
        "ban": lambda: ada.http.put(path, json={"ban_duration": "1h"}, headers=admin(server)),
        "delete": lambda: ada.http.delete(path, headers=admin(server)),
        "soft delete": lambda: ada.http.request("DELETE", path, json={"should_soft_delete": True}, headers=admin(server)),
        "sign out": lambda: ada.http.post("/logout?scope=global"),
        "administrator": lambda: ada.http.delete(path + "/sessions", headers=admin(server)),
        "password": lambda: ada.http.put("/user", json={"password": PASSWORD + " 2", "current_password": PASSWORD}),
        "client": lambda: ada.http.delete(f"/admin/oauth/clients/{agent.client_id}", headers=admin(server)),
    }[what]()
    assert answer.status_code in (200, 204), answer.text
    assert agent.http.get("/oauth/userinfo", headers=bearer(tokens["access_token"])).status_code == 401
    assert agent.refresh(tokens["refresh_token"]).status_code in (400, 401)
    asked = agent.http.post("/oauth/introspect", data={"token": tokens["access_token"]}, headers=admin(server)).json()
    assert asked == {"active": False}


def add_second_factor(user):
    """An authenticator app's. Returns the session that used it."""
    enrolled = user.http.post("/factors", json={"factor_type": "totp", "friendly_name": "phone"}).json()
    challenge = user.http.post(f"/factors/{enrolled['id']}/challenge").json()["id"]
    code = pyotp.TOTP(enrolled["totp"]["secret"]).now()
    answer = user.http.post(f"/factors/{enrolled['id']}/verify", json={"challenge_id": challenge, "code": code})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_second_factor_ends_what_was_approved_without_it(server, agent, ada):
    tokens, code = agent.sign_in(ada), None
    other = Agent(server)
    code = approved(other, ada)
    add_second_factor(ada)
    assert other.redeem(code).json().get("error") == "invalid_grant"
    assert agent.refresh(tokens["refresh_token"]).json().get("error") == "invalid_grant"


def test_a_session_without_the_second_factor_neither_sees_codes_nor_approves(server, agent, ada):
    fresh = add_second_factor(ada)
    low = ada.http.post("/token?grant_type=password", json={"email": ada.email, "password": PASSWORD}).json()
    ada.http.headers["Authorization"] = f"Bearer {fresh['access_token']}"
    authorization = agent.authorize()
    ada.see(authorization)
    ada.decide(authorization)
    path = f"/oauth/authorizations/{authorization}"
    weak = bearer(low["access_token"])
    assert ada.http.post(path + "/consent", json={"action": "approve"}, headers=weak).json()["code"] == "insufficient_aal"
    seen = ada.http.get(path, headers=weak)
    assert seen.status_code == 403 and seen.json()["code"] == "insufficient_aal", seen.text
    unseen = ada.http.get(f"/oauth/authorizations/{agent.authorize()}", headers=weak)
    assert unseen.status_code == 403 and unseen.json()["code"] == "insufficient_aal"


# Tokens in the wrong place.


def test_no_token_works_where_it_does_not_belong(server, agent, ada):
    tokens = agent.sign_in(ada, scope="openid email")
    resource = agent.sign_in(ada, scope="openid email", resource=API)
    users = ada.session["access_token"]
    own = [
        ("GET", "/user"), ("PUT", "/user"), ("GET", "/user/export"), ("GET", "/sessions"), ("POST", "/logout"), ("POST", "/factors"),
        ("GET", "/oauth/authorizations"), ("GET", "/user/oauth/grants"), ("DELETE", "/user/oauth/grants?client_id=" + agent.client_id),
        ("GET", "/oauth/device?user_code=BCDF-GHJK"), ("GET", "/reauthenticate"), ("GET", "/admin/users"),
        ("POST", "/admin/oauth/clients"), ("GET", "/passkeys"), ("POST", "/authorize"),
    ]
    for token in (tokens["access_token"], resource["access_token"], tokens["id_token"], tokens["refresh_token"]):
        for method, path in own:
            answer = agent.http.request(method, path, headers=bearer(token), **({"json": {}} if method in ("POST", "PUT") else {}))
            assert answer.status_code in (401, 403), (method, path, answer.status_code, answer.text)
        gateway = agent.http.get(server.gateway_url + "/v1/auth/me", headers=bearer(token))
        assert gateway.status_code in (401, 403), gateway.text
        assert agent.http.post("/token?grant_type=refresh_token", json={"refresh_token": token}).status_code == 400
    for token in (users, ada.session["refresh_token"], tokens["id_token"], tokens["refresh_token"], resource["access_token"]):
        for method in ("GET", "POST"):
            assert agent.http.request(method, "/oauth/userinfo", headers=bearer(token)).status_code == 401
    for token in (users, ada.session["refresh_token"], tokens["id_token"]):
        asked = agent.http.post("/oauth/introspect", data={"token": token}, headers=admin(server))
        assert asked.json() == {"active": False}
        assert agent.refresh(token).json()["error"] == "invalid_grant"
        agent.http.post("/oauth/revoke", data={"token": token}, auth=(agent.client_id, agent.secret))
    assert ada.http.get("/user").status_code == 200
    for field in ("access_token", "id_token", "refresh_token"):
        assert agent.redeem(tokens[field]).json()["error"] == "invalid_grant"
    assert agent.refresh(tokens["refresh_token"]).status_code == 200


def test_an_administrators_agent_is_no_administrator(server, agent, ada):
    changed = ada.http.put(f"/admin/users/{ada.id}", json={"role": "service_role"}, headers=admin(server))
    assert changed.status_code == 200
    tokens = agent.sign_in(ada)
    for token in (tokens["access_token"], tokens["id_token"]):
        for headers in (bearer(token), {"apikey": token}, {"apikey": token, **bearer(token)}):
            assert agent.http.get("/admin/users", headers=headers).status_code in (401, 403), headers
        asked = agent.http.post("/oauth/introspect", data={"token": tokens["access_token"]}, headers={"apikey": token})
        assert asked.status_code in (400, 401), asked.text


def test_an_agents_tokens_are_no_api_keys(server, agent, ada):
    tokens = agent.sign_in(ada)
    for token in (tokens["access_token"], tokens["id_token"]):
        answer = agent.http.get("/settings", headers={"apikey": token})
        assert answer.status_code == 401 and answer.json()["code"] == "invalid_api_key", answer.text


def test_an_agent_cannot_open_a_session_of_its_user(server, agent, ada):
    tokens = agent.sign_in(ada)
    challenge = {"code_challenge": "c" * 43, "code_challenge_method": "s256", "redirect_to": "http://127.0.0.1:3000"}
    for token in (tokens["access_token"], tokens["id_token"]):
        handed = agent.http.post("/authorize", json={"refresh_token": tokens["refresh_token"], **challenge}, headers=bearer(token))
        assert handed.status_code in (401, 403)
        traded = agent.http.post("/token?grant_type=id_token", json={"provider": server.auth_url, "id_token": token})
        assert traded.status_code == 400
    code = approved(agent, ada, prompt="consent")
    for grant, body in (("pkce", {"auth_code": code, "code_verifier": agent.verifier}), ("authorization_code", {"code": code})):
        assert agent.http.post(f"/token?grant_type={grant}", json=body).status_code in (400, 404)
    assert agent.redeem(code).status_code == 200


# Who a client is.


@pytest.mark.parametrize(
    "header",
    [
        "Basic", "Basic ", "Basic %%%", "Basic " + base64.b64encode(b"\xff\xfe:\xff").decode(), "Basic Og==", "Basic " + "A" * 5_000,
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
        "https://agent.example/callback" + "a" * 100_000,
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
        "view-source:/a", "intent://a#Intent;end", "ms-settings:/a", "chrome://settings", "http://192.168.1.1/a", "http://0.0.0.0/a",
        "http://localhost.evil.example/a", "http:///a", "https://a.example/#b", "https://u@a.example/b", "https://a.example\\b/",
        "https://0x7f.1/a", "mailto:/a", "tel:/1", "ws://a.example/b", "wss://a.example/b", "ftp://a.example/b", "filesystem:/a",
        "jar:/a", "x-javascript:/a", "res:/a", "ms-msdt:/id", "feed:/a", "smb://a.example/b", "ldap://a.example/b",
    ],
)
def test_nobody_registers_an_address_that_runs_something(agent, address):
    body = {"client_name": "Helper", "redirect_uris": [address]}
    answer = agent.http.post("/oauth/clients/register", json=body)
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
                assert isinstance(answer.json().get("error"), str), (name, value, answer.text)
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


# Guessing.


def test_guessed_user_codes_are_counted(session_servers):
    server = session_servers.serve(**{**OAUTH, "GATEHOUSE_LIMITS": "on"}).start()
    users = [User(server) for _ in range(2)]
    codes = ["".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(8)) for _ in range(200)]
    answers = [users[index % 2].http.get("/oauth/device", params={"user_code": code}) for index, code in enumerate(codes)]
    assert [one.status_code for one in answers].count(404) <= 60
    assert answers[-1].status_code == 429 and answers[-1].json()["code"] == "over_request_rate_limit"


# What is left behind.


def test_no_secret_is_in_logs_or_errors(session_servers):
    server = session_servers.serve(**{**OAUTH, "GATEHOUSE_OAUTH_RESOURCES": API}, GATEHOUSE_LOG_LEVEL="debug").start()
    ada, agent = User(server), Agent(server)
    television = Agent(server, public=True, grant_types=[DEVICE, "refresh_token"])
    code = approved(agent, ada, scope="openid email", nonce="a-secret-nonce")
    tokens = agent.redeem(code).json()
    again = agent.redeem(code)
    shown = television.http.post("/oauth/device_authorization", data={"client_id": television.client_id}).json()
    ada.http.get("/oauth/device", params={"user_code": shown["user_code"]})
    wrong = "a-wrong-secret-of-a-client"
    answers = [
        again, agent.http.post("/oauth/token", data={"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}, auth=(agent.client_id, wrong)),
        agent.http.get("/oauth/userinfo", headers=bearer(tokens["access_token"] + "a")), television.token(grant_type=DEVICE, device_code=shown["device_code"]),
        agent.http.get("/oauth/userinfo", params={"access_token": tokens["access_token"]}),
    ]
    secrets_of_this = [
        code, agent.secret, agent.verifier, agent.state, wrong, "a-secret-nonce", shown["device_code"], shown["user_code"],
        *[tokens[name] for name in ("access_token", "refresh_token", "id_token")],
    ]
    ended = server.log()
    for secret in secrets_of_this:
        assert secret not in ended
        assert not any(secret in answer.text or secret in str(answer.headers) for answer in answers)


def test_a_client_that_is_seen_first_at_another_step_is_read(session_servers):
    """A published document's client may begin with a pushed request or on a device."""
    from test_oauth_registration import Site

    site = Site()
    try:
        server = session_servers.serve(**OAUTH, GATEHOUSE_OUTGOING_LOOPBACK="true").start()
        site.more = {"grant_types": ["authorization_code", "refresh_token", DEVICE]}
        agent = Agent(server, client_id=site.id, redirect="http://127.0.0.1:4711/back")
        device = agent.http.post("/oauth/device_authorization", data={"client_id": site.id})
        assert device.status_code == 200, device.text
    finally:
        site.server.stop()


def test_answers_with_secrets_are_not_stored(server, agent, ada):
    authorization = agent.authorize()
    assert "no-store" in agent.answer.headers["cache-control"]
    ada.see(authorization)
    seen = ada.http.get(f"/oauth/authorizations/{authorization}")
    decided = ada.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": "approve"})
    repeated = ada.http.get(f"/oauth/authorizations/{authorization}")
    code = query_of(decided.json()["redirect_url"])["code"]
    redeemed = agent.redeem(code)
    info = agent.http.get("/oauth/userinfo", headers=bearer(redeemed.json()["access_token"]))
    for answer in (seen, decided, repeated, redeemed, agent.redeem(code), info):
        assert "no-store" in answer.headers.get("cache-control", ""), answer.request.url


def test_a_session_limit_counts_people_and_not_their_agents(session_servers):
    server = session_servers.serve(**OAUTH, GOTRUE_SESSIONS_SINGLE_PER_USER="true").start()
    ada, agent = User(server), Agent(server)
    agent.sign_in(ada)
    assert ada.http.get("/user").status_code == 200
    assert ada.http.post("/token?grant_type=refresh_token", json={"refresh_token": ada.session["refresh_token"]}).status_code == 200
