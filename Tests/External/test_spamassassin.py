"""SpamAssassin, as Debian packages it, finds nothing to hold against our mails: by its local rules alone, without the network.
Without the program (`apt-get install spamassassin`) nothing runs."""

import collections
import mailbox
import os
import shutil
import subprocess

import pytest
from mail_server import mail_server
from program import PASSWORD, PATIENCE_SECONDS
from test_mail_notices import NOTICES, PHONE
from test_mailed_codes import CONFIRM, code_of, received

pytestmark = pytest.mark.skipif(shutil.which("spamassassin") is None, reason="needs SpamAssassin")

# Rules without a score, and those that any mail fires that comes from no other server.
HARMLESS = {"HTML_MESSAGE", "NO_RELAYS", "NO_RECEIVED"}
NEW_PASSWORD = "another horse 43 battery"
# Unlike an address of loopback, these are no reason to suspect a mail.
ADDRESSES = {"API_EXTERNAL_URL": "https://auth.example.com/auth/v1", "GOTRUE_SITE_URL": "https://www.example.com"}
# All five take half a minute.
LANGUAGES = os.environ.get("GATEHOUSE_SPAM_LANGUAGES", "en ar").split()


def write_mails(server, handler, language):
    """Lets the server send a mail of each kind that needs no provider."""
    client = server.auth(headers={"Accept-Language": language})
    email, new = f"ada-{language}@example.org", f"new-ada-{language}@example.org"
    invited, counts = f"invited-{language}@example.org", collections.Counter()

    def next_mail(address):
        counts[address] += 1
        return received(handler, address, counts[address])[-1]

    def verify(type, address):
        answer = client.post("/verify", {"type": type, "email": address, "token": code_of(next_mail(address))})
        assert answer.status == 200, answer
        return answer.json().get("access_token")

    assert client.post("/signup", {"email": email, "password": PASSWORD}).status == 200
    verify("signup", email)
    assert client.post("/signup", {"email": email, "password": PASSWORD}).status == 200
    next_mail(email)
    assert client.post("/recover", {"email": email}).status == 200
    verify("recovery", email)
    assert client.post("/otp", {"email": email}).status == 200
    token = verify("magiclink", email)
    assert client.get("/reauthenticate", token=token).status == 200
    body = {"password": NEW_PASSWORD, "nonce": code_of(next_mail(email))}
    assert client.put("/user", body, token=token).status == 200
    next_mail(email)
    assert client.put("/user", {"email": new}, token=token).status == 200
    verify("email_change", email)
    verify("email_change", new)
    next_mail(email)
    phone = server.auth(headers={"Accept-Language": language, "User-Agent": PHONE})
    assert phone.sign_in(new, NEW_PASSWORD).status == 200
    next_mail(new)
    assert server.admin().post("/invite", {"email": invited, "data": {"locale": language}}).status == 200
    next_mail(invited)


def test_no_rule_holds_anything_against_a_mail(servers, tmp_path):
    with mail_server() as handler:
        settings = {**CONFIRM, **NOTICES, **handler.settings, **ADDRESSES, "GOTRUE_SMTP_MAX_FREQUENCY": "0"}
        server = servers.serve(**settings).start()
        for language in LANGUAGES:
            write_mails(server, handler, language)
    mails = mailbox.mbox(tmp_path / "mails")
    for mail in handler.mails:
        mails.add(mail.bytes.replace(b"\r\n", b"\n"))
    mails.close()
    judged = tmp_path / "judged"
    with open(judged, "wb") as output:
        subprocess.run(
            ["spamassassin", "--local", "--test-mode", "--mbox", mails._path], stdout=output, check=True,
            timeout=PATIENCE_SECONDS)
    subjects, found = set(), {}
    for mail in mailbox.mbox(judged):
        status = "".join(mail["X-Spam-Status"].split())
        rules = set(status.partition("tests=")[2].partition("autolearn=")[0].split(",")) - HARMLESS
        subjects.add(mail["Subject"])
        if rules - {"none"}:
            found[mail["Subject"]] = rules
    # Eleven kinds.
    assert (len(subjects), found) == (11 * len(LANGUAGES), {})
