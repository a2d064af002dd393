"""The app at `/app` of `gatehouse dev`, used like a person: with keys only, by touch, and through a screen reader's tree."""

import os
import re
import shutil

import pytest
from chromium import examine
from playwright.sync_api import expect
from program import BINARY, PASSWORD, Client, poll

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

# The impacts that make a page unusable for some users.
GRAVE = {"serious", "critical"}
# That show a phone at a time.
WINDOWS = 4
# Past every control of a screen with all teams, and of the page around it.
LONGEST_WALK = 300


WATCHED_STATES = """() => {
    window.states = [];
    const line = document.getElementById("connection");
    new MutationObserver(() => window.states.push(line.textContent)).observe(line, { childList: true });
}"""


class Phone:
    """A browser with the app in it."""

    def __init__(self, tab, server):
        self.tab, self.page, self.server = tab, tab.page, server
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._hear)

    def _hear(self, message):
        # A policy that something runs into is a fault too. Answers that refuse are part of some tests.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def open(self):
        self.page.goto(self.server.url + "/app")
        return self.wait_for("Sign in to follow your teams")

    @property
    def screen(self):
        return self.page.locator("#phone")

    @property
    def state(self):
        return self.page.locator("#connection")

    def button(self, name, exact=True):
        return self.screen.get_by_role("button", name=name, exact=exact)

    def field(self, name):
        return self.screen.get_by_label(name, exact=True)

    def tap(self, *names):
        for name in names:
            self.button(name).click()
        return self

    def wait_for(self, text):
        expect(self.screen.get_by_text(text, exact=True).first).to_be_visible()
        return self

    def decline_passkey(self, name="Not Now"):
        """After the first sign-in the app offers one."""
        self.tap(name)
        expect(self.button(name)).to_have_count(0)
        return self

    def wait_for_welcome(self, name):
        """Of a user of a stand-in, whose account other tests may have created."""
        return self.wait_for(re.compile(f"^Welcome( back)?, {name}$"))

    def beside(self):
        """A point above a sheet."""
        box = self.screen.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + 20

    def set(self, label, choice):
        self.page.get_by_label(label).select_option(label=choice)
        return self

    @property
    def focused(self):
        """The name of the focused element."""
        return self.page.evaluate(
            "() => { const e = document.activeElement; "
            "return e.getAttribute('aria-label') || e.innerText || e.id || e.tagName }"
        ).strip()

    def walk_to(self, name):
        """Tabs until the keyboard is there."""
        past = []
        while self.focused != name:
            assert len(past) < LONGEST_WALK, f"no way to {name} by keyboard, past {past}"
            self.page.keyboard.press("Tab")
            past.append(self.focused)
        return self

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def another(self):
        """Another window of the same browser."""
        other = Phone(self.tab.another(), self.server)
        other.page.goto(self.server.url + "/app")
        expect(other.state).to_have_text("Connected")
        return other

    def watch(self):
        """Keeps every state from now on for `has_been`: one that lasts for a second may pass between two looks."""
        self.page.evaluate(WATCHED_STATES)
        return self

    def has_been(self, text):
        """Waits until one of the watched states was this."""
        poll(lambda: any(text in state for state in self.page.evaluate("() => window.states")), text)
        return self

    def connections(self):
        """One entry for each one created from now on."""
        made = []
        self.page.on("request", lambda request: made.append(1) if request.url.endswith("/app/events") else None)
        return made

    def barriers(self):
        """Blocking findings of axe, light and dark."""
        found = []
        for look in ["Dark", "Light"]:
            self.set("Appearance", look)
            expect(self.screen).to_have_class(re.compile(rf"\b{look.lower()}\b"))
            results = examine(self.page)
            found += [
                f"{look}: {violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
                for violation in results.response["violations"]
                if violation["impact"] in GRAVE
                for node in violation["nodes"]
            ]
        return found

    def sign_up(self, email, name="Ada"):
        self.tap("Sign in", "Create Account")
        fields = [("Name", name), ("Email", email), ("Password", PASSWORD), ("Confirm Password", PASSWORD)]
        for field, text in fields:
            self.field(field).fill(text)
        expect(self.screen.locator(".form").get_by_role("button", name="Create Account", exact=True)).to_be_enabled()
        self.screen.locator(".form").get_by_role("button", name="Create Account", exact=True).click()
        return self.wait_for(f"Welcome, {name}").decline_passkey()


