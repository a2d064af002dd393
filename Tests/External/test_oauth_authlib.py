"""Authlib as a relying party: discovery, the code flow with PKCE and nonce, and everything after it."""

import secrets

import pytest
from agent import OAUTH, REDIRECT, Agent, User, query_of
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc import jwt
from joserfc.jwk import KeySet


@pytest.fixture(scope="module")
def server(session_servers):
    return session_servers.serve(**OAUTH).start()


class Party:
    def __init__(self, server, method="client_secret_basic"):
        self.server, agent = server, Agent(server, token_endpoint_auth_method=method, public=method == "none")
        self.agent, self.client = agent, OAuth2Client(
            agent.client_id, agent.secret, scope="openid email profile offline_access", redirect_uri=REDIRECT,
            token_endpoint_auth_method=method, code_challenge_method="S256", timeout=60)
        # Without a token.
        self.plain = agent.http
        self.metadata = self.plain.get("/.well-known/openid-configuration").json()
        self.client.metadata["token_endpoint"] = self.metadata["token_endpoint"]

    def sign_in(self, user):
        """The answer with the token, and its verified ID token."""
        verifier, self.nonce = secrets.token_urlsafe(48), secrets.token_urlsafe()
        address, state = self.client.create_authorization_url(
            self.metadata["authorization_endpoint"], code_verifier=verifier, nonce=self.nonce)
        asked = self.plain.get(address)
        authorization = query_of(asked.headers["location"])["authorization_id"]
        seen = user.see(authorization)
        back = seen.get("redirect_url") or user.decide(authorization)["redirect_url"]
        token = self.client.fetch_token(self.metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier)
        return token, self.identity(token)

    def identity(self, token):
        keys = KeySet.import_key_set(self.plain.get(self.metadata["jwks_uri"]).json())
        read = jwt.decode(token["id_token"], keys, algorithms=self.metadata["id_token_signing_alg_values_supported"])
        claims = CodeIDToken(
            read.claims, read.header,
            {"iss": {"values": [self.metadata["issuer"]]}, "aud": {"values": [self.client.client_id]}},
            {"nonce": self.nonce, "client_id": self.client.client_id, "access_token": token["access_token"]})
        claims.validate()
        return claims

    def active(self, token):
        return self.client.introspect_token(self.metadata["introspection_endpoint"], token).json()["active"]


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_a_relying_party_signs_users_in(server, method):
    party, ada = Party(server, method), User(server)
    token, identity = party.sign_in(ada)
    assert identity["sub"] == ada.id and identity["email"] == ada.email and identity["nonce"] == party.nonce
    assert party.client.get(party.metadata["userinfo_endpoint"]).json()["sub"] == ada.id
    renewed = party.client.refresh_token(party.metadata["token_endpoint"], token["refresh_token"])
    assert renewed["access_token"] != token["access_token"] and renewed["refresh_token"] != token["refresh_token"]
    party.nonce = None
    assert party.identity(renewed)["auth_time"] == identity["auth_time"]


def test_a_token_that_is_given_back_is_over(server):
    party = Party(server)
    token, _ = party.sign_in(User(server))
    assert party.active(token["access_token"]) and party.active(token["refresh_token"])
    assert party.client.revoke_token(party.metadata["revocation_endpoint"], token["refresh_token"]).status_code == 200
    assert not party.active(token["access_token"]) and not party.active(token["refresh_token"])
    with pytest.raises(OAuthError, match="invalid_grant"):
        party.client.refresh_token(party.metadata["token_endpoint"], token["refresh_token"])


def test_authlib_accepts_the_metadata(server):
    metadata = Party(server).metadata
    # It asks for https, which a server on this machine has not.
    secure = {name: value.replace("http://", "https://") if isinstance(value, str) else value for name, value in metadata.items()}
    AuthorizationServerMetadata(secure).validate()
    OpenIDProviderMetadata(secure).validate()
