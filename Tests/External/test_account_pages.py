"""The account pages of `gatehouse dev` in a real browser: whole flows, without scripts, by keyboard, in Arabic, and on a
small screen; what axe finds; the size of each page."""

import os
import re
import urllib.error
import urllib.parse
import urllib.request

import pytest
from chromium import barriers, walk
from playwright.sync_api import expect
from program import PASSWORD, poll
from test_inbox import CHALLENGE, NEW_PASSWORD, VERIFIER, mail_to

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

# Bytes of HTML.
LARGEST_PAGE = 60_000


@pytest.fixture(scope="module")
def confirming(session_servers):
    """A `gatehouse dev` that wants addresses confirmed."""
    return session_servers.dev("--confirm-email").start()


def title(page, text):
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def fill(page, **fields):
    for label, text in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).fill(text)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    # A click waits for the beginning of the next page alone.
    page.wait_for_load_state()


def sign_up(server, tab, email):
    page = tab.open(server.url + "/account/sign-up").page
    fill(page, First_Name="Ada", Email=email, Password=PASSWORD)
    press(page, "Create Account")
    return page


def test_a_whole_life_without_scripts(plain, confirming, new_email):
    email = new_email()
    page = sign_up(confirming, plain, email)
    title(page, "Check your email")
    fill(page, Code=mail_to(confirming, email)["code"])
    press(page, "Continue")
    title(page, "Account")
    expect(page.get_by_text(email)).to_be_visible()
    page.get_by_role("link", name="Profile").click()
    expect(page.get_by_label("First Name")).to_have_value("Ada")
    page.get_by_role("link", name="Account").click()
    press(page, "Sign Out")
    expect(page.get_by_role("status")).to_have_text("You're signed out.")
    # Forgotten password.
    page.get_by_role("link", name="Forgot password?").click()
    fill(page, Email=email)
    press(page, "Send Email")
    fill(page, Code=mail_to(confirming, email, count=2)["code"])
    press(page, "Continue")
    title(page, "Set a Password")
    fill(page, New_Password=NEW_PASSWORD, Confirm_Password=NEW_PASSWORD)
    press(page, "Save Password")
    expect(page.get_by_role("status")).to_have_text("Your password has been saved.")
    assert confirming.auth().sign_in(email, NEW_PASSWORD).status == 200
    # The end.
    page.get_by_role("link", name="Delete Account").click()
    page.get_by_label("I want to delete my account.").check()
    press(page, "Delete Account")
    expect(page.get_by_role("status")).to_have_text("Your account has been deleted.")
    assert confirming.auth().sign_in(email, NEW_PASSWORD).status == 400


def test_a_mailed_link_comes_back_to_the_pages(tab, confirming, new_email):
    email = new_email()
    page = sign_up(confirming, tab, email)
    title(page, "Check your email")
    link = tab.another()
    link.open(mail_to(confirming, email)["link"]).page.get_by_role("button").click()
    title(link.page, "Account")


def test_a_provider_signs_in_and_comes_back(tab, dev):
    page = tab.open(dev.url + "/account/sign-in").page
    page.get_by_role("link", name="Sign in with Google").click()
    tab.choose("Verified")
    title(page, "Account")


def test_by_keyboard_alone(tab, dev, new_email):
    email = new_email()
    assert dev.auth().post("/signup", {"email": email, "password": PASSWORD}).status == 200
    page = tab.open(dev.url + "/account/sign-in").page
    # Past the other ways to sign in.
    for _ in range(7):
        page.keyboard.press("Tab")
    expect(page.get_by_label("Email")).to_be_focused()
    page.keyboard.type(email)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    title(page, "Account")
    for path in ["", "/devices", "/security", "/methods", "/profile", "/email", "/data", "/delete"]:
        tab.open(dev.url + "/account" + path)
        _, unseen, _ = walk(tab)
        assert unseen == [], path


def test_an_app_signs_in_here(tab, dev, new_email):
    email, back = new_email(), f"{dev.url}/dev"
    assert dev.auth().post("/signup", {"email": email, "password": PASSWORD}).status == 200
    query = {"code_challenge": CHALLENGE, "code_challenge_method": "s256", "redirect_to": back}
    page = tab.open(f"{dev.url}/auth/v1/authorize?{urllib.parse.urlencode(query)}").page
    fill(page, Email=email, Password=PASSWORD)
    press(page, "Sign In")
    tab.arrive(back)
    grant = {"auth_code": tab.query["code"], "code_verifier": VERIFIER}
    answer = dev.auth().post("/token?grant_type=pkce", grant)
    assert answer.status == 200 and answer.json()["user"]["email"] == email


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_the_pages_are_accessible_and_small(tab, dev, new_email, language):
    assert dev.auth().post("/signup", {"email": (email := new_email()), "password": PASSWORD}).status == 200
    paths = ["/sign-in", "/sign-up", "/sign-in/code", "/sign-in/phone", "/sign-in/phone?use=password", "/forgot-password"]
    look(tab, dev, paths, language)
    page = tab.open(dev.url + "/account/sign-in?lang=en").page
    fill(page, Email=email, Password=PASSWORD)
    press(page, "Sign In")
    title(page, "Account")
    own = ["", "/devices", "/security", "/methods", "/profile", "/email", "/phone", "/text-messages", "/data", "/delete"]
    look(tab, dev, own, language)


def look(tab, dev, paths, language):
    for path in paths:
        page = tab.open(f"{dev.url}/account{path}{'&' if '?' in path else '?'}lang={language}").page
        assert len(page.content().encode()) < LARGEST_PAGE
        assert page.evaluate("() => document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")
        assert barriers(tab) == [], path
        # A text without a translation would be in English.
        if language != "en":
            shown = page.locator("main").inner_text()
            assert not re.search(r"\b(Sign|Password|Account|your|the)\b", shown.replace("Account", "")), (path, shown)


def test_the_style_sheet_is_kept_and_compressed(dev):
    with urllib.request.urlopen(dev.url + "/account/sign-in") as answer:
        sheet = re.search(r'href="(/account/assets/pages[^"]+)"', answer.read().decode()).group(1)
    request = urllib.request.Request(dev.url + sheet, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as answer:
        assert answer.headers["content-encoding"] == "gzip" and "immutable" in answer.headers["cache-control"]
        tag = answer.headers["etag"]
    request = urllib.request.Request(dev.url + sheet, headers={"Accept-Encoding": "gzip", "If-None-Match": tag})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 304
