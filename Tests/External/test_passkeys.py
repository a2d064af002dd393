"""Passkeys with an authenticator that others wrote, and against requests that come at once."""

import base64
import json
import random
import time

import pytest
from ceremonies import ORIGIN
from passkey_device import Authenticator
from program import PASSKEYS, at_once
from soft_webauthn import SoftWebauthnDevice


@pytest.fixture(scope="module")
def passkey_server(session_servers):
    return session_servers.serve(**PASSKEYS).start()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_json(value):
    if isinstance(value, dict):
        return {name: to_json(member) for name, member in value.items()}
    if isinstance(value, bytes):
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
    return value


def answer(begun, credential):
    credential["id"] = credential["rawId"]
    return {"challenge_id": begun["challenge_id"], "credential": to_json(credential)}


def soft_create(device, begun):
    options, user = begun["options"], begun["options"]["user"]
    options = {**options, "challenge": from_base64url(options["challenge"])}
    options["user"] = {**user, "id": from_base64url(user["id"])}
    return answer(begun, device.create({"publicKey": options}, ORIGIN))


def soft_get(device, begun):
    options = {**begun["options"], "challenge": from_base64url(begun["options"]["challenge"])}
    return answer(begun, device.get({"publicKey": options}, ORIGIN))


def test_soft_webauthn_registers_and_signs_in(passkey_server, new_email):
    client, device = passkey_server.auth(), SoftWebauthnDevice()
    token = client.sign_up(new_email())["access_token"]
    begun = client.post("/passkeys/registration/options", token=token).json()
    made = client.post("/passkeys/registration/verify", soft_create(device, begun), token=token)
    assert made.status == 200, made
    for _ in range(3):
        begun = client.post("/passkeys/authentication/options").json()
        signed_in = client.post("/passkeys/authentication/verify", soft_get(device, begun))
        assert signed_in.status == 200, signed_in
    [passkey] = client.get("/passkeys", token=signed_in.json()["access_token"]).json()
    assert passkey["id"] == made.json()["id"] and "last_used_at" in passkey


def test_soft_webauthn_signs_up(passkey_server, new_email):
    client, device, email = passkey_server.auth(), SoftWebauthnDevice(), new_email()
    begun = client.post("/passkeys/signup/options", {"email": email}).json()
    signed_up = client.post("/passkeys/signup/verify", {**soft_create(device, begun), "email": email})
    assert signed_up.status == 200, signed_up
    begun = client.post("/passkeys/authentication/options").json()
    signed_in = client.post("/passkeys/authentication/verify", soft_get(device, begun))
    assert signed_in.json()["user"]["id"] == signed_up.json()["user"]["id"]


def registered(client, device, email):
    token = client.sign_up(email)["access_token"]
    begun = client.post("/passkeys/registration/options", token=token).json()
    credential = device.create(email, begun["options"]["challenge"], begun["options"]["user"]["id"])
    made = client.post(
        "/passkeys/registration/verify",
        {"challenge_id": begun["challenge_id"], "credential": credential},
        token=token,
    )
    assert made.status == 200, made
    return token


def test_of_many_answers_at_once_one_counts(passkey_server, new_email):
    email, device = new_email(), Authenticator(random.Random(3))
    registered(passkey_server.auth(), device, email)
    begun = passkey_server.auth().post("/passkeys/authentication/options").json()
    answers = [
        {"challenge_id": begun["challenge_id"], "credential": device.get(email, begun["options"]["challenge"])}
        for _ in range(8)
    ]
    results = at_once(
        *(
            lambda given=given: passkey_server.auth().post("/passkeys/authentication/verify", given).status
            for given in answers
        )
    )
    assert sorted(results) == [200] + [400] * 7


def test_of_many_registrations_at_once_one_counts(passkey_server, new_email):
    client, device = passkey_server.auth(), Authenticator(random.Random(4))
    token = client.sign_up(new_email())["access_token"]
    begun = client.post("/passkeys/registration/options", token=token).json()
    options = begun["options"]
    answers = [
        {
            "challenge_id": begun["challenge_id"],
            "credential": device.create(str(number), options["challenge"], options["user"]["id"]),
        }
        for number in range(6)
    ]
    results = at_once(
        *(
            lambda given=given: passkey_server.auth()
            .post("/passkeys/registration/verify", given, token=token)
            .status
            for given in answers
        )
    )
    assert sorted(results) == [200] + [400] * 5
    assert len(client.get("/passkeys", token=token).json()) == 1


def test_anonymous_callers_store_nothing(passkey_server):
    client = passkey_server.auth()
    before = passkey_server.metrics().body
    for _ in range(200):
        assert client.post("/passkeys/authentication/options").status == 200
    after = passkey_server.metrics().body

    def statements(text):
        [line] = [line for line in text.decode().splitlines() if line.startswith("gatehouse_database_statements_total ")]
        return float(line.split()[-1])

    # Periodic work of the server may add a few.
    assert statements(after) - statements(before) < 100


def test_a_restart_keeps_challenges_and_what_was_used(servers, new_email):
    server = servers.serve(**PASSKEYS).start()
    email, device = new_email(), Authenticator(random.Random(5))
    registered(server.auth(), device, email)
    used, fresh = (server.auth().post("/passkeys/authentication/options").json() for _ in range(2))

    def verify(begun):
        credential = device.get(email, begun["options"]["challenge"])
        given = {"challenge_id": begun["challenge_id"], "credential": credential}
        return server.auth().post("/passkeys/authentication/verify", given)

    assert verify(used).status == 200
    server.end_now()
    server.start()
    assert verify(used).code == "webauthn_challenge_not_found"
    assert verify(fresh).status == 200


def test_the_domain_publishes_its_apps(passkey_server):
    root = passkey_server.gateway()
    association = root.get("/.well-known/apple-app-site-association")
    assert association.headers["content-type"].startswith("application/json")
    assert association.json() == {"webcredentials": {"apps": ["A1B2C3D4E5.org.example.app"]}}
    [statement] = root.get("/.well-known/assetlinks.json").json()
    assert statement["target"]["sha256_cert_fingerprints"] == [":".join(["AB"] * 32)]
    assert ORIGIN in root.get("/.well-known/webauthn").json()["origins"]


def test_dev_has_passkeys_at_localhost(dev, new_email):
    assert dev.keys["url"].startswith("http://localhost:")
    assert dev.auth().get("/settings").json()["passkeys_enabled"] is True
    begun = dev.auth().post("/passkeys/authentication/options").json()
    assert begun["options"]["rpId"] == "localhost"
    assert time.time() < begun["expires_at"] <= time.time() + 300
    assert json.dumps(begun["options"]).count("allowCredentials") == 0
