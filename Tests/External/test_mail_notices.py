"""Notices of changes, and addresses that refuse mails, from a request to aiosmtpd."""

import json
import re

import pytest
from agent import OAUTH, Agent
from mail_server import Handler, mail_server
from program import PASSWORD, poll
from test_mailed_codes import CONFIRM, code_of, received, statuses, text_of

NOTICES = {
    f"GOTRUE_MAILER_NOTIFICATIONS_{name}_ENABLED": "true"
    for name in ("PASSWORD_CHANGED", "EMAIL_CHANGED", "PHONE_CHANGED", "IDENTITY_LINKED", "IDENTITY_UNLINKED")
} | {"GATEHOUSE_MAILER_NOTIFICATIONS_NEW_DEVICE_ENABLED": "true"}
PHONE = "Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.2"


def test_a_new_password_and_a_new_device_are_reported(servers):
    with mail_server() as handler:
        server = servers.serve(**CONFIRM, **NOTICES, **handler.settings).start()
        client = server.auth(headers={"Accept-Language": "en"})
        body = {"email": "ada@example.org", "password": PASSWORD, "data": {"locale": "en"}}
        assert client.post("/signup", body).status == 200
        (mail,) = received(handler, "ada@example.org")
        body = {"type": "signup", "email": "ada@example.org", "token": code_of(mail)}
        assert client.post("/verify", body).status == 200
        phone = server.auth(headers={"User-Agent": PHONE, "Accept-Language": "de"})
        session = phone.sign_in("ada@example.org").json()
        mail = received(handler, "ada@example.org", 2)[-1]
        assert mail.message["Subject"].startswith("New sign-in")
        assert "iPhone · Journal · iOS 18.2 · 127.0.0.1" in text_of(mail)
        changed = server.auth(token=session["access_token"]).put("/user", {"password": PASSWORD + " 2"})
        assert changed.status == 200, changed.body
        mail = received(handler, "ada@example.org", 3)[-1]
        assert "password" in mail.message["Subject"] and "Time:" in text_of(mail)
        assert not mail.message.defects and "ada@" not in server.log()


def test_the_link_of_a_new_device_s_notice_signs_it_out(servers):
    with mail_server() as handler:
        server = servers.serve(**CONFIRM, **NOTICES, **handler.settings, GATEHOUSE_ACCOUNT_PAGES="true").start()
        body = {"email": "ada@example.org", "password": PASSWORD, "email_confirm": True}
        assert server.admin().post("/admin/users", body).status == 200
        assert server.auth().sign_in("ada@example.org").status == 200
        phone = server.auth(headers={"User-Agent": PHONE})
        session = phone.sign_in("ada@example.org").json()
        text = text_of(received(handler, "ada@example.org")[-1])
        (token,) = re.findall(r"http://\S+/account/unknown-device\?token=([0-9a-f]{56})\s", text)
        report = server.auth().post("/sessions/report", {"token_hash": token, "email": "ada@example.org"})
        # Also the first sign-in, unless it is older than the difference of two nodes' clocks.
        assert report.json()["ended_sessions"] in (1, 2) and report.json()["password_set_aside"] is True, report.body
        ended = server.auth(token=session["access_token"]).get("/user")
        assert ended.status == 403 and ended.headers["x-gatehouse-session-end"] == "not_recognized"
        assert phone.sign_in("ada@example.org").json()["code"] == "credential_set_aside"


def test_a_changed_number_is_reported(servers):
    with mail_server() as handler:
        server = servers.serve(**CONFIRM, **NOTICES, **handler.settings).start()
        body = {"email": "ada@example.org", "password": PASSWORD, "email_confirm": True, "phone": "15551230001"}
        user = server.admin().post("/admin/users", body).json()["id"]
        changed = server.admin().put(f"/admin/users/{user}", {"phone": "491701234567", "phone_confirm": True})
        assert changed.status == 200, changed.body
        (mail,) = received(handler, "ada@example.org")
        assert "phone number" in mail.message["Subject"] and "+491701234567" in text_of(mail)
        assert "New number:" in text_of(mail) and "Previous number: +15551230001" in text_of(mail)


