"""The Python client that Supabase publishes, with mailed codes and links."""

import urllib.parse

import mails
import pytest
from program import PASSWORD, Client
from supabase_auth import SyncGoTrueAdminAPI, SyncGoTrueClient
from supabase_auth.errors import AuthApiError

SITE = "http://127.0.0.1:3000"


class Mailed:
    """A server that confirms addresses by mail, and the mails that it wrote."""

    def __init__(self, servers):
        folder = servers.folder("mails")
        self.server = servers.serve(
            GOTRUE_MAILER_AUTOCONFIRM="false", GOTRUE_SMTP_MAX_FREQUENCY="0", GATEHOUSE_MAIL_FOLDER=folder,
            GOTRUE_URI_ALLOW_LIST=f"{SITE}/welcome",
        ).start()
        self.mails = mails.Mails(folder)

    def client(self, **options):
        headers = {"apikey": self.server.keys["publishable_key"]}
        return SyncGoTrueClient(url=self.server.auth_url, headers=headers, auto_refresh_token=False, **options)

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


@pytest.fixture(scope="module")
def mailed(session_servers):
    return Mailed(session_servers)


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
    with pytest.raises(AuthApiError) as raised:
        client.verify_otp({"type": "signup", "email": email, "token": first["code"]})
    assert raised.value.code == "otp_expired"


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
    email, new_password = new_email(), "another horse 43 battery"
    mailed.confirmed(email)
    client = mailed.client()
    client.reset_password_for_email(email)
    events = []
    client.on_auth_state_change(lambda event, session: events.append(event))
    client.verify_otp({"type": "recovery", "email": email, "token": mailed.code(email)})
    assert "PASSWORD_RECOVERY" in events
    client.update_user({"password": new_password})
    assert mailed.client().sign_in_with_password({"email": email, "password": new_password}).user.email == email


def test_recovery_by_a_link_with_pkce(mailed, new_email):
    """The button of the page leads back to the app with a code, which the client with the verifier exchanges."""
    email = new_email()
    mailed.confirmed(email)
    client = mailed.client(flow_type="pkce")
    client.reset_password_for_email(email)
    link = mailed.mails.next(email)["link"]
    browser = Client(mailed.server.auth_url)
    page = browser.get(link.removeprefix(mailed.server.auth_url))
    assert page.status == 200 and b"<form" in page.body
    query = urllib.parse.urlsplit(link).query
    pressed = browser.request(
        "POST", "/verify/page", query.encode(), content_type="application/x-www-form-urlencoded"
    )
    assert pressed.status == 303
    found = urllib.parse.parse_qs(urllib.parse.urlsplit(pressed.headers["location"]).query)
    exchanged = client.exchange_code_for_session({"auth_code": found["code"][0]})
    assert exchanged.user.email == email


def test_a_change_of_address(mailed, new_email):
    before, after = new_email(), new_email("moved")
    client = mailed.confirmed(before)
    assert client.update_user({"email": after}).user.new_email == after
    first = client.verify_otp({"type": "email_change", "email": before, "token": mailed.code(before)})
    assert first.session is None
    second = client.verify_otp({"type": "email_change", "email": after, "token": mailed.code(after)})
    assert second.user.email == after


def test_reauthentication(mailed, new_email):
    email = new_email()
    client = mailed.confirmed(email)
    client.reauthenticate()
    nonce = mailed.code(email)
    client.update_user({"password": "another horse 43 battery", "nonce": nonce})
    assert mailed.client().sign_in_with_password({"email": email, "password": "another horse 43 battery"}).session


def test_invitations_and_links_of_an_administrator(mailed, new_email):
    invited, known, admin = new_email(), new_email(), mailed.admin()
    assert admin.invite_user_by_email(invited, {"data": {"team": "a"}}).user.invited_at
    client = mailed.client()
    assert client.verify_otp({"type": "invite", "email": invited, "token": mailed.code(invited)}).session
    mailed.confirmed(known)
    made = admin.generate_link({"type": "recovery", "email": known})
    assert made.user.email == known and made.properties.email_otp.isdigit()
    by_hash = mailed.client().verify_otp({"type": "recovery", "token_hash": made.properties.hashed_token})
    assert by_hash.user.email == known
