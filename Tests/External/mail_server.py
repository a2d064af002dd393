"""Servers of mail on loopback: aiosmtpd, with certificates and faults."""

import asyncio
import contextlib
import email
import email.policy
import ssl
import subprocess
import threading

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from program import PATIENCE_SECONDS

USER, PASSWORD, TOKEN = "gatehouse", "correct horse 7", "a-token"
SENDER_NAME = 'Größe & Söhne, "Box Score"'


class Authority:
    """A certificate authority of our own, and certificates from it."""

    def __init__(self, folder):
        self.folder = folder
        self.file = str(folder / "authority.pem")
        self.key = str(folder / "authority.key")
        self._openssl("req", "-x509", *self._new_key, "-days", "2", "-subj", "/CN=A test authority",
                      "-keyout", self.key, "-out", self.file)

    _new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=PATIENCE_SECONDS)

    def context(self, name="localhost"):
        """For a server of this name."""
        key, request, certificate, names = (str(self.folder / f"{name}.{kind}") for kind in ("key", "csr", "pem", "ext"))
        self._openssl("req", "-new", *self._new_key, "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        with open(names, "w", encoding="ascii") as file:
            file.write(f"subjectAltName=DNS:{name}\n")
        self._openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self.key, "-CAcreateserial",
                      "-days", "2", "-extfile", names, "-out", certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context


class Handler:
    """Keeps the mails. `answers` to RCPT and DATA are others than acceptance; instead of one to DATA the server may
    hang up (`closes`) or stay silent (`hangs`)."""

    def __init__(self, answers=None, closes=False, hangs=False):
        self.answers, self.closes, self.hangs = answers or {}, closes, hangs
        self.mails, self.connections = [], 0

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        self.connections += 1
        return responses

    async def handle_RCPT(self, server, session, envelope, address, options):
        if answer := self.answers.get("RCPT"):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 fine"

    async def handle_DATA(self, server, session, envelope):
        if self.closes:
            server.transport.abort()
        if self.hangs:
            await asyncio.get_running_loop().create_future()
        if answer := self.answers.get("DATA"):
            return answer
        self.mails.append(Mail(server, session, envelope))
        return "250 2.0.0 queued as 4711"


    async def auth_XOAUTH2(self, server, args):
        given = await server.challenge_auth("")
        is_right = given == f"user={USER}\x01auth=Bearer {TOKEN}\x01\x01".encode()
        return AuthResult(success=is_right, handled=False)


class Mail:
    def __init__(self, server, session, envelope):
        self.hello, self.is_authenticated = session.host_name, session.authenticated
        self.is_encrypted = server.transport.get_extra_info("sslcontext") is not None
        self.sender, self.recipients, self.bytes = envelope.mail_from, envelope.rcpt_tos, envelope.original_content
        self.message = email.message_from_bytes(self.bytes, policy=email.policy.default)


def authenticate(server, session, envelope, mechanism, data):
    is_right = isinstance(data, LoginPassword) and data == LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=is_right, handled=False)


class _Thread:
    """Serves on a free port until `stop`."""

    def __init__(self, protocol, tls):
        self.loop = asyncio.new_event_loop()
        server = self.loop.run_until_complete(self.loop.create_server(protocol, "127.0.0.1", 0, ssl=tls))
        self.port = server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self._serve, args=(server,))
        self.thread.start()

    def _serve(self, server):
        self.loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self.loop.run_until_complete(asyncio.wait(tasks))
        self.loop.close()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE_SECONDS)


@contextlib.contextmanager
def mail_server(handler=None, tls=None, starttls=None, **options):
    """Runs a server, with TLS from the first byte (`tls`) or offered (`starttls`). Gives its handler, with the settings of
    the program."""
    handler = handler or Handler()
    thread = _Thread(lambda: SMTP(handler, hostname="mail.example", tls_context=starttls, **options), tls)
    handler.settings = {
        "GOTRUE_SMTP_HOST": "localhost",
        "GOTRUE_SMTP_PORT": str(thread.port),
        "GOTRUE_SMTP_ADMIN_EMAIL": "no-reply@example.com",
        "GOTRUE_SMTP_SENDER_NAME": SENDER_NAME,
    }
    try:
        yield handler
    finally:
        thread.stop()