@pytest.mark.parametrize("language, access", [("en", "See your email address"), ("de", "Deine E-Mail-Adresse sehen")])
def test_a_connected_app_is_reported_with_its_rights_and_the_page_that_removes_it(servers, language, access):
    with mail_server() as handler:
        settings = {**CONFIRM, **OAUTH, "GATEHOUSE_MAILER_NOTIFICATIONS_APP_CONNECTED_ENABLED": "true"}
        server = servers.serve(**settings, **handler.settings).start()
        body = {"email": "ada@example.org", "password": PASSWORD, "email_confirm": True}
        assert server.admin().post("/admin/users", body | {"user_metadata": {"locale": language}}).status == 200
        token = server.auth().sign_in("ada@example.org").json()["access_token"]
        agent, user = Agent(server, client_name="Scout"), server.auth(token=token)
        path = f"/oauth/authorizations/{agent.authorize('email offline_access')}"
        assert user.get(path).status == 200
        assert user.post(path + "/consent", {"action": "approve"}).status == 200
        (mail,) = received(handler, "ada@example.org")
        text = text_of(mail)
        assert "Scout" in text and "Scout" not in mail.message["Subject"]
        assert f": {access} · " in text and server.url + "/account/apps" in text


@pytest.mark.parametrize(
    "reply, state, is_marked",
    [
        ("550 5.1.1 no such user", "failed", True),
        ("550 5.1.2 no such domain", "failed", True),
        ("556 5.1.10 null MX", "failed", True),
        ("550 5.2.1 disabled", "failed", True),
        ("550 relay not permitted", "failed", False),
        ("550 Sender verify failed", "failed", False),
        ("550 5.7.1 no relaying", "failed", False),
        ("552 5.2.2 mailbox full", "failed", False),
        ("550 5.1.8 Sender address rejected: Domain not found", "queued", False),
        ("553 5.1.7 The sender address is not valid", "queued", False),
    ],
)  # fmt: skip
def test_a_refused_address_is_shown_to_its_user(servers, reply, state, is_marked):
    with mail_server(Handler(answers={"RCPT": reply})) as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        body = {"email": "ada@example.org", "password": PASSWORD, "email_confirm": True}
        assert server.admin().post("/admin/users", body).status == 200
        assert server.auth().post("/recover", {"email": "ada@example.org"}).status == 200
        poll(lambda: reply.split()[0] in (statuses(server)[0].get("reason") or ""), "the refusal")
        assert statuses(server)[0]["state"] == state
        user = server.auth().sign_in("ada@example.org").json()["user"]
        assert ("email_undeliverable_at" in user) == is_marked


def test_a_server_that_refuses_every_mail_loses_few_and_is_reported(servers):
    with mail_server(Handler(answers={"RCPT": "550 relay not permitted"})) as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        for number in range(5):
            body = {"email": f"person{number}@example.org", "password": PASSWORD, "email_confirm": True}
            assert server.admin().post("/admin/users", body).status == 200
            assert server.auth().post("/recover", {"email": body["email"]}).status == 200
            poll(lambda: "550" in (statuses(server)[0].get("reason") or ""), "the refusal")
        assert [mail["state"] for mail in statuses(server)] == ["queued", "queued", "failed", "failed", "failed"]
        found = server.command("doctor", "--json")
        (problem,) = [line for line in map(json.loads, found.stdout.splitlines()) if line["check"] == "mails"]
        assert found.returncode == 1 and problem["state"] == "problem"
        assert problem["text"] == "the last 5 emails were refused by the mail server: the server answered 550"
        handler.answers = {}
        assert server.command("mail", "retry", "--all").returncode == 0
        received(handler, "person4@example.org")
        assert not [line for line in server.command("doctor", "--json").stdout.splitlines() if '"mails"' in line]
