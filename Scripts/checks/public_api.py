"""The public declarations of a library, read from its sources: one line for each, sorted.

    GatehouseClient: public struct GatehouseClient
    GatehouseClient: conforms to Sendable
    GatehouseClient.signIn(email:password:): func signIn(email: String, password: String) async throws -> AuthSession

Reading the sources needs no build, and sees what only Apple's compilers see. It relies on the shape that `swift format`
gives to declarations. Left out: parameter names that callers do not see, default values, bodies, and the types that the
compiler infers from anything but a literal or a call of a type.
"""

import dataclasses
import re

from swift_text import SwiftText

# A line that begins with one of these continues the declaration above it.
CONTINUES = re.compile(r"\s*(?:->|where\b|async\b|throws\b|rethrows\b|[.=:?&|+,{])")
UNFINISHED = re.compile(r"(?:->|[,:=&|+(]|\bwhere)\s*\Z")
ATTRIBUTES = re.compile(r"(?:@\w+(?:\([^()]*\))?\s*)*")
MODIFIERS = re.compile(
    r"(?:(?:public|open|package|internal|fileprivate|private|static|class(?=\s+(?:func|var|subscript))|final|nonisolated"
    r"|mutating|nonmutating|indirect|convenience|override|required|weak|unowned|lazy|dynamic|distributed|prefix|postfix"
    r"|infix)(?:\(\w+\))?\s+)*")
KEYWORD = re.compile(
    r"(func|var|let|init|struct|class|enum|actor|protocol|extension|typealias|associatedtype|subscript|case|macro)\b")
TYPES = ("struct", "class", "enum", "actor", "protocol")
NAME = re.compile(r"\s*(?:`?(\w+)`?|([^\s\w(]+))")
PATH = re.compile(r"\s*([\w.]+)")


@dataclasses.dataclass(frozen=True)
class Scope:
    """Where declarations stand. `holds`: the keyword of the type around them. `where`: the condition of an extension."""

    path: str = ""
    holds: str = ""
    where: str = ""

    def name(self, name):
        return f"{self.path}.{name}" if self.path else name


class Declarations:
    """The declarations of some files. Call `read` for each of them, then `lines`."""

    def __init__(self):
        self.found = set()  # (type or "", line)
        self.public = set()
        self.hidden = set()

    def read(self, source):
        text = SwiftText(source)
        code = list(text.code)
        for offset, _ in text.strings:
            code[offset] = '"'
        self._scan("".join(code), 0, len(code), Scope())

    def lines(self, outside=frozenset()):
        """`outside`: names of types of other targets that are not public."""
        hidden = (self.hidden - self.public) | outside
        return sorted({line for owner, line in self.found if not is_hidden(owner, hidden) and not self._adopts(line, hidden)})

    @staticmethod
    def _adopts(line, hidden):
        _, _, protocol = line.partition(": conforms to ")
        return protocol.split(" where ")[0] in hidden

    def _scan(self, code, start, end, scope):
        while start < end:
            if code[start] in " \t\n;":
                start += 1
            elif code[start] == "#":
                start = line_end(code, start, end)
            else:
                header, body, start = statement(code, start, end)
                self._declare(code, header, body, scope)

    def _declare(self, code, header, body, scope):
        attributes = ATTRIBUTES.match(header).group()
        modifiers = MODIFIERS.match(header, len(attributes)).group()
        found = KEYWORD.match(header, len(attributes) + len(modifiers))
        if not found:
            return
        keyword, rest = found.group(1), header[found.end():].strip()
        words = modifiers.split()
        if keyword == "extension":
            return self._extend(code, rest, body, "open" in words or "public" in words)
        implied = scope.holds == "protocol" or scope.holds == "public extension" or keyword == "case"
        is_public = "public" in words or "open" in words or (implied and not {"package", "private"} & set(words))
        if keyword in TYPES:
            return self._type(code, Declared(attributes, words, keyword, rest), body, scope, is_public)
        if is_public:
            setter = not any(word.endswith("(set)") for word in words)
            members = member(Declared(attributes, words, keyword, rest), code[slice(*body)] if body else None, setter)
            for name, text in members:
                required = "requirement " if scope.holds == "protocol" else ""
                self.found.add((scope.path, f"{scope.name(name)}: {required}{text}{scope.where}"))

    def _type(self, code, declared, body, scope, is_public):
        name, head, adopted, where = inheritance(declared.rest)
        path = scope.name(name)
        if not is_public:
            self.hidden.add(path)
            return
        self.public.add(path)
        self.found.add((path, f"{path}: {declared.prefix}{declared.keyword} {head}{where}"))
        self._adopt(path, adopted, "")
        self._scan(code, *body, Scope(path, declared.keyword))

    def _extend(self, code, rest, body, is_public):
        name, _, adopted, where = inheritance(rest, PATH)
        self._adopt(name, adopted, where)
        self._scan(code, *body, Scope(name, "public extension" if is_public else "extension", where))

    def _adopt(self, path, adopted, where):
        for protocol in adopted:
            self.found.add((path, f"{path}: conforms to {protocol}{where}"))


