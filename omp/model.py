"""Every core type. No behaviour beyond small properties; all are frozen and keyword-only.

The layouts of files are decided here: `references/format.md` and the JSON Schemas are produced from these types.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

Role = Literal["user", "assistant", "system", "tool"]
Voice = Literal["person", "agent", "tool", "injected"]
"""Who wrote a text, which the role does not tell: only `person` can be quoted as something the user said."""
Kind = Literal[
    "preference", "working_assumption", "constraint", "decision", "open_question", "lesson",
    "deployment", "service_config", "path", "milestone", "change", "skill",
]  # fmt: skip
Scope = Literal["PERSONAL", "UNIVERSAL", "PROJECT", "EPHEMERAL"]
Origin = Literal["user", "repository", "assistant", "tool"]
SourceWord = Literal["explicit", "inferred", "imported"]
Temporality = Literal["permanent", "contextual", "ephemeral"]
Status = Literal["active", "superseded", "archived"]
Action = Literal["keep", "stage", "drop"]
Effect = Literal["add", "evidence", "merge", "supersede", "contradict", "none"]
"""What a verdict does to the store: a new entry, evidence for an old one, a fuller wording of it, an entry that
retires it, an entry linked as contradicting it, nothing."""
Relation = Literal["duplicate", "contradiction", "same_theme", "unrelated"]
Severity = Literal["error", "warning"]

KINDS: tuple[Kind, ...] = get_args(Kind)
EVIDENCE_LIMIT = 5
"""Pieces of evidence an entry keeps: the first and the last four."""
QUOTE_LIMIT = 240
CLAIM_WARN, CLAIM_LIMIT = 300, 1000


class Struct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Frozen, keyword-only; fields with their default are not written."""


class KindLayout(Struct, frozen=True, kw_only=True):
    """Where a kind lives: id prefix, file below the memory folder, and its top key ("" for facts)."""

    prefix: str
    file: str
    key: str


LAYOUT: dict[Kind, KindLayout] = {
    "decision": KindLayout(prefix="dec", file="decisions.yaml", key="decisions"),
    "constraint": KindLayout(prefix="con", file="constraints.yaml", key="constraints"),
    "lesson": KindLayout(prefix="les", file="lessons.yaml", key="lessons"),
    "preference": KindLayout(prefix="pre", file="preferences.yaml", key="preferences"),
    "working_assumption": KindLayout(prefix="asm", file="assumptions.yaml", key="assumptions"),
    "open_question": KindLayout(prefix="que", file="questions.yaml", key="questions"),
    "milestone": KindLayout(prefix="mil", file="changelog.yaml", key="changes"),
    "change": KindLayout(prefix="chg", file="changelog.yaml", key="changes"),
    "skill": KindLayout(prefix="ski", file="skills.yaml", key="skills"),
    "deployment": KindLayout(prefix="fact", file="project.yaml", key=""),
    "service_config": KindLayout(prefix="fact", file="project.yaml", key=""),
    "path": KindLayout(prefix="fact", file="project.yaml", key=""),
}
FACT_KINDS: frozenset[Kind] = frozenset(k for k, layout in LAYOUT.items() if not layout.key)
LIST_FILES: dict[str, str] = {layout.file: layout.key for layout in LAYOUT.values() if layout.key}
"""List file -> its top key."""


# --- what happened ---


class Said(Struct, frozen=True, kw_only=True):
    """One thing read from a log, in conversation order. Not used itself: see `Event` and `CleanEvent`."""

    agent: str
    session: str
    entry: str
    """The log's own record id, else `L` and the 1-based line."""
    role: Role
    voice: Voice
    text: str
    at: str = ""
    tool: str = ""
    """Name of the tool, for tool calls and results."""
    call: str = ""
    """Id that joins a tool call and its result."""
    failed: bool = False
    cwd: str = ""
    branch: str = ""


class Event(Said, tag="event", frozen=True, kw_only=True):
    """One thing read, as it stands in the log: unmasked, so only `redact` may take it."""


class CleanEvent(Said, tag="clean", frozen=True, kw_only=True):
    """The same, masked. Only `redact` makes these; all later stages accept nothing else."""

    masked: tuple[str, ...] = ()
    """Types of what was masked here, one per mark."""


