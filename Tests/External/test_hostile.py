"""Hostile requests to every route: no 5xx, little CPU, no growth, no internals in responses, nothing of them in the log.

GATEHOUSE_HOSTILE_REQUESTS sets the number of requests (5000), GATEHOUSE_HOSTILE_SEED their seed; `make soak` sends a
million. A failure names seed and number of its request.
"""

import collections
import http.client
import json
import os
import socket
import time
import urllib.parse

import hostile
import pytest
from identity_provider import KEY, IdentityProvider
from program import PASSKEYS, JWT_SECRET, PASSWORD, PATIENCE_SECONDS, SECRET_KEY
from test_malformed import INNER, providers
from wire import Reply, is_complete

REQUESTS = int(os.environ.get("GATEHOUSE_HOSTILE_REQUESTS", "5000"))
SEED = int(os.environ.get("GATEHOUSE_HOSTILE_SEED", "1"))
# Each part has its own server, so its CPU time belongs to its requests: two parts use two cores.
PARTS = 2
# If a request ends or deletes the user's session, the sender signs up again.
CHECKS_SESSION_EVERY = 25
# The CPU time that one request may take is measured in sign-ups of the same server, each of which hashes a password: for the
# request, for each kilobyte of it (a debug build needs that), and for a request with a password.
ALLOWED, ALLOWED_PER_KB, ALLOWED_FOR_HASHING = 1.5, 0.06, 3
# Sign-ups that are measured.
REFERENCES = 10
TICK_MILLISECONDS = 1_000 / os.sysconf("SC_CLK_TCK")
# Allowed growth of memory from the first fifth to the last request.
GROWTH_MIB = 100
# Never in a response, unless the request contained it: passwords, keys and digests.
SECRETS = [text.encode() for text in (PASSWORD, SECRET_KEY, JWT_SECRET, "$argon2", "$2b$")]
FINDINGS_SHOWN = 20
OAUTH = {
    "GOTRUE_OAUTH_SERVER_ENABLED": "true", "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true",
    "GATEHOUSE_ACCOUNT_PAGES": "true",
}


class Sender:
    """One keep-alive connection to one server, and its findings."""

    def __init__(self, server, provider):
        self.server, self.provider, self.connection = server, provider, None
        self.findings, self.statuses, self.people, self.slowest = [], collections.Counter(), 0, (0, "")
        before = self.cpu()
        for _ in range(REFERENCES):
            self.sign_up()
        self.unit = max(1, self.cpu() - before) * TICK_MILLISECONDS / REFERENCES

    def sign_up(self):
        self.people += 1
        self.email = f"{hostile.MARK}-person-{self.people}@example.com"
        session = self.server.auth().sign_up(self.email)
        issuer, audience = self.provider.url, "kc-client"
        token = KEY.token({"iss": issuer, "aud": audience, "sub": "a", "exp": 9_999_999_999, "iat": 1})
        self.known = hostile.known(session, token)

    def run(self, first, count):
        for number in range(first, first + count):
            if number % CHECKS_SESSION_EVERY == 0 and not self.is_signed_in():
                self.sign_up()
            self.send(number)
            if len(self.findings) >= FINDINGS_SHOWN:
                return

    def is_signed_in(self):
        return self.server.auth().user(self.known["token"]).status == 200

    def send(self, number):
        one = hostile.Hostile(SEED, number, self.known)
        data = one.data()
        reply, milliseconds = self.measured(one, data)
        self.statuses[reply.status] += 1
        hashes = PASSWORD.encode() in data or b"grant_type=password" in data or b'"password"' in data
        allowed = self.unit * (ALLOWED + ALLOWED_PER_KB * len(data) / 1_000 + ALLOWED_FOR_HASHING * hashes)
        # Other work of the server may have interfered: a slow request is slow again.
        for _ in range(2):
            if milliseconds > allowed:
                milliseconds = min(milliseconds, self.measured(one, data)[1])
        self.slowest = max(self.slowest, (milliseconds, str(one)))
        problems = [*self.problems(one, data, reply)]
        if milliseconds > allowed:
            problems.append(f"{milliseconds:.0f} ms of CPU, {allowed:.0f} allowed")
        for problem in problems:
            self.findings.append(f"seed {SEED}, number {number}: {one}: {problem}; {len(data)} bytes {data[:300]!r}")

    def problems(self, one, data, reply):
        """The faults of the response."""
        if not reply.is_whole or (reply.status == 0 and self.server.process.poll() is not None):
            yield f"cut off: {reply}"
        if reply.status >= 500:
            yield repr(reply)
        if one.forged and not one.bearer and 200 <= reply.status < 400 and one.needs_bearer:
            yield f"a forged token was accepted: {reply}"
        shown = reply.headers.get("location", "").encode("latin-1") + reply.body
        if not reply.headers.get("content-type", "").startswith("text/plain") and INNER.search(shown):
            yield f"internals in the answer: {INNER.search(shown)}"
        raw = reply.raw
        for text in hostile.HASHES:
            # An earlier request may have stored it as a name.
            raw = raw.replace(text.encode(), b"")
        told = [secret for secret in SECRETS if secret in raw and secret not in data]
        if told and any(secret not in urllib.parse.unquote_to_bytes(data) for secret in told):
            yield f"a secret in the answer: {reply.raw[:2_000]!r}"
        if hostile.INJECTED in reply.headers:
            yield "a header was injected"
        if reply.body and "json" in reply.headers.get("content-type", ""):
            try:
                json.loads(reply.body)
            except ValueError:
                yield f"no JSON: {reply}"

    def measured(self, one, data):
        """The response, and the server's CPU time in milliseconds."""
        before = self.cpu()
        reply = self.exchange(data, is_head=one.method == "HEAD")
        return reply, (self.cpu() - before) * TICK_MILLISECONDS

    def cpu(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def exchange(self, data, is_head):
        is_new = self.connection is None
        try:
            received = self.try_exchange(data, is_head)
        except (BrokenPipeError, ConnectionResetError):
            received = b""
        if not received and not is_new:
            # It was closed after the last response.
            self.close()
            return self.exchange(data, is_head)
        try:
            reply = Reply(received, is_head)
        except http.client.LineTooLong:
            self.close()
            reply = Reply(b"HTTP/1.1 599 A header of the answer has more than 64 KiB\r\n\r\n" + received[:1_000])
        # The end of a response to HEAD is uncertain.
        if not received or is_head or reply.headers.get("connection") == "close":
            self.close()
        return reply

    def try_exchange(self, data, is_head):
        if self.connection is None:
            self.connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE_SECONDS)
        self.connection.sendall(data)
        received = b""
        while not is_complete(received, is_head):
            part = self.connection.recv(65_536)
            if not part:
                self.close()
                break
            received += part
        return received

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


