"""`omp search`: find memories by words and meaning."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from omp.commands._find import stores, told_apart
from omp.commands._options import json_option, print_json, printable, repo_option, shorten, table
from omp.commands._workspace import Workspace, open_workspace
from omp.entries import text_of
from omp.errors import BrokenFile, OmpError, UsageError
from omp.model import KINDS, Memory, Struct

if TYPE_CHECKING:
    from omp.search import Hit, Hits, Index


class Query(Struct, frozen=True, kw_only=True):
    """One line of a file of queries."""

    id: str
    query: str
    k: int = 0


@click.command()
@repo_option
@json_option
@click.argument("words", metavar="[QUERY]", nargs=-1)
@click.option("-k", "number", type=click.IntRange(1, 1000), default=10, show_default=True, help="Hits at the most.")
@click.option("--level", type=click.Choice(["all", "theme"]), default="all", show_default=True, help="What is listed.")
@click.option("--kind", type=click.Choice(KINDS), default=None, help="Only this kind.")
@click.option("--queries", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="JSON lines of queries.")
@click.option("--superseded", is_flag=True, help="Also what has been replaced.")
def command(
    repo_dir: Path | None,
    as_json: bool,
    words: tuple[str, ...],
    number: int,
    level: str,
    kind: str | None,
    queries: Path | None,
    superseded: bool,
) -> int:
    """Find memories of this repository, and your own, in English or Chinese."""
    query = printable(" ".join(words)).strip()
    if bool(query) == (queries is not None):
        raise UsageError("search for what?", 'omp search "which port" or omp search --queries FILE')
    workspace = open_workspace(repo_dir, need_repo=False)
    asked = [Query(id="", query=query)] if queries is None else read_queries(queries)
    told_apart(workspace)
    library = Library(workspace, ("active", "superseded") if superseded else ("active",))
    for one, hits in zip(asked, library.answer(asked, number, kind), strict=True):
        # Below the mean of what was looked at nothing speaks for a hit; a file of queries gets all it asks for.
        fitting = [h for h in hits.hits if queries is not None or h.score > 0] or hits.hits[:1]
        found = [library.shown(h) for h in fitting]
        if queries is not None:
            print_json({"id": one.id, "hits": found, "signals": hits.signals})
        elif level == "theme":
            _by_theme(workspace, found, as_json)
        elif as_json:
            for hit in found:
                print_json({**hit, "signals": hits.signals})
        else:
            table([(str(h["id"]), str(h["kind"]), f"{h['score']:.2f}", shorten(str(h["claim"]), 90)) for h in found])
            click.echo(f"found by {' and '.join(hits.signals)}" if found else "nothing found", err=True)
    return 0


def read_queries(file: Path) -> list[Query]:
    """Read a file of queries. Raises UsageError with the line of the first bad one."""
    out = []
    for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            out.append(msgspec.json.decode(line, type=Query))
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise UsageError(f"{file}:{number}: not a query: {error}") from error
    return out


class Library:
    """What can be found: the project's memories with open conversations, and the person's own."""

    def __init__(self, workspace: Workspace, statuses: tuple[str, ...]) -> None:
        self.workspace, self.statuses = workspace, statuses
        self.memories: dict[str, Memory] = {}
        self.personal: set[str] = set()
        for store in stores(workspace):
            for stored in store.read(statuses=statuses):
                if stored.memory.id not in self.memories:
                    self.memories[stored.memory.id] = stored.memory
                    if store is workspace.user:
                        self.personal.add(stored.memory.id)

    def answer(self, asked: list[Query], number: int, kind: str | None) -> list[Hits]:
        """Answer queries in order with one index and one run of the model."""
        index, vectors = self._index([q.query for q in asked])
        kinds = (kind,) if kind else ()
        now = self.workspace.clock()
        return [
            index.search(
                q.query,
                q.k or number,
                None if vectors is None else vectors[n],
                kinds=kinds,
                statuses=self.statuses,
                now=now,
            )
            for n, q in enumerate(asked)
        ]

    def _index(self, queries: list[str]) -> tuple[Index, Any]:
        from omp.search import Document, Index

        documents = [
            Document(
                id=m.id,
                text=text_of(m),
                kind=m.kind,
                status=m.status,
                scope=m.metadata.scope,
                at=m.timestamps.updated_at,
            )
            for m in self.memories.values()
        ]
        if not documents:
            return Index.build(documents), None
        model = self.workspace.embedder
        try:
            vectors = self._vectors(documents)
            asked = model.encode(queries, "query")
        except OmpError as error:
            print(f"omp: searching by words alone: {error.message}", file=sys.stderr)
            return Index.build(documents), None
        return Index.build(documents, vectors, model=model.id), asked

    def _vectors(self, documents: list[Any]) -> Any:
        """Give the documents' vectors; personal texts leave no trace in the repository's folder."""
        import numpy as np

        from omp.embed import VectorCache

        model, data = self.workspace.embedder, Path(self.workspace.config.cache_dir)
        mine = self.workspace.vectors
        out = np.zeros((len(documents), model.dim), dtype=np.float32)
        for folder, personal in ((mine, False), (data, True)):
            rows = [n for n, d in enumerate(documents) if (d.id in self.personal) == personal]
            if rows:
                out[rows] = VectorCache(folder).vectors([documents[n].text for n in rows], model)
        return out

    def shown(self, hit: Hit) -> dict[str, object]:
        """Give a hit as it is printed."""
        memory = self.memories[hit.id]
        return {
            "id": memory.id,
            "external_id": memory.external_id or None,
            "score": hit.score,
            "claim": memory.claim,
            "kind": memory.kind,
            "scope": memory.metadata.scope,
            "status": memory.status,
            "found_by": hit.signals,
        }


def _by_theme(workspace: Workspace, found: list[dict[str, object]], as_json: bool) -> None:
    """List the themes of the hits, best first, each with its hits."""
    workspace.need_init()
    try:
        index = workspace.project.themes()
    except BrokenFile as error:
        raise OmpError("the theme index cannot be read", "omp validate") from error
    titles = {t.id: t.title for t in index.themes}
    groups: dict[str, list[dict[str, object]]] = {}
    for hit in found:
        groups.setdefault(index.members.get(str(hit["id"]), ""), []).append(hit)
    for theme, hits in groups.items():
        if as_json:
            print_json({"theme": theme or None, "title": titles.get(theme), "hits": hits})
            continue
        click.echo(f"{theme or 'no theme'}  {titles.get(theme, '')}")
        table([("  " + str(h["id"]), str(h["kind"]), shorten(str(h["claim"]), 90)) for h in hits])
