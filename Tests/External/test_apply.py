"""`gatehouse apply` and `export-config`: a server's settings, signing keys and administrators from one YAML document."""

import base64
import contextlib
import os
import pty
import sqlite3
import subprocess

import pytest
from postgres import needs_server
from program import BINARY, PASSWORD, PATIENCE_SECONDS, Client, Server, plain_environment, run

CHANGES_PENDING, USAGE, CONFIGURATION = 7, 64, 78
SECRETS = {
    "SERVER_SECRET": "1:" + base64.b64encode(bytes(range(32))).decode(),
    "API_KEY": "sb_secret_tests_only_of_apply_0123456789",
    "CRM_SECRET": "v1,whsec_" + base64.b64encode(bytes(range(40, 72))).decode(),
}


class Operator:
    """Applies documents to one settings file and its database."""

    def __init__(self, folder, postgres=None):
        self.folder, self.postgres = folder, postgres
        self.database = postgres.url if postgres else folder / "gatehouse.sqlite"
        self.server = Server.serve(folder)
        self.file = folder / "gatehouse.yaml"
        self.password = folder / "password"
        self.password.write_text("hunter2-hunter2\n")

    def document(self, more="", administrators=("ada@example.com",), age="2160h"):
        self.path = self.folder / "accounts.yaml"
        self.path.write_text(
            f"settings:\n  database: {self.database}\n  secrets: ${{SERVER_SECRET}}\n  secret_keys: [\"${{API_KEY}}\"]\n"
            f"  external_url: {self.server.auth_url}\n  listen: 127.0.0.1:{self.server.port}\n"
            f"  site_url: http://127.0.0.1:3000\n  mailer_autoconfirm: true\n  limits: off\n"
            f"  smtp_pass: file:{self.password}\n  api_max_request_duration: 60s\n{more}"
            f"signing_keys:\n  rotate_after: {age}\n"
            f"administrators: [{', '.join(administrators)}]\n"
        )
        return self

    def run(self, command, *arguments, **environment):
        done = run(command, *arguments, "--config", str(self.file), environment={**SECRETS, **environment})
        for secret in (*SECRETS.values(), "hunter2"):
            assert secret not in done.stdout + done.stderr
        return done

    def apply(self, *options, code=0, **environment):
        done = self.run("apply", str(self.path), *options, **environment)
        assert done.returncode == code, done
        return done.stdout.splitlines(), done.stderr

    def start(self):
        """Reads the file alone."""
        self.server.arguments, self.server.environment = ["serve", "--config", str(self.file)], {}
        return self.server.start()

    def sqlite(self, statement):
        with contextlib.closing(sqlite3.connect(self.database, timeout=PATIENCE_SECONDS)) as database, database:
            database.execute(statement)

    def keys(self):
        return [line.split()[0] for line in self.run("keys", "list").stdout.splitlines()[1:]]


class Asked:
    """A command that has planned and asks its terminal."""

    def __init__(self, operator, *options):
        self.control, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [BINARY, "apply", str(operator.path), "--config", str(operator.file), *options],
            env={**plain_environment(), **SECRETS}, stdin=terminal, stdout=subprocess.DEVNULL, stderr=terminal,
        )  # fmt: skip
        os.close(terminal)
        self.text = b""
        while b"[y/N]" not in self.text:
            self.text += os.read(self.control, 4096)

    def answer(self, text):
        os.write(self.control, text)
        code = self.process.wait(PATIENCE_SECONDS)
        # On Linux, reading fails at the end.
        with contextlib.suppress(OSError):
            while more := os.read(self.control, 4096):
                self.text += more
        os.close(self.control)
        return code, self.text.decode()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_server)])
def operator(request, servers, tmp_path):
    postgres = request.getfixturevalue("cluster").database() if request.param == "postgres" else None
    operator = Operator(tmp_path, postgres)
    servers._add(operator.server)
    return operator


@pytest.fixture
def simple(servers, tmp_path):
    """On SQLite, for what does not depend on the database."""
    operator = Operator(tmp_path)
    servers._add(operator.server)
    return operator


def role(server, email):
    answer = Client(server.auth_url, headers={"apikey": SECRETS["API_KEY"]}).get(f"/admin/users?filter={email}")
    return {user["email"]: user["role"] for user in answer.json()["users"]}.get(email)


WEBHOOKS = "  webhooks:\n    - {name: crm, url: https://crm.example.org/hook?key=hush, secrets: '${CRM_SECRET}'}\n"