@dataclasses.dataclass(frozen=True)
class Declared:
    attributes: str
    words: list[str]
    keyword: str
    rest: str

    @property
    def prefix(self):
        """Attributes and modifiers that callers notice."""
        kept = [word for word in self.words if "(" not in word and word not in ("public", "indirect", "override", "lazy")]
        return "".join(f"{word} " for word in [*tidy(self.attributes).split(), *kept])


def is_hidden(owner, hidden):
    parts = owner.split(".")
    return any(".".join(parts[:count]) in hidden for count in range(1, len(parts) + 1))


def line_end(code, start, end):
    at = code.find("\n", start, end)
    return end if at < 0 else at


def closing(code, start):
    """The offset of the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
    return len(code) - 1


def statement(code, start, end):
    """The text of a declaration up to its body, the offsets inside the body's braces, and where the declaration ends."""
    at, has_value = start, False
    while at < end:
        character = code[at]
        if character in "([":
            at = closing(code, at)
        elif character == "{":
            last = closing(code, at)
            if not has_value:
                return code[start:at].strip(), (at + 1, last), last + 1
            at = last
        elif character == "=" and code[at - 1] not in "=!<>" and code[at + 1] != "=" and is_property(code[start:at]):
            has_value = True
        elif character == "\n" and is_complete(code[start:at]) and not CONTINUES.match(code, at, end):
            break
        at += 1
    return code[start:at].strip(), None, at + 1


def is_property(head):
    return re.search(r"\b(?:var|let)\s+\w+\s*(?::[^=]*)?\Z", head) is not None


def is_complete(head):
    head = head.strip()
    return not UNFINISHED.search(head) and ATTRIBUTES.fullmatch(head) is None and MODIFIERS.fullmatch(head + " ") is None


def tidy(text):
    """On one line, without blanks inside of brackets."""
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"([(\[]) | ([)\],:])", lambda found: found.group(1) or found.group(2), text)


def split(text, mark=","):
    """The parts of `text` between marks that stand in no bracket."""
    parts, depth, last = [], 0, 0
    for at, character in enumerate(text):
        arrow = character == ">" and text[at - 1] == "-"
        depth += (character in "([{<") - (character in ")]}>" and not arrow)
        if depth == 0 and character == mark:
            parts.append(text[last:at])
            last = at + 1
    return [part.strip() for part in [*parts, text[last:]] if part.strip()]


def inheritance(rest, name=NAME):
    """`Name<A>: P, Q where A: R` as name, head, protocols and condition."""
    found = name.match(rest)
    parts = re.split(r"\bwhere\b", rest[found.end():], maxsplit=1)
    where = f" where {tidy(parts[1])}" if len(parts) > 1 else ""
    head, *adopted = split(parts[0], ":") if parts[0].strip() else [""]
    if parts[0].strip().startswith(":"):
        head, adopted = "", [parts[0].strip()[1:]]
    protocols = [tidy(each).removeprefix("@unchecked ").removeprefix("@retained ") for part in adopted for each in split(part)]
    return found.group(1), found.group(1) + tidy(head), protocols, where


