"""The test harness: the server of pages reports real faults and no others, and the authenticators are right."""

import http.server
import random
import socket

import pytest
import replay
import webauthn
from ceremonies import ORIGIN, RP_ID
from passkey_device import Authenticator
from program import LoopbackServer
from test_malformed import INNER


@pytest.mark.parametrize(("fault", "is_told"), [(BrokenPipeError, False), (ConnectionResetError, False), (KeyError, True)])
def test_a_browser_that_closes_early_is_no_fault(capfd, fault, is_told):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            raise fault

    server = LoopbackServer(Handler)
    with socket.create_connection(server.server_address) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\n\r\n")
        # The server closes after it has reported the fault.
        assert browser.recv(1) == b""
    server.stop()
    assert ("Traceback" in capfd.readouterr().err) == is_told



@pytest.mark.parametrize("attestation", ["none", "packed-self"])
def test_another_library_accepts_the_device(attestation):
    device, challenge = Authenticator(random.Random(1)), bytes(range(32))
    expected = {"expected_challenge": challenge, "expected_rp_id": RP_ID, "expected_origin": ORIGIN}
    made = device.create("key", replay.to_base64url(challenge), attestation=attestation, counter=6)
    registered = webauthn.verify_registration_response(credential=made, **expected)
    signed_in = webauthn.verify_authentication_response(
        credential=device.get("key", replay.to_base64url(challenge)),
        credential_public_key=registered.credential_public_key,
        credential_current_sign_count=registered.sign_count,
        **expected,
    )
    assert signed_in.new_sign_count == 7


@pytest.mark.parametrize(
    ("shown", "is_internal"),
    [
        (b'{"msg":"NIOConnectionError(host: 10.0.0.1)"}', True),
        (b"NIOPosix.IOError", True),
        (b'{"msg":"fatal: no space"}', True),
        (b'{"challenge":"J3-NIOJwb7x_fatal0-fatal"}', False),
    ],
)
def test_internals_are_told_from_random_values(shown, is_internal):
    assert bool(INNER.search(shown)) == is_internal


def test_codes_are_those_of_rfc_6238(monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1111111109)
    assert replay.totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 0) == "081804"
    # The vector of 1111111111 is the next step.
    assert replay.totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 1) == "050471"


def test_an_old_code_is_the_old_code_itself(monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1111111111)
    values = replay.Values({}, random.Random(1))
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    assert values.unused_code(secret, 0) == "050471"
    assert values.unused_code(secret, -1) == "081804"


def test_the_device_makes_every_deviation_and_refuses_unknown_ones():
    device, challenge = Authenticator(random.Random(1)), replay.to_base64url(bytes(32))
    made = device.create("key", challenge, alg=-47, set={"transports": None, "type": "password"})
    assert made["response"]["transports"] is None and made["type"] == "password"
    signed = device.get("key", challenge, user_handle="aGk", set={"signature": 7})
    assert signed["response"]["signature"] == 7 and signed["response"]["userHandle"] == "aGk"
    with pytest.raises(TypeError):
        device.get("key", challenge, user_handel="aGk")
