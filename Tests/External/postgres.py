"""The tests' own PostgreSQL server, which can crash and return, also behind a network that can be cut."""

import ctypes
import glob
import os
import shutil
import subprocess
import tempfile
import uuid

import program
import pytest

PROGRAMS = next(
    (
        folder
        for folder in os.environ.get("PATH", "").split(":") + sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
        if all(os.access(os.path.join(folder, name), os.X_OK) for name in ("initdb", "postgres", "pg_isready"))
    ),
    None,
)


def client(name):
    """The path of a client program; None without it. Beside the server: what Debian has in the path is a script in Perl,
    which takes as long as the program."""
    return PROGRAMS and shutil.which(name, path=PROGRAMS) or shutil.which(name)


PSQL = client("psql")
needs_server = pytest.mark.skipif(not PROGRAMS or not PSQL, reason="PostgreSQL is not installed")
# Most tests use a faster server that loses acknowledged commits in a crash.
DURABLE = ("-c", "synchronous_commit=on")


class Cluster:
    """A server that ends with this process, however that ends. `options` are for postgres."""

    def __init__(self, *options, before=()):
        """`before`: a command that runs the rest of its arguments."""
        self.folder = os.path.join(tempfile.gettempdir(), "gh-" + uuid.uuid4().hex[:8])
        script = os.path.join(program.REPOSITORY, "Scripts", "test-cluster")
        self.guardian = subprocess.Popen(
            [*before, script, PROGRAMS, self.folder, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.guardian.stdout.readline() == b"ready\n"

    def stop(self):
        self.guardian.stdin.close()
        self.guardian.wait(program.PATIENCE_SECONDS)
        self.guardian.stdout.close()

    def crash(self):
        """Ends the server at once: it cuts all connections and writes nothing more."""
        self._order("stop", b"stopped\n")

    def come_back(self):
        """Restarts it. Returns when it answers."""
        self._order("start", b"ready\n")

    def _order(self, order, answer):
        self.guardian.stdin.write(order.encode() + b"\n")
        self.guardian.stdin.flush()
        assert self.guardian.stdout.readline() == answer

    def database(self):
        name = "d" + uuid.uuid4().hex[:10]
        Database(self, "postgres").run(f"CREATE DATABASE {name}")
        return Database(self, name)


class Database:
    def __init__(self, cluster, name):
        self.folder, self.name = cluster.folder, name
        self.url = f"postgres:///{name}?host={cluster.folder}&user=gatehouse"

    def psql(self, *arguments, text=None):
        done = subprocess.run(
            [PSQL, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "gatehouse", *arguments,
             self.name],
            input=text, capture_output=True, text=True, timeout=program.PATIENCE_SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def run(self, text):
        return self.psql(text=text)


def _ip(*arguments, inside=None):
    enter = ["nsenter", "--net", "-t", str(inside)] if inside else []
    subprocess.run([*enter, "ip", *arguments], check=True, capture_output=True, text=True, timeout=program.PATIENCE_SECONDS)


def why_no_network():
    """The reason why this machine cannot have a test network; None if it can."""
    missing = [name for name in ("ip", "unshare", "nsenter") if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)} not installed"
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    # A pair of interfaces that is gone with its namespace.
    trial = 'ip link add "gh$$x" type veth peer name "gh$$y" && ip link del "gh$$x"'
    if subprocess.run(["unshare", "--net", "sh", "-c", trial], capture_output=True, timeout=program.PATIENCE_SECONDS).returncode:
        return "the system allows no network namespace, or no veth"
    return None


class Wire:
    """A server at the other end of a wire that can be cut. Root only.

    Both ends are in network namespaces of their own: this thread, and what it starts, in one until `stop`; the server in
    another. A wire in the machine's own network would be a change there, at which every Chromium gives up its requests.
    A namespace ends with its last process, and the wire with the namespace.
    """

    HERE, THERE = "10.203.0.1", "10.203.0.2"
    # No host has this address: frames to it are lost silently.
    NOWHERE = "02:00:00:00:00:99"
    NAMESPACE = 0x40000000  # CLONE_NEWNET

    def __init__(self):
        self.home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        self._system("unshare", self.NAMESPACE)
        try:
            self.cluster = Cluster("-c", "listen_addresses=0.0.0.0", *DURABLE, before=("unshare", "--net"))
            try:
                self._connect()
            except BaseException:
                self.cluster.stop()
                raise
        except BaseException:
            self._go_home()
            raise

    def _connect(self):
        inside = self.inside = self.cluster.guardian.pid
        _ip("link", "set", "lo", "up")
        _ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(inside))
        _ip("addr", "add", self.HERE + "/30", "dev", "near")
        _ip("link", "set", "near", "up")
        _ip("addr", "add", self.THERE + "/30", "dev", "far", inside=inside)
        _ip("link", "set", "far", "up", inside=inside)
        with open(os.path.join(self.cluster.folder, "data", "pg_hba.conf"), "a", encoding="utf-8") as rules:
            rules.write(f"host all gatehouse {self.HERE}/32 trust\n")
        Database(self.cluster, "postgres").run("SELECT pg_reload_conf()")

    def stop(self):
        try:
            self.cluster.stop()
        finally:
            self._go_home()

    def _go_home(self):
        self._system("setns", self.home, self.NAMESPACE)
        os.close(self.home)

    @staticmethod
    def _system(call, *arguments):
        library = ctypes.CDLL(None, use_errno=True)
        if getattr(library, call)(*arguments):
            raise OSError(ctypes.get_errno(), call)

    def url(self, database):
        """Of a database of this server, over the wire."""
        return f"postgres://gatehouse@{self.THERE}:5432/{database.name}?sslmode=disable"

    def swallow(self):
        """All packets in both directions are lost silently from now on."""
        _ip("neigh", "replace", self.THERE, "lladdr", self.NOWHERE, "nud", "permanent", "dev", "near")
        _ip("neigh", "replace", self.HERE, "lladdr", self.NOWHERE, "nud", "permanent", "dev", "far",
            inside=self.inside)  # fmt: skip

    def carry(self):
        _ip("neigh", "del", self.THERE, "dev", "near")
        _ip("neigh", "del", self.HERE, "dev", "far", inside=self.inside)

    def unplug(self):
        _ip("link", "set", "far", "down", inside=self.inside)

    def plug_in(self):
        _ip("link", "set", "far", "up", inside=self.inside)
