"""How far a negation reaches: which words it denies, which stand beside it, and which only look like one."""

from __future__ import annotations

import re

from omp.embed.guard.lexicon import Lexicon
from omp.model import Struct

FOCUS_WORDS = 2
"""Content words after an English negator that it is taken to deny; what stands further on is often circumstance."""
FOCUS_SIGNS = 6
"""Characters after a Chinese negator that it is taken to deny."""
_ABSENT = re.compile(r"没有|未经|没|除非|不经")
_DENIED = re.compile(r"不(?:许|能|得|准|可以|允许|可|会|要|予)|别|禁止")
_PREFER_TO = frozenset({"prefer"})
_PREFER_OVER = frozenset({"prefer", "favour", "favor", "chos", "choos", "chosen", "pick"})


class Piece(Struct, frozen=True, kw_only=True):
    """A lexical piece with its clause."""

    kind: str
    text: str
    start: int
    clause: int
    first: bool
    """First word of a sentence: a capital letter there says nothing."""


class Reach:
    """Which places of a text a negation denies."""

    def __init__(self, words: Lexicon, pieces: list[Piece], latin: list[Piece], stems: list[str]) -> None:
        self.denied_words: dict[int, int] = {}
        self.bounded: set[int] = set()
        self.skip_words: set[int] = set()
        self.denied_spans: list[tuple[int, int]] = []
        self.skip_spans: list[tuple[int, int]] = []
        self.shaded: set[int] = set()
        self.count = 0
        self._english(words, latin, stems)
        self._chinese(words, pieces)

    def _english(self, words: Lexicon, latin: list[Piece], stems: list[str]) -> None:
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
    def _turned_back(words: Lexicon, latin: list[Piece], stems: list[str], at: int) -> set[int]:
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
    def _preferred(latin: list[Piece], stems: list[str], at: int) -> tuple[int, str] | None:
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

    def _focus(self, words: Lexicon, latin: list[Piece], stems: list[str], at: int) -> None:
        """Deny the next content words of the same clause."""
        left = FOCUS_WORDS
        start = latin[at - 1].clause
        while at < len(stems) and left and latin[at].clause == start and stems[at] != "but":
            if stems[at] not in words.empty_words or latin[at].text[:1].isupper():
                self.denied_words[at] = left
                left -= 1
            at += 1

    def _chinese(self, words: Lexicon, pieces: list[Piece]) -> None:
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

    def _doubled(self, piece: Piece, pieces: list[Piece], place: int) -> list[tuple[int, int, str]]:
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

    def _span(self, piece: Piece, start: int, end: int) -> None:
        relative = piece.text.find("的", start + 1, end)
        if start and 0 < relative < len(piece.text) - 1:
            end = relative  # 不追责的复盘: the negation stays inside what 的 closes
        self.denied_spans.append((piece.start + start, piece.start + end))

    def _next_latin(self, pieces: list[Piece], place: int) -> None:
        """Deny the Latin word (or path) that follows a negator at the end of a run of Chinese: 不要 Redux."""
        if place + 1 < len(pieces) and pieces[place + 1].clause == pieces[place].clause:
            after = pieces[place + 1]
            self.denied_spans.append((after.start, after.start + len(after.text)))

    def denies(self, start: int) -> int:
        """Give how directly the character at this place is denied, as in `Token.denied`."""
        return max((2 if start - s < 3 else 1 for s, e in self.denied_spans if s <= start < e), default=0)

    def skips(self, start: int) -> bool:
        return any(s <= start < e for s, e in self.skip_spans)
