"""A receiver of hooks and webhooks on loopback, which checks every signature with two libraries that others wrote."""

import base64
import contextlib
import http.server
import json
import threading
import time

import standardwebhooks
import svix
from program import LoopbackServer, poll

OLD, NEW = (base64.b64encode(bytes([number]) * 32).decode() for number in (1, 2))
SECRETS = f"v1,whsec_{NEW}|v1,whsec_{OLD}"
LOOPBACK = {"GATEHOUSE_HOOK_LOOPBACK": "true"}


class Call:
    def __init__(self, path, headers, body):
        self.path, self.headers, self.body, self.at = path, headers, body, time.monotonic()
        self.json = json.loads(body)
        self.id = headers["webhook-id"]


class Receiver:
    """Answers each path as a test says: with a function from a call to `(status, body)` or `(status, body, headers)`."""

    def __init__(self):
        self.calls, self.answers, self.lock, self.problems = [], {}, threading.Lock(), []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                call = Call(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                receiver.check(call)
                with receiver.lock:
                    receiver.calls.append(call)
                status, answer, *headers = receiver.answers.get(self.path, lambda _: (200, {}))(call)
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                with contextlib.suppress(OSError):
                    self.send_response(status)
                    fields = {"Content-Type": "application/json", **(headers[0] if headers else {})}
                    for name, value in fields.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, *arguments):
                pass

        self.server = LoopbackServer(Handler)
        self.url = self.server.url

    def check(self, call):
        try:
            for secret in (OLD, NEW):
                standardwebhooks.Webhook(secret).verify(call.body, call.headers)
                svix.Webhook("whsec_" + secret).verify(call.body, call.headers)
        except Exception as problem:
            self.problems.append(repr(problem))

    def at(self, path):
        with self.lock:
            return [call for call in self.calls if call.path == path]

    def wait(self, path, count):
        """Waits for that many calls of a path."""
        return poll(lambda: (calls := self.at(path)) and len(calls) >= count and calls, f"{count} calls of {path}")

    def hook(self, name, path=None, **more):
        """The settings of a hook."""
        key = f"GOTRUE_HOOK_{name.upper()}_"
        return {
            key + "ENABLED": "true", key + "URI": self.url + (path or "/" + name), key + "SECRETS": SECRETS, **LOOPBACK,
            **{f"GATEHOUSE_HOOK_{name.upper()}_{option.upper()}": value for option, value in more.items()},
        }

    def webhook(self, name="app", events=None, url=None):
        endpoint = {"name": name, "url": url or f"{self.url}/{name}", "secrets": SECRETS}
        return {"GATEHOUSE_WEBHOOKS": json.dumps([endpoint | ({"events": events} if events else {})]), **LOOPBACK}


@contextlib.contextmanager
def receiver():
    made = Receiver()
    try:
        yield made
        assert made.problems == []
    finally:
        made.server.stop()