@pytest.fixture
def phone(chromium, dev):
    tab = chromium.person()
    phone = Phone(tab, dev)
    yield phone.open()
    tab.close()
    assert phone.faults == []


def test_a_user_signs_up_with_keys_only(phone, new_email):
    """And edits the name, and signs out."""
    phone.walk_to("Sign in").press("Enter")
    expect(phone.screen.get_by_role("dialog")).to_be_visible()
    phone.walk_to("Create Account").press("Enter")
    # A new page begins at its title.
    expect(phone.screen.get_by_role("heading", name="Create Account")).to_be_focused()
    phone.walk_to("Name")
    phone.page.keyboard.type("Ada")
    # Return moves to the next field, as on a phone.
    phone.press("Enter")
    expect(phone.field("Email")).to_be_focused()
    phone.page.keyboard.type(new_email())
    phone.press("Enter")
    expect(phone.field("Password")).to_be_focused()
    phone.page.keyboard.type(PASSWORD)
    phone.press("Tab")
    expect(phone.field("Confirm Password")).to_be_focused()
    phone.page.keyboard.type(PASSWORD)
    phone.press("Enter").wait_for("Welcome, Ada")
    expect(phone.button("Not Now")).to_be_visible()
    phone.walk_to("Not Now").press("Enter")
    expect(phone.button("Your profile")).to_have_text("A")
    expect(phone.screen.get_by_role("dialog")).to_have_count(0)
    phone.walk_to("Your profile").press("Enter").wait_for("Profile")
    phone.walk_to("Edit Name").press("Enter")
    # This one requests the focus itself.
    expect(phone.field("First Name")).to_be_focused()
    phone.press("ControlOrMeta+a")
    phone.page.keyboard.type("Zoe")
    phone.walk_to("Save").press("Enter").wait_for("Zoe")
    expect(phone.button("Edit Name")).to_be_focused()
    phone.walk_to("Sign Out").press("Space")
    dialog = phone.screen.get_by_role("dialog", name="Sign Out")
    expect(dialog).to_be_visible()
    # Escape cancels, and the focus returns.
    phone.press("Escape")
    expect(dialog).to_have_count(0)
    expect(phone.button("Sign Out")).to_be_focused()
    phone.press("Enter")
    expect(dialog).to_be_focused()
    phone.press("Tab").walk_to("Sign Out").press("Enter").wait_for("Sign in to follow your teams")
    expect(phone.screen.get_by_role("dialog")).to_have_count(0)


def test_fast_typing_loses_no_letter(phone):
    phone.tap("Sign in", "Create Account")
    text = "abcdefghijklmnopqrstuvwxyz0123456789" * 3
    phone.field("Name").click()
    phone.page.keyboard.type(text)
    phone.field("Password").click()
    phone.page.keyboard.type(text)
    # A caret in the middle stays there.
    phone.field("Name").click()
    phone.press("Home")
    phone.page.keyboard.type("xyz", delay=30)
    expect(phone.field("Name")).to_have_value("xyz" + text)
    # The app has it all as well: so has another start of the page.
    expect(phone.screen.locator(f'[value="xyz{text}"]')).to_have_count(1)
    expect(phone.screen.locator("[data-filled=true]")).to_have_count(1)
    phone.page.reload()
    expect(phone.field("Name")).to_have_value("xyz" + text)


def test_a_sheet_is_swiped_away(phone):
    """A tap beside it or Escape closes it; the focus returns to the element that opened it."""
    sheet = phone.screen.get_by_role("dialog", name="Leagues")
    for close in [lambda: phone.press("Escape"), lambda: phone.page.mouse.click(*phone.beside())]:
        phone.tap("Menu")
        expect(phone.screen.get_by_role("heading", name="Leagues")).to_be_focused()
        close()
        expect(sheet).to_have_count(0)
        expect(phone.button("Menu")).to_be_focused()
    phone.tap("Menu", "NHL")
    expect(phone.screen.get_by_role("heading", name="NBA")).to_have_count(0)


