"""Mutated WebAuthn ceremonies get the same verdict from our target and from `webauthn` and `fido2` of PyPI.

GATEHOUSE_CEREMONIES sets their number (500); `make soak` compares 10,000. Each disagreement must be explained in
EXPLAINED.
"""

import collections
import json
import os
import random
import re
import subprocess

import fido2.features
import pytest
from ceremonies import ORIGIN, RP_ID, ceremonies
from fido2 import cbor
from fido2.attestation import Attestation
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity
from program import BINARY
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.structs import COSEAlgorithmIdentifier

fido2.features.webauthn_json_mapping.enabled = True

CEREMONIES = int(os.environ.get("GATEHOUSE_CEREMONIES", "500"))
SEED = int(os.environ.get("GATEHOUSE_CEREMONIES_SEED", "21"))
VERDICTS = os.path.join(os.path.dirname(BINARY), "webauthn-verdicts")
ALGORITHMS = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]

# The library, our verdict and its own as regular expressions, and why they differ.
EXPLAINED = [
    # What we accept.
    ("both", "accepted", r"refused: .*client data origin|refused: ValueError: Invalid origin",
     "we compare an origin without case and default port, as RFC 6454 has it; they compare its text"),
    ("webauthn", "accepted", r"refused: .*(key alg|signature alg) \"?-3[56]|refused: .*algorithm.*-3[56]",
     "webauthn does not know ES384 and verifies no signature of it"),
    ("fido2", "accepted", r"refused: NotImplementedError|refused: InvalidData: Wrong algorithm of public key",
     "fido2 does not know RS384, RS512, PS384 and PS512"),
    ("both", "accepted", r"refused: .*error parsing asn1|refused: .*[Cc]ertificate",
     "we do not read certificates: the options ask for no attestation, and no chain is trusted"),
    ("webauthn", "accepted", r"refused: InvalidRegistrationResponse: attestationObject was malformed",
     "webauthn encodes the key again to find its end, which fails for integers that are not in their shortest form"),
    # What we refuse.
    ("fido2", "accepted: cloned", "accepted", "fido2 leaves the count to its caller"),
    ("both", "refused: allowedCredential", "accepted", "webauthn is not told the id of the stored credential"),
    ("both", "refused: backupState", "accepted", "they do not compare the backup flags (7.1 step 17, 7.2 step 18)"),
    ("both", "refused: (crossOrigin|topOrigin)", "accepted", "they do not look at frames (7.1 steps 10 and 11)"),
    ("both", "refused: form: client data: (crossOrigin|topOrigin)", "accepted", "as above"),
    ("both", "refused: form: client data: no JSON object", "accepted",
     "Python's JSON takes duplicate members; a browser sends none"),
    ("both", "refused: form: client data: type, challenge or origin", "accepted",
     "the challenge is not in base64url without padding, which they decode leniently"),
    ("both", "refused: form: .* is not base64url or too long", "accepted",
     "they take padding and other characters in base64url, ids of any length, and other types"),
    ("both", "refused: form: (id and rawId differ|id is empty|rawId is missing|type is not public-key)", "accepted",
     "they read one of id and rawId, or no type"),
    ("both", "refused: form: transports", "accepted", "they ignore transports"),
    ("both", "refused: algorithm: public key: algorithmDoesNotFit", "accepted",
     "key type or curve are not the algorithm's (5.8.5), which they find out at the first authentication, or never"),
    ("both", "refused: algorithm: public key: malformedParameter", "accepted",
     "the point is not on its curve or the number is empty, which they find out at the first authentication"),
    ("both", "refused: algorithm: public key: unexpectedParameter", "accepted",
     "a COSE_Key has no parameter besides the required ones (6.5.1.1)"),
    ("both", "refused: algorithm: public key: unsafeModulus", "accepted", "they do not bound RSA keys"),
    ("both", "refused: attestationStatement: members", "accepted",
     "a statement has its format's members and no others, and none without attestation (8.2, 8.7)"),
    ("both", "refused: attestationStatement: x5c", "accepted", "an empty chain counts as none there"),
    ("both", "refused: form: attestation object: fmt, attStmt or authData", "accepted",
     "an attestation object has three members (6.5.4)"),
    ("both", "refused: form: (attestation object|authenticator data): (CBOR: |no map)", "accepted",
     "our CBOR is that of CTAP2: no duplicate keys, floats, tags, indefinite lengths, trailing or missing bytes, and "
     "extension outputs are a map"),
]


