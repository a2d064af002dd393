"""The inbox of `gatehouse dev`, and mailed links in a real browser: of people, with and without scripts, and of scanners."""

import json
import os
import re
import urllib.parse
import urllib.request

import pytest
from chromium import Tab, barriers, walk
from playwright.sync_api import expect
from program import PASSWORD, REPOSITORY, poll
from test_app import Phone

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

# RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
PROOF = {"code_challenge": CHALLENGE, "code_challenge_method": "s256"}
NEW_PASSWORD = "another horse 43 battery"

HOSTILE = """<!doctype html><html><head><title>x</title></head><body>
<script>parent.document.title = "reached"; top.location = "/dev"</script>
<img src=x onerror="parent.document.title = 'reached'">
<a id="top" href="/dev" target="_top">up</a>
<form id="form" action="/dev/inbox/mails" target="_top"><button id="send">send</button></form>
</body></html>"""


@pytest.fixture(scope="module")
def confirming(session_servers):
    """A `gatehouse dev` that wants addresses confirmed."""
    return session_servers.dev("--confirm-email").start()


def mails(server, email):
    with urllib.request.urlopen(f"{server.url}/dev/inbox/mails?q={urllib.parse.quote(email)}") as answer:
        return [mail for mail in json.load(answer)["mails"] if mail["to"] == email]


def mail_to(server, email, count=1):
    """The newest of so many mails."""
    poll(lambda: len(mails(server, email)) >= count, f"{count} mails to {email}")
    return mails(server, email)[0]


def user(server, email):
    found = server.admin().get(f"/admin/users?filter={urllib.parse.quote(email)}").json()["users"]
    return next(user for user in found if user["email"] == email)


# The pages of the inbox.


def test_mails_appear_as_they_arrive_and_survive_a_restart(servers, tab, new_email):
    server = servers.dev().start()
    page = tab.open(server.url + "/dev/inbox").page
    expect(page.get_by_text("No mail yet.")).to_be_visible()
    expect(page.locator("#live")).to_have_text("Live")
    first, second = new_email(), new_email()
    assert server.auth().post("/otp", {"email": first}).status == 200
    expect(page.locator(".mail")).to_have_count(1)
    assert server.auth().post("/otp", {"email": second}).status == 200
    expect(page.locator(".mail")).to_have_count(2)
    expect(page.locator(".mail").first).to_contain_text(second)
    expect(page.locator("#count")).to_have_text("2 mails")
    # Search while typing, including mails that arrive during the search.
    page.get_by_label("Search").fill(first)
    expect(page.locator(".mail")).to_have_count(1)
    assert server.auth().post("/recover", {"email": first}).status == 200
    expect(page.locator(".mail")).to_have_count(2)
    expect(page.locator("#count")).to_have_text("2 mails of 3")
    server.stop()
    expect(page.locator("#live")).to_contain_text("Not connected")
    server.start()
    expect(page.locator("#live")).to_have_text("Live")
    page.reload()
    expect(page.get_by_label("Search")).to_have_value(first)
    expect(page.locator(".mail")).to_have_count(2)


def test_a_mail_is_shown_as_its_recipient_sees_it(dev, tab, new_email):
    email = new_email()
    assert dev.auth().post("/otp", {"email": email}).status == 200
    mail = mail_to(dev, email)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = tab.open(f"{dev.url}/dev/inbox?q={email}").page
    page.locator(".mail").click()
    expect(page.frame_locator("iframe").get_by_text(mail["code"])).to_be_visible()
    page.get_by_role("button", name="Copy code").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == mail["code"]
    for button in [page.get_by_role("link", name="Open link"), page.frame_locator("iframe").get_by_role("link").first]:
        with page.expect_popup() as popup:
            button.click()
        popup.value.wait_for_load_state()
        assert popup.value.url == mail["link"] and popup.value.evaluate("() => opener") is None
        popup.value.close()
    page.get_by_role("link", name="Text").click()
    expect(page.locator("pre")).to_have_text(mail["text"].strip(), use_inner_text=True)
    page.get_by_role("link", name="Source").click()
    expect(page.locator("pre")).to_contain_text(f"To: {email}")
    page.get_by_role("link", name="All mails").click()
    expect(page.locator(".mail").first).to_be_visible()


