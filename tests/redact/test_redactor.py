"""The masking stage as others use it: events, sessions, final bytes, failures, laws."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omp.errors import OmpError
from omp.model import CleanEvent, Event, RawSession
from omp.redact import TYPES, Redactor, Span, tokens
from omp.redact.runs import Sight
from tests.redact.rows import HITS, PERSON, G, S, b64, drawn, hexed, pem, uuid

TOKEN = G + drawn(36, 900)
KEY = S + drawn(48, 901)


class Broken:
    """An engine that fails, with the text in its message."""

    def may_find(self, seen: Sight) -> bool:
        """Always."""
        return True

    def scan(self, text: str) -> list[Span]:
        """Fail."""
        raise OmpError("the secret scanner could not finish, so the text stays out")


class Fixed:
    """An engine that finds one word."""

    def may_find(self, seen: Sight) -> bool:
        """Always."""
        return True

    def scan(self, text: str) -> list[Span]:
        """Find the word."""
        at = text.find("abracadabra")
        return [Span(at, at + 11, "word")] if at >= 0 else []


def test_same_value_same_ordinal(redactor: Redactor) -> None:
    """n is the ordinal of a distinct value within one text."""
    out = redactor.mask(f"a {TOKEN} b {KEY} c {TOKEN} d")
    assert out.text == "a [REDACTED:token:1] b [REDACTED:api_key:2] c [REDACTED:token:1] d"
    assert [(f.type, f.start) for f in out.findings] == [("token", 2), ("api_key", 45), ("token", 99)]


def test_only_known_marks_are_left_alone(redactor: Redactor) -> None:
    """A mark of an unknown type, or one that holds a value, is scanned like other text."""
    known = "token: [REDACTED:token:1] and [REDACTED:phone:12]"
    assert redactor.mask(known).text == known
    assert TOKEN not in redactor.mask(f"[REDACTED:{TOKEN}:1]").text
    assert TOKEN not in redactor.mask(f"[REDACTED:token:{TOKEN}]").text


def test_masking_twice_changes_nothing(redactor: Redactor) -> None:
    """Masked text has no finding, for all own rows."""
    for _, form, values in HITS:
        once = redactor.mask(form.format(*values)).text
        assert redactor.mask(once).text == once
        assert redactor.gate(once.encode()) == []


def test_json_still_parses(redactor: Redactor) -> None:
    """Masks stand inside strings; escapes and quotes around them stay."""
    rows: list[dict[str, object]] = [
        {"user": "root", "password": 'a"b\\c!D9', "n": 1},
        {"log": f"TOKEN={TOKEN}\nPORT=1", "path": "C:\\new\\table"},
        {"key": pem("RSA PRIVATE", 902), "next": "ok"},
        {"nested": json.dumps({"api_key": drawn(32, 903), "x": [1, 2]})},
    ]
    for row in rows:
        masked = redactor.mask(json.dumps(row, ensure_ascii=False))
        assert masked.findings
        again = json.loads(masked.text)
        assert again.keys() == row.keys()


def test_clean_masks_every_field(redactor: Redactor) -> None:
    """Text, tool, folder and branch of an event; the types are told, one per mark."""
    event = Event(
        agent="generic", session="s", entry="m1", role="user", voice="person", text=f"密码是 Quartz7!moor，令牌{TOKEN}",
        tool="bash", cwd=f"/home/x/{TOKEN}", branch=f"fix-{KEY}", at="2026-03-02T10:00:00Z", call="c", failed=True,
    )  # fmt: skip
    clean = redactor.clean(event)
    assert isinstance(clean, CleanEvent)
    assert clean.masked == ("password", "token", "token", "api_key")
    assert TOKEN not in repr(clean)
    assert KEY not in repr(clean)
    assert (clean.at, clean.call, clean.failed, clean.voice) == (event.at, "c", True, "person")
    session = redactor.clean_session(RawSession(agent="generic", session="s", path="p", events=(event,), closed=True))
    assert session.events == (clean,)
    assert session.closed


def test_gate_lets_our_own_files_pass(redactor: Redactor) -> None:
    """Ids, digests, keys, timestamps and marks never fire."""
    text = f"""version: 1
