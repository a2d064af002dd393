"""Mails that `gatehouse doctor --send` sends to other servers: their form, encryption, authentication and faults."""

import json
import shutil

import pytest
from mail_server import PASSWORD, SENDER_NAME, TOKEN, USER, Authority, Handler, authenticate, mail_server

RECIPIENT = "ada@example.org"
PLAIN = {"GATEHOUSE_SMTP_TLS": "off"}
STARTTLS = {"GATEHOUSE_SMTP_TLS": "starttls"}
LOGIN = {"GOTRUE_SMTP_USER": USER, "GOTRUE_SMTP_PASS": PASSWORD}


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    return Authority(tmp_path_factory.mktemp("authority"))


def doctor(servers, settings, *arguments):
    """What `doctor` finds out about mail."""
    ended = servers.serve(**settings).command("doctor", "--json", *arguments)
    findings = [json.loads(line) for line in ended.stdout.splitlines()]
    (finding,) = [finding for finding in findings if finding["check"] == "mail"]
    assert (ended.returncode == 1) >= (finding["state"] == "problem")
    assert PASSWORD not in ended.stdout + ended.stderr and TOKEN not in ended.stdout + ended.stderr
    return finding


def send(servers, handler, *, to=RECIPIENT, **settings):
    return doctor(servers, {**handler.settings, **settings}, "--send", to)


def test_a_mail_is_what_pythons_reader_expects(servers):
    with mail_server() as handler:
        found = send(servers, handler, API_EXTERNAL_URL="https://auth.example.com/auth/v1")
    assert found["state"] == "ok" and "250 2.0.0 queued as 4711" in found["text"], found
    assert "SPF" in found["advice"] and "DKIM" in found["advice"]
    (mail,) = handler.mails
    assert (mail.hello, mail.sender, mail.recipients) == ("auth.example.com", "no-reply@example.com", [RECIPIENT])
    message = mail.message
    assert not message.defects and all(not part.defects for part in message.walk())
    (sender,) = message["From"].addresses
    assert (sender.display_name, sender.addr_spec) == (SENDER_NAME, "no-reply@example.com")
    assert message["To"] == RECIPIENT and message["Subject"] == f"Test email from {SENDER_NAME}"
    assert message["Date"].datetime is not None and message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@example.com>") and len(message["Message-ID"]) == 46
    assert message.get_content_type() == "multipart/alternative"
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert f"{SENDER_NAME} can send emails." in text.get_content()
    assert "Größe &amp; Söhne, &quot;Box Score&quot; can send emails." in html.get_content()
    assert mail.bytes.count(b"\n") == mail.bytes.count(b"\r\n") == mail.bytes.count(b"\r")
    assert mail.bytes.isascii() and all(len(line) <= 78 for line in mail.bytes.split(b"\r\n"))


def test_doctor_alone_sends_nothing(servers):
    with mail_server() as handler:
        found = doctor(servers, handler.settings)
    assert found["state"] == "ok" and "is reachable" in found["text"], found
    assert handler.connections == 1 and not handler.mails


@pytest.mark.parametrize("way", ["starttls", "tls"])
def test_encrypted_with_a_certificate_of_our_own_authority(servers, authority, way):
    with mail_server(**{way: authority.context()}) as handler:
        found = send(servers, handler, GATEHOUSE_SMTP_TLS=way, GATEHOUSE_SMTP_CA_FILE=authority.file)
    assert found["state"] == "ok", found
    assert handler.mails[0].is_encrypted


