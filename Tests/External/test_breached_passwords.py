"""New passwords that a service knows from breaches: a stand-in for Have I Been Pwned on loopback."""

import hashlib
import http.server
import threading

import pytest

BREACHED = "one of the breached passwords"


class Ranges(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        digest = hashlib.sha1(BREACHED.encode()).hexdigest().upper()
        self.server.asked.append(self.path)
        body = f"{digest[5:]}:7\r\n".encode() if self.path == f"/range/{digest[:5]}" else b""
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def service():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges) as server:
        server.asked, server.status = [], 200
        server.settings = {
            "GOTRUE_PASSWORD_HIBP_ENABLED": "true",
            "GATEHOUSE_PASSWORD_HIBP_URL": f"http://127.0.0.1:{server.server_port}/range/",
            "GATEHOUSE_OUTGOING_LOOPBACK": "true",
        }
        threading.Thread(target=server.serve_forever).start()
        yield server
        server.shutdown()


def sign_up(server, email, password):
    return server.auth().post("/signup", {"email": email, "password": password})


def test_a_breached_password_is_refused(servers, service):
    server = servers.serve(GOTRUE_MAILER_AUTOCONFIRM="true", **service.settings).start()
    refused = sign_up(server, "ada@example.org", BREACHED)
    assert (refused.status, refused.code) == (422, "weak_password")
    assert refused.json()["weak_password"]["reasons"] == ["pwned"]
    session = sign_up(server, "ada@example.org", BREACHED + " 2")
    assert session.status == 200
    user = server.auth(token=session.json()["access_token"])
    assert user.put("/user", {"password": BREACHED}).code == "weak_password"
    # Neither a weak password nor a sign-in calls the service.
    asked = len(service.asked)
    assert sign_up(server, "bob@example.org", "short").code == "weak_password"
    assert server.auth().sign_in("ada@example.org", BREACHED + " 2").status == 200
    assert len(service.asked) == asked and all(len(path) == len("/range/") + 5 for path in service.asked)


def test_a_service_that_fails_keeps_nobody_out(servers, service):
    service.status = 503
    server = servers.serve(GOTRUE_MAILER_AUTOCONFIRM="true", **service.settings).start()
    assert sign_up(server, "ada@example.org", BREACHED).status == 200
    assert 'gatehouse_breached_passwords_total{outcome="failed"} 1' in server.metrics().body.decode()


def test_the_service_is_asked_only_if_it_is_switched_on(servers, service):
    settings = {**service.settings, "GOTRUE_PASSWORD_HIBP_ENABLED": "false"}
    server = servers.serve(GOTRUE_MAILER_AUTOCONFIRM="true", **settings).start()
    assert sign_up(server, "ada@example.org", BREACHED).status == 200
    assert not service.asked
