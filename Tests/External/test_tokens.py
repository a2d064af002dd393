"""Access tokens against PyJWT: it verifies what the server signs, and the server accepts what it signs."""

import json
import secrets

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from program import Server

NAME = 'Zoë "x" / \N{KEY}'


def new_key(algorithm):
    """A private key for PyJWT, and its JWK."""
    if algorithm == "HS256":
        key = secrets.token_bytes(32)
    elif algorithm.startswith("RS"):
        key = rsa.generate_private_key(65537, 2048)
    elif algorithm.startswith("ES"):
        key = ec.generate_private_key({"ES256": ec.SECP256R1(), "ES512": ec.SECP521R1()}[algorithm])
    else:
        key = ed25519.Ed25519PrivateKey.generate()
    jwk = json.loads(jwt.get_algorithm_by_name(algorithm).to_jwk(key))
    return key, {**jwk, "alg": algorithm, "kid": algorithm, "key_ops": ["sign", "verify"]}


@pytest.fixture(params=["HS256", "RS256", "RS512", "ES256", "ES512", "EdDSA"])
def signing(request, tmp_path):
    """An algorithm, its private key, and a server that signs with it."""
    key, jwk = new_key(request.param)
    server = Server.serve(tmp_path, GOTRUE_JWT_KEYS=json.dumps([jwk])).start()
    yield request.param, key, server
    server.stop()


def test_another_implementation_verifies_our_tokens_and_we_verify_its(signing, new_email):
    algorithm, key, server = signing
    session = server.auth().sign_up(new_email(), data={"name": NAME})
    token, published = session["access_token"], server.auth().get("/.well-known/jwks.json").json()["keys"]
    if algorithm == "HS256":
        assert published == []
        verifier = key
    else:
        # Of the private key, nothing is published.
        assert [set(jwk) & {"d", "p", "q", "dp", "dq", "qi", "k"} for jwk in published] == [set()]
        verifier = jwt.PyJWKSet.from_dict({"keys": published})[jwt.get_unverified_header(token)["kid"]]
    claims = jwt.decode(token, verifier, [algorithm], audience="authenticated")
    assert claims["sub"] == session["user"]["id"] and claims["user_metadata"]["name"] == NAME
    theirs = jwt.encode(claims, key, algorithm, {"kid": algorithm})
    assert server.auth().user(theirs).json()["id"] == session["user"]["id"]
    forged = jwt.encode(claims, new_key(algorithm)[0], algorithm, {"kid": algorithm})
    assert server.auth().user(forged).status == 403
