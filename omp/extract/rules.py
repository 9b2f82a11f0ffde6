"""The default extractor: candidates from a whole session by rules and discourse, offline and deterministic.

A pass over the user's own messages. Each sentence is read through the rules; what a message does in the talk
(approve, confirm, answer, take back, ask to keep or to forget) decides whose words become the claim. Later statements
then settle earlier ones: of a choice that was changed only the final form is left.

Longer than other modules because one pass owns one state: every act of a message (reply, statement, taking back, wish)
reads and changes the same list of what was found so far.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from omp import identity
from omp.extract import discourse, fields, settle, shapes, statements
from omp.extract import text as words
from omp.extract.discourse import Proposal, Turn
from omp.extract.evidence import cite
from omp.extract.reading import Reading, boosted, leaning, read
from omp.extract.salience import salience
from omp.extract.text import Sentence
from omp.model import Candidate, CleanEvent, Evidence, Session, Struct
from omp.rules import Rules

CONFIRMED = 0.4
"""Strength from which an assistant's sentence is a lesson once the person has confirmed it."""
SHORT_REPLY = 90
"""Width up to which a message can be a mere approval; what is longer speaks for itself."""
RETRACT_TURNS = 4
"""Turns of the person within which something can be taken back by naming it again."""
WITNESSED_LESSON = frozenset({"lesson.cause", "lesson.cure"})
"""An assistant's sentence must name both cause and cure to be a lesson without the person's word."""
UNMARKED_LIMIT, UNMARKED_LINES = 320, 2
"""Characters and lines of a message up to which its build alone can speak for it; longer ones are briefs or pastes."""
CHOSEN = 0.62
"""Strength as a decision of an answer that picks one of the options just named."""
ASKED_BOOST = 0.25
"""Share of the missing strength that a statement gains as answer to a question or proposal of the assistant."""


_BARE_WISH = re.compile(
    r"(?:please |pls |oh |and )*(?:remember|note|save|keep) (?:this|that|it)(?: one)?(?: please)?[\s.!:,]*"
    r"|(?:请|帮我|给我)?(?:记住|记一下|记下来|记好|牢记)(?:这个|这点|这条|这件事|吧|了)?[\s。！：，,.!]*"
    r"|/extract-memory",
    re.IGNORECASE,
)
"""A wish to remember that names nothing itself: it speaks of the next sentence, else of what was said before."""
_OTHERS = re.compile(r"\s*(?:they|he|she)\b|\s*(?:他们?|她们?)", re.IGNORECASE)


_DENIES = re.compile(
    r"\s*(?:no|nope|nah|same|still|wrong|not (?:it|that))\b|\s*(?:不是|不对|没用|还是|一样|没有)", re.IGNORECASE
)
_SPEAKS_OF_TALK = frozenset({"talk.retract", "talk.silence", "talk.forget", "talk.roleplay"})
"""What a message may do in the talk that leaves nothing to stage."""


class Said(Struct, frozen=True, kw_only=True):
    """A candidate and the number of the user turn it was made in."""

    candidate: Candidate
    turn: int


def candidates(session: Session, rules: Rules, *, max_per_session: int = 0) -> list[Candidate]:
    """Give everything in the session that might be worth keeping; what must not be kept carries `drop`, the reason.

    Pure and deterministic; run anew over the whole session each time. At most `max_per_session` (0: the default of
    the rules) come without `drop`, the most valuable ones. Scope is left to `classify`.
    """
    if session.machine:
        return []
    found = _Pass(session, rules).run()
    settled = settle.settle([(s.candidate, s.turn) for s in found], rules)
    return settle.limit(settled, max_per_session or int(rules.thresholds["max_per_session"]))


