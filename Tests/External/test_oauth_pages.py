"""Consent, devices and connected apps on the account pages, in a real browser: an agent asks, a person decides."""

import http.server
import json
import os
import re
import threading
import time

import pytest
from agent import OAUTH, REDIRECT, Agent, User, admin, query_of
from chromium import barriers, walk
from playwright.sync_api import expect
from program import PASSWORD, poll
from test_account_pages import LARGEST_PAGE, fill, press, title
from test_account_security import add_app

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

API = "https://api.example.org/mcp"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
SCOPES = {"scores:read": {"en": "Read your <b>scores</b>", "de": "Deine Ergebnisse lesen", "ar": "قراءة نتائجك"}}
HOSTILE = "\"><script>document.title='taken'</script>'&amp; " + "W" * 45
UNVERIFIED = "We haven't checked who is behind this app."


@pytest.fixture(scope="module")
def server(session_servers, tmp_path_factory):
    file = tmp_path_factory.mktemp("scopes") / "scopes.json"
    file.write_text(json.dumps(SCOPES))
    settings = {
        **OAUTH, "GATEHOUSE_OAUTH_SCOPES": file, "GATEHOUSE_OAUTH_RESOURCES": API, "GATEHOUSE_CONSOLE": "true",
        "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true", "GOTRUE_MFA_TOTP_ENROLL_ENABLED": "true",
        "GOTRUE_MFA_TOTP_VERIFY_ENABLED": "true",
    }
    return session_servers.serve(**settings).start()


@pytest.fixture
def ada(server, new_email):
    return User(server, new_email("ada"))


@pytest.fixture(params=["tab", "plain"])
def browser(request):
    """With and without scripts. The client's site answers in the browser."""
    tab = request.getfixturevalue(request.param)
    tab.page.context.route("https://agent.example/**", lambda route: route.fulfill(body="<h1>Agent</h1>", content_type="text/html"))
    return tab


@pytest.fixture(scope="module")
def machine():
    """The address of an agent on the user's machine. It gets redirects, which Playwright's routes do not see."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = b"<h1>Agent</h1>"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/callback"
    server.shutdown()
    server.server_close()


def self_registered(server, **metadata):
    """A client that registered itself, unverified."""
    body = {"client_name": "Example Agent", "redirect_uris": [REDIRECT], "client_uri": "https://agent.example", **metadata}
    anybody = Agent(server, client_id="none")
    answer = anybody.http.post("/oauth/clients/register", json=body)
    assert answer.status_code == 201, answer.text
    return Agent(server, client_id=answer.json()["client_id"], secret=answer.json().get("client_secret"))


def open_request(tab, agent, scope="openid email", **parameters):
    """The browser follows the agent's link."""
    return tab.open(agent.address(scope, **parameters)).page


def sign_in(page, user):
    title(page, "Sign In")
    fill(page, Email=user.email, Password=PASSWORD)
    press(page, "Sign In")


def asks(page, name="Example Agent"):
    title(page, f"“{name}” Asks for Access")


def arrived(page, agent):
    """The fields that the agent gets."""
    page.wait_for_url(lambda url: url.startswith(agent.redirect))
    expect(page.get_by_role("heading")).to_have_text("Agent")
    return agent.returned(page.url)


def test_a_person_signs_in_approves_and_the_agent_gets_tokens(server, ada, browser):
    agent = self_registered(server)
    page = open_request(browser, agent, "openid email scores:read", resource=API)
    sign_in(page, ada)
    asks(page)
    address, shown = page.url, page.locator("main").inner_text()
    for text in (
        UNVERIFIED, "Not Verified", "Says its website is agent.example", "127.0.0.1", "Linux", "Know that it's you",
        "See your email address", "Read your <b>scores</b>", f"Use {API} for you", ada.email,
        "You'll continue to agent.example.",
    ):
        assert text in shown, text
    press(page, "Approve")
    tokens = agent.redeem(arrived(page, agent)["code"]).json()
    assert tokens["scope"] == "openid email scores:read" and agent.claims(tokens["access_token"])["aud"] == API
    # The back button leads to no second decision.
    browser.open(address)
    title(page, "This request has already been answered.")


