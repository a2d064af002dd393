"""An agent asks for access, and a user of the app at `/app` of `gatehouse dev` decides and ends it."""

import os
import re

import pytest
from playwright.sync_api import expect
from program import PASSWORD
from test_account_pages import fill, press, title
from test_app import phone  # noqa: F401  a fixture

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

# The app isolates names that others chose from its own text.
AGENT = "\u2068Sample Agent\u2069"
QUESTION = f"{AGENT} wants to access your account"


@pytest.fixture
def agent(phone):
    """The sample agent, in another tab of the same browser."""
    return phone.tab.another().open(phone.server.url + "/dev/agent").page


def ask_in_browser(agent, email):
    agent.get_by_role("button", name="Ask in this browser").click()
    title(agent, "Sign In")
    fill(agent, Email=email, Password=PASSWORD)
    press(agent, "Sign In")
    # The page has shown the request, which now belongs to the user.
    title(agent, "“Sample Agent” Asks for Access")


def has_access(agent):
    expect(agent.get_by_role("heading", name="The agent has access")).to_be_visible()
    return agent


def remove(phone):
    """Removes the agent from the list of connected apps."""
    phone.tap(f"Remove {AGENT}")
    question = phone.screen.get_by_role("dialog", name=f"Remove {AGENT}")
    question.get_by_role("button", name=f"Remove {AGENT}", exact=True).click()
    return phone.wait_for("No app or agent has access to your account.")


def test_a_request_in_the_browser_appears_in_the_app_which_approves_and_removes_it(phone, agent, new_email):
    email = new_email()
    phone.sign_up(email)
    ask_in_browser(agent, email)
    # The app's next question to the server finds it.
    phone.wait_for(QUESTION)
    for text in ["Not verified: anyone can use this name.", "Know who you are", "See your email address"]:
        phone.wait_for(text)
    assert phone.barriers() == []
    phone.tap("Approve").wait_for("Approved").wait_for("Continue where you started.").tap("Done")
    expect(phone.screen.get_by_role("dialog")).to_have_count(0)
    # The page in the browser continues to the agent.
    agent.reload()
    has_access(agent).get_by_role("button", name="Refresh").click()
    has_access(agent)
    phone.tap("Your profile", "Connected Apps").wait_for(AGENT).wait_for("See your name and picture")
    assert phone.barriers() == []
    remove(phone)
    agent.get_by_role("button", name="Refresh").click()
    expect(agent.get_by_role("heading", name="No access")).to_be_visible()
    expect(agent.get_by_text(re.compile("^invalid_grant"))).to_be_visible()


def test_a_denied_agent_gets_nothing_and_is_not_asked_about_again(phone, agent, new_email):
    email = new_email()
    phone.sign_up(email)
    ask_in_browser(agent, email)
    phone.wait_for(QUESTION).tap("Deny").wait_for("Denied").wait_for(f"{AGENT} was not given access.").tap("Done")
    agent.reload()
    title(agent, "This request has already been answered.")
    phone.tap("Your profile", "Connected Apps").wait_for("No app or agent has access to your account.")


def test_a_typed_code_approves_a_device(phone, agent, new_email):
    phone.sign_up(new_email())
    agent.get_by_role("button", name="Ask as a device without a browser").click()
    shown = agent.locator("#answer h2").inner_text()
    phone.tap("Your profile", "Connected Apps", "Connect a Device").field("Code").fill(shown.lower())
    phone.tap("Continue").wait_for(QUESTION)
    phone.wait_for("Only approve if you started this on a screen in front of you.")
    phone.wait_for(f"That screen must show the code \u2068{shown}\u2069.")
    assert phone.barriers() == []
    phone.tap("Approve").wait_for("Approved")
    # It asks again by itself.
    has_access(agent)
    phone.tap("Done").wait_for(AGENT)
    remove(phone)


def test_a_wrong_device_code_is_told(phone, new_email):
    phone.sign_up(new_email()).tap("Your profile", "Connected Apps", "Connect a Device")
    phone.field("Code").fill("BCDF-GHJK")
    phone.tap("Continue").wait_for("The code is wrong or has expired.")