def test_a_document_creates_a_server_and_a_second_time_changes_nothing(operator):
    operator.document(WEBHOOKS)
    planned, told = operator.apply("--dry-run", code=CHANGES_PENDING)
    assert "+ settings limits: off" in planned and "+ settings secrets" in planned and "+ webhooks crm" in planned
    assert "+ administrators ada@example.com: new account, role service_role" in planned and "+ signing_keys" in planned
    assert not operator.file.exists() and not os.path.exists(operator.database), "a dry run makes nothing"
    refused, told = operator.apply(code=1)
    assert refused == planned and "Pass --yes to confirm" in told and not operator.file.exists()
    done, told = operator.apply("--yes")
    assert done == planned and "Restart every server" in told
    assert operator.file.stat().st_mode & 0o777 == 0o600
    again, told = operator.apply("--yes")
    assert again == [] and "Nothing to change." in told
    server = operator.start()
    assert role(server, "ada@example.com") == "service_role"
    assert len(operator.keys()) == 1
    # The new account is confirmed, so its address is taken.
    assert server.auth().post("/signup", {"email": "ada@example.com", "password": PASSWORD}).status >= 400


def test_what_is_exported_plans_no_change_and_contains_no_secret(operator):
    operator.document(WEBHOOKS).apply("--yes")
    with open(operator.file, "a", encoding="utf-8") as file:
        file.write(f"# of the mail\nsmtp_user: '${{literally}}'\njwt_secret_file: {operator.folder}/jwt\n")
    (operator.folder / "jwt").write_text("a shared secret for tests alone, 40 bytes")
    exported = operator.run("export-config")
    assert exported.returncode == 0 and "hush" not in exported.stdout, exported
    assert "secrets: '••••'" in exported.stdout and f"jwt_secret_file: {operator.folder}/jwt" in exported.stdout
    assert "\nadministrators:\n  - ada@example.com\n" in exported.stdout
    operator.path.write_text(exported.stdout)
    before = operator.file.read_text()
    assert operator.apply("--yes", "--prune")[0] == [] and operator.file.read_text() == before
    # A member can be changed while the others stay masked.
    operator.path.write_text(exported.stdout.replace("name: crm", "name: crm\n      events: [user.created]"))
    assert operator.apply("--yes")[0] == ["~ webhooks crm: changed"]
    assert "hush" in operator.file.read_text() and SECRETS["CRM_SECRET"] in operator.file.read_text()
    assert run("export-config", str(operator.path), "--config", str(operator.file)).returncode == 1, "it exists"


def test_administrators_change_while_the_server_runs(operator):
    operator.document(administrators=["ada@example.com"]).apply("--yes")
    server = operator.start()
    bob = server.auth().sign_up("bob@example.com")
    unproven, told = operator.document(administrators=["ada@example.com", "bob@example.com"]).apply("--yes", code=USAGE)
    assert unproven == [] and "bob@example.com is not proven" in told and bob["user"]["id"] in told
    operator.document(administrators=["ada@example.com", bob["user"]["id"]])
    assert operator.apply("--yes")[0] == [f"~ administrators {bob['user']['id']}: role authenticated -> service_role"]
    # Its earlier tokens could be held by someone with fewer rights.
    assert server.auth().refresh(bob["refresh_token"]).status == 400
    token = server.auth().sign_in("bob@example.com").json()["access_token"]
    assert server.auth().get("/admin/users", token=token).status == 200
    operator.document(administrators=["ada@example.com"])
    unlisted = operator.apply("--yes")
    assert unlisted[0] == [] and "kept without --prune: administrators bob@example.com" in unlisted[1]
    assert operator.apply("--yes", "--prune")[0] == [
        "- administrators bob@example.com: role service_role -> authenticated"
    ]
    assert server.auth().get("/admin/users", token=token).status == 403
    assert role(server, "bob@example.com") == "authenticated", "the account is still there"
    none = operator.document(administrators=[]).apply("--yes", "--prune", code=USAGE)
    assert "would leave no administrator" in none[1] and role(server, "ada@example.com") == "service_role"


def test_of_two_commands_that_remove_each_others_administrator_the_second_fails(operator):
    operator.document(administrators=["ada@example.com", "bob@example.com"]).apply("--yes")
    waiting = [
        Asked(operator.document(administrators=[name]), "--prune") for name in ("ada@example.com", "bob@example.com")
    ]
    assert waiting[0].answer(b"y\n")[0] == 0
    code, told = waiting[1].answer(b"y\n")
    assert code == 1 and "The administrators were changed meanwhile." in told
    assert operator.run("export-config").stdout.endswith("administrators:\n  - ada@example.com\n")


