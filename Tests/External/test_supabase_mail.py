"""The Python client that Supabase publishes, with mailed codes and links."""

import asyncio
import urllib.parse

import mails
import pytest
from program import PASSWORD, Client
from supabase_auth.errors import AuthApiError, AuthImplicitGrantRedirectError
from supabase_clients import AsyncGoTrueAdminAPI, AsyncGoTrueClient, SyncGoTrueAdminAPI, SyncGoTrueClient

SITE = "http://127.0.0.1:3000"
NEW_PASSWORD = "another horse 43 battery"


class Mailed:
    """A server that confirms addresses by mail, and the mails that it wrote."""

    def __init__(self, servers, **settings):
        folder = servers.folder("mails")
        self.server = servers.serve(
            GOTRUE_MAILER_AUTOCONFIRM="false", GOTRUE_SMTP_MAX_FREQUENCY="0", GATEHOUSE_MAIL_FOLDER=folder,
            GOTRUE_URI_ALLOW_LIST=f"{SITE}/welcome", **settings,
        ).start()
        self.mails = mails.Mails(folder)

    def client(self, kind=SyncGoTrueClient, **options):
        headers = {"apikey": self.server.keys["publishable_key"]}
        return kind(url=self.server.auth_url, headers=headers, auto_refresh_token=False, **options)

    def admin(self):
        key = self.server.keys["secret_key"]
        return SyncGoTrueAdminAPI(
            url=self.server.auth_url, headers={"apikey": key, "Authorization": f"Bearer {key}"}
        )

    def code(self, email):
        return self.mails.next(email)["code"]

    def confirmed(self, email):
        """A client that has signed up and confirmed its address."""
        client = self.client()
        client.sign_up({"email": email, "password": PASSWORD})
        client.verify_otp({"type": "signup", "email": email, "token": self.code(email)})
        return client


    def press(self, link):
        """Opens a link and presses the button of its page. Returns the address to which this leads."""
        browser = Client(self.server.auth_url)
        page = browser.get(link.removeprefix(self.server.auth_url))
        assert page.status == 200 and b"<form" in page.body
        query = urllib.parse.urlsplit(link).query
        pressed = browser.request(
            "POST", "/verify/page", query.encode(), content_type="application/x-www-form-urlencoded"
        )
        assert pressed.status == 303
        return pressed.headers["location"]


@pytest.fixture(scope="module")
def mailed(session_servers):
    return Mailed(session_servers)


def code_of(action, *arguments):
    """The stable code of the error that the client raises."""
    with pytest.raises(AuthApiError) as raised:
        action(*arguments)
    return raised.value.code


def in_query(address, name):
    return urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)[name][0]


def test_sign_up(mailed, new_email):
    email, client = new_email(), mailed.client()
    signed_up = client.sign_up(
        {"email": email, "password": PASSWORD, "options": {"data": {"plan": "a"}, "email_redirect_to": SITE + "/welcome"}}
    )
    assert signed_up.session is None and signed_up.user.confirmation_sent_at
    first = mailed.mails.next(email)
    assert first["link"].endswith("&redirect_to=" + SITE + "/welcome")
    client.resend({"type": "signup", "email": email})
    verified = client.verify_otp({"type": "signup", "email": email, "token": mailed.code(email)})
    assert verified.user.email_confirmed_at and verified.user.user_metadata["plan"] == "a"
    assert client.get_user().user.email == email
    assert code_of(client.verify_otp, {"type": "signup", "email": email, "token": first["code"]}) == "otp_expired"


def test_one_time_codes(mailed, new_email):
    email, client = new_email(), mailed.client()
    client.sign_in_with_otp({"email": email, "options": {"data": {"a": 1}}})
    assert client.verify_otp({"type": "email", "email": email, "token": mailed.code(email)}).session
    again = mailed.client()
    again.sign_in_with_otp({"email": email, "options": {"should_create_user": False}})
    assert again.verify_otp({"type": "email", "email": email, "token": mailed.code(email)}).user.email == email
    stranger = new_email()
    again.sign_in_with_otp({"email": stranger, "options": {"should_create_user": False}})
    assert not mailed.mails.unread(stranger)


