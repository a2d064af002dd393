"""Second factors with the programs that people use: an authenticator app's library, and a reader of QR codes."""

import base64
import re
import secrets
import time
import urllib.parse

import pyotp
import pytest
import zxingcpp
from program import at_once, poll

SCALE = 4


def picture(svg):
    """The rectangles of our QR code as rows of grey, four pixels for each module."""
    size = int(re.search(r'viewBox="0 0 (\d+) \1"', svg).group(1))
    rows = [bytearray(b"\xff" * size * SCALE) for _ in range(size * SCALE)]
    for column, row, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", svg):
        left, top, run = int(column) * SCALE, int(row) * SCALE, int(width) * SCALE
        for line in rows[top : top + SCALE]:
            line[left : left + run] = bytes(run)
    return memoryview(b"".join(rows)).cast("B", shape=[size * SCALE, size * SCALE])


def read(svg):
    """What the reader finds. Asked for every kind of code, it now and then sees a bar code in a row of modules."""
    return zxingcpp.read_barcodes(picture(svg), formats=zxingcpp.BarcodeFormat.QRCode)


class Person:
    """A user with an authenticator app."""

    def __init__(self, server, issuer="Ana's App & more"):
        self.server, self.client = server, server.auth()
        self.email = f"ada+{secrets.token_hex(8)}@example.org"
        self.token = self.client.sign_up(self.email)["access_token"]
        body = {"factor_type": "totp", "friendly_name": "phone", "issuer": issuer}
        self.enrolled = self.client.post("/factors", body, token=self.token).json()
        self.path = "/factors/" + self.enrolled["id"]
        self.app = pyotp.TOTP(self.enrolled["totp"]["secret"])

    def answer(self, code, challenge=None, client=None):
        challenge = challenge or self.challenge()
        return (client or self.client).post(self.path + "/verify", {"challenge_id": challenge, "code": code}, token=self.token)

    def challenge(self):
        return self.client.post(self.path + "/challenge", token=self.token).json()["id"]


@pytest.fixture
def ada(server):
    return Person(server)


def test_a_reader_finds_the_address_in_the_picture_and_pyotp_agrees_with_it(ada):
    totp = ada.enrolled["totp"]
    [found] = read(totp["qr_code"])
    assert found.text == totp["uri"]
    app = pyotp.parse_uri(found.text)
    assert (app.issuer, app.name, app.secret) == ("Ana's App & more", ada.email, totp["secret"])
    assert (app.digits, app.interval, app.digest().name) == (6, 30, "sha1")
    assert ada.answer(app.now()).json()["user"]["factors"][0]["status"] == "verified"


@pytest.mark.parametrize("issuer", ["example.org", "ユニコード", "a" * 200, "a:b/c?d#e%f"])
def test_the_address_survives_any_issuer(server, issuer):
    person = Person(server, issuer)
    address = urllib.parse.urlsplit(person.enrolled["totp"]["uri"])
    # Apps split the label at its first colon.
    shown = issuer.replace(":", " ")
    assert dict(urllib.parse.parse_qsl(address.query))["issuer"] == shown
    assert urllib.parse.unquote(address.path) == f"/{shown}:{person.email}"
    [found] = read(person.enrolled["totp"]["qr_code"])
    assert found.text == person.enrolled["totp"]["uri"]


def test_codes_of_the_neighbouring_steps_count_and_no_others(server):
    def answers():
        """None if the step ended before the last one: then other codes are right."""
        ada, now = Person(server), time.time()
        challenge = ada.challenge()
        given = [ada.answer(ada.app.at(now + seconds), challenge) for seconds in (-90, -60, 60, 90, -30)]
        given += [ada.answer(ada.app.at(now + seconds)) for seconds in (-30, 30)]
        return given if time.time() // 30 == now // 30 else None

    *far, before, again, after = poll(answers, "a step with all answers")
    assert [answer.code for answer in (*far, again)] == ["mfa_verification_failed"] * 5
    assert (before.status, after.status) == (200, 200)


def test_of_many_answers_at_once_one_counts(ada):
    challenges = [ada.challenge() for _ in range(4)] * 2
    code = ada.app.now()
    answers = at_once(
        *[lambda challenge=challenge: ada.answer(code, challenge, ada.server.auth()).status for challenge in challenges]
    )
    assert sorted(answers) == [200] + [422] * 7


def test_a_stolen_password_and_a_stolen_token_open_nothing(server):
    ada = Person(server)
    old = ada.client.sign_in(ada.email).json()
    high = ada.answer(ada.app.now()).json()
    # The sessions without the second factor have ended, and new ones stay low.
    assert ada.client.refresh(old["refresh_token"]).code == "refresh_token_not_found"
    low = ada.client.sign_in(ada.email).json()
    refused = ada.client.put("/user", {"password": "another password 9"}, token=low["access_token"])
    assert (refused.status, refused.code) == (401, "insufficient_aal")
    assert ada.client.delete(ada.path, token=low["access_token"]).code == "insufficient_aal"
    assert server.gateway().delete("/v1/auth/me", token=low["access_token"]).status == 403
    assert ada.client.user(high["access_token"]).json()["email"] == ada.email


def test_the_code_of_an_app_counts_after_a_change_of_the_server_secret(servers):
    server = servers.serve().start()
    ada = Person(server)
    assert ada.answer(ada.app.now()).status == 200
    server.stop()
    old = server.environment["GATEHOUSE_SECRETS"]
    new = "2:" + base64.b64encode(secrets.token_bytes(32)).decode()

    def told(*command):
        ended = server.command(*command)
        return ended.returncode, ended.stdout + ended.stderr

    server.environment["GATEHOUSE_SECRETS"] = new
    code, text = told("keys", "reseal")
    assert code == 1 and f"authenticator apps: {ada.enrolled['id']} needs the server secret 1" in text, text
    code, text = told("doctor")
    assert code == 1 and "values cannot be decrypted (1 authenticator apps, 1 signing keys" in text, text
    server.environment["GATEHOUSE_SECRETS"] = f"{new},{old}"
    server.start()
    code, text = told("doctor")
    assert code == 0 and "values need an older server secret" in text and "gatehouse keys reseal" in text, text
    code, text = told("keys", "reseal")
    assert code == 0 and re.search(r"authenticator apps +1 +1 +0 +0\n", text), text
    assert re.search(r"authenticator apps +0 +1 +0 +0\n", told("keys", "reseal")[1])
    server.stop()
    server.environment["GATEHOUSE_SECRETS"] = new
    server.start()
    assert "all stored values use the current server secret" in told("doctor")[1]
    ada.token = server.auth().sign_in(ada.email).json()["access_token"]
    assert ada.answer(ada.app.at(time.time() + 30)).status == 200
