"""Providers without OpenID Connect: through the stand-ins of `gatehouse dev`, with Supabase's Python client."""

import pytest
from browser import Browser
from signing_in import APP
from supabase_auth.errors import AuthApiError
from supabase_clients import SyncGoTrueClient


@pytest.fixture(scope="module")
def stack(session_servers):
    return session_servers.dev("--providers", "github,discord,x", "--redirect", APP).start()


@pytest.fixture
def client(stack):
    return SyncGoTrueClient(
        url=stack.auth_url,
        headers={"apikey": stack.keys["publishable_key"]},
        auto_refresh_token=False,
        flow_type="pkce",
    )


def choose(url, person, **more):
    """The user's actions in the browser. Returns the query that the app gets."""
    browser = Browser(APP)
    page = browser.open(url)
    return browser.open(page.url, "POST", {"person": person, **more}).query


def sign_in(client, provider, person, **more):
    url = client.sign_in_with_oauth({"provider": provider, "options": {"redirect_to": APP}}).url
    return client.exchange_code_for_session({"auth_code": choose(url, person, **more)["code"]}).user


@pytest.mark.parametrize("provider", ["github", "discord"])
def test_a_provider_signs_a_user_in(client, provider):
    user = sign_in(client, provider, "existing", email=f"{provider}.user@example.com")
    assert user.email == f"{provider}.user@example.com" and user.app_metadata["provider"] == provider
    identity = client.get_user_identities().identities[0]
    assert identity.provider == provider and identity.identity_data["email_verified"] is True
    assert identity.identity_data["user_name"] == "existing"
    assert sign_in(client, provider, "existing", email=f"{provider}.user@example.com").id == user.id


def test_an_unconfirmed_address_does_not_become_the_accounts(client):
    user = sign_in(client, "discord", "unverified")
    assert not user.email
    assert client.get_user_identities().identities[0].identity_data["email_verified"] is False


def test_an_address_of_another_account_is_asked_about(client, stack):
    email = "ada.of.github@example.com"
    owner = client.sign_up({"email": email, "password": "correct horse battery"}).user
    client.sign_out()
    with pytest.raises(AuthApiError) as raised:
        sign_in(client, "github", "existing", email=email)
    assert raised.value.code == "identity_needs_confirmation"
    assert client.sign_in_with_password({"email": email, "password": "correct horse battery"}).user.id == owner.id


def test_cancelling_and_an_outage_are_reported_to_the_app(client):
    url = client.sign_in_with_oauth({"provider": "github", "options": {"redirect_to": APP}}).url
    assert choose(url, "cancels")["error"] == "access_denied"
    url = client.sign_in_with_oauth({"provider": "github", "options": {"redirect_to": APP}}).url
    assert "code" not in choose(url, "provider-error")


def test_only_the_wanted_providers_are_offered(stack):
    external = stack.auth().get("/settings").json()["external"]
    assert [name for name in ("apple", "discord", "github", "google", "x") if external.get(name)] == [
        "discord",
        "github",
        "x",
    ]
