"""Forged, damaged and misused ID tokens at the running server: refused with the right code, and no account is created.

Every forgery is a small change of a valid token, as `test_the_unchanged_tokens_are_valid` shows.
"""

import base64
import hashlib
import hmac
import json
import sqlite3
import time
import urllib.parse

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from identity_provider import KEY, IdentityProvider, to_base64url
from program import free_port
from signing_in import INNER, serve

CLIENT = "kc-client"
RSA_TWO = rsa.generate_private_key(65537, 2048)
RSA_ENCRYPTING = rsa.generate_private_key(65537, 2048)
STRANGER = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
OKP = ed25519.Ed25519PrivateKey.generate()
SHARED = b"a symmetric key that somebody published"
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def number(value, size=None):
    return to_base64url(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


def rsa_jwk(key, name, **members):
    public = key.public_key().public_numbers()
    return {"kty": "RSA", "kid": name, "n": number(public.n), "e": number(public.e), **members}


def ec_jwk(key, name):
    public = key.public_key().public_numbers()
    return {"kty": "EC", "crv": "P-256", "kid": name, "x": number(public.x, 32), "y": number(public.y, 32)}


def okp_jwk(key, name):
    raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return {"kty": "OKP", "crv": "Ed25519", "kid": name, "x": to_base64url(raw)}


REALMS = {
    "test": [KEY.published()],
    "several": [
        KEY.published(),
        rsa_jwk(RSA_TWO, "rsa-2", alg="RS256"),
        rsa_jwk(RSA_ENCRYPTING, "enc-1", use="enc"),
        ec_jwk(EC, "ec-1"),
        okp_jwk(OKP, "okp-1"),
        {"kty": "oct", "kid": "oct-1", "k": to_base64url(SHARED)},
    ],
    "twins": [KEY.published(kid="twin"), rsa_jwk(STRANGER, "twin")],
}
# By realm, as the API calls them.
PROVIDERS = {"test": "keycloak", "several": "several", "twins": "twins"}


class Forge:
    """The forger's material: the parts of a valid token, and the provider's public keys."""

    def __init__(self, stand_in, tag):
        self.stand_in, self.tag, self.realm = stand_in, tag, "test"
        self.header = {"alg": "RS256", "kid": "idp-1", "typ": "JWT"}

    def claims(self, realm="test", **changes):
        """Good claims; `changes` replaces members, and None takes one out."""
        now = int(time.time())
        claims = {
            "iss": self.stand_in.issuer(realm),
            "aud": CLIENT,
            "sub": f"subject {self.tag}",
            "email": f"{self.tag}@example.com",
            "email_verified": True,
            "iat": now,
            "exp": now + 300,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def parts(self, header=None, claims=None):
        """The signed part. Bytes are used unchanged."""

        def part(value):
            return to_base64url(value if isinstance(value, bytes) else json.dumps(value).encode())

        return f"{part(header or self.header)}.{part(claims if claims is not None else self.claims())}"

    def signed(self, header=None, claims=None, sign=KEY.sign):
        signed = self.parts(header, claims)
        return f"{signed}.{to_base64url(sign(signed.encode()))}"

    def good(self):
        return self.signed()

    def with_header(self, **members):
        header = {**self.header, **members}
        return self.signed({name: value for name, value in header.items() if value is not None})

    def with_claims(self, **changes):
        return self.signed(claims=self.claims(**changes))

    def elsewhere(self, realm, header, sign, **changes):
        """A token for a realm with other keys, to be presented there."""
        self.realm = realm
        return self.signed({"typ": "JWT", **header}, self.claims(realm, **changes), sign)


def by_rsa(key, digest=hashes.SHA256, scheme=None):
    return lambda data: key.sign(data, scheme or padding.PKCS1v15(), digest())


def by_hmac(secret, digest=hashlib.sha256):
    return lambda data: hmac.new(secret, data, digest).digest()


def by_ec(data):
    return EC.sign(data, ec.ECDSA(hashes.SHA256()))


def raw_ec(r, s, size=32):
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


def by_raw_ec(data):
    return raw_ec(*utils.decode_dss_signature(by_ec(data)))


def pem(form=serialization.PublicFormat.SubjectPublicKeyInfo):
    public = rsa.RSAPublicNumbers(65537, KEY.modulus).public_key()
    return public.public_bytes(serialization.Encoding.PEM, form)


def der():
    public = rsa.RSAPublicNumbers(65537, KEY.modulus).public_key()
    return public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


HS = {"alg": "HS256", "kid": "idp-1", "typ": "JWT"}
EC_HEADER = {"alg": "ES256", "kid": "ec-1"}
MODULUS = KEY.modulus.to_bytes(KEY.size, "big")
DUPLICATE_ALG = b'{"alg":"RS256","alg":"none","kid":"idp-1"}'
DUPLICATE_KID = b'{"alg":"RS256","kid":"nobody","kid":"idp-1"}'


def twice(claims, member):
    """The claims with one more member at the end."""
    return json.dumps(claims).encode()[:-1] + b"," + member + b"}"


def split(token):
    return token.split(".")


def joined(*parts):
    return ".".join(parts)


def last_changed(text):
    """The same bytes, with unused bits at the end that are not zero."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    assert len(text) % 4, "all bits of the last letter are used"
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1]


def padded(text):
    assert len(text) % 4, "nothing to fill up"
    return text + "=" * (-len(text) % 4)


def in_standard_alphabet(text):
    assert "-" in text or "_" in text, "the same in both alphabets"
    return text.replace("-", "+").replace("_", "/")


def rewritten(part, change):
    """A valid token with another encoding of one part, signed in that encoding."""

    def make(f):
        # Of a length that leaves bits over, and with letters of both alphabets.
        texts = split(f.parts({**f.header, "cty": "x"}, f.claims(padding="ÿÿÿ???")))
        for extra in range(3):
            if len(texts[part]) % 4:
                break
            more = "x" * (extra + 1)
            texts = split(f.parts({**f.header, "cty": "x" + more}, f.claims(padding="ÿÿÿ???" + more)))
        texts[part] = change(texts[part])
        signed = ".".join(texts)
        return f"{signed}.{to_base64url(KEY.sign(signed.encode()))}"

    return make


def resigned(change):
    """A valid token with another encoding of its signature."""

    def make(f):
        header, claims, signature = split(f.good())
        return joined(header, claims, change(signature))

    return make


# Unsigned, or signed by another key.
UNSIGNED = {
    "alg none, no signature": lambda f: f.parts({**f.header, "alg": "none"}) + ".",
    "alg none, the old signature": lambda f: f.signed({**f.header, "alg": "none"}),
    "alg None": lambda f: f.parts({**f.header, "alg": "None"}) + ".",
    "alg nOnE": lambda f: f.parts({**f.header, "alg": "nOnE"}) + ".",
    "alg none without kid": lambda f: f.parts({"alg": "none"}) + ".",
    "no signature": lambda f: f.parts() + ".",
    "no third part": lambda f: f.parts(),
    "a stranger's key": lambda f: f.signed(sign=by_rsa(STRANGER)),
    "a stranger's key and its own name": lambda f: f.signed({**f.header, "kid": "stranger"}, sign=by_rsa(STRANGER)),
    "other claims under a good signature": lambda f: joined(
        split(f.good())[0], split(f.with_claims(sub="another"))[1], split(f.good())[2]
    ),
    "another header over a good signature": lambda f: joined(
        split(f.with_header(cty="x"))[0], *split(f.good())[1:]
    ),
    "a signature of zeros": lambda f: f.signed(sign=lambda _: bytes(KEY.size)),
    "a signature of ones": lambda f: f.signed(sign=lambda _: b"\xff" * KEY.size),
    "the signature one": lambda f: f.signed(sign=lambda _: bytes(KEY.size - 1) + b"\x01"),
    "the modulus as signature": lambda f: f.signed(sign=lambda _: MODULUS),
    "a signature one byte short": lambda f: f.signed(sign=lambda data: KEY.sign(data)[:-1]),
    "a signature one byte long": lambda f: f.signed(sign=lambda data: KEY.sign(data) + b"\x00"),
    "a signature with a zero in front": lambda f: f.signed(sign=lambda data: b"\x00" + KEY.sign(data)),
    "a signature that is one larger than it may be": lambda f: f.signed(
        sign=lambda data: (int.from_bytes(KEY.sign(data), "big") + KEY.modulus).to_bytes(KEY.size + 1, "big")
    ),
    "one bit of the signature": lambda f: f.signed(
        sign=lambda data: (int.from_bytes(KEY.sign(data), "big") ^ 1).to_bytes(KEY.size, "big")
    ),
    "an empty signature of another length": lambda f: f.signed(sign=lambda _: b"\x00"),
    "SHA-1 for the digest": lambda f: f.elsewhere(
        "several", {"alg": "RS256", "kid": "rsa-2"}, by_rsa(RSA_TWO, hashes.SHA1)
    ),
    "PSS under the name RS256": lambda f: f.elsewhere(
        "several",
        {"alg": "RS256", "kid": "rsa-2"},
        by_rsa(RSA_TWO, scheme=padding.PSS(padding.MGF1(hashes.SHA256()), 32)),
    ),
}
# The token describes its own verification.
CONFUSED = {
    "HS256 with the public key's text": lambda f: f.signed(HS, sign=by_hmac(pem())),
    "HS256 with the public key's text, trimmed": lambda f: f.signed(HS, sign=by_hmac(pem().strip())),
    "HS256 with the public key's old text": lambda f: f.signed(
        HS, sign=by_hmac(pem(serialization.PublicFormat.PKCS1))
    ),
    "HS256 with the public key's bytes": lambda f: f.signed(HS, sign=by_hmac(der())),
    "HS256 with the modulus": lambda f: f.signed(HS, sign=by_hmac(MODULUS)),
    "HS256 with the modulus as text": lambda f: f.signed(HS, sign=by_hmac(to_base64url(MODULUS).encode())),
    "HS256 with the JSON Web Key": lambda f: f.signed(HS, sign=by_hmac(json.dumps(KEY.published()).encode())),
    "HS256 with an empty key": lambda f: f.signed(HS, sign=by_hmac(b"")),
    "HS256 without kid": lambda f: f.signed({"alg": "HS256"}, sign=by_hmac(pem())),
    "HS512 with the modulus": lambda f: f.signed({**HS, "alg": "HS512"}, sign=by_hmac(MODULUS, hashlib.sha512)),
    "HS256 with a published symmetric key": lambda f: f.elsewhere(
        "several", {"alg": "HS256", "kid": "oct-1"}, by_hmac(SHARED)
    ),
    "RS512 with an RS256 key": lambda f: f.elsewhere(
        "several", {"alg": "RS512", "kid": "rsa-2"}, by_rsa(RSA_TWO, hashes.SHA512)
    ),
    "RS384 with an RS256 key": lambda f: f.elsewhere(
        "several", {"alg": "RS384", "kid": "rsa-2"}, by_rsa(RSA_TWO, hashes.SHA384)
    ),
    "PS256 with an RS256 key": lambda f: f.elsewhere(
        "several",
        {"alg": "PS256", "kid": "rsa-2"},
        by_rsa(RSA_TWO, scheme=padding.PSS(padding.MGF1(hashes.SHA256()), 32)),
    ),
    "ES256 with an RSA key": lambda f: f.elsewhere("several", {"alg": "ES256", "kid": "idp-1"}, by_raw_ec),
    "RS256 with an elliptic key": lambda f: f.elsewhere("several", {"alg": "RS256", "kid": "ec-1"}, by_raw_ec),
    "EdDSA with an elliptic key": lambda f: f.elsewhere("several", {"alg": "EdDSA", "kid": "ec-1"}, OKP.sign),
    "ES256 with an Edwards key": lambda f: f.elsewhere("several", {"alg": "ES256", "kid": "okp-1"}, OKP.sign),
    "a key that is for encryption": lambda f: f.elsewhere(
        "several", {"alg": "RS256", "kid": "enc-1"}, by_rsa(RSA_ENCRYPTING)
    ),
    "alg in small letters": lambda f: f.with_header(alg="rs256"),
    "no alg": lambda f: f.with_header(alg=None),
    "alg empty": lambda f: f.with_header(alg=""),
    "alg a number": lambda f: f.with_header(alg=256),
    "alg an array": lambda f: f.with_header(alg=["RS256"]),
    "a key in jwk": lambda f: f.signed({**f.header, "jwk": rsa_jwk(STRANGER, "idp-1")}, sign=by_rsa(STRANGER)),
    "the right key in jwk": lambda f: f.with_header(jwk=KEY.published()),
    "jku": lambda f: f.signed(
        {**f.header, "jku": "https://evil.example.net/keys", "kid": "evil"}, sign=by_rsa(STRANGER)
    ),
    "the right jku": lambda f: f.with_header(jku=f.stand_in.issuer("test") + "/protocol/openid-connect/certs"),
    "x5u": lambda f: f.signed({**f.header, "x5u": "https://evil.example.net/chain"}, sign=by_rsa(STRANGER)),
    "x5c": lambda f: f.signed(
        {**f.header, "x5c": [base64.b64encode(b"a certificate").decode()]}, sign=by_rsa(STRANGER)
    ),
    "crit": lambda f: f.with_header(crit=["exp"], exp=1),
    "crit, empty": lambda f: f.with_header(crit=[]),
    "crit, unknown": lambda f: f.with_header(crit=["https://example.com/unknown"]),
    "b64 false": lambda f: f.with_header(crit=["b64"], b64=False),
    "an access token": lambda f: f.with_header(typ="at+jwt"),
    "a logout token": lambda f: f.with_header(typ="logout+jwt"),
    "a notification": lambda f: f.with_header(typ="secevent+jwt"),
}
# Which key?
KEYS = {
    "an unknown kid": lambda f: f.with_header(kid="nobody"),
    "an empty kid": lambda f: f.with_header(kid=""),
    "kid in other letters": lambda f: f.with_header(kid="IDP-1"),
    "kid with a blank": lambda f: f.with_header(kid="idp-1 "),
    "kid a number": lambda f: f.with_header(kid=1),
    "kid null": lambda f: f.signed(b'{"alg":"RS256","kid":null}'),
    "kid an array": lambda f: f.with_header(kid=["idp-1"]),
    "kid a path": lambda f: f.signed({**HS, "kid": "../../../../dev/null"}, sign=by_hmac(b"")),
    "kid SQL": lambda f: f.signed({**HS, "kid": "x' UNION SELECT 'a"}, sign=by_hmac(b"a")),
    "kid of 10 kB": lambda f: f.with_header(kid="a" * 10_000),
    "no kid among several keys": lambda f: f.elsewhere("several", {"alg": "RS256"}, KEY.sign),
    "no kid among several keys, the second one's": lambda f: f.elsewhere("several", {"alg": "RS256"}, by_rsa(RSA_TWO)),
    "no kid, the only elliptic key": lambda f: f.elsewhere("several", {"alg": "ES256"}, by_raw_ec),
    "the second of two keys with one kid": lambda f: f.elsewhere(
        "twins", {"alg": "RS256", "kid": "twin"}, by_rsa(STRANGER)
    ),
    "kid twice": lambda f: f.signed(DUPLICATE_KID),
    "alg twice": lambda f: f.signed(DUPLICATE_ALG),
}
ELLIPTIC = {
    f"r {r_name}, s {s_name}": (lambda r, s: lambda f: f.elsewhere("several", EC_HEADER, lambda _: raw_ec(r, s)))(r, s)
    for r_name, r in (("0", 0), ("1", 1), ("the order", ORDER))
    for s_name, s in (("0", 0), ("1", 1), ("the order", ORDER))
} | {
    "a signature in DER": lambda f: f.elsewhere("several", EC_HEADER, by_ec),
    "nothing": lambda f: f.elsewhere("several", EC_HEADER, lambda _: b""),
    "half of it": lambda f: f.elsewhere("several", EC_HEADER, lambda data: by_raw_ec(data)[:32]),
    "one byte more": lambda f: f.elsewhere("several", EC_HEADER, lambda data: by_raw_ec(data) + b"\x00"),
    "the length of P-521": lambda f: f.elsewhere(
        "several", EC_HEADER, lambda data: raw_ec(*utils.decode_dss_signature(by_ec(data)), size=66)
    ),
    "another algorithm of the curve": lambda f: f.elsewhere("several", {"alg": "ES256K", "kid": "ec-1"}, by_raw_ec),
    "an Edwards signature of zeros": lambda f: f.elsewhere(
        "several", {"alg": "EdDSA", "kid": "okp-1"}, lambda _: bytes(64)
    ),
}
# Other encodings of the same bytes, and malformed tokens.
WRITTEN = {
    "padding in the header": rewritten(0, padded),
    "padding in the claims": rewritten(1, padded),
    "padding at the signature": resigned(padded),
    "the standard alphabet in the claims": rewritten(1, in_standard_alphabet),
    "the standard alphabet in the signature": resigned(in_standard_alphabet),
    "unused bits of the header": rewritten(0, last_changed),
    "unused bits of the claims": rewritten(1, last_changed),
    "unused bits of the signature": resigned(last_changed),
    "a line feed in the claims": rewritten(1, lambda text: text[:20] + "\n" + text[20:]),
    "a blank before the claims": rewritten(1, lambda text: " " + text),
    "a line feed inside": lambda f: f.good()[:40] + "\n" + f.good()[40:],
    "a line feed at the end": lambda f: f.good() + "\n",
    "blanks around": lambda f: f" {f.good()} ",
    "Bearer in front": lambda f: "Bearer " + f.good(),
    "percent-encoded": lambda f: f.good().replace(".", "%2E"),
    "quoted": lambda f: f'"{f.good()}"',
    "not ASCII": lambda f: f.good() + "ä",
    "a fourth part": lambda f: f.good() + ".",
    "a fourth part in front": lambda f: "." + f.good(),
    "five parts": lambda f: f.good() + ".AAAA.AAAA",
    "stops alone": lambda f: "..",
    "one stop": lambda f: ".",
    "one letter": lambda f: "a",
    "cut in the middle": lambda f: f.good()[: len(f.good()) // 2],
    "cut by one letter": lambda f: f.good()[:-1],
    "cut by four letters": lambda f: f.good()[:-4],
    "JSON serialization": lambda f: json.dumps(
        dict(zip(("protected", "payload", "signature"), split(f.good()), strict=True))
    ),
    "a header that is no object": lambda f: f.signed(b'["RS256"]'),
    "a header that is null": lambda f: f.signed(b"null"),
    "a header that is no JSON": lambda f: f.signed(b"RS256"),
    "a header in UTF-16": lambda f: f.signed(json.dumps(f.header).encode("utf-16")),
    "a header with a byte order mark": lambda f: f.signed(b"\xef\xbb\xbf" + json.dumps(f.header).encode()),
    "a header and more": lambda f: f.signed(json.dumps(f.header).encode() + b"{}"),
    "an empty header": lambda f: "." + joined(*split(f.good())[1:]),
    "claims that are no object": lambda f: f.signed(claims=[f.claims()]),
    "claims that are null": lambda f: f.signed(claims=b"null"),
    "claims that are a text": lambda f: f.signed(claims=json.dumps(json.dumps(f.claims())).encode()),
    "claims that are no JSON": lambda f: f.signed(claims=b"sub=a"),
    "claims with a comment": lambda f: f.signed(claims=twice(f.claims(), b'/* */"a":1')),
    "claims of invalid UTF-8": lambda f: f.signed(claims=twice(f.claims(), b'"a":"\xff"')),
    "no claims": lambda f: f.signed(claims={}),
    "an empty payload": lambda f: f.signed(claims=b""),
    "a token in a token": lambda f: f.signed(claims=f.good().encode()),
    "20 kB of claims": lambda f: f.with_claims(padding="a" * 20_000),
    "20 kB of header": lambda f: f.with_header(padding="a" * 20_000),
    "100 kB of stops": lambda f: "." * 100_000,
    "100 kB of depth": lambda f: f.signed(claims=b"[" * 50_000 + b"]" * 50_000),
    "10 kB of depth": lambda f: f.signed(claims=twice(f.claims(), b'"a":' + b"[" * 4_000 + b"]" * 4_000)),
}


NOW = int(time.time())
# A valid signature over an invalid token.
CLAIMS = {
    "another issuer": {"iss": "https://evil.example.net"},
    "a known provider's issuer": {"iss": "https://accounts.google.com"},
    "no issuer": {"iss": None},
    "an empty issuer": {"iss": ""},
    "an issuer of another type": {"iss": 1},
    "another client": {"aud": "somebody-else"},
    "no client": {"aud": None},
    "an empty client": {"aud": ""},
    "an empty list of clients": {"aud": []},
    "a list of an empty client": {"aud": [""]},
    "a client in other letters": {"aud": CLIENT.upper()},
    "a client and a blank": {"aud": CLIENT + " "},
    "clients in one text": {"aud": f"{CLIENT},other"},
    "the start of a client": {"aud": CLIENT[:-1]},
    "a client as a name": {"aud": {CLIENT: True}},
    "a number among the clients": {"aud": [CLIENT, 1]},
    "a list in a list": {"aud": [[CLIENT]]},
    "several clients, and another asked": {"aud": [CLIENT, "other"], "azp": "other"},
    "several clients, and none asked": {"aud": [CLIENT, "other"], "azp": None},
    "an authorized party of another type": {"azp": 1},
    "no end": {"exp": None},
    "an end in the past": {"exp": NOW - 60},
    "an end long ago": {"exp": 1},
    "a negative end": {"exp": -1},
    "an end that is a text": {"exp": str(NOW + 300)},
    "an end that is true": {"exp": True},
    "an end that is a list": {"exp": [NOW + 300]},
    "an end after all time": {"exp": 10**18},
    "an end after every number": {"exp": 10**400},
    "no beginning": {"iat": None},
    "made in an hour": {"iat": NOW + 3600},
    "made at a text": {"iat": str(NOW)},
    "good in an hour": {"nbf": NOW + 3600},
    "good from a text on": {"nbf": "soon"},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is a number": {"sub": 42},
    "a subject that is a list": {"sub": ["a"]},
    "a subject that is true": {"sub": True},
    "a subject of 256 bytes": {"sub": "a" * 256},
    "a subject of 200 letters and 400 bytes": {"sub": "ä" * 200},
    "a NUL in the subject": {"sub": "a\x00b"},
    "a NUL for a subject": {"sub": "\x00"},
    "half a character in the subject": {"sub": "a\ud83d"},
    "a nonce that the request does not have": {"nonce": "abc"},
    "a nonce of another type": {"nonce": 1},
    "a hash of another type": {"at_hash": 1},
}
RAW_CLAIMS = {
    "the subject twice": b'"sub":"another"',
    "the issuer twice": b'"iss":"https://evil.example.net"',
    "the client twice": b'"aud":"another"',
    "the end twice": b'"exp":9999999999',
    "the address twice": b'"email":"another@example.com"',
    "a number that is none": b'"nbf":NaN',
    "an infinite number": b'"nbf":Infinity',
    "a number beyond all": b'"nbf":1e400',
}

FORGERIES = {
    f"{group}: {name}": forge
    for group, forgeries in {
        "unsigned": UNSIGNED,
        "confused": CONFUSED,
        "key": KEYS,
        "elliptic": ELLIPTIC,
        "written": WRITTEN,
        "claims": {
            name: (lambda changes: lambda f: f.with_claims(**changes))(changes) for name, changes in CLAIMS.items()
        },
        "raw claims": {
            name: (lambda member: lambda f: f.signed(claims=twice(f.claims(), member)))(member)
            for name, member in RAW_CLAIMS.items()
        },
    }.items()
    for name, forge in forgeries.items()
}


def digest_of(nonce):
    return hashlib.sha256(nonce.encode()).hexdigest()


# Request members next to a valid token, and their errors.
BESIDE = {
    "a nonce that the token does not have": ({}, {"nonce": "raw"}, "invalid request"),
    "another nonce": ({"nonce": digest_of("raw")}, {"nonce": "other"}, "invalid nonce"),
    "the token's digest for a nonce": ({"nonce": digest_of("raw")}, {"nonce": digest_of("raw")}, "invalid nonce"),
    "a nonce in other letters": ({"nonce": digest_of("raw").upper()}, {"nonce": "raw"}, "invalid nonce"),
    "the digest for a nonce in the token": ({"nonce": "raw"}, {"nonce": digest_of("raw")}, "invalid nonce"),
    "no nonce beside one": ({"nonce": digest_of("raw")}, {"nonce": ""}, "invalid request"),
    "another access token": ({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, {"access_token": "abc"}, "invalid request"),
    "the whole digest of the access token": (
        {"at_hash": to_base64url(hashlib.sha256(b"abc").digest())},
        {"access_token": "abc"},
        "invalid request",
    ),
}


class Target:
    def __init__(self, servers):
        self.stand_in = IdentityProvider(REALMS).start()
        port = free_port()
        others = [
            {
                "name": PROVIDERS[realm],
                "issuer": self.stand_in.issuer(realm),
                "client_id": CLIENT,
                "client_secret": "kc-secret",
            }
            for realm in ("several", "twins")
        ]
        self.server = serve(
            servers,
            port,
            others,
            GOTRUE_EXTERNAL_KEYCLOAK_ENABLED="true",
            GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID=CLIENT + ",kc-app",
            GOTRUE_EXTERNAL_KEYCLOAK_SECRET="kc-secret",
            GOTRUE_EXTERNAL_KEYCLOAK_URL=self.stand_in.issuer("test"),
        )
        self.database = sqlite3.connect(f"file:{urllib.parse.quote(self.server.database_path)}?mode=ro", uri=True)

    def stop(self):
        self.database.close()
        self.stand_in.stop()

    def counts(self):
        tables = ("users", "identities", "sessions", "profiles")
        return [self.database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    def bring(self, provider, token, **beside):
        return self.server.auth().post(
            "/token?grant_type=id_token", {"provider": provider, "id_token": token, **beside}
        )

    def check_refused(self, provider, token, error="invalid request", **beside):
        before = self.counts()
        answer = self.bring(provider, token, **beside)
        assert answer.status == 400, answer
        body = answer.json()
        assert (body["error"], set(body)) == (error, {"error", "error_description"}), answer
        assert not INNER.search(body["error_description"]), answer
        assert self.counts() == before, "something was made"


@pytest.fixture(scope="module")
def target(session_servers):
    target = Target(session_servers)
    yield target
    target.stop()


@pytest.fixture
def forge(target, new_email):
    return Forge(target.stand_in, new_email("forged").partition("@")[0])


def test_a_token_without_an_address_is_refused_as_an_error_of_the_caller(target, forge):
    before = target.counts()
    answer = target.bring("keycloak", forge.with_claims(email=None))
    assert (answer.status, answer.json()["code"]) == (422, "validation_failed"), answer
    assert target.counts() == before


GOOD = {
    "RS256": ("keycloak", lambda f: f.good()),
    "two claims of no matter": ("keycloak", lambda f: f.with_claims(padding=[1, {"a": None}], extra="ü")),
    "another of our clients": ("keycloak", lambda f: f.with_claims(aud="kc-app")),
    "several clients, and we asked": ("keycloak", lambda f: f.with_claims(aud=[CLIENT, "other"], azp=CLIENT)),
    "what is written otherwise below": ("keycloak", rewritten(0, lambda text: text)),
    "without typ": ("keycloak", lambda f: f.with_header(typ=None)),
    "a subject of 255 bytes": ("keycloak", lambda f: f.with_claims(sub=(f.tag + "a" * 255)[:255])),
    "a clock that is half a minute ahead": ("keycloak", lambda f: f.with_claims(iat=int(time.time()) + 30)),
    "a second RSA key": (
        "several",
        lambda f: f.elsewhere("several", {"alg": "RS256", "kid": "rsa-2"}, by_rsa(RSA_TWO)),
    ),
    "ES256": ("several", lambda f: f.elsewhere("several", EC_HEADER, by_raw_ec)),
    "EdDSA": ("several", lambda f: f.elsewhere("several", {"alg": "EdDSA", "kid": "okp-1"}, OKP.sign)),
    "the first of two keys with one kid": (
        "twins",
        lambda f: f.elsewhere("twins", {"alg": "RS256", "kid": "twin"}, KEY.sign),
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_the_unchanged_tokens_are_valid(target, forge, name):
    provider, make = GOOD[name]
    answer = target.bring(provider, make(forge))
    assert answer.status == 200, answer
    assert answer.json()["user"]["email"] == f"{forge.tag}@example.com"


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries(target, forge, name):
    token = FORGERIES[name](forge)
    target.check_refused(PROVIDERS[forge.realm], token)


@pytest.mark.parametrize("name", BESIDE)
def test_members_beside_a_valid_token(target, forge, name):
    claims, beside, error = BESIDE[name]
    target.check_refused("keycloak", forge.with_claims(**claims), error, **beside)


def test_the_nonce_and_the_access_token_that_fit(target, forge):
    half = to_base64url(hashlib.sha256(b"abc").digest()[:16])
    token = forge.with_claims(nonce=digest_of("raw"), at_hash=half)
    assert target.bring("keycloak", token, nonce="raw", access_token="abc").status == 200


def test_a_token_of_one_realm_is_invalid_at_another(target, forge):
    """Same key, same client, other issuer."""
    target.check_refused("several", forge.good())
    target.check_refused("keycloak", forge.elsewhere("several", forge.header, KEY.sign))


@pytest.mark.parametrize("token", [None, "", "\x00", "a.b.c\x00", "\ud83d", 1, True, [], {}, ["a"]])
def test_no_token(target, token):
    before = target.counts()
    answer = target.bring("keycloak", token)
    assert answer.status == 400 and target.counts() == before, answer
    assert answer.json().get("error", answer.json().get("code")) in ("invalid request", "bad_json"), answer


def test_a_token_that_is_longer_than_a_request_may_be(target, forge):
    before = target.counts()
    answer = target.bring("keycloak", forge.with_claims(padding="a" * (1 << 20)))
    assert answer.status == 413, answer
    assert target.counts() == before
    target.check_refused("keycloak", forge.with_claims(padding="a" * 500_000))
    assert target.bring("keycloak", forge.good()).status == 200
