"""Clients that register themselves: by a request, or by publishing their metadata."""

import shutil

import pytest
from agent import OAUTH, Agent, User
from test_outgoing import TLSServer

METADATA = {"client_name": "Tool", "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none"}


@pytest.fixture(scope="module")
def server(session_servers):
    settings = {"GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true", "GATEHOUSE_ACCOUNT_PAGES_NAME": "Box Score"}
    return session_servers.serve(**OAUTH, **settings).start()


def registered(server, **changes):
    return Agent(server, client_id="").http.post("/oauth/clients/register", json={**METADATA, **changes})


def test_clients_register_themselves(server):
    answer = registered(server)
    assert answer.status_code == 201 and "client_secret" not in answer.json()
    agent = Agent(server, client_id=answer.json()["client_id"], redirect="http://127.0.0.1:4711/callback")
    ada = User(server)
    seen = ada.see(agent.authorize())
    assert seen["client"]["verified"] is False and seen["client"]["registration_type"] == "dynamic"
    assert agent.sign_in(ada)["scope"] == "openid email"
    assert registered(server, token_endpoint_auth_method="client_secret_post").json()["client_secret"]


def test_registration_needs_its_setting(session_servers):
    off = session_servers.serve(**OAUTH).start()
    answer = registered(off)
    assert answer.status_code == 403 and answer.json()["code"] == "oauth_dynamic_client_registration_disabled"
    assert "registration_endpoint" not in Agent(off, client_id="").http.get("/.well-known/openid-configuration").json()


@pytest.mark.parametrize(("changes", "error"), [
    ({"redirect_uris": ["http://tool.example/callback"]}, "invalid_redirect_uri"),
    ({"redirect_uris": ["https://tool.example/callback#a"]}, "invalid_redirect_uri"),
    ({"redirect_uris": ["javascript://tool.example/%0aalert(1)"]}, "invalid_redirect_uri"),
    ({"redirect_uris": []}, "invalid_redirect_uri"), ({"grant_types": ["password"]}, "invalid_client_metadata"),
    ({"response_types": ["token"]}, "invalid_client_metadata"), ({"client_uri": "http://tool.example"}, "invalid_client_metadata"),
    ({"token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata"),
])
def test_a_registration_with_wrong_members_is_refused(server, changes, error):
    answer = registered(server, **changes)
    assert answer.status_code == 400 and answer.json()["error"] == error


@pytest.mark.parametrize("name", ["Box Score", "BOX  SCORE Support", "B\u043ex Sc\u043ere", "B0x 5core", "Bo\u200bx Score", ""])
def test_an_unverified_client_cannot_take_the_apps_name(server, name):
    answer = registered(server, client_name=name)
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_client_metadata", answer.text


def test_guessing_device_codes_is_limited(session_servers):
    settings = {name: value for name, value in OAUTH.items() if name != "GATEHOUSE_LIMITS"}
    limited = session_servers.serve(**settings, GATEHOUSE_LIMITS="on").start()
    ada = User(limited)
    guesses = [ada.http.get("/oauth/device?user_code=BCDF-GHJK").status_code for _ in range(31)]
    assert guesses == [404] * 30 + [429]


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_a_document_is_read_only_from_public_addresses(server, tmp_path):
    site = TLSServer(tmp_path)
    agent = Agent(server, client_id=site.url + "/client.json")
    try:
        assert agent.authorize() is None
    finally:
        site.stop()
    assert agent.answer.status_code == 400 and agent.answer.json()["code"] == "oauth_client_not_found"
    assert "metadata document" in agent.answer.text and site.received == []


@pytest.mark.parametrize("address", [
    "http://tool.example/client.json", "https://tool.example", "https://tool.example/", "https://tool.example/a/../b",
    "https://tool.example/a?b=c", "https://tool.example/a#b", "https://a@tool.example/b", "https://tool.example:443/a b",
])
def test_other_addresses_are_no_client(server, address):
    agent = Agent(server, client_id=address)
    assert agent.authorize() is None and agent.answer.json() == {
        "code": "oauth_client_not_found", "message": "invalid client_id"}