def test_recovery(mailed, new_email):
    email = new_email()
    mailed.confirmed(email)
    client = mailed.client()
    client.reset_password_for_email(email)
    events = []
    client.on_auth_state_change(lambda event, session: events.append(event))
    client.verify_otp({"type": "recovery", "email": email, "token": mailed.code(email)})
    assert "PASSWORD_RECOVERY" in events
    client.update_user({"password": NEW_PASSWORD})
    assert mailed.client().sign_in_with_password({"email": email, "password": NEW_PASSWORD}).user.email == email


def test_links_with_pkce(mailed, new_email):
    """The button of the page leads back to the app with a code, which the client with the verifier exchanges."""
    email, events = new_email(), []
    client = mailed.client(flow_type="pkce")
    client.on_auth_state_change(lambda event, session: events.append(event))
    for ask, event in [
        (lambda: client.sign_up({"email": email, "password": PASSWORD}), "SIGNED_IN"),
        (lambda: client.sign_in_with_otp({"email": email}), "SIGNED_IN"),
        (lambda: client.reset_password_email(email), "PASSWORD_RECOVERY"),
    ]:
        ask()
        found = in_query(mailed.press(mailed.mails.next(email)["link"]), "code")
        assert client.exchange_code_for_session({"auth_code": found}).user.email == email
        assert events.pop() == event
    client.update_user({"password": NEW_PASSWORD})
    assert mailed.client().sign_in_with_password({"email": email, "password": NEW_PASSWORD}).user.email == email


def test_links_without_pkce(session_servers, new_email):
    """As with Supabase Auth's settings: opening a link spends it, and the tokens are in the URL."""
    mailed, email = Mailed(
        session_servers, GATEHOUSE_MAILER_LINKS_OPEN_AT_ONCE="true", GATEHOUSE_EXTERNAL_IMPLICIT_FLOW_ENABLED="true"
    ), new_email()
    client, events = mailed.client(), []
    client.on_auth_state_change(lambda event, session: events.append(event))

    def opened(link):
        answer = Client(mailed.server.auth_url).get(link.removeprefix(mailed.server.auth_url))
        assert answer.status == 303
        return answer.headers["location"]

    client.sign_up({"email": email, "password": PASSWORD})
    link = mailed.mails.next(email)["link"]
    client.initialize(url=opened(link))
    assert client.get_session().user.email == email and events == ["SIGNED_IN"]
    with pytest.raises(AuthImplicitGrantRedirectError) as raised:
        mailed.client().initialize(url=opened(link))
    assert raised.value.details == {"code": "otp_expired", "error": "access_denied"}
    client.reset_password_for_email(email)
    client.initialize(url=opened(mailed.mails.next(email)["link"]))
    assert events[-1] == "PASSWORD_RECOVERY"


def test_a_change_of_address(mailed, new_email):
    before, after = new_email(), new_email("moved")
    client = mailed.confirmed(before)
    assert client.update_user({"email": after}).user.new_email == after
    assert mailed.code(before) and mailed.code(after)
    # Voids both codes.
    client.resend({"type": "email_change", "email": before})
    first = client.verify_otp({"type": "email_change", "email": before, "token": mailed.code(before)})
    assert first.session is None
    second = client.verify_otp({"type": "email_change", "email": after, "token": mailed.code(after)})
    assert second.user.email == after


def test_reauthentication(mailed, new_email):
    email = new_email()
    client = mailed.confirmed(email)
    client.reauthenticate()
    nonce = mailed.code(email)
    client.update_user({"password": NEW_PASSWORD, "nonce": nonce})
    assert mailed.client().sign_in_with_password({"email": email, "password": NEW_PASSWORD}).session


def test_invitations(mailed, new_email):
    invited, admin = new_email(), mailed.admin()
    options = {"data": {"team": "a"}, "redirect_to": SITE + "/welcome"}
    assert admin.invite_user_by_email(invited, options).user.invited_at
    mail = mailed.mails.next(invited)
    assert mail["link"].endswith("&redirect_to=" + SITE + "/welcome")
    verified = mailed.client().verify_otp({"type": "invite", "email": invited, "token": mail["code"]})
    assert verified.session and verified.user.user_metadata["team"] == "a"
    assert code_of(admin.invite_user_by_email, invited) == "email_exists"


