"""HTTP itself: HEAD and keep-alive, Host, and the websites that may call `gatehouse dev`."""

import shutil
import socket
import subprocess

import pytest
from program import PATIENCE_SECONDS
from wire import Reply, exchange, is_complete

# Paths of each API: responses, refusals, redirects, unknown paths. None of them changes state.
AUTH = [
    "/auth/v1/health", "/auth/v1/settings", "/auth/v1/.well-known/jwks.json",
    "/auth/v1/.well-known/openid-configuration", "/auth/v1/user", "/auth/v1/user/", "/auth/v1/sessions",
    "/auth/v1/user/identities/undoable", "/auth/v1/admin/users", "/auth/v1/admin/users/nobody", "/auth/v1/admin/audit",
    "/auth/v1/token", "/auth/v1/nowhere", "/auth/v1//user", "/auth/v1/oauth/clients", "/health", "/ready", "/nowhere",
]  # fmt: skip
GATEWAY = ["/v1/auth/me", "/v1/teams", "/v1/profile", "/api/v1/auth/callback?code=x", "/v1/nowhere", "/v1"]
STAND_INS = [
    "/dev", "/dev?code=x", "/dev/nowhere", "/dev/google/.well-known/openid-configuration", "/dev/apple/auth/keys",
    "/dev/google/oauth2/v3/certs", "/dev/google/o/oauth2/v2/auth", "/dev/apple/auth/authorize", "/dev/google/userinfo",
    "/dev/google/revocations", "/dev/apple/nowhere", "/app", "/app/app.js", "/app/nowhere",
]  # fmt: skip
# GET there changes state, or its response is endless.
NO_HEAD = [
    "/auth/v1/authorize?provider=google", "/auth/v1/callback?state=x", "/auth/v1/callback/google?state=x",
    "/auth/v1/user/identities/authorize?provider=google", "/app/events", "/app/callback/x",
]  # fmt: skip
# They differ between responses.
OF_THE_MOMENT = {"date", "x-request-id"}


