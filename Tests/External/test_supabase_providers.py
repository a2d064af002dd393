"""Providers through the Python client that Supabase publishes, as it comes from PyPI: no special case for us."""

import hashlib
import time

import pytest
from browser import Browser
from identity_provider import KEY, IdentityProvider
from openid_providers import StrictProvider
from program import PASSWORD, free_port
from signing_in import APP, callback, serve
from supabase_auth.errors import AuthApiError
from supabase_clients import SyncGoTrueClient

CLIENT = "kc-client"


class World:
    def __init__(self, servers):
        port = free_port()
        # The client accepts only known names.
        self.strict = StrictProvider(callback(port))
        self.keycloak = IdentityProvider().start()
        self.server = serve(
            servers,
            port,
            [self.strict.settings("gitlab")],
            GOTRUE_EXTERNAL_KEYCLOAK_ENABLED="true",
            GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID=CLIENT,
            GOTRUE_EXTERNAL_KEYCLOAK_URL=self.keycloak.url,
            GOTRUE_MAILER_AUTOCONFIRM="true",
        )

    def stop(self):
        self.strict.stop()
        self.keycloak.stop()

    def client(self):
        # Without the timer thread that would refresh in the background.
        return SyncGoTrueClient(
            url=self.server.auth_url,
            headers={"apikey": self.server.keys["publishable_key"]},
            auto_refresh_token=False,
            flow_type="pkce",
        )

    def visit(self, url, subject):
        """The user's actions in the browser. Returns the page that the app gets."""
        browser = Browser((callback(self.server.port), APP))
        page = self.strict.sign_in(browser, browser.open(url), subject)
        browser.app = APP
        return browser.open(page.url)

    def code(self, url, subject):
        page = self.visit(url, subject)
        assert "code" in page.query, page
        return page.query["code"]

    def id_token(self, subject, **claims):
        now = int(time.time())
        return KEY.token(
            {"iss": self.keycloak.url, "aud": CLIENT, "sub": subject, "iat": now, "exp": now + 300, **claims}
        )


@pytest.fixture(scope="module")
def world(session_servers):
    world = World(session_servers)
    yield world
    world.stop()


@pytest.fixture
def client(world):
    return world.client()


@pytest.fixture
def ana(world, new_email):
    email = new_email("ana")
    world.strict.people["subject of " + email] = {"email": email, "email_verified": True, "name": "Ana Example"}
    return email


def start(client, **options):
    answer = client.sign_in_with_oauth({"provider": "gitlab", "options": {"redirect_to": APP, **options}})
    assert answer.provider == "gitlab"
    return answer.url


def code_of(action, *arguments):
    with pytest.raises(AuthApiError) as raised:
        action(*arguments)
    return raised.value.code


def test_sign_in_with_oauth(world, client, ana):
    code = world.code(start(client), "subject of " + ana)
    answer = client.exchange_code_for_session({"auth_code": code})
    assert answer.session.user.email == ana
    assert answer.session.provider_token
    assert client.get_user().user.user_metadata["name"] == "Ana Example"
    assert client.refresh_session().user.email == ana
    identities = client.get_user_identities().identities
    assert [identity.provider for identity in identities] == ["gitlab"]
    client.sign_out()
    assert code_of(client.exchange_code_for_session, {"auth_code": code, "code_verifier": "a" * 43}) == (
        "flow_state_not_found"
    )


def test_scopes_and_parameters_are_passed_on(client):
    url = start(client, scopes="openid email", query_params={"login_hint": "ana@example.com"})
    at_provider = Browser(APP).step(url)
    assert "login_hint=ana%40example.com" in at_provider and "code_challenge_method=S256" in at_provider


def test_the_code_is_invalid_without_the_clients_verifier(world, client, ana):
    code = world.code(start(client), "subject of " + ana)
    other = world.client()
    start(other)
    assert code_of(other.exchange_code_for_session, {"auth_code": code}) == "bad_code_verifier"
    assert client.exchange_code_for_session({"auth_code": code}).user.email == ana


def test_sign_in_with_id_token(world, client, new_email):
    email, nonce = new_email("native"), "a nonce that the app made"
    token = world.id_token(
        "subject of " + email,
        email=email,
        email_verified=True,
        name="Bo Example",
        nonce=hashlib.sha256(nonce.encode()).hexdigest(),
    )
    answer = client.sign_in_with_id_token({"provider": "keycloak", "token": token, "nonce": nonce})
    assert answer.user.email == email and answer.user.app_metadata["provider"] == "keycloak"
    again = world.client().sign_in_with_id_token({"provider": "keycloak", "token": token, "nonce": nonce})
    assert again.user.id == answer.user.id
    with pytest.raises(AuthApiError) as raised:
        client.sign_in_with_id_token({"provider": "keycloak", "token": token, "nonce": "another"})
    assert raised.value.status == 400


def test_link_list_and_unlink(world, client, ana, new_email):
    client.sign_up({"email": new_email(), "password": PASSWORD})
    user = client.get_user().user.id
    linking = client.link_identity({"provider": "gitlab", "options": {"redirect_to": APP}})
    answer = client.exchange_code_for_session({"auth_code": world.code(linking.url, "subject of " + ana)})
    assert answer.user.id == user
    identities = {identity.provider: identity for identity in client.get_user_identities().identities}
    assert set(identities) == {"email", "gitlab"}

    # The provider signs in to the same account from now on.
    other = world.client()
    code = world.code(start(other), "subject of " + ana)
    assert other.exchange_code_for_session({"auth_code": code}).user.id == user

    client.unlink_identity(identities["gitlab"])
    assert [identity.provider for identity in client.get_user_identities().identities] == ["email"]
    assert code_of(client.unlink_identity, identities["email"]) == "single_identity_not_deletable"


def test_an_identity_of_another_user_is_not_linked(world, client, ana, new_email):
    owner = world.client()
    owner.exchange_code_for_session({"auth_code": world.code(start(owner), "subject of " + ana)})
    client.sign_up({"email": new_email(), "password": PASSWORD})
    linking = client.link_identity({"provider": "gitlab", "options": {"redirect_to": APP}})
    page = world.visit(linking.url, "subject of " + ana)
    assert page.query["error_code"] == "identity_already_exists"
    assert [identity.provider for identity in client.get_user_identities().identities] == ["email"]


def test_a_conflict_has_its_own_code(world, client, ana):
    world.client().sign_up({"email": ana, "password": PASSWORD})
    code = world.code(start(client), "subject of " + ana)
    assert code_of(client.exchange_code_for_session, {"auth_code": code}) == "identity_needs_confirmation"