def test_secrets_are_not_in_the_page(phone):
    phone.tap("Sign in", "Create Account")
    phone.field("Password").fill("a secret of mine")
    expect(phone.screen.locator("[data-filled=true]")).to_have_count(1)
    assert "a secret of mine" not in phone.page.content()
    assert phone.field("Password").get_attribute("autocomplete") == "new-password"
    assert phone.field("Email").get_attribute("autocomplete") == "username"
    assert phone.field("Email").get_attribute("inputmode") == "email"


def test_a_user_signs_in_with_apple(phone):
    phone.tap("Sign in", "Sign in with Apple")
    dialog = phone.screen.get_by_role("dialog", name="Sign in with Apple")
    expect(dialog).to_be_visible()
    assert phone.barriers() == []
    phone.tap("Cancel")
    expect(dialog).to_have_count(0)
    expect(phone.button("Sign in with Apple")).to_be_enabled()
    phone.tap("Sign in with Apple")
    phone.button(re.compile("^Hidden address"), exact=False).click()
    phone.wait_for_welcome("Hidden").decline_passkey()
    phone.tap("Your profile").wait_for("h1dd3n4ddr@privaterelay.appleid.com")


def test_a_user_signs_in_with_google(phone):
    phone.tap("Sign in", "Sign in with Google")
    link = phone.screen.get_by_role("link", name="Open the browser")
    # The window is closed: nothing happened.
    with phone.page.expect_popup() as popup:
        link.click()
    popup.value.wait_for_load_state()
    popup.value.close()
    expect(link).to_have_count(0)
    expect(phone.button("Sign in with Google")).to_be_enabled()
    phone.tap("Sign in with Google")
    with phone.page.expect_popup() as popup:
        link.click()
    popup.value.get_by_role("button", name=re.compile("^Verified")).click()
    phone.wait_for_welcome("Verified")
    expect(phone.button("Your profile")).to_have_text("V")


def test_a_user_signs_in_with_github(phone):
    phone.tap("Sign in", "Sign in with GitHub")
    with phone.page.expect_popup() as popup:
        phone.screen.get_by_role("link", name="Open the browser").click()
    popup.value.get_by_role("button", name=re.compile("^Unverified address")).click()
    # No address to say that this account is another one's.
    # GitHub has one name, not two.
    phone.wait_for_welcome("Unverified Example").decline_passkey()
    phone.tap("Your profile", "Sign-In Methods").wait_for("GitHub")


def texted(server, number):
    """The newest code that the inbox has for the number."""
    digits = number.lstrip("+")
    inbox = Client(server.url)
    texts = poll(lambda: inbox.get(f"/dev/inbox/texts?q={digits}").json()["texts"], "a message")
    return texts[0]["code"]


def test_a_user_signs_in_with_a_phone_number(phone, dev):
    number = "+12015550141"
    phone.tap("Sign in", "Sign in with Phone").field("Phone Number").fill(number)
    phone.tap("Text Me a Code").wait_for("Check your messages").field("Code").fill(texted(dev, number))
    phone.decline_passkey()
    phone.tap("Your profile", "Security").wait_for("Add a Phone Number")


def test_an_app_that_starts_again_is_signed_in(phone, new_email):
    phone.sign_up(new_email())
    phone.page.get_by_role("button", name="Restart the app").click()
    phone.wait_for("Welcome back, Ada")
    # So is another window of this browser, and the same one after a reload.
    phone.page.reload()
    phone.wait_for("Welcome back, Ada")
    phone.page.get_by_role("button", name="Erase this phone").click()
    phone.wait_for("Sign in to follow your teams")


