"""The OAuth server against hostile clients, users and networks."""

import secrets
import time

import pyotp
import pytest
from agent import OAUTH, Agent, User, admin, bearer, query_of
from program import PASSKEYS, PASSWORD, NotStarted, at_once, poll

API, OTHER = "https://api.example.org/mcp", "https://bank.example.org/mcp"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request, session_servers):
    settings = {**OAUTH, **PASSKEYS, "GATEHOUSE_OAUTH_RESOURCES": f"{API},{OTHER}", "GOTRUE_MFA_TOTP_ENROLL_ENABLED": "true"}
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return session_servers.serve(GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true", **settings).start()


@pytest.fixture
def ada(server):
    return User(server)


@pytest.fixture
def agent(server):
    return Agent(server)


def begun(agent, scope="email"):
    """A device's request."""
    answer = agent.token_free("/oauth/device_authorization", scope=scope)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def television(server):
    agent = Agent(server, public=True, grant_types=[DEVICE, "refresh_token"])
    agent.token_free = lambda path, **fields: agent.http.post(path, data={"client_id": agent.client_id, **fields})
    return agent


# Resources, scopes and refresh tokens.


def test_a_code_opens_no_resource_that_the_user_was_not_shown(agent, ada):
    code = agent.approved(ada, resource=API)
    assert agent.redeem(code, resource=OTHER).json().get("error") == "invalid_target"
    code = agent.approved(User(agent.server), scope="email")
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


# Second factors.


def add_second_factor(user):
    """An authenticator app's. Returns the session that used it."""
    enrolled = user.http.post("/factors", json={"factor_type": "totp", "friendly_name": "phone"}).json()
    challenge = user.http.post(f"/factors/{enrolled['id']}/challenge").json()["id"]
    code = pyotp.TOTP(enrolled["totp"]["secret"]).now()
    answer = user.http.post(f"/factors/{enrolled['id']}/verify", json={"challenge_id": challenge, "code": code})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_second_factor_ends_what_was_approved_without_it(server, agent, ada):
    tokens, other = agent.sign_in(ada), Agent(server)
    code = other.approved(ada)
    add_second_factor(ada)
    assert agent.refresh(tokens["refresh_token"]).json().get("error") == "invalid_grant"
    assert other.redeem(code).json().get("error") == "invalid_grant"


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
        ("POST", "/logout?scope=global"), ("POST", "/user/start-over"),
        ("POST", "/factors/recovery-codes"), ("POST", "/passkeys/registration/options"), ("GET", "/user/identities/undoable"),
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
    ada.enter()
    tokens = agent.sign_in(ada)
    for token in (tokens["access_token"], tokens["id_token"]):
        for headers in (bearer(token), {"apikey": token}, {"apikey": token, **bearer(token)}):
            assert agent.http.get("/admin/users", headers=headers).status_code in (401, 403), headers
        asked = agent.http.post("/oauth/introspect", data={"token": tokens["access_token"]}, headers={"apikey": token})
        assert asked.status_code in (400, 401), asked.text


def test_an_agents_tokens_are_no_api_keys(session_servers):
    server = session_servers.serve(**OAUTH, GATEHOUSE_REQUIRE_API_KEY="true").start()
    agent, key = Agent(server), server.keys["publishable_key"]
    assert agent.http.get("/settings", headers={"apikey": key}).status_code == 200
    tokens = agent.sign_in(User(server))
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
    code = agent.approved(ada, prompt="consent")
    for grant, body in (("pkce", {"auth_code": code, "code_verifier": agent.verifier}), ("authorization_code", {"code": code})):
        assert agent.http.post(f"/token?grant_type={grant}", json=body).status_code in (400, 404)
    assert agent.redeem(code).status_code == 200


def test_a_resource_is_never_the_users_audience(session_servers):
    server = session_servers.serve(**OAUTH, GATEHOUSE_OAUTH_RESOURCES=API, GOTRUE_JWT_AUD=API)
    with pytest.raises(NotStarted, match="oauth_resources|OAUTH_RESOURCES"):
        server.start()


def test_codes_of_one_flow_do_not_work_in_the_other(television, agent, ada):
    code = agent.approved(ada)
    both = Agent(agent.server, grant_types=["authorization_code", "refresh_token", DEVICE])
    assert both.token(grant_type=DEVICE, device_code=both.approved(ada)).json()["error"] == "invalid_grant"
    shown = both.http.post("/oauth/device_authorization", auth=(both.client_id, both.secret)).json()
    ada.decide(ada.http.get("/oauth/device", params={"user_code": shown["user_code"]}).json()["authorization_id"])
    assert both.redeem(shown["device_code"]).json()["error"] == "invalid_grant"
    assert television.token(grant_type="authorization_code", code=code).json()["error"] == "unauthorized_client"
    assert agent.token(grant_type=DEVICE, device_code=code).json()["error"] == "unauthorized_client"
    assert agent.redeem(code).status_code == 200


def test_a_fresh_sign_in_satisfies_any_age(agent, ada):
    """max_age=0 asks for a sign-in, not for one in the same second as the decision."""
    authorization = agent.authorize(max_age="0")
    answer = ada.http.post("/token?grant_type=password", json={"email": ada.email, "password": PASSWORD}).json()
    ada.http.headers["Authorization"] = f"Bearer {answer['access_token']}"
    later = int(time.time()) + 1
    poll(lambda: time.time() >= later, "the next second")
    assert ada.see(authorization).get("needs_sign_in") is None
    assert "code=" in ada.decide(authorization)["redirect_url"]


def test_a_removed_address_gets_no_code(server, agent, ada):
    authorization = agent.authorize()
    ada.see(authorization)
    path = f"/admin/oauth/clients/{agent.client_id}"
    changed = agent.http.put(path, json={"redirect_uris": ["https://agent.example/new"]}, headers=admin(server))
    assert changed.status_code == 200
    answer = ada.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": "approve"})
    assert answer.status_code in (400, 404), answer.text


def test_who_registers_himself_is_not_verified_and_chooses_no_name_of_the_servers(server, agent, ada):
    body = {
        "client_name": "Helper", "redirect_uris": ["https://agent.example/callback"], "verified": True, "registration_type": "manual",
        "client_id": agent.client_id, "client_secret": "chosen", "created_at": "2001-01-01T00:00:00Z",
    }
    made = agent.http.post("/oauth/clients/register", json=body).json()
    assert made["client_id"] != agent.client_id and made["client_secret"] != "chosen"
    own = Agent(server, client_id=made["client_id"], secret=made["client_secret"])
    client = ada.see(own.authorize())["client"]
    assert client["verified"] is False and client["registration_type"] == "dynamic" and client["created_at"] > "2026"


def test_who_registers_himself_names_no_program_of_the_operating_system(agent):
    """A redirect to these starts a program, or goes to a page of the browser itself."""
    refused = ["view-source:/a", "filesystem:/a", "chrome://settings", "ms-msdt:/id", "search-ms:/a", "smb://a.example/b", "mailto:/a", "ws://a.example/b"]
    answers = {
        address: agent.http.post("/oauth/clients/register", json={"client_name": "Helper", "redirect_uris": [address]}).status_code
        for address in refused
    }
    assert set(answers.values()) == {400}, answers


def test_a_refused_registration_is_told_in_oauths_format(agent):
    for wrong in ({"client_name": 1}, {"scope": []}, {"client_uri": {}}):
        answer = agent.http.post("/oauth/clients/register", json={"client_name": "Helper", "redirect_uris": ["https://a.example/b"], **wrong})
        assert answer.status_code == 400 and answer.json().get("error") == "invalid_client_metadata", answer.text


# Guessing.


def test_guessed_user_codes_are_counted(session_servers):
    server = session_servers.serve(**{**OAUTH, "GATEHOUSE_LIMITS": "on"}).start()
    users = [User(server) for _ in range(2)]
    codes = ["".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(8)) for _ in range(200)]
    answers = [users[index % 2].http.get("/oauth/device", params={"user_code": code}) for index, code in enumerate(codes)]
    assert [one.status_code for one in answers].count(404) <= 60
    assert answers[-1].status_code == 429 and answers[-1].json()["code"] == "over_request_rate_limit"


# Traces.


def test_no_secret_is_in_logs_or_errors(session_servers):
    server = session_servers.serve(**{**OAUTH, "GATEHOUSE_OAUTH_RESOURCES": API}, GATEHOUSE_LOG_LEVEL="debug").start()
    ada, agent = User(server), Agent(server)
    television = Agent(server, public=True, grant_types=[DEVICE, "refresh_token"])
    code = agent.approved(ada, scope="openid email", nonce="a-secret-nonce")
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
