"""Swift source for the style check: separates code, comments and string literals.

Not a parser. It knows where comments, strings and interpolations begin and end, which is enough to look for
words in code without finding them in prose, and to match braces.
"""

import bisect
import re

NEXT = re.compile(r'//|/\*|#*"|#+/|/|\(|\)')
# After one of these a slash begins a regex literal; after a name or a closing bracket it divides.
BEFORE_REGEX = re.compile(r"(?:^|[=(,:\[{!&|?;~<>+\-*%]|\b(?:return|case|if|in|where|while|try|await))\s*\Z")
FUNCTION = re.compile(r"\bfunc\b|(?<![.\w])(?:init\b[?!]?(?=\s*[<(])|deinit\b|subscript\b(?=\s*[<(]))|\bvar\s+\w+\s*:")
TOKEN = re.compile(r"[(){}\[\]=\n]|\b(?:func|init|deinit|subscript|var|let|case|typealias|associatedtype|static)\b")


class SwiftText:
    """A file in three layers of equal length: where one has text, the others have blanks."""

    def __init__(self, source):
        self.source = source
        self._code = list(source)
        self._comments = [c if c == "\n" else " " for c in source]
        # (offset, text as written) of each string literal, its opening quotes left out
        self.strings = []
        self._starts = [0] + [m.end() for m in re.finditer("\n", source)]
        self._scan(0, inside_interpolation=False)
        self.code = "".join(self._code)
        self.comments = "".join(self._comments)

    @property
    def line_count(self):
        return self.source.count("\n") + (not self.source.endswith("\n") and self.source != "")

    def line(self, offset):
        return bisect.bisect_right(self._starts, offset)

    def has_comment(self, line):
        start = self._starts[line - 1] if 0 < line <= len(self._starts) else len(self.source)
        end = self._starts[line] if line < len(self._starts) else len(self.source)
        return self.comments[start:end].strip() != ""

    def functions(self):
        """(line, name, lines) of every function, initialiser, subscript and computed property with a body.

        Counted from the line of its keyword to the line of its closing brace; attributes are not counted.
        """
        for found in FUNCTION.finditer(self.code):
            start = self._body(found)
            if start is None:
                continue
            end = self._closing_brace(start)
            first = self.line(found.start())
            name = " ".join(re.split(r"[({\n]", self.code[found.start() : start], maxsplit=1)[0].rstrip(": ").split())
            yield first, name, self.line(end) - first + 1

    def _body(self, found):
        """Where the body's brace is, or None: a requirement of a protocol, a stored property."""
        is_property = found.group().startswith("var")
        depth = 0
        seen_parentheses = found.group() == "deinit" or is_property
        for token in TOKEN.finditer(self.code, found.end()):
            text = token.group()
            if text in "([":
                depth += 1
                seen_parentheses = True
            elif text in ")]":
                depth -= 1
            if depth < 0 or (depth == 0 and text == "}"):
                return None
            if depth > 0 or not seen_parentheses or text in "()[]":
                continue
            if text == "{":
                return token.start()
            if (is_property and text in "=\n") or text.isalpha():
                return None
        return None

    def _closing_brace(self, start):
        depth = 0
        for brace in re.finditer(r"[{}]", self.code[start:]):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                return start + brace.start()
        return len(self.code) - 1

    def _blank(self, start, end):
        for i in range(start, min(end, len(self.source))):
            if self.source[i] != "\n":
                self._code[i] = " "

    def _scan(self, position, inside_interpolation):
        """Walks code from `position`; returns where the text, or the interpolation's parenthesis, ends."""
        depth = 0
        while found := NEXT.search(self.source, position):
            token, start, position = found.group(), found.start(), found.end()
            if token == "//":
                position = self._comment(start, self._find("\n", start))
            elif token == "/*":
                position = self._comment(start, self._block_comment_end(position))
            elif token.endswith('"'):
                position = self._string(start, len(token) - 1)
            elif token.endswith("/"):
                position = self._regex(start, len(token) - 1)
            elif token == "(":
                depth += 1
            elif depth == 0 and inside_interpolation:
                return position
            else:
                depth -= 1
        return len(self.source)

    def _find(self, text, start):
        at = self.source.find(text, start)
        return len(self.source) if at < 0 else at

    def _comment(self, start, end):
        self._blank(start, end)
        self._comments[start:end] = self.source[start:end]
        return end

    def _block_comment_end(self, position):
        depth = 1
        for mark in re.finditer(r"/\*|\*/", self.source[position:]):
            depth += 1 if mark.group() == "/*" else -1
            if depth == 0:
                return position + mark.end()
        return len(self.source)

    def _string(self, start, hashes):
        quotes = start + hashes
        is_long = self.source.startswith('"""', quotes)
        quote = '"""' if is_long else '"'
        content = position = quotes + len(quote)
        escape = r"\\" + "#" * hashes + r"(\(|.)"
        ends = re.compile(re.escape(quote + "#" * hashes) + "|" + escape + ("" if is_long else r"|\n"), re.DOTALL)
        self._blank(start, content)
        while found := ends.search(self.source, position):
            self._blank(position, found.end())
            position = found.end()
            if found.group(1) == "(":
                position = self._scan(position, inside_interpolation=True)
                self._blank(position - 1, position)
            elif found.group(1) is None:
                self.strings.append((start, self.source[content : found.start()]))
                return position
        self._blank(position, len(self.source))
        return len(self.source)

    def _regex(self, start, hashes):
        opening = start + hashes + 1
        if hashes:
            end = self.source.find("/" + "#" * hashes, opening)
            end = end + 1 + hashes if end >= 0 else -1
        else:
            end = -1
            line_start = self.source.rfind("\n", 0, start) + 1
            if BEFORE_REGEX.search("".join(self._code[line_start:start])):
                closing = re.compile(r"(?![\s*/])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^\\/\n\[])+/").match(self.source, opening)
                end = closing.end() if closing else -1
        if end < 0:
            return opening
        self._blank(start, end)
        return end