def test_approval_reaches_an_agent_on_the_same_machine(server, ada, browser, machine):
    agent = Agent(server, public=True, redirect="http://127.0.0.1/callback")
    agent.redirect = machine
    page = open_request(browser, agent)
    sign_in(page, ada)
    asks(page)
    expect(page.get_by_text("You'll return to a program on this device.")).to_be_visible()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible()
    press(page, "Approve")
    assert agent.redeem(arrived(page, agent)["code"]).status_code == 200
    # Any program on this machine could imitate it, so it asks again.
    asks(open_request(browser, agent))


def test_a_new_person_signs_up_and_denies(server, browser, new_email):
    agent = Agent(server)
    page = open_request(browser, agent)
    page.get_by_role("link", name="Don't have an account? Create one").click()
    fill(page, First_Name="Ada", Email=new_email(), Password=PASSWORD)
    press(page, "Create Account")
    asks(page)
    press(page, "Deny")
    fields = arrived(page, agent)
    assert fields["error"] == "access_denied" and "code" not in fields


def test_a_reported_agent_gets_nobody_back(server, ada, browser):
    agent = self_registered(server)
    page = open_request(browser, agent)
    sign_in(page, ada)
    press(page, "Report as Suspicious")
    title(page, "Request Reported")
    assert page.url.startswith(server.url) and ada.grants() == []


def test_consent_is_remembered_until_the_person_removes_the_app(server, ada, browser, machine):
    agent = Agent(server, redirect=machine, client_uri="https://agent.example")
    page = open_request(browser, agent)
    sign_in(page, ada)
    press(page, "Approve")
    tokens = agent.redeem(arrived(page, agent)["code"]).json()
    open_request(browser, agent)
    assert "code" in arrived(page, agent)
    browser.open(server.url + "/account/devices")
    expect(page.get_by_role("listitem").filter(has_text="Connected App")).to_contain_text("Example Agent")
    browser.open(server.url + "/account")
    page.get_by_role("link", name="Connected Apps").click()
    row = page.get_by_role("listitem").filter(has_text="Example Agent")
    for text in ("Website: agent.example", "See your email address", "Connected on", "Last used"):
        expect(row).to_contain_text(text)
    press(page, "Remove Example Agent")
    title(page, "Remove Example Agent")
    press(page, "Remove")
    expect(page.get_by_role("status")).to_have_text("The app has been removed.")
    expect(page.get_by_text("No apps are connected to your account.")).to_be_visible()
    assert agent.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    asks(open_request(browser, agent))


def test_a_device_is_approved_after_a_warning(server, ada, browser):
    agent = Agent(server, public=True, grant_types=[DEVICE, "refresh_token"], client_name="Living Room")
    begun = agent.http.post("/oauth/device_authorization", data={"client_id": agent.client_id, "scope": "email"}).json()
    page = browser.open(begun["verification_uri_complete"]).page
    sign_in(page, ada)
    title(page, "Connect a Device")
    expect(page.get_by_label("Code")).to_have_value(begun["user_code"])
    fill(page, Code="bcdf ghjk")
    press(page, "Continue")
    expect(page.get_by_text("The code is wrong or has expired.")).to_be_visible()
    fill(page, Code=begun["user_code"].lower().replace("-", " "))
    press(page, "Continue")
    asks(page, "Living Room")
    expect(page.get_by_text("A device asks for access.")).to_be_visible()
    assert agent.token(grant_type=DEVICE, device_code=begun["device_code"]).json()["error"] == "authorization_pending"
    press(page, "Approve")
    title(page, "Device Connected")
    expect(page.get_by_text("You can go back to your device.")).to_be_visible()
    assert agent.token(grant_type=DEVICE, device_code=begun["device_code"]).status_code == 200


