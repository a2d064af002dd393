"""Bytes to the server and bytes back, for requests that no HTTP library would send."""

import http.client
import io
import re
import socket

from program import PATIENCE_SECONDS


class Reply:
    """Status 0: the server closed the connection without a response. `is_whole`: the body is as long as announced."""

    def __init__(self, raw, is_head=False):
        self.raw, self.status, self.headers, self.body, self.is_whole = raw, 0, {}, b"", not raw
        if found := re.match(rb"HTTP/1\.[01] (\d{3})", raw):
            self.status = int(found.group(1))
            head, _, rest = raw.partition(b"\r\n\r\n")
            self.headers = dict(http.client.parse_headers(io.BytesIO(head.partition(b"\r\n")[2] + b"\r\n\r\n")))
            self.headers = {name.lower(): value for name, value in self.headers.items()}
            length = int(self.headers.get("content-length", len(rest)))
            self.body, self.is_whole = rest[:length], is_head or len(rest) >= length

    def __repr__(self):
        return f"<{self.status} {self.raw[:200]!r}>"


def exchange(port, data, half_close=False, timeout=PATIENCE_SECONDS, pieces=None, is_head=False):
    """Sends the bytes and reads one response, or to the end. Never waits longer than `timeout` for the next byte."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        try:
            connection.sendall(data)
            for piece in pieces or ():
                connection.sendall(piece)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # It stopped reading early.
        received = b""
        while True:
            try:
                part = connection.recv(65536)
            except ConnectionResetError:
                part = b""
            received += part
            if not part or is_complete(received, is_head):
                return Reply(received, is_head)


def is_complete(received, is_head):
    head, separator, rest = received.partition(b"\r\n\r\n")
    if not separator:
        return False
    if is_head or re.match(rb"HTTP/1\.1 (1\d\d|204|304)", head):
        return True
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if found:
        return len(rest) >= int(found.group(1))
    return b"chunked" in head.lower() and rest.endswith(b"0\r\n\r\n")


def request(method, path, body=b"", headers=(), length=None, host="127.0.0.1"):
    """The bytes of a request. `path` and header values may be bytes."""

    def raw(value):
        return value if isinstance(value, bytes) else str(value).encode("latin-1")

    fields = [("Host", host), *headers]
    if not any(name == "Content-Type" for name, _ in headers):
        fields.append(("Content-Type", "application/json"))
    if length is None and (body or method in ("POST", "PUT", "PATCH")):
        length = len(body)
    if length is not None:
        fields.append(("Content-Length", length))
    head = raw(method) + b" " + raw(path) + b" HTTP/1.1\r\n"
    return head + b"".join(raw(name) + b": " + raw(value) + b"\r\n" for name, value in fields) + b"\r\n" + body
