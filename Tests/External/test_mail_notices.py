"""Notices of changes, and addresses that refuse mails, from a request to aiosmtpd."""

import pytest
from mail_server import Handler, mail_server
from program import PASSWORD, poll
from test_mailed_codes import CONFIRM, code_of, received, statuses, text_of

NOTICES = {
    f"GOTRUE_MAILER_NOTIFICATIONS_{name}_ENABLED": "true"
    for name in ("PASSWORD_CHANGED", "EMAIL_CHANGED", "IDENTITY_LINKED", "IDENTITY_UNLINKED")
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


@pytest.mark.parametrize(
    "reply, is_marked",
    [("550 5.1.1 no such user", True), ("550 no such user", True), ("550 5.7.1 no relaying", False)])
def test_a_refused_address_is_shown_to_its_user(servers, reply, is_marked):
    with mail_server(Handler(answers={"RCPT": reply})) as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        body = {"email": "ada@example.org", "password": PASSWORD, "email_confirm": True}
        assert server.admin().post("/admin/users", body).status == 200
        assert server.auth().post("/recover", {"email": "ada@example.org"}).status == 200
        poll(lambda: statuses(server)[0]["state"] == "failed", "the refusal")
        user = server.auth().sign_in("ada@example.org").json()["user"]
        assert ("email_undeliverable_at" in user) == is_marked
