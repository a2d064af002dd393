"""Fixtures that start the program under test. The binary is GATEHOUSE_BINARY, or the debug build."""

import contextlib
import itertools
import os
import shutil
import sys
import tempfile

import hypothesis.configuration
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "Golden"))

import described  # noqa: E402
import postgres  # noqa: E402
import program  # noqa: E402
from chromium import Chromium  # noqa: E402

GOLDEN_LEDGER = pytest.StashKey()
# The slowest groups of tests start first.
LONGEST_FIRST = [
    "test_app", "test_inbox", "outage silence", "test_malformed", "test_browser", "test_account_security", "test_import",
    "outage unplugged", "test_guides_for_apps", "test_guides", "test_console", "test_providers", "hostile 0", "hostile 1",
    "test_nodes", "rotated key", "source out of reach", "outage crash", "node killed", "test_program",
    "test_terminal_client", "test_id_tokens", "test_database_tls", "test_crash",
]
SERVERS = pytest.StashKey()
FAULTS = described.Faults()


def pytest_configure(config):
    # It would write files into the folder of the tests.
    notes = tempfile.mkdtemp(prefix="gatehouse-tests-")
    hypothesis.configuration.set_hypothesis_home_dir(notes)
    # `dev` publishes its address there.
    os.environ["XDG_STATE_HOME"] = os.path.join(notes, "state")
    config.add_cleanup(lambda: shutil.rmtree(notes, ignore_errors=True))
    config.stash[GOLDEN_LEDGER] = {"passed": 0, "waiting": [], "differs": 0, "used": set(), "failed": 0}
    config.stash[SERVERS] = []
    program.Client.observe = staticmethod(FAULTS.note)
    if not os.access(program.BINARY, os.X_OK):
        raise pytest.UsageError(f"there is no program at {program.BINARY}: build it, or set GATEHOUSE_BINARY")


def pytest_itemcollected(item):
    """With several processes, a file's tests run in one of them, in order, because they share servers. A test may have
    its own group."""
    if item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.get_closest_marker("xdist_group").args[0], len(places)))


class Servers:
    """Makes servers, and ends them by their process id in the order of the last first."""

    def __init__(self, known, folders):
        self.known, self.folders, self.mine = known, folders, []

    def folder(self, name="server"):
        return self.folders.mktemp(name)

    def serve(self, *options, **settings):
        return self._add(program.Server.serve(self.folder(), *options, **settings))

    def dev(self, *options):
        return self._add(program.Server.dev(self.folder(), *options))

    def _add(self, server):
        self.mine.append(server)
        self.known.append(server)
        return server

    def stop(self):
        """All of them, also after one that failed to end."""
        with contextlib.ExitStack() as stack:
            for server in self.mine:
                stack.callback(server.end_now)
                stack.callback(server.stop)


@pytest.fixture(autouse=True)
def described_responses():
    """Fails a test that got a response which the OpenAPI document does not describe."""
    yield
    if faults := FAULTS.taken():
        pytest.fail("The OpenAPI document does not describe:\n" + "\n".join(faults), pytrace=False)


@pytest.fixture(scope="session")
def session_servers(pytestconfig, tmp_path_factory):
    servers = Servers(pytestconfig.stash[SERVERS], tmp_path_factory)
    yield servers
    servers.stop()


@pytest.fixture
def servers(pytestconfig, tmp_path_factory):
    """For servers that belong to one test."""
    servers = Servers(pytestconfig.stash[SERVERS], tmp_path_factory)
    yield servers
    servers.stop()


@pytest.fixture(scope="session")
def dev(session_servers):
    """A `gatehouse dev` that all tests share; each creates its own users."""
    return session_servers.dev().start()


@pytest.fixture(scope="session")
def cluster(session_servers):
    """A durable PostgreSQL server for all tests that do not stop or configure it."""
    cluster = postgres.Cluster(*postgres.DURABLE)
    yield cluster
    # Without its database, a server would take longer to end.
    session_servers.stop()
    cluster.stop()


@pytest.fixture(scope="session")
def server(session_servers):
    """A `gatehouse serve` that all tests share, with automatic confirmation and anonymous sign-in."""
    return session_servers.serve().start()


@pytest.fixture(scope="module")
def chromium():
    """A browser for the tests of one file."""
    chromium = Chromium()
    yield chromium
    chromium.close()


@pytest.fixture
def tab(chromium):
    tab = chromium.person()
    yield tab
    tab.close()


@pytest.fixture
def plain(chromium):
    """A tab without scripts."""
    tab = chromium.person(java_script_enabled=False)
    yield tab
    tab.close()


_numbers = itertools.count(1)


@pytest.fixture
def new_email():
    """Creates an address that is unused in this run."""
    return lambda name="person": f"{name}{next(_numbers)}@example.com"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test shows the output of the running servers."""
    report = (yield).get_result()
    if report.failed:
        for server in item.config.stash[SERVERS]:
            if server.process is not None:
                lines = server.log().splitlines()[-8:]
                report.sections.append((f"stderr of {server.arguments[0]} at {server.url}", "\n".join(lines)))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """One of several processes passes its part of the ledger on."""
    if hasattr(session.config, "workeroutput"):
        ledger = session.config.stash[GOLDEN_LEDGER]
        session.config.workeroutput["golden"] = {name: ledger[name] for name in ("passed", "waiting", "differs", "failed")}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    for name, part in getattr(node, "workeroutput", {}).get("golden", {}).items():
        node.config.stash[GOLDEN_LEDGER][name] += part


def pytest_terminal_summary(terminalreporter, config):
    ledger = config.stash[GOLDEN_LEDGER]
    if not any(ledger[name] for name in ("passed", "waiting", "failed")):
        return
    terminalreporter.section("recorded answers")
    terminalreporter.line(
        f"{ledger['passed']} as recorded, {ledger['differs']} of them with a difference on purpose; "
        f"{len(ledger['waiting'])} waiting; {ledger['failed']} failing"
    )
    reasons = {}
    for why in ledger["waiting"]:
        reasons[why] = reasons.get(why, 0) + 1
    for why, count in sorted(reasons.items()):
        terminalreporter.line(f"  waiting {count:3}  {why}")
