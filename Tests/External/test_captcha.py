"""Captchas, with a stand-in for hCaptcha and Turnstile."""

import http.server
import json
import os
import urllib.parse

import pytest
from chromium import barriers
from playwright.sync_api import expect
from program import PASSWORD, LoopbackServer

ADA = "ada@example.org"
# Turnstile's script, as far as pages notice: a frame with its own origin, and a field with the answer. The test serves
# it in place of the provider's.
WIDGET = """
for (const place of document.querySelectorAll(".cf-turnstile")) {
  const [frame, field] = [document.createElement("iframe"), document.createElement("input")];
  frame.src = "https://challenges.cloudflare.com/frame";
  frame.title = "Captcha";
  frame.style.cssText = "border: 0; height: 65px; width: 100%; min-width: 300px";
  Object.assign(field, { type: "hidden", name: "cf-turnstile-response" });
  addEventListener("message", (event) => {
    if (event.origin === "https://challenges.cloudflare.com" && event.source === frame.contentWindow) {
      field.value = event.data;
    }
  });
  place.append(frame, field);
}
"""
FRAME = """<!doctype html><html lang="en"><title>Captcha</title><body><main><h1>Captcha</h1>
<button style="height: 44px; font-size: 16px" onclick="parent.postMessage('right', '*'); this.textContent = 'Solved'">
I am a person</button></main>"""


@pytest.fixture
def provider():
    """Accepts the token `right`."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = dict(urllib.parse.parse_qsl(body))
            asked.append(form)
            if form["response"] == "broken":
                return self.send_error(500)
            answer = {"success": form["response"] == "right"}
            if not answer["success"]:
                answer["error-codes"] = ["invalid-input-response"]
            content = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = LoopbackServer(Handler)
    server.asked = asked
    server.settings = {
        "GOTRUE_SECURITY_CAPTCHA_ENABLED": "true", "GOTRUE_SECURITY_CAPTCHA_PROVIDER": "turnstile",
        "GOTRUE_SECURITY_CAPTCHA_SECRET": "a secret & more", "GATEHOUSE_SECURITY_CAPTCHA_URL": server.url + "/siteverify",
        "GATEHOUSE_OUTGOING_LOOPBACK": "true",
    }  # fmt: skip
    yield server
    server.stop()


def solved(body, token="right"):
    return body | {"gotrue_meta_security": {"captcha_token": token}}


def test_a_captcha_is_needed(servers, provider, tmp_path):
    server = servers.serve(GATEHOUSE_MAIL_FOLDER=tmp_path / "mails", **provider.settings).start()
    client = server.auth()
    credentials = {"email": ADA, "password": PASSWORD}
    routes = [
        ("/signup", credentials), ("/signup", {}), ("/token?grant_type=password", credentials), ("/recover", {"email": ADA}),
        ("/otp", {"email": ADA}), ("/magiclink", {"email": ADA}), ("/resend", {"email": ADA, "type": "signup"}),
    ]  # fmt: skip
    for path, body in routes:
        answer = client.post(path, body)
        assert (answer.status, answer.code) == (400, "captcha_failed"), (path, answer)
    assert provider.asked == []
    for path, body in routes:
        answer = client.post(path, solved(body, "wrong"))
        assert (answer.status, answer.code) == (400, "captcha_failed") and "invalid-input-response" in answer.body.decode()
    for path, body in routes[:4]:
        assert client.post(path, solved(body)).status == 200, path
    assert provider.asked[-1] == {"secret": "a secret & more", "response": "right", "remoteip": "127.0.0.1"}
    answer = client.post("/token?grant_type=password", solved(credentials, "broken"))
    assert (answer.status, answer.code) == (500, "unexpected_failure")
    answer = client.post("/token?grant_type=password", solved(credentials, "x" * 10_000))
    assert answer.code == "captcha_failed"
    # A refresh and an administrator need none.
    session = client.post("/token?grant_type=password", solved(credentials)).json()
    count = len(provider.asked)
    assert client.post("/token?grant_type=refresh_token", {"refresh_token": session["refresh_token"]}).status == 200
    assert server.admin().post("/signup", {"email": "bob@example.org", "password": PASSWORD}).status == 200
    assert len(provider.asked) == count
    assert "a secret" not in server.log()


def show_widget(tab):
    """Stands for Cloudflare."""
    tab.page.route("https://challenges.cloudflare.com/turnstile/v0/api.js",
                   lambda route: route.fulfill(body=WIDGET, content_type="text/javascript"))  # fmt: skip
    tab.page.route("https://challenges.cloudflare.com/frame", lambda route: route.fulfill(body=FRAME, content_type="text/html"))
    refused = []
    tab.page.on("console", lambda message: refused.append(message.text) if "Content Security" in message.text else None)
    return refused


def solve(page):
    button = page.frame_locator("iframe").get_by_role("button")
    button.click()
    # The page gets the frame's answer in another process, after the frame has changed.
    expect(page.locator("[name=cf-turnstile-response]")).to_have_value("right")


@pytest.fixture
def pages(servers, provider, tmp_path):
    return servers.serve(
        GATEHOUSE_MAIL_FOLDER=tmp_path / "mails", GATEHOUSE_ACCOUNT_PAGES="true",
        GATEHOUSE_SECURITY_CAPTCHA_SITE_KEY="0x4AAAAAAA", **provider.settings,
    ).start()  # fmt: skip


@pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")
def test_the_account_pages_show_the_captcha(tab, pages, provider):
    refused = show_widget(tab)
    page = tab.open(pages.url + "/account/sign-up").page
    page.get_by_label("Email").fill(ADA)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create Account").click()
    expect(page.get_by_role("alert")).to_have_text("Complete the captcha, then try again.")
    assert provider.asked == []
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    solve(page)
    page.get_by_role("button", name="Create Account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Account")
    page.get_by_role("button", name="Sign Out").click()
    page.get_by_label("Email").fill(ADA)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    solve(page)
    page.get_by_role("button", name="Sign In", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Account")
    assert [asked["response"] for asked in provider.asked] == ["right", "right"]
    assert page.locator("script").count() == 0
    for path in ["/sign-in?again=yes", "/sign-up", "/sign-in/code", "/forgot-password"]:
        tab.open(pages.url + "/account" + path)
        expect(page.frame_locator("iframe").get_by_role("button")).to_be_visible()
        assert barriers(tab) == [], path
    assert refused == []


@pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")
def test_without_scripts_the_pages_say_what_is_missing(plain, pages):
    page = plain.open(pages.url + "/account/sign-in").page
    expect(page.get_by_text("Please allow scripts for this page.")).to_be_visible()
