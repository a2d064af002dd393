"""A device with passkeys, in software: it registers and signs in as a browser's `toJSON()` would show it.

Every deviation that a recorded case or a test needs is an argument. The keys derive from the `chance` that is passed in.
"""

import base64
import hashlib
import json

from ceremonies import AT, BE, BS, ORIGIN, RP_ID, UP, UV, Key, b64, cbor, pairs

NO_AAGUID = "00000000-0000-0000-0000-000000000000"
# The user handle of the registration.
REGISTERED = object()


class Passkey:
    """One key pair, and what the device remembers with it."""

    def __init__(self, key, raw_id, user_handle, count, flags):
        self.key, self.raw_id, self.user_handle, self.count = key, raw_id, user_handle, count
        self.backup_flags = flags & (BE | BS)


def client_json(type_, challenge, origin, more):
    members = {"type": type_, "challenge": challenge, "origin": origin, "crossOrigin": False, **more}
    return json.dumps(members, separators=(",", ":")).encode()


def flags_of(up, uv, be, bs):
    return (UP if up else 0) | (UV if uv else 0) | (BE if be else 0) | (BS if bs else 0)


def other_last_bit(signature):
    return signature[:-1] + bytes([signature[-1] ^ 1])


def credential(raw_id, response, drop, replaced):
    """The JSON form, without the members named in `drop`, and with those of `replaced`: of `response` if they are there."""
    members = {
        "id": b64(raw_id),
        "rawId": b64(raw_id),
        "type": "public-key",
        "response": {name: value for name, value in response.items() if name not in drop},
        "clientExtensionResults": {},
        "authenticatorAttachment": "platform",
    }
    for name, value in (replaced or {}).items():
        (members["response"] if name in response else members)[name] = value
    return {name: value for name, value in members.items() if name not in drop}


class Authenticator:
    """Holds passkeys by name."""

    def __init__(self, chance):
        self.chance, self.passkeys = chance, {}

    def create(
        self,
        name,
        challenge,
        user_handle=None,
        *,
        origin=ORIGIN,
        rp_id_hash_of=RP_ID,
        type="webauthn.create",
        up=True,
        uv=True,
        be=False,
        bs=False,
        counter=0,
        aaguid=NO_AAGUID,
        transports=("internal",),
        id_bytes=32,
        same_id_as=None,
        alg=-7,
        attestation="none",
        bad_signature=False,
        client_data=None,
        drop=(),
        set=None,
    ):
        """A registration. `attestation`: `none` or `packed-self`; `same_id_as`: the name of the passkey whose id it takes."""
        raw_id = self.passkeys[same_id_as].raw_id if same_id_as else self.chance.randbytes(id_bytes)
        key, flags = Key(alg, self.chance), flags_of(up, uv, be, bs)
        data = hashlib.sha256(rp_id_hash_of.encode()).digest() + bytes([flags | AT]) + counter.to_bytes(4, "big")
        data += bytes.fromhex(aaguid.replace("-", "")) + len(raw_id).to_bytes(2, "big") + raw_id + pairs(key.cose())
        client = client_json(type, challenge, origin, client_data or {})
        format_, statement = "none", {}
        if attestation == "packed-self":
            signature = key.sign(data + hashlib.sha256(client).digest())
            format_ = "packed"
            statement = {"alg": key.algorithm, "sig": other_last_bit(signature) if bad_signature else signature}
        self.passkeys[name] = Passkey(key, raw_id, user_handle, counter, flags)
        response = {
            "clientDataJSON": b64(client),
            "attestationObject": b64(cbor({"fmt": format_, "attStmt": statement, "authData": data})),
            "transports": list(transports),
        }
        return credential(raw_id, response, drop, set)

    def get(
        self,
        name,
        challenge,
        *,
        origin=ORIGIN,
        rp_id_hash_of=RP_ID,
        type="webauthn.get",
        up=True,
        uv=True,
        be=None,
        bs=None,
        counter=None,
        credential_id=None,
        sign_with=None,
        bad_signature=False,
        client_data=None,
        drop=(),
        set=None,
        user_handle=REGISTERED,
    ):
        """A sign-in. The backup flags, the user handle and the next count are the passkey's, unless given here."""
        passkey = self.passkeys[name]
        count = passkey.count + 1 if counter is None else counter
        passkey.count = max(passkey.count, count)
        flags = flags_of(up, uv, be, bs)
        flags |= passkey.backup_flags & ((BE if be is None else 0) | (BS if bs is None else 0))
        data = hashlib.sha256(rp_id_hash_of.encode()).digest() + bytes([flags]) + count.to_bytes(4, "big")
        client = client_json(type, challenge, origin, client_data or {})
        signer = self.passkeys[sign_with or name].key
        signature = signer.sign(data + hashlib.sha256(client).digest())
        response = {
            "clientDataJSON": b64(client),
            "authenticatorData": b64(data),
            "signature": b64(other_last_bit(signature) if bad_signature else signature),
        }
        if user_handle is REGISTERED:
            user_handle = passkey.user_handle
        if user_handle is not None:
            response["userHandle"] = user_handle
        raw_id = base64.urlsafe_b64decode(credential_id + "=" * (-len(credential_id) % 4)) if credential_id else passkey.raw_id
        return credential(raw_id, response, drop, set)
