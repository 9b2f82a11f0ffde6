"""One write, in the order that makes it safe.

intent -> for each file: backup, temporary file -> for each file: digest check, rename -> folders -> local refusals ->
journal -> intent removed. The caller moves its cursor after that. `step` is called with the name of each step before
it happens, so that a test can end the process there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from omp.errors import SecretFound
from omp.model import Finding, Memory
from omp.store import atomic, backup, refused
from omp.store.batch import Batch, FileChange, Intent
from omp.store.journal import Journal
from omp.store.plan import NewContent, Plan, folders_of
from omp.store.reading import Reader, stamp
from omp.store.spool import Spool
from omp.yamlfile import dump_value

Gate = Callable[[bytes], list[Finding]]
Step = Callable[[str], None]

FILE_MODE, PRIVATE_MODE = 0o644, 0o600


class Desk:
    """Where writes are made: the folder, its spool, the gate and the clock."""

    def __init__(
        self,
        root: Path,
        anchor: Path,
        reader: Reader,
        spool: Spool,
        journal: Journal,
        gate: Gate,
        clock: Callable[[], str],
        step: Step,
    ) -> None:
        self.root, self.anchor, self.reader, self.spool, self.journal = root, anchor, reader, spool, journal
        self.gate, self.clock, self.step = gate, clock, step

    def check(self, contents: list[NewContent]) -> None:
        """Let the gate see what is new in each file. Raises SecretFound, which never quotes it.

        A secret that a person typed into the same lines earlier is theirs to take out (`validate` says so); it does not
        keep other memories from being written.
        """
        for content in contents:
            found = self.gate(content.added)
            if content.old.exists and not content.before.clean:
                content.before.clean = not self.gate(content.old.data)
            content.after.clean = not found and (content.before.clean or not content.old.exists)
            if found and (content.before.clean or not content.old.exists or self._fresh(content, found)):
                types = ", ".join(sorted({f.type for f in found}))
                raise SecretFound(
                    f"{content.path}: {types} in what was about to be written; nothing was",
                    "take it out, then try again",
                )

    def _fresh(self, content: NewContent, found: list[Finding]) -> bool:
        text, old = content.added.decode("utf-8", "replace"), content.old.data.decode("utf-8", "replace")
        before = {old[f.start : f.end] for f in self.gate(content.old.data)}
        return any(text[f.start : f.end] not in before for f in found)

    def shareable(self, plan: Plan) -> tuple[Memory, ...]:
        """Give the replaced entries that may stand in the spool: those a person typed no secret into."""
        if all(content.before.clean for content in plan.contents):
            return plan.bases
        return tuple(m for m in plan.bases if not self.gate(dump_value(msgspec.to_builtins(m))))

    def commit(self, plan: Plan, name: str, private: bool) -> None:
        """Write a plan. Raises atomic.Changed when a file is no longer what was read: plan again, under the same name.

        Any other error leaves the files as they were, or, once the first of several is in place, the intent with which
        the next writer finishes.
        """
        temps: list[Path] = []
        kept: list[Path] = []
        swapped = False
        contents = plan.contents
        changes = tuple(FileChange(path=c.path, old=c.old.digest, new=c.after.digest) for c in contents)
        for content in contents:
            atomic.refuse_links(self.anchor, self.root / content.path)
        for folder in folders_of(self.root, contents):
            atomic.make_folder(folder, 0o700 if private else 0o755)
        try:
            self.step("intent")
            self.spool.put_intent(
                Intent(
                    id=name,
                    root=str(self.root),
                    at=self.clock(),
                    files=changes,
                    batch=plan.batch,
                    bases=self.shareable(plan),
                )
            )
            for content in contents:
                target = self.root / content.path
                self.step(f"backup {content.path}")
                if content.old.exists:
                    made = backup.keep(
                        self.root, content.path, content.old, self.clock(), content.before.clean, self.gate
                    )
                    kept += [] if made is None else [made]
                self.step(f"temporary {content.path}")
                mode = content.old.mode if content.old.exists else PRIVATE_MODE if private else FILE_MODE
                temps.append(atomic.write_temp(target, content.new, mode))
            marks = [stamp(temp) or () for temp in temps]  # a rename keeps them
            for temp, content in zip(temps, contents, strict=True):
                self.step(f"swap {content.path}")
                atomic.swap(temp, self.root / content.path, content.old.digest, content.after.digest)
                swapped = True
                self.step(f"swapped {content.path}")
            for folder in folders_of(self.root, contents):
                atomic.sync_folder(folder)
        except BaseException:
            for temp in temps:
                atomic.discard(temp)
            if not swapped:
                for made in kept:
                    atomic.discard(made)
                self.spool.drop_intent(name)
            raise
        self.finish(plan.batch, name, contents)
        for content, mark in zip(contents, marks, strict=True):
            self.reader.remember(content.after, mark)
            if content.old.exists:
                backup.prune(self.root)

    def finish(self, batch: Batch, name: str, contents: list[NewContent] | None) -> None:
        """Do what follows the swap: local refusals, the journal, the end of the intent.

        `contents` are the files as they were and are; None when a crash made that unknown.
        """
        self.step("local")
        self.refuse_locally(batch)
        self.step("journal")
        self.journal.record(batch, contents)
        self.step("done")
        self.spool.drop_intent(name)

    def refuse_locally(self, batch: Batch) -> None:
        """Bring the local refusals up to a batch; no write when they are."""
        if batch.lift or batch.refuse_locally:
            present = self.spool.refusals()
            rows = refused.joined(present, batch.lift, batch.refuse_locally)
            if rows != present:
                self.spool.put_refusals(rows)

    def closed(self, intent: Intent) -> bool:
        """Tell whether every file of an intent has its new content: then only the rest is left to do."""
        return all(atomic.read(self.root / c.path).digest == c.new for c in intent.files)

    def rescue(self, intent: Intent) -> None:
        """Put back what somebody saved while a writer that was then killed made its swap; the write is made on top."""
        for change in intent.files:
            target = self.root / change.path
            if change.old and atomic.read(target).digest == change.new:
                found = atomic.outside_save(target, (change.old, change.new))
                if found is not None:
                    found.replace(target)
                    atomic.sync_folder(target.parent)

    def sweep(self, folders: list[Path]) -> None:
        """Remove temporary files that a killed writer left. Only under the lock."""
        for folder in (self.root, self.root / backup.FOLDER, self.root / ".staging", *folders):
            atomic.sweep(folder)
