"""schemathesis sends requests made from the OpenAPI document: no 5xx, and no answer that the document does not describe.

The seed is fixed, so a finding can be repeated. Each caller has its own server, since its requests end sessions and delete
accounts. A user gets a new account when that has happened.
"""

import itertools
import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from described import document
from program import PASSKEYS, PASSWORD, PATIENCE_SECONDS, PUBLISHABLE_KEY, SECRET_KEY, Client
from schemathesis import checks

EXAMPLES = int(os.environ.get("GATEHOUSE_OPENAPI_EXAMPLES", 4))
CHECKS = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)
WHOLE = document()


def is_tried(path):
    # Served only on a separate port (`metrics_listen`).
    return path != "/metrics"


SCHEMA = schemathesis.openapi.from_dict({**WHOLE, "paths": {k: v for k, v in WHOLE["paths"].items() if is_tried(k)}})
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]


class Caller:
    """Sends the headers of a kind of caller to a server."""

    def __init__(self, kind, server):
        self.kind, self.server, self.url = kind, server, server.url.removesuffix("/auth/v1")
        self.token = SECRET_KEY if kind == "administrator" else None
        self.numbers = itertools.count()
        self.renew()

    @property
    def headers(self):
        return {"apikey": PUBLISHABLE_KEY} | ({"Authorization": "Bearer " + self.token} if self.token else {})

    def renew(self):
        if self.kind == "user":
            session = self.server.auth().sign_up(f"tried-{next(self.numbers)}@example.com", PASSWORD)
            self.token = session["access_token"]


@pytest.fixture(scope="module", params=["nobody", "user", "administrator"])
def caller(request, session_servers, tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("mails"))
    server = session_servers.serve(GATEHOUSE_OPENAPI="true", GATEHOUSE_MAIL_FOLDER=folder, GATEHOUSE_APP_SCHEME="boxscore",
                                   GATEHOUSE_ACCOUNT_PAGES="true", GOTRUE_OAUTH_SERVER_ENABLED="true",
                                   GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true", **PASSKEYS)
    server.start()
    yield Caller(request.param, server)
    server.stop()


def test_the_document_is_served_only_where_a_setting_says_so(caller, server):
    served = Client(caller.url).get("/openapi.json").json()
    assert served["paths"].keys() == WHOLE["paths"].keys() and served["info"]["version"] != "0"
    assert Client(server.url.removesuffix("/auth/v1")).get("/openapi.json").status == 404


def test_every_answer_is_documented(caller):
    for operation in OPERATIONS:

        @seed(1)
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def send(case):
            case.headers = {
                **{name: value for name, value in (case.headers or {}).items() if name.lower() != "authorization"},
                **caller.headers,
            }
            answer = case.call(base_url=caller.url, allow_redirects=False, timeout=PATIENCE_SECONDS)
            case.validate_response(answer, checks=CHECKS)
            if answer.status_code in (401, 403):
                caller.renew()

        # The operation before may have ended the session, or changed the password.
        caller.renew()
        send()