@pytest.mark.parametrize("way", ["starttls", "tls"])
@pytest.mark.parametrize(
    "name, knows_authority, reason",
    [("localhost", False, "certificate"), ("mail.example.com", True, "name"), ("mail.example.com", False, "certificate")],
)
def test_a_bad_certificate_gets_no_mail_and_no_password(servers, authority, way, name, knows_authority, reason):
    file = {"GATEHOUSE_SMTP_CA_FILE": authority.file} if knows_authority else {}
    options = {way: authority.context(name), "authenticator": authenticate, "auth_require_tls": False}
    with mail_server(**options) as handler:
        found = send(servers, handler, GATEHOUSE_SMTP_TLS=way, **file, **LOGIN)
    assert found["state"] == "problem" and ", tls: " in found["text"] and reason in found["text"].lower(), found
    assert not handler.mails


def test_a_server_without_starttls_gets_no_mail(servers):
    with mail_server(authenticator=authenticate, auth_require_tls=False) as handler:
        found = send(servers, handler, **STARTTLS, **LOGIN)
        assert "does not offer STARTTLS" in found["text"], found
        assert not handler.mails
        assert send(servers, handler, **PLAIN, **LOGIN)["state"] == "ok"
    assert handler.mails[0].is_authenticated and not handler.mails[0].is_encrypted


@pytest.mark.parametrize("excluded", [["LOGIN"], ["PLAIN"]])
def test_a_password(servers, authority, excluded):
    options = {"starttls": authority.context(), "authenticator": authenticate, "auth_exclude_mechanism": excluded}
    given = {**STARTTLS, "GATEHOUSE_SMTP_CA_FILE": authority.file}
    with mail_server(auth_required=True, **options) as handler:
        assert send(servers, handler, **given, **LOGIN)["state"] == "ok"
        assert handler.mails[0].is_authenticated and handler.mails[0].is_encrypted
        wrong = send(servers, handler, **given, **{**LOGIN, "GOTRUE_SMTP_PASS": "wrong"})
        assert ", authentication: " in wrong["text"] and "535 5.7.8" in wrong["text"], wrong
        none = send(servers, handler, **given)
        assert ", sender: " in none["text"] and "530 5.7.0" in none["text"], none
    assert len(handler.mails) == 1


def test_a_token_is_read_from_its_file(servers, authority, tmp_path):
    file = tmp_path / "token"
    given = {**STARTTLS, "GATEHOUSE_SMTP_CA_FILE": authority.file, "GOTRUE_SMTP_USER": USER,
             "GATEHOUSE_SMTP_TOKEN_FILE": str(file)}
    with mail_server(starttls=authority.context(), authenticator=authenticate, auth_required=True) as handler:
        missing = send(servers, handler, **given)
        assert "token cannot be read: there is no such file" in missing["text"], missing
        file.write_text("expired\n")
        assert ", authentication: " in send(servers, handler, **given)["text"]
        file.write_text(TOKEN + "\n")
        assert send(servers, handler, **given)["state"] == "ok"
    assert handler.mails[0].is_authenticated


@pytest.mark.parametrize(
    "command, answer, stage",
    [
        ("RCPT", "451 4.7.1 greylisted, come back later", "recipient"),
        ("RCPT", "550 5.1.1 nobody of this name", "recipient"),
        ("DATA", "452 4.3.1 the disk is full", "message"),
        ("DATA", "554 5.7.1 this is spam", "message"),
    ],
)
def test_the_answer_of_a_server_that_refuses_is_shown(servers, command, answer, stage):
    with mail_server(Handler({command: answer})) as handler:
        found = send(servers, handler)
    assert found["state"] == "problem" and f", {stage}: the server replied {answer}" in found["text"], found


@pytest.mark.parametrize(
    "fault, cause", [("closes", "the server closed the connection"), ("hangs", "the server did not answer in time")]
)
def test_without_an_answer_to_the_whole_mail_it_may_have_arrived(servers, fault, cause):
    with mail_server(Handler(**{fault: True})) as handler:
        # The greeting and the commands before have to fit into it, on a busy machine too.
        found = send(servers, handler, GATEHOUSE_SMTP_TIMEOUT="10s")
    assert found["text"].endswith(f", message: {cause}"), found
    assert "may still arrive" in found["advice"]


