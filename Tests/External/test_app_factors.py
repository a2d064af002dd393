"""Two-step verification in the app at `/app` of `gatehouse dev`, with texted codes from its inbox."""

import os
import re

import pytest
from playwright.sync_api import expect
from program import PASSWORD, Client, poll
from test_app import phone  # noqa: F401  a fixture

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

# As the app shows it, in its own direction.
NUMBER, SHOWN = "+12015550151", "\u2066+1 201 555 0151\u2069"


def texted(server, number, count):
    """The code of the number's message with this count, from 1."""
    inbox, digits = Client(server.url), number.lstrip("+")

    def texts():
        return inbox.get(f"/dev/inbox/texts?q={digits}").json()["texts"][::-1]

    return poll(lambda: texts()[count - 1 : count], f"message {count}")[0]["code"]


def confirm(phone, question):
    phone.screen.get_by_role("dialog", name=question).get_by_role("button", name=question, exact=True).click()


def sign_out(phone):
    phone.tap("Sign Out")
    confirm(phone, "Sign Out")
    phone.wait_for("Sign in to follow your teams")


def start(phone, email):
    """Signs in with the password."""
    phone.tap("Sign in", "Sign in with Email")
    phone.field("Email").fill(email)
    phone.field("Password").fill(PASSWORD)
    phone.field("Password").press("Enter")
    return phone


def sign_in(phone, email):
    return start(phone, email).wait_for("Confirm It's You")


def test_a_user_adds_a_phone_number_as_second_factor_and_signs_in_with_it(phone, dev, new_email):
    email = new_email()
    phone.sign_up(email).tap("Your profile", "Security").wait_for("Two-Step Verification")
    phone.tap("Add a Phone Number").field("Phone Number").fill(NUMBER)
    phone.tap("Text Me a Code").wait_for("Check your messages").field("Code").fill(texted(dev, NUMBER, 1))
    # The profile stays open below the codes, which are shown once.
    codes = phone.wait_for("Recovery Codes").screen.get_by_text(re.compile(r"^\u2066\w{4}-\w{4}-\w{4}-\w{4}\u2069$"))
    expect(codes).to_have_count(10)
    recovery = codes.first.inner_text()
    phone.tap("I've Saved Them").wait_for(SHOWN).wait_for("10 of 10 left").tap("Profile")
    sign_out(phone)
    sign_in(phone, email)
    wrong = "000000" if texted(dev, NUMBER, 2) != "000000" else "111111"
    phone.field("Code").fill(wrong)
    phone.wait_for("The code is wrong or has expired.").field("Code").fill(texted(dev, NUMBER, 2))
    phone.wait_for("Welcome back, Ada").tap("Your profile")
    # Without the phone, a recovery code signs in.
    sign_out(phone)
    sign_in(phone, email).tap("Use a Recovery Code").wait_for("Enter one of your recovery codes. Each works once.")
    phone.field("Code").fill(recovery)
    phone.tap("Continue").wait_for("Welcome back, Ada").tap("Your profile", "Security").wait_for("9 of 10 left")


def test_a_user_removes_the_number(phone, dev, new_email):
    """Then the password suffices."""
    email, number, shown = new_email(), "+12015550152", "\u2066+1 201 555 0152\u2069"
    phone.sign_up(email).tap("Your profile", "Security", "Add a Phone Number").field("Phone Number").fill(number)
    phone.tap("Text Me a Code").wait_for("Check your messages").field("Code").fill(texted(dev, number, 1))
    phone.tap("I've Saved Them").wait_for(shown).tap(f"Remove {shown}")
    confirm(phone, "Remove")
    # They would be the only factor.
    phone.wait_for("Remove the recovery codes first.").tap("Remove Recovery Codes")
    confirm(phone, "Remove Recovery Codes")
    phone.wait_for("Create Recovery Codes").tap(f"Remove {shown}")
    confirm(phone, "Remove")
    expect(phone.button(f"Remove {shown}")).to_have_count(0)
    phone.tap("Profile")
    sign_out(phone)
    start(phone, email).wait_for("Welcome back, Ada")
