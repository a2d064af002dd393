"""Chooses the tests of a local `make test`: those that read a file which has changed since they last passed.

A *part* is what can be left out alone: the tests of one Swift target in one stage, one file of Tests/External, or a whole
stage. After a run, each part that passed is noted with the digests of all files of the repository. In the next run a part
is left out if every file that has changed since then is one that the part does not read. A file that nothing is known of
is read by all parts, so a mistake here makes a run longer, not weaker, with one exception: Tests/External/areas.json says
which external tests use an area of the program's sources. A complete run takes no notice of any of this.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess

from stages import NO_SUMMARY

# Check the pages' command lines, and run their blocks.
COMMANDS = "external test_doc_commands"
BLOCKS = ("external test_guides", "external test_page_blocks")
PAGES = (COMMANDS, *BLOCKS)
# Files outside the Swift targets, and the parts that read them, as prefixes of their names.
EVERY_STAGE = ("swift ", "postgresql ", "screens ")
READERS = (
    ("Docs/reference/linking-rules.md", tuple(stage + "AccountDomainTests" for stage in EVERY_STAGE)),
    ("Docs/compatibility.md", ("external test_golden", *PAGES)),
    ("Docs/verify-tokens.md", ("external test_verify_tokens", *PAGES)),
    ("Docs/http-api.md", ("external test_http_api_page", *PAGES)),
    ("Docs/", ("swift GatehouseCLITests", "swift GatehouseServerTests", "postgresql GatehouseCLITests",
               "postgresql GatehouseServerTests", "screens GatehouseCLITests", *PAGES)),
    ("Tests/Golden/", ("swift GatehouseWireTests", "external test_golden", "external test_supabase_client")),
    ("Tests/Fuzz/Corpus/", ("swift FuzzTests",)), ("Tests/Soak/", ()), ("Tests/API/", ()), ("Tests/Support/PosixSynchronization/", ()),
    ("Benchmarks/", ()), ("Examples/", ()), ("CHANGELOG.md", ()), ("SECURITY.md", ()),
    ("CONTRIBUTING.md", PAGES), ("README.md", PAGES),
    ("LICENSE", ()), ("Deploy/nginx.conf", ("external test_nodes",)),
    ("Deploy/postgresql/", (*EVERY_STAGE, *BLOCKS)), ("Deploy/", BLOCKS),
    ("Scripts/documentation/make-docs", ("docs",)), ("Scripts/checks/public_api.py", ("docs",)),
    ("Scripts/documentation/page_faults", ("external test_pictures",)), ("Scripts/documentation/", ()),
    ("Scripts/tests/", ()), ("Scripts/checks/", ()), ("Scripts/release/", ()), ("Scripts/fuzz", ()), ("Scripts/sanitize", ()),
    ("Scripts/make-common-passwords", ()), ("Scripts/watch", ()),
    (".devcontainer/", ()), (".vscode/", ()), (".editorconfig", ()), (".github/", ()),
)
# Tests that read sources of targets that they do not depend on.
ALSO_READ = (
    ("Apps/BoxScore/teams.json", ("",)), ("Apps/", ("screens GatehouseUITests", "screens HeadlessSwiftUITests")),
    ("Sources/Client/GatehouseUI/", ("screens HeadlessSwiftUITests",)),
)
PROGRAM = "GatehouseCLI"
LIBRARIES = ("Gatehouse", "GatehouseModel", "GatehouseUI", "GatehouseTesting", "GatehouseDesktop")
# The tests that use most of the program. They run whenever one of its sources has changed.
ALWAYS = ("test_golden", "test_supabase_client")
# Only there during `.ci/run`, so that the next `make test` need not run everything.
PASSING = "Tests/XCTMain.swift"


def digests(root):
    """Path → digest, of the files that git would commit, without the passing one."""
    listed = subprocess.check_output(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), cwd=root).decode().split("\0")
    paths = [path for path in listed if path not in ("", PASSING) and os.path.isfile(os.path.join(root, path))]
    return {path: hashlib.sha256(pathlib.Path(root, path).read_bytes()).hexdigest() for path in paths}


def changed(before, after):
    """The paths that were added, removed or changed."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


class Package:
    """The targets of `swift package describe --type json`."""

    def __init__(self, description):
        targets = description["targets"]
        self.paths = {target["path"].rstrip("/") + "/": target["name"] for target in targets}
        self.tests = [target["name"] for target in targets if target["type"] == "test"]
        self.direct = {target["name"]: target.get("target_dependencies", []) for target in targets}

    def target(self, path):
        """The target that a file belongs to; the innermost one."""
        folders = [folder for folder in self.paths if path.startswith(folder)]
        return self.paths[max(folders, key=len)] if folders else None

    def uses(self, name):
        """A target and all that it depends on."""
        found, pending = {name}, [name]
        for each in pending:
            new = [other for other in self.direct.get(each, []) if other not in found]
            found.update(new)
            pending += new
        return found


