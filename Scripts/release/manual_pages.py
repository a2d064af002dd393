"""Manual pages of a program that uses swift-argument-parser, from what it prints for `--experimental-dump-help`.

One page for the program and one for each of its commands, with the commands below that as its sections.
"""

import re

# Present in every command; the page of the program names them once.
EVERYWHERE = {"help", "version"}


def escaped(text):
    """Text as roff: nothing in it is a request, and hyphens stay what can be searched and copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def prose(text):
    """Paragraphs; lines that begin with a space stay as they are."""
    blocks = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")) if text else ():
        lines = [escaped(line) for line in paragraph.split("\n")]
        if any(line.startswith(" ") for line in lines):
            blocks.append("\n".join([".PP", ".EX", *lines, ".EE"]))
        else:
            blocks.append("\n".join([".PP", *lines]))
    return blocks


def name_of(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def head_of(argument):
    """`--config <config>`, `-h, --help`, `<shell>`."""
    value = escaped(argument.get("valueName") or "")
    if argument["kind"] == "positional":
        return f"\\fI{value}\\fR"
    names = ", ".join(f"\\fB{escaped(name_of(name))}\\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} \\fI{value}\\fR"


def shown(command):
    return [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]


def own(command):
    """What the command has beside the options of all commands."""
    return [argument for argument in shown(command) if argument.get("valueName") not in EVERYWHERE]


def synopsis(words, command):
    parts = [f"\\fB{escaped(' '.join(words))}\\fR"]
    for argument in own(command):
        head = head_of(argument)
        if argument["kind"] != "positional" and len(argument["names"]) > 1:
            head = head.replace(", ", "|")
        head += "..." if argument.get("isRepeating") else ""
        parts.append(f"[{head}]" if argument.get("isOptional") else head)
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR" if not command.get("defaultSubcommand") else "[\\fIcommand\\fR]")
    return "\n".join(parts)


def options(arguments):
    lines = []
    for argument in arguments:
        text = argument.get("abstract") or ""
        if argument.get("allValues") and argument["kind"] != "flag":
            text += f" One of: {', '.join(argument['allValues'])}."
        if argument.get("defaultValue") is not None and argument["kind"] != "flag":
            text += f" Default: {argument['defaultValue']}."
        lines += [".TP", head_of(argument), *(escaped(line) for line in text.strip().split("\n"))]
    return lines


def commands_below(command):
    return [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True)
            and each["commandName"] != "help"]


def sections(words, command):
    """A `.SS` for each command below `command`, at any depth."""
    lines = []
    for below in commands_below(command):
        path = [*words, below["commandName"]]
        lines += [f".SS {escaped(' '.join(path))}", ".PP", synopsis(path, below)]
        lines += prose(below.get("abstract") or "") + prose(below.get("discussion") or "") + options(own(below))
        lines += sections(path, below)
    return lines


def page(words, command, title, related, version, date):
    """The roff text of one page. `related`: the names of other pages."""
    name = "-".join(words)
    abstract = (command.get("abstract") or "").rstrip(".")
    lines = [
        f'.TH {escaped(name.upper())} 1 "{date}" "{escaped(version)}" "{title}"',
        ".SH NAME", f"{escaped(name)} \\- {escaped(abstract[:1].lower() + abstract[1:])}",
        ".SH SYNOPSIS", synopsis(words, command),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *prose(command["discussion"])]
    if found := options(own(command) if len(words) > 1 else shown(command)):
        lines += [".SH OPTIONS", *found]
    if below := commands_below(command):
        lines += [".SH COMMANDS"]
        if len(words) > 1:
            lines += sections(words, command)
        else:
            for each in below:
                lines += [".TP", f"\\fB{escaped(each['commandName'])}\\fR", escaped(each.get("abstract") or "")]
    lines += [".SH SEE ALSO", ",\n".join(f".BR {escaped(each)} (1)" for each in related).replace(",\n", " ,\n")]
    return tidy("\n".join(lines)) + "\n"


def tidy(text):
    """Without empty lines, and without paragraphs that a heading has begun already, or that have no text."""
    text = re.sub(r"\n{2,}", "\n", text)
    text = re.sub(r"^(\.(?:SH|SS|PP)\b.*)\n\.PP$", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"^\.PP\n(?=\.(?:TP|SS|SH)\b)", "", text, flags=re.MULTILINE)


def pages(dump, version, date, title="Gatehouse"):
    """File name -> text of all pages, from the parsed output of `--experimental-dump-help`."""
    root = dump["command"]
    name = root["commandName"]
    below = commands_below(root)
    names = [f"{name}-{command['commandName']}" for command in below]
    made = {f"{name}.1": page([name], root, title, names, version, date)}
    for command in below:
        words = [name, command["commandName"]]
        made["-".join(words) + ".1"] = page(words, command, title, [name], version, date)
    return made
