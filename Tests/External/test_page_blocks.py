"""Every block of every page runs, is read by the tool of its language, or has a reason in guides.NOT_RUN."""

import json
import re
import shlex
import shutil
import subprocess

import program
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from guides import FENCE, NOT_RUN, READERS, ROOT, Page, Shell, commands, mode, needs, reason, unindented
from program import PATIENCE_SECONDS
from test_doc_commands import PAGES, fault

SOURCES = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "Tests" / "External").glob("test_*.py"))
# Page, language and text of all blocks.
BLOCKS = [
    pytest.param(path.name, language, unindented(text, indent), id=f"{path.name}:{number}")
    for path in PAGES for number, (indent, language, text) in enumerate(FENCE.findall(path.read_text(encoding="utf-8")))
]
# Page -> the language whose blocks a test takes in order; empty: all.
WALKED = dict(re.findall(r'Page\("([\w-]+\.md)"(?:, "(\w+)")?\)', SOURCES))


def has_a_test_or_a_reason(name, language, text):
    return reason(name, text) or language not in READERS and WALKED.get(name) in ("", language)


def blocks(keep):
    """The blocks for which `keep` is true and that have no other test and no reason."""
    return [block for block in BLOCKS if keep(*block.values[1:]) and not has_a_test_or_a_reason(*block.values)]


def of(*languages):
    return lambda language, _: language in languages


def for_make(language, text):
    return language == "sh" and all(re.match(r" *(\w+=\S+ )*make ", line) for line in commands(text))


def test_every_block_has_a_test_or_a_reason():
    kinds = (of("json"), of("yaml"), of(*READERS), for_make)
    assert blocks(lambda *block: not any(kind(*block) for kind in kinds)) == []


def test_every_reason_has_a_block():
    found = {(page, start) for page, start in NOT_RUN for name, _, text in (block.values for block in BLOCKS)
             if name == page and text.startswith(start)}
    assert NOT_RUN.keys() - found == set()


@pytest.mark.parametrize(("name", "language", "text"), blocks(of(*READERS)))
def test_code_is_read_without_errors(name, language, text, tmp_path):
    reader = READERS[language]
    if not shutil.which(reader[0]):
        pytest.skip(f"{reader[0]} is not installed")
    path = tmp_path / f"code.{'mjs' if language == 'js' else language}"
    if language == "go":  # a part of a function
        text = f"package p\n\nfunc f() error {{\n{text}return err\n}}\n"
    elif text.lstrip().startswith("."):  # an element of a list
        text = f"[\n{text}]\n"
    path.write_text(text)
    done = subprocess.run([*reader, str(path)], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, text + done.stderr


def dry_run(line):
    """What `make` would run."""
    done = subprocess.run(
        ["bash", "-c", re.sub(r"\bmake ", "make --dry-run ", line, count=1)], cwd=ROOT, capture_output=True, text=True,
        timeout=PATIENCE_SECONDS)
    assert done.returncode == 0 and done.stdout, done.stderr
    return done.stdout


@pytest.mark.parametrize(("name", "language", "text"), blocks(for_make))
def test_make_knows_what_to_do(name, language, text):
    for line in commands(text):
        dry_run(line)


def test_the_program_accepts_the_options_that_make_passes_on():
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    lines = set(re.findall(r'make run ARGS=(?:"[^"]*"|\'[^\']*\')', text))
    assert len(lines) > 1
    for line in lines:
        (started,) = re.findall(r"^exec .build/debug/(gatehouse .*)$", dry_run(line), re.MULTILINE)
        assert fault(shlex.split(started)) is None, line


@pytest.mark.parametrize(("name", "language", "text"), blocks(of("json")))
def test_json_is_read_without_errors(name, language, text):
    json.loads(text if text[0] in "[{" else f"{{{text}}}")


# Settings.


@pytest.mark.parametrize(("name", "language", "text"), blocks(of("yaml")))
def test_settings_are_accepted(name, language, text, tmp_path):
    for part in alternatives(text):
        check_settings(name, part, tmp_path)


def alternatives(text):
    """A line that ends with `# instead` replaces the one before it."""
    if "# instead" not in text:
        return [text]
    lines = text.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if "# instead" in line)
    return ["".join(lines[:at] + lines[at + 1:]), "".join(lines[:at - 1] + lines[at:])]


