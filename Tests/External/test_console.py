"""The console of `gatehouse dev` in a real browser: an operator's first minute, without scripts, by keyboard, on a small
screen, in the dark; what axe finds; the size of each page; the request log that grows while it is open."""

import os

import pytest
from chromium import barriers, walk
from playwright.sync_api import expect
from program import PASSWORD
from test_account_pages import LARGEST_PAGE, fill, press, title
from test_account_security import Authenticator, add_key, signed_in

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

PLACES = ["", "/users", "/mails", "/webhooks", "/keys", "/keys/rotate", "/configuration", "/requests"]


def enter(tab, server):
    """What `gatehouse dev` prints leads here."""
    page = tab.open(server.url + "/").page
    title(page, "Overview")
    return page


def sign_up(server, email):
    """A user with a session that has ended and one that goes on: the user's id, and the tokens of the second."""
    first = server.auth().post("/signup", {"email": email, "password": PASSWORD}).json()
    second = server.auth().sign_in(email, PASSWORD).json()
    ended = server.auth().post("/logout?scope=local", {}, token=first["access_token"])
    assert ended.status == 204
    return first["user"]["id"], second


@pytest.mark.parametrize("browser", ["tab", "plain"])
def test_an_operator_finds_a_user_reads_why_a_session_ended_and_ends_the_other(request, browser, dev, new_email):
    _, second = sign_up(dev, email := new_email())
    page = enter(request.getfixturevalue(browser), dev)
    page.get_by_role("link", name="Users", exact=True).click()
    page.get_by_label("Email, phone, name or ID").fill(email)
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name=email).click()
    title(page, email)
    expect(page.get_by_text("The user signed out")).to_be_visible()
    page.get_by_role("link", name="Revoke", exact=True).click()
    press(page, "Revoke Session")
    expect(page.get_by_text("The user is not signed in anywhere.")).to_be_visible()
    refused = dev.auth().post("/token?grant_type=refresh_token", {"refresh_token": second["refresh_token"]})
    assert refused.status == 400


def test_a_link_of_another_site_leaves_the_operator_signed_in(tab, dev):
    page = enter(tab, dev)
    link = f'<a href="{dev.url}/console/users">Users</a>'
    page.route("http://elsewhere.example/", lambda route: route.fulfill(body=link, content_type="text/html"))
    page.goto("http://elsewhere.example/")
    page.get_by_role("link", name="Users").click()
    title(page, "Users")
    tab.open(dev.url + "/console")
    title(page, "Overview")


def test_an_administrator_enters_with_a_security_key(tab, dev, new_email):
    email = new_email()
    page, device = signed_in(dev, tab, email), Authenticator(tab)
    add_key(dev, tab, device)
    user = dev.admin().get("/admin/search/users?q=" + email).json()["users"][0]["id"]
    assert dev.admin().put(f"/admin/users/{user}", {"role": "service_role"}).status == 200
    console = dev.url.replace("127.0.0.1", "localhost") + "/console"
    tab.open(f"{console}/users/{user}")
    # The first of two forms has both fields.
    fill(page, Email=email, Password=PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    title(page, "Confirm It's You")
    device.answers(False)
    page.get_by_role("button", name="Use a Security Key").click()
    title(page, "Security Key")
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    assert barriers(tab) == []
    device.answers()
    press(page, "Continue")
    title(page, email)


def test_the_pages_are_accessible_and_small(tab, dev, new_email):
    user, _ = sign_up(dev, new_email())
    page = tab.open(dev.url + "/console/sign-in").page
    assert barriers(tab) == []
    page = enter(tab, dev)
    acts = ["/ban", "/end-sessions", "/password", "/delete"]
    users = [f"/users/{user}{act}" for act in ["", *acts]] + ["/users?q=nobody-has-this", "/users?state=banned"]
    areas = page.request.get(dev.url + "/console/configuration").text()
    assert "area=Mail" in areas
    for path in PLACES + users + ["/configuration?area=Mail", "/configuration?area=Sign-in%20through%20providers"]:
        page = tab.open(dev.url + "/console" + path).page
        assert page.locator("h1").inner_text() not in ("Sign In to the Console", "There's nothing here."), path
        assert len(page.content().encode()) < LARGEST_PAGE, path
        assert barriers(tab) == [], path


def test_by_keyboard_alone(tab, dev, new_email):
    user, _ = sign_up(dev, email := new_email())
    page = enter(tab, dev)
    # The link past the navigation.
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    tab.open(dev.url + "/console/users")
    expect(page.get_by_label("Email, phone, name or ID")).to_be_focused()
    page.keyboard.type(email)
    page.keyboard.press("Enter")
    page.wait_for_url("**/users?q=*")
    link = page.get_by_role("link", name=email)
    link.focus()
    page.keyboard.press("Enter")
    title(page, email)
    for path in PLACES + [f"/users/{user}", f"/users/{user}/delete"]:
        tab.open(dev.url + "/console" + path)
        _, unseen, _ = walk(tab)
        assert unseen == [], path


def test_the_request_log_grows_while_it_is_open_and_pauses(tab, dev):
    page, asked = enter(tab, dev), []
    page.on("request", lambda request: asked.append(request.url) if "/requests/new" in request.url else None)
    page.clock.install()
    tab.open(dev.url + "/console/requests")
    assert dev.auth().get("/settings").status == 200
    page.clock.run_for(1_000)
    newest = page.locator("tbody tr").first
    expect(newest).to_contain_text("/auth/v1/settings")
    assert newest.locator("td").count() == page.locator("thead th").count()
    press(page, "Pause")
    count = len(asked)
    assert dev.auth().post("/recover", {}).status == 400
    page.clock.run_for(60_000)
    assert len(asked) == count
    expect(newest).to_contain_text("/auth/v1/settings")
    press(page, "Continue")
    page.clock.resume()
    expect(newest).to_contain_text("/auth/v1/recover")
    assert barriers(tab) == []
    # The end of the operator's session ends the log.
    page.context.clear_cookies()
    title(page, "Sign In to the Console")


def test_the_request_log_loads_its_script_and_nothing_else(tab, dev):
    page = enter(tab, dev)
    policies = {}
    page.on("response", lambda answer: policies.setdefault(answer.url, answer.headers.get("content-security-policy")))
    for path in ["/console/requests", "/console/users"]:
        tab.open(dev.url + path)
    assert "script-src 'self'" in policies[dev.url + "/console/requests"]
    assert "script-src" not in policies[dev.url + "/console/users"]
    assert "unsafe" not in policies[dev.url + "/console/requests"]
