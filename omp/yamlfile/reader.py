"""A strict, fast reader that keeps what other readers drop: positions, quotes, and the text of plain scalars.

`3.10` where a string is due is `3.10`, never 3.1, because resolving is left to the one who knows the type. Most lines
are `key: value` with a simple value and cost one regular expression; `values.py` reads the rest, and `fallback.py`
(ruamel.yaml's composer) the few shapes unknown here. Every step is linear in the size of the file and builds nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from omp.errors import BrokenFile
from omp.model import Problem
from omp.yamlfile.dialect import DEPTH_LIMIT, REPORT_LIMIT, is_clean
from omp.yamlfile.nodes import REST, BadText, Document, Node, UnknownShape, is_marker, next_line, twice

__all__ = ["Document", "Node", "load"]

_ROW = re.compile(r"([A-Za-z_][\w.-]*+):(?=[ \r\n]|\Z)")
_SIMPLE_ROW = re.compile(r"([A-Za-z_][\w.-]*+): (?:([^\W_][^\n\r\t:#]*+)|'([^'\n\r]*+)')(?<! )\n( *+)(?![\s#]|\Z)")
"""A simple key with a value that is seen whole on its line, and the indentation of a next line with content."""
_WORDS = re.compile(r"\[([^\W_][\w./-]*+(?:, [^\W_][\w./-]*+)*+)?\](?=[ \r\n]|\Z)")
"""A list of plain words as omp writes it."""
_NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
"""No content up to the end of the line (a comment here stands at the start of a line or behind a blank)."""
_DASH_ENDS = frozenset(("", " ", "\n", "\r"))


def load(data: bytes, path: str = "") -> Document:
    """Read a file of the dialect. Raises BrokenFile with all problems the pre-scan and the reader found."""
    problems = [] if is_clean(data) else _scan(data, path)
    if problems:
        raise _broken(path, problems)
    text = data.decode("utf-8")
    reader = _Reader(text)
    try:
        root = _read(reader, data, path)
    except BadText as bad:
        reader.problems.append(bad)
        root = Node("map", {}, 0, 0, 1, 1, at={})
    if reader.problems:
        # The pre-scan names what is outside the dialect, all of it; the reader's own findings complete it.
        found = _scan(data, path)
        lines = {p.line for p in found}
        found += [
            p for p in (_problem(text, path, bad) for bad in reader.problems[:REPORT_LIMIT]) if p.line not in lines
        ]
        raise _broken(path, sorted(found, key=lambda p: (p.line, p.column))[:REPORT_LIMIT])
    return Document(data, text, root, path)


def _scan(data: bytes, path: str) -> list[Problem]:
    from omp.yamlfile.prescan import scan

    return scan(data, path)


def _read(reader: _Reader, data: bytes, path: str) -> Node:
    try:
        return reader.document()
    except UnknownShape:
        if problems := _scan(data, path):
            raise _broken(path, problems) from None
        from omp.yamlfile.fallback import compose

        return compose(reader.text, reader.problems)


def _broken(path: str, problems: list[Problem]) -> BrokenFile:
    return BrokenFile(f"{path or 'the text'} cannot be read", tuple(problems))


def _problem(text: str, path: str, bad: BadText) -> Problem:
    line = text.count("\n", 0, bad.at) + 1
    column = bad.at - text.rfind("\n", 0, bad.at)
    return Problem(path=path, line=line, column=column, code=bad.code, message=bad.message, hint=bad.hint)


class _Reader:
    """Walks the lines once. `at` is the next content, `indent` its column (-1 at the end), `number` its line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[BadText] = []
        self.at = self.indent = 0
        self.number = 1
        self.started = self.ended = False
        self._starts: list[int] = []

    def where(self, at: int) -> tuple[int, int]:
        """Line and column of an offset, by search: for values that go over several lines."""
        if not self._starts:
            self._starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        number = bisect_right(self._starts, at)
        return number, at - self._starts[number - 1] + 1

    def bad(self, message: str, hint: str, code: str = "syntax") -> BadText:
        """The finding that what stands at `at` cannot be read."""
        return BadText(self.at, code, message, hint)

    def to_line(self, start: int) -> None:
        """Go on at the line that starts at `start`: blank lines, comments and document markers are passed over."""
        text, size = self.text, len(self.text)
        self.number += text.count("\n", self.at, start)
        while start < size:
            i = start
            while text.startswith(" ", i):
                i += 1
            if not (_NOTHING.match(text, i) or (i == start and text[i] in "-." and self._is_marker(i))):
                self.at, self.indent = i, i - start
                if self.ended:
                    raise self.bad("a second document starts here", "keep one per file", "several-documents")
                return
            end = text.find("\n", i)
            start = size if end < 0 else end + 1
            self.number += end >= 0
        self.at, self.indent = size, -1

    def _is_marker(self, at: int) -> bool:
        """Whether a document marker stands here: a start before everything else, or an end."""
        if not is_marker(self.text, at):
            return False
        if _NOTHING.match(self.text, at + 3) is None:
            raise UnknownShape
        if self.ended or (self.text[at] == "-" and self.started):
            raise BadText(at, "several-documents", "a second document starts here", "keep one per file")
        self.started = True
        self.ended = self.text[at] == "."
        return True

    def document(self) -> Node:
        """Read the whole text."""
        self.to_line(0)
        if self.indent < 0:
            return Node("map", {}, 0, 0, 1, 1, at={})
        self.started = True
        node = self.block(-1, 1)
        if self.indent >= 0:
            raise self.bad("this line does not fit the structure above it", "check its indentation")
        return node

    def is_dash(self) -> bool:
        """Whether an item of a list starts here."""
        return self.text.startswith("-", self.at) and self.text[self.at + 1 : self.at + 2] in _DASH_ENDS

    def block(self, parent: int, depth: int) -> Node:
        """Read what stands at `at`, inside a collection whose indent is `parent`."""
        if depth > DEPTH_LIMIT:
            raise self.bad(f"nested deeper than {DEPTH_LIMIT}", "flatten it", "too-deep")
        text, at = self.text, self.at
        if self.is_dash():
            return self.sequence(depth)
        if text[at] == "\t":
            raise self.bad("a tab in the indentation", "indent with blanks", "tab")
        if text[at] == "?" and text[at + 1 : at + 2] in _DASH_ENDS:
            raise UnknownShape
        if _ROW.match(text, at):
            return self.mapping(depth)
        from omp.yamlfile import values  # most files of ours get by without its patterns

        if values.KEY.match(text, at):
            return self.mapping(depth)
        return self.value(at, parent, depth)

    def sequence(self, depth: int) -> Node:
        """Read a list whose first dash stands at `at`."""
        text, indent, start, number = self.text, self.indent, self.at, self.number
        items: list[Node] = []
        dashes: list[int] = []
        while True:
            at = self.at
            dashes.append(at)
            inner = at + 1
            while text.startswith(" ", inner):
                inner += 1
            if _NOTHING.match(text, inner):
                line = self.number
                self.to_line(next_line(text, inner))
                if self.indent > indent:
                    node = self.block(indent, depth + 1)
                else:
                    node = Node("scalar", "", at + 1, at + 1, line, indent + 2, plain=True)
            else:
                self.at, self.indent = inner, indent + inner - at
                node = self.block(indent, depth + 1)
            items.append(node)
            if self.indent != indent or not self.is_dash():
                if self.indent > indent:
                    raise self.bad("this line is indented deeper than its list", "check its indentation")
                return Node("seq", items, start, node.end, number, indent + 1, at=dashes)

    def mapping(self, depth: int) -> Node:
        """Read a map whose first key stands at `at`."""
        indent, start, number = self.indent, self.at, self.number
        pairs: dict[str, Node] = {}
        keys: dict[str, int] = {}
        while True:
            self.rows(pairs, keys, indent)
            if self.indent == indent and not self.is_dash():
                self.row(pairs, keys, indent, depth)
                if self.indent == indent and not self.is_dash():
                    continue
            if self.indent > indent:
                raise self.bad("this line is indented deeper than its map", "check its indentation")
            end = pairs[next(reversed(pairs))].end
            return Node("map", pairs, start, end, number, indent + 1, False, False, keys)

    def rows(self, pairs: dict[str, Node], keys: dict[str, int], indent: int) -> None:
        """Read as many rows of a map as are simple and are followed by a line that does not go deeper."""
        text, at, number, match = self.text, self.at, self.number, _SIMPLE_ROW.match
        before = 1 + indent
        deeper = indent
        while (found := match(text, at)) is not None:
            key, plain, single, spaces = found.groups()
            deeper = len(spaces)
            if deeper > indent or key in pairs:
                return  # goes on in the next line, or stands there twice: `row` sees to it
            if plain is not None:
                start = found.start(2)
                pairs[key] = Node("scalar", plain, start, start + len(plain), number, start - at + before, True)
            else:
                start = found.start(3) - 1
                pairs[key] = Node("scalar", single, start, found.end(3) + 1, number, start - at + before)
            keys[key] = at
            self.at = at = found.end()
            self.number = number = number + 1
            self.indent = deeper
            if deeper < indent or text[at] == "-":
                return

    def row(self, pairs: dict[str, Node], keys: dict[str, int], indent: int, depth: int) -> None:
        """Read one row of a map, whatever it holds."""
        at, text = self.at, self.text
        if text[at] == "?" and text[at + 1 : at + 2] in _DASH_ENDS:
            raise UnknownShape
        found = _ROW.match(text, at)
        key, behind = (found[1], found.end()) if found is not None else self.hard_key()
        if key in pairs:
            self.problems.append(twice(at, key, self.where(keys[key])[0]))
        keys[key] = at
        pairs[key] = self.behind_key(behind, indent, depth)

    def hard_key(self) -> tuple[str, int]:
        """Read a key with quotes or signs: its text, and the place behind its colon."""
        from omp.yamlfile import values

        found = values.KEY.match(self.text, self.at)
        if found is None:
            raise self.bad("expected `key: value` here", "check indentation, colons and quotes")
        key = values.key_text(found)
        if key == "<<" and found[3]:
            self.problems.append(self.bad("a merge key", "write the fields themselves", "merge-key"))
        return key, found.end()

    def behind_key(self, at: int, indent: int, depth: int) -> Node:
        """Read the value of a key: on its line, below it, or nothing."""
        text = self.text
        rest = REST.match(text, at)
        if rest is None:
            value = at
            while text[value] in " \t":
                value += 1
            return self.value(value, indent, depth)
        line, column = self.number, at - self.at + self.indent + 1
        self.to_line(rest.end())
        if self.indent > indent or (self.indent == indent and self.is_dash()):
            return self.block(indent if self.indent > indent else indent - 1, depth + 1)
        return Node("scalar", "", at, at, line, column, plain=True)

    def words(self, at: int, line: int, column: int) -> Node | None:
        """Read `[some, plain words]`; None for any other list or map."""
        found = _WORDS.match(self.text, at)
        if found is None:
            return None
        items: list[Node] = []
        place = at + 1
        for part in found[1].split(", ") if found[1] else ():
            items.append(Node("scalar", part, place, place + len(part), line, column + place - at, True))
            place += len(part) + 2
        return Node("seq", items, at, found.end(), line, column, False, True)

    def value(self, at: int, indent: int, depth: int) -> Node:
        """Read a value that starts on this line; its further lines are indented deeper than `indent`."""
        text, c = self.text, self.text[at]
        line, column = self.number, at - self.at + self.indent + 1
        plain = False
        if c == "[" and (words := self.words(at, line, column)) is not None:
            self.to_line(next_line(text, words.end))
            return words
        from omp.yamlfile import values

        if c in "|>":
            value, end, after = values.literal(text, at, indent)
        elif c in "'\"":
            value, end = values.quoted(text, at, indent)
            after = next_line(text, end)
        elif c in "[{":
            node = values.Flow(text, self.where, self.problems, indent).read(at, depth)
            self.to_line(next_line(text, node.end))
            return node
        else:
            value, end, after = values.plain(text, at, indent)
            plain = True
        self.to_line(after)
        return Node("scalar", value, at, end, line, column, plain)
