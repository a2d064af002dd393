"""Traces, from a request of the program to a collector that reads OTLP, is slow, refuses, or is away."""

import http.cookiejar
import json
import time
import urllib.request

import pytest
from hook_receiver import receiver
from program import PASSWORD, PATIENCE_SECONDS, free_port, poll
from test_hooks import ADA, database, sign_up  # noqa: F401
from trace_collector import collector

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "x-request-id": "from-the-caller"}


def children(spans, parent):
    return sorted(span.name for span in spans.values() if span.parent == parent.id)


def test_a_sign_in_is_one_trace_from_the_caller_to_the_hook(servers, database):
    with collector() as traces, receiver() as hooks:
        server = servers.serve(**traces.settings(), **hooks.hook("custom_access_token"), **database).start()
        hooks.answers["/custom_access_token"] = lambda call: (200, {"claims": call.json["claims"]})
        assert sign_up(server).status == 200
        client = server.auth(headers=CALLER)
        session = client.sign_in(ADA).json()
        # A request's span ends last, so its children's are in its batch or an earlier one.
        request = traces.wait("POST /auth/v1/token")[0]
        spans = traces.trace(TRACE)
        assert request.trace == TRACE and request.parent == "00f067aa0ba902b7" and request.json["kind"] == 2
        assert request.attributes["gatehouse.request_id"] == "from-the-caller"
        assert request.attributes["http.response.status_code"] == 200 and not request.has_failed
        assert request.resource["service.name"] == "gatehouse"
        assert {"hash password", "hook custom_access_token", "write transaction"} <= set(children(spans, request))
        for span in spans.values():
            # A child lies within its parent, which is another span or the caller's.
            if parent := spans.get(span.parent):
                assert int(parent.json["startTimeUnixNano"]) <= int(span.json["startTimeUnixNano"])
            else:
                assert span is request
        hook = next(span for span in spans.values() if span.name.startswith("hook"))
        call = hooks.at("/custom_access_token")[-1]
        assert call.headers["traceparent"] == f"00-{TRACE}-{hook.id}-01"
        server.stop()
        sent = b"".join(body for _, _, body in traces.calls).decode()
        for secret in (ADA, "ada@", PASSWORD, session["access_token"], session["refresh_token"], "$argon2", "grant_type",
                       "127.0.0.1:" + str(server.port), session["user"]["id"]):
            assert secret not in sent, secret


def test_log_lines_of_a_request_name_its_trace(servers):
    with collector() as traces:
        server = servers.serve(**traces.settings(GATEHOUSE_LOG_LEVEL="debug")).start()
        assert server.auth(headers=CALLER).sign_in(ADA).status == 400
        lines = [json.loads(line)["metadata"] for line in server.log().splitlines() if "from-the-caller" in line]
        assert lines and all(line["trace_id"] == TRACE for line in lines)
        listed = server.admin().get("/admin/requests").json()["requests"]
        assert [each["trace_id"] for each in listed if each["request_id"] == "from-the-caller"] == [TRACE]


def test_only_a_trusted_caller_decides_what_is_recorded(servers):
    with collector() as traces:
        for sampler, callers, recorded in (
            ("parentbased_always_off", "", 0), ("parentbased_always_off", "127.0.0.0/8", 1),
            ("always_off", "127.0.0.0/8", 0),
        ):
            before = len(traces.spans)
            server = servers.serve(
                **traces.settings(OTEL_TRACES_SAMPLER=sampler, GATEHOUSE_TRACE_CALLERS=callers)).start()
            assert server.auth(headers=CALLER).get("/settings").status == 200
            assert server.auth(headers=CALLER | {"traceparent": CALLER["traceparent"][:-1] + "0"}).get("/settings").status == 200
            server.stop()
            assert len(traces.spans) - before == recorded, sampler


@pytest.mark.parametrize("fault", ["away", "hanging", "busy", "refusing"])
def test_sign_ins_work_whatever_the_collector_does(servers, fault):
    with collector() as traces:
        answers = {
            "hanging": lambda number: time.sleep(30) or (200, {}), "busy": lambda number: (503, {"Retry-After": "3600"}),
            "refusing": lambda number: (400, {}), "away": None,
        }
        traces.answer = answers[fault]
        more = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{free_port()}"} if fault == "away" else {}
        server = servers.serve(**traces.settings() | more).start()
        assert sign_up(server).status == 200
        if fault != "away":
            poll(lambda: traces.calls, "a call of the collector")
        for _ in range(3):
            assert server.auth().sign_in(ADA).status == 200
        said = "not exported before the end" if fault == "hanging" else "traces cannot be exported"
        if fault != "hanging":
            poll(lambda: said in server.log(), "the log line")
        began = time.monotonic()
        server.stop()
        # Five seconds for the spans that wait, and the usual end of a server on a busy machine.
        assert time.monotonic() - began < 60
        assert said in server.log()


def test_a_busy_collector_gets_the_batch_again(servers):
    with collector() as traces:
        traces.answer = lambda number: (200, {}) if number > 2 else (503, {"Retry-After": "1"})
        server = servers.serve(**traces.settings()).start()
        assert sign_up(server).status == 200
        traces.wait("POST /auth/v1/signup")
        assert [path for path, _, _ in traces.calls[:3]] == ["/v1/traces"] * 3
        poll(lambda: "traces are exported again" in server.log(), "the log line")
        metrics = server.metrics().body.decode()
        assert 'gatehouse_spans_total{outcome="exported"}' in metrics and 'outcome="failed"' not in metrics


def test_headers_of_the_collector_are_sent_and_never_shown(servers):
    with collector() as traces:
        server = servers.serve(**traces.settings(OTEL_EXPORTER_OTLP_HEADERS="api-key=hidden%20words")).start()
        assert server.auth().get("/settings").status == 200
        traces.wait("GET /auth/v1/settings")
        assert traces.calls[0][1]["api-key"] == "hidden words"
        shown = server.command("check-config")
        assert "hidden" not in shown.stdout + shown.stderr + server.log()


def console(server):
    """Reads pages of the console, entered from this machine as a browser would."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def read(path):
        with opener.open(server.url + path, timeout=PATIENCE_SECONDS) as answer:
            return answer.read().decode()

    read("/")
    return read


def test_dev_has_traces_and_the_console_links_to_them(servers):
    with collector() as traces:
        server = servers.dev()
        server.environment = traces.settings(GATEHOUSE_TRACE_LINK="https://traces.example.org/{trace_id}?r={request_id}")
        server.start()
        assert server.auth(headers=CALLER).get("/settings").status == 200
        assert traces.wait("GET /auth/v1/settings")[0].trace == TRACE
        read, link = console(server), f"https://traces.example.org/{TRACE}?r=from-the-caller"
        assert f'href="{link}"' in read("/console/requests")
        # Rows that the page adds later.
        rows = json.loads(read("/console/requests/new?after=0"))["rows"]
        assert [row["trace"] for row in rows if row["request"] == "GET /auth/v1/settings"] == [link]


def test_an_ended_session_links_by_its_request(servers):
    server = servers.dev()
    server.environment = {"GATEHOUSE_TRACE_LINK": "https://traces.example.org/?q={request_id}"}
    server.start()
    session = sign_up(server).json()
    assert server.auth(token=session["access_token"], headers=CALLER).post("/logout").status == 204
    page = console(server)(f"/console/users/{session['user']['id']}")
    assert '<a href="https://traces.example.org/?q=from-the-caller">from-the-caller</a>' in page
