"""Users who sign up, sign in, refresh, edit and read during outages of nodes and databases, and a balancer for the nodes.

Each user records the acknowledged changes and repeats the others, as apps do, until they succeed: 502, 503 and 504 mean
"retry". Any unexpected response fails the test, above all one that ends a session.
"""

import base64
import http.client
import json
import select
import threading
import time
import urllib.parse
import uuid

from program import PASSWORD, PATIENCE_SECONDS

AUTH = "/auth/v1"
# Many times the limit in Docs/postgresql.md: a request that takes longer hangs.
HANGS = 120
# After the traffic this many sessions of each user are refreshed; the others are only looked up.
SAMPLE = 40
AGAIN = (502, 503, 504)
# nginx sends these to the next node, even when the first one may have had them.
TWICE = ("GET", "HEAD", "PUT", "DELETE", "OPTIONS")


class Cut(Exception):
    """The connection broke after the request went out: neither yes nor no."""


class NotSent(Exception):
    pass


class Node:
    """One client's connection to one node."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.address, self.connection = (parts.hostname, parts.port), None

    def exchange(self, method, path, body, headers):
        """Status, headers, body. Raises `NotSent` when the node surely had nothing."""
        self._connect()
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            answer = response.status, response.headers, response.read()
        except TimeoutError:
            self.close()
            raise
        except (OSError, http.client.HTTPException) as problem:
            self.close()
            raise Cut(f"{type(problem).__name__} at {self.address[1]}") from problem
        if response.will_close:
            self.close()
        return answer

    def _connect(self):
        # The node has closed this connection since: retry without a loss.
        if self.connection and select.select([self.connection.sock], [], [], 0)[0]:
            self.close()
        if self.connection:
            return
        connection = http.client.HTTPConnection(*self.address, timeout=HANGS)
        try:
            connection.connect()
        except OSError as problem:
            raise NotSent from problem
        self.connection = connection

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None


class Balancer:
    """Before several nodes, by the rules of Deploy/nginx.conf; only that a node is left out for less long."""

    def __init__(self, *nodes, pause=0.3):
        self.nodes, self.pause = nodes, pause
        self.left_out, self.answered, self.turn = {}, dict.fromkeys(nodes, 0), 0
        self.lock = threading.Lock()

    def client(self):
        return Balanced(self)

    def order(self):
        """All nodes, healthy ones first."""
        with self.lock:
            self.turn += 1
            now, turn = time.monotonic(), self.turn % len(self.nodes)
            nodes = self.nodes[turn:] + self.nodes[:turn]
            return sorted(nodes, key=lambda node: self.left_out.get(node, 0) > now)

    def note(self, node, is_well):
        with self.lock:
            if is_well:
                self.answered[node] += 1
            else:
                self.left_out[node] = time.monotonic() + self.pause


class Balanced:
    def __init__(self, balancer):
        self.balancer = balancer
        self.nodes = {node: Node(node.url) for node in balancer.nodes}

    def exchange(self, method, path, body, headers):
        last = None
        for node in self.balancer.order():
            try:
                last = self.nodes[node].exchange(method, path, body, headers)
            except NotSent:
                self.balancer.note(node, False)
                continue
            except Cut:
                self.balancer.note(node, False)
                if method in TWICE:
                    continue
                raise
            is_well = last[0] not in (502, 503)
            self.balancer.note(node, is_well)
            if is_well or method not in TWICE:
                break
        return last or (502, {}, b"")

    def close(self):
        for node in self.nodes.values():
            node.close()


class Trouble:
    """A request that must be repeated."""

    def __init__(self, what, started, status, code):
        self.what, self.started, self.status, self.code = what, started, status, code
        self.ended = time.monotonic()

    def __repr__(self):
        return f"<{self.what}: {self.status} {self.code} after {self.ended - self.started:.1f} s>"


class Person(threading.Thread):
    """Does one thing again and again."""

    def __init__(self, name, client):
        super().__init__(name=name)
        self.client, self.ending = client, threading.Event()
        self.done, self.troubles, self.problems = [], [], []
        # Acknowledged changes.
        self.emails, self.tokens = [], []

    def run(self):
        try:
            while not self.ending.is_set():
                self.act()
                self.done.append(time.monotonic())
        except Exception as problem:  # A thread's failure is the test's failure.
            self.problems.append(f"{self.name}: {type(problem).__name__}: {problem}")

    def ask(self, method, path, body=None, token=None, expected=(200,)):
        """The final response, parsed, its status, and whether an earlier attempt may have taken effect."""
        headers = {"X-Supabase-Api-Version": "2024-01-01", "Content-Type": "application/json"}
        if token:
            headers["Authorization"] = "Bearer " + token
        data = json.dumps(body).encode() if body is not None else None
        is_unsure, end = False, time.monotonic() + PATIENCE_SECONDS
        while True:
            status, content = self._try(method, path, data, headers)
            if status in expected:
                return content, status, is_unsure
            if status is not None and status not in AGAIN:
                raise AssertionError(f"{method} {path}: {status} {content}")
            if time.monotonic() > end:
                raise TimeoutError(f"{method} {path}: no answer that settles it")
            is_unsure = True
            time.sleep(0.05)

    def _try(self, method, path, data, headers):
        started = time.monotonic()
        try:
            status, _, content = self.client.exchange(method, path, data, headers)
        except Cut as cut:
            self.troubles.append(Trouble(f"{method} {path}", started, None, str(cut)))
            return None, None
        content = parsed(content)
        if status in AGAIN:
            code = content.get("code", content.get("error")) if isinstance(content, dict) else None
            self.troubles.append(Trouble(f"{method} {path}", started, status, code))
        return status, content

    def refresh(self, token):
        path = AUTH + "/token?grant_type=refresh_token"
        return self.ask("POST", path, {"refresh_token": token})[0]["refresh_token"]

    def sign_in(self, email):
        path = AUTH + "/token?grant_type=password"
        return self.ask("POST", path, {"email": email, "password": PASSWORD})[0]

    def sign_up(self, email):
        """The session. If a repeated sign-up reports an existing account, the user signs in."""
        answer, status, is_unsure = self.ask(
            "POST", AUTH + "/signup", {"email": email, "password": PASSWORD}, expected=(200, 422)
        )
        if status == 200:
            return answer
        assert is_unsure and answer["code"] == "user_already_exists", answer
        return self.sign_in(email)

    def check(self):
        """After the traffic: every acknowledged change is there. Runs in the test's own thread."""