def test_the_inbox_works_without_scripts(plain, dev, new_email):
    email = new_email()
    assert dev.auth().post("/otp", {"email": email}).status == 200
    mail = mail_to(dev, email)
    page = plain.open(dev.url + "/dev/inbox").page
    page.get_by_label("Search").fill(email)
    page.get_by_role("button", name="Search").click()
    page.locator(".mail").click()
    expect(page.locator("#code")).to_have_text(mail["code"])
    expect(page.get_by_role("button", name="Copy code")).to_be_hidden()


def test_a_mail_cannot_reach_the_page_around_it(servers, tab, new_email):
    server, email = servers.dev().start(), new_email()
    assert server.auth().post("/otp", {"email": email}).status == 200
    mail_to(server, email)
    server.stop()
    folder = os.path.join(server.folder, "data", "inbox")
    (name,) = os.listdir(folder)
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        mail = json.load(file)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(mail | {"html": HOSTILE}, file)
    server.start()
    address = f"{server.url}/dev/inbox/mails/{mail['id']}"
    page = tab.open(address).page
    frame = page.frame_locator("iframe")
    title = page.title()
    for element in ["#top", "#send"]:
        frame.locator(element).click()
    # The mail's link can only open a new window. The page and its frame stay.
    expect(frame.locator("#send")).to_be_visible()
    assert (page.url, page.title()) == (address, title)
    # The same outside of the frame.
    page.goto(address + "/html")
    assert page.title() == "x"
    assert page.evaluate("() => origin") == "null"


def test_the_pages_are_accessible(dev, tab, new_email):
    email = new_email()
    assert dev.auth().post("/otp", {"email": email}, headers={"Accept-Language": "ar"}).status == 200
    mail = mail_to(dev, email)
    for path in [f"?q={email}", "?q=nothing-like-this", f"/mails/{mail['id']}", f"/mails/{mail['id']}?view=text"]:
        tab.open(dev.url + "/dev/inbox" + path)
        assert barriers(tab) == [], path
        _, unseen, _ = walk(tab)
        assert unseen == [], path


# Links in the app.


@pytest.fixture
def phone(chromium, confirming):
    tab = chromium.person()
    phone = Phone(tab, confirming)
    yield phone.open()
    tab.close()
    assert phone.faults == []


def by_link(phone, mail, _):
    """Opens a mail's link from the inbox, in the browser of the app, and presses its button."""
    inbox = phone.tab.another()
    inbox.open(f"{phone.server.url}/dev/inbox/mails/{mail['id']}")
    with inbox.page.expect_popup() as popup:
        inbox.page.get_by_role("link", name="Open link").click()
    # The page that tells the app closes itself.
    with popup.value.expect_event("close"):
        popup.value.get_by_role("button").click(no_wait_after=True)
    inbox.page.close()


def by_code(phone, mail, say):
    """Types a mail's code into the app, which needs no button then."""
    phone.field(say("Code")).fill(mail["code"])


def arabic():
    """The texts of the screens and of the app."""
    texts = {}
    for path in ["Sources/Client/GatehouseModel/Resources", "Apps/BoxScore/Screens"]:
        with open(os.path.join(REPOSITORY, path, "Localizable.xcstrings"), encoding="utf-8") as file:
            texts |= json.load(file)["strings"]
    return lambda text: texts[text]["localizations"]["ar"]["stringUnit"]["value"]


def fill_sign_up(phone, email, say=str):
    phone.tap(say("Sign in"), say("Create Account"))
    fields = [("Name", "Ada"), ("Email", email), ("Password", PASSWORD), ("Confirm Password", PASSWORD)]
    for field, text in fields:
        phone.field(say(field)).fill(text)
    phone.screen.locator(".form").get_by_role("button", name=say("Create Account"), exact=True).click()
    return phone.wait_for(say("Check your email"))


def test_the_app_leads_to_the_inbox(phone):
    with phone.page.expect_popup() as popup:
        phone.page.get_by_role("link", name="inbox").click()
    expect(popup.value.get_by_role("heading", name="Inbox")).to_be_visible()


