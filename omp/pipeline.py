"""The stages in order: what a conversation teaches, how it is judged, and the batches that write it.

    sources -> redact -> extract -> classify -> rot -> store -> themes

Only this module knows the order. Sessions come in masked; what goes out are batches for the two stores: personal and
universal statements go to the person's own store, everything else to the project's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from omp import classify, entries, extract, identity, rot, themes
from omp.embed import VectorCache, calibration
from omp.model import (
    FACT_KINDS,
    Candidate,
    Evidence,
    Fact,
    Judged,
    Memory,
    OpenSession,
    Report,
    Session,
    SessionRecord,
    Staged,
    Struct,
    ThemeIndex,
    Verdict,
)
from omp.store import Batch, MemoryDir, entry_digest

if TYPE_CHECKING:
    from omp.embed import Embedder
    from omp.redact import Redactor
    from omp.rules import Rules

PERSONAL_SCOPES = ("PERSONAL", "UNIVERSAL")
SUMMARY_LIMIT = 200
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""A terminal obeys these when it shows a memory."""
FIRST_READING = 50
"""Memories of the very first reading that go into the files; the rest waits in the inbox."""


class Limits(Struct, frozen=True, kw_only=True):
    """Thresholds and bounds in force, and the paths that are written short."""

    keep: float = 0.7
    stage: float = 0.4
    merge: float = 0.85
    same: float = 0.95
    per_session: int = 12
    quotes: bool = True
    home: str = ""
    work_tree: str = ""


class Written(Struct, frozen=True, kw_only=True):
    """What a run wrote: the report, and the files that changed (relative to each store's folder)."""

    report: Report
    files: tuple[str, ...] = ()