def check_settings(name, text, tmp_path):
    secret = program.serve_settings(str(tmp_path), 1, 2)["GATEHOUSE_SECRETS"]
    text = text.replace("/etc/gatehouse", str(tmp_path)).replace("secrets: 1:…", f"secrets: {secret}")
    text = text.replace("AB:CD:…", ":".join(["AB"] * 32))
    settings = yaml.safe_load(text)
    for key, path in settings.items():
        if key.endswith("_file"):
            (tmp_path / path.rsplit("/", 1)[1]).write_text(contents(key, secret))
            (tmp_path / path.rsplit("/", 1)[1]).chmod(0o600)
    settings.setdefault("database", str(tmp_path / "a.sqlite"))
    settings.setdefault("external_url", "https://api.example.org/auth/v1")
    settings.setdefault("trusted_proxies", ["127.0.0.0/8"])
    if any(key.startswith(("external_", "openid_")) and key != "external_url" for key in settings):
        settings.setdefault("uri_allow_list", ["com.example.journal://auth-callback"])
    if "account_pages_url" not in settings:
        settings.setdefault("mailer_autoconfirm", "smtp_host" not in settings)
    environment = {} if {"secrets", "secrets_file"} & settings.keys() else {"GATEHOUSE_SECRETS": secret}
    (tmp_path / "gatehouse.yaml").write_text(yaml.safe_dump(settings))
    only = ["--only", "pages"] if "account_pages_url" in settings else []
    done = program.run("check-config", "--config", f"{tmp_path}/gatehouse.yaml", *only, environment=environment)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def contents(key, secret):
    if key == "external_apple_key_file":
        return ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    if key == "openid_providers_file":
        return json.dumps([{"name": "acme", "issuer": "https://id.acme.example", "client_id": "gatehouse"}])
    return secret if key == "secrets_file" else "a-secret"


# Examples of reference pages.


@needs("openssl")
def test_the_secrets_of_the_configuration(tmp_path):
    shell = Shell(tmp_path, {"/etc/gatehouse": str(tmp_path)})
    with Page("configuration.md", "sh") as page:
        shell.sh(page.block("sh", "(umask 077"))
        printed = shell.sh(page.block("sh", 'echo "sb_publishable_'))
    secret, key = ((tmp_path / name).read_text() for name in ("secrets", "secret-keys"))
    assert mode(tmp_path / "secrets") == mode(tmp_path / "secret-keys") == 0o600
    settings = {"GATEHOUSE_SECRETS": secret, "GATEHOUSE_SECRET_KEYS": key, "GATEHOUSE_PUBLISHABLE_KEYS": printed.out}
    settings = {name: value.strip() for name, value in settings.items()} | {"GATEHOUSE_DATABASE": "a"}
    (tmp_path / "gatehouse.yaml").write_text("external_url: https://api.example.org/auth/v1\nmailer_autoconfirm: true\n")
    done = program.run("check-config", "--config", f"{tmp_path}/gatehouse.yaml", environment=settings)
    assert done.returncode == 0, done.stderr


@needs("curl")
def test_custom_fields_with_a_schema(servers, tmp_path):
    shell = Shell(tmp_path)
    with Page("own-fields.md") as page:
        change, error, schema = page.block("sh", "curl -X PATCH"), page.block("json", '{"error"'), page.block("json", "{")
        (tmp_path / "schema.json").write_text(schema)
        server = servers.dev("--profile-schema", str(tmp_path / "schema.json")).start()
        shell.environment |= {"GATEWAY": server.gateway_url, "TOKEN": server.auth().sign_up("ada@example.com")["access_token"]}
        changed = json.loads(shell.sh(change.replace("curl", "curl -s")).out)
        assert changed["profile"]["data"] == {"mood": "calm", "goals": {"steps": 8000}}
        refused = json.loads(shell.sh(change.replace("curl", "curl -s").replace("8000", "0")).out)
        assert refused == json.loads(error)


@needs("curl")
def test_an_event_and_an_error_of_a_page(dev, tmp_path):
    with Page("telemetry.md") as page:
        assert dev.gateway().post("/v1/events", json.loads(page.block("json", '{"app"'))).status == 204
    shell = Shell(tmp_path)
    wrong = """curl -s "$AUTH/token?grant_type=password" -d '{"email":"nobody@example.com","password":"not it at all"}'"""
    shell.environment["AUTH"] = dev.auth_url
    with Page("http-api.md", "json") as page:
        assert json.loads(shell.sh(wrong).out) == json.loads(page.block("json", "{"))


def test_the_search_for_a_criterion(tmp_path):
    shell = Shell(tmp_path)
    shell.folder = str(ROOT)
    with Page("acceptance.md") as page:
        assert "002.14" in shell.sh(page.block("sh", "grep")).out