def webauthn_verdict(line):
    expected = dict(
        credential=line["credential"], expected_challenge=base64url_to_bytes(line["challenge"]), expected_rp_id=RP_ID,
        expected_origin=ORIGIN, require_user_verification=line["requiresVerification"])
    record = line.get("record")
    if record is None:
        known = [algorithm for algorithm in COSEAlgorithmIdentifier if algorithm.value in ALGORITHMS]
        verify_registration_response(**expected, supported_pub_key_algs=known)
    else:
        verify_authentication_response(
            **expected, credential_public_key=base64url_to_bytes(record["publicKey"]),
            credential_current_sign_count=record["signCount"])


def verify_attestation(attestation, client_hash):
    Attestation.for_type(attestation.fmt)().verify(attestation.att_stmt, attestation.auth_data, client_hash)


SERVER = Fido2Server(
    PublicKeyCredentialRpEntity(id=RP_ID, name="Example"), attestation="direct",
    verify_origin=lambda origin: origin == ORIGIN, verify_attestation=verify_attestation)


def fido2_verdict(line):
    state = {"challenge": line["challenge"],
             "user_verification": "required" if line["requiresVerification"] else "preferred"}
    record = line.get("record")
    if record is None:
        data = SERVER.register_complete(state, line["credential"])
        # The library itself leaves the choice of algorithms to its caller.
        assert data.credential_data.public_key[3] in ALGORITHMS, "algorithm"
    else:
        key = CoseKey.parse(cbor.decode(base64url_to_bytes(record["publicKey"])))
        known = AttestedCredentialData.create(bytes(16), base64url_to_bytes(record["id"]), key)
        SERVER.authenticate_complete(state, [known], line["credential"])


LIBRARIES = {"webauthn": webauthn_verdict, "fido2": fido2_verdict}


def theirs(verdict, line):
    try:
        verdict(json.loads(json.dumps(line)))
    except Exception as problem:  # noqa: BLE001: a refusal has any type
        return f"refused: {type(problem).__name__}: {problem}"
    return "accepted"


def ours(answer):
    if not answer["accepted"]:
        return f"refused: {answer['step']}: {answer['cause']}"
    return "accepted: cloned" if answer.get("isCloned") else "accepted"


def our_answers(lines):
    # Both sides end with the input.
    ended = subprocess.run(
        [VERDICTS], input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True, text=True, check=True,
        timeout=600)
    return [json.loads(line) for line in ended.stdout.splitlines()]


def explanation(library, our_verdict, their_verdict):
    """The entry's index; None without one."""
    for index, (name, our_pattern, their_pattern, _) in enumerate(EXPLAINED):
        if (name in (library, "both") and re.match(our_pattern, our_verdict)
                and re.match(their_pattern, their_verdict, re.S)):
            return index
    return None


def is_refusal(verdict):
    # A cloned key is refused by its caller.
    return verdict != "accepted"


@pytest.mark.filterwarnings("ignore::DeprecationWarning:fido2")
@pytest.mark.skipif(not os.access(VERDICTS, os.X_OK), reason="GATEHOUSE_COMPLETE=1 swift build --product webauthn-verdicts")
def test_verdicts():
    cases = list(ceremonies(random.Random(SEED), CEREMONIES))
    answers = our_answers([line for _, line in cases])
    assert len(answers) == len(cases)
    unexplained, used, counts = [], set(), collections.Counter()
    for (names, line), answer in zip(cases, answers):
        our_verdict = ours(answer)
        if not names:
            assert our_verdict == "accepted" or line["requiresVerification"], (our_verdict, line)
        counts["accepted" if our_verdict == "accepted" else "refused"] += 1
        for library, verdict in LIBRARIES.items():
            their_verdict = theirs(verdict, line)
            if is_refusal(our_verdict) == is_refusal(their_verdict):
                continue
            found = explanation(library, our_verdict, their_verdict)
            counts[library] += 1
            used.add(found)
            if found is None:
                unexplained.append((library, names, our_verdict, their_verdict))
    print(f"figure: {len(cases):,} ceremonies, {counts['accepted']:,} accepted; explained disagreements: "
          f"webauthn {counts['webauthn']:,}, fido2 {counts['fido2']:,}")
    assert not unexplained, "\n".join(map(str, unexplained[:40]))
    assert counts["accepted"] > len(cases) / 10
    if len(cases) >= 10_000:
        assert used == set(range(len(EXPLAINED))), "an explanation that nothing needs"