def test_it_is_accessible(phone, new_email):
    assert phone.barriers() == []
    phone.tap("Menu")
    assert phone.barriers() == []
    phone.tap("Done", "Sign in")
    expect(phone.screen.get_by_role("dialog", name="BoxScore")).to_be_visible()
    assert phone.barriers() == []
    phone.tap("Sign in with Email").field("Email").fill("ada@example")
    assert phone.barriers() == []
    phone.field("Email").fill("nobody@example.com")
    phone.field("Password").fill("not it at all")
    phone.field("Password").press("Enter")
    message = "Incorrect email or password. Please try again."
    expect(phone.page.locator("#announcements")).to_contain_text(message)
    phone.wait_for(message)
    assert phone.barriers() == []
    phone.tap("Back", "Close").sign_up(new_email()).tap("Your profile").wait_for("Profile")
    assert phone.barriers() == []
    phone.tap("Delete Account")
    expect(phone.screen.get_by_role("dialog", name="Delete Account")).to_be_visible()
    assert phone.barriers() == []


def test_arabic_is_right_to_left(phone):
    phone.set("Language", "العربية")
    expect(phone.screen).to_have_attribute("dir", "rtl")
    expect(phone.screen).to_have_attribute("lang", "ar")
    expect(phone.screen.get_by_text("Sign in to follow your teams")).to_have_count(0)
    left, right = (phone.screen.locator(f".hstack button >> nth={index}").bounding_box()["x"] for index in (1, 0))
    assert left < right
    assert phone.barriers() == []


@pytest.mark.parametrize("size", [{"width": 320, "height": 640}, {"width": 1200, "height": 700}])
def test_it_fits(phone, size):
    phone.page.set_viewport_size(size)
    assert phone.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    box = phone.screen.bounding_box()
    assert box["width"] <= 390 and box["height"] <= size["height"]
    phone.set("Text size", "Very large").tap("Sign in")
    expect(phone.button("Continue as Guest")).to_be_attached()
    phone.button("Continue as Guest").click()
    expect(phone.screen.get_by_role("dialog")).to_have_count(0)


def test_without_a_network_the_app_shows_an_error(phone):
    phone.tap("Sign in", "Sign in with Email")
    phone.field("Email").fill("ada@example.com")
    phone.field("Password").fill(PASSWORD)
    phone.page.get_by_label("No network").check()
    phone.field("Password").press("Enter")
    expect(phone.button("Retry")).to_be_visible()
    phone.page.get_by_label("No network").uncheck()
    phone.tap("Retry").wait_for("Incorrect email or password. Please try again.")


HELD_FRAMES = """
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (kind, hear) {
      listen.call(this, kind, event => window.held ? window.held.push(() => hear(event)) : hear(event));
    };
"""


def test_a_late_frame_does_not_undo_a_setting(phone):
    """The answer to a change may overtake the frame that shows it."""
    phone.page.add_init_script(HELD_FRAMES)
    phone.open()
    no_network = phone.page.get_by_label("No network")
    phone.page.evaluate("() => { window.held = []; }")
    with phone.page.expect_response("**/app/actions") as answer:
        no_network.check()
    answer.value.finished()
    # The page handles the answer before the answer to a later request of its own.
    phone.page.evaluate("() => fetch('/app/app.css').then(answer => answer.text())")
    expect(no_network).to_be_checked()
    phone.page.evaluate("() => { window.held.splice(0).forEach(hear => hear()); window.held = null; }")
    expect(no_network).to_be_checked()


def test_the_page_survives_its_server(chromium, servers, new_email):
    server = servers.dev().start()
    tab = chromium.person()
    phone = Phone(tab, server).open().tap("Sign in", "Sign in with Email")
    phone.field("Email").fill("half a wo")
    server.stop()
    expect(phone.state).to_contain_text("Not connected")
    server.start()
    expect(phone.state).to_have_text("Connected")
    phone.wait_for("Sign in to follow your teams").sign_up(new_email())
    tab.close()


def test_an_action_that_did_not_arrive_is_no_end(phone):
    """Typing is repeated and later actions wait; the page reconnects once."""
    phone.tap("Sign in", "Create Account")
    made = phone.connections()
    phone.page.route("**/app/actions", lambda route: route.abort(), times=1)
    phone.watch().field("Name").fill("Ada")
    phone.has_been("Not connected")
    expect(phone.state).to_have_text("Connected")
    expect(phone.screen.locator('[value="Ada"]')).to_have_count(1)
    assert len(made) == 1
    phone.page.route("**/app/actions", lambda route: route.abort(), times=1)
    # That the field is left does not arrive; the tap comes after it.
    phone.watch().tap("Back").has_been("Not connected")
    expect(phone.state).to_have_text("Connected")
    phone.tap("Close").wait_for("Sign in to follow your teams")
    expect(phone.screen.get_by_role("dialog")).to_have_count(0)
    assert len(made) == 2