class _Pass:
    """One reading of a session, in order."""

    def __init__(self, session: Session, rules: Rules) -> None:
        self.session, self.rules = session, rules
        self.claim_limit = int(rules.thresholds["claim_characters"])
        self.quote_limit = int(rules.thresholds["quote_characters"])
        self.found: list[Said] = []
        self.turn_number = 0
        self.play = False
        self.others_talk = False
        self.previous = ""
        self.explained = False

    def run(self) -> list[Said]:
        spoken: list[CleanEvent] = []
        tools: list[CleanEvent] = []
        for event in self.session.events:
            if event.role == "assistant" and event.voice != "injected":
                spoken.append(event)
            elif event.role == "tool":
                tools.append(event)
            elif event.role == "user" and event.voice == "person" and event.text.strip():
                self.turn_number += 1
                if self._message(event, Turn(events=tuple(spoken), tools=tuple(tools))):
                    return [replace(s, candidate=replace(s.candidate, drop="off the record")) for s in self.found]
                spoken, tools = [], []
        return self.found

    def _message(self, event: CleanEvent, turn: Turn) -> bool:
        """Read one message of the person; True when it silences the session."""
        view = words.own_words(words.plain(event.text))
        acts = discourse.acts(view, self.rules)
        if "talk.silence" in acts:
            self._statements(event, view, turn, acts)
            return True
        self.play = self.play or "talk.roleplay" in acts
        reported = any(r.id == "trivial.reported" and r.search(view) is not None for r in self.rules.trivial)
        if self.others_talk and _OTHERS.match(view):
            return False
        self.others_talk = reported
        before = len(self.found)
        self.explained = False
        if "talk.retract" in acts:
            self._take_back(view)
        if not self._reply(event, view, turn, acts):
            self._statements(event, view, turn, acts)
        self.previous = view
        if "talk.retract" not in acts and not _DENIES.match(view):
            self._witnessed(turn, before)
        if len(self.found) == before and not self.explained and not acts & _SPEAKS_OF_TALK:
            self._unmarked(event, view, turn)
        fresh = range(before, len(self.found))
        if "talk.forget" in acts:
            self._drop(fresh, "not to be remembered")
            if words.width(view) < 40:
                self._drop_recent("not to be remembered", 1)
        elif "talk.remember" in acts and not any(self.found[n].candidate.asked for n in fresh):
            self._ask(fresh)
        if self.play:
            self._drop((n for n in fresh if not self.found[n].candidate.asked), "role play")
        return False

    # -- replies to the assistant --

    def _reply(self, event: CleanEvent, view: str, turn: Turn, acts: frozenset[str]) -> bool:
        """Handle a message that takes its content from the assistant's turn; False when it speaks for itself."""
        if not turn.events:
            return False
        if acts & {"talk.confirm", "talk.approval"} and self._confirmed_lesson(event, view, turn):
            return words.width(view) <= SHORT_REPLY
        if acts & {"talk.confirm", "talk.live"} and "://" not in view and self._confirmed_address(event, view, turn):
            return words.width(view) <= SHORT_REPLY
        if words.width(view) > SHORT_REPLY or "talk.retract" in acts or "?" in view or "？" in view:
            return False
        if words.width(view) <= 24:
            answer = discourse.answered(turn, view)
            if answer is not None:
                self._add_proposal(event, answer, "talk.answer", "")
                return True
        if "talk.approval" not in acts:
            return False
        offer = discourse.proposed(turn, view, self.rules)
        if offer is None:
            return False
        self._add_proposal(event, offer, "talk.approval", _remainder(view, offer.text))
        return True

    def _add_proposal(self, event: CleanEvent, offer: Proposal, rule: str, extra: str) -> None:
        claim = words.trim(offer.text, self.claim_limit)
        if extra and len(claim) + len(extra) + 2 <= self.claim_limit:
            claim = f"{claim}；{extra}" if words.chinese(claim) else f"{claim}; {extra}"
        quote = " ".join(event.text.split())
        self._add(
            Candidate(
                kind="decision",
                claim=claim,
                evidence=(
                    cite(self.session, offer.event, offer.quote, self.quote_limit),
                    cite(self.session, event, quote, self.quote_limit),
                ),
                confidence=0.85,
                rules=(rule,),
                choice=claim,
                alternatives=offer.others,
            )
        )

    def _confirmed_lesson(self, event: CleanEvent, view: str, turn: Turn) -> bool:
        for message in reversed(turn.events):
            said = words.sentences(message.text)
            readings = [read(words.plain(s.text), self.rules) for s in said]
            causes = [
                n
                for n, r in enumerate(readings)
                if r.raw.get("lesson", 0.0) >= CONFIRMED and "trivial.hedge" not in r.flags
            ]
            if not causes:
                continue
            whole = discourse.statement(said[causes[0] :], self.claim_limit)
            own = read(view, self.rules)
            if "talk.confirm" not in discourse.acts(view, self.rules) and own.raw.get("lesson", 0.0) < statements.LEAST:
                return False
            extra = words.trim(view, 160)
            quote = max((said[n] for n in causes), key=lambda s: words.width(s.text)).text
            self._add(
                Candidate(
                    kind="lesson",
                    claim=words.trim(whole, self.claim_limit),
                    rationale=extra if words.width(extra) > 24 else "",
                    evidence=(
                        cite(self.session, message, quote, self.quote_limit),
                        self._quote(event, event.text),
                    ),
                    confidence=0.85,
                    rules=("talk.confirm", *sorted(readings[causes[0]].hits)),
                    root_cause=quote,
                )
            )
            return True
        return False

    def _confirmed_address(self, event: CleanEvent, view: str, turn: Turn) -> bool:
        for message in reversed(turn.events):
            for s in words.sentences(message.text):
                reading = read(words.plain(s.text), self.rules)
                if reading.strength.get("deployment", 0.0) >= 0.8:
                    if "trivial.thanks" in read(view, self.rules).flags or words.width(view) < 10:
                        return False
                    self._add(
                        fields.filled(
                            Candidate(
                                kind="deployment",
                                claim=words.trim(s.text, self.claim_limit),
                                evidence=(
                                    cite(self.session, message, s.text, self.quote_limit),
                                    self._quote(event, event.text),
                                ),
                                confidence=0.8,
                                rules=("talk.confirm", *sorted(reading.hits)),
                            )
                        )
                    )
                    return True
        return False

    # -- the person's own statements --

    def _statements(self, event: CleanEvent, view: str, turn: Turn, acts: frozenset[str]) -> None:
        said = [s for s in words.sentences(event.text) if view[s.start : s.end].strip()]
        said = statements.own_part(said, len(event.text))
        if shapes.foreign(view) and "talk.remember" not in acts:
            return
        if self._late_reason(event, said):
            return
        readings = [
            read(words.unglued(words.unfilled(view[s.start : s.end].strip())) or s.text, self.rules) for s in said
        ]
        if discourse.chosen(turn, self.previous, view) and said and readings and not readings[0].flags:
            readings[0] = leaning(readings[0], "decision", CHOSEN)
        if self._invited(turn):
            readings = [
                boosted(r, ASKED_BOOST) if words.width(s.text) >= 20 else r for s, r in zip(said, readings, strict=True)
            ]
        asked = [bool("talk.remember" in discourse.acts(view[s.start : s.end], self.rules)) for s in said]
        hidden = shapes.secret_sentences(said)
        back = "talk.retract" in acts
        for group in _with_asked(statements.groups(said, readings, self.rules), said, asked):
            group = [n for n in group if n not in hidden]
            if not group or (
                back and self._only_takes_back(view, [said[n] for n in group], [readings[n] for n in group])
            ):
                continue
            self._statement(event, [said[n] for n in group], [readings[n] for n in group], any(asked[n] for n in group))

    def _statement(self, event: CleanEvent, group: list[Sentence], readings: list[Reading], asked: bool) -> None:
        made = statements.made(group, readings, asked, self.rules)
        if made is None:
            return
        candidate, core = made
        if candidate.kind == "decision":
            turned_down = [fields.rejected(s.text) for s in words.sentences(event.text)]
            others = tuple(dict.fromkeys(filter(None, (*candidate.alternatives, *turned_down))))
            candidate = replace(candidate, alternatives=others)
        self._add(replace(candidate, evidence=(self._quote(event, core.text),)))

    def _witnessed(self, turn: Turn, before: int) -> None:
        """Stage what the assistant found and a tool result shows: a cause with its cure, an address that serves."""
        cited = {e.entry for s in self.found[before:] for e in s.candidate.evidence}
        marks = [r for r in self.rules.signals if r.id in WITNESSED_LESSON]
        for message in turn.events if turn.tools else ():
            if message.entry in cited or not all(r.pattern.search(message.text) for r in marks):
                continue
            for s in words.sentences(message.text):
                if not all(r.search(s.text) for r in marks):
                    continue
                reading = read(words.plain(s.text), self.rules)
                shown = [t for t in turn.tools if words.content(s.text) & words.content(t.text)]
                if not shown or reading.flags:
                    continue
                self._add(
                    fields.filled(
                        Candidate(
                            kind="lesson",
                            claim=words.trim(s.text, self.claim_limit),
                            evidence=(self._quote(message, s.text), self._tool_quote(shown[-1])),
                            confidence=0.6,
                            origin="assistant",
                            rules=("witnessed", *sorted(reading.hits)),
                        )
                    )
                )

    def _tool_quote(self, event: CleanEvent) -> Evidence:
        """Cite a tool result by its first line."""
        return self._quote(event, next((line for line in event.text.splitlines() if line.strip()), ""))

    def _unmarked(self, event: CleanEvent, view: str, turn: Turn) -> None:
        """Stage a message that no rule read where its build says that it will last."""
        lines = [line for line in view.split("\n") if line.strip()]
        if len(view) > UNMARKED_LIMIT or len(lines) > UNMARKED_LINES or not turn.events or shapes.foreign(view):
            return
        chance = salience(view, turn, self.rules)
        if chance < statements.SALIENT:
            return
        said = [s for s in words.sentences(event.text) if view[s.start : s.end].strip()]
        said = statements.own_part(said, len(event.text))
        hidden = shapes.secret_sentences(said)
        said = [s for n, s in enumerate(said) if n not in hidden]
        readings = [
            read(words.unglued(words.unfilled(view[s.start : s.end].strip())) or s.text, self.rules) for s in said
        ]
        made = statements.unmarked(said, readings, chance, self._invited(turn), self.rules)
        if made is not None:
            candidate, core = made
            self._add(replace(candidate, evidence=(self._quote(event, core.text),)))

    def _only_takes_back(self, view: str, group: list[Sentence], readings: list[Reading]) -> bool:
        """Of a message that takes something back only a new choice counts, not the words that take it back."""
        stated = max(
            r.strength.get(k, 0.0) for r in readings for k in ("decision", "service_config", "path", "deployment")
        )
        return stated < statements.LEAST

    def _late_reason(self, event: CleanEvent, said: list[Sentence]) -> bool:
        """Attach a reason given later to the decision it explains; True when the message was only that."""
        if not said or not settle.gives_reason(" ".join(s.text for s in said), self.rules):
            return False
        text = discourse.statement(said, self.claim_limit)
        spoken = words.content(text)
        best, most = -1, 0
        for n, earlier in enumerate(self.found):
            c = earlier.candidate
            if c.drop or c.rationale or earlier.turn >= self.turn_number or c.kind not in settle.REASONED:
                continue
            shared = len(spoken & words.content(c.claim))
            if shared > most:
                best, most = n, shared
        if best < 0:
            return False
        old = self.found[best]
        reasoned = replace(
            old.candidate,
            rationale=words.trim(text, self.claim_limit),
            evidence=(*old.candidate.evidence, self._quote(event, said[0].text)),
        )
        self.found[best] = replace(old, candidate=reasoned)
        self.explained = True
        return True

    # -- small parts --

    def _invited(self, turn: Turn) -> bool:
        """Tell whether the assistant asked or proposed something that a statement would answer."""
        if not turn.events:
            return False
        last = turn.events[-1].text.rstrip()
        acts = discourse.acts(words.plain(last), self.rules)
        return "talk.errand" not in acts and (last.endswith(("?", "？")) or "talk.proposal" in acts)

    def _quote(self, event: CleanEvent, quote: str) -> Evidence:
        return cite(self.session, event, quote, self.quote_limit)

    def _add(self, candidate: Candidate) -> None:
        self.found.append(Said(candidate=candidate, turn=self.turn_number))

    def _drop(self, places: object, reason: str) -> None:
        for n in list(places):  # type: ignore[call-overload]
            said = self.found[n]
            self.found[n] = replace(said, candidate=replace(said.candidate, drop=said.candidate.drop or reason))

    def _drop_recent(self, reason: str, turns: int) -> None:
        recent = [n for n, s in enumerate(self.found) if 0 < self.turn_number - s.turn <= turns]
        if recent:
            last = max(self.found[n].turn for n in recent)
            self._drop([n for n in recent if self.found[n].turn == last], reason)

    def _take_back(self, view: str) -> None:
        """Drop what the last turn said, or, a little further back, what the message taking back speaks of."""
        spoken = words.content(view)
        for n, said in enumerate(self.found):
            age = self.turn_number - said.turn
            if said.turn == self.turn_number:
                continue
            if age == 1 or (1 < age <= RETRACT_TURNS and spoken & words.content(said.candidate.claim)):
                self._drop([n], "taken back")

    def _ask(self, fresh: range) -> None:
        """A wish to remember that names nothing itself speaks of this message, else of the last statement."""
        live = [n for n in fresh if not self.found[n].candidate.drop]
        if not live:
            live = [n for n, s in enumerate(self.found) if not s.candidate.drop and self.turn_number - s.turn <= 2][-1:]
        for n in live:
            said = self.found[n]
            raised = replace(said.candidate, asked=True, confidence=max(0.9, said.candidate.confidence))
            self.found[n] = replace(said, candidate=raised)


def _remainder(view: str, proposal: str) -> str:
    """Give what an approval adds to the proposal: a part with a number or name the proposal lacks."""
    extra = words.trim(view, 200)
    fresh = words.content(extra) - words.content(proposal)
    digits = any(c.isdigit() for w in fresh for c in w)
    return extra if digits and identity.normalise(extra) not in identity.normalise(proposal) else ""


def _with_asked(groups: list[list[int]], said: list[Sentence], asked: list[bool]) -> list[list[int]]:
    """Add what the person asked to be remembered in so many words, whether a rule finds it worth keeping or not."""
    taken = {n for group in groups for n in group}
    fresh = []
    for n, sentence in enumerate(said):
        if not asked[n] or n in taken:
            continue
        bare = _BARE_WISH.fullmatch(sentence.text.strip()) is not None
        following = n + 1
        if not bare:
            fresh.append([n])
        elif following < len(said) and following not in taken:
            asked[following] = True
            fresh.append([following])
        taken.update(fresh[-1] if fresh else ())
    return sorted([*groups, *fresh])