def test_links_of_an_administrator(mailed, new_email):
    """Of each type: the code, the hash and the redirection of one that a backend sends by itself."""
    known, moved, admin = new_email(), new_email("moved"), mailed.admin()
    mailed.confirmed(known)
    options = {"data": {"team": "a"}, "redirect_to": SITE + "/welcome"}
    for type, email, by_code in [
        ("signup", new_email(), True), ("invite", new_email(), False), ("magiclink", new_email(), False),
        ("magiclink", known, True), ("recovery", known, False),
    ]:
        password = {"password": PASSWORD} if type == "signup" else {}
        made = admin.generate_link({"type": type, "email": email, "options": options, **password})
        link, is_new = made.properties, email != known
        # A magic link for an unknown address is a sign-up.
        assert link.verification_type == ("signup" if type == "magiclink" and is_new else type)
        assert link.redirect_to == SITE + "/welcome" and in_query(link.action_link, "token") == link.hashed_token
        assert (made.user.user_metadata.get("team") == "a") == is_new and not mailed.mails.unread(email)
        proof = {"email": email, "token": link.email_otp} if by_code else {"token_hash": link.hashed_token}
        proof["type"], client = link.verification_type, mailed.client()
        assert client.verify_otp(proof).user.email == email and client.get_user().user.email_confirmed_at
        assert code_of(client.verify_otp, proof) == "otp_expired"
    assert code_of(admin.generate_link, {"type": "signup", "email": known, "password": PASSWORD}) == "email_exists"
    assert code_of(admin.generate_link, {"type": "recovery", "email": new_email()}) == "user_not_found"

    changes = [
        admin.generate_link({"type": type, "email": known, "new_email": moved}).properties
        for type in ("email_change_current", "email_change_new")
    ]
    client = mailed.client()
    assert client.verify_otp({"type": "email_change", "token_hash": changes[0].hashed_token}).session is None
    typed = {"type": "email_change", "email": moved, "token": changes[1].email_otp}
    assert client.verify_otp(typed).user.email == moved


def test_second_factors_of_a_user_are_none(mailed, new_email):
    user = mailed.confirmed(new_email()).get_user().user.id
    admin = mailed.admin()
    assert admin.mfa.list_factors({"user_id": user}) == []
    assert code_of(admin.mfa.delete_factor, {"user_id": user, "id": user}) == "mfa_factor_not_found"


def test_phone_numbers_are_refused_by_their_code(mailed):
    client, phone = mailed.client(), "491700000000"
    assert code_of(client.sign_in_with_otp, {"phone": phone}) == "phone_provider_disabled"
    for type in ("sms", "phone_change"):
        assert code_of(client.resend, {"type": type, "phone": phone}) == "phone_provider_disabled"
        assert code_of(client.verify_otp, {"type": type, "phone": phone, "token": "123456"}) == "otp_expired"


def test_the_asynchronous_client(mailed, new_email):
    email, moved, invited = new_email(), new_email("moved"), new_email()

    async def live():
        client = mailed.client(AsyncGoTrueClient)

        async def verify(type, address):
            return await client.verify_otp({"type": type, "email": address, "token": mailed.code(address)})

        await client.sign_up({"email": email, "password": PASSWORD})
        assert mailed.code(email)
        await client.resend({"type": "signup", "email": email})
        assert (await verify("signup", email)).user.email_confirmed_at
        await client.sign_in_with_otp({"email": email})
        assert (await verify("magiclink", email)).session
        await client.reauthenticate()
        await client.update_user({"password": NEW_PASSWORD, "nonce": mailed.code(email)})
        await client.reset_password_for_email(email)
        assert (await verify("recovery", email)).session
        await client.update_user({"email": moved})
        assert (await verify("email_change", email)).session is None
        assert (await verify("email_change", moved)).user.email == moved
        assert [identity.provider for identity in (await client.get_user_identities()).identities] == ["email"]
        key = mailed.server.keys["secret_key"]
        admin = AsyncGoTrueAdminAPI(
            url=mailed.server.auth_url, headers={"apikey": key, "Authorization": f"Bearer {key}"}
        )
        await admin.invite_user_by_email(invited)
        assert (await verify("invite", invited)).user.invited_at
        made = await admin.generate_link({"type": "magiclink", "email": moved})
        proof = {"type": "magiclink", "token_hash": made.properties.hashed_token}
        assert (await client.verify_otp(proof)).user.email == moved
        await client.sign_out()
        await client.close()
        await admin.close()

    asyncio.run(live())
