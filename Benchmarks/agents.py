"""Measures OAuth clients: a refresh of their sessions next to one of users' sessions, and introspection next to reading
the user. Both of a pair send the same number of tokens, which are known beforehand."""

import base64
import concurrent.futures
import hashlib
import hmac
import math
import secrets
import statistics
import urllib.parse

from factors import CLIENTS, Account
from refreshes import MOST_PER_SECOND

ENVIRONMENT = {
    "GOTRUE_OAUTH_SERVER_ENABLED": "true",
    "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true",
    "GATEHOUSE_ACCOUNT_PAGES": "true",
}
# Accounts of a round, each with its own session and one per client: far more than requests in flight, since a
# refresh token is good only after its predecessor.
ACCOUNTS = 512
REDIRECT = "https://agent.example/callback"


def unpadded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Successors:
    """The refresh tokens that follow one, as `RefreshToken` and `ServerSecrets` make them."""

    def __init__(self, secret, token):
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        self.head, count = raw[:18], raw[18:-20]
        self.counter = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(count))
        self.key = hmac.digest(secret, b"gatehouse refresh token" + raw[2:18] + b"\1", hashlib.sha256)
        assert self.token(0) == token, "refresh tokens have another form than this benchmark knows"

    def token(self, generation):
        body, rest = bytearray(self.head), self.counter + generation
        while rest > 0x7F:
            body.append(rest & 0x7F | 0x80)
            rest >>= 7
        body.append(rest)
        body += hmac.digest(self.key, bytes(body), hashlib.sha256)[:16]
        return unpadded(bytes(body) + hashlib.sha256(body).digest()[:4])


class Client:
    """Registered by itself."""

    def __init__(self, ask, connection, method):
        body = {"client_name": "Agent", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": method}
        made = ask(connection, "POST", "/auth/v1/oauth/clients/register", body)
        self.id, self.secret = made["client_id"], made.get("client_secret")

    def basic(self):
        return base64.b64encode(f"{self.id}:{self.secret}".encode()).decode()

    def session(self, ask, connection, token):
        """The tokens after an account's approval, from the first request on."""
        verifier = secrets.token_urlsafe(48)
        query = urllib.parse.urlencode({
            "client_id": self.id, "redirect_uri": REDIRECT, "response_type": "code", "scope": "openid email",
            "code_challenge": unpadded(hashlib.sha256(verifier.encode()).digest()), "code_challenge_method": "S256",
        })
        connection.request("GET", "/auth/v1/oauth/authorize?" + query)
        answer = connection.getresponse()
        answer.read()
        authorization = "/auth/v1/oauth/authorizations/" + answer.getheader("Location").split("authorization_id=")[1]
        ask(connection, "GET", authorization, token=token)
        back = ask(connection, "POST", authorization + "/consent", {"action": "approve"}, token)["redirect_url"]
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query)["code"][0]
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT,
                  "code_verifier": verifier, "client_id": self.id}
        if self.secret:
            fields["client_secret"] = self.secret
        return ask(connection, "POST", "/auth/v1/oauth/token", fields)


