"""Calls to other servers: certificates, and the proxy that the environment names."""

import contextlib
import http.server
import json
import shutil
import socket
import ssl
import subprocess
import threading

import pytest
from openid_providers import CLIENT, SECRET, MockProvider
from program import PATIENCE_SECONDS, PUBLISHABLE_KEY, LoopbackServer
from terminal import Person

# A public address; nothing is sent to it.
PUBLIC = "93.184.216.34"
# This machine's own are left out.
NO_PROXIES = {
    name: "" for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")
}


class TLSServer:
    """Makes handshakes with a certificate that no authority has signed, and keeps what callers send after them."""

    def __init__(self, folder):
        key, certificate = str(folder / "key.pem"), str(folder / "certificate.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
            check=True, capture_output=True, timeout=PATIENCE_SECONDS,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.received = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://localhost:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self._serve, args=(context,))
        self.thread.start()

    def _serve(self, context):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                with connection, contextlib.suppress(OSError):
                    self.received.append(context.wrap_socket(connection, server_side=True).recv(1024))

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()


@pytest.fixture
def proxy():
    """A proxy that refuses every call, and its requests."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def refuse(self):
            asked.append(self.requestline)
            self.send_error(403)

        do_CONNECT = do_GET = do_POST = refuse

    asked = []
    server = LoopbackServer(Handler)
    yield server.url, asked
    server.stop()


def doctor(servers, issuer, **settings):
    """The line of `doctor` about a provider with this issuer."""
    provider = {"name": "acme", "issuer": issuer, "client_id": CLIENT, "client_secret": SECRET}
    given = {"GATEHOUSE_OPENID_PROVIDERS": json.dumps([provider]), "GATEHOUSE_OUTGOING_LOOPBACK": "true"}
    told = servers.serve(**given, **{**NO_PROXIES, **settings}).command("doctor").stdout
    (line,) = [line for line in told.splitlines() if "acme" in line]
    return line


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_a_certificate_that_no_authority_has_signed(servers, tmp_path):
    server = TLSServer(tmp_path)
    try:
        line = doctor(servers, server.url)
    finally:
        server.stop()
    assert "no connection (SSL certificate problem: self-signed certificate)" in line, line
    assert not any(server.received)


@pytest.mark.parametrize("variable", ["https_proxy", "HTTPS_PROXY", "all_proxy"])
def test_https_goes_through_the_proxy_of_the_environment(servers, proxy, variable):
    url, asked = proxy
    assert "no connection (the proxy answered 403)" in doctor(servers, f"https://{PUBLIC}", **{variable: url})
    assert set(asked) == {f"CONNECT {PUBLIC}:443 HTTP/1.1"}


def test_a_proxy_resolves_the_name(proxy, tmp_path):
    """Behind a proxy there may be no resolver for names of the internet."""
    url, asked = proxy
    person = Person(tmp_path / "home")
    person.environment |= {**NO_PROXIES, "https_proxy": url}
    person.run("teams", "--url", "https://id.example.invalid", "--key", PUBLISHABLE_KEY)
    assert set(asked) == {"CONNECT id.example.invalid:443 HTTP/1.1"}


def test_a_provider_on_this_machine_is_called_without_a_proxy(servers, proxy):
    url, asked = proxy
    provider = MockProvider()
    try:
        line = doctor(servers, provider.issuer, http_proxy=url, all_proxy=url)
    finally:
        provider.stop()
    assert "reachable" in line and not asked, line
