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
from omp.embed.guard.reach import Piece, Reach
from omp.model import Struct


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
    reach = Reach(words, pieces, latin, stems)
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


def _pieces(text: str, numbers: tuple[Quantity, ...]) -> list[Piece]:
    """Cut a text into lexical pieces, without the places where numbers stand."""
    pieces: list[Piece] = []
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
        pieces.append(Piece(kind=kind, text=body, start=match.start(), clause=clause, first=first))
        first = False
    return pieces


def _latin_tokens(words: Lexicon, latin: list[Piece], stems: list[str], reach: Reach, chinese: bool) -> list[Token]:
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


def _name(words: Lexicon, latin: list[Piece], at: int, chinese: bool) -> str:
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


def _han_tokens(words: Lexicon, pieces: list[Piece], reach: Reach) -> list[Token]:
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


def _slots(words: Lexicon, pieces: list[Piece], stems: list[str], reach: Reach) -> dict[str, frozenset[str]]:
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
    words: Lexicon, pieces: list[Piece], latin: list[Piece], stems: list[str], text: str
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
