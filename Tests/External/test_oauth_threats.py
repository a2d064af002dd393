"""Attacks that RFC 9700 and RFC 6819 name, with two clients at one server: Docs/threat-model.md has a row for each."""

import pytest
from agent import OAUTH, Agent, User, query_of

SITE = "https://evil.example/callback"


@pytest.fixture(scope="module")
def server(session_servers):
    return session_servers.serve(
        **OAUTH, GATEHOUSE_ACCOUNT_PAGES_NAME="BoxScore", GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true").start()


def registered(server, redirect=SITE, **metadata):
    """A client that nobody vouches for."""
    body = {"client_name": "Helper", "redirect_uris": [redirect], "token_endpoint_auth_method": "none", **metadata}
    made = Agent(server).http.post("/oauth/clients/register", json=body).json()
    return Agent(server, client_id=made["client_id"], redirect=redirect)


def test_each_response_names_its_server(server):
    """RFC 9207: a code, a denial, a refused request and a request without pages."""
    ada, agent = User(server), Agent(server)
    addresses = []
    for action in ("approve", "deny"):
        authorization = agent.authorize(prompt="consent")
        ada.see(authorization)
        addresses.append(ada.decide(authorization, action)["redirect_url"])
    agent.authorize(scope="unknown")
    addresses.append(agent.answer.headers["location"])
    left = agent.http.post(f"/oauth/authorizations/{agent.authorize(prompt='none')}/cancel")
    addresses.append(left.json()["redirect_url"])
    fields = [query_of(address) for address in addresses]
    assert [one.get("error") for one in fields] == [None, "access_denied", "invalid_scope", "login_required"]
    assert all(one["iss"] == server.auth_url for one in fields)


def test_an_injected_code_opens_no_session(server):
    """RFC 9700 section 4.5: a code of another flow of the same client, and of another client."""
    ada, agent = User(server), Agent(server)
    stolen = agent.approved(ada)
    authorization = agent.authorize()
    assert authorization is not None  # The flow that gets the stolen code has another verifier.
    assert agent.redeem(stolen).json()["error"] == "invalid_grant"
    assert Agent(server).token(
        grant_type="authorization_code", code=stolen, code_verifier=agent.verifier).json()["error"] == "invalid_grant"


def test_no_flow_goes_without_a_verifier(server):
    """RFC 9700 section 4.8.2: PKCE cannot be left out, at the first step or at the last."""
    ada, agent = User(server), Agent(server)
    for change in ({"code_challenge": None}, {"code_challenge_method": None}, {"code_challenge_method": "plain"}):
        assert agent.authorize(**change) is None
        assert agent.returned(agent.answer.headers["location"])["error"] == "invalid_request"
    code = agent.approved(ada)
    for verifier in (None, "", "v" * 43):
        fields = {} if verifier is None else {"code_verifier": verifier}
        assert agent.token(grant_type="authorization_code", code=code, **fields).status_code == 400
    assert agent.redeem(code).status_code == 200


def test_a_link_leads_to_no_site_that_anyone_registered(server):
    """RFC 9700 section 4.11.2: a wrong request would otherwise go there without a page."""
    agent = registered(server)
    for change in ({"scope": "unknown"}, {"response_type": "token"}, {"prompt": "unknown"}, {"code_challenge": None}):
        assert agent.authorize(**change) is None
        assert agent.answer.status_code == 400 and agent.answer.json()["code"] == "validation_failed"
        assert "location" not in agent.answer.headers
    assert agent.authorize() is not None
    # A program on the user's machine, and a client that the operator registered.
    for other in (registered(server, "http://127.0.0.1/back"), Agent(server)):
        assert other.authorize(scope="unknown") is None
        assert query_of(other.answer.headers["location"])["error"] == "invalid_scope"


@pytest.mark.parametrize("name", ["BoxScore", "B0xScore", "Box Sc\u043ere", "BOX-SCORE Support", "\uff22ox\u0455core", "My BoxScore"])
def test_a_look_alike_name_is_refused(server, name):
    answer = Agent(server).http.post("/oauth/clients/register", json={"client_name": name, "redirect_uris": [SITE]})
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_client_metadata", answer.text


def test_an_unverified_client_shows_no_logo_and_is_marked(server):
    ada = User(server)
    picture = {"logo_uri": "https://evil.example/logo.png", "client_uri": "https://boxscore.example"}
    client = ada.see(registered(server, **picture).authorize())["client"]
    assert "logo_uri" not in client and client["verified"] is False and "host" not in client
    known = ada.see(Agent(server, **picture).authorize())["client"]
    assert known["logo_uri"] == picture["logo_uri"] and known["verified"] is True


def test_only_an_opened_request_reaches_a_user(server):
    """Prompt bombing: hints name a user, but the user sees what a browser of theirs has opened."""
    ada, agent = User(server), registered(server)
    requests = [agent.authorize(login_hint=ada.email) for _ in range(30)]
    assert all(requests) and ada.http.get("/oauth/authorizations").json()["authorizations"] == []
    for authorization in requests:
        ada.see(authorization)
    assert len(ada.http.get("/oauth/authorizations").json()["authorizations"]) == 20
    ada.decide(requests[-1], "deny")
    waiting = [one["authorization_id"] for one in ada.http.get("/oauth/authorizations").json()["authorizations"]]
    assert requests[-1] not in waiting
    assert ada.http.get(f"/oauth/authorizations/{requests[-1]}").status_code == 400
    assert ada.grants() == []


def test_one_address_sends_no_flood_of_requests(session_servers):
    limited = session_servers.serve(**{**OAUTH, "GATEHOUSE_LIMITS": "on"}).start()
    agent = Agent(limited)
    answers = [agent.http.get(agent.address()).status_code for _ in range(40)]
    assert answers[:30] == [302] * 30 and 429 in answers
