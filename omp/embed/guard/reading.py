"""What a text states, taken apart: words with their polarity, numbers, names, paths, values of slots, order.

A reading is made once a text; `guard` compares two. Words of both languages that mean the same have one key, so
readings can be compared across languages as far as the word list reaches.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from omp.embed.guard.lexicon import HAN, Lexicon, lexicon, stem
from omp.embed.guard.numbers import Quantity, quantities
from omp.model import Struct

FOCUS_WORDS = 2
"""Content words after an English negator that it is taken to deny; what stands further on is often circumstance."""
FOCUS_SIGNS = 6
"""Characters after a Chinese negator that it is taken to deny."""


class Token(Struct, frozen=True, kw_only=True):
    """One word (or pair of Chinese characters) that carries a subject."""

    key: str
    start: int
    clause: int
    denied: int = 0
    """How directly a negation denies it: 2 the nearest word, 1 one further on, 0 not at all."""
    shaded: bool = False
    """Elsewhere in a clause that holds a negation."""
    name: bool = False


class Reading(Struct, frozen=True, kw_only=True):
    """A text taken apart; see the module."""

    text: str
    chinese: bool
    tokens: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    paths: frozenset[str]
    slots: dict[str, frozenset[str]]
    negations: int
    exclusive: bool
    """Says that something holds for this one only."""
    line: tuple[str, ...]
    """All words and Chinese characters in order, the empty ones too."""
    roles: tuple[tuple[str, int, bool], ...]
    """Verbs with roles: key, place, whether the sides are turned around (`by`, 被)."""

    @property
    def words(self) -> frozenset[str]:
        """Keys of all tokens."""
        return frozenset(t.key for t in self.tokens)

    @property
    def names(self) -> frozenset[str]:
        """Keys of the tokens that are names."""
        return frozenset(t.key for t in self.tokens if t.name)

    @property
    def denied(self) -> dict[str, int]:
        """Keys a negation denies, with how directly."""
        found: dict[str, int] = {}
        for token in self.tokens:
            if token.denied:
                found[token.key] = max(token.denied, found.get(token.key, 0))
        return found

    @property
    def stated(self) -> frozenset[str]:
        """Keys that stand somewhere without any negation in their clause."""
        return frozenset(t.key for t in self.tokens if not t.denied and not t.shaded)


_FOLD = {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": " - "}
_SHORT = ((re.compile(r"\bcan't\b", re.I), "can not"), (re.compile(r"\bwon't\b", re.I), "will not"),
          (re.compile(r"\bcannot\b", re.I), "can not"), (re.compile(r"n't\b", re.I), " not"))  # fmt: skip
_FILE = "ya?ml|json|toml|py|tsx?|jsx?|md|txt|csv|cfg|ini|lock|sql|sh|go|rs|lua|xml|html|css|log|conf|env|service"
_LEX = re.compile(
    rf"""(?P<mark>\[redacted:[^\]]*\])
    | (?P<path>(?<![\w])(?:https?://[^\s{HAN}，。；]+
        |(?:~|\.{{1,2}})?/?[A-Za-z0-9_.@*-]*[A-Za-z_*@][A-Za-z0-9_.@*-]*(?:/[A-Za-z0-9_.@*-]+)+/?|[A-Za-z0-9_.-]+/(?![A-Za-z0-9_])|/[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*/?
        |[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:{_FILE})\b|(?<!\w)\.[a-z][a-z0-9_.]+))
    | (?P<latin>[A-Za-z_][A-Za-z0-9_+#]*(?:[.'-][A-Za-z0-9_+#]+)*)
    | (?P<han>[{HAN}]+)
    | (?P<number>\d[\d.,:]*)
    | (?P<stop>[.,;:!?。，；：！？、()（）]+)""",
    re.X | re.I,
)
_ABSENT = re.compile(r"没有|未经|没|除非|不经")
_DENIED = re.compile(r"不(?:许|能|得|准|可以|允许|可|会|要|予)|别|禁止")
_PREFER_TO = frozenset({"prefer"})
_PREFER_OVER = frozenset({"prefer", "favour", "favor", "chos", "choos", "chosen", "pick"})
_BRANCHES = frozenset({"main", "master", "develop"})
_BEFORE_BRANCH = frozenset({"from", "off", "to", "into", "on", "onto", "of", "in"})
_NOT_PATHS = frozenset({"and/or", "read/write", "on/off", "yes/no", "either/or", "he/she", "input/output", "ci/cd"})


def fold(text: str) -> str:
    """Bring a text to the form readings are made from: NFKC, plain quotes, short negations written out."""
    text = unicodedata.normalize("NFKC", text)
    for old, new in _FOLD.items():
        text = text.replace(old, new)
    for pattern, new in _SHORT:
        text = pattern.sub(new, text)
    return text


class _Piece(Struct, frozen=True, kw_only=True):
    """A lexical piece with its clause."""

    kind: str
    text: str
    start: int
    clause: int
    first: bool
    """First word of a sentence: a capital letter there says nothing."""


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    """Take a text apart. Texts come back often, so the last few thousand readings are kept."""
    words = lexicon()
    folded = fold(text)
    numbers = tuple(quantities(folded))
    pieces = _pieces(folded, numbers)
    han = sum(len(p.text) for p in pieces if p.kind == "han")
    chinese = 0 < han >= sum(p.kind == "latin" for p in pieces)
    latin = [p for p in pieces if p.kind == "latin"]
    stems = [stem(p.text) for p in latin]
    reach = _Reach(words, pieces, latin, stems)
    tokens = [*_latin_tokens(words, latin, stems, reach, chinese), *_han_tokens(words, pieces, reach)]
    tokens.sort(key=lambda t: t.start)
    return Reading(
        text=folded,
        chinese=chinese,
        tokens=tuple(tokens),
        quantities=numbers,
        paths=frozenset(p.text.casefold().strip("/").removeprefix("./") for p in pieces if p.kind == "path"),
        slots=_slots(words, pieces, stems, reach),
        negations=reach.count,
        exclusive=bool(_EXCLUSIVE.search(folded)),
        line=tuple(w for p in pieces for w in (p.text if p.kind == "han" else (stem(p.text),))),
        roles=tuple(_roles(words, pieces, latin, stems, folded)),
    )


def _pieces(text: str, numbers: tuple[Quantity, ...]) -> list[_Piece]:
    """Cut a text into lexical pieces, without the places where numbers stand."""
    pieces: list[_Piece] = []
    clause, first, at = 0, True, 0
    while match := _LEX.search(text, at):
        at = match.end()
        kind = match.lastgroup or ""
        body = match.group()
        number = next((q for q in numbers if q.start <= match.start() < q.end), None)
        if number is not None and kind != "path":
            at = max(number.end, match.start() + 1)
            continue
        if kind == "path":
            bare = body.casefold()
            if bare in _NOT_PATHS or re.fullmatch(r"[\d./]+", bare):
                continue
            body = body.rstrip(".")
            if "." not in body and "/" not in body.strip("/") and not body.startswith("/") and not body.endswith("/"):
                kind = "latin"
        if kind == "han":
            inner = next((q.start for q in numbers if match.start() < q.start < match.end()), match.end())
            body, at = body[: inner - match.start()], inner
        if kind == "stop":
            clause += 1
            first = first or any(c in ".!?。！？" for c in body)
            continue
        if kind in ("number", "mark"):
            continue
        pieces.append(_Piece(kind=kind, text=body, start=match.start(), clause=clause, first=first))
        first = False
    return pieces


class _Reach:
    """Which places of a text a negation denies."""

    def __init__(self, words: Lexicon, pieces: list[_Piece], latin: list[_Piece], stems: list[str]) -> None:
        self.denied_words: dict[int, int] = {}
        self.bounded: set[int] = set()
        self.skip_words: set[int] = set()
        self.denied_spans: list[tuple[int, int]] = []
        self.skip_spans: list[tuple[int, int]] = []
        self.shaded: set[int] = set()
        self.count = 0
        self._english(words, latin, stems)
        self._chinese(words, pieces)

    def _english(self, words: Lexicon, latin: list[_Piece], stems: list[str]) -> None:
        at = 0
        without: list[int] = []
        while at < len(stems):
            if at in self.skip_words:
                at += 1
                continue
            if back := self._turned_back(words, latin, stems, at):
                self.skip_words |= back
                self.bounded |= back
                at += 1
                continue
            if found := words.harmless.at(stems, at):
                self.skip_words |= set(range(at, at + found[0]))
                at += found[0]
            elif found := words.denials.at(stems, at):
                clause = latin[at].clause
                if before := [n for n in without if latin[n].clause == clause]:
                    # "merging without X is forbidden" demands X: two negations, one yes
                    self.denied_words = {n: w for n, w in self.denied_words.items() if n < before[0]}
                    self.count -= 1
                    self.skip_words |= set(range(at, at + found[0]))
                    at += found[0]
                    continue
                self.denied_words |= {n: 1 for n in range(at) if latin[n].clause == clause}
                self._note(clause, range(at, at + found[0]))
                at += found[0]
            elif found := words.contrast.at(stems, at) or self._preferred(latin, stems, at):
                self._focus(words, latin, stems, at + found[0])
                without.append(at)
                self.count += 1
                self.skip_words |= set(range(at, at + found[0]))
                at += found[0]
            elif found := words.negators.at(stems, at):
                self._focus(words, latin, stems, at + found[0])
                self._note(latin[at].clause, range(at, at + found[0]))
                at += found[0]
            else:
                at += 1

    @staticmethod
    def _turned_back(words: Lexicon, latin: list[_Piece], stems: list[str], at: int) -> set[int]:
        """Give the places of a double negation that begins here ("not merged without"), which says yes."""
        first = words.negators.at(stems, at)
        if first is None or words.contrast.at(stems, at) or words.harmless.at(stems, at):
            return set()
        for then in range(at + first[0] + 1, min(len(stems), at + 9)):
            if latin[then].clause > latin[at].clause:
                break
            if second := words.turning.at(stems, then):
                return {*range(at, at + first[0]), *range(then, then + second[0])}
        return set()

    @staticmethod
    def _preferred(latin: list[_Piece], stems: list[str], at: int) -> tuple[int, str] | None:
        """Read "prefer A over B" and "prefer A to B" as denying B."""
        if stems[at] not in ("over", "to") or latin[at].clause != latin[max(0, at - 1)].clause:
            return None
        before = {stems[n] for n in range(at) if latin[n].clause == latin[at].clause}
        liking = _PREFER_TO if stems[at] == "to" else _PREFER_OVER
        return (1, "not") if before & liking else None

    def _note(self, clause: int, places: range) -> None:
        self.count += 1
        self.shaded.add(clause)
        self.skip_words |= set(places)

    def _focus(self, words: Lexicon, latin: list[_Piece], stems: list[str], at: int) -> None:
        """Deny the next content words of the same clause."""
        left = FOCUS_WORDS
        start = latin[at - 1].clause
        while at < len(stems) and left and latin[at].clause == start and stems[at] != "but":
            if stems[at] not in words.empty_words or latin[at].text[:1].isupper():
                self.denied_words[at] = left
                left -= 1
            at += 1

    def _chinese(self, words: Lexicon, pieces: list[_Piece]) -> None:
        for place, piece in enumerate(pieces):
            if piece.kind != "han":
                continue
            harmless = [*words.harmless.within(piece.text), *self._doubled(piece, pieces, place)]
            self.skip_spans += [(piece.start + s, piece.start + e) for s, e, _ in harmless]
            for start, _end, _ in words.denials.within(piece.text):
                self._span(piece, 0, start)
                self.count += 1
                self.shaded.add(piece.clause)
            contrast = {s for s, _, _ in words.contrast.within(piece.text)}
            for start, end, _ in words.negators.within(piece.text):
                if any(s < end and start < e for s, e, _ in harmless):
                    continue
                self.count += 1
                if start not in contrast:
                    self.shaded.add(piece.clause)
                self.skip_spans.append((piece.start + start, piece.start + end))
                self._span(piece, end, min(end + FOCUS_SIGNS, len(piece.text)))
                if len(piece.text) - end < 3:
                    self._next_latin(pieces, place)

    def _doubled(self, piece: _Piece, pieces: list[_Piece], place: int) -> list[tuple[int, int, str]]:
        """Give the parts of 没有 ... 不 ... that stand in this run: a double negation, which says yes."""
        found = []
        if match := _ABSENT.search(piece.text):
            rest = piece.text[match.end() :] + "".join(p.text for p in pieces[place + 1 : place + 4] if p.kind == "han")
            if match.start() < 3 and _DENIED.search(rest):
                found.append((match.start(), match.end(), "yes"))
        before = "".join(p.text for p in pieces[max(0, place - 3) : place] if p.kind == "han")
        for denial in _DENIED.finditer(piece.text):
            if (m := _ABSENT.search(before + piece.text[: denial.start()])) and m.start() < 3:
                found.append((denial.start(), denial.end(), "yes"))
        return found

    def _span(self, piece: _Piece, start: int, end: int) -> None:
        relative = piece.text.find("的", start + 1, end)
        if start and 0 < relative < len(piece.text) - 1:
            end = relative  # 不追责的复盘: the negation stays inside what 的 closes
        self.denied_spans.append((piece.start + start, piece.start + end))

    def _next_latin(self, pieces: list[_Piece], place: int) -> None:
        """Deny the Latin word (or path) that follows a negator at the end of a run of Chinese: 不要 Redux."""
        if place + 1 < len(pieces) and pieces[place + 1].clause == pieces[place].clause:
            after = pieces[place + 1]
            self.denied_spans.append((after.start, after.start + len(after.text)))

    def denies(self, start: int) -> int:
        """Give how directly the character at this place is denied, as in `Token.denied`."""
        return max((2 if start - s < 3 else 1 for s, e in self.denied_spans if s <= start < e), default=0)

    def skips(self, start: int) -> bool:
        return any(s <= start < e for s, e in self.skip_spans)


def _latin_tokens(words: Lexicon, latin: list[_Piece], stems: list[str], reach: _Reach, chinese: bool) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(latin):
        piece, size = latin[at], 1
        found = words.equals.at(stems, at)
        lower = piece.text.casefold().removesuffix("'s")
        name = _name(words, latin, at, chinese)
        if name:
            key = name
        elif found:
            size, key = found
        else:
            key = words.latin_equals.get(lower, stems[at]) if chinese else stems[at]
        places = range(at, at + size)
        if not (all(n in reach.skip_words for n in places) or (size == 1 and not name and key in words.empty_words)):
            tokens.append(
                Token(
                    key=key,
                    start=piece.start,
                    clause=piece.clause,
                    denied=max(*(reach.denied_words.get(n, 0) for n in places), reach.denies(piece.start)),
                    shaded=piece.clause in reach.shaded,
                    name=bool(name),
                )
            )
        at += size
    return tokens


def _name(words: Lexicon, latin: list[_Piece], at: int, chinese: bool) -> str:
    """Give the key of a name, or "" for an ordinary word."""
    piece = latin[at]
    text = piece.text.removesuffix("'s")
    lower = text.casefold()
    if lower in words.not_names or lower.removesuffix("s") in words.not_names:
        return ""
    known = words.names.get(lower, "")
    if known in _BRANCHES and not chinese:
        before = latin[at - 1].text.casefold() if at else ""
        after = latin[at + 1].text.casefold() if at + 1 < len(latin) else ""
        return str(known) if before in _BEFORE_BRANCH or after == "branch" else ""
    inner = any(c.isupper() for c in text[1:]) or (any(c.isdigit() for c in text)) or "_" in text
    capital = text[0].isupper() and not piece.first
    if known and (lower not in words.everyday or chinese or capital or (piece.first and text[0].isupper())):
        return str(known)
    if piece.first and text[0].isupper() and at + 1 < len(latin) and stem(text) not in words.empty_words:
        stems_after = [stem(p.text) for p in latin[at + 1 : at + 4] if p.clause == piece.clause]
        if stems_after and words.doers.at(stems_after, 0):
            return lower
    if inner and not text.casefold().startswith("v1"):
        return str(known or lower)
    if chinese and words.latin_equals.get(lower) is None and lower not in words.empty_words:
        return lower
    return lower if capital and stem(text) not in words.empty_words else ""


def _han_tokens(words: Lexicon, pieces: list[_Piece], reach: _Reach) -> list[Token]:
    """Give the words of the list found in Chinese runs, and pairs of neighbouring characters for the rest."""
    tokens: list[Token] = []
    for piece in pieces:
        if piece.kind != "han":
            continue
        taken = [False] * len(piece.text)
        spans: list[tuple[int, str]] = []
        doer = words.chinese_doer.search(piece.text)
        who = doer.span(doer.lastgroup or 0) if doer else (0, 0)
        for start, end, key in words.equals.within(piece.text):
            if not any(reach.skips(piece.start + n) for n in range(start, end)):
                spans.append((start, key))
                taken[start:end] = [True] * (end - start)
        if doer and not any(taken[who[0] : who[1]]):
            taken[who[0] : who[1]] = [True] * (who[1] - who[0])
            named = Token(key=piece.text[who[0] : who[1]], start=piece.start + who[0], clause=piece.clause, name=True)
            tokens.append(named)
        free = [
            not taken[n] and sign not in words.empty_signs and not reach.skips(piece.start + n)
            for n, sign in enumerate(piece.text)
        ]
        for n in range(len(piece.text)):
            if free[n] and n + 1 < len(free) and free[n + 1]:
                spans.append((n, piece.text[n : n + 2]))
            elif free[n] and not (n and free[n - 1]):
                spans.append((n, piece.text[n]))
        tokens += [
            Token(
                key=key,
                start=piece.start + start,
                clause=piece.clause,
                denied=reach.denies(piece.start + start),
                shaded=piece.clause in reach.shaded,
            )
            for start, key in spans
        ]
    return tokens


def _slots(words: Lexicon, pieces: list[_Piece], stems: list[str], reach: _Reach) -> dict[str, frozenset[str]]:
    """Give the values a text names for each slot; a negation turns slots of two values around."""
    found: dict[str, frozenset[str]] = {}
    runs = [p for p in pieces if p.kind == "han"]
    for name, phrases in words.slots.items():
        values: set[str] = set()
        flip = words.flips.get(name)
        at = 0
        while at < len(stems):
            hit = phrases.at(stems, at)
            if hit:
                turned = at in reach.denied_words or (name == "bound" and at in reach.bounded)
                values.add(_turn(hit[1], flip, turned))
                at += hit[0]
            else:
                at += 1
        for run in runs:
            for start, _, value in phrases.within(run.text):
                values.add(_turn(value, flip, reach.denies(run.start + start) > 0))
        if name == "modality":
            values = {_MODALITY_DENIED.get(v, v) for v in values}
        if name == "modality" and _ONLY.search(" ".join(p.text for p in pieces)):
            # "only X may" binds like "must": it says what the others may not.
            values = {"must" if v == "may" else v for v in values}
        if values:
            found[name] = frozenset(values)
    return found


_MODALITY_DENIED = {"not may": "forbid", "not must": "may", "not forbid": "may"}
_EXCLUSIVE = re.compile(
    r"\bonly\b(?!\s+(?:be\s+)?(?:\w+\s+)?(?:once|if|when|after|through|via|by|before|at|in|one|\d))|只(?!要|是)|仅(?!仅)",
    re.I,
)
_ONLY = re.compile(r"\bonly\b|只|仅", re.I)


def _turn(value: str, flip: tuple[str, ...] | None, denied: bool) -> str:
    if not denied:
        return value
    if flip is None:
        return f"not {value}"
    return flip[1] if value == flip[0] else flip[0]


def _roles(
    words: Lexicon, pieces: list[_Piece], latin: list[_Piece], stems: list[str], text: str
) -> list[tuple[str, int, bool]]:
    """Give verbs whose sides have roles: key, place in the text, whether the sides are turned around."""
    found: list[tuple[str, int, bool]] = []
    at = 0
    while at < len(stems):
        hit = words.roles.at(stems, at)
        if hit and at:
            after = stems[at + hit[0]] if at + hit[0] < len(stems) else ""
            if after not in ("is", "are", "was", "were"):  # "the team lead is Ann": a noun
                found.append((hit[1], latin[at].start, after == "by"))
        at += hit[0] if hit else 1
    for piece in pieces:
        if piece.kind == "han" and "是" not in piece.text:
            for start, _, key in words.roles.within(piece.text):
                found.append((key, piece.start + start, "被" in text or "由" in text))
    return found
