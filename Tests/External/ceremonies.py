"""WebAuthn ceremonies from a seed: right ones, and ones with one to three deviations."""

import base64
import contextlib
import copy
import hashlib
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

ORIGIN = "https://app.example.org"
RP_ID = "example.org"
CURVES = {-7: (ec.SECP256R1, 1, 32, hashes.SHA256), -35: (ec.SECP384R1, 2, 48, hashes.SHA384),
          -36: (ec.SECP521R1, 3, 66, hashes.SHA512), -47: (ec.SECP256K1, 8, 32, hashes.SHA256)}
RSA_HASHES = {-257: hashes.SHA256, -258: hashes.SHA384, -259: hashes.SHA512,
              -37: hashes.SHA256, -38: hashes.SHA384, -39: hashes.SHA512}
UP, UV, BE, BS, AT, ED = 1, 4, 8, 16, 64, 128


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def head(major, number):
    for index, limit in enumerate((24, 1 << 8, 1 << 16, 1 << 32)):
        if number < limit:
            first = bytes([major << 5 | (number if index == 0 else 23 + index)])
            return first if index == 0 else first + number.to_bytes(1 << index - 1, "big")
    raise ValueError(number)


def cbor(value):
    """Encodes integers, bytes, texts, lists, and maps in their order. A `Raw` is encoded already."""
    if isinstance(value, Raw):
        return value.encoded
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return pairs(value.items())


def pairs(items):
    items = list(items)
    return head(5, len(items)) + b"".join(cbor(key) + cbor(value) for key, value in items)


class Raw:
    def __init__(self, encoded):
        self.encoded = encoded

    def __repr__(self):
        return self.encoded.hex()


def mersenne_key():
    """The RSA key of W3C's test vectors: its primes are 2^1279 - 1 and 2^2203 - 1."""
    p, q, e = 2**1279 - 1, 2**2203 - 1, 65537
    d = rsa.rsa_recover_private_exponent(e, p, q)
    numbers = rsa.RSAPrivateNumbers(
        p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q), rsa.RSAPublicNumbers(e, p * q))
    return numbers.private_key()


class Key:
    """A key pair for one algorithm, from the seed."""

    def __init__(self, algorithm, chance):
        self.algorithm = algorithm
        if algorithm in CURVES:
            self.private = ec.derive_private_key(chance.getrandbits(250) + 1, CURVES[algorithm][0]())
        elif algorithm == -8:
            self.private = ed25519.Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        else:
            self.private = mersenne_key()

    def cose(self):
        """The members of the COSE_Key, in canonical order."""
        if self.algorithm in CURVES:
            _, curve, length, _ = CURVES[self.algorithm]
            point = self.private.public_key().public_numbers()
            x, y = point.x.to_bytes(length, "big"), point.y.to_bytes(length, "big")
            return [(1, 2), (3, self.algorithm), (-1, curve), (-2, x), (-3, y)]
        if self.algorithm == -8:
            return [(1, 1), (3, -8), (-1, 6), (-2, self.private.public_key().public_bytes_raw())]
        numbers = self.private.public_key().public_numbers()
        return [(1, 3), (3, self.algorithm), (-1, numbers.n.to_bytes(436, "big")), (-2, b"\1\0\1")]

    def sign(self, message):
        if self.algorithm in CURVES:
            return self.private.sign(message, ec.ECDSA(CURVES[self.algorithm][3](), deterministic_signing=True))
        if self.algorithm == -8:
            return self.private.sign(message)
        digest = RSA_HASHES[self.algorithm]()
        if self.algorithm in (-37, -38, -39):
            scheme = padding.PSS(padding.MGF1(digest), digest.digest_size)
        else:
            scheme = padding.PKCS1v15()
        return self.private.sign(message, scheme, digest)


