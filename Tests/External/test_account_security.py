"""Passkeys, authenticator apps and recovery codes on the account pages of `gatehouse dev`, in a real browser with
Chromium's virtual authenticator."""

import os
import re

import pytest
from authenticator import App
from chromium import barriers, walk
from playwright.sync_api import expect
from program import PASSWORD
from test_account_pages import fill, look, press, title

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

DEVICE = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": False,
}  # fmt: skip


class Authenticator:
    """A device of a tab. It answers requests that are made while the test touches it."""

    def __init__(self, tab):
        self.session = tab.page.context.new_cdp_session(tab.page)
        self.session.send("WebAuthn.enable")
        self.id = self.session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]

    def answers(self, is_touched=True):
        self.session.send(
            "WebAuthn.setAutomaticPresenceSimulation", {"authenticatorId": self.id, "enabled": is_touched})

    @property
    def credentials(self):
        return self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]


def pages(server):
    """Passkeys belong to a name."""
    return server.url.replace("127.0.0.1", "localhost") + "/account"


def sign_in(server, tab, email):
    page = tab.open(pages(server) + "/sign-in?again=yes").page
    fill(page, Email=email, Password=PASSWORD)
    press(page, "Sign In")
    return page


def signed_in(server, tab, email):
    assert server.auth().post("/signup", {"email": email, "password": PASSWORD}).status == 200
    page = sign_in(server, tab, email)
    title(page, "Account")
    return page


def add_app(server, tab):
    page = tab.open(pages(server) + "/authenticator").page
    press(page, "Set Up")
    app = App(page.locator(".key code").inner_text())
    fill(page, Code=app.code())
    press(page, "Continue")
    expect(page.get_by_role("status")).to_have_text("The authenticator app has been added.")
    return app


def add_passkey(server, tab, device):
    page = tab.open(pages(server) + "/passkeys").page
    device.answers()
    press(page, "Add a Passkey")
    press(page, "Continue")
    expect(page.get_by_role("status")).to_have_text("The passkey has been added.")


def add_key(server, tab, device):
    page = tab.open(pages(server) + "/security-keys").page
    press(page, "Set Up")
    device.answers()
    press(page, "Continue")
    expect(page.get_by_role("status")).to_have_text("The security key has been added.")