def test_an_old_signing_key_is_rotated_once_and_still_verifies(operator):
    operator.document().apply("--yes")
    server = operator.start()
    token = server.auth().sign_up("eve@example.com")["access_token"]
    [first] = operator.keys()
    if operator.postgres:
        operator.postgres.run("UPDATE signing_keys SET created_at = created_at - interval '2160 hours'")
    else:
        operator.sqlite("UPDATE signing_keys SET created_at = created_at - 7776000000000")
    waiting = Asked(operator)
    [line] = operator.apply("--yes")[0]
    assert line.startswith(f"~ signing_keys: rotate; {first} was created ")
    code, told = waiting.answer(b"y\n")
    assert code == 1 and "The signing keys were rotated meanwhile." in told
    new, old = operator.keys()
    assert old == first and new != first
    assert operator.apply("--yes")[0] == [] and operator.keys() == [new, old]
    assert server.auth().user(token).status == 200


def test_after_a_failure_in_the_middle_the_rest_is_applied_again(simple):
    simple.document().apply("--yes")
    simple.sqlite("CREATE TRIGGER full BEFORE INSERT ON users BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    simple.document("  jwt_exp: 600\n", administrators=["ada@example.com", "bob@example.com"])
    planned, told = simple.apply("--yes", code=1)
    assert len(planned) == 2 and "The database cannot be used" in told
    simple.sqlite("DROP TRIGGER full")
    assert simple.apply("--yes")[0] == [planned[1]]
    assert simple.apply("--yes")[0] == []
    assert sorted(path.name for path in simple.folder.iterdir() if path.suffix == ".new") == []


@pytest.mark.parametrize(
    ("more", "code", "problem"),
    [
        ("  prot: 80\n", USAGE, "line 12: prot is not a setting; did you mean port?"),
        ("  smtp_user: ${NOT_SET}\n", USAGE, "line 12: NOT_SET is not set"),
        ("  jwt_secret: file:/nowhere\n", USAGE, "line 12: the file cannot be read: there is no such file"),
        ("  jwt_secret: ••••\n", USAGE, "line 12: jwt_secret is masked, and the settings file has no value to keep"),
        ("  jwt_exp: soon\n", CONFIGURATION, "line 12: expected a whole number from 1 to 604800"),
        ("  webhooks: [{name: A}]\n", CONFIGURATION, "line 12: entry 1: name expected 1 to 64 lower-case letters"),
        ("  host: [\n", USAGE, "is not valid YAML: see line 14"),
        ("webhook: x\n", USAGE, "line 12: webhook is unknown; expected the sections settings, signing_keys"),
    ],
)
def test_an_invalid_document_changes_nothing(simple, more, code, problem):
    printed, told = simple.document(more).apply("--yes", code=code)
    assert printed == [] and problem in told
    assert not simple.file.exists() and not os.path.exists(simple.database)


def test_a_terminal_is_asked_and_a_file_that_changed_since_stays(simple):
    for answer in (b"n\n", b"\n", b"\x04"):
        code, told = Asked(simple.document()).answer(answer)
        assert code == 1 and "Nothing was changed." in told and not simple.file.exists()
    late = Asked(simple)
    assert Asked(simple).answer(b"y\n")[0] == 0
    written = simple.file.read_text()
    code, told = late.answer(b"y\n")
    assert code == 1 and "was since the plan" in told and simple.file.read_text() == written


def test_a_variable_that_hides_a_setting_is_named(simple):
    _, told = simple.document().apply("--yes", GATEHOUSE_LIMITS="on")
    assert "GATEHOUSE_LIMITS in this environment takes precedence over limits." in told


def test_dev_has_no_settings_file_but_administrators(dev, new_email, tmp_path):
    document, email = tmp_path / "accounts.yaml", new_email()
    document.write_text("settings:\n  port: 80\n")
    refused = dev.command("apply", str(document), "--yes")
    assert refused.returncode == USAGE and "A `gatehouse dev` folder has no settings file" in refused.stderr
    document.write_text(f"administrators: [{email}]\n")
    assert email in dev.command("apply", str(document), "--yes").stdout
    again = dev.command("apply", str(document), "--yes")
    assert (again.returncode, again.stdout) == (0, "") and "Nothing to change." in again.stderr
    exported = dev.command("export-config").stdout
    assert f"  - {email}\n" in exported and "settings:" not in exported