@pytest.mark.parametrize(
    "to", ["ada@example.org\r\nBcc: eve@example.net", "ada@example.org\nDATA", "a\r\n@example.org", "<a@example.org>", "a b@c"]
)
def test_an_address_cannot_add_a_command_or_a_header(servers, to):
    with mail_server() as handler:
        found = send(servers, handler, to=to)
    assert found["state"] == "problem" and "the address " in found["text"], found
    assert handler.connections == 0


@pytest.mark.parametrize(
    "changes, name",
    [
        ({"GOTRUE_SMTP_SENDER_NAME": "Box\r\nBcc: eve@example.net"}, "GOTRUE_SMTP_SENDER_NAME"),
        ({"GOTRUE_SMTP_ADMIN_EMAIL": "a@example.com\nBcc: eve@example.net"}, "GOTRUE_SMTP_ADMIN_EMAIL"),
        ({"GOTRUE_SMTP_USER": "a\nb", "GOTRUE_SMTP_PASS": "c"}, "GOTRUE_SMTP_USER"),
        ({"GOTRUE_SMTP_HOST": "localhost:25"}, "GOTRUE_SMTP_HOST"),
        ({"GOTRUE_SMTP_HOST": "a/b@c"}, "GOTRUE_SMTP_HOST"),
        ({"GOTRUE_SMTP_ADMIN_EMAIL": ""}, "GATEHOUSE_SMTP_ADMIN_EMAIL"),
        ({"GOTRUE_SMTP_USER": "ada"}, "GATEHOUSE_SMTP_PASS"),
        ({"GATEHOUSE_SMTP_TLS": "maybe"}, "GATEHOUSE_SMTP_TLS"),
        ({"GATEHOUSE_SMTP_CA_FILE": "/nowhere/authority.pem"}, "GATEHOUSE_SMTP_CA_FILE"),
        ({"GATEHOUSE_SMTP_CA_FILE": __file__}, "GATEHOUSE_SMTP_CA_FILE"),
        ({"GATEHOUSE_SMTP_TIMEOUT": "1h"}, "GATEHOUSE_SMTP_TIMEOUT"),
    ],
)
def test_check_config_refuses_settings_that_cannot_work(servers, changes, name):
    settings = {"GOTRUE_SMTP_HOST": "mail.example.com", "GOTRUE_SMTP_ADMIN_EMAIL": "no-reply@example.com", **changes}
    ended = servers.serve(**settings).command("check-config")
    assert ended.returncode == 78
    assert [line for line in ended.stderr.splitlines() if line.lstrip().startswith(name)], ended.stderr


def test_names_beyond_ascii(servers):
    with mail_server() as handler:
        assert send(servers, handler, to="ada@münchen.example")["state"] == "ok"
        refused = send(servers, handler, to="größe@example.org")
        assert "beyond ASCII" in refused["text"], refused
    with mail_server(enable_SMTPUTF8=True) as willing:
        assert send(servers, willing, to="größe@münchen.example")["state"] == "ok"
    assert handler.mails[0].recipients == ["ada@xn--mnchen-3ya.example"]
    assert [mail.recipients for mail in willing.mails] == [["größe@xn--mnchen-3ya.example"]]
    assert "\r\nTo: größe@xn--mnchen-3ya.example\r\n".encode() in willing.mails[0].bytes


def test_mails_across_a_network_without_tls_are_reported(servers):
    settings = {"GOTRUE_SMTP_HOST": "mail.example.com", "GOTRUE_SMTP_ADMIN_EMAIL": "no-reply@example.com", **PLAIN}
    told = servers.serve(**settings).command("check-config").stderr
    assert "emails, with their links and codes, are sent to mail.example.com unencrypted" in told


def test_without_a_server_there_is_nothing_to_send_with(servers):
    assert "no mail server is configured" in doctor(servers, {}, "--send", RECIPIENT)["text"]
