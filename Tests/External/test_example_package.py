"""An app that uses only the products: the steps of its pages work with a server."""

import os
import re
import subprocess
import sys

import program

sys.path.append(os.path.join(program.REPOSITORY, "Scripts"))
from stages import swift_tests  # noqa: E402


def test_the_steps_of_the_pages_work_before_a_server(dev, new_email):
    environment = {
        **program.plain_environment(),
        "EXAMPLE_SERVER": dev.gateway_url,
        "EXAMPLE_KEY": dev.keys["publishable_key"],
        "EXAMPLE_EMAIL": new_email("example"),
    }
    done = subprocess.run(
        swift_tests("--filter", r"^ExampleTests\."), cwd=program.REPOSITORY, env=environment, capture_output=True, text=True,
        timeout=600)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    assert re.search(r"Test run with \d+ tests? in 5 suites passed", done.stdout + done.stderr)
    assert "skipped" not in done.stdout + done.stderr
