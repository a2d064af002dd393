"""Runs the terminal client like a user or a script: in its own home folder, at a terminal or without one."""

import codecs
import fcntl
import glob
import json
import os
import pty
import re
import select
import subprocess
import termios
import time

from program import BINARY, PASSWORD, PATIENCE_SECONDS, plain_environment

# A JSON Web Token: its header and payload are JSON objects. Random text rarely has both beginnings.
TOKEN = re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.eyJ")


class Ended:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        """The one object on standard output."""
        assert self.out.count("\n") == 1, self
        return json.loads(self.out)

    def failure(self):
        """The one object on standard error."""
        assert self.err.count("\n") == 1, self
        return json.loads(self.err)

    def __repr__(self):
        return f"<code {self.code}, stdout {self.out!r}, stderr {self.err!r}>"


class Person:
    """A user with a fresh home folder. No output of a command may contain a token or the password."""

    def __init__(self, home, server=None, folder=None, **environment):
        self.home, self.folder = str(home), str(folder or home)
        os.makedirs(self.home, exist_ok=True)
        self.environment = plain_environment() | {"HOME": self.home} | environment
        for name in ("XDG_STATE_HOME", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"):
            self.environment.pop(name, None)
        if server is not None:
            self.environment["GATEHOUSE_URL"] = server.url

    @property
    def state(self):
        return os.path.join(self.home, ".local", "state", "gatehouse")

    def kept(self):
        """The session files with their contents."""
        return self._read("gatehouse-*-token")

    def _read(self, pattern):
        files = {}
        for path in glob.glob(os.path.join(self.state, pattern)):
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    files[path] = json.load(file)
        return files

    def _secrets(self):
        found = {PASSWORD}
        for session in self.kept().values():
            found |= {value for name, value in session.items() if name.endswith("_token")}
        for flows in self._read("gatehouse-*pkce-flows").values():
            found |= {flow["verifier"] for flow in flows}
        return found

    def run(self, *arguments, stdin=""):
        before = self._secrets()
        done = subprocess.run(
            [BINARY, *arguments],
            env=self.environment,
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        ended = Ended(done.returncode, done.stdout, done.stderr)
        self._check(done.stdout + done.stderr, before | self._secrets())
        return ended

    def _check(self, printed, secrets):
        assert not TOKEN.search(printed), "a token was printed"
        assert not any(secret in printed for secret in secrets), "a secret was printed"

    def json(self, *arguments, **options):
        """Runs a command that must succeed and returns its output."""
        ended = self.run(*arguments, "--json", **options)
        assert ended.code == 0 and ended.err == "", ended
        return ended.json()

    def fails(self, code, *arguments, **options):
        """Runs a command that must fail and returns its code and message."""
        ended = self.run(*arguments, "--json", **options)
        assert ended.code == code, ended
        failure = ended.failure()
        assert set(failure) == {"error", "message"}, ended
        return failure["error"], failure["message"]

    def sign_up(self, email, *arguments, password=PASSWORD):
        return self.json("signup", "--email", email, "--password-stdin", *arguments, stdin=password + "\n")

    def log_in(self, email, *arguments, password=PASSWORD):
        return self.json("login", "--email", email, "--password-stdin", *arguments, stdin=password + "\n")

    def at_terminal(self, *arguments):
        return Terminal(self, arguments)


class Terminal:
    """A command at its own terminal, which shows what a user would see."""

    def __init__(self, person, arguments, command=BINARY):
        self.person, self.seen, self.answered = person, "", 0
        # A part may end within a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.mine, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [command, *arguments],
            env=person.environment,
            cwd=person.folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: _take_terminal(theirs),
        )
        os.close(theirs)

    def wait_for(self, text, after=0):
        end = time.monotonic() + PATIENCE_SECONDS
        while text not in self.seen[after:]:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"{text!r} was not shown, but {self.seen!r}")
        return self

    def _read(self, seconds):
        ready, _, _ = select.select([self.mine], [], [], max(0, seconds))
        if not ready:
            return False
        try:
            part = os.read(self.mine, 4096)
        except OSError:
            return False
        self.seen += self.decoder.decode(part)
        return bool(part)

    def type(self, text):
        os.write(self.mine, text.encode())
        return self

    def answer(self, question, text):
        """Waits for the prompt and types the line. A repeated prompt must be seen again: input before a password prompt is
        discarded."""
        self.wait_for(question, after=self.answered)
        self.answered = self.seen.index(question, self.answered) + len(question)
        return self.type(text + "\n")

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self.mine)[3] & termios.ECHO)

    def show_echo(self):
        """Takes the terminal back, as a shell does when a job stops."""
        settings = termios.tcgetattr(self.mine)
        settings[3] |= termios.ECHO
        termios.tcsetattr(self.mine, termios.TCSANOW, settings)
        return self

    def signal(self, number):
        self.process.send_signal(number)
        return self

    def end(self):
        """The exit code, after all output is read."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self._read(end - time.monotonic()):
            pass
        code = self.process.wait(timeout=max(1, end - time.monotonic()))
        self.person._check(self.seen, self.person._secrets())
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.mine)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _take_terminal(descriptor):
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
