"""Every command line of the pages names a subcommand, options and a `make` target that exist."""

import functools
import json
import pathlib
import re
import shlex

import program
import pytest
from guides import FENCE

ROOT = pathlib.Path(program.REPOSITORY)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "Docs").rglob("*.md"))]
# Commands within a sentence. They may leave out what the command requires.
SPAN = re.compile(r"`((?:(?:sudo -u|docker exec) \S+ )?(?:gatehouse|make)\s[^`]+)`")
SEPARATORS = set("();|&")


class Unreadable(Exception):
    pass


def command_lines(script):
    """The words of each command, without comments, assignments, redirections, `sudo` and `docker exec`."""
    rest = ""
    for line in script.replace("\\\n", " ").splitlines():
        rest += line + "\n"
        lexer = shlex.shlex(rest, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:  # a quoted text continues on the next line
            continue
        rest = ""
        yield from simple_commands(words)
    if rest:
        raise Unreadable(rest)


def simple_commands(words):
    command, skipped = [], False
    for word in [*words, ";"]:
        if word and set(word) <= SEPARATORS:
            if command := without_prefixes(command):
                yield command
            command = []
        elif skipped or (word and set(word) <= set("<>")):
            skipped = not skipped
        else:
            command.append(word)
            for inner in re.findall(r"\$\(([^()]*)\)", word):
                yield from command_lines(inner)


def without_prefixes(words):
    while words and (re.match(r"\w+=", words[0]) or words[0] in ("sudo", "exec", "docker")):
        if words[:2] in (["sudo", "-u"], ["docker", "exec"]):
            words = words[3:]
        elif words[0] == "docker":
            break
        else:
            words = words[1:]
    return words


@functools.cache
def root_command():
    return json.loads(program.run("--experimental-dump-help").stdout)["command"]


@functools.cache
def targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def named(command, word):
    """The option or flag of that name, and `-f`'s likewise."""
    kind, name = ("long", word[2:]) if word.startswith("--") else ("short", word[1:])
    for argument in command.get("arguments", []):
        if {"kind": kind, "name": name} in argument.get("names", []):
            return argument
    return None


def fault(words, is_complete=True):
    """Why the program or `make` would reject the command line; nil for another program's."""
    if words[0] == "make":
        unknown = [word for word in words[1:] if "=" not in word and word not in targets()]
        return f"no target {unknown[0]}" if unknown else None
    if words[0] != "gatehouse":
        return None
    command, values, given = root_command(), [], set()
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        subcommands = {it["commandName"]: it for it in command.get("subcommands", [])}
        if word.startswith("-") and word != "-":
            name, equals, _ = word.partition("=")
            option = named(command, name)
            if option is None and command.get("defaultSubcommand"):
                command = subcommands[command["defaultSubcommand"]]
                option = named(command, name)
            if option is None:
                return f"{command['commandName']} has no option {name}"
            given.add(option["valueName"])
            if option["kind"] == "flag" and equals:
                return f"{name} takes no value"
            if option["kind"] == "option" and not equals and (not rest or rest.pop(0).startswith("--")):
                return f"{name} needs a value"
        elif subcommands:
            if word not in subcommands:
                return f"{command['commandName']} has no subcommand {word}"
            command = subcommands[word]
        else:
            values.append(word)
    return missing_or_excess(command, values, given) if is_complete else excess(command, values)


def excess(command, values):
    places = [it for it in command.get("arguments", []) if it["kind"] == "positional"]
    if len(values) > len(places) and not any(it["isRepeating"] for it in places):
        return f"{command['commandName']} takes no {values[len(places)]}"
    return None


def missing_or_excess(command, values, given):
    if command.get("subcommands") and not command.get("defaultSubcommand"):
        return f"{command['commandName']} needs a subcommand"
    required = [it for it in command.get("arguments", []) if not it["isOptional"]]
    if len([it for it in required if it["kind"] == "positional"]) > len(values):
        return f"{command['commandName']} needs a value"
    lacking = [it["valueName"] for it in required if it["kind"] == "option" and it["valueName"] not in given]
    return f"{command['commandName']} needs --{lacking[0]}" if lacking else excess(command, values)


def faults(text):
    """The faults of a page, and the number of its command lines in blocks."""
    found, count = [], 0
    for _, language, script in FENCE.findall(text):
        for words in command_lines(script) if language == "sh" else ():
            count += words[0] in ("gatehouse", "make")
            found += [f"{shlex.join(words)}: {reason}" for reason in [fault(words)] if reason]
    for span in SPAN.findall(FENCE.sub("", text)):
        for words in command_lines(span.replace("\n", " ").replace("…", "")):
            found += [f"{span}: {reason}" for reason in [fault(words, is_complete=False)] if reason]
    return found, count


def test_the_pages_name_existing_commands_and_targets():
    results = {page.relative_to(ROOT): faults(page.read_text(encoding="utf-8")) for page in PAGES}
    assert {str(page): found for page, (found, _) in results.items() if found} == {}
    for page in ("CONTRIBUTING.md", "Docs/deploy.md", "Docs/migrating.md", "Docs/terminal-client.md"):
        assert results[pathlib.Path(page)][1] > 1, page


def test_blocks_with_commands_are_marked_as_sh():
    for page in PAGES:
        for _, language, script in FENCE.findall(page.read_text(encoding="utf-8")):
            if re.search(r"^ *(\$ )?(gatehouse|make) ", script, re.MULTILINE):
                assert language == "sh", f"{page}: {script}"


@pytest.mark.parametrize(("line", "reason"), [
    ("make run ARGS='--port 1'  # it's a comment", None),
    ("make nothing", "no target nothing"),
    ("gatehouse-seed add --users 3 | docker run --name gatehouse gatehouse", None),
    ("sudo -u gatehouse gatehouse users list --filter=ada > there", None),
    ("docker exec gatehouse gatehouse doctors", "gatehouse has no subcommand doctors"),
    ("gatehouse mfa --json", None),
    ("gatehouse login --email \\\n  ada@example.com", None),
    ("KEY=$(gatehouse mfa enroll --nam ci)", "enroll has no option --nam"),
    ('KEY="$(gatehouse mfa enrol)"', "mfa has no subcommand enrol"),
    ("gatehouse user list", "gatehouse has no subcommand user"),
    ("true && gatehouse users", "users needs a subcommand"),
    ("gatehouse users create --email", "--email needs a value"),
    ("gatehouse users create --email --confirm", "--email needs a value"),
    ("gatehouse users delete", "delete needs a value"),
    ("gatehouse users delete ada eve --yes", "delete takes no eve"),
    ("gatehouse users delete ada --yes=1", "--yes takes no value"),
])
def test_a_line_that_the_program_would_reject_is_found(line, reason):
    found, _ = faults(f"Text\n\n   ```sh\n   {line}\n   ```\n")
    assert [it.rsplit(": ", 1)[1] for it in found] == ([reason] if reason else [])


def test_a_command_in_a_sentence_is_found():
    text = "Run `gatehouse users create`, `gatehouse nothing`,\n`make\nnone` or `make test`.\n"
    found, count = faults(text)
    assert (len(found), count) == (2, 0)


def test_a_quote_that_is_never_closed_is_found():
    with pytest.raises(Unreadable):
        faults("```sh\ngatehouse login --email 'ada\n```\n")
