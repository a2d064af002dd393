"""The Model Context Protocol's own package on both sides: its server takes our tokens, its client gets them."""

import asyncio
import http.client
import http.server
import itertools
import json
import logging
import threading

import httpx
import postgres
import pytest
import uvicorn
from agent import OAUTH, Agent, User, header, query_of
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from mcp.client.auth import OAuthClientProvider
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from program import LoopbackServer, free_port, poll
from test_nodes import two_nodes
from test_oauth_registration import Site

# It has its own words for every refusal.
logging.getLogger("mcp").setLevel(logging.CRITICAL)
BACK = "http://127.0.0.1:4711/back"
SCOPE = "scores:read"


class Verifier:
    """What a resource server must check: signature, type, issuer, audience and time (RFC 9068 §4)."""

    def __init__(self, issuer, audience):
        self.issuer, self.audience = issuer, audience

    async def verify_token(self, token):
        async with httpx.AsyncClient() as client:
            keys = KeySet.import_key_set((await client.get(f"{self.issuer}/.well-known/jwks.json")).json())
        try:
            claims = jwt.decode(token, keys).claims
            assert header(token)["typ"] == "at+jwt"
            jwt.JWTClaimsRegistry(
                iss={"essential": True, "value": self.issuer}, aud={"essential": True, "value": self.audience}, exp={"essential": True},
            ).validate(claims)
        except (AssertionError, JoseError, ValueError):
            return None
        return AccessToken(
            token=token, client_id=claims["client_id"], scopes=claims["scope"].split(), expires_at=claims["exp"],
            resource=self.audience, subject=claims["sub"], claims=claims)


