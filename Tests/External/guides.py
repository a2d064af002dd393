"""The blocks of a page in Docs, which a test takes in their order and runs in a shell as printed."""

import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys

import postgres
import program
import pytest
from terminal import Ended, Person, Terminal

ROOT = pathlib.Path(program.REPOSITORY)
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")

# A language that needs packages from the network -> the command that reads it. test_page_blocks.py does.
READERS = {"swift": ("swiftc", "-frontend", "-parse"), "js": ("node", "--check"), "go": ("gofmt", "-e")}
# (page, beginning of a block) -> why no test runs it. A block that is neither here nor taken by a test fails.
NOT_RUN = {
    ("apple-and-google.md", "sudo -u gatehouse"): "asks Apple and Google whether they know the keys",
    ("architecture.md", "   Development"): "a drawing",
    ("client-with-supabase.md", "import { createClient }"): "TypeScript for Deno, with a package from the network",
    ("deploy.md", "make dist"): "a release build takes minutes; Tests/Soak/package builds and installs the package",
    ("http-api.md", "AUTH="): "test_http_api_page.py runs it",
    ("http-api.md", "from supabase_auth"): "test_http_api_page.py runs it",
    ("scale.md", "Benchmarks/scale sizes"): "takes hours",
    ("scale.md", "GATEHOUSE_COMPLETE=1"): "needs a release build of another program",
    ("stability.md", "Scripts/checks/check-api"): "writes the list of a release into Tests/API",
    ("verify-tokens.md", "import jwt"): "test_verify_tokens.py runs it",
}
# A tool that may be missing -> the part of it that the pages use.
STAND_INS = {
    "jq": "import json, sys\nfor line in sys.stdin: print(json.loads(line)[sys.argv[2].removeprefix('.')])",
    "oathtool": "import pyotp, sys\nprint(pyotp.TOTP(sys.argv[3]).now())",
    "sqlite3": "import sqlite3, sys\nsqlite3.connect(sys.argv[1]).backup(sqlite3.connect(sys.argv[2].split()[1]))",
}


def needs(*tools):
    """Skips a test if a program is not installed."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def reason(page, text):
    """Why no test runs a block."""
    return next((why for (name, start), why in NOT_RUN.items() if name == page and text.startswith(start)), None)


class Page:
    """A page whose blocks a test takes one after the other. `language`: only the ones of this language."""

    def __init__(self, name, language=None):
        (path,) = (ROOT / "Docs").rglob(name)
        self.name, self.text = name, path.read_text(encoding="utf-8")
        self.blocks = [(language, unindented(text, indent)) for indent, language, text in FENCE.findall(self.text)]
        self.words = SPAN.findall(FENCE.sub("", self.text))
        self.waiting = [
            block for block in self.blocks
            if block[0] not in READERS and language in (None, block[0]) and not reason(name, block[1])
        ]

    def block(self, language, beginning):
        """The next block."""
        assert self.waiting, f"{self.name} has no block {beginning!r}"
        found, text = self.waiting.pop(0)
        assert found == language and text.startswith(beginning), f"{self.name}: expected {beginning!r}, found {found} {text!r}"
        return text

    def span(self, beginning):
        """The first command within a sentence that begins so."""
        found = [word.replace("\n", " ") for word in self.words if word.startswith(beginning)]
        assert found, f"{self.name} no longer has `{beginning}`"
        return found[0]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            assert self.waiting == [], f"{self.name}: blocks that are neither run nor in NOT_RUN"


def unindented(text, indent):
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


def commands(block):
    """The lines of a block, each with its continuation."""
    lines, begun = [], ""
    for line in block.splitlines(keepends=True):
        begun += line
        if not line.endswith("\\\n"):
            lines, begun = [*lines, begun], ""
    return lines


class Shell(Person):
    """A user at a shell with `gatehouse` in its path. Variables and folder of a command are the next one's.

    `moved`: text of the pages -> its replacement, for addresses, ports and folders.
    """

    def __init__(self, folder, moved=None, **environment):
        self.moved, self.bin = dict(moved or {}), pathlib.Path(folder, "bin")
        self.notes, self.state_file = pathlib.Path(folder, "calls"), pathlib.Path(folder, "variables")
        self.running = []
        self.bin.mkdir(parents=True)
        self.notes.write_text("")
        super().__init__(os.path.join(folder, "home"), folder=os.path.join(folder, "here"), **environment)
        os.makedirs(self.folder)
        places = [str(self.bin), *filter(None, [postgres.PROGRAMS]), os.environ["PATH"]]
        # curl would send requests to this machine through a proxy.
        self.environment = {name: value for name, value in self.environment.items() if not name.lower().endswith("_proxy")}
        self.environment |= {"PATH": ":".join(places), "LC_ALL": "C.UTF-8"}
        self.tool("gatehouse", f'exec {program.BINARY} "$@"')
        for name, code in STAND_INS.items():
            if not shutil.which(name):
                (self.bin / f".{name}").write_text(code)
                self.tool(name, f'exec {sys.executable} {self.bin}/.{name} "$@"')

    def tool(self, name, script):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def fake(self, *names, then=""):
        """Commands that note their arguments instead of acting."""
        for name in names:
            self.tool(name, f'echo "{name} $*" >>{self.notes}\n{then}')

    def calls(self):
        """The noted commands since the last look."""
        noted = self.notes.read_text().splitlines()
        self.notes.write_text("")
        return noted

    def move(self, text):
        for old, new in self.moved.items():
            text = text.replace(old, str(new))
        return text

    def path(self, name):
        return pathlib.Path(self.move(name))

    def background(self, script):
        """Starts a command that serves until `stop`."""
        log = open(os.path.join(self.home, "log"), "a")
        self.running.append(subprocess.Popen(
            ["bash", "-c", "exec " + self.move(script)], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log))
        log.close()

    def stop(self):
        for process in self.running:
            process.terminate()
            process.wait(program.PATIENCE_SECONDS)

    def sh(self, script, stdin="", code=0):
        """Runs a script as a page prints it. `code`: the exit code that it must have, if any."""
        keep = f"export -p >{self.state_file}; pwd >>{self.state_file}"
        whole = f"set -aeuo pipefail\ntrap '{keep}' EXIT\n{self.move(script)}"
        done = subprocess.run(
            ["bash", "-c", whole], env=self.environment, cwd=self.folder, input=stdin, capture_output=True, text=True,
            timeout=program.PATIENCE_SECONDS)
        *exported, self.folder = self.state_file.read_text().splitlines()
        self.environment |= dict(read_exports("\n".join(exported)))
        assert code in (None, done.returncode), f"{script}\nexited with {done.returncode}:\n{done.stdout}{done.stderr}"
        return Ended(done.returncode, done.stdout, done.stderr)

    def terminal(self, script):
        """The same at a terminal, for commands that ask."""
        return Terminal(self, ["-c", "set -eu\n" + self.move(script)], "bash")


def read_exports(text):
    """The variables of `export -p`, with values of one line."""
    for name, value in re.findall(r'^declare -\w+ (\w+)="((?:[^"\\]|\\.)*)"$', text, re.MULTILINE):
        if name not in ("SHLVL", "PWD", "OLDPWD", "_"):
            yield name, re.sub(r"\\(.)", r"\1", value)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def objects(text):
    """JSON, an object on each line."""
    return [json.loads(line) for line in text.splitlines()]
