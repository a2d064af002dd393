"""What is sent to measure sign-ins with passkeys and codes of authenticator apps: each challenge and each code counts
once, so all of them are made beforehand."""

import base64
import concurrent.futures
import hashlib
import hmac
import json
import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "External"))
from passkey_device import Authenticator  # noqa: E402

ENVIRONMENT = {
    "GOTRUE_PASSKEY_ENABLED": "true",
    "GATEHOUSE_PASSKEY_SIGNUP_ENABLED": "true",
    "GOTRUE_WEBAUTHN_RP_ID": "example.org",
    "GOTRUE_WEBAUTHN_RP_ORIGINS": "https://app.example.org",
}
CLIENTS, STEP = 8, 30
# Requests of each account in a run.
EACH = 2


def code(secret, step):
    """RFC 6238: six digits, SHA-1."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), hashlib.sha1)
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start : start + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


class Account:
    """Has a passkey and no password, so that making it costs no hash."""

    def __init__(self, post):
        self.device = Authenticator(random.Random())
        begun = post("/passkeys/signup/options", {})
        options = begun["options"]
        credential = self.device.create("key", options["challenge"], options["user"]["id"])
        answer = {"challenge_id": begun["challenge_id"], "credential": credential}
        self.session = post("/passkeys/signup/verify", answer)
        self.token = self.session["access_token"]

    def add_app(self, post):
        """An authenticator app whose first code was entered: that of the step before, so that the next are left."""
        factor = post("/factors", {"factor_type": "totp"}, self.token)
        self.path = f"/factors/{factor['id']}"
        self.secret = base64.b32decode(factor["totp"]["secret"])
        challenge = self.challenge(post)
        if time.time() % STEP > STEP - 1:
            # The code would be too old when it arrives.
            time.sleep(1)
        answer = {"challenge_id": challenge, "code": code(self.secret, int(time.time()) // STEP - 1)}
        self.token = post(self.path + "/verify", answer, self.token)["access_token"]

    def challenge(self, post):
        return post(self.path + "/challenge", {}, self.token)["id"]

    def sign_in(self, post):
        begun = post("/passkeys/authentication/options", {})
        credential = self.device.get("key", begun["options"]["challenge"])
        return {"challenge_id": begun["challenge_id"], "credential": credential}


class FactorLoad:
    """Accounts, and the lines for Benchmarks/lua/lines.lua that they send.

    ask -- sends one request: connection, method, path, body, token
    """

    def __init__(self, connect, ask, count):
        self.connect, self.ask = connect, ask
        self.accounts = self.each(range(count), lambda post, _: Account(post))
        self.each(self.accounts, lambda post, account: account.add_app(post))

    def codes(self):
        """EACH codes of each account. An account's second is sent long after its first: it would be refused before."""
        challenges = self.each(self.accounts, lambda post, account: [account.challenge(post) for _ in range(EACH)])
        step = int(time.time()) // STEP
        return [
            self.line(account.path + "/verify", {"challenge_id": mine[later], "code": code(account.secret, step + later)},
                      account.token)
            for later in range(EACH)
            for account, mine in zip(self.accounts, challenges)
        ]

    def sign_ins(self):
        made = self.each(self.accounts, lambda post, account: [account.sign_in(post) for _ in range(EACH)])
        return [
            self.line("/passkeys/authentication/verify", mine[later]) for later in range(EACH) for mine in made
        ]

    @staticmethod
    def line(path, body, token=""):
        return f"/auth/v1{path}\t{token}\t{json.dumps(body)}"

    def each(self, values, action):
        """Results in the order of the values."""

        def work(part):
            connection = self.connect()

            def post(path, body, token=None):
                return self.ask(connection, "POST", "/auth/v1" + path, body, token)

            results = [action(post, value) for value in part]
            connection.close()
            return results

        values = list(values)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            parts = list(pool.map(work, [values[index::CLIENTS] for index in range(CLIENTS)]))
        return [parts[index % CLIENTS][index // CLIENTS] for index in range(len(values))]
