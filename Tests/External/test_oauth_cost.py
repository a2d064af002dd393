"""Requests to the OAuth server cost little CPU time, whatever they contain; `test_text_cost.py` explains the texts."""

import base64
import sys
import urllib.parse

import pytest
from agent import OAUTH, REDIRECT, Agent, User, admin
from test_oauth_odd_input import DEVICE, FORMS
from test_text_cost import HEADER, LONG, MOST_SECONDS, QUERY, Meter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads CPU time from /proc")
API = "https://api.example.org/mcp"
METADATA = ["client_name", "redirect_uris", "client_uri", "logo_uri", "grant_types", "response_types", "scope", "token_endpoint_auth_method"]


class Costs:
    def __init__(self, server):
        self.server, self.agent, self.ada = server, Agent(server, grant_types=["authorization_code", "refresh_token", DEVICE]), User(server)
        self.usual = {"client_id": self.agent.client_id, "client_secret": self.agent.secret, "grant_type": "refresh_token", "refresh_token": "a"}

    def send(self, method, path, what, **request):
        before = Meter.seconds(self)
        answer = self.ada.http.request(method, path, **request)
        cost = Meter.seconds(self) - before
        assert cost < MOST_SECONDS and answer.status_code < 500, f"{method} {path[:60]} {what}: {answer.status_code}, {cost:.2f} s of CPU"


@pytest.fixture(scope="module")
def costs(session_servers):
    settings = {**OAUTH, "GATEHOUSE_OAUTH_RESOURCES": API, "GATEHOUSE_ACCOUNT_PAGES_NAME": "BoxScore"}
    return Costs(session_servers.serve(**settings, GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true").start())


@pytest.mark.parametrize("path", [*FORMS, "/oauth/authorize"])
def test_many_parameters(costs, path):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    many = "&".join(f"a{number}=1" for number in range(4_000)).encode()
    costs.send("POST", path, "many parameters", content=many, headers=form)
    usual = urllib.parse.urlencode({**costs.usual, "redirect_uri": REDIRECT, "response_type": "code"})
    resources = "&".join([usual, *[f"resource={API}/"] * 4_000])
    costs.send("POST", path, "many resources", content=resources, headers=form)
    costs.send("POST", path, "many members", json={f"a{number}": "1" for number in range(4_000)})


@pytest.mark.parametrize("path", [*FORMS, "/oauth/authorize"])
def test_texts_in_forms(costs, path):
    for name in {"client_id", "client_secret", "redirect_uri", *FORMS.get(path, FORMS["/oauth/par"])}:
        fields = {**costs.usual, "redirect_uri": REDIRECT, "response_type": "code", "scope": "email", name: LONG}
        if name in ("code", "code_verifier"):
            fields = {**fields, "grant_type": "authorization_code", "code_verifier": fields.get("code_verifier", "v" * 43), "code": fields.get("code", "a")}
        # A state or a redirect_uri may come back in a header.
        costs.send("POST", path, name, json={**fields, name: LONG[:80_000] if path != "/oauth/authorize" else LONG[:4_000]})


def test_texts_in_registrations(costs):
    usual = {"client_name": "Helper", "redirect_uris": [REDIRECT]}
    for name in METADATA:
        for value in (LONG[:80_000], [LONG[:80_000]]):
            costs.send("POST", "/oauth/clients/register", name, json={**usual, name: value})
            costs.send("POST", "/admin/oauth/clients", name, json={**usual, name: value}, headers=admin(costs.server))


def test_texts_in_addresses_and_headers(costs):
    for path in ("/oauth/device?user_code=", "/user/oauth/grants?client_id=", "/oauth/authorizations/", "/oauth/authorize?client_id=", "/admin/oauth/clients/"):
        headers = admin(costs.server) if "/admin" in path else {}
        costs.send("GET", path + QUERY[:30_000], "a text", headers=headers)
    costs.send("DELETE", "/user/oauth/grants?client_id=https://agent.example/" + QUERY[:30_000], "a document")
    credentials = base64.b64encode(b"a:" + HEADER[:2_000])
    for value in (b"Basic " + credentials, b"Basic " + base64.b64encode(HEADER), b"Bearer " + base64.b64encode(HEADER)):
        costs.send("POST", "/oauth/token", "credentials", data=costs.usual, headers={b"Authorization": value})
    authorization = costs.agent.authorize()
    costs.send("GET", f"/oauth/authorizations/{authorization}", "languages", headers={b"Accept-Language": HEADER})
    costs.send("POST", f"/oauth/authorizations/{authorization}/consent", "a decision", json={"action": LONG})
