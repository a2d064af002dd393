"""Bounds of OAuth clients: resources, APIs, guesses."""

import httpx
import pytest
from agent import OAUTH, Agent, User, admin

API, OTHER = "https://api.example.org/mcp", "https://other.example.org"


@pytest.fixture(scope="module")
def server(session_servers):
    return session_servers.serve(**OAUTH, GATEHOUSE_OAUTH_RESOURCES=f"{API},{OTHER}").start()


def test_profiles_and_administration_refuse_a_clients_tokens(server):
    ada, agent = User(server), Agent(server)
    role = ada.http.put(f"/admin/users/{ada.id}", json={"role": "service_role"}, headers=admin(server))
    assert role.status_code == 200
    ada.enter()
    for resource in (None, API):
        bearer = {"Authorization": "Bearer " + agent.sign_in(ada, resource=resource)["access_token"]}
        assert httpx.get(f"{server.gateway_url}/v1/auth/me", headers=bearer).json()["error"] == "TOKEN_INVALID"
        users = agent.http.get("/admin/users", headers=bearer)
        assert users.status_code == 403 and users.json()["code"] == "bad_jwt"


@pytest.mark.parametrize("asked", [None, API])
def test_a_code_is_only_for_the_resources_that_the_user_approved(server, asked):
    ada, agent = User(server), Agent(server)
    authorization = agent.authorize(resource=asked)
    ada.see(authorization)
    code = agent.returned(ada.decide(authorization)["redirect_url"])["code"]
    refused = agent.redeem(code, resource=OTHER)
    assert refused.status_code == 400 and refused.json()["error"] == "invalid_target", refused.text
    assert agent.redeem(code).status_code == 200


def test_guessing_device_codes_is_limited(session_servers):
    limited = session_servers.serve(**{**OAUTH, "GATEHOUSE_LIMITS": "on"}).start()
    ada = User(limited)
    guesses = [ada.http.get("/oauth/device?user_code=BCDF-GHJK").status_code for _ in range(31)]
    assert guesses == [404] * 30 + [429]


def test_an_administrators_removal_is_the_administrators(server):
    ada, agent = User(server), Agent(server)
    agent.sign_in(ada)
    removal = agent.http.delete(
        f"/admin/users/{ada.id}/oauth/grants", params={"client_id": agent.client_id}, headers=admin(server))
    assert removal.status_code == 204
    [entry] = [
        one["payload"] for one in agent.http.get("/admin/audit?per_page=20", headers=admin(server)).json()
        if one["payload"]["action"] == "oauth_consent_revoked" and one["payload"]["traits"]["client_id"] == agent.client_id]
    assert entry["actor_id"] != ada.id


def test_a_page_far_beyond_the_last_one_is_empty(server):
    pages = {"page": 4685577948097396736, "per_page": 59}
    answer = Agent(server).http.get("/admin/oauth/clients", params=pages, headers=admin(server))
    assert answer.status_code == 200 and answer.json() == {"clients": []}