def test_a_request_without_pages_never_shows_one(server, ada, browser, machine):
    agent = Agent(server, redirect=machine)
    page = open_request(browser, agent, prompt="none")
    assert arrived(page, agent)["error"] == "login_required"
    sign_in(open_request(browser, agent), ada)
    asks(page)
    open_request(browser, agent, prompt="none")
    assert arrived(page, agent)["error"] == "consent_required"
    open_request(browser, agent)
    press(page, "Approve")
    arrived(page, agent)
    open_request(browser, agent, prompt="none")
    assert "code" in arrived(page, agent)


def test_a_request_belongs_to_one_account_until_another_is_chosen(server, ada, browser):
    agent, bob = Agent(server), User(server)
    page = open_request(browser, agent)
    sign_in(page, bob)
    asks(page)
    other = browser.page.context.browser.new_context()
    try:
        theirs = other.new_page()
        theirs.goto(page.url)
        sign_in(theirs, ada)
        title(theirs, "This request is no longer valid.")
    finally:
        other.close()
    press(page, "Use Another Account")
    sign_in(page, ada)
    asks(page)
    expect(page.get_by_text(ada.email)).to_be_visible()
    press(page, "Approve")
    tokens = agent.redeem(arrived(page, agent)["code"]).json()
    assert agent.claims(tokens["access_token"])["sub"] == ada.id and bob.grants() == []


@pytest.mark.parametrize("fresh", [{"prompt": "login"}, {"max_age": "0"}])
def test_an_agent_can_ask_for_a_new_sign_in(server, ada, browser, fresh):
    agent = Agent(server)
    sign_in(browser.open(server.url + "/account/sign-in").page, ada)
    title(browser.page, "Account")
    # The server compares whole seconds.
    poll(lambda second=int(time.time()): int(time.time()) > second, "the next second")
    page = open_request(browser, agent, **fresh)
    expect(page.get_by_role("alert")).to_contain_text("You signed in too long ago to do this.")
    sign_in(page, ada)
    asks(page)
    press(page, "Approve")
    assert agent.redeem(arrived(page, agent)["code"]).status_code == 200


def test_the_second_factor_comes_before_the_request(server, ada, browser):
    sign_in(browser.open(server.url + "/account/sign-in").page, ada)
    app = add_app(server, browser)
    browser.page.context.clear_cookies()
    agent = Agent(server)
    page = open_request(browser, agent)
    sign_in(page, ada)
    title(page, "Confirm It's You")
    fill(page, Code=app.code())
    press(page, "Continue")
    asks(page)
    press(page, "Approve")
    tokens = agent.redeem(arrived(page, agent)["code"]).json()
    assert agent.claims(tokens["id_token"])["acr"] == "aal2"


def test_a_hostile_name_is_text(server, ada, browser):
    agent = self_registered(server, client_name=HOSTILE, client_uri="https://agent.example/%22%3E%3Cb%3E")
    page = open_request(browser, agent)
    sign_in(page, ada)
    asks(page, HOSTILE)
    assert page.locator("main script, main b").count() == 0 and "taken" not in page.title().split("–")[-1]
    press(page, "Approve")
    arrived(page, agent)
    for path in ("/apps", "/devices"):
        browser.open(server.url + "/account" + path)
        expect(page.get_by_text(HOSTILE, exact=True)).to_be_visible() if path == "/apps" else None
        assert page.locator("main script, main b").count() == 0