class Mind:
    """The pipeline bound to two stores, the rules and a model."""

    def __init__(
        self,
        *,
        project: MemoryDir,
        user: MemoryDir,
        rules: Rules,
        redactor: Redactor,
        embedder: Callable[[], Embedder],
        vectors: Path,
        personal_vectors: Path,
        limits: Limits,
    ) -> None:
        self.project, self.user, self.rules, self.redactor = project, user, rules, redactor
        self.embedder, self.limits = embedder, limits
        self.vectors, self.personal_vectors = vectors, personal_vectors

    # Understanding

    def learn(self, session: Session) -> list[Candidate]:
        """Give what one conversation so far would teach, settled in kind, scope and confidence. Pure."""
        found = extract.candidates(session, self.rules, max_per_session=self.limits.per_session)
        return [localise(classify.classify(c, session, self.rules), self.limits) for c in found]

    def judge(self, candidates: Sequence[Candidate], meaning: bool = True) -> list[Judged]:
        """Give a verdict on each candidate, in order; each store's candidates are compared with that store alone.

        What is left of entries that lost a part follows after the verdicts of the candidates. Without `meaning` only
        exact knowledge counts and no model is loaded.
        """
        model = self.embedder() if meaning and candidates else None
        limits = rot.Limits(
            keep=self.limits.keep, stage=self.limits.stage, merge=self.limits.merge, same=self.limits.same
        )
        out: dict[int, Judged] = {}
        rests: list[Judged] = []
        for store, personal in ((self.project, False), (self.user, True)):
            places = [n for n, c in enumerate(candidates) if (c.scope in PERSONAL_SCOPES) == personal]
            if not places:
                continue
            memories = [s.memory for s in store.stored().values()] + [s.memory for s in store.inbox()]
            cache = self.vectors if not personal else self.personal_vectors
            mine = [candidates[n] for n in places]
            judged = rot.judge(mine, store.known(), memories, embedder=model, cache=cache, limits=limits, split=True)
            out |= dict(zip(places, judged, strict=False))
            rests += judged[len(mine) :]
        return [self._gated(j) for j in (*(out[n] for n in range(len(candidates))), *rests)]

    def _gated(self, judged: Judged) -> Judged:
        """Drop what the last gate would refuse, so that one bad candidate cannot hold up the others."""
        if judged.verdict.action == "drop" or not self.redactor.gate(msgspec.json.encode(judged.candidate)):
            return judged
        return msgspec.structs.replace(judged, verdict=Verdict(action="drop", reason="secret"), id="")

    # Writing

    def finish(self, sessions: Sequence[Session], *, first_reading: bool = False, records: bool = True) -> Written:
        """Learn from closed sessions, judge and write: one transaction a store."""
        ordered = sorted(sessions, key=lambda s: (_start(s), s.agent, s.session))
        origin: list[Session] = []
        candidates: list[Candidate] = []
        for session in ordered:
            for candidate in self.learn(session):
                origin.append(session)
                candidates.append(candidate)
        judged = self.judge(candidates)
        if first_reading:
            judged = best_first(judged, FIRST_READING)
        rows = tuple(r for s in ordered if (r := session_record(s, judged, origin))) if records else ()
        files = self._write(judged, ordered, origin, rows)
        masked = Counter(m for s in ordered for e in s.events for m in e.masked)
        report = Report(
            items=tuple(judged),
            sessions=len(ordered),
            events=sum(len(s.events) for s in ordered),
            masked=dict(sorted(masked.items())),
        )
        return Written(report=report, files=files)

    def keep(self, candidates: Sequence[Candidate]) -> list[Judged]:
        """Judge and write candidates that belong to no session (an explicit `remember`, an import)."""
        judged = self.judge(candidates)
        self._write(judged, (), (), ())
        return judged

    def file(self, record: OpenSession) -> list[Judged]:
        """Write what an open session would have given, when its log can be read no more."""
        judged = self.keep([j.candidate for j in record.items if j.verdict.action != "drop"])
        self.project.put_session(msgspec.structs.replace(record, items=(), closed=True))
        return judged

    def _write(
        self,
        judged: Sequence[Judged],
        sessions: Sequence[Session],
        origin: Sequence[Session],
        rows: tuple[SessionRecord, ...],
    ) -> tuple[str, ...]:
        files: list[str] = []
        for store, personal in ((self.project, False), (self.user, True)):
            mine = [(n, j) for n, j in enumerate(judged) if (j.candidate.scope in PERSONAL_SCOPES) == personal]
            draft = Draft(store, self.limits)
            for n, item in mine:
                draft.take(item, origin[n] if n < len(origin) else None)
            for session in sessions:
                draft.withdraw(session, self._still(session, judged, origin))
            batch = draft.batch(() if personal else rows)
            batch = self.with_themes(store, batch)
            files += store.apply(batch).written
            store.stage(draft.staged)
            store.unstage(draft.promoted)
            for record in draft.records(sessions):
                store.put_session(record)
        return tuple(files)

    @staticmethod
    def _still(session: Session, judged: Sequence[Judged], origin: Sequence[Session]) -> set[str]:
        return {j.id or j.verdict.against for j, o in zip(judged, origin, strict=False) if o is session} - {""}

    def _members(self, store: MemoryDir, active: Sequence[Memory]) -> tuple[list[themes.Member], Any, Embedder]:
        """Give what themes need of entries: members, their vectors row for row, and the model these are of."""
        model = self.embedder()
        cache = VectorCache(self.vectors if store is self.project else self.personal_vectors)
        vectors = cache.vectors([entries.text_of(m) for m in active], model)
        return [themes.member_of(m) for m in active], vectors, model

    def rebuild_themes(self, store: MemoryDir) -> ThemeIndex:
        """Make a store's themes anew, the same for every order in which the memories came. Raises BrokenFile."""
        active = [s.memory for s in store.stored().values() if s.memory.status == "active"]
        members, vectors, model = self._members(store, active)
        config = store.themes().config
        index = themes.rebuild(members, vectors, calibration(model), model=model.id, config=config)
        store.apply(Batch(themes=index, reason="themes rebuild"))
        return index

    def with_themes(self, store: MemoryDir, batch: Batch) -> Batch:
        """Add to a batch the theme index that its entries lead to: one theme per active entry."""
        touched = bool(batch.put or batch.remove)
        if not touched:
            return batch
        after = {i: s.memory for i, s in store.stored().items() if i not in batch.remove}
        after |= {m.id: m for m in batch.put}
        active = [m for m in after.values() if m.status == "active"]
        members, vectors, model = self._members(store, active)
        synced = themes.sync(store.themes(), members, vectors, calibration(model), model=model.id)
        return batch if synced.stale else msgspec.structs.replace(batch, themes=synced.index)


