"""Captchas, with a stand-in for hCaptcha and Turnstile."""

import http.server
import json
import urllib.parse

import pytest
from program import PASSWORD, LoopbackServer

ADA = "ada@example.org"


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