decisions:
  - id: dec-abcdefghij
    claim: "The password stays in the vault: [REDACTED:password:1]"
    date: "2026-03-02"
    timestamps: {{created_at: "2026-03-02T10:00:00Z"}}
    keys: [k2lmnopqrs, t3uvwxyzab]
    evidence:
      - agent: claude-code
        session: {uuid(904)}
        entry: toolu_{drawn(24, 905)}
        commit: {hexed(40, 906)}
        key: q7xyzabcde
        digest: {hexed(16, 907)}
"""
    assert redactor.gate(text.encode()) == []


def test_gate_finds_what_is_left(redactor: Redactor) -> None:
    """One finding for a value, at its place in characters."""
    found = redactor.gate(f"备注: {TOKEN}\n".encode())
    assert [(f.start, f.end, f.type) for f in found] == [(4, 4 + len(TOKEN), "token")]


def test_failing_closed() -> None:
    """A scanner that fails blocks masking and the gate; so do bytes that are no text."""
    redactor = Redactor(engine=Broken())
    with pytest.raises(OmpError, match="stays out"):
        redactor.mask("anything at all")
    with pytest.raises(OmpError, match="stays out"):
        redactor.gate(b"anything at all")
    with pytest.raises(OmpError, match="UTF-8"):
        redactor.gate(b"\xff\xfe\x00")


def test_another_engine_can_be_put_in() -> None:
    """What an engine finds is masked; offsets hold behind Chinese text."""
    out = Redactor(engine=Fixed()).mask("说 abracadabra 就开门")
    assert out.text == "说 [REDACTED:api_key:1] 就开门"


def test_engine_errors_are_not_quoted(tmp_path: Path) -> None:
    """Whatever the scanner raises, the message says nothing of the text."""
    from omp.redact.engine import Kingfisher

    engine = Kingfisher(tmp_path)

    class Angry:
        def scan(self, data: bytes, timeout: float) -> list[object]:
            raise TimeoutError(data.decode())

    engine._scanner = Angry()  # type: ignore[assignment]
    with pytest.raises(OmpError) as caught:
        engine.scan(f"x {TOKEN}")
    assert TOKEN not in str(caught.value) + caught.value.message
    assert caught.value.__cause__ is None


def test_importing_is_light() -> None:
    """Neither the engine nor the libraries for personal data are imported before a text needs them."""
    code = (
        "import sys, omp.redact; bad = [m for m in ('kingfisher_sdk', 'phonenumbers', 'stdnum') if m in sys.modules];"
        "omp.redact.Redactor().mask('We keep the store in YAML. 用纯文本。');"
        "bad += [m for m in ('kingfisher_sdk', 'phonenumbers', 'stdnum') if m in sys.modules]; print(bad)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_this_package_makes_clean_events() -> None:
    """No other module of the package constructs a CleanEvent."""
    package = Path(__file__).resolve().parents[2] / "omp"
    makers = [
        str(p.relative_to(package))
        for p in sorted(package.rglob("*.py"))
        if re.search(r"(?<!class )CleanEvent\(", p.read_text("utf-8"))
    ]
    assert makers == ["redact/redactor.py"]


def _all_forms() -> list[tokens.Form]:
    table, literals = tokens.forms()
    return sorted({f.id: f for f in [*(f for fs in table.values() for f in fs), *(f for _, _, f in literals)]}.values())


@pytest.mark.parametrize("form", _all_forms(), ids=lambda f: f.id)
def test_every_form_is_found_in_both_languages(redactor: Redactor, form: tokens.Form) -> None:
    """A value drawn from each form's own pattern is masked in English, in Chinese, in JSON and at a sentence's end."""
    import random

    from tests.redact.test_gate import _draw, _parsed

    assert form.type in TYPES
    dice = random.Random(form.id)
    tree = _parsed(form.pattern.pattern)
    for _ in range(60):
        value = _draw(tree, dice)
        if tokens.accept(value, form):
            break
    else:
        pytest.fail("no value of this form is accepted")
    for carrier in ("use {} for now.", "先用{}，下周换", '{{"v": "{}"}}', "it is ({}).", "X={}"):
        assert value not in redactor.mask(carrier.format(value)).text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_around_a_token(redactor: Redactor, before: str, after: str) -> None:
    """Whatever stands around it, a token is gone, and what is outside the findings stays."""
    text = f"{before} {TOKEN} {after}"
    out = redactor.mask(text)
    assert TOKEN not in out.text
    pieces, at = [], 0
    for f in out.findings:
        assert at <= f.start < f.end <= len(text)
        pieces.append(text[at : f.start])
        at = f.end
    pieces.append(text[at:])
    rest = out.text
    for piece in pieces:
        assert piece in rest
        rest = rest[rest.index(piece) + len(piece) :]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "password " * 3_000,
        "key=" * 6_000,
        "://" * 20_000,
        "@" * 50_000 + "a.b",
        "1 " * 40_000,
        "-----BEGIN RSA PRIVATE KEY-----" * 1_000,
        "\\u0041" * 10_000,
        "密码" * 10_000,
        "eyJ" * 20_000,
        "user:" * 8_000,
        "curl " * 8_000 + "-u",
        '"a" + ' * 8_000,
        "A1b2" * 20_000,
    ],
    ids=lambda t: t[:12],
)
def test_hostile_text_takes_linear_time(redactor: Redactor, text: str) -> None:
    """Text made to hurt takes at most forty times what a sixteenth of it takes."""
    redactor.mask("warm " + KEY)
    start = time.perf_counter()
    redactor.mask(text[: len(text) // 16])
    part = time.perf_counter() - start
    start = time.perf_counter()
    redactor.mask(text)
    assert time.perf_counter() - start < max(40 * part, 3.0)


def test_command_answers_each_line(tmp_path: Path) -> None:
    """`omp redact --jsonl` answers in order, with findings in characters of the original."""
    feed = "".join(
        json.dumps(r, ensure_ascii=False) + "\n"
        for r in (
            {"id": 1, "text": f"身份证 {PERSON}"},
            {"id": "b", "text": "nothing here"},
            {"id": "c", "text": b64("x")},
        )
    )
    done = subprocess.run(
        [sys.executable, "-m", "omp", "redact", "--jsonl"],
        input=feed.encode(),
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["id"] for r in rows] == [1, "b", "c"]
    assert rows[0]["text"] == "身份证 [REDACTED:cn_id:1]"
    assert rows[0]["findings"] == [{"start": 4, "end": 22, "type": "cn_id", "rule": "cn-id"}]
    assert rows[1]["findings"] == []


@pytest.mark.shared
def test_measured_floor(shared: Path, redactor: Redactor) -> None:
    """The labelled set beside the project: recall at least .97, precision at least .98, clean texts left alone."""
    found = gold = right = findings = clean = touched = 0
    for line in (shared / "data" / "secrets" / "dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        out = redactor.mask(row["text"])
        covered = {i for f in out.findings for i in range(f.start, f.end)}
        spans = [set(range(a, b)) for a, b, _ in row["spans"]]
        gold += len(spans)
        found += sum(s <= covered for s in spans)
        findings += len(out.findings)
        right += sum(any(s & set(range(f.start, f.end)) for s in spans) for f in out.findings)
        clean += not spans
        touched += not spans and bool(out.findings)
    assert found / gold >= 0.97
    assert right / findings >= 0.98
    assert touched / clean <= 0.02