class Ceremony:
    """The parts of a response, from which `line` makes the JSON of both sides. Deviations change the parts."""

    def __init__(self, chance, key, registers):
        self.chance, self.key, self.registers = chance, key, registers
        self.challenge = chance.randbytes(32)
        self.requires_verification = chance.random() < 0.2
        self.client = [("type", "webauthn.create" if registers else "webauthn.get"),
                       ("challenge", b64(self.challenge)), ("origin", ORIGIN), ("crossOrigin", False)]
        self.client_bytes = None
        self.client_suffix = b""
        self.rp_hash = hashlib.sha256(RP_ID.encode()).digest()
        self.flags = UP | UV
        self.count = 0
        self.aaguid = bytes(16)
        self.id = chance.randbytes(chance.choice([16, 32, 64]))
        self.cose = key.cose()
        self.cose_bytes = None
        self.extensions = b""
        self.data_suffix = b""
        self.attestation = chance.choice(["none", "none", "self"]) if registers else None
        self.object = None
        self.object_suffix = b""
        self.signature = None
        self.changes_after_signing = []
        self.members = []
        self.record = {"id": b64(self.id), "publicKey": b64(pairs(self.cose)), "algorithm": key.algorithm,
                       "signCount": 0, "isBackupEligible": False}

    def line(self):
        client = self.client_bytes
        if client is None:
            client = ("{" + ",".join(f"{json.dumps(k)}:{json.dumps(v)}" for k, v in self.client) + "}").encode()
            client += self.client_suffix
        attested = b""
        if self.registers:
            key = pairs(self.cose) if self.cose_bytes is None else self.cose_bytes
            attested = self.aaguid + len(self.id).to_bytes(2, "big") + self.id + key
            self.flags |= AT
        data = self.rp_hash + bytes([self.flags]) + self.count.to_bytes(4, "big") + attested
        data += self.extensions + self.data_suffix
        signed = data + hashlib.sha256(client).digest()
        parts = {"client": client, "data": data}
        if self.registers:
            statement, name = [], "none"
            if self.attestation == "self":
                statement, name = [("alg", self.key.algorithm), ("sig", self.key.sign(signed))], "packed"
            items = [("fmt", name), ("attStmt", Raw(pairs(statement))), ("authData", data)]
            parts["object"] = pairs(items if self.object is None else self.object(statement, items)) + self.object_suffix
        else:
            parts["signature"] = self.key.sign(signed) if self.signature is None else self.signature(signed)
        for change in self.changes_after_signing:
            change(parts)
        response = {"clientDataJSON": b64(parts["client"])}
        if self.registers:
            response |= {"attestationObject": b64(parts["object"]), "transports": ["internal"]}
        else:
            response |= {"authenticatorData": b64(parts["data"]), "signature": b64(parts["signature"]),
                         "userHandle": b64(b"ada")}
        credential = {"id": b64(self.id), "rawId": b64(self.id), "type": "public-key", "response": response,
                      "clientExtensionResults": {}}
        for change in self.members:
            # A deviation before this one can have taken the member away.
            with contextlib.suppress(KeyError, AttributeError, TypeError):
                change(credential)
        line = {"challenge": b64(self.challenge), "requiresVerification": self.requires_verification,
                "credential": credential}
        return line if self.registers else line | {"record": self.record}

    def set_client(self, name, value):
        self.client = [(k, value if k == name else v) for k, v in self.client]

    def set_cose(self, label, value):
        self.cose = [(k, value if k == label else v) for k, v in self.cose]


def flip(data, chance):
    if not data:
        return b"\0"
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1:]


def damage(data, chance):
    """Another byte, a byte less or more, or an end too early."""
    place = chance.randrange(len(data) + 1)
    return chance.choice([
        flip(data, chance), data[:place], data[:place] + chance.randbytes(1) + data[place:],
        data[:place] + data[place + 1:], data + chance.randbytes(chance.choice([1, 4])),
    ])


def client_deviations(c):
    chance = c.chance

    def member(name, values):
        return lambda: c.set_client(name, chance.choice(values))

    def without():
        del c.client[chance.randrange(len(c.client))]

    return {
        "type": member("type", ["webauthn.get", "webauthn.create", "payment.get", "", 7, None]),
        "challenge": member("challenge", [b64(chance.randbytes(32)), "", c.client[1][1] + "=", c.client[1][1][:-1], 5]),
        "origin": member("origin", [
            "https://evil.example", "http://app.example.org", ORIGIN + "/", ORIGIN + ":443", ORIGIN.upper(),
            ORIGIN + ".evil.example", ORIGIN + ":8443", "", "null", 1, "https://example.org"]),
        "cross origin": member("crossOrigin", [True, "true", None, 0, "false"]),
        "top origin": lambda: c.client.append(("topOrigin", chance.choice(["https://evil.example", ORIGIN, 1]))),
        "more members": lambda: c.client.append(("other_keys_can_be_added_here", {"a": [1, None]})),
        "twice a member": lambda: c.client.append(c.client[chance.randrange(3)]),
        "a member less": without,
        "bytes after": lambda: setattr(c, "client_suffix", chance.choice([b" ", b"x", b"\0", b"{}"])),
        "no object": lambda: setattr(c, "client_bytes", chance.choice([b"", b"[]", b"null", b"{", b"\xff{}"])),
    }


