"""Bytes to records: what crashes and second writers do to a file costs no other line."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omp.sources.lines import CHUNK, Line, decode, parse, split


def lines(data: bytes) -> list[Line]:
    return list(split(io.BytesIO(data)))


def test_only_the_byte_0a_ends_a_line() -> None:
    text = '{"type":"a","text":"one\u2028two\u0085three\x0cfour"}'
    found = lines(f"{text}\n{text}\r\n".encode())
    assert [decode(line).records[0]["text"] for line in found] == ["one\u2028two\u0085three\x0cfour"] * 2


def test_byte_order_mark_empty_lines_and_numbers() -> None:
    found = lines(b'\xef\xbb\xbf{"type":"a"}\n\n  \n{"type":"b"}\n')
    assert [(line.number, [r["type"] for r in decode(line).records], decode(line).broken) for line in found] == [
        (1, ["a"], False), (2, [], False), (3, [], False), (4, ["b"], False),
    ]  # fmt: skip


def test_unterminated_tail_is_told_apart() -> None:
    found = lines(b'{"type":"a"}\n{"type":"b"')
    assert [(line.ended, line.length) for line in found] == [(True, 13), (False, 11)]


@pytest.mark.parametrize("raw", [b"\0\0\0\0", b"\0" * 5000, b"[1,2]", b"42", b'"text"', b'{"type":"user","mess'])
def test_a_line_without_a_record_is_broken(raw: bytes) -> None:
    assert decode(lines(raw + b"\n")[0]) == decode(Line(number=1, data=raw, length=len(raw), ended=True))
    assert decode(lines(raw + b"\n")[0]).broken
    assert not decode(lines(raw + b"\n")[0]).records


def test_record_behind_a_run_of_nul_is_read_and_the_line_named() -> None:
    decoded = decode(lines(b'\0\0\0{"type":"user","n":1}\n')[0])
    assert decoded.broken
    assert decoded.records == ({"type": "user", "n": 1},)


def test_second_record_on_a_line_is_recovered_and_nothing_built_from_the_first() -> None:
    torn = b'{"type":"assistant","message":{"content":[{"type":"text","text":"The relay sto'
    whole = b'{"type":"assistant","message":{"content":[{"type":"text","text":"The relay stopped."}]}}'
    decoded = decode(lines(torn + whole + b"\n")[0])
    assert decoded.broken
    assert [r["message"]["content"][0]["text"] for r in decoded.records] == ["The relay stopped."]


def test_two_whole_records_on_a_line_are_both_read() -> None:
    decoded = decode(lines(b'{"type":"a"}{"type":"b"}\n')[0])
    assert [r["type"] for r in decoded.records] == ["a", "b"]


def test_torn_record_with_nested_objects_gives_nothing() -> None:
    decoded = decode(lines(b'{"type":"user","message":{"content":[{"type":"text","text":"half\n')[0])
    assert decoded.records == ()
    front_gone = b'age":{"content":[{"type":"text","text":"tail only"}]}}\n'
    assert decode(lines(front_gone)[0]).records == ()


@pytest.mark.parametrize("raw", [rb'{"type":"a","text":"cut \ud83d"}', b'{"type":"a","text":"half \xe4\xb8"}'])
def test_half_a_character_becomes_a_replacement(raw: bytes) -> None:
    text = decode(Line(number=3, data=raw, length=len(raw), ended=True)).records[0]["text"]
    assert text.encode("utf-8").decode("utf-8").endswith("\ufffd")


def test_large_payload_is_dropped_before_decoding() -> None:
    payload = "QUJD" * (CHUNK // 2)
    record = json.dumps({"type": "user", "note": "日志 stays", "image": payload, "after": "\u4e2d" + "A" * 3000})
    line = lines(record.encode() + b'\n{"type":"b"}\n')[0]
    assert line.data is not None
    assert len(line.data) < CHUNK // 8
    value = decode(line).records[0]
    assert value["note"] == "日志 stays"
    assert value["after"].startswith("\u4e2dAAAA")


def test_line_over_the_limit_is_skipped_and_the_next_one_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("omp.sources.lines.LINE_LIMIT", 3 * CHUNK)
    wide = b'{"type":"a","text":"' + b"x y " * CHUNK + b'"}'
    found = lines(wide + b'\n{"type":"b"}\n')
    assert found[0].data is None
    assert found[0].length == len(wide) + 1
    assert decode(found[1]).records[0]["type"] == "b"


def test_endless_nesting_is_no_record() -> None:
    assert parse(b"[" * 100_000) is None


@given(st.lists(st.binary(max_size=40).filter(lambda b: b"\n" not in b), max_size=20), st.booleans())
def test_every_byte_belongs_to_one_line(parts: list[bytes], ended: bool) -> None:
    data = b"\n".join(parts) + (b"\n" if ended and parts else b"")
    found = lines(data)
    assert sum(line.length for line in found) == len(data)
    assert b"".join((line.data or b"") + (b"\n" if line.ended else b"") for line in found) == data
    for line in found:
        decode(line)