class RawSession(Struct, frozen=True, kw_only=True):
    """One conversation as read: the live path, in order."""

    agent: str
    session: str
    path: str
    """The log file, as given."""
    events: tuple[Event, ...]
    closed: bool = False
    """An end record stands in the log."""
    machine: bool = False
    """A sub-agent, review or scheduled run: nobody's voice is in it."""


class Session(Struct, frozen=True, kw_only=True):
    """One conversation, masked: what extraction sees."""

    agent: str
    session: str
    path: str
    events: tuple[CleanEvent, ...]
    closed: bool = False
    machine: bool = False


class LogReading(Struct, frozen=True, kw_only=True):
    """What one reading of a log file gave. `refused` (a reason) means it is no log of a known agent."""

    path: str
    agent: str = ""
    sessions: tuple[RawSession, ...] = ()
    skipped: dict[str, int] = {}
    """Unknown record types by name."""
    malformed: tuple[int, ...] = ()
    """1-based numbers of lines that could not be read."""
    offset: int = 0
    """Bytes up to the end of the last complete line."""
    size: int = 0
    refused: str = ""
    notes: tuple[str, ...] = ()
    """What a reader had to make do with, in sentences."""


# --- what may be kept ---


class Evidence(Struct, frozen=True, kw_only=True):
    """A pointer back to what was said: place, time, a masked quote of at most 240 characters, its digest."""

    agent: str
    session: str
    entry: str
    role: Role
    at: str = ""
    commit: str = ""
    file: str = ""
    key: str = ""
    quote: str = ""
    digest: str = ""


class Candidate(Struct, frozen=True, kw_only=True):
    """Something that might be worth keeping; cannot be stored as it is."""

    kind: Kind
    claim: str
    evidence: tuple[Evidence, ...]
    scope: Scope = "PROJECT"
    confidence: float = 0.0
    origin: Origin = "user"
    source: SourceWord = "explicit"
    temporality: Temporality = "permanent"
    rules: tuple[str, ...] = ()
    """Ids of the rules that fired."""
    rationale: str = ""
    title: str = ""
    context: str = ""
    choice: str = ""
    alternatives: tuple[str, ...] = ()
    impact: str = ""
    root_cause: str = ""
    next_action: str = ""
    why_useful: str = ""
    staleness: str = ""
    tags: tuple[str, ...] = ()
    pointer: str = ""
    """JSON pointer of a fact, for kinds in `FACT_KINDS`."""
    value: str = ""
    """The fact's value (text as said), for kinds in `FACT_KINDS`."""
    subject: str = ""
    attribute: str = ""
    """Subject and attribute the claim gives a value to, where both were found; equal pairs may supersede."""
    retires: str = ""
    """The old value or statement that this one says is over ("switched from X to Y": X)."""
    asked: bool = False
    """The person asked in so many words to remember this: final at once."""
    occurrences: int = 1
    drop: str = ""
    """Set by extraction or classification when the candidate must not be kept: the reason."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What happens to a candidate, always with a reason, and what it was compared with."""

    action: Action
    reason: str
    """A word from the field: new, known, redundant, trivial, uncertain, refused, ephemeral, over-limit, ..."""
    effect: Effect = "none"
    against: str = ""
    """Id of the entry it was compared with."""
    similarity: float = 0.0
    """Calibrated, 0..1."""
    detail: str = ""


class Judged(Struct, frozen=True, kw_only=True):
    """A candidate with its verdict; `id` is the entry it became or joined ("" when dropped)."""

    candidate: Candidate
    verdict: Verdict
    key: str = ""
    id: str = ""


# --- what is stored ---


class Metadata(Struct, omit_defaults=False, frozen=True, kw_only=True):
    """How sure, how wide, from whom, for how long."""

    scope: Scope = "PROJECT"
    confidence: float = 0.9
    source: SourceWord = "explicit"
    origin: Origin = "user"
    temporality: Temporality = "permanent"


class Timestamps(Struct, omit_defaults=False, frozen=True, kw_only=True):
    """Times of evidence, never of writing."""

    created_at: str = ""
    updated_at: str = ""