class Draft:
    """Collects what a store's batch will hold while verdicts are taken one by one."""

    def __init__(self, store: MemoryDir, limits: Limits) -> None:
        self.store, self.limits = store, limits
        self.before = {i: s.memory for i, s in store.stored().items()}
        self.waiting = {s.memory.id: s for s in store.inbox()}
        self.now: dict[str, Memory] = dict(self.before)
        self.staged: list[Staged] = []
        self.promoted: list[str] = []
        self.removed: set[str] = set()
        self.by_session: dict[tuple[str, str], set[str]] = {}

    def take(self, item: Judged, session: Session | None) -> None:
        """Take one verdict: put, extend, supersede, or send to the inbox."""
        verdict = item.verdict
        if verdict.action == "drop":
            return
        candidate = item.candidate
        if not self.limits.quotes:
            bare = tuple(msgspec.structs.replace(e, quote="") for e in candidate.evidence)
            candidate = msgspec.structs.replace(candidate, evidence=bare)
        candidate = own_words(candidate)
        if verdict.action == "stage":
            self._stage(candidate, verdict)
            return
        identity_ = self._keep(candidate, item)
        if session is not None and identity_:
            self.by_session.setdefault((session.agent, session.session), set()).add(identity_)

    def _stage(self, candidate: Candidate, verdict: Verdict) -> None:
        memory = entries.from_candidate(candidate)
        if memory.id in self.now:
            self.now[memory.id] = entries.with_evidence(self.now[memory.id], memory.evidence, entries.key_of(candidate))
        elif memory.id not in self.waiting:
            reason = f"{verdict.reason}: {verdict.detail}" if verdict.detail else verdict.reason
            self.staged.append(Staged(memory=memory, reason=reason, at=memory.timestamps.updated_at))

    def _keep(self, candidate: Candidate, item: Judged) -> str:
        fresh = entries.from_candidate(candidate)
        against, effect, key = item.verdict.against, item.verdict.effect, entries.key_of(candidate)
        if effect in ("evidence", "merge") and against in self.waiting and against not in self.now:
            self._promote(against, candidate, key)
            return against
        old = self.now.get(against)
        if effect in ("evidence", "merge") and old is not None:
            joined = entries.with_evidence(old, candidate.evidence, key)
            self.now[old.id] = entries.reworded(old, candidate) if effect == "merge" else joined
            return ""  # the entry was another session's; it is not this one's to take back
        if fresh.id in self.now:
            self.now[fresh.id] = renewed(self.now[fresh.id], fresh, candidate)
            return ""
        if effect == "supersede" and old is not None:
            fresh, self.now[old.id] = entries.superseding(fresh, old)
        elif effect == "contradict" and old is not None:
            fresh, self.now[old.id] = entries.contradicting(fresh, old)
        self.now[fresh.id] = fresh
        return fresh.id

    def _promote(self, identity_: str, candidate: Candidate, key: str) -> None:
        """What waited in the inbox was said again, surely enough: it goes into the files."""
        memory = entries.with_evidence(self.waiting[identity_].memory, candidate.evidence, key)
        confidence = max(memory.metadata.confidence, round(candidate.confidence, 2))
        metadata = msgspec.structs.replace(memory.metadata, confidence=confidence)
        self.now[identity_] = msgspec.structs.replace(memory, metadata=metadata)
        self.promoted.append(identity_)

    def withdraw(self, session: Session, still: set[str]) -> None:
        """Take back what this session gave in an earlier run, no longer gives, and nobody touched."""
        record = self.store.spool.session(session.agent, session.session)
        if record is None:
            return
        for identity_, digest in record.written.items():
            memory = self.before.get(identity_)
            if memory is None or identity_ in still or entry_digest(memory) != digest:
                continue
            if all((e.agent, e.session) == (session.agent, session.session) for e in memory.evidence):
                self.removed.add(identity_)

    def batch(self, rows: tuple[SessionRecord, ...]) -> Batch:
        """Give the batch: only entries that differ from what is stored."""
        put = tuple(m for i, m in self.now.items() if self.before.get(i) != m and i not in self.removed)
        return Batch(put=put, remove=tuple(sorted(self.removed)), sessions=rows, reason="watch")

    def records(self, sessions: Sequence[Session]) -> list[OpenSession]:
        """Give the closed sessions' records: which entries are theirs, as they were written."""
        out = []
        for session in sessions:
            place = (session.agent, session.session)
            old = self.store.spool.session(*place)
            written = dict(old.written) if old is not None else {}
            written |= {i: entry_digest(self.now[i]) for i in self.by_session.get(place, ())}
            written = {i: d for i, d in written.items() if i not in self.removed}
            if not written and old is None:
                continue
            record = OpenSession(
                agent=session.agent,
                session=session.session,
                work_tree=self.store.work_tree,
                branch=self.store.branch,
                updated_at=_end(session),
                closed=True,
                written=written,
            )
            if record != old:
                out.append(record)
        return out