@pytest.mark.parametrize("prove", [by_link, by_code])
@pytest.mark.parametrize("language", ["English", "العربية"])
def test_a_whole_life_by_mail_in_the_app(phone, confirming, new_email, language, prove):
    say, name = (str, "en") if language == "English" else (arabic(), "ar")
    phone.set("Language", language).wait_for(say("Sign in to follow your teams"))
    email, new = new_email(), new_email("new")

    def mail(address, count=1):
        found = mail_to(confirming, address, count)
        assert f'<html lang="{name}"' in found["html"], found["subject"]
        return found

    fill_sign_up(phone, email, say)
    prove(phone, mail(email), say)
    if prove is by_code:
        phone.decline_passkey(say("Not Now"))
    phone.tap(say("Your profile")).wait_for(email).tap(say("Sign Out"))
    dialog = phone.screen.get_by_role("dialog", name=say("Sign Out"))
    dialog.get_by_role("button", name=say("Sign Out")).click()
    phone.wait_for(say("Sign in to follow your teams"))

    phone.tap(say("Sign in"), say("Sign in with Email"), say("Forgot password?"))
    # The previous screen also has such a field.
    expect(phone.button(say("Send Email"))).to_be_visible()
    phone.field(say("Email")).fill(email)
    phone.tap(say("Send Email")).wait_for(say("Check your email"))
    prove(phone, mail(email, count=2), say)
    # The sheet has the name of its first field.
    for field in ["New Password", "Confirm Password"]:
        phone.screen.get_by_role("textbox", name=say(field), exact=True).fill(NEW_PASSWORD)
    phone.screen.locator(".form").get_by_role("button", name=say("Save Password")).click()
    poll(lambda: confirming.auth().sign_in(email, NEW_PASSWORD).status == 200, "the new password")
    assert confirming.auth().sign_in(email, PASSWORD).status == 400

    phone.tap(say("Your profile"), say("Sign-In Methods"), say("Change Email"))
    phone.field(say("New Email")).fill(new)
    phone.tap(say("Save Email")).wait_for(say("Check your email"))
    # Both addresses confirm.
    if prove is by_code:
        by_code(phone, mail(new), say)
        phone.wait_for(say("Now confirm from your other email address."))
        by_code(phone, mail(email, count=3), say)
    else:
        # The first one does so on the page of its link, with the code.
        second, first = mail(email, count=3), phone.tab.another()
        first.open(second["link"])
        first.page.get_by_role("textbox").fill(second["code"])
        first.page.get_by_role("button").click()
        # This page tells the app, and then tries to close itself.
        expect(first.page.get_by_role("heading", name="Back to the app")).to_be_visible()
        first.page.close()
        by_link(phone, mail(new), say)
    poll(lambda: confirming.auth().sign_in(new, NEW_PASSWORD).status == 200, "the new address")
    assert confirming.auth().sign_in(email, NEW_PASSWORD).status == 400


def test_a_link_of_another_browser_does_not_sign_in_here(phone, chromium, confirming, new_email):
    email = new_email()
    fill_sign_up(phone, email)
    mail, stranger = mail_to(confirming, email), chromium.person()
    stranger.open(mail["link"]).page.get_by_role("button").click()
    # The phone that asked is told, and no other browser.
    phone.wait_for_welcome("Ada")
    assert stranger.page.context.cookies() == []
    stranger.close()


# Plain links, without an app.


def redeem(server, tab):
    """The session of the client with the verifier, from the address to which a link's page led."""
    grant = {"auth_code": tab.query["code"], "code_verifier": VERIFIER}
    answer = server.auth().post("/token?grant_type=pkce", grant)
    assert answer.status == 200, answer
    return answer.json()


