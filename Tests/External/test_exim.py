"""A real mail server, Exim as Debian packages it, takes our mails: with its own spool, on loopback, for local delivery.
Without the program (`apt-get install exim4-daemon-light`), or without root, from which it delivers, nothing runs."""

import contextlib
import email
import email.policy
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest
from program import PASSWORD, PATIENCE_SECONDS, free_port, poll
from test_mailed_codes import CONFIRM, code_of, statuses

PROGRAM = shutil.which("exim4") or shutil.which("exim4", path="/usr/sbin")
USER = "Debian-exim"

pytestmark = pytest.mark.skipif(PROGRAM is None or os.geteuid() != 0, reason="needs Exim and root")

# Stricter than the defaults: headers are checked, and only known names are taken.
CONFIGURATION = """
primary_hostname = mail.example.org
spool_directory = {folder}/spool
log_file_path = {folder}/log-%slog
pid_file_path = {folder}/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = {port}
tls_advertise_hosts =
keep_environment =
# Otherwise the eleventh mail of a connection waits for a queue runner, which does not run here.
smtp_accept_queue_per_connection = 0
domainlist local_domains = example.org
acl_smtp_rcpt = check_rcpt
acl_smtp_data = check_data
begin acl
check_rcpt:
  deny !domains = +local_domains
       message = 5.7.1 no relaying
  deny local_parts = nobody
       message = 5.1.1 no such user
  accept
check_data:
  require verify = header_syntax
          verify = header_names_ascii
  accept
begin routers
local:
  driver = accept
  domains = +local_domains
  transport = maildir
begin transports
maildir:
  driver = appendfile
  directory = {folder}/mails
  maildir_format
  user = {user}
"""


class Received:
    """In the form of the mails of `mail_server`."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        self.message = email.message_from_bytes(self.bytes, policy=email.policy.default)


@contextlib.contextmanager
def exim():
    folder, port = pathlib.Path(tempfile.mkdtemp(prefix="exim-")), free_port()
    for name in ("spool", "mails"):
        (folder / name).mkdir()
        shutil.chown(folder / name, USER, USER)
    shutil.chown(folder, USER, USER)
    folder.chmod(0o755)
    configuration = folder / "configuration"
    configuration.write_text(CONFIGURATION.format(folder=folder, port=port, user=USER), encoding="ascii")
    # With -bdf it stays in the foreground; new mails are delivered by processes of its own.
    process = subprocess.Popen([PROGRAM, "-C", str(configuration), "-bdf"])
    try:
        poll(lambda: (folder / "pid").exists() or process.poll() is not None, "Exim")
        assert process.poll() is None
        yield folder, {
            "GOTRUE_SMTP_HOST": "127.0.0.1", "GOTRUE_SMTP_PORT": str(port),
            "GOTRUE_SMTP_ADMIN_EMAIL": "no-reply@example.org", "GOTRUE_SMTP_SENDER_NAME": "Größe & Söhne",
        }
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
        shutil.rmtree(folder)


def delivered(folder, address, count=1):
    """The mails to an address, oldest first, when there are so many."""
    def found():
        paths = sorted((folder / "mails" / "new").glob("*"), key=lambda path: path.stat().st_mtime_ns)
        mails = [mail for mail in map(Received, paths) if mail.message["To"] == address]
        return mails if len(mails) >= count else None

    return poll(found, f"a mail to {address}")


def test_exim_takes_each_kind_of_mail_in_each_language(servers):
    with exim() as (folder, settings):
        server = servers.serve(**CONFIRM, **settings, GOTRUE_SMTP_MAX_FREQUENCY="0").start()
        for language in ("en", "es", "de", "ja", "ar"):
            address = f"ada-{language}@example.org"
            client = server.auth(headers={"Accept-Language": language})
            assert client.post("/signup", {"email": address, "password": PASSWORD}).status == 200
            (mail,) = delivered(folder, address)
            body = {"type": "signup", "email": address, "token": code_of(mail)}
            assert client.post("/verify", body).status == 200
            assert client.post("/recover", {"email": address}).status == 200
            assert client.post("/signup", {"email": address, "password": PASSWORD}).status == 200
            assert server.admin().post("/invite", {"email": f"new-{language}@example.org"}).status == 200
            for mail in delivered(folder, address, 3) + delivered(folder, f"new-{language}@example.org"):
                assert not mail.message.defects and mail.message["Subject"] and mail.message["Message-ID"]
                parts = [part.get_content_type() for part in mail.message.walk()]
                assert parts == ["multipart/alternative", "text/plain", "text/html"]
                assert all(not part.defects for part in mail.message.walk())
                assert str(mail.message["From"].addresses[0].display_name) == "Größe & Söhne"
        # Exim delivers a mail before the server has noted that it took it.
        poll(lambda: all(mail["state"] == "sent" for mail in statuses(server)), "all reports")


def test_exim_refuses_an_unknown_name_and_its_user_learns_of_it(servers):
    with exim() as (_, settings):
        server = servers.serve(**CONFIRM, **settings).start()
        for address, is_marked in (("nobody@example.org", True), ("ada@elsewhere.example", False)):
            body = {"email": address, "password": PASSWORD, "email_confirm": True}
            assert server.admin().post("/admin/users", body).status == 200
            assert server.auth().post("/recover", {"email": address}).status == 200
            poll(lambda: statuses(server)[0]["state"] == "failed", "the refusal")
            user = server.auth().sign_in(address).json()["user"]
            assert ("email_undeliverable_at" in user) == is_marked