class SignsUp(Person):
    def act(self):
        email = f"{self.name}-{len(self.emails)}@example.com"
        self.tokens.append(self.sign_up(email)["refresh_token"])
        self.emails.append(email)

    def check(self):
        for token in self.tokens[:: len(self.tokens) // SAMPLE + 1]:
            self.refresh(token)


class SignsIn(SignsUp):
    def __init__(self, name, client):
        super().__init__(name, client)
        self.emails.append(f"{name}@example.com")
        self.sign_up(self.emails[0])

    def act(self):
        self.tokens.append(self.sign_in(self.emails[0])["refresh_token"])


class Refreshes(Person):
    def __init__(self, name, client):
        super().__init__(name, client)
        self.token = self.sign_up(f"{name}@example.com")["refresh_token"]

    def act(self):
        self.token = self.refresh(self.token)

    check = act


class Edits(Person):
    """Writes numbers into a profile, and reads each back, perhaps from another node."""

    def __init__(self, name, client):
        super().__init__(name, client)
        self.token, self.count = self.sign_up(f"{name}@example.com")["access_token"], 0

    def act(self):
        self.count += 1
        self.ask("PATCH", "/v1/auth/me", {"first_name": str(self.count)}, self.token)
        self.check()

    def check(self):
        profile = self.ask("GET", "/v1/auth/me", token=self.token)[0]["profile"]
        assert profile["first_name"] == str(self.count), f"{profile} is stored, {self.count} was acknowledged"


class Reads(Person):
    def __init__(self, name, client):
        super().__init__(name, client)
        self.token = self.sign_up(f"{name}@example.com")["access_token"]

    def act(self):
        self.ask("GET", AUTH + "/user", token=self.token)

    check = act


class Traffic:
    """Several users of each kind. They act inside `with`, and at its end no change may be lost."""

    def __init__(self, make_client, name="traffic", kinds=(SignsUp, SignsIn, Refreshes, Refreshes, Edits, Reads)):
        self.people = [
            kind(f"{name}-{index}-{kind.__name__.lower()}", make_client()) for index, kind in enumerate(kinds)
        ]

    def __enter__(self):
        for person in self.people:
            person.start()
        return self

    def __exit__(self, kind, *_):
        for person in self.people:
            person.ending.set()
        for person in self.people:
            person.join(PATIENCE_SECONDS)
        try:
            if kind is None:
                self.check()
        finally:
            for person in self.people:
                person.client.close()

    def check(self):
        assert not any(person.is_alive() for person in self.people), "a client hangs"
        self.complain()
        for person in self.people:
            person.check()

    def complain(self):
        problems = [problem for person in self.people for problem in person.problems]
        assert not problems, problems

    def go_on(self, count=3):
        """Waits until each of them has done so much more."""
        goals = [len(person.done) + count for person in self.people]
        end = time.monotonic() + PATIENCE_SECONDS
        while any(len(person.done) < goal for person, goal in zip(self.people, goals)):
            self.complain()
            assert time.monotonic() < end, "does not go on: " + str(
                [person.name for person, goal in zip(self.people, goals) if len(person.done) < goal]
            )
            time.sleep(0.01)

    def look_up(self, database):
        """Every account and session that was acknowledged is stored."""
        for name, statement, stored in (
            ("account", "SELECT email FROM users", {email for person in self.people for email in person.emails}),
            ("session", "SELECT id FROM sessions", {session(token) for person in self.people for token in person.tokens}),
        ):
            lost = stored - set(database.run(statement).splitlines())
            assert not lost, f"{len(lost)} {name}s were acknowledged and are lost: {sorted(lost)[:5]}"

    @property
    def troubles(self):
        return [trouble for person in self.people for trouble in person.troubles]

    def count(self, start, end):
        """The acknowledged changes between two moments."""
        return sum(start <= moment < end for person in self.people for moment in list(person.done))


def raw(token):
    """A refresh token's bytes (decision 4): version, secret, 16 of the session's id, the counter."""
    return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))


def session(token):
    return str(uuid.UUID(bytes=raw(token)[2:18]))


def parsed(content):
    try:
        return json.loads(content)
    except ValueError:
        return content