class AgentLoad:
    """Accounts with their own session, one of a public and one of a confidential client.

    secret -- the server's, from which it derives refresh tokens
    """

    def __init__(self, connect, ask, secret, accounts):
        self.connect, self.ask, self.secret, self.accounts = connect, ask, secret, accounts
        connection = connect()
        self.public, self.confidential = (Client(ask, connection, way) for way in ("none", "client_secret_basic"))
        connection.close()

    def make(self):
        """(sessions of users, of the public client, of the confidential client), each the answer with its tokens."""

        def work(count):
            connection, made = self.connect(), []

            def post(path, body, token=None):
                return self.ask(connection, "POST", "/auth/v1" + path, body, token)

            for _ in range(count):
                own = Account(post).session
                both = [client.session(self.ask, connection, own["access_token"])
                        for client in (self.public, self.confidential)]
                made.append((own, *both))
            connection.close()
            return made

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            parts = list(pool.map(work, [self.accounts // CLIENTS] * CLIENTS))
        return list(zip(*[made for part in parts for made in part]))

    def refresh_tokens(self, sessions, seconds):
        """All sessions' current tokens, then all their successors, and so on, that last for so many seconds."""
        chains = [Successors(self.secret, session["refresh_token"]) for session in sessions]
        generations = math.ceil(MOST_PER_SECOND * seconds / len(chains))
        return [chain.token(generation) for generation in range(generations) for chain in chains]


def statements(bench, load):
    """SQL statements of one request of each kind."""
    own, public, confidential = (sessions[0] for sessions in load.make())
    connection, counts = bench.server.connection(), {}
    tokens = {"refresh": own["refresh_token"], "agent-refresh": public["refresh_token"]}

    def refresh():
        body = {"refresh_token": tokens["refresh"]}
        answer = load.ask(connection, "POST", "/auth/v1/token?grant_type=refresh_token", body)
        tokens["refresh"] = answer["refresh_token"]

    def agent_refresh():
        body = {"grant_type": "refresh_token", "client_id": load.public.id, "refresh_token": tokens["agent-refresh"]}
        tokens["agent-refresh"] = load.ask(connection, "POST", "/auth/v1/oauth/token", body)["refresh_token"]

    def introspect():
        body = {"token": confidential["access_token"], "client_id": load.confidential.id,
                "client_secret": load.confidential.secret}
        assert load.ask(connection, "POST", "/auth/v1/oauth/introspect", body)["active"]

    kinds = {
        "refresh": refresh, "agent-refresh": agent_refresh, "introspect": introspect,
        "user": lambda: load.ask(connection, "GET", "/auth/v1/user", token=own["access_token"]),
    }
    for name, action in kinds.items():
        action()
        each = []
        for _ in range(20):
            before = bench.server.statements()
            action()
            each.append(bench.server.statements() - before)
        # Cleaning may run during a request.
        counts[name] = statistics.median(each)
    connection.close()
    return counts


def measure(bench, ask, secret, rounds):
    """Rows of a table; each round has new accounts."""
    load = AgentLoad(bench.server.connection, ask, secret, ACCOUNTS // 4 if bench.quick else ACCOUNTS)
    counts, seconds = statements(bench, load), bench.seconds(3)
    for index in range(rounds):
        bench.note(f"round {index + 1} of {rounds}: accounts")
        own, public, confidential = load.make()
        bench.note(f"round {index + 1} of {rounds}: refreshing, introspecting and reading")
        for name, sessions, more in (("refresh", own, {}), ("agent-refresh", public, {"BENCH_CLIENT": load.public.id})):
            tokens = bench.file("refresh-tokens", load.refresh_tokens(sessions, seconds))
            bench.wrk("refresh.lua", "/", seconds, name=name, BENCH_TOKENS=tokens, **more)
        tokens = bench.file("tokens", [session["access_token"] for session in own])
        bench.wrk("get.lua", "/auth/v1/user", seconds, name="user", BENCH_TOKENS=tokens)
        tokens = bench.file("tokens", [session["access_token"] for session in confidential])
        bench.wrk("introspect.lua", "/auth/v1/oauth/introspect", seconds, name="introspect", BENCH_TOKENS=tokens,
                  BENCH_BASIC=load.confidential.basic())
    return [
        bench.rate_row(title, name, reference, None, counts[name])
        for title, name, reference in (
            ("refresh of a user's session, 64 clients", "refresh", None),
            ("refresh of a public client's session (`POST /auth/v1/oauth/token`)", "agent-refresh", "refresh"),
            ("`GET /auth/v1/user`, token seen before", "user", None),
            ("`POST /auth/v1/oauth/introspect`, access token seen before", "introspect", "user"),
        )
    ]