class Selection:
    """Which parts a change of files concerns.

    `areas`: the beginning of a path → the external tests that use it.
    """

    def __init__(self, package, files, areas):
        self.package, self.areas = package, areas
        # Part → the targets that it is built from.
        self.targets = {}
        for stage, name in files["swift"]:
            self.targets[f"{stage} {name}"] = package.uses(name)
        program = package.uses(PROGRAM)
        for name in files["external"]:
            self.targets[f"external {name}"] = program
        self.targets["example test_example_package"] = program | package.uses("ExampleTests")
        self.targets["example test_webauthn_verdicts"] = package.uses("webauthn-verdicts")
        self.targets["explorer"] = package.uses("session-explorer")
        self.targets["docs"] = set().union(*(package.uses(library) for library in LIBRARIES))

    def readers(self, path):
        """The parts that a file concerns."""
        also = {part for beginning, names in ALSO_READ if path.startswith(beginning) for part in self._named(names)}
        return also | self._usual_readers(path)

    def _named(self, beginnings):
        return {part for part in self.targets if part.startswith(beginnings)}

    def _usual_readers(self, path):
        if target := self.package.target(path):
            users = {part for part, targets in self.targets.items() if target in targets}
            return users if target not in self.package.uses(PROGRAM) else self._narrowed(path, users)
        if path.startswith("Tests/External/"):
            own = {f"{stage} {pathlib.PurePath(path).stem}" for stage in ("external", "example")} & self.targets.keys()
            return own or (set() if path.endswith(".md") else self._named(("external ", "example ")))
        for beginning, names in READERS:
            if path.startswith(beginning):
                return self._named(names)
        return set(self.targets)

    def _narrowed(self, path, users):
        """Without the external tests of other areas of the program."""
        fitting = [beginning for beginning in self.areas if path.startswith(beginning)]
        if not fitting:
            return users
        tests = {f"external {name}" for name in (*self.areas[max(fitting, key=len)], *ALWAYS)}
        return {part for part in users if not part.startswith("external ") or part in tests}

    def to_run(self, passed, now):
        """The parts that have to run. `passed`: part → the digests of all files when it last passed."""
        run = set()
        # Most parts passed with the same files.
        concerned = {}
        for part in self.targets:
            before = passed.get(part)
            if before is None:
                run.add(part)
                continue
            if id(before) not in concerned:
                concerned[id(before)] = set().union(*map(self.readers, changed(before, now)))
            if part in concerned[id(before)]:
                run.add(part)
        return run


class Record:
    """What passed, and with which files. Each state of the files is stored once."""

    def __init__(self, file):
        self.file = pathlib.Path(file)
        self.passed = {}
        # Ignored: an unreadable file of an earlier version or an interrupted run. Everything runs in that case.
        try:
            stored = json.loads(self.file.read_text())
            self.passed = {part: stored["states"][state] for part, state in stored["parts"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass

    def note(self, passed, failed, now):
        """Notes the parts that passed with these files, and forgets those that failed."""
        for part in failed:
            self.passed.pop(part, None)
        for part in passed:
            self.passed[part] = now
        states, parts = {}, {}
        for part, files in sorted(self.passed.items()):
            state = str(id(files))
            states[state], parts[part] = files, state
        self.file.parent.mkdir(parents=True, exist_ok=True)
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps({"states": states, "parts": parts}))
        new.replace(self.file)


def failed_files(log):
    """The names of the failed files of a log of pytest; None if it does not tell."""
    found = re.findall(r"^(?:FAILED|ERROR) \S*?(\w+)\.py\b", log, re.MULTILINE)
    return set(found) or None


def verdicts(parts, ended):
    """The parts of a stage that passed, and those that did not."""
    parts = set(parts)
    if ended.has_passed:
        return parts, set()
    if ended.code is None or ended.result.failures == NO_SUMMARY.failures or not ended.log.exists():
        return set(), parts
    files = failed_files(ended.log.read_text(errors="replace")) if ended.stage.name in ("external", "example") else None
    if files is None:
        return set(), parts
    failed = {part for part in parts if part.split(" ")[-1] in files}
    return (parts - failed, failed) if failed else (set(), parts)
