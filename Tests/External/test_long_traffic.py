"""Many requests of every kind, valid and invalid: each gets the right response, and the server does not grow.

GATEHOUSE_REQUESTS sets the number of requests (4000); `make soak` sends a million.
"""

import concurrent.futures
import contextlib
import glob
import json
import multiprocessing
import os
import random
import socket
import time
import urllib.parse

import pytest
from program import PASSWORD, PATIENCE_SECONDS, Client, poll
from wire import request

REQUESTS = int(os.environ.get("GATEHOUSE_REQUESTS", "4000"))
PROCESSES = 4
AUTH, REFRESH = "/auth/v1", "/auth/v1/token?grant_type=refresh_token"
# How many of a thousand, and the request.
SHARES = {"user": 300, "me": 300, "refresh": 150, "public": 100, "edit": 50, "forged": 49, "malformed": 40, "nowhere": 10,
          "wrong password": 1}  # fmt: skip
# Allowed growth of memory from the first tenth to the last request: caches, not a leak.
GROWTH_MIB = 100


class Connection:
    """One keep-alive connection. An HTTP library would be slower than the server."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)

    def send(self, method, path, body=None, token=None):
        """The status and the body."""
        headers = [("Authorization", "Bearer " + token)] if token else []
        self.socket.sendall(request(method, path, json.dumps(body).encode() if body is not None else b"", headers))
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more(received)
        head, _, content = received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        while len(content) < length:
            content += self._more(received)
        return int(head[9:12]), content

    def _more(self, received):
        part = self.socket.recv(65536)
        assert part, f"the connection ended after {received[:200]!r}"
        return part


class Person:
    """Sends requests with known responses."""

    def __init__(self, url, number):
        self.email, self.random = f"traffic-{number}@example.com", random.Random(number)
        session = Client(url + AUTH).sign_up(self.email)
        self.token, self.refresh_token = session["access_token"], session["refresh_token"]
        self.connection, self.name, self.counts = Connection(urllib.parse.urlsplit(url).port), None, dict.fromkeys(SHARES, 0)

    def act(self):
        (kind,) = self.random.choices(list(SHARES), SHARES.values())
        expected, answer = getattr(self, kind.replace(" ", "_"))()
        assert answer[0] == expected, f"{kind}: {answer}, and {expected} was due"
        self.counts[kind] += 1

    def user(self):
        answer = self.connection.send("GET", AUTH + "/user", token=self.token)
        assert json.loads(answer[1])["email"] == self.email, answer
        return 200, answer

    def me(self):
        answer = self.connection.send("GET", "/v1/auth/me", token=self.token)
        assert json.loads(answer[1])["profile"]["first_name"] == self.name, answer
        return 200, answer

    def refresh(self):
        answer = self.connection.send("POST", REFRESH, {"refresh_token": self.refresh_token})
        session = json.loads(answer[1])
        assert session["refresh_token"] != self.refresh_token, answer
        self.token, self.refresh_token = session["access_token"], session["refresh_token"]
        return 200, answer

    def public(self):
        return 200, self.connection.send("GET", self.random.choice([AUTH + "/settings", AUTH + "/health", "/ready"]))

    def edit(self):
        self.name = f"Name {self.random.randrange(1_000_000)}"
        return 200, self.connection.send("PATCH", "/v1/auth/me", {"first_name": self.name}, self.token)

    def forged(self):
        head, body, signature = self.token.split(".")
        place = self.random.randrange(len(body))
        changed = body[:place] + ("A" if body[place] != "A" else "B") + body[place + 1 :]
        return 403, self.connection.send("GET", AUTH + "/user", token=f"{head}.{changed}.{signature}")

    def malformed(self):
        return 400, self.connection.send("POST", REFRESH, {"refresh_token": self.random.choice([None, 7, [], {}])})

    def nowhere(self):
        return 404, self.connection.send("GET", f"/nowhere/{self.random.randrange(1_000_000)}")

    def wrong_password(self):
        body = {"email": self.email, "password": PASSWORD + "!"}
        return 400, self.connection.send("POST", AUTH + "/token?grant_type=password", body)


def act(url, number, count):
    """The requests of one process; returns the count of each kind."""
    person = Person(url, number)
    for _ in range(count):
        person.act()
    person.connection.socket.close()
    return person.counts


def send_all(server, first, count):
    """Sends from several processes. How often each kind."""
    share = count // PROCESSES
    # A fork would copy this process's threads in mid-operation.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        parts = [pool.submit(act, server.url, first + number, share) for number in range(PROCESSES)]
        counts = [part.result() for part in parts]
    return {kind: sum(each[kind] for each in counts) for kind in SHARES}


def memory(server):
    """Resident memory in MiB."""
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
        return int(next(line for line in file if line.startswith("VmRSS:")).split()[1]) // 1024


def sockets(server):
    """The number of its open files. It grows with the first concurrent readers."""
    count = 0
    for path in glob.glob(f"/proc/{server.process.pid}/fd/*"):
        with contextlib.suppress(FileNotFoundError):  # It was closed in between.
            count += os.readlink(path).startswith("socket:")
    return count


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="looks at memory in /proc")
def test_every_request_gets_its_answer_and_nothing_stays_behind(servers):
    server = servers.serve().start()
    send_all(server, 1, REQUESTS // 10)
    before, opened = memory(server), sockets(server)
    began = time.monotonic()
    counts = send_all(server, 100, REQUESTS - REQUESTS // 10)
    seconds = time.monotonic() - began
    sent = sum(counts.values())
    # A connection's end takes the server a moment.
    poll(lambda: sockets(server) <= opened, "the end of the connections")
    after = memory(server)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in counts.items())
    print(f"figure: {sent + REQUESTS // 10:,} requests, {sent / seconds:,.0f} a second, memory {before} to {after} MiB ({kinds})")
    assert after - before < GROWTH_MIB, f"{before} MiB after a tenth, {after} MiB after all"
    assert all(counts.values()) or REQUESTS < 10_000, counts
    assert '"level":"error"' not in server.log()
