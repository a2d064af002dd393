"""Approvals and sessions of OAuth clients that end: in races, and after the user or the client lost their rights."""

import pytest
from agent import OAUTH, Agent, User, admin, bearer
from program import PASSWORD, at_once


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request, session_servers):
    settings = dict(OAUTH)
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return session_servers.serve(**settings).start()


@pytest.fixture
def ada(server):
    return User(server)


@pytest.fixture
def agent(server):
    return Agent(server)


# Races.


def test_of_ten_redemptions_at_once_one_succeeds(agent, ada):
    for _ in range(3):
        code = agent.approved(ada, prompt="consent")
        answers = at_once(*[lambda: agent.redeem(code)] * 10)
        assert sorted(one.status_code for one in answers) == [200] + [400] * 9
        assert {one.json()["error"] for one in answers if one.status_code == 400} == {"invalid_grant"}


def test_refreshes_at_once_leave_the_session_usable(agent, ada):
    tokens = agent.sign_in(ada)
    answers = at_once(*[lambda: agent.refresh(tokens["refresh_token"])] * 6)
    assert {one.status_code for one in answers} == {200}
    assert len({one.json()["refresh_token"] for one in answers}) == 1
    assert agent.refresh(answers[0].json()["refresh_token"]).status_code == 200


def test_a_grant_that_ends_during_a_redemption_leaves_no_session(agent, ada):
    for _ in range(5):
        code = agent.approved(ada)
        path = f"/user/oauth/grants?client_id={agent.client_id}"
        answer, ended = at_once(lambda: agent.redeem(code), lambda: ada.http.delete(path))
        assert ended.status_code == 204
        if answer.status_code == 200:
            assert agent.refresh(answer.json()["refresh_token"]).json()["error"] == "invalid_grant"
        assert [one for one in ada.http.get("/sessions").json()["sessions"] if one.get("oauth_client")] == []


# Between the approval and the tokens.


@pytest.mark.parametrize("what", ["ban", "delete", "soft delete", "sign out", "administrator", "password", "grant", "client", "secret"])
def test_nothing_is_opened_after_the_approval_lost_its_ground(server, agent, ada, what):
    code = agent.approved(ada)
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


def test_a_user_ends_an_agents_session_among_the_others(agent, ada):
    tokens = agent.sign_in(ada)
    [session] = [one for one in ada.http.get("/sessions").json()["sessions"] if one.get("oauth_client")]
    assert ada.http.delete(f"/sessions/{session['id']}").status_code in (200, 204)
    assert agent.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert agent.http.get("/oauth/userinfo", headers=bearer(tokens["access_token"])).status_code == 401


def test_an_old_refresh_token_ends_the_session(session_servers):
    """Its holder is a thief, or the client was robbed (RFC 9700 §4.14.2)."""
    server = session_servers.serve(**OAUTH, GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL="0").start()
    agent = Agent(server)
    stolen = agent.sign_in(User(server))["refresh_token"]
    newest = stolen
    for _ in range(3):
        newest = agent.refresh(newest).json()["refresh_token"]
    assert agent.refresh(stolen).json()["error"] == "invalid_grant"
    assert agent.refresh(newest).json()["error"] == "invalid_grant"