def test_a_plain_link_without_scripts_asks_for_the_code(plain, confirming, new_email):
    email = new_email()
    assert confirming.auth().post("/signup", {"email": email, "password": PASSWORD}).status == 200
    page = plain.open(mail_to(confirming, email)["link"]).page
    expect(page.get_by_role("heading")).to_have_text("Enter the code from the email")
    assert page.get_by_role("button").count() == 0
    assert not user(confirming, email).get("email_confirmed_at")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_whole_life_by_plain_links_without_scripts(chromium, confirming, new_email, language):
    email, new, back = new_email(), new_email("new"), f"{confirming.url}/dev"
    client, target = confirming.auth(headers={"Accept-Language": language}), "?redirect_to=" + back
    person = chromium.person(java_script_enabled=False, locale=language)

    def press(address, count=1, types_code=False):
        """The button of the page to which the newest of so many mails leads."""
        mail = mail_to(confirming, address, count)
        person.open(f"{confirming.url}/dev/inbox/mails/{mail['id']}")
        with person.page.expect_popup() as popup:
            person.page.get_by_role("link", name="Open link").click()
        link = Tab(popup.value)
        expect(link.page.locator("html")).to_have_attribute("lang", language)
        expect(link.page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
        if types_code:
            link.page.get_by_role("textbox").fill(mail["code"])
        link.page.get_by_role("button").click()
        return link.arrive(back)

    assert client.post("/signup" + target, {"email": email, "password": PASSWORD} | PROOF).status == 200
    assert redeem(confirming, press(email))["user"]["email_confirmed_at"]
    assert client.post("/recover" + target, {"email": email} | PROOF).status == 200
    token = redeem(confirming, press(email, count=2))["access_token"]
    assert client.put("/user", {"password": NEW_PASSWORD}, token=token).status == 200
    assert client.sign_in(email, NEW_PASSWORD).status == 200
    assert client.put("/user" + target, {"email": new} | PROOF, token=token).status == 200
    # The first of both addresses confirms with its code, because the verifier is for the last one.
    press(email, count=3, types_code=True)
    assert client.sign_in(email, NEW_PASSWORD).status == 200
    assert redeem(confirming, press(new))["user"]["email"] == new
    person.close()


@pytest.mark.parametrize("proof", [{}, PROOF], ids=["code", "button"])
def test_the_page_of_a_link_is_accessible(tab, confirming, new_email, proof):
    email = new_email()
    assert confirming.auth().post("/otp", {"email": email} | proof).status == 200
    tab.open(mail_to(confirming, email)["link"])
    assert barriers(tab) == []


# Scanners.


def requests_for_mails(server, email):
    """Has a mail of each kind written, to an address each, with and without a proof key. The types, by address."""
    client, kinds = server.auth(), {}

    def address(name, kind):
        kinds[f"{name}-{email}"] = kind
        return f"{name}-{email}"

    for name, proof in [("plain", {}), ("app", PROOF)]:
        new = address(f"new-{name}", "signup")
        assert client.post("/signup", {"email": new, "password": PASSWORD} | proof).status == 200
        known = address(f"known-{name}", "recovery")
        made = {"email": known, "password": PASSWORD, "email_confirm": True}
        assert server.admin().post("/admin/users", made).status == 200
        assert client.post("/recover", {"email": known} | proof).status == 200
        assert client.post("/otp", {"email": address(f"link-{name}", "email")} | proof).status == 200
        moving = address(f"moving-{name}", "email_change")
        made = {"email": moving, "password": PASSWORD, "email_confirm": True}
        assert server.admin().post("/admin/users", made).status == 200
        token = client.sign_in(moving).json()["access_token"]
        body = {"email": address(f"moved-{name}", "email_change")} | proof
        assert client.put("/user", body, token=token).status == 200
    return kinds


def links(mail):
    return {mail["link"]} | set(re.findall(r'href="(http[^"]+)"', mail["html"].replace("&amp;", "&")))


@pytest.mark.parametrize("presses", [False, True], ids=["opens every link", "presses every button"])
def test_a_scanner_gains_nothing(chromium, confirming, new_email, presses):
    kinds = requests_for_mails(confirming, new_email())
    scanned = [mail_to(confirming, address) for address in kinds]
    before = {address: user(confirming, address) for address in kinds if not address.startswith("moved-")}
    scanner = chromium.person()
    for mail in scanned:
        for link in sorted(links(mail)):
            page = scanner.open(link).page
            count = page.get_by_role("button").count() if presses else 0
            for number in range(count):
                scanner.open(link)
                for field in page.get_by_role("textbox").all():
                    field.fill("123456")
                page.get_by_role("button").nth(number).click()
                page.wait_for_load_state()
                assert "access_token" not in page.url and "refresh_token" not in page.content()
    scanner.close()
    for address, was in before.items():
        now = user(confirming, address)
        for member in ["email", "email_confirmed_at", "last_sign_in_at"]:
            assert now.get(member) == was.get(member), (address, member)
    client = confirming.auth()
    for address in before:
        expected = {"new": "email_not_confirmed", "link": "invalid_credentials"}.get(address.partition("-")[0])
        answer = client.sign_in(address)
        assert (answer.code if expected else answer.status) == (expected or 200), address
    # The codes of the mails are as good as before.
    for mail, kind in zip(scanned, kinds.values()):
        body = {"type": kind, "email": mail["to"], "token": mail["code"]}
        assert client.post("/verify", body).status == 200, mail["to"]
