"""An app that uses only the products: its package builds, its steps work, and no server package is compiled."""

import os
import pathlib
import re
import subprocess

import pytest

import program

EXAMPLE = pathlib.Path(program.REPOSITORY, "Tests", "Example")
SCRATCH = pathlib.Path(program.REPOSITORY, ".build", "example")
# The first build compiles BoringSSL, too, which takes two cores about a minute.
BUILD_SECONDS = 1_200

OURS = {"Gatehouse", "GatehouseModel", "GatehouseTesting", "GatehouseWire"}
CRYPTO = {"CCryptoBoringSSL", "CCryptoBoringSSLShims", "CXKCP", "CXKCPShims", "Crypto", "CryptoBoringWrapper"}


def swift(command, *options, environment=None):
    return subprocess.run(
        ["swift", command, *options, "--package-path", EXAMPLE, "--scratch-path", SCRATCH],
        env={**program.plain_environment(), **(environment or {})},
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
    )


@pytest.fixture(scope="module")
def build_folder():
    built = swift("build", "--build-tests", *os.environ.get("GATEHOUSE_BUILD_OPTIONS", "").split())
    assert built.returncode == 0, built.stdout[-4_000:] + built.stderr[-4_000:]
    return pathlib.Path(swift("build", "--show-bin-path").stdout.strip())


def compiled(folder):
    """The modules with object files. SwiftPM creates an empty folder for every known target."""
    return {path.relative_to(folder).parts[0].removesuffix(".build") for path in folder.glob("*.build/**/*.o")}


def test_no_server_package_is_compiled_for_an_app(build_folder):
    modules = compiled(build_folder)
    assert {"Example", *OURS, "Crypto"} <= modules
    strangers = {name for name in modules if not name.lower().startswith("example")} - OURS - CRYPTO
    assert not strangers
    # The build knows Hummingbird, NIO and the server's targets; otherwise this test would check nothing.
    known = {path.name for path in build_folder.glob("*.build")}
    assert {"Hummingbird.build", "NIOCore.build", "AuthServer.build", "SQLiteDriver.build"} <= known


def test_the_steps_of_the_page_work_before_a_server(build_folder, dev, new_email):
    environment = {
        "EXAMPLE_SERVER": dev.gateway_url,
        "EXAMPLE_KEY": dev.keys["publishable_key"],
        "EXAMPLE_EMAIL": new_email("example"),
    }
    done = swift("test", "--skip-build", environment=environment)
    assert done.returncode == 0, done.stdout[-4_000:]
    assert re.search(r"Test run with \d+ tests? in \d+ suites passed", done.stdout + done.stderr)
    assert "skipped" not in done.stdout + done.stderr
