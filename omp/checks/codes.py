"""Every code a check can give: how bad it is, what it means, what mends it. `references/problems.md` is made of it."""

from __future__ import annotations

from typing import NamedTuple

from omp.model import Severity


class Code(NamedTuple):
    """One code: its severity, what it says, and the mend."""

    severity: Severity
    meaning: str
    mend: str


CODES: dict[str, Code] = {
    # The bytes: nothing of such a file is used, and omp does not write to it.
    "too-large": Code(
        "error",
        "the file is larger than 32 MB",
        "split it: entries may move to a folder of the file's name, one file a month",
    ),
    "encoding": Code("error", "the file is not valid UTF-8", "save it as UTF-8"),
    "byte-order-mark": Code("error", "the file starts with a byte order mark", "save it as UTF-8 without one"),
    "control-character": Code("error", "a control byte stands in the file", "remove it, or write it as an escape"),
    "tab": Code("error", "a tab stands in the indentation", "indent with blanks"),
    "conflict-marker": Code(
        "error", "a conflict marker of git stands in the file", "choose a side, or keep both, by hand"
    ),
    "several-documents": Code("error", "a second YAML document starts", "keep one document in a file"),
    "directive": Code("error", "a YAML directive (`%...`)", "remove the line"),
    "anchor": Code("error", "an anchor (`&name`)", "write the value itself, or put the text in quotes"),
    "alias": Code("error", "an alias (`*name`)", "write the value itself, or put the text in quotes"),
    "tag": Code("error", "a tag (`!name`): files must not build objects", "remove it; put the value in quotes"),
    "merge-key": Code("error", "a merge key (`<<`)", "write the fields themselves, or put the key in quotes"),
    "complex-key": Code("error", "a key that is no text", "write the key as text"),
    "too-deep": Code("error", "nested deeper than 16", "flatten it"),
    "duplicate-key": Code("error", "a key stands twice in one map", "join the two"),
    "syntax": Code("error", "not YAML", "check indentation, colons and quotes"),
    "link": Code("error", "a symbolic link below `_omp/`; none is followed", "put the file itself there"),
    "unreadable": Code("error", "the file cannot be opened", "mend its permissions"),
    # The schema: the entry is not used until it is mended, its neighbours are.
    "schema": Code("error", "a field is missing, or its value has the wrong form", "see `references/format.md`"),
    "top-key": Code(
        "error", "the file lacks its top key", "write the key its name asks for, with `[]` when it is empty"
    ),
    "newer-version": Code("warning", "a later release wrote the file: it is read, not written", "update omp"),
    "unknown-field": Code(
        "warning", "a field this release does not know; it is kept", "check its spelling, or update omp"
    ),
    "personal-key": Code("warning", "a key only the user's own settings may hold; it is ignored", "move it there"),
    "id-form": Code("warning", "an id not of the form `dec-` and ten of a-z, 2-7", "leave ids to omp: `omp remember`"),
    "bad-id": Code(
        "error", "an id with blanks, slashes, control characters, or over 100 characters", "give a plain one"
    ),
    "duplicate-id": Code("error", "an id stands twice", "remove one of the two"),
    "date-form": Code("error", "a date or time not in the one form", "write 2026-03-02, or 2026-03-02T10:00:00Z"),
    "no-claim": Code("error", "an entry without a claim", "say in one sentence what holds, or remove the entry"),
    "claim-too-long": Code("error", "a claim of more than 1,000 characters", "shorten it; put the rest in `rationale`"),
    "long-claim": Code("warning", "a claim of more than 300 characters", "shorten it; put the rest in `rationale`"),
    "confidence": Code("error", "a confidence outside 0 to 1", "write a number from 0 to 1"),
    "fact-without-value": Code("error", "a row of `_meta.facts` names no value in the file", "remove the row"),
    "fact-edited": Code("warning", "a value was changed after its fact was recorded", "`omp remember` the new value"),
    # References.
    "missing-target": Code(
        "error", "an entry refers to an id that exists nowhere", "correct the id, or remove the field"
    ),
    "target-gone": Code("warning", "an entry refers to a memory that was refused or forgotten", "remove the field"),
    "cycle": Code("error", "entries supersede each other in a circle", "remove the older `supersedes`"),
    "status-mismatch": Code(
        "warning", "status and `superseded_by` do not agree", "set `status: superseded`, or remove it"
    ),
    "conflict-detected": Code(
        "error", "two branches changed the entry, nobody chose yet", "`omp resolve ID --take ours|theirs`"
    ),
    "theme-missing": Code("error", "a member names a theme that does not exist", "`omp themes rebuild`"),
    "member-missing": Code("error", "a theme has a member that does not exist", "`omp themes rebuild`"),
    "member-twice": Code("error", "an entry belongs to two themes", "keep it in one"),
    "empty-theme": Code("warning", "a theme without members", "`omp themes rebuild` drops it"),
    "threshold": Code(
        "error", "a threshold outside its range; the last good value stays in force", "write a value in the range"
    ),
    # Evidence and text.
    "evidence-edited": Code(
        "warning", "a quote no longer fits its digest: it was edited", "restore the quote (`omp log ID`)"
    ),
    "evidence-limit": Code(
        "warning", "more than five pieces of evidence, or a quote over 240 characters", "shorten it"
    ),
    "injection": Code(
        "warning", "words that try to give orders to an agent; never compiled for one", "reword or archive it"
    ),
    "secret": Code("error", "a secret or personal data", "remove it, and change the secret if it was ever pushed"),
}


def reference() -> str:
    """Make the page `references/problems.md`."""
    rows = [
        "# Problem codes",
        "",
        "What `omp validate` prints: `path:line:column: code: message`. Errors make it exit 1; warnings do so only",
        "with `--strict`. With `--staged`, problems that stood there before this commit are printed as warnings.",
        "",
        "| code | severity | what it says | mend |",
        "| --- | --- | --- | --- |",
    ]
    rows += [f"| `{name}` | {c.severity} | {_cell(c.meaning)} | {_cell(c.mend)} |" for name, c in sorted(CODES.items())]
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
