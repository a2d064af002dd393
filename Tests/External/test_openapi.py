"""schemathesis sends requests made from the OpenAPI document: no 5xx, and no answer that the document does not describe.

The seed is fixed, so a finding can be repeated. Each caller has a server of its own, since its requests end sessions and
delete accounts.
"""

import json
import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from program import PASSKEYS, PASSWORD, PATIENCE_SECONDS, PUBLISHABLE_KEY, REPOSITORY, SECRET_KEY, Client
from schemathesis import checks

DOCUMENT = os.path.join(REPOSITORY, "Sources", "GatehouseServer", "OpenAPI", "openapi.json")
EXAMPLES = int(os.environ.get("GATEHOUSE_OPENAPI_EXAMPLES", 4))
CHECKS = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)
with open(DOCUMENT, encoding="utf-8") as file:
    WHOLE = json.load(file)


def is_tried(path):
    # Only with a port of its own (`metrics_listen`).
    return path != "/metrics"


SCHEMA = schemathesis.openapi.from_dict({**WHOLE, "paths": {k: v for k, v in WHOLE["paths"].items() if is_tried(k)}})
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]


@pytest.fixture(scope="module", params=["nobody", "user", "administrator"])
def caller(request, session_servers, tmp_path_factory):
    """The server's root URL, and the headers of the caller."""
    folder = str(tmp_path_factory.mktemp("mails"))
    server = session_servers.serve(GATEHOUSE_OPENAPI="true", GATEHOUSE_MAIL_FOLDER=folder, GATEHOUSE_APP_SCHEME="boxscore",
                                   GATEHOUSE_ACCOUNT_PAGES="true", **PASSKEYS)
    server.start()
    token = {"nobody": None, "administrator": SECRET_KEY}.get(request.param)
    if request.param == "user":
        token = server.auth().sign_up("tried@example.com", PASSWORD)["access_token"]
    headers = {"apikey": PUBLISHABLE_KEY} | ({"Authorization": "Bearer " + token} if token else {})
    yield server.url.removesuffix("/auth/v1"), headers
    server.stop()


def test_the_document_is_served_only_where_a_setting_says_so(caller, server):
    served = Client(caller[0]).get("/openapi.json").json()
    assert served["paths"].keys() == WHOLE["paths"].keys() and served["info"]["version"] != "0"
    assert Client(server.url.removesuffix("/auth/v1")).get("/openapi.json").status == 404


def test_every_answer_is_documented(caller):
    url, headers = caller
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
                **headers,
            }
            answer = case.call(base_url=url, allow_redirects=False, timeout=PATIENCE_SECONDS)
            case.validate_response(answer, checks=CHECKS)

        send()