def test_no_other_site_frames_the_page(server, ada, tab):
    agent = Agent(server)
    page = open_request(tab, agent)
    sign_in(page, ada)
    asks(page)
    address = page.url
    page.route("https://elsewhere.example/", lambda route: route.fulfill(
        body=f'<iframe src="{address}"></iframe>', content_type="text/html"))
    page.goto("https://elsewhere.example/")
    assert "Approve" not in page.frames[-1].content()
    policy = page.request.get(address).headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_the_pages_are_accessible_and_small(server, ada, tab, language):
    agent = self_registered(server, client_name="Ägent " + "مثال")
    device = Agent(server, public=True, grant_types=[DEVICE, "refresh_token"])
    begun = device.http.post("/oauth/device_authorization", data={"client_id": device.client_id, "scope": "email"}).json()
    sign_in(tab.open(server.url + "/account/sign-in?lang=en").page, ada)
    tab.page.context.route("https://agent.example/**", lambda route: route.fulfill(body="<h1>Agent</h1>"))
    Agent(server).sign_in(ada)
    agent.authorize(scope="openid profile email phone offline_access scores:read", resource=API)
    places = [agent.answer.headers["location"], begun["verification_uri_complete"], server.url + "/account/apps"]
    for address in [*places, server.url + "/account/oauth"]:
        page = tab.open(f"{address}{'&' if '?' in address else '?'}lang={language}").page
        assert len(page.content().encode()) < LARGEST_PAGE
        assert barriers(tab) == [], address
        assert walk(tab)[1] == [], address
        if language != "en":
            shown = page.locator("main").inner_text().replace("Example Agent", "")
            assert not re.search(r"\b(Approve|Deny|your|the|device)\b", shown), (address, shown)


def enter_console(tab, server):
    page = tab.open(server.url + "/console/sign-in").page
    page.get_by_label("Secret API key").fill(server.keys["secret_key"])
    press(page, "Sign In with API Key")
    title(page, "Overview")
    return page


def test_an_operator_registers_verifies_and_deletes_a_client(server, ada, browser):
    page = enter_console(browser, server)
    page.get_by_role("link", name="OAuth Clients").click()
    page.get_by_role("link", name="Register a Client…").click()
    page.get_by_label("Name", exact=True).fill("Scores")
    page.get_by_label("Redirect addresses").fill("http://agent.example/callback")
    press(page, "Register")
    expect(page.get_by_role("alert")).to_contain_text("a redirect address is an https")
    page.get_by_label("Redirect addresses").fill(f"{REDIRECT} {REDIRECT}2")
    press(page, "Register")
    secret = page.locator("pre").inner_text()
    client_id = page.locator("dd").first.inner_text().strip()
    agent = Agent(server, client_id=client_id, secret=secret)
    agent.sign_in(ada)
    page.get_by_role("link", name="Open the Client").click()
    assert secret not in page.content()
    page.get_by_label("Name", exact=True).fill("Better Scores")
    press(page, "Save")
    title(page, "Better Scores")
    page.get_by_role("link", name="Remove Verification…").click()
    press(page, "Remove Verification")
    expect(page.get_by_role("status")).to_have_text("Better Scores is no longer verified.")
    assert ada.grants()[0]["client"]["verified"] is False
    page.get_by_role("link", name="Generate New Secret…").click()
    press(page, "Generate New Secret")
    renewed = Agent(server, client_id=client_id, secret=page.locator("pre").inner_text())
    assert renewed.sign_in(ada) and agent.token(grant_type="refresh_token", refresh_token="x").status_code == 401
    browser.open(f"{server.url}/console/users/{ada.id}/apps")
    page.get_by_role("link", name="Remove", exact=True).click()
    press(page, "Remove Connected App")
    assert ada.grants() == []
    browser.open(f"{server.url}/console/clients/{client_id}")
    page.get_by_role("link", name="Delete…").click()
    press(page, "Delete")
    expect(page.get_by_role("status")).to_have_text("Better Scores was deleted.")
    answer = agent.http.get(f"/admin/oauth/clients/{client_id}", headers=admin(server))
    assert answer.status_code == 404


def test_the_consoles_pages_are_accessible_and_small(server, ada, tab):
    agent = self_registered(server, client_name=HOSTILE)
    agent.sign_in(ada)
    page = enter_console(tab, server)
    one = f"/clients/{agent.client_id}"
    for path in ["/clients", "/clients/new", one, f"{one}/verify", f"{one}/delete", f"/users/{ada.id}/apps"]:
        tab.open(server.url + "/console" + path)
        assert page.locator("h1").inner_text() != "There's nothing here.", path
        assert page.locator("main script").count() == 0 and len(page.content().encode()) < LARGEST_PAGE
        assert barriers(tab) == [], path
        assert walk(tab)[1] == [], path
    assert query_of(page.url) == {}
