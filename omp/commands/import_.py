"""`omp import`: bring in memories from a file."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from omp import entries, identity, times
from omp.commands._options import repo_option
from omp.commands._workspace import Workspace, open_workspace
from omp.errors import OmpError, UsageError
from omp.model import FACT_KINDS, QUOTE_LIMIT, Candidate, Evidence, Kind, Memory, Scope, Struct
from omp.pipeline import PERSONAL_SCOPES
from omp.store import Batch

AGENT = "import"
CONFIDENCE = 0.9


class Row(Struct, frozen=True, kw_only=True):
    """One line of the file."""

    id: str
    text: str
    kind: Kind = "working_assumption"
    scope: Scope = "PROJECT"
    at: str = ""
    tags: tuple[str, ...] = ()


@click.command()
@repo_option
@click.argument("format_", metavar="FORMAT", type=click.Choice(["memories"]))
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--verbatim", is_flag=True, help="Store each line as it is (masked): nothing is filtered or joined.")
def command(repo_dir: Path | None, format_: str, file: Path, verbatim: bool) -> int:
    """Bring in memories: JSON lines {"id", "text", "kind"?, "scope"?, "at"?, "tags"?}. One bad line stops nothing."""
    workspace = open_workspace(repo_dir)
    workspace.need_trust()
    rows, bad = read_rows(file)
    for number, message in bad:
        workspace.say(f"{file}:{number}: {message}")
    candidates = [(row.id, candidate(workspace, row, file.name)) for row in rows]
    if verbatim:
        count = _verbatim(workspace, candidates)
        click.echo(f"{count} stored")
    else:
        judged = workspace.mind.keep([c for _, c in candidates])
        kept = sum(1 for j in judged if j.verdict.action == "keep")
        waiting = sum(1 for j in judged if j.verdict.action == "stage")
        click.echo(f"{kept} kept, {waiting} in the inbox, {len(judged) - kept - waiting} dropped")
    return 1 if bad else 0


def read_rows(file: Path) -> tuple[list[Row], list[tuple[int, str]]]:
    """Read the file: the good rows, and for each bad line its number and what is wrong. Raises OmpError."""
    try:
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise OmpError(f"cannot read {file}: {error.strerror}") from error
    rows: list[Row] = []
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=Row)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            bad.append((number, f"not a memory: {error}"))
            continue
        if row.text.strip():
            rows.append(row)
        else:
            bad.append((number, "the text is empty"))
    if not rows and bad:
        raise UsageError(f"{file}: no line is a memory", 'write lines like {"id": "1", "text": "..."}')
    return rows, bad


def candidate(workspace: Workspace, row: Row, file: str) -> Candidate:
    """Make a candidate of an imported row: masked, its place the file's name and the given id."""
    claim = workspace.redactor.mask(row.text.strip()).text
    quote = " ".join(claim.split())[:QUOTE_LIMIT]
    evidence = Evidence(
        agent=AGENT,
        session=workspace.redactor.mask(file).text,
        entry=workspace.redactor.mask(row.id).text,
        role="user",
        at=times.utc(row.at),
        quote=quote,
        digest=identity.quote_digest(quote),
    )
    pointer = entries.pointer_of(f"{row.kind}s", entries.slug(claim) or row.id) if row.kind in FACT_KINDS else ""
    return Candidate(
        kind=row.kind,
        claim=claim,
        scope=row.scope if row.scope != "EPHEMERAL" else "PROJECT",
        confidence=CONFIDENCE,
        source="imported",
        evidence=(evidence,),
        tags=tuple(workspace.redactor.mask(t).text for t in row.tags),
        pointer=pointer,
        value=claim if pointer else "",
    )


def _verbatim(workspace: Workspace, rows: list[tuple[str, Candidate]]) -> int:
    """Store every row; equal texts share an entry, whose `external_id` is then a list."""
    for personal in (False, True):
        store = workspace.user if personal else workspace.project
        put: dict[str, Memory] = {}
        stored = {i: s.memory for i, s in store.stored().items()}
        for external, item in rows:
            if (item.scope in PERSONAL_SCOPES) != personal:
                continue
            fresh = entries.from_candidate(item)
            old = put.get(fresh.id) or stored.get(fresh.id)
            given = workspace.redactor.mask(external).text
            before = old.external_id if old is not None else ()
            ids = list(before) if isinstance(before, tuple) else [before]
            ids += [given] if given not in ids else []
            base = entries.with_evidence(old, fresh.evidence) if old is not None else fresh
            put[fresh.id] = msgspec.structs.replace(base, external_id=tuple(ids) if len(ids) > 1 else ids[0])
        if put:
            store.apply(workspace.mind.with_themes(store, Batch(put=tuple(put.values()), reason="import")))
    return len(rows)