def data_deviations(c):
    chance = c.chance
    extension = pairs([("credProtect", 2)])
    return {
        "RP ID": lambda: setattr(c, "rp_hash", chance.choice([
            hashlib.sha256(b"app.example.org").digest(), flip(c.rp_hash, chance)])),
        "flags": lambda: setattr(c, "flags", chance.choice([
            0, UP, UV, UP | BE, UP | BS, UP | BE | BS, UP | UV | BE | BS, UP | 2, UP | 32])),
        "count": lambda: setattr(c, "count", chance.choice([1, 5, 2**32 - 1])),
        "extensions": lambda: [setattr(c, "flags", c.flags | ED), setattr(c, "extensions", chance.choice([
            extension, extension[:-1], b"", pairs([]), cbor([1]), extension + b"\0", pairs([("a", 1), ("a", 2)]),
            pairs([("a", Raw(b"\xfb\x3f\xf0\0\0\0\0\0\0"))]), b"\xbf\x61a\x01\xff"]))],
        "silent extensions": lambda: setattr(c, "extensions", extension),
        "bytes after the data": lambda: setattr(c, "data_suffix", chance.randbytes(chance.choice([1, 4]))),
    }


def registration_deviations(c):
    chance = c.chance

    def statement(edit):
        def change(parts, items):
            return [(k, Raw(pairs(edit(list(parts)))) if k == "attStmt" else v) for k, v in items]
        return lambda: setattr(c, "object", change)

    def items(edit):
        return lambda: setattr(c, "object", lambda parts, items: edit(items))

    def key(edit):
        return lambda: setattr(c, "cose_bytes", edit(list(c.cose)))

    def flipped(parts):
        return [(k, flip(v, chance) if isinstance(v, bytes) else v) for k, v in parts]

    return {
        "AAGUID": lambda: setattr(c, "aaguid", chance.randbytes(16)),
        "long id": lambda: setattr(c, "id", chance.randbytes(chance.choice([1, 1023, 1024, 2000]))),
        "no id": lambda: setattr(c, "id", b""),
        "algorithm": lambda: c.set_cose(3, chance.choice([-7, -35, -36, -257, -37, -8, -47, -53, -65535, 1, "a"])),
        "key type": lambda: c.set_cose(1, chance.choice([1, 2, 3, 4, b"\2"])),
        "curve": lambda: c.set_cose(-1, chance.choice([1, 2, 3, 6, 7, b"\1"])),
        "a number of the key": lambda: c.set_cose(-2, chance.choice([
            bytes(32), b"", b"\1", b"\0" + bytes(31) + b"\1", flip(c.cose[3][1], chance) if len(c.cose) > 3
            and isinstance(c.cose[3][1], bytes) else b"\2"])),
        "the key in another order": key(lambda items: pairs(reversed(items))),
        "one more label": key(lambda items: pairs(items + [(chance.choice([2, 4, 5, -70, "x"]), b"\1")])),
        "twice a label": key(lambda items: pairs(items + items[:1])),
        "a label less": key(lambda items: pairs(items[:-1])),
        "an endless key": key(lambda items: b"\xbf" + pairs(items)[1:] + b"\xff"),
        "a long integer": key(lambda items: bytes([0xA0 | len(items)]) + b"\x18\x01" + pairs(items)[2:]),
        "a tagged key": key(lambda items: b"\xc1" + pairs(items)),
        "a signature bit": statement(flipped),
        "a statement's algorithm": statement(lambda parts: [(k, -8 if k == "alg" else v) for k, v in parts]),
        "a statement without algorithm": statement(lambda parts: parts[1:]),
        "one more in the statement": statement(lambda parts: parts + [("more", 1)]),
        "no certificates": statement(lambda parts: parts + [("x5c", [])]),
        "a false certificate": statement(lambda parts: parts + [("x5c", [b"\x30\0"])]),
        "format": items(lambda items: [("fmt", chance.choice(["none", "packed", "other", "tpm", "apple", 1]))] + items[1:]),
        "the object in another order": items(lambda items: list(reversed(items))),
        "one more in the object": items(lambda items: items + [("ep", True)]),
        "one less in the object": items(lambda items: items[:-1]),
        "bytes after the object": lambda: setattr(c, "object_suffix", chance.randbytes(1)),
        "damaged object": lambda: c.changes_after_signing.append(
            lambda parts: parts.update(object=damage(parts["object"], chance))),
    }