def test_a_passkey_is_added_signs_in_and_is_removed(tab, dev, new_email):
    email = new_email()
    page, device = signed_in(dev, tab, email), Authenticator(tab)
    add_passkey(dev, tab, device)
    assert len(device.credentials) == 1 and device.credentials[0]["rpId"] == "localhost"
    # The same device does not get a second one.
    press(page, "Add a Passkey")
    press(page, "Continue")
    expect(page.get_by_role("alert")).to_have_text("This device already has a passkey for your account. Sign in with it, or use another device.")
    page.get_by_role("link", name=re.compile("^Change ")).click()
    fill(page, Name="My laptop")
    press(page, "Save")
    expect(page.get_by_text("My laptop")).to_be_visible()
    # Sign in with the button, in a browser that offers no passkeys in the field.
    page.add_init_script("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
    tab.open(pages(dev))
    press(page, "Sign Out")
    page.get_by_role("button", name="Sign in with a Passkey").click()
    title(page, "Account")
    tab.open(pages(dev) + "/passkeys")
    expect(page.get_by_text("Last used")).to_be_visible()
    page.get_by_role("link", name="Change My laptop").click()
    press(page, "Remove My laptop")
    expect(page.get_by_role("status")).to_have_text("The passkey has been removed.")
    tab.open(pages(dev))
    press(page, "Sign Out")
    page.get_by_role("button", name="Sign in with a Passkey").click()
    expect(page.get_by_role("alert")).to_have_text("The passkey didn't work. Please try again.")


def test_a_passkey_answers_the_question_of_a_provider(tab, dev, new_email):
    email = new_email()
    page, device = signed_in(dev, tab, email), Authenticator(tab)
    add_passkey(dev, tab, device)
    page.add_init_script("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
    tab.open(pages(dev))
    press(page, "Sign Out")
    page.get_by_role("link", name="Sign in with Google").click()
    tab.type_address(email)
    title(page, "Link Accounts")
    assert barriers(tab) == []
    page.get_by_role("button", name="Sign in with a Passkey").click()
    title(page, "Account")
    tab.open(pages(dev) + "/methods")
    expect(page.get_by_role("button", name="Remove Google")).to_be_visible()


def test_the_field_for_the_address_offers_passkeys(tab, dev, new_email):
    page, device = signed_in(dev, tab, new_email()), Authenticator(tab)
    add_passkey(dev, tab, device)
    tab.open(pages(dev))
    press(page, "Sign Out")
    # The page asks when it opens, and Chromium's virtual device immediately selects what a user would select in the
    # field.
    title(page, "Account")
    expect(page.get_by_text("Your email is")).to_be_visible()


def test_a_browser_without_passkeys_or_scripts_has_every_other_way(plain, dev, new_email):
    email = new_email()
    assert dev.auth().post("/signup", {"email": email, "password": PASSWORD}).status == 200
    page = plain.open(pages(dev) + "/sign-in").page
    expect(page.get_by_text("Sign in with a Passkey")).to_be_hidden()
    sign_in(dev, plain, email)
    title(page, "Account")
    plain.open(pages(dev) + "/passkeys")
    press(page, "Add a Passkey")
    expect(page.get_by_text("This browser can't add passkeys, or doesn't allow scripts.")).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_be_hidden()


def test_an_app_and_recovery_codes_without_scripts(plain, dev, new_email):
    email = new_email()
    page = signed_in(dev, plain, email)
    app = add_app(dev, plain)
    press(page, "Create Recovery Codes")
    expect(page.locator(".codes li")).to_have_count(10)
    codes = page.locator(".codes li").all_inner_texts()
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("10 of 10 codes are left.")).to_be_visible()
    page.get_by_role("link", name="Account", exact=True).click()
    press(page, "Sign Out")
    sign_in(dev, plain, email)
    title(page, "Confirm It's You")
    fill(page, Code="000000")
    press(page, "Continue")
    expect(page.get_by_role("alert")).to_have_text("The code is wrong or has expired. Please check it, or request a new one.")
    fill(page, Code=app.code())
    press(page, "Continue")
    title(page, "Account")
    press(page, "Sign Out")
    sign_in(dev, plain, email)
    page.get_by_role("link", name="Use a Recovery Code").click()
    fill(page, Recovery_Code=codes[0])
    press(page, "Continue")
    title(page, "Account")
    plain.open(pages(dev) + "/recovery-codes")
    expect(page.get_by_text("9 of 10 codes are left.")).to_be_visible()


def test_a_security_key_is_added_gives_the_second_step_and_is_removed(tab, dev, new_email):
    email = new_email()
    page, device = signed_in(dev, tab, email), Authenticator(tab)
    tab.open(pages(dev) + "/security")
    page.get_by_role("link", name="Security Key").click()
    press(page, "Set Up")
    # The user goes away, and comes back later: the same factor waits.
    tab.open(pages(dev) + "/security-keys")
    press(page, "Set Up")
    device.answers()
    press(page, "Continue")
    expect(page.get_by_role("status")).to_have_text("The security key has been added.")
    title(page, "Recovery Codes")
    assert len(device.credentials) == 1
    tab.open(pages(dev) + "/security-keys")
    press(page, "Add Another Key")
    press(page, "Continue")
    expect(page.get_by_role("alert")).to_have_text("This device is already a security key of your account. Please use another key.")
    tab.open(pages(dev))
    press(page, "Sign Out")
    # The password alone opens nothing.
    sign_in(dev, tab, email)
    title(page, "Confirm It's You")
    tab.open(pages(dev) + "/security")
    title(page, "Confirm It's You")
    # One press, then the touch.
    page.get_by_role("button", name="Use a Security Key").click()
    title(page, "Security")
    tab.open(pages(dev) + "/security-keys")
    press(page, "Remove Security Key")
    title(page, "Remove Security Key")
    press(page, "Remove")
    expect(page.get_by_role("status")).to_have_text("The security key has been removed.")
    tab.open(pages(dev))
    press(page, "Sign Out")
    sign_in(dev, tab, email)
    title(page, "Account")


def test_a_key_of_another_device_is_refused(tab, dev, new_email):
    email = new_email()
    page, device = signed_in(dev, tab, email), Authenticator(tab)
    add_key(dev, tab, device)
    tab.open(pages(dev))
    press(page, "Sign Out")
    sign_in(dev, tab, email)
    title(page, "Confirm It's You")
    device.answers(False)
    page.get_by_role("button", name="Use a Security Key").click()
    title(page, "Security Key")
    # The server did not ask for this answer.
    page.locator("form[data-passkey]").evaluate(
        "form => { form.elements.credential.value = '{}'; HTMLFormElement.prototype.submit.call(form) }")
    expect(page.get_by_role("alert")).to_have_text("The security key didn't work. Please try again.")
    tab.open(pages(dev) + "/security")
    title(page, "Confirm It's You")


def test_recovery_codes_are_printed(tab, dev, new_email):
    page = signed_in(dev, tab, new_email())
    add_app(dev, tab)
    press(page, "Create Recovery Codes")
    page.evaluate("() => { window.print = () => document.body.dataset.printed = 'yes' }")
    press(page, "Print")
    assert page.evaluate("() => document.body.dataset.printed") == "yes"
    page.emulate_media(media="print")
    expect(page.locator(".codes")).to_be_visible()
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    expect(page.locator("footer")).to_be_hidden()


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_the_security_pages_are_accessible_and_small(tab, dev, new_email, language):
    email = new_email()
    page, device = signed_in(dev, tab, email), Authenticator(tab)
    tab.open(pages(dev) + "/passkeys")
    device.answers()
    press(page, "Add a Passkey")
    press(page, "Continue")
    expect(page.get_by_role("status")).to_be_visible()
    device.answers(False)
    here = type("Here", (), {"url": pages(dev).removesuffix("/account")})
    look(tab, here, ["/security", "/passkeys", "/authenticator"], language)
    # A key is in every language the same.
    page.get_by_role("button").first.click()
    page.wait_for_load_state()
    assert barriers(tab) == []
    assert len(page.content().encode()) < 60_000
    app = App(page.locator(".key code").inner_text())
    page.locator("input.code").fill(app.code())
    page.get_by_role("button").first.click()
    expect(page.get_by_role("status")).to_be_visible()
    page.get_by_role("button").first.click()
    expect(page.locator(".codes li")).to_have_count(10)
    assert barriers(tab) == []
    look(tab, here, ["/security", "/recovery-codes", "/authenticator", "/security-keys", "/second-step"], language)
    page.goto(pages(dev) + "/passkeys?lang=en")
    page.get_by_role("link", name=re.compile("^Change ")).click()
    page.wait_for_load_state()
    assert barriers(tab) == []
    for path in ["/security", "/passkeys", "/authenticator", "/security-keys", "/recovery-codes", "/second-step"]:
        tab.open(pages(dev) + path)
        _, unseen, _ = walk(tab)
        assert unseen == [], path