class ConflictNote(Struct, frozen=True, kw_only=True):
    """Both values of what two sides changed; `detected` until a person resolves it."""

    status: Literal["detected", "resolved"] = "detected"
    related_id: str = ""
    values: dict[str, list[Any]] = {}


class Entry(Struct, tag_field="kind", frozen=True, kw_only=True):
    """What all memories share. `keys` are further keys this entry absorbed; its own stands in the id."""

    id: str
    claim: str
    date: str = ""
    metadata: Metadata = Metadata()
    timestamps: Timestamps = Timestamps()
    status: Status = "active"
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    contradicts: tuple[str, ...] = ()
    why_useful: str = ""
    staleness: str = ""
    tags: tuple[str, ...] = ()
    area: str = ""
    marked: bool = False
    rationale: str = ""
    external_id: tuple[str, ...] | str = ()
    keys: tuple[str, ...] = ()
    conflict: ConflictNote | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def kind(self) -> Kind:
        """The kind, as in the file."""
        return self.__struct_config__.tag  # type: ignore[return-value]

    @property
    def key(self) -> str:
        """The entry's own key: the last ten characters of its id."""
        return self.id.rpartition("-")[2]


class Decision(Entry, tag="decision", frozen=True, kw_only=True):
    """A choice, with what it was chosen over and why."""

    title: str = ""
    context: str = ""
    choice: str = ""
    alternatives: tuple[str, ...] = ()
    impact: str = ""


class Constraint(Entry, tag="constraint", frozen=True, kw_only=True):
    """A boundary, invariant or prohibition."""


class Lesson(Entry, tag="lesson", frozen=True, kw_only=True):
    """Something learnt from failure or validation."""

    root_cause: str = ""


class Preference(Entry, tag="preference", frozen=True, kw_only=True):
    """A lasting way of working somebody wants."""


class WorkingAssumption(Entry, tag="working_assumption", frozen=True, kw_only=True):
    """Taken for true until it is revisited."""


class OpenQuestion(Entry, tag="open_question", frozen=True, kw_only=True):
    """Unresolved, with a next action."""

    next_action: str = ""


class Milestone(Entry, tag="milestone", frozen=True, kw_only=True):
    """Something reached."""


class Change(Entry, tag="change", frozen=True, kw_only=True):
    """A deployment event, release or move."""


class Skill(Entry, tag="skill", frozen=True, kw_only=True):
    """Something the person knows or can do."""


class Fact(Entry, frozen=True, kw_only=True):
    """A value in `project.yaml`; identity is `pointer`, `of` the digest of the value its metadata speaks about."""

    pointer: str = ""
    value: Any = None
    of: str = ""


class Deployment(Fact, tag="deployment", frozen=True, kw_only=True):
    """Where something runs."""


class ServiceConfig(Fact, tag="service_config", frozen=True, kw_only=True):
    """How a service is set up (names and values that are no secrets)."""


class PathFact(Fact, tag="path", frozen=True, kw_only=True):
    """Where something lies."""


Memory = (
    Decision | Constraint | Lesson | Preference | WorkingAssumption | OpenQuestion | Milestone | Change | Skill
    | Deployment | ServiceConfig | PathFact
)  # fmt: skip

TYPES: dict[Kind, type[Any]] = {
    "decision": Decision, "constraint": Constraint, "lesson": Lesson, "preference": Preference,
    "working_assumption": WorkingAssumption, "open_question": OpenQuestion, "milestone": Milestone,
    "change": Change, "skill": Skill, "deployment": Deployment, "service_config": ServiceConfig, "path": PathFact,
}  # fmt: skip

ENTRY_FIELDS: tuple[str, ...] = (
    "id", "kind", "claim", "date",
    "title", "context", "choice", "alternatives", "rationale", "impact", "root_cause", "next_action",
    "metadata", "timestamps", "status", "supersedes", "superseded_by", "contradicts",
    "why_useful", "staleness", "tags", "area", "marked", "external_id", "keys", "conflict", "evidence",
)  # fmt: skip
"""Order of an entry's fields in a list file; `evidence` is last so that its final line is a digest."""
FACT_FIELDS: tuple[str, ...] = ("kind", "claim", "date", "of", *ENTRY_FIELDS[4:])
"""Order of the fields under `_meta.facts.<pointer>`; id, pointer and value are not repeated there."""


class Stored(Struct, frozen=True, kw_only=True):
    """An entry as it stands in a file or the spool. `extra` are fields this release does not know."""

    memory: Memory
    path: str
    """Relative to the memory folder; "spool" while it waits."""
    line: int = 0
    extra: dict[str, Any] = {}


class Refusal(Struct, rename={"from_": "from"}, frozen=True, kw_only=True):
    """What must not come back: by key, or by place (`from`). No text."""

    key: str
    at: str
    reason: str
    from_: str = ""


class ThemeConfig(Struct, omit_defaults=False, frozen=True, kw_only=True):
    """Thresholds on the calibrated scale, and the model they hold for."""

    attach: float = 0.62
    split: float = 0.66
    merge: float = 0.78
    max_members: int = 10
    model: str = ""
    knots: dict[str, list[tuple[float, float]]] = {}
    """Scale name -> (raw cosine, calibrated) points."""


class Theme(Struct, frozen=True, kw_only=True):
    """Memories that belong together. `id` is `th-` and the key of the oldest member."""

    id: str
    title: str = ""
    created_at: str = ""
    neighbours: tuple[str, ...] = ()


class ThemeIndex(Struct, frozen=True, kw_only=True):
    """`themes/index.yaml`: each active entry belongs to exactly one theme."""

    config: ThemeConfig = ThemeConfig()
    themes: tuple[Theme, ...] = ()
    members: dict[str, str] = {}
    """Entry id -> theme id."""


class SessionRecord(Struct, frozen=True, kw_only=True):
    """One conversation in `sessions/<day>.yaml`."""

    id: str
    agent: str
    start: str = ""
    end: str = ""
    summary: str = ""
    key_actions: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


# --- the spool, local and not rebuildable ---


class Cursor(Struct, frozen=True, kw_only=True):
    """How far a log was read: identity by device, inode and the digests of its beginning and last bytes."""

    path: str
    agent: str = ""
    device: int = 0
    inode: int = 0
    size: int = 0
    offset: int = 0
    head: str = ""
    tail: str = ""
    skipped: dict[str, int] = {}
    malformed: int = 0
    refused: str = ""


class OpenSession(Struct, frozen=True, kw_only=True):
    """What a session that has not closed would give; replaced as a whole at each run."""

    agent: str
    session: str
    work_tree: str
    branch: str
    updated_at: str
    items: tuple[Judged, ...] = ()
    closed: bool = False
    """Its memories stand in the files; the record stays so that a session that goes on can take some back."""
    written: dict[str, str] = {}
    """Entry id -> digest of the entry as this session wrote it; an entry that differs was touched by somebody."""


class Staged(Struct, frozen=True, kw_only=True):
    """An inbox entry: the memory it would become, and why it waits."""

    memory: Memory
    reason: str = ""
    at: str = ""
    deferred: bool = False


# --- findings ---


class Problem(Struct, frozen=True, kw_only=True):
    """A finding in a file: printed `path:line:column: code: message`."""

    path: str
    line: int
    column: int
    code: str
    message: str
    hint: str = ""
    severity: Severity = "error"


class Conflict(Struct, frozen=True, kw_only=True):
    """A field or entry two sides changed."""

    id: str
    field: str
    values: tuple[Any, ...]


class Finding(Struct, frozen=True, kw_only=True):
    """A secret or personal datum: character offsets in the original text, type of the mark, rule."""

    start: int
    end: int
    type: str
    rule: str


class Report(Struct, frozen=True, kw_only=True):
    """What one run did and why."""

    items: tuple[Judged, ...] = ()
    sessions: int = 0
    events: int = 0
    masked: dict[str, int] = {}
    """Type of mark -> how many."""
    problems: tuple[Problem, ...] = ()

    @property
    def kept(self) -> tuple[Judged, ...]:
        """What goes into the files."""
        return tuple(i for i in self.items if i.verdict.action == "keep")

    @property
    def staged(self) -> tuple[Judged, ...]:
        """What waits for a person."""
        return tuple(i for i in self.items if i.verdict.action == "stage")

    @property
    def dropped(self) -> tuple[Judged, ...]:
        """What was thrown away, each with its reason."""
        return tuple(i for i in self.items if i.verdict.action == "drop")
