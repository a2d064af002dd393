"""Sign-in with a real browser: through the stand-ins of `gatehouse dev`, and with `gatehouse login --provider`."""

import concurrent.futures
import http.server
import json
import os
import re
import sys

import pytest
from chromium import barriers, walk
from playwright.sync_api import expect
from program import PASSWORD, LoopbackServer, poll
from signing_in import Flow, me
from terminal import Person

# As Docs/terminal-client.md has them.
FAILED, UNAVAILABLE, REFUSED = 1, 4, 5

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")


@pytest.fixture
def strangers_tab(chromium):
    tab = chromium.person()
    yield tab
    tab.close()


class AppPage(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>The app</title>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def app():
    """The app's redirect address: a page of this machine, on another port than the server's."""
    server = LoopbackServer(AppPage)
    yield server.url + "/signed-in"
    server.stop()


class SignIn:
    """The app's side of one sign-in."""

    def __init__(self, dev, provider, app):
        self.dev, self.app, self.flow = dev, app, Flow(dev, provider, browser=object())
        self.address = self.flow.address(redirect_to=app)

    def answer(self, tab):
        """The response of the exchange, after the browser has returned."""
        tab.arrive(self.app)
        assert set(tab.query) == {"code"}, tab.page.url
        return self.flow.exchange(tab.query["code"])

    def session(self, tab):
        answer = self.answer(tab)
        assert answer.status == 200, answer
        return answer.json()

    def person(self, tab):
        """Address and first name, as the gateway has them."""
        answer = me(self.dev, self.session(tab))
        return answer["user"]["email"], answer["profile"]["first_name"]


@pytest.fixture
def begin(dev, app):
    return lambda provider: SignIn(dev, provider, app)


# The stand-ins.


@pytest.mark.parametrize(("provider", "company"), [("google", "Google"), ("apple", "Apple")])
def test_a_user_signs_in(tab, begin, provider, company):
    sign_in = begin(provider)
    tab.open(sign_in.address)
    assert tab.page.title() == f"Choose who signs in – stand-in for {company}"
    session = sign_in.session(tab.choose("Verified"))
    assert session["user"]["email"] == "verified@example.com" and session["provider_token"]
    assert provider in session["user"]["app_metadata"]["providers"]
    assert me(sign_in.dev, session)["profile"]["first_name"] == "Verified"


@pytest.mark.parametrize(
    ("provider", "title", "email", "first_name"),
    [
        ("apple", "Hidden address", "h1dd3n4ddr@privaterelay.appleid.com", "Hidden"),
        ("apple", "No address", None, "Addressless"),
        ("google", "Unverified address", None, "Unverified"),
    ],
)
def test_a_user_with_a_hidden_missing_or_unverified_address_signs_in(tab, begin, provider, title, email, first_name):
    sign_in = begin(provider)
    assert sign_in.person(tab.open(sign_in.address).choose(title)) == (email, first_name)


@pytest.mark.parametrize(
    ("provider", "title", "error"),
    [
        ("google", "Cancels", {"error": "access_denied"}),
        ("apple", "Cancels", {"error": "user_cancelled_authorize"}),
        ("google", "Wrong nonce", {"error": "server_error", "error_code": "unexpected_failure"}),
        ("google", "No address", {"error": "server_error", "error_code": "unexpected_failure"}),
    ],
)
def test_provider_failures_reach_the_app(tab, begin, app, provider, title, error):
    tab.open(begin(provider).address).choose(title).arrive(app)
    query = tab.query
    assert tab.fragment == query | {"sb": ""}
    assert query.pop("error_description", None) or title == "Cancels"
    assert query == error


def test_without_scripts_a_button_continues(chromium, begin):
    tab = chromium.person(java_script_enabled=False)
    sign_in = begin("apple")
    tab.open(sign_in.address).choose("Verified")
    assert tab.page.get_by_role("heading").inner_text() == "Back to the app"
    tab.page.get_by_role("button", name="Continue").click()
    assert sign_in.person(tab) == ("verified@example.com", "Verified")
    tab.close()


def test_an_account_with_the_address_is_linked_after_its_password(tab, dev, begin, new_email):
    email = new_email()
    account = dev.auth().sign_up(email)["user"]["id"]
    sign_in = begin("google")
    answer = sign_in.answer(tab.open(sign_in.address).type_address(email))
    assert (answer.status, answer.code) == (422, "identity_needs_confirmation")
    question = answer.json()
    assert (question["email"], question["sign_in_methods"]) == (email, ["password"])

    def confirm(password):
        body = {"link_ticket": question["link_ticket"], "email": email, "password": password}
        return dev.auth().post("/token?grant_type=link_confirmation", body)

    assert confirm("not it at all").code == "invalid_credentials"
    assert confirm(PASSWORD).json()["user"]["id"] == account
    # From now on without a question.
    again = begin("google")
    assert again.session(tab.open(again.address).type_address(email))["user"]["id"] == account


def test_an_invalid_address_can_be_corrected(tab, begin, new_email):
    sign_in, email = begin("apple"), new_email()
    tab.open(sign_in.address).type_address("ada@localhost")
    field = tab.page.get_by_label("Email address")
    expect(tab.page.get_by_role("alert")).to_contain_text("not an email address")
    expect(field).to_be_focused()
    expect(field).to_have_value("ada@localhost")
    expect(field).to_have_accessible_description(re.compile("^That is not an email address"))
    assert field.get_attribute("aria-invalid") == "true"
    assert barriers(tab) == []
    assert sign_in.person(tab.type_address(email)) == (email, "Existing")


# One browser and another.


def test_a_google_response_in_another_browser_signs_nobody_in(tab, strangers_tab, dev, begin):
    sign_in = begin("google")
    tab.open(sign_in.address)
    (cookie,) = tab.page.context.cookies(dev.url)
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and len(cookie["value"]) == 43
    # The browser's own request, whose redirect it does not follow.
    chosen = tab.page.context.request.post(tab.page.url, form={"person": "verified"}, max_redirects=0)
    answer = chosen.headers["location"]
    strangers_tab.open(answer).arrive(dev.url + "/dev")
    assert (strangers_tab.query["error"], strangers_tab.query["error_code"]) == ("invalid_request", "bad_oauth_state")
    assert sign_in.person(tab.open(answer)) == ("verified@example.com", "Verified")


def test_an_apple_response_in_another_browser_signs_nobody_in(chromium, strangers_tab, dev, begin, app):
    tab = chromium.person(java_script_enabled=False)
    sign_in = begin("apple")
    tab.open(sign_in.address).choose("Verified")
    form = tab.page.locator("form").evaluate("form => form.outerHTML")
    # Another website's page with the form: its origin alone is enough.
    strangers_tab.page.set_content(form)
    strangers_tab.page.get_by_role("button").click()
    strangers_tab.page.wait_for_url(dev.url + "/**")
    assert "foreign_origin" in strangers_tab.page.content()
    # Another page of this machine.
    strangers_tab.open(app).page.set_content(form)
    strangers_tab.page.get_by_role("button").click()
    assert strangers_tab.arrive(dev.url + "/dev").query["error_code"] == "bad_oauth_state"
    tab.page.get_by_role("button").click()
    assert sign_in.person(tab) == ("verified@example.com", "Verified")
    tab.close()


def test_two_tabs_do_not_disturb_each_other(tab, begin):
    first, second, other = begin("google"), begin("apple"), tab.another()
    tab.open(first.address)
    other.open(second.address)
    assert first.person(tab.choose("Verified")) == ("verified@example.com", "Verified")
    assert second.person(other.choose("Hidden address"))[1] == "Hidden"


def test_going_back_and_choosing_again_shows_an_error_and_loses_nothing(tab, dev, begin, app):
    sign_in = begin("google")
    code = tab.open(sign_in.address).choose("Verified").arrive(app).query["code"]
    tab.page.go_back()
    assert tab.choose("Unverified address").arrive(dev.url + "/dev").query["error_code"] == "flow_state_already_used"
    assert sign_in.flow.exchange(code).json()["user"]["email"] == "verified@example.com"


@pytest.mark.parametrize("company", ["Google", "Apple"])
def test_the_dev_page_tries_both_and_shows_the_result(tab, dev, company):
    tab.open(dev.url + "/dev")
    assert barriers(tab) == []
    tab.page.get_by_role("link", name=f"Sign in with {company}").click()
    tab.choose("Verified").arrive(dev.url + "/dev")
    assert tab.page.get_by_role("heading", name="Signed in").is_visible()
    assert tab.query["code"] in tab.page.locator("main").inner_text()
    tab.page.get_by_role("link", name=f"Sign in with {company}").click()
    tab.choose("Cancels").arrive(dev.url + "/dev")
    assert tab.page.get_by_role("heading", name="Not signed in").is_visible()
    assert barriers(tab) == []


def test_the_other_name_of_this_machine_does_as_well(tab, begin):
    tab.open(begin("google").address.replace("localhost", "127.0.0.1", 1)).choose("Verified")
    tab.page.wait_for_url(lambda url: "/dev/google/" not in url)
    assert "code" in tab.query, tab.page.url


# At the terminal.


class Browsing(Person):
    """A user at a terminal whose system opens addresses in Chromium."""

    def __init__(self, home, dev, tab):
        self.tab = tab
        programs = os.path.join(home, "bin")
        os.makedirs(programs)
        self.opened = os.path.join(home, "opened")
        for name in ["xdg-open", "open"]:
            path = os.path.join(programs, name)
            with open(path, "w", encoding="utf-8") as opener:
                # Written atomically, because the test waits for the file.
                opener.write(
                    f"#!{sys.executable}\nimport os, sys\npath = {self.opened!r}\n"
                    "open(path + '.part', 'w').write(sys.argv[1])\nos.rename(path + '.part', path)\n"
                )
            os.chmod(path, 0o755)
        super().__init__(home, dev, PATH=f"{programs}:{os.environ['PATH']}")

    def browser(self):
        """The tab with the command's page."""
        poll(lambda: os.path.exists(self.opened), "the browser's opening")
        with open(self.opened, encoding="utf-8") as file:
            address = file.read()
        os.remove(self.opened)
        return self.tab.open(address)

    def close_window(self):
        """At the end of every flow, whatever its outcome."""
        self.tab.page.get_by_role("heading", name="You can close this window").wait_for()

    def log_in_with(self, provider, choose):
        """From a script, as `choose` does it in the browser."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            command = pool.submit(self.run, "login", "--provider", provider, "--json")
            choose(self.browser())
            self.close_window()
            ended = command.result()
        opened, *failure = [json.loads(line) for line in ended.err.splitlines()]
        assert set(opened) == {"open"} and bool(failure) == (ended.code != 0), ended
        return ended, failure[0]["error"] if failure else None


@pytest.fixture
def person(tmp_path, dev, tab):
    return Browsing(str(tmp_path), dev, tab)


@pytest.mark.parametrize("provider", ["google", "apple"])
def test_login_with_a_provider(person, dev, provider):
    ended, _ = person.log_in_with(provider, lambda tab: tab.choose("Verified"))
    assert barriers(person.tab) == []
    assert ended.code == 0
    user = ended.json()["user"]
    assert ended.json() == {"signed_in": True, "server": dev.url, "user": user}
    who = person.json("whoami")
    assert who["user"]["id"] == user["id"] and who["user"]["email"] == "verified@example.com"
    assert provider in who["user"]["providers"] and who["profile"]["first_name"] == "Verified"
    assert person.json("logout")["revoked"] and person.kept() == {}


@pytest.mark.parametrize("provider", ["google", "apple"])
def test_no_in_the_browser_is_no_at_the_terminal(person, new_email, provider):
    email = new_email()
    person.sign_up(email)
    ended, error = person.log_in_with(provider, lambda tab: tab.choose("Cancels"))
    assert (ended.code, ended.out, error) == (FAILED, "", "cancelled")
    assert person.json("whoami")["user"]["email"] == email


def test_a_provider_that_is_out_of_order_is_nobodys_refusal(person):
    ended, error = person.log_in_with("google", lambda tab: tab.choose("Provider error"))
    assert (ended.code, ended.out, error) == (UNAVAILABLE, "", "server_unavailable")
    assert person.kept() == {}


def test_login_links_an_account_with_the_address_after_its_password(person, new_email):
    email = new_email()
    account = person.sign_up(email)["user"]["id"]
    person.json("logout")
    with person.at_terminal("login", "--provider", "apple") as terminal:
        person.browser().type_address(email)
        person.close_window()
        terminal.answer(f"Password of {email}: ", "not it at all")
        terminal.wait_for("Incorrect email or password.").answer(f"Password of {email}: ", PASSWORD)
        assert terminal.end() == 0
    who = person.json("whoami")["user"]
    assert who["id"] == account and set(who["providers"]) == {"email", "apple"}


def test_a_script_learns_that_an_account_has_the_address(person, new_email):
    email = new_email()
    person.sign_up(email)
    person.json("logout")
    ended, error = person.log_in_with("google", lambda tab: tab.type_address(email))
    assert (ended.code, ended.out, error) == (REFUSED, "", "identity_needs_confirmation")
    assert person.kept() == {}


# Accessibility.


@pytest.mark.parametrize("provider", ["google", "apple"])
def test_the_page_of_people_is_accessible(tab, begin, provider):
    sign_in = begin(provider)
    tab.open(sign_in.address)
    assert barriers(tab) == []
    reached, unseen, controls = walk(tab)
    assert reached == controls and unseen == []
    # The first one, without a mouse.
    tab.page.get_by_label("Email address").focus()
    while tab.focused != "verified":
        tab.page.keyboard.press("Shift+Tab")
    tab.page.keyboard.press("Enter")
    assert sign_in.person(tab) == ("verified@example.com", "Verified")


def test_the_other_pages_are_accessible(tab, dev, begin):
    # A response without content keeps the browser on the page.
    tab.page.route("**/auth/v1/callback", lambda route: route.fulfill(status=204))
    tab.open(begin("apple").address).choose("Verified")
    expect(tab.page.get_by_role("heading", name="Back to the app")).to_be_visible()
    assert barriers(tab) == [] and walk(tab)[1] == []
    for company in ["/dev/apple/auth/authorize", "/dev/google/o/oauth2/v2/auth"]:
        tab.open(f"{dev.url}{company}?client_id={'unknown.' * 20}")
        assert tab.page.get_by_role("heading").inner_text() == "This request is refused"
        assert barriers(tab) == []
