"""Mails with codes and links, from a request to aiosmtpd and back: faults of the mail server, `kill -9`, and two nodes."""

import json
import re
import sqlite3
import threading

import postgres
from mail_server import Handler, mail_server
from program import PASSWORD, PATIENCE_SECONDS, at_once, poll
from test_nodes import two_nodes

CONFIRM = {"GOTRUE_MAILER_AUTOCONFIRM": "false"}


class Greylist(Handler):
    """Refuses the first attempt for each address."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address not in self.seen:
            self.seen.add(address)
            return "451 4.7.1 come back later"
        return await super().handle_RCPT(server, session, envelope, address, options)


class Waiting(Handler):
    """Takes a whole message and never answers. `reached`: it has one."""

    def __init__(self):
        super().__init__(hangs=True)
        self.reached = threading.Event()

    async def handle_DATA(self, server, session, envelope):
        self.reached.set()
        return await super().handle_DATA(server, session, envelope)


def received(handler, address, count=1):
    """The mails to an address, when there are so many."""
    def found():
        mails = [mail for mail in handler.mails if mail.recipients == [address]]
        return mails if len(mails) >= count else None

    poll(found, f"a mail to {address}")
    return found()


def text_of(mail):
    return mail.message.get_body(("plain",)).get_content()


def code_of(mail):
    return re.search(r"\b\d{6}\b", text_of(mail)).group()


def statuses(server):
    """What `gatehouse mail list` shows, newest first."""
    ended = server.command("mail", "list", "--json")
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_a_sign_up_is_confirmed_by_the_code_of_its_mail(servers):
    with mail_server() as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        client = server.auth(headers={"Accept-Language": "de-AT, en;q=0.5"})
        assert client.get("/settings").json()["mailer_enabled"] is True
        assert client.post("/signup", {"email": "ada@example.org", "password": PASSWORD}).status == 200
        (mail,) = received(handler, "ada@example.org")
        assert mail.message["Message-ID"].endswith("@example.com>") and not mail.message.defects
        assert "/auth/v1/verify?token=" in text_of(mail)
        assert mail.message.get_body(("html",)).get_content().count("lang=\"de\"") >= 1
        code = code_of(mail)
        body = {"type": "signup", "email": "ada@example.org", "token": code}
        assert client.post("/verify", body).json()["user"]["email_confirmed_at"]
        assert client.sign_in("ada@example.org").status == 200
        # Neither the address nor the code is in the log.
        assert "ada@" not in server.log() and code not in server.log()


def test_greylisting_delays_a_mail_and_a_refused_address_ends_it(servers):
    with mail_server(Greylist()) as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        assert server.auth().post("/otp", {"email": "ada@example.org"}).status == 200
        # After four seconds the server tries again by itself, on a busy machine before a look at the first attempt.
        poll(lambda: (mail := statuses(server)[0]).get("reason") or mail["state"] == "sent", "the first attempt")
        assert server.command("mail", "retry", "--all").returncode == 0
        (mail,) = received(handler, "ada@example.org")
        poll(lambda: statuses(server)[0]["state"] == "sent", "the status")
        assert statuses(server)[0]["attempts"] == 2
        body = {"type": "email", "email": "ada@example.org", "token": code_of(mail)}
        assert server.auth().post("/verify", body).status == 200
    with mail_server(Handler(answers={"RCPT": "550 5.1.1 nobody ada@example.org"})) as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        assert server.auth().post("/otp", {"email": "ada@example.org"}).status == 200
        poll(lambda: statuses(server)[0]["state"] == "failed", "the status")
        assert "550" in statuses(server)[0]["reason"] and "ada@" not in statuses(server)[0]["reason"]
        assert "ada@" not in server.log()


def test_kill_9_between_message_and_answer_loses_no_mail(servers):
    waiting = Waiting()
    with mail_server(waiting) as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        assert server.auth().post("/otp", {"email": "ada@example.org"}).status == 200
        assert waiting.reached.wait(PATIENCE_SECONDS)
        server.end_now()
    with mail_server() as handler:
        server.environment |= handler.settings
        # The lease of the killed process ends now instead of in minutes.
        with sqlite3.connect(server.database_path) as database:
            database.execute("UPDATE mail_outbox SET next_at = 0")
        server.start()
        (mail,) = received(handler, "ada@example.org")
        body = {"type": "email", "email": "ada@example.org", "token": code_of(mail)}
        assert server.auth().post("/verify", body).status == 200


@postgres.needs_server
def test_two_nodes_send_each_mail_once(servers, cluster):
    with mail_server() as handler:
        settings = {**CONFIRM, **handler.settings}
        nodes = two_nodes(servers, cluster.database(), **settings)
        addresses = [f"person{number}@example.org" for number in range(40)]

        def ask(node, mine):
            for address in mine:
                assert node.auth().post("/otp", {"email": address}).status == 200
            return True

        at_once(*[lambda node=node, start=start: ask(node, addresses[start::2]) for start, node in enumerate(nodes)])
        poll(lambda: len(handler.mails) >= len(addresses), "all mails")
        poll(lambda: all(mail["state"] == "sent" for mail in statuses(nodes[0])), "all reports")
        assert sorted(mail.recipients[0] for mail in handler.mails) == sorted(addresses)
        assert len({mail.message["Message-ID"] for mail in handler.mails}) == len(addresses)


def test_the_operator_drops_what_waits(servers):
    with mail_server(Handler(answers={"RCPT": "451 4.7.1 later"})) as handler:
        server = servers.serve(**CONFIRM, **handler.settings).start()
        assert server.auth().post("/otp", {"email": "ada@example.org"}).status == 200
        poll(lambda: statuses(server)[0].get("reason"), "the first attempt")
        name = statuses(server)[0]["id"]
        assert server.command("mail", "drop", name).stdout == "1 emails discarded\n"
        assert statuses(server)[0]["reason"] == "dropped"
        assert server.command("mail", "drop", name).returncode == 1
        assert server.command("mail", "drop").returncode == 64


def test_without_a_mail_server_screens_learn_that_there_is_no_mail(servers):
    server = servers.serve().start()
    assert server.auth().get("/settings").json()["mailer_enabled"] is False
    assert server.auth().post("/recover", {"email": "ada@example.org"}).code == "email_provider_disabled"
