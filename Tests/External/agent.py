"""An OAuth client as other people write it: plain HTTP, with the checks that the standards ask of clients."""

import base64
import hashlib
import json
import secrets
import urllib.parse

import httpx
from joserfc import jwt
from joserfc.jwk import KeySet
from program import PASSWORD

# Errors with their code.
VERSION = {"X-Supabase-Api-Version": "2024-01-01"}
REDIRECT = "https://agent.example/callback"
OAUTH = {"GOTRUE_OAUTH_SERVER_ENABLED": "true", "GATEHOUSE_ACCOUNT_PAGES": "true", "GATEHOUSE_LIMITS": "off"}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def query_of(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


class Agent:
    """One client, registered by the operator unless `client_id` is given."""

    def __init__(self, server, client_id=None, secret=None, public=False, redirect=REDIRECT, **metadata):
        self.server, self.redirect, self.client_id, self.secret = server, redirect, client_id, secret
        self.http = httpx.Client(base_url=server.auth_url, headers=VERSION, timeout=60)
        if client_id is None:
            body = {"client_name": "Example Agent", "redirect_uris": [redirect], **metadata}
            if public:
                body["token_endpoint_auth_method"] = "none"
            answer = self.http.post("/admin/oauth/clients", json=body, headers=admin(server))
            assert answer.status_code == 201, answer.text
            self.client_id, self.secret = answer.json()["client_id"], answer.json().get("client_secret")

    def address(self, scope="openid email", **parameters):
        """Where the agent sends the browser."""
        self.verifier, self.state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        parameters = {
            "client_id": self.client_id, "redirect_uri": self.redirect, "response_type": "code", "scope": scope,
            "state": self.state, "code_challenge": b64(hashlib.sha256(self.verifier.encode()).digest()),
            "code_challenge_method": "S256", **parameters,
        }
        query = urllib.parse.urlencode({k: v for k, v in parameters.items() if v is not None})
        return f"{self.server.auth_url}/oauth/authorize?{query}"

    def authorize(self, scope="openid email", **parameters):
        """The browser's request. The id of the authorization, or None if the answer has none."""
        self.answer = self.http.get(self.address(scope, **parameters))
        if self.answer.status_code not in (302, 303):
            return None
        return query_of(self.answer.headers["location"]).get("authorization_id")

    def returned(self, address):
        """The parameters of the address that the user returns to, checked."""
        assert address.startswith(self.redirect), address
        fields = query_of(address)
        assert fields["state"] == self.state and fields["iss"] == self.server.auth_url
        return fields

    def token(self, **fields):
        if self.secret is None:
            return self.http.post("/oauth/token", data={"client_id": self.client_id, **fields})
        return self.http.post("/oauth/token", data=fields, auth=(self.client_id, self.secret))

    def redeem(self, code, **fields):
        fields = {"redirect_uri": self.redirect, "code_verifier": self.verifier, **fields}
        return self.token(grant_type="authorization_code", code=code, **fields)

    def sign_in(self, user, **parameters):
        """The whole flow with the user's approval. The token endpoint's answer."""
        authorization = self.authorize(**parameters)
        seen = user.see(authorization)
        address = seen.get("redirect_url") or user.decide(authorization)["redirect_url"]
        answer = self.redeem(self.returned(address)["code"])
        assert answer.status_code == 200, answer.text
        return answer.json()

    def approved(self, user, **parameters):
        """A code that the user has approved."""
        authorization = self.authorize(**parameters)
        user.see(authorization)
        return self.returned(user.decide(authorization)["redirect_url"])["code"]

    def refresh(self, token, **fields):
        return self.token(grant_type="refresh_token", refresh_token=token, **fields)

    def claims(self, token):
        """A token's claims, with its signature checked by the published keys."""
        keys = KeySet.import_key_set(self.http.get("/.well-known/jwks.json").json())
        return jwt.decode(token, keys).claims


class User:
    """A signed-in person, in the app or on the pages."""

    def __init__(self, server, email=None, password=PASSWORD):
        email = email or f"{secrets.token_hex(8)}@example.org"
        headers = {"apikey": server.keys["publishable_key"], **VERSION}
        self.http = httpx.Client(base_url=server.auth_url, timeout=60, headers=headers)
        self.email, self.password = email, password
        self.enter("/signup")
        self.id = self.session["user"]["id"]

    def enter(self, path="/token?grant_type=password"):
        answer = self.http.post(path, json={"email": self.email, "password": self.password})
        assert answer.status_code == 200, answer.text
        self.session = answer.json()
        self.http.headers["Authorization"] = f"Bearer {self.session['access_token']}"

    def see(self, authorization):
        answer = self.http.get(f"/oauth/authorizations/{authorization}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def decide(self, authorization, action="approve", **more):
        answer = self.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": action, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def grants(self):
        return self.http.get("/user/oauth/grants").json()


def admin(server):
    key = server.keys["secret_key"]
    return {"apikey": key, "Authorization": f"Bearer {key}"}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def header(token):
    return json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))
