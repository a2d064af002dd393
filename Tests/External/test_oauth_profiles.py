"""Clients of the OAuth server at the gateway: a profile opens only with a token for it, and the scope that the user approved."""

import json

import httpx
import pytest
from agent import OAUTH, Agent, User, bearer
from program import NotStarted

API = "https://api.example.org/mcp"


@pytest.fixture(scope="module")
def scopes(tmp_path_factory):
    file = tmp_path_factory.mktemp("scopes") / "scopes.json"
    file.write_text(json.dumps({"scores:read": {"en": "See your teams"}, "scores:write": {"en": "Change your teams"}}))
    return str(file)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request, session_servers, scopes):
    settings = {
        **OAUTH, "GATEHOUSE_OAUTH_RESOURCES": API, "GATEHOUSE_OAUTH_SCOPES": scopes,
        "GATEHOUSE_OAUTH_PROFILE_READ_SCOPE": "scores:read", "GATEHOUSE_OAUTH_PROFILE_WRITE_SCOPE": "scores:write",
    }
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return session_servers.serve(**settings).start()


@pytest.fixture
def gateway(server):
    with httpx.Client(base_url=server.auth_url.removesuffix("/auth/v1"), timeout=60) as client:
        yield client


@pytest.fixture
def ada(server, new_email):
    return User(server, new_email())


def profile_of(gateway):
    return str(gateway.base_url).removesuffix("/") + "/v1/auth/me"


def token(server, user, gateway, scope, resource=None):
    return Agent(server).sign_in(user, scope=scope, resource=resource or profile_of(gateway))["access_token"]


def test_a_client_finds_the_way_from_the_first_401_to_the_profile(server, gateway, ada):
    asked = gateway.get("/v1/auth/me")
    metadata = profile_of(gateway).replace("/v1/", "/.well-known/oauth-protected-resource/v1/")
    assert asked.status_code == 401 and asked.headers["www-authenticate"] == f'Bearer resource_metadata="{metadata}"'
    described = gateway.get(metadata).json()
    assert described["resource"] == profile_of(gateway) and "scores:read" in described["scopes_supported"]
    assert described["authorization_servers"] == [server.auth_url]
    access = token(server, ada, gateway, "scores:read email", described["resource"])
    read = gateway.get("/v1/auth/me", headers=bearer(access))
    assert read.status_code == 200 and read.json()["user"] == {"id": ada.id, "email": ada.email}


def test_the_approved_scope_decides(server, gateway, ada):
    own = bearer(ada.session["access_token"])
    assert gateway.patch("/v1/auth/me", json={"data": {"mood": "calm"}}, headers=own).status_code == 200
    reader, writer, neither = (bearer(token(server, ada, gateway, scope)) for scope in ("scores:read", "scores:write", "openid"))
    assert gateway.get("/v1/auth/me", headers=reader).json()["profile"]["data"] == {"mood": "calm"}
    refused = gateway.patch("/v1/auth/me", json={"data": {"mood": "bad"}}, headers=reader)
    assert refused.status_code == 403 and refused.json()["error"] == "INSUFFICIENT_SCOPE"
    challenge = refused.headers["www-authenticate"]
    assert challenge.startswith('Bearer error="insufficient_scope", scope="scores:write", resource_metadata="http')
    changed = gateway.patch("/v1/auth/me", json={"data": {"mood": "glad"}}, headers=writer)
    assert changed.status_code == 200 and changed.json()["profile"]["data"] == {"mood": "glad"}
    assert gateway.get("/v1/auth/me", headers=writer).status_code == 200
    for call in (gateway.get, gateway.patch):
        refused = call("/v1/auth/me", headers=neither)
        assert refused.status_code == 403 and "insufficient_scope" in refused.headers["www-authenticate"]
    assert gateway.get("/v1/auth/me", headers=own).json()["profile"]["data"] == {"mood": "glad"}


def test_the_rest_of_the_gateway_stays_the_users_own(server, gateway, ada):
    access = bearer(token(server, ada, gateway, "scores:read scores:write email"))
    assert gateway.delete("/v1/auth/me", headers=access).status_code == 401
    for method in ("GET", "PATCH"):
        refused = gateway.request(method, "/api/v1/profile", headers=access)
        assert refused.status_code == 401 and refused.json()["error"] == "TOKEN_INVALID"
    assert gateway.get("/v1/auth/me", headers=bearer(ada.session["access_token"])).status_code == 200


def test_a_token_for_another_api_does_not_open_profiles(server, gateway, ada):
    for resource in (API, None):
        access = Agent(server).sign_in(ada, scope="scores:read scores:write", resource=resource)["access_token"]
        refused = gateway.get("/v1/auth/me", headers=bearer(access))
        assert refused.status_code == 401 and refused.json()["error"] == "TOKEN_INVALID"


def test_a_client_that_was_removed_changes_nothing_more(server, gateway, ada):
    agent = Agent(server)
    access = agent.sign_in(ada, scope="scores:write", resource=profile_of(gateway))["access_token"]
    ada.http.delete("/user/oauth/grants", params={"client_id": agent.client_id}).raise_for_status()
    assert gateway.patch("/v1/auth/me", json={"data": {"mood": "bad"}}, headers=bearer(access)).status_code == 401
    assert gateway.get("/v1/auth/me", headers=bearer(access)).status_code == 401


@pytest.mark.parametrize("change", [
    {"GATEHOUSE_OAUTH_PROFILE_READ_SCOPE": "unknown"},
    {"GATEHOUSE_OAUTH_PROFILE_READ_SCOPE": "email"},
    {"GATEHOUSE_OAUTH_PROFILE_WRITE_SCOPE": "scores:write", "GOTRUE_OAUTH_SERVER_ENABLED": "false"},
])  # fmt: skip
def test_settings_that_would_open_too_much_do_not_start(session_servers, scopes, change):
    server = session_servers.serve(**{**OAUTH, "GATEHOUSE_OAUTH_SCOPES": scopes, **change})
    with pytest.raises(NotStarted, match="OAUTH_PROFILE"):
        server.start()