def test_a_window_whose_phone_is_gone_shows_the_one_there_is(phone):
    """Like two windows opened at the same time that each got a phone: the last cookie wins."""
    phone.page.context.clear_cookies()
    other = phone.another()
    with phone.page.expect_request("**/app/events"):
        phone.tap("Sign in")
    expect(phone.state).to_have_text("Connected")
    other.tap("Menu")
    expect(phone.screen.get_by_role("dialog", name="Leagues")).to_be_visible()
    phone.tap("Done")
    expect(other.screen.get_by_role("dialog")).to_have_count(0)
    # Without one, it gets a new one.
    phone.page.context.clear_cookies()
    with phone.page.expect_request("**/app/events"):
        phone.tap("Sign in")
    expect(phone.state).to_have_text("Connected")
    phone.tap("Sign in")
    expect(phone.screen.get_by_role("dialog", name="BoxScore")).to_be_visible()


def test_a_phone_in_many_windows_rests_in_the_oldest(phone):
    phone.tap("Sign in").button("Create Account").focus()
    made = phone.connections()
    others = [phone.another() for _ in range(WINDOWS)]
    expect(phone.state).to_have_text("Open in another window.")
    # Taps still have a connection.
    others[-1].tap("Create Account")
    expect(others[0].field("Name")).to_be_visible()
    assert made == []
    phone.page.get_by_role("button", name="Use it here").click()
    expect(phone.state).to_have_text("Connected")
    expect(phone.field("Name")).to_be_visible()
    expect(others[0].state).to_have_text("Open in another window.")
    assert len(made) == 1 and [other.faults for other in others] == [[]] * WINDOWS
    # Closed and reloaded windows do not count.
    for other in others:
        other.page.close()
    for _ in range(2 * WINDOWS):
        phone.page.reload()
        expect(phone.state).to_have_text("Connected")
    phone.tap("Back", "Close").wait_for("Sign in to follow your teams")


def test_the_other_app_is_a_link_away(phone):
    def link(name):
        return phone.page.get_by_role("link", name=name)

    link("DailyRitual").click()
    expect(phone.page).to_have_url(phone.server.url + "/app/daily-ritual")
    expect(link("DailyRitual")).to_have_attribute("aria-current", "page")
    phone.wait_for("Today").wait_for("What are you grateful for?")
    assert phone.barriers() == []
    # A phone of its own: it asks for its own sign-in.
    phone.tap("Sign in")
    expect(phone.screen.get_by_role("dialog")).to_be_visible()
    link("BoxScore").click()
    phone.wait_for("Sign in to follow your teams")


def test_the_page_brings_its_fonts(phone):
    """Latin letters as in the pictures, and Japanese, on a machine without fonts for them."""
    phone.set("Language", "日本語")
    expect(phone.screen).to_have_attribute("lang", "ja")
    count = "async ([font, text]) => (await document.fonts.load(font, text)).length"
    for font, text in [("400 17px Inter", "ß"), ("600 17px Inter", "a"), ("700 17px Inter", "a"), ("17px Japanese", "日")]:
        assert phone.page.evaluate(count, [font, text]) == 1
        assert phone.page.evaluate("([font, text]) => document.fonts.check(font, text)", [font, text])


def test_a_program_without_its_texts_reports_that_there_is_no_app(servers, tmp_path, monkeypatch):
    alone = shutil.copy(BINARY, tmp_path)
    monkeypatch.setattr("program.BINARY", alone)
    server = servers.dev().start()
    assert "app" not in server.keys
    assert "The example app (/app) is off: the folders" in server.log()


def test_the_landing_page_leads_there(chromium, dev):
    tab = chromium.person()
    tab.open(dev.url + "/dev").page.get_by_role("link", name=re.compile("BoxScore")).click()
    phone = Phone(tab, dev).wait_for("Sign in to follow your teams")
    assert dev.keys["app"] == phone.page.url
    tab.close()
