"""The code of Docs/verify-tokens.md accepts the server's tokens and refuses forged, foreign and expired ones."""

import base64
import json
import os
import re
import shutil
import subprocess
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from program import PATIENCE_SECONDS, REPOSITORY, Server

EXAMPLE = "https://accounts.example.com/auth/v1"
# Prints, for each token on its own line, the user's id, or the kind of the error.
NODE = """
import { createInterface } from 'node:readline'
import { InvalidToken, verifier } from './verify.mjs'
const claimsOf = verifier(process.argv[2])
for await (const token of createInterface({ input: process.stdin })) {
  try { console.log((await claimsOf(token)).sub) } catch (error) { console.log(error instanceof InvalidToken ? 'invalid' : 'no keys') }
}
"""


def snippet(language, mark):
    """The one piece of code on the page that has this text in it."""
    with open(os.path.join(REPOSITORY, "Docs", "verify-tokens.md"), encoding="utf-8") as file:
        pieces = re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    (piece,) = [piece for piece in pieces if mark in piece]
    return piece


def with_python(issuer, tokens, folder):
    """What the page's Python says to each token."""
    code = snippet("python", "def claims_of")
    assert EXAMPLE in code
    names = {}
    exec(code.replace(EXAMPLE, issuer), names)  # noqa: S102

    def said(token):
        try:
            return names["claims_of"](token)["sub"]
        except jwt.PyJWKClientConnectionError:
            return "no keys"
        except jwt.PyJWTError:
            return "invalid"

    return [said(token) for token in tokens]


def with_node(issuer, tokens, folder):
    """What the page's JavaScript says to each token."""
    if shutil.which("node") is None:
        pytest.skip("there is no node")
    (folder / "verify.mjs").write_text(snippet("js", "export function verifier"))
    (folder / "run.mjs").write_text(NODE)
    done = subprocess.run(
        ["node", "run.mjs", issuer], cwd=folder, input="\n".join(tokens) + "\n", capture_output=True, text=True,
        timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def signing(session_servers):
    """A private key, and a server that signs with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    jwk = {**json.loads(jwt.get_algorithm_by_name("ES256").to_jwk(key)), "alg": "ES256", "kid": "one", "key_ops": ["sign", "verify"]}
    return key, session_servers.serve(GOTRUE_JWT_KEYS=json.dumps([jwk])).start()


@pytest.mark.parametrize("verify", [with_python, with_node])
def test_the_code_of_the_page_accepts_only_valid_tokens(verify, signing, new_email, tmp_path):
    key, server = signing
    session = server.auth().sign_up(new_email())
    token, user = session["access_token"], session["user"]["id"]
    claims = jwt.decode(token, options={"verify_signature": False})
    now = int(time.time())

    def signed(key=key, algorithm="ES256", kid="one", **changes):
        merged = {name: value for name, value in {**claims, **changes}.items() if value is not None}
        return jwt.encode(merged, key, algorithm, {"kid": kid})

    head, body, signature = token.split(".")
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": "one"}).encode()).decode().rstrip("=")
    tokens = {
        "the server's": token,
        "the same key": signed(),
        "a clock that is three seconds behind": signed(exp=now - 3),
        "expired": signed(exp=now - 60),
        "without an end": signed(exp=None),
        "another issuer": signed(iss="https://evil.example/auth/v1"),
        "another audience": signed(aud="somebody-else"),
        "a key, not a user": signed(session_id=None),
        "another key": signed(key=ec.generate_private_key(ec.SECP256R1())),
        "an unknown key": signed(kid="two"),
        "a shared secret": signed(key="a secret of thirty-two bytes or more", algorithm="HS256"),
        "no signature": f"{unsigned}.{body}.",
        "a cut signature": token[:-8],
        "a changed claim": f"{head}.{body[:-4]}AAAA.{signature}",
        "nothing": "",
        "no token": "a.b.c",
        "null": "bnVsbA.bnVsbA.bnVsbA",
    }
    said = dict(zip(tokens, verify(server.auth_url, tokens.values(), tmp_path)))
    right = {"the server's", "the same key", "a clock that is three seconds behind"}
    assert said == {name: user if name in right else "invalid" for name in tokens}


@pytest.mark.parametrize("verify", [with_python, with_node])
def test_keys_that_cannot_be_fetched_do_not_make_a_token_invalid(verify, signing, new_email, tmp_path):
    token = signing[1].auth().sign_up(new_email())["access_token"]
    stopped = Server.serve(tmp_path / "stopped")
    assert verify(stopped.auth_url, [token], tmp_path) == ["no keys"]