class Tools:
    """An MCP server with one tool, which needs a token for its address."""

    def __init__(self, port, issuer):
        self.url = f"http://127.0.0.1:{port}/mcp"
        settings = AuthSettings(
            issuer_url=issuer, resource_server_url=self.url, required_scopes=[SCOPE], validate_token_resource=True)
        server = MCPServer("Scores", token_verifier=Verifier(issuer, self.url), auth=settings, log_level="CRITICAL")

        @server.tool()
        def score(team: str) -> str:
            return f"{team} 3:1"

        config = uvicorn.Config(server.streamable_http_app(), port=port, log_level="critical", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        poll(lambda: self.server.started, "the MCP server's start")

    def stop(self):
        self.server.should_exit = True
        self.thread.join()


class Memory:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Assistant:
    """The package's client, whose user decides in our API."""

    def __init__(self, tools, user, document=None):
        self.tools, self.user, self.memory, self.document = tools, user, Memory(), document
        self.asked, self.returned, self.provider = [], None, self.authorizing()

    async def ask(self, address):
        answer = httpx.get(address)
        assert answer.status_code in (302, 303), answer.text
        authorization = query_of(answer.headers["location"])["authorization_id"]
        seen = self.user.see(authorization)
        self.asked.append(seen)
        self.returned = query_of(seen.get("redirect_url") or self.user.decide(authorization)["redirect_url"])

    async def come_back(self):
        fields = self.returned
        return AuthorizationCodeResult(code=fields.get("code", ""), state=fields["state"], iss=fields["iss"])

    def authorizing(self):
        metadata = OAuthClientMetadata(client_name="Assistant", redirect_uris=[BACK], token_endpoint_auth_method="none")
        provider = OAuthClientProvider(self.tools.url, metadata, self.memory, self.ask, self.come_back)
        # The package wants https; the test's site has none.
        provider.context.client_metadata_url = self.document
        return provider

    def call(self, team="Ajax", is_expired=False, is_new=False):
        if is_expired:
            self.provider.context.token_expiry_time = 1
        if is_new:
            self.provider = self.authorizing()
        return asyncio.run(self._call(team))

    async def _call(self, team):
        async with (
            create_mcp_http_client(auth=self.provider) as client,
            streamable_http_client(self.tools.url, http_client=client) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return (await session.call_tool("score", {"team": team})).content[0].text

    def claims(self):
        return jwt.decode(self.memory.tokens.access_token, KeySet.import_key_set(self.user.http.get("/.well-known/jwks.json").json())).claims


class Front:
    """One address before several nodes, which take turns."""

    def __init__(self):
        turns, self.nodes = itertools.count(), []
        front = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                node = front.nodes[next(turns) % len(front.nodes)]
                connection = http.client.HTTPConnection("127.0.0.1", node.port)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                connection.request(self.command, self.path, body, dict(self.headers))
                answer = connection.getresponse()
                self.send_response(answer.status)
                body = answer.read()
                for name, value in answer.getheaders():
                    if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                connection.close()

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *arguments):
                pass

        self.server = LoopbackServer(Handler)
        self.url, self.keys = self.server.url, {}
        self.auth_url = self.url + "/auth/v1"


@pytest.fixture(scope="module", params=["sqlite", pytest.param("two nodes", marks=postgres.needs_server)])
def world(request, session_servers, tmp_path_factory):
    """Our server, and two protected by it."""
    scopes = tmp_path_factory.mktemp("scopes") / "scopes.json"
    scopes.write_text(json.dumps({SCOPE: {"en": "Read your scores"}}))
    ports = free_port(), free_port()
    settings = {
        **OAUTH, "GATEHOUSE_OUTGOING_LOOPBACK": "true", "GATEHOUSE_OAUTH_SCOPES": str(scopes), "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true",
        "GATEHOUSE_OAUTH_RESOURCES": ",".join(f"http://127.0.0.1:{port}/mcp" for port in ports),
    }
    if request.param == "sqlite":
        front, server = None, session_servers.serve(**settings).start()
    else:
        server = front = Front()
        front.nodes = two_nodes(session_servers, request.getfixturevalue("cluster").database(), **settings, API_EXTERNAL_URL=front.auth_url)
        front.keys = front.nodes[0].keys
    tools = [Tools(port, server.auth_url) for port in ports]
    yield server, *tools
    for one in tools:
        one.stop()
    if front:
        for node in front.nodes:
            node.stop()
        front.server.stop()


@pytest.fixture
def server(world):
    return world[0]


@pytest.fixture
def tools(world):
    return world[1]


@pytest.fixture
def site():
    site = Site()
    site.more = {"redirect_uris": [BACK], "client_name": "Assistant"}
    yield site
    site.server.stop()


@pytest.fixture
def ada(server):
    return User(server)


def test_an_assistant_that_publishes_a_document_calls_a_tool(tools, ada, site):
    assistant = Assistant(tools, ada, site.id)
    assert assistant.call() == "Ajax 3:1"
    [seen] = assistant.asked
    assert seen["client"]["id"] == site.id and seen["resources"] == [tools.url]
    assert {"name": SCOPE, "description": "Read your scores"} in seen["scopes"]
    claims = assistant.claims()
    assert claims["aud"] == tools.url and claims["client_id"] == site.id and claims["sub"] == ada.id
    assert site.reads == 1
    # Expired tokens are renewed without the user; its next process has them still.
    before = assistant.memory.tokens.refresh_token
    assert assistant.call(is_expired=True) == "Ajax 3:1"
    assert assistant.call("Feyenoord", is_new=True) == "Feyenoord 3:1"
    assert assistant.memory.tokens.refresh_token != before and len(assistant.asked) == 1


def test_an_assistant_without_a_document_registers_itself(tools, ada):
    assistant = Assistant(tools, ada)
    assert assistant.call() == "Ajax 3:1"
    assert assistant.asked[0]["client"]["registration_type"] == "dynamic"
    assert assistant.memory.client.client_id == assistant.claims()["client_id"]
    assert assistant.call(is_expired=True) == "Ajax 3:1" and len(assistant.asked) == 1


def test_a_token_for_another_resource_is_refused(world, ada, site):
    _, tools, other = world
    assistant, elsewhere = Assistant(tools, ada, site.id), Assistant(other, ada, site.id)
    assert assistant.call() == elsewhere.call() == "Ajax 3:1"
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for token in (elsewhere.memory.tokens.access_token, ada.session["access_token"], "no"):
        answer = httpx.post(tools.url, json=body, headers={"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"})
        assert answer.status_code == 401 and "resource_metadata" in answer.headers["www-authenticate"]
    # Refused, so the package asks again, for its own resource.
    assistant.memory.tokens = elsewhere.memory.tokens
    assert assistant.call(is_new=True) == "Ajax 3:1" and len(assistant.asked) == 2
    assert assistant.claims()["aud"] == tools.url


def test_a_token_without_the_scope_is_refused(server, tools, ada, site):
    assistant = Assistant(tools, ada, site.id)
    assert assistant.call() == "Ajax 3:1"
    agent = Agent(server, client_id=site.id)
    narrowed = agent.refresh(assistant.memory.tokens.refresh_token, scope="offline_access").json()
    answer = httpx.post(tools.url, json={}, headers={"Authorization": f"Bearer {narrowed['access_token']}"})
    assert answer.status_code == 403 and "insufficient_scope" in answer.headers["www-authenticate"]


def test_after_the_user_ends_the_grant_the_assistant_must_ask_again(server, tools, ada, site):
    assistant = Assistant(tools, ada, site.id)
    assert assistant.call() == "Ajax 3:1"
    [grant] = ada.grants()
    assert grant["resources"] == [tools.url] and grant["client"]["id"] == site.id
    assert ada.http.delete("/user/oauth/grants", params={"client_id": site.id}).status_code == 204
    refresh = Agent(server, client_id=site.id).refresh(assistant.memory.tokens.refresh_token)
    assert refresh.json()["error"] == "invalid_grant"
    assert assistant.call(is_expired=True) == "Ajax 3:1"
    assert len(assistant.asked) == 2 and "redirect_url" not in assistant.asked[1]


def test_a_user_who_denies_ends_the_call(tools, ada, site):
    assistant = Assistant(tools, ada, site.id)
    ada.decide = lambda authorization: User.decide(ada, authorization, "deny")
    with pytest.raises(BaseExceptionGroup):
        assistant.call()
    assert assistant.returned["error"] == "access_denied" and ada.grants() == [] and assistant.memory.tokens is None