class KeptAlive:
    """One connection on which each response must begin where the previous one ends."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def reply(self, is_head=False):
        while not is_complete(self.received, is_head):
            part = self.socket.recv(65536)
            assert part, f"the connection ended after {self.received[:200]!r}"
            self.received += part
        head, _, rest = self.received.partition(b"\r\n\r\n")
        length = 0 if is_head else int(Reply(self.received).headers.get("content-length", 0))
        raw, self.received = head + b"\r\n\r\n" + rest[:length], rest[length:]
        assert raw.startswith(b"HTTP/1.1 "), raw
        return Reply(raw, is_head)


def ask(method, path, *headers, port=80):
    fields = [f"Host: localhost:{port}", *headers]
    return f"{method} {path} HTTP/1.1\r\n{''.join(field + chr(13) + chr(10) for field in fields)}\r\n".encode()


def compare(port, paths, *headers):
    """HEAD and then GET of all paths on one connection; each pair is pipelined."""
    with KeptAlive(port) as connection:
        for path in paths:
            connection.send(ask("HEAD", path, *headers, port=port) + ask("GET", path, *headers, port=port))
            head, get = connection.reply(is_head=True), connection.reply()
            assert head.status == get.status, (path, head, get)
            kept = [
                {name: value for name, value in reply.headers.items() if name not in OF_THE_MOMENT}
                for reply in (head, get)
            ]
            assert kept[0] == kept[1], path
            if get.status != 204:
                assert int(head.headers["content-length"]) == len(get.body), (path, head, get)


@pytest.mark.parametrize("bearer", [None, "user", "nonsense"])
def test_head_has_the_headers_of_get_and_no_body(dev, new_email, bearer):
    token = dev.auth().sign_up(new_email())["access_token"] if bearer == "user" else bearer
    compare(dev.port, AUTH + GATEWAY + STAND_INS, *([f"Authorization: Bearer {token}"] if bearer else []))


def test_head_at_the_admin_api_and_behind_serve(server):
    key = server.admin().headers["apikey"]
    compare(server.port, AUTH + GATEWAY, f"apikey: {key}", f"Authorization: Bearer {key}")
    port = int(server.metrics_url.rpartition(":")[2])
    with KeptAlive(port) as connection:
        for path in ["/metrics", "/nowhere", "/metrics"]:
            connection.send(ask("HEAD", path) + ask("GET", "/nowhere"))
            head, after = connection.reply(is_head=True), connection.reply()
            assert int(head.headers["content-length"]) > 0 and after.status == 404
            assert head.status == (200 if path == "/metrics" else 404)


def test_head_uses_nothing_up(dev):
    with KeptAlive(dev.port) as connection:
        for path in NO_HEAD:
            connection.send(ask("HEAD", path, port=dev.port) + ask("GET", "/auth/v1/health"))
            head, get = connection.reply(is_head=True), connection.reply()
            assert head.status in (405, 401) and get.status == 200, (path, head, get)
            assert head.status == 401 or "HEAD" not in head.headers["allow"]


NODE = """
const http = require('http')
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
const [port, ...paths] = process.argv.slice(1)
const ask = (method, path) => new Promise((resolve, reject) => {
    const request = http.request({ agent, host: '127.0.0.1', port, method, path }, answer => {
        let length = 0
        answer.on('data', part => { length += part.length })
        answer.on('end', () => resolve([answer.statusCode, length, Number(answer.headers['content-length'] ?? 0)]))
    })
    request.on('error', reject)
    request.end()
})
const main = async () => {
    for (const path of paths) {
        const [head, get] = [await ask('HEAD', path), await ask('GET', path)]
        if (head[0] !== get[0] || head[1] !== 0 || head[2] !== get[1]) throw new Error(`${path}: ${head} and ${get}`)
    }
    agent.destroy()
    console.log('in step')
}
main().catch(error => { console.error(error); process.exit(1) })
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_client_of_node_stays_in_step(dev):
    done = subprocess.run(
        ["node", "-e", NODE, "--", str(dev.port), *AUTH, *GATEWAY, *STAND_INS],
        capture_output=True, text=True, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert done.stdout == "in step\n", done.stderr


# Host (RFC 9112, section 3.2).


@pytest.mark.parametrize("path", ["/auth/v1/health", "/v1/teams", "/nowhere", "/dev"])
@pytest.mark.parametrize(
    "hosts",
    [
        [],
        ["Host: 127.0.0.1", "Host: 127.0.0.1"],
        ["Host: 127.0.0.1", "hOST: evil.example"],
        ["Host: evil.example/", "Host:"],
        ["Host: a b"],
        ["Host: user@127.0.0.1"],
        ["Host: 127.0.0.1/auth"],
        ["Host: \u00e4.example"],
    ],
)
def test_a_request_without_one_valid_host_is_refused(dev, path, hosts):
    lines = "".join(f"{line}\r\n" for line in hosts).encode()
    reply = exchange(dev.port, b"GET " + path.encode() + b" HTTP/1.1\r\n" + lines + b"\r\n")
    assert reply.status == 400 and reply.is_whole, reply


def test_the_connection_continues_after_a_wrong_host(dev):
    with KeptAlive(dev.port) as connection:
        connection.send(b"GET /auth/v1/health HTTP/1.1\r\n\r\n" + ask("GET", "/auth/v1/health"))
        assert [connection.reply().status, connection.reply().status] == [400, 200]


def test_http_1_0_needs_no_host(dev):
    assert exchange(dev.port, b"GET /auth/v1/health HTTP/1.0\r\n\r\n").status == 200
    twice = b"GET /auth/v1/health HTTP/1.0\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n"
    assert exchange(dev.port, twice).status == 400


# Connection (RFC 9112, section 9.3) and Expect (RFC 9110, section 10.1.1).


@pytest.mark.parametrize(
    "version, lines, is_last",
    [
        ("1.1", [], False),
        ("1.1", ["Connection: Close"], True),
        ("1.1", ["connection: close, TE"], True),
        ("1.1", ["Connection: TE", "Connection: close"], True),
        ("1.0", [], True),
        ("1.0", ["Connection: Keep-Alive"], False),
    ],
)
@pytest.mark.parametrize("path", ["/auth/v1/health", "/nowhere"])
def test_the_server_closes_the_connection_that_the_client_gives_up(dev, path, version, lines, is_last):
    head = "".join(f"{line}\r\n" for line in ["Host: localhost", *lines])
    with KeptAlive(dev.port) as connection:
        connection.send(f"GET {path} HTTP/{version}\r\n{head}\r\n".encode())
        told = connection.reply().headers.get("connection")
        if is_last:
            assert told == "close" and connection.socket.recv(1) == b""
        else:
            assert told == (None if version == "1.1" else "keep-alive")
            connection.send(ask("GET", "/auth/v1/health"))
            assert connection.reply().status == 200


BODY = b'{"email":"nobody@example.com","password":"wrong"}'


def expecting(path, *headers, length=len(BODY)):
    return ask("POST", path, "Expect: 100-Continue", f"Content-Length: {length}", *headers)


def test_a_client_that_waits_is_asked_for_the_body(dev):
    with KeptAlive(dev.port) as connection:
        for _ in range(2):
            connection.send(expecting("/auth/v1/token?grant_type=password"))
            assert connection.reply(is_head=True).raw == b"HTTP/1.1 100 Continue\r\n\r\n"
            connection.send(BODY)
            assert connection.reply().status == 400


def test_a_client_that_does_not_wait_is_not_asked(dev):
    with KeptAlive(dev.port) as connection:
        connection.send(expecting("/auth/v1/token?grant_type=password") + BODY)
        assert connection.reply().status == 400
        connection.send(expecting("/auth/v1/logout", length=0) + ask("GET", "/auth/v1/health"))
        assert [connection.reply().status, connection.reply().status] == [401, 200]


def test_a_request_ahead_does_not_bring_forward_the_next_ones_body(dev):
    with KeptAlive(dev.port) as connection:
        connection.send(expecting("/auth/v1/token?grant_type=password") + BODY + expecting("/auth/v1/otp"))
        assert [connection.reply().status, connection.reply(is_head=True).status] == [400, 100]


@pytest.mark.parametrize(
    "path, length, status",
    [("/nowhere", 10, 404), ("/auth/v1/health", 10, 405), ("/auth/v1/admin/users", 10, 401), ("/auth/v1/otp", 2**30, 413)],
)  # fmt: skip
def test_a_refused_head_is_answered_before_the_body_and_closes(dev, path, length, status):
    with KeptAlive(dev.port) as connection:
        connection.send(expecting(path, length=length))
        reply = connection.reply()
        assert (reply.status, reply.headers["connection"]) == (status, "close")


# Websites that reach `gatehouse dev` through a developer's browser.


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_dev_answers_no_other_website(dev, method):
    foreign = [
        ("foreign_host", f"Host: evil.example:{dev.port}", "Accept: */*"),
        ("foreign_origin", f"Host: 127.0.0.1:{dev.port}", "Origin: https://evil.example"),
        ("foreign_origin", f"Host: localhost:{dev.port}", "Origin: null"),
    ]
    paths = [*AUTH, *GATEWAY, *STAND_INS, *NO_HEAD, "/metrics", "/dev/google/native-credential"]
    with KeptAlive(dev.port) as connection:
        for path in paths:
            for code, *headers in foreign:
                lines = "".join(f"{line}\r\n" for line in headers)
                connection.send(f"{method} {path} HTTP/1.1\r\n{lines}Content-Length: 0\r\n\r\n".encode())
                reply = connection.reply(is_head=method == "HEAD")
                assert reply.status == 403, (path, headers, reply)
                assert method == "HEAD" or code.encode() in reply.body, (path, reply)


def test_dev_answers_pages_and_names_of_this_machine(servers):
    dev = servers.dev("--allow-host", "my-mac.local").start()
    for host, origin in [
        ("localhost", "http://localhost:3000"),
        ("my-mac.local", "http://my-mac.local:3000"),
        ("127.0.0.1", "capacitor://localhost"),
    ]:
        reply = exchange(
            dev.port, f"GET /auth/v1/health HTTP/1.1\r\nHost: {host}:{dev.port}\r\nOrigin: {origin}\r\n\r\n".encode()
        )
        assert reply.status == 200 and reply.headers["access-control-allow-origin"] == "*", reply


def test_serve_accepts_any_host(server):
    headers = "Host: accounts.example.com\r\nOrigin: https://app.example.com\r\n"
    assert exchange(server.port, f"GET /auth/v1/health HTTP/1.1\r\n{headers}\r\n".encode()).status == 200