def member(declared, body, has_setter):
    """(name, declaration) of each member that a declaration makes."""
    kind, rest, prefix = declared.keyword, declared.rest, declared.prefix
    if kind == "case":
        for part in split(rest):
            text = re.sub(r"\s*=[^,)]*", " = …", split_value(part)[0])
            yield NAME.match(text).group(1), f"case {tidy(text)}"
    elif kind in ("var", "let"):
        name = NAME.match(rest).group(1)
        access = "get set" if kind == "var" and has_setter and is_settable(body) else "get"
        yield name, f"{prefix}var {name}{value_type(rest)} {{ {access}{effects(body)} }}"
    elif kind in ("func", "init", "subscript", "macro"):
        yield function(kind, rest, prefix, body)
    else:
        yield NAME.match(rest).group(1), f"{prefix}{kind} {tidy(rest)}"


def is_settable(body):
    """Whether a property without a body, or with this one, can be set."""
    if body is None or re.match(r"\s*(?:didSet|willSet)\b", body):
        return True
    return re.search(r"(?:\A|[\s}])(?:nonmutating )?set\s*(?:[({]|\Z)", body) is not None


def effects(body):
    """` async throws` of a getter that says so."""
    found = re.match(r"\s*get\s+(async\s+throws|async|throws)\b", body or "")
    return f" {tidy(found.group(1))}" if found else ""


def value_type(rest):
    """`: Type` of a property, as written or as its first value shows."""
    written, value = split_value(rest[NAME.match(rest).end():])
    if written.startswith(":"):
        return ": " + tidy(written[1:])
    # `Type(…)`, `[Type](…)` or `Type.value`
    of_type = re.match(r"((?:[A-Z]\w*\.)*[A-Z]\w*(?:<[\w., ]+>)?|\[[\w:. ]+\])(?:\s*[({]|\.[a-z])", value or "")
    if of_type:
        return f": {of_type.group(1)}"
    for pattern, name in ((r"true|false", "Bool"), (r"[\d_]+", "Int"), (r"[\d_]+\.\d+", "Double"), (r'".*', "String")):
        if re.fullmatch(pattern, value or ""):
            return f": {name}"
    return ""


def split_value(text):
    """The text before the first `=` outside of brackets, and the text after it or None."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and character == "=":
            return text[:at].strip(), text[at + 1:].strip()
    return text.strip(), None


def function(kind, rest, prefix, body):
    if kind in ("func", "macro"):
        found = NAME.match(rest)
        name, rest = found.group(1) or found.group(2), rest[found.end():]
        has_labels = found.group(1) is not None
    else:
        name, has_labels = kind, kind == "init"
    opening = rest.index("(")
    last = closing(rest, opening)
    parameters = [parameter(each, has_labels) for each in split(rest[opening + 1:last])]
    labels = "".join(f"{label}:" for label, _ in parameters)
    generics, tail = tidy(rest[:opening]), tidy(rest[last + 1:])
    if kind == "macro":
        tail = split_value(tail)[0]
    text = f"{prefix}{kind if kind in ('init', 'subscript') else f'{kind} {name}'}{generics}"
    text += f"({', '.join(text for _, text in parameters)})" + (f" {tail}" if tail else "")
    if kind == "subscript":
        text += " { get set }" if is_settable(body) else " { get }"
    return f"{name}({labels})", text


def parameter(text, has_label):
    """A parameter's label, and its declaration without its inner name and its default value. `has_label`: whether a
    single name is a label, as in functions, and unlike in operators and subscripts."""
    attributes = ATTRIBUTES.match(text).group()
    names, _, rest = text[len(attributes):].partition(":")
    kind, default = split_value(rest)
    label = names.split()[0] if has_label or len(names.split()) > 1 else "_"
    return label, tidy(f"{attributes}{label}: {kind}") + (" = …" if default is not None else "")