@pytest.fixture
def provider():
    provider = IdentityProvider().start()
    yield provider
    provider.stop()


def memory(server):
    """Resident memory in MiB."""
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
        return int(next(line for line in file if line.startswith("VmRSS:")).split()[1]) // 1024


def lines_with(log, *texts):
    return [line[:300] for line in log.splitlines() if any(text in line for text in texts)]


def test_every_route_of_the_server_is_among_the_requests():
    """A new row needs a line in `hostile.REQUESTS`."""
    asked = {(method, path.partition("?")[0]) for method, path, *_ in hostile.REQUESTS}
    rows = list(hostile.rows_in_sources())
    assert len(rows) > 30
    missing = [row for row in rows if not any((row[0], path) in asked for path in row[1])]
    assert not missing, missing


def test_a_number_and_a_seed_decide_a_request():
    known = hostile.known({"access_token": "e30.e30.e30", "refresh_token": "a", "user": {"id": "b", "email": "c"}}, "d")
    made = [[hostile.Hostile(seed, number, known).data() for number in range(200)] for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks at CPU and memory in /proc")
@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.xdist_group(f"hostile {part}")) for part in range(PARTS)])
def test_hostile_requests(servers, provider, part):
    server = servers.serve(**{**providers(provider.url), **PASSKEYS, **OAUTH}).start()
    server.auth().sign_up("witness@example.com")
    sender, count = Sender(server, provider), REQUESTS // PARTS
    first, began = part * count, time.monotonic()
    sender.run(first, count // 5)
    before = memory(server)
    sender.run(first + count // 5, count - count // 5)
    after, seconds = memory(server), time.monotonic() - began
    assert server.process.poll() is None, "the server ended"
    if after - before > GROWTH_MIB:
        sender.findings.append(f"memory: {before} MiB after a fifth, {after} MiB after all")
    sender.findings += lines_with(server.log(), hostile.MARK, PASSWORD, SECRET_KEY, JWT_SECRET, '"level":"error"', "Fatal error")
    if server.auth().sign_in("witness@example.com").status != 200:
        sender.findings.append("who has nothing to do with it cannot sign in")
    statuses = ", ".join(f"{status} {number:,}" for status, number in sorted(sender.statuses.items()))
    print(
        f"figure: {count:,} hostile requests, {count / seconds:,.0f} a second, memory {before} to {after} MiB,"
        f" at most {sender.slowest[0]:.0f} ms of CPU ({sender.slowest[1]}; a sign-up {sender.unit:.0f} ms), {len(sender.findings)} findings ({statuses})"
    )
    assert not sender.findings, f"{len(sender.findings)} findings, such as\n" + "\n".join(sender.findings[:FINDINGS_SHOWN])
