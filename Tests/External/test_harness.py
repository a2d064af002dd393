"""The test harness: the server of pages reports real faults and no others."""

import http.server
import socket

import pytest
from program import LoopbackServer


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
