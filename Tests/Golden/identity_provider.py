"""Stands in for the Keycloak of the recordings: signs tokens, exchanges codes, returns profiles. Standard library only.

It has no users: an authorization code *is* a profile, and so is the access token that it is exchanged for. The key
protects nothing.
"""

import base64
import hashlib
import http.server
import json
import os
import threading
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
ACCESS, REFRESH = "idp-", "idpr-"
# The prefix of a SHA-256 digest in PKCS #1 (RFC 8017 §9.2, note 1).
SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")


def to_base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class SigningKey:
    """An RSA key that signs with RS256."""

    def __init__(self, modulus, exponent, name):
        self.modulus, self.exponent, self.name = modulus, exponent, name
        self.size = (modulus.bit_length() + 7) // 8

    @classmethod
    def recorded(cls):
        with open(os.path.join(HERE, "recordings", "idp-test-key.json"), encoding="utf-8") as file:
            members = json.load(file)
        return cls(int(members["n"], 16), int(members["d"], 16), "idp-1")

    def published(self, **other):
        """The public half as a JSON Web Key; `other` replaces members, and None takes one out."""
        key = {
            "kty": "RSA",
            "use": "sig",
            "alg": "RS256",
            "kid": self.name,
            "n": to_base64url(self.modulus.to_bytes(self.size, "big")),
            "e": "AQAB",
        }
        return {name: value for name, value in {**key, **other}.items() if value is not None}

    def sign(self, data):
        digest = SHA256_PREFIX + hashlib.sha256(data).digest()
        padded = b"\x00\x01" + b"\xff" * (self.size - len(digest) - 3) + b"\x00" + digest
        return pow(int.from_bytes(padded, "big"), self.exponent, self.modulus).to_bytes(self.size, "big")

    def token(self, claims, **header):
        """A signed token; `header` replaces members, and None takes one out."""
        header = {"alg": "RS256", "kid": self.name, "typ": "JWT", **header}
        header = {name: value for name, value in header.items() if value is not None}
        signed = ".".join(to_base64url(json.dumps(part).encode()) for part in (header, claims))
        return signed + "." + to_base64url(self.sign(signed.encode()))


KEY = SigningKey.recorded()


def code_for(profile):
    """The authorization code for this profile."""
    return to_base64url(json.dumps(profile).encode())


def profile_of(code):
    """The argument of `code_for`, or None for another code."""
    try:
        profile = json.loads(from_base64url(code))
    except ValueError:
        return None
    return profile if isinstance(profile, dict) else None


class IdentityProvider:
    """Listens on loopback. `realms` has the keys that each realm publishes; more may be added while it runs."""

    def __init__(self, realms=None):
        self.realms = realms if realms is not None else {"test": [KEY.published()]}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self):
        return self.issuer("test")

    def issuer(self, realm):
        return f"{self.origin}/realms/{realm}"

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer(self, method, path, form, bearer):
        """(status, JSON) of one request."""
        parts = path.strip("/").split("/", 2)
        if len(parts) != 3 or parts[0] != "realms" or parts[1] not in self.realms:
            return 404, {"error": "not_found"}
        realm, endpoint = parts[1], f"{method} {parts[2]}"
        if endpoint == "GET .well-known/openid-configuration":
            return 200, self._discovery(realm)
        if endpoint == "GET protocol/openid-connect/certs":
            return 200, {"keys": self.realms[realm]}
        if endpoint == "GET protocol/openid-connect/userinfo":
            profile = profile_of(bearer.removeprefix(ACCESS)) if bearer.startswith(ACCESS) else None
            return (200, profile) if profile else (401, {"error": "invalid_token"})
        if endpoint == "POST protocol/openid-connect/token":
            return self._tokens(form)
        if endpoint == "POST protocol/openid-connect/revoke":
            return 200, {}
        return 404, {"error": "not_found"}

    def _discovery(self, realm):
        base = self.issuer(realm) + "/protocol/openid-connect"
        return {
            "issuer": self.issuer(realm),
            "authorization_endpoint": base + "/auth",
            "token_endpoint": base + "/token",
            "userinfo_endpoint": base + "/userinfo",
            "revocation_endpoint": base + "/revoke",
            "jwks_uri": base + "/certs",
        }

    def _tokens(self, form):
        code = form.get("code", "")
        if form.get("grant_type") != "authorization_code" or profile_of(code) is None:
            return 400, {"error": "invalid_grant", "error_description": "The code is not one of ours."}
        return 200, {
            "access_token": ACCESS + code,
            "refresh_token": REFRESH + code,
            "token_type": "Bearer",
            "expires_in": 300,
        }

    def _handler(self):
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.respond({})

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.respond(dict(urllib.parse.parse_qsl(body.decode("utf-8", "replace"))))

            def respond(self, form):
                bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
                path = urllib.parse.urlsplit(self.path).path
                status, body = provider.answer(self.command, path, form, bearer)
                body = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler
