"""`omp remember`: keep a statement a person makes at the terminal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import msgspec

from omp import entries, identity
from omp.commands._entry import as_json_entry
from omp.commands._options import json_option, print_json, printable, repo_option, say
from omp.commands._workspace import Workspace, open_workspace
from omp.errors import OmpError, UsageError
from omp.model import CLAIM_LIMIT, FACT_KINDS, KINDS, QUOTE_LIMIT, Candidate, Event, Evidence, Fact, RawSession
from omp.pipeline import PERSONAL_SCOPES

SCOPES = ("PROJECT", "PERSONAL", "UNIVERSAL")
ASKING = "Remember this: "
"""Says to the rules what the verb says: this is to be kept, whatever it is."""
_ASKED = re.compile(
    r"^(?:please |pls )*(?:remember|keep in mind|note)(?: this| that)?(?:[:,]| that\b|(?<= that))\s*"
    r"|^(?:请|帮我)?(?:记住|记一下|牢记)(?:这个|这条|一下)?[:：，,]\s*",
    re.IGNORECASE,
)
"""Words that ask to remember, at the front: they are no part of what is remembered."""
AGENT = "omp"
"""Agent of evidence that a person gave to omp itself."""


@click.command()
@repo_option
@json_option
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option("--kind", type=click.Choice(KINDS), default=None, help="What it is (default: found from the words).")
@click.option("--scope", type=click.Choice(SCOPES), default=None, help="Whom it is about (default: found).")
def command(repo_dir: Path | None, as_json: bool, words: tuple[str, ...], kind: Any, scope: Any) -> int:
    """Keep TEXT. Prints its id, kind and scope, and what it replaced. Secrets in it are masked all the same."""
    text = printable(" ".join(words))
    workspace = open_workspace(repo_dir, need_repo=scope not in PERSONAL_SCOPES)
    if workspace.repo_or_none is not None and scope not in PERSONAL_SCOPES:
        workspace.need_trust()
    if not text.strip():
        raise UsageError("there is nothing to remember", 'omp remember "..."')
    if len(text) > CLAIM_LIMIT:
        raise UsageError(
            f"that is {len(text)} characters, a memory holds {CLAIM_LIMIT}", "say it shorter, or in several"
        )
    candidate = understand(workspace, text, kind, scope)
    if candidate.scope not in PERSONAL_SCOPES:
        workspace.need_trust()
    store = workspace.user if candidate.scope in PERSONAL_SCOPES else workspace.project
    key = entries.key_of(candidate)
    if key in store.known().refused_keys:
        from omp.store import Batch

        store.apply(Batch(lift=(key,), reason="remember"))
    was = store.get(entries.id_of(candidate))
    judged = workspace.mind.keep([candidate])[0]
    if judged.verdict.action == "drop":
        raise OmpError(f"not kept: {judged.verdict.reason} {judged.verdict.detail}".rstrip(), "say it in other words")
    joined = judged.verdict.effect in ("evidence", "merge")
    stored = store.get(judged.verdict.against if joined else entries.id_of(candidate))
    if stored is None:
        raise OmpError("the memory cannot be found after it was written", "omp validate")
    if as_json:
        print_json(as_json_entry(stored))
    else:
        click.echo(f"{stored.memory.id} {stored.memory.kind} {stored.memory.metadata.scope}")
    if joined:
        say(f"known already: {stored.memory.claim}")
    if judged.verdict.reason == "update" and was is not None and isinstance(was.memory, Fact):
        say(f"replaces the value {was.memory.value}")
    for old in stored.memory.supersedes if judged.verdict.effect == "supersede" else ():
        before = store.get(old)
        why = judged.verdict.detail or judged.verdict.reason
        say(f"replaces {old}: {before.memory.claim if before else ''} ({why})")
    if "[REDACTED:" in stored.memory.claim and "[REDACTED:" not in text:
        say("a secret in it was masked; it is not stored anywhere")
    return 0


def understand(workspace: Workspace, text: str, kind: Any, scope: Any) -> Candidate:
    """Make a candidate of a person's own words: masked, classified, sure."""
    from omp import classify, extract

    now = workspace.clock()
    spoken = Event(
        agent=AGENT, session="terminal", entry="", role="user", voice="person", text=f"{ASKING}{text.strip()}", at=now
    )
    raw = RawSession(agent=AGENT, session="terminal", path="", events=(spoken,))
    session = workspace.redactor.clean_session(raw)
    claim = _ASKED.sub("", " ".join(session.events[0].text.split()).removeprefix(ASKING.strip()).strip(), count=1)
    found = [
        classify.classify(c, session, workspace.rules)
        for c in extract.candidates(session, workspace.rules)
        if not c.drop
    ]
    guess = found[0] if found else Candidate(kind="working_assumption", claim=claim, evidence=())
    quote = claim[:QUOTE_LIMIT]
    entry = identity.quote_digest(f"{now}{claim}")
    evidence = Evidence(
        agent=AGENT, session="terminal", entry=entry, role="user", at=now, quote=quote,
        digest=identity.quote_digest(quote),
    )  # fmt: skip
    chosen = kind or guess.kind
    pointer, value = guess.pointer, guess.value
    if chosen in FACT_KINDS and not (pointer and chosen == guess.kind):
        pointer, value = entries.pointer_of(f"{chosen}s", entries.slug(claim) or entry), claim
    return msgspec.structs.replace(
        guess,
        kind=chosen,
        claim=claim,
        scope=scope or (guess.scope if guess.scope != "EPHEMERAL" else "PROJECT"),
        confidence=max(0.95, guess.confidence),
        origin="user",
        source="explicit",
        evidence=(evidence,),
        pointer=pointer if chosen in FACT_KINDS else "",
        value=value if chosen in FACT_KINDS else "",
        asked=True,
        drop="",
    )
