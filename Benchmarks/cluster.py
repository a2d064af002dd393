"""A PostgreSQL server for one measurement: in a folder, on a socket there, and it waits for the disk as in real life."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time

# Typical settings for a machine of this size; the others keep their defaults.
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "2GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
}


def programs():
    """The folder with initdb, postgres, psql and pgbench; ends the program when there is none."""
    found = [os.path.dirname(path) for name in ("initdb",) for path in [shutil.which(name)] if path]
    found += sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]), reverse=True)
    for folder in found:
        if all(os.access(os.path.join(folder, name), os.X_OK) for name in ("initdb", "postgres", "psql", "pgbench")):
            return folder
    sys.exit("PostgreSQL is missing (initdb, postgres, psql, pgbench): apt-get install postgresql")


class Cluster:
    """`folder` must not be there yet; it belongs to the server and goes with `stop(remove=True)`."""

    def __init__(self, folder, **settings):
        self.folder, self.bin, self.process = folder, programs(), None
        self.settings = {**SETTINGS, "unix_socket_directories": folder, **settings}
        self.place = ["--host", folder, "--port", self.settings.get("port", "5432"), "--username=gatehouse"]
        # PostgreSQL refuses to run as root.
        self.account = None
        if os.geteuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.account = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        self.url = f"postgres:///postgres?host={folder}&user=gatehouse"

    def run(self, *command, **options):
        if self.account:
            options.update(user=self.account.pw_uid, group=self.account.pw_gid, extra_groups=[])
        return subprocess.run(command, check=True, cwd=self.folder, **options)

    def start(self):
        os.mkdir(self.folder, 0o755)
        if self.account:
            os.chown(self.folder, self.account.pw_uid, self.account.pw_gid)
        initdb = [os.path.join(self.bin, "initdb"), "--pgdata=data", "--username=gatehouse", "--auth=trust"]
        self.run(*initdb, "--encoding=UTF8", "--locale=C", stdout=subprocess.DEVNULL)
        options = {}
        if self.account:
            options.update(user=self.account.pw_uid, group=self.account.pw_gid, extra_groups=[])
        settings = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.bin, "postgres"), "-D", "data", *settings],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options,
            )
        begin = time.monotonic()
        while time.monotonic() - begin < 30:
            ready = [os.path.join(self.bin, "pg_isready"), "--quiet", *self.place]
            if subprocess.run(ready, check=False).returncode == 0:
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
            sys.exit(f"PostgreSQL did not start:\n{log.read()[-2000:]}")

    def stop(self, remove=True):
        if self.process:
            # Fast shutdown: does not wait for connected clients.
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)
            self.process = None
        if remove:
            shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, text):
        """The rows of a statement as lists of texts."""
        ended = subprocess.run(
            [os.path.join(self.bin, "psql"), *self.place, "--dbname=postgres",
             "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--command", text],
            capture_output=True, text=True, check=False,
        )
        if ended.returncode:
            sys.exit(f"psql: {ended.stderr}")
        return [line.split("|") for line in ended.stdout.splitlines() if line]

    def pgbench(self, script, seconds, clients=8):
        """Transactions per second of a script, each client on a connection of its own."""
        path = os.path.join(self.folder, "script.sql")
        with open(path, "w", encoding="ascii") as file:
            file.write(script)
        ended = subprocess.run(
            [os.path.join(self.bin, "pgbench"), *self.place, "--no-vacuum",
             "--protocol=prepared", f"--client={clients}", "--jobs=2", f"--time={seconds}", f"--file={path}",
             "postgres"],
            capture_output=True, text=True, check=False,
        )
        for line in ended.stdout.splitlines():
            if line.startswith("tps = "):
                return float(line.split()[2])
        sys.exit(f"pgbench: {ended.stdout}\n{ended.stderr}")

    def cpu_seconds(self):
        """Of all its processes, those that have ended included."""
        return processor_time([self.process.pid], children=True)


def processor_time(roots, children=False):
    """CPU seconds of processes, and of those that they started and that still run."""
    total, wanted = 0, set(roots)
    tick = os.sysconf("SC_CLK_TCK")
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        number = int(text.split(" ", 1)[0])
        fields = text.rsplit(")", 1)[1].split()
        if number in wanted or children and int(fields[1]) in wanted:
            total += int(fields[11]) + int(fields[12])
            # Of children that were waited for: the backends that have ended.
            total += (int(fields[13]) + int(fields[14])) if children and number in wanted else 0
    return total / tick


# A refresh's queries, sent directly to the database. Each client has its own session.
REFRESH_SESSIONS = """
INSERT INTO sessions (id, user_id, refresh_token_counter, aal, amr, created_at)
SELECT CAST('00000000-0000-4000-8000-' || lpad(CAST(n - 1 AS text), 12, '0') AS uuid), id, 0, 'aal1', '[]', now()
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM (SELECT id FROM users ORDER BY id LIMIT 200) AS people) AS numbered
ON CONFLICT DO NOTHING
"""
# As a node carries one out by itself: the values stand in the text, where a node binds them.
REFRESH = """
\\set n random(0, 199)
BEGIN;
UPDATE sessions SET refresh_token_counter = refresh_token_counter + 1, refreshed_at = now(), user_agent = 'pgbench',
    ip = '127.0.0.1'
WHERE refresh_token_counter >= 0 AND created_at >= '-infinity'
    AND coalesce(refreshed_at, created_at) >= '-infinity'
    AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = sessions.user_id AND banned_until > now())
    AND id = CAST('00000000-0000-4000-8000-' || lpad(:n, 12, '0') AS uuid);
SELECT users.*, identities.*, sessions.*
FROM sessions JOIN users ON users.id = sessions.user_id LEFT JOIN identities ON identities.user_id = users.id
WHERE sessions.id = CAST('00000000-0000-4000-8000-' || lpad(:n, 12, '0') AS uuid);
COMMIT;
"""
PROFILE = """
SELECT * FROM profiles WHERE id = (
    SELECT user_id FROM sessions WHERE id = CAST('00000000-0000-4000-8000-' || lpad(:client_id, 12, '0') AS uuid));
"""