def authentication_deviations(c):
    chance = c.chance

    def after(name, change):
        return lambda: c.changes_after_signing.append(lambda parts: parts.update({name: change(parts[name])}))

    def negated(signed):
        """The other signature that is valid for the same key and message (ECDSA)."""
        signature = c.key.sign(signed)
        if c.key.algorithm != -7:
            return signature
        order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
        r, s = utils.decode_dss_signature(signature)
        return utils.encode_dss_signature(r, order - s)

    return {
        "a bit of the signature": after("signature", lambda data: flip(data, chance)),
        "damaged signature": after("signature", lambda data: damage(data, chance)),
        "the other signature": lambda: setattr(c, "signature", negated),
        "another key": lambda: setattr(c, "signature", Key(c.key.algorithm if c.key.algorithm > -37 else -7, chance).sign),
        "damaged data": after("data", lambda data: damage(data, chance)),
        "stored count": lambda: c.record.update(signCount=chance.choice([1, 4, 5, 6])),
        "stored eligibility": lambda: c.record.update(isBackupEligible=True),
        "another credential": lambda: c.record.update(id=b64(chance.randbytes(16))),
    }


def member_deviations(c):
    chance = c.chance
    binary = ["attestationObject" if c.registers else "signature", "clientDataJSON"]

    def in_response(change):
        name = chance.choice(binary)
        return lambda credential: credential["response"].update({name: change(credential["response"][name])})

    def edit(*changes):
        return lambda: c.members.append(chance.choice(changes))

    return {
        "type of the credential": edit(lambda m: m.update(type="password"), lambda m: m.pop("type")),
        "id": edit(lambda m: m.update(id="AAAA"), lambda m: m.update(id=m["id"] + "="), lambda m: m.pop("id")),
        "raw id": edit(lambda m: m.update(rawId="AAAA"), lambda m: m.pop("rawId"), lambda m: m.update(rawId=5)),
        "response": edit(lambda m: m.pop("response"), lambda m: m.update(response=[]),
                         lambda m: m["response"].pop(chance.choice(binary))),
        "encoding": edit(in_response(lambda text: text + "=" * (-len(text) % 4 or 1)), in_response(lambda text: text + "!"),
                         in_response(lambda text: text[:-1]), in_response(lambda text: "+" + text[1:]),
                         in_response(lambda text: 5), in_response(lambda text: text[:9] + "\n" + text[9:])),
        "transports": edit(lambda m: m["response"].update(transports=["usb", "new-one"]),
                           lambda m: m["response"].update(transports="usb"), lambda m: m["response"].pop("transports", 0)),
        "extension results": edit(lambda m: m.pop("clientExtensionResults")),
        "damaged client data": lambda: c.changes_after_signing.append(
            lambda parts: parts.update(client=damage(parts["client"], chance))),
    }


def ceremonies(chance, count):
    """Pairs of the names of the deviations and the line."""
    keys = [Key(algorithm, chance) for algorithm in (-7, -7, -7, -8, -8, -35, -36, -257, -258, -259, -37, -38, -39)]
    for _ in range(count):
        c = Ceremony(chance, chance.choice(keys), chance.random() < 0.5)
        own = registration_deviations(c) if c.registers else authentication_deviations(c)
        groups = [client_deviations(c), data_deviations(c), own, own, member_deviations(c)]
        names = []
        for _ in range(chance.choice([0, 1, 1, 1, 1, 1, 1, 2, 3])):
            group = chance.choice(groups)
            name = chance.choice(sorted(group))
            group[name]()
            names.append(name)
        yield names, copy.deepcopy(c.line())
