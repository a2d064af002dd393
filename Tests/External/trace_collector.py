"""An OpenTelemetry collector on loopback: it receives OTLP over HTTP in JSON, and refuses what the specification forbids."""

import contextlib
import http.server
import json
import re
import threading

from program import LoopbackServer, poll


class Span:
    def __init__(self, json, resource):
        assert re.fullmatch(r"[0-9a-f]{32}", json["traceId"]) and re.fullmatch(r"[0-9a-f]{16}", json["spanId"])
        assert json.get("parentSpanId") is None or re.fullmatch(r"[0-9a-f]{16}", json["parentSpanId"])
        assert int(json["startTimeUnixNano"]) <= int(json["endTimeUnixNano"])
        assert json["kind"] in (1, 2, 3) and json["flags"] & 1
        self.json, self.resource, self.name = json, resource, json["name"]
        self.trace, self.id, self.parent = json["traceId"], json["spanId"], json.get("parentSpanId")
        self.attributes = {each["key"]: self.value(each["value"]) for each in json["attributes"]}
        assert len(self.attributes) == len(json["attributes"]), "an attribute is repeated"
        self.has_failed = json["status"].get("code") == 2

    @staticmethod
    def value(value):
        # The specification writes 64-bit numbers as text.
        return int(value["intValue"]) if isinstance(value.get("intValue"), str) else value["stringValue"]


class Collector:
    """Answers as a test says: with a function from the number of the call, from 1, to `(status, headers)`."""

    def __init__(self):
        self.calls, self.spans, self.problems, self.lock = [], [], [], threading.Lock()
        self.answer = lambda number: (200, {})
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with collector.lock:
                    collector.calls.append((self.path, dict(self.headers.items()), body))
                    number = len(collector.calls)
                status, fields = collector.answer(number)
                if status == 200:
                    collector.keep(self, body)
                with contextlib.suppress(OSError):
                    self.send_response(status)
                    for name, value in fields.items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", "2")
                    self.end_headers()
                    self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass

        self.server = LoopbackServer(Handler)
        self.url = self.server.url

    def keep(self, call, body):
        try:
            assert call.headers["Content-Type"] == "application/json"
            spans = []
            for group in json.loads(body)["resourceSpans"]:
                resource = {each["key"]: Span.value(each["value"]) for each in group["resource"]["attributes"]}
                for scope in group["scopeSpans"]:
                    spans += [Span(each, resource) for each in scope["spans"]]
            with self.lock:
                self.spans += spans
        except Exception as problem:
            self.problems.append(repr(problem))

    def settings(self, **more):
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, **more}

    def wait(self, name, count=1):
        """Waits for that many spans of a name."""
        def found():
            with self.lock:
                return [span for span in self.spans if span.name == name]

        return poll(lambda: len(spans := found()) >= count and spans, f"{count} spans of {name}")

    def trace(self, id):
        """The received spans of a trace, by their IDs."""
        with self.lock:
            return {span.id: span for span in self.spans if span.trace == id}


@contextlib.contextmanager
def collector():
    made = Collector()
    try:
        yield made
        assert made.problems == []
    finally:
        made.server.stop()