def renewed(old: Memory, fresh: Memory, candidate: Candidate) -> Memory:
    """Bring an entry with the same id up to date: a fact takes the newer value, everything takes the evidence."""
    key = entries.key_of(candidate)
    joined = entries.with_evidence(old, candidate.evidence, key)
    if not isinstance(old, Fact) or not isinstance(fresh, Fact) or old.value == fresh.value:
        return joined
    if fresh.timestamps.updated_at < old.timestamps.updated_at:
        return joined
    return msgspec.structs.replace(
        joined, value=fresh.value, of=fresh.of, claim=fresh.claim, metadata=fresh.metadata, rationale=fresh.rationale
    )


def own_words(candidate: Candidate) -> Candidate:
    """Keep the quotes of the person alone: what others said stays local, its digest goes along."""
    kept = tuple(e if e.role == "user" else msgspec.structs.replace(e, quote="") for e in candidate.evidence)
    return msgspec.structs.replace(candidate, evidence=kept)


def best_first(judged: Sequence[Judged], number: int) -> list[Judged]:
    """Keep the surest ones of a first reading; the others wait in the inbox."""
    fresh = [n for n, j in enumerate(judged) if j.verdict.action == "keep" and j.verdict.effect == "add"]
    surest = set(sorted(fresh, key=lambda n: (-judged[n].candidate.confidence, n))[:number])
    waits = Verdict(action="stage", reason="first-reading", detail="more than a first reading writes by itself")
    return [msgspec.structs.replace(j, verdict=waits) if n in set(fresh) - surest else j for n, j in enumerate(judged)]


def localise(candidate: Candidate, limits: Limits) -> Candidate:
    """Write the work tree as `.` and the home folder as `~`, in claim, fields and quotes; drop control characters."""
    swaps = [(p, s) for p, s in ((limits.work_tree, "."), (limits.home, "~")) if len(p) > 1]
    encoded = msgspec.json.encode(candidate).decode()
    if not any(path in encoded for path, _ in swaps) and "\\u00" not in encoded:
        return candidate

    def short(text: str) -> str:
        for path, sign in swaps:
            text = re.sub(rf"{re.escape(path)}(?=/|$|[^\w.-])", lambda _, s=sign: s, text)  # type: ignore[misc]
        return _CONTROL.sub("", text)

    def evidence(piece: Evidence) -> Evidence:
        quote = short(piece.quote)
        if quote == piece.quote:
            return piece
        return msgspec.structs.replace(piece, quote=quote, digest=identity.quote_digest(quote))

    texts = {
        f.name: short(value)
        for f in msgspec.structs.fields(Candidate)
        if f.name not in ("kind", "scope", "pointer") and isinstance(value := getattr(candidate, f.name), str)
    }
    pieces = tuple(evidence(e) for e in candidate.evidence)
    return msgspec.structs.replace(candidate, evidence=pieces, **texts)


def session_record(session: Session, judged: Sequence[Judged], origin: Sequence[Session]) -> SessionRecord | None:
    """Sum a conversation up: when, what it began with, what was decided; None when nobody spoke or no time is told."""
    said = [e for e in session.events if e.voice == "person" and e.text.strip()]
    if not said or not _start(session):
        return None
    mine = [j for j, o in zip(judged, origin, strict=False) if o is session and j.verdict.action == "keep"]
    summary = " ".join(said[0].text.split())
    return SessionRecord(
        id=session.session,
        agent=session.agent,
        start=_start(session),
        end=_end(session),
        summary=summary if len(summary) <= SUMMARY_LIMIT else summary[: SUMMARY_LIMIT - 1] + "…",
        key_actions=tuple(dict.fromkeys(j.candidate.claim for j in mine if j.candidate.kind in FACT_KINDS)),
        decisions=tuple(dict.fromkeys(j.candidate.claim for j in mine if j.candidate.kind == "decision")),
    )


def _start(session: Session) -> str:
    return next((e.at for e in session.events if e.at), "")


def _end(session: Session) -> str:
    return next((e.at for e in reversed(session.events) if e.at), "")
