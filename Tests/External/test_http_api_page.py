"""The examples of Docs/http-api.md work as they are printed, but for the address of the server."""

import os
import re
import shutil
import subprocess

import pytest
from program import PATIENCE_SECONDS, REPOSITORY


def example(language):
    with open(os.path.join(REPOSITORY, "Docs", "http-api.md"), encoding="utf-8") as file:
        return re.search(rf"^```{language}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)[1]


@pytest.fixture
def moved(dev):
    """A piece of code with the address of the test's server."""
    return lambda code: code.replace("http://localhost:9999", f"http://localhost:{dev.port}")


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_curl_signs_up_changes_the_profile_and_deletes_the_account(dev, moved):
    script = moved(example("sh"))
    assert script.count("curl") == 5
    # The status of each response goes to the other stream.
    done = subprocess.run(
        ["sh", "-eu", "-c", script.replace("curl -s ", "curl -s -w '%{stderr}%{http_code}\n' ")], capture_output=True, text=True,
        timeout=PATIENCE_SECONDS)
    assert done.returncode == 0
    assert done.stderr.split() == ["200", "200", "200", "200", "204"]
    assert '"mood":"calm"' in done.stdout
    credentials = {"email": "ada@example.com", "password": "correct horse battery"}
    assert dev.auth().post("/token?grant_type=password", credentials).code == "invalid_credentials"


def test_python_signs_up(dev, moved, capsys):
    exec(moved(example("python")).replace("sb_publishable_...", dev.keys["publishable_key"]), {})  # noqa: S102
    assert capsys.readouterr().out == "grace@example.com\n"
