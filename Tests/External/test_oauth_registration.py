"""Clients that register themselves: by the document that their ID names, and by a request (RFC 7591)."""

import http.server
import json

import pytest
from agent import OAUTH, Agent, User
from program import LoopbackServer


class Site:
    """A client's site, which counts the reads of its document."""

    def __init__(self):
        site = self
        self.reads, self.status, self.more = 0, 200, {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.reads += 1
                body = site.body()
                self.send_response(site.status)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = LoopbackServer(Handler)
        self.id = f"{self.server.url}/client.json"

    def body(self):
        document = {
            "client_id": self.id, "client_name": "Diary Helper", "redirect_uris": ["http://127.0.0.1/back"],
            "logo_uri": "https://agent.example/logo.png", "token_endpoint_auth_method": "none", **self.more,
        }
        return json.dumps({name: value for name, value in document.items() if value is not None}).encode()


@pytest.fixture
def site():
    site = Site()
    yield site
    site.server.stop()


@pytest.fixture(scope="module")
def server(session_servers):
    return session_servers.serve(
        **OAUTH, GATEHOUSE_OUTGOING_LOOPBACK="true", GATEHOUSE_ACCOUNT_PAGES_NAME="BoxScore",
        GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true",
    ).start()


def agent_of(server, site):
    return Agent(server, client_id=site.id, redirect="http://127.0.0.1:4711/back")


def test_a_document_is_a_client(server, site):
    ada, agent = User(server), agent_of(server, site)
    authorization = agent.authorize(scope="email")
    client = ada.see(authorization)["client"]
    assert client["id"] == site.id and client["name"] == "Diary Helper" and client["host"] == "127.0.0.1"
    # Every site can name any picture.
    assert client["verified"] is False and "logo_uri" not in client and client["registration_type"] == "document"
    tokens = agent.redeem(agent.returned(ada.decide(authorization)["redirect_url"])["code"]).json()
    assert agent.claims(tokens["access_token"])["client_id"] == site.id
    assert agent.refresh(tokens["refresh_token"]).status_code == 200
    agent.authorize()
    assert site.reads == 1
    site.status = 500
    assert agent.refresh(tokens["refresh_token"]).status_code == 200
    assert ada.http.delete("/user/oauth/grants", params={"client_id": site.id}).status_code == 204


def test_a_device_may_name_itself_by_a_document(server, site):
    device = "urn:ietf:params:oauth:grant-type:device_code"
    site.more = {"grant_types": [device, "refresh_token"], "redirect_uris": []}
    ada, agent = User(server), agent_of(server, site)
    begun = agent.http.post("/oauth/device_authorization", data={"client_id": site.id, "scope": "email"}).json()
    seen = ada.http.get("/oauth/device", params={"user_code": begun["user_code"]}).json()
    assert seen["client"]["name"] == "Diary Helper"
    ada.decide(seen["authorization_id"], "deny")
    assert agent.token(grant_type=device, device_code=begun["device_code"]).json()["error"] == "access_denied"
    unknown = agent.http.post("/oauth/device_authorization", data={"client_id": site.server.url + "/other"})
    assert unknown.status_code == 400 and unknown.json()["error"] == "invalid_client"


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": "https://agent.example/other.json"}, {"client_id": None}, {"redirect_uris": []},
        {"redirect_uris": ["https://evil.example/back"]}, {"redirect_uris": ["javascript:alert(1)//"]},
        {"client_name": "B0xSc\u043ere"}, {"client_name": "Safe\u202egnihtemos"}, {"client_secret": "s"},
        {"token_endpoint_auth_method": "private_key_jwt"}, {"client_name": "n" * 20_000},
    ],
)
def test_an_unusable_document_is_refused(server, site, change):
    site.more = change
    agent = agent_of(server, site)
    agent.authorize()
    assert agent.answer.status_code == 400 and agent.answer.json()["code"] == "oauth_client_not_found"
    assert "location" not in agent.answer.headers


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_document_that_is_not_there_is_refused(server, site, status):
    site.status = status
    agent = agent_of(server, site)
    agent.authorize()
    assert agent.answer.status_code == 400 and agent.answer.json()["code"] == "oauth_client_not_found"


@pytest.mark.parametrize(
    "name",
    [
        "https://agent.example", "https://agent.example/a?b", "https://agent.example/../a", "https://u@agent.example/a",
        "http://agent.example/a", "https://agent.example/a#b", "urn:agent", "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/client.json",
    ],
)
def test_an_address_that_must_not_be_asked_is_no_client(server, name):
    agent = Agent(server, client_id=name, redirect="http://127.0.0.1/back")
    agent.authorize()
    assert agent.answer.status_code == 400 and agent.answer.json()["code"] == "oauth_client_not_found"


def test_a_client_registers_itself_where_that_is_allowed(server, session_servers):
    agent = Agent(server)
    body = {"client_name": "Helper", "redirect_uris": ["https://agent.example/callback"]}
    answer = agent.http.post("/oauth/clients/register", json=body)
    made = answer.json()
    assert answer.status_code == 201 and made["client_secret"] and made["registration_type"] == "dynamic"
    ada, own = User(server), Agent(server, client_id=made["client_id"], secret=made["client_secret"])
    assert ada.see(own.authorize())["client"]["verified"] is False
    for change, error in [
        ({"client_name": "The BOXSCORE team"}, "invalid_client_metadata"), ({"redirect_uris": ["https://a.example/#b"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://agent.example/callback"]}, "invalid_redirect_uri"), ({"grant_types": ["password"]}, "invalid_client_metadata"),
    ]:
        refused = agent.http.post("/oauth/clients/register", json={**body, **change})
        assert refused.status_code == 400 and refused.json()["error"] == error
    closed = session_servers.serve(**OAUTH).start()
    refused = Agent(closed).http.post("/oauth/clients/register", json=body)
    assert refused.status_code == 403 and refused.json()["code"] == "oauth_dynamic_client_registration_disabled"


def test_without_the_server_its_routes_say_so(session_servers):
    server = session_servers.serve(GATEHOUSE_LIMITS="off").start()
    agent = Agent(server, client_id="7d6ad3ab-6d17-4f3f-b0fc-0c55b5f6b6d5")
    for path in ("/oauth/authorize", "/.well-known/oauth-authorization-server", "/oauth/userinfo"):
        answer = agent.http.get(path)
        assert answer.status_code == 404 and answer.json()["code"] == "feature_disabled", path
    assert agent.http.get("/settings", headers={"apikey": server.keys["publishable_key"]}).json()["oauth_server_enabled"] is False
