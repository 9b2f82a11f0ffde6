"""Laws of the merge over random histories: no order, no grouping and no repetition changes what an entry becomes."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from omp.merge import merge
from omp.yamlfile import dump_value, load

IDS = ("dec-aaaaaaaaaa", "dec-bbbbbbbbbb", "dec-2026-03-05-001")
times = st.sampled_from([f"2026-03-0{d}T10:00:00Z" for d in range(1, 7)])
words = st.sampled_from(["alpha", "beta", "缓存", "3.10", "no"])
pieces = st.builds(
    lambda at, n: {"agent": "generic", "session": "s", "entry": f"m{n}", "role": "user", "at": at, "digest": f"d{n}"},
    times,
    st.integers(0, 9),
)
optional = {
    "choice": words,
    "rationale": words,
    "status": st.sampled_from(["active", "superseded", "archived"]),
    "tags": st.lists(st.sampled_from(["ops", "ci", "web", "数据"]), unique=True, max_size=3),
    "marked": st.just(True),
    "area": words,
    "unknown": words,
}


@st.composite
def entries(draw: st.DrawFn, identity: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": identity, "claim": draw(words)}
    entry |= draw(st.fixed_dictionaries({}, optional=optional))
    entry["metadata"] = {"scope": "PROJECT", "confidence": draw(st.sampled_from([0.8, 0.9]))}
    entry["timestamps"] = {"created_at": draw(times), "updated_at": draw(times)}
    return {**entry, "evidence": draw(st.lists(pieces, min_size=1, max_size=5))}


@st.composite
def states(draw: st.DrawFn, base: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Give a branch: each entry left, removed, or with some fields changed, evidence only ever added."""
    out = {}
    for identity in IDS:
        old = base.get(identity)
        what = draw(st.sampled_from(["leave", "leave", "remove", "change"]))
        if what == "leave" and old is not None:
            out[identity] = old
        elif what == "change":
            new = draw(entries(identity))
            if old is not None:
                names = draw(st.sets(st.sampled_from(sorted({*old, *new} - {"id", "evidence"})), max_size=3))
                kept = {k: v for k, v in old.items() if k not in names}
                more = new["evidence"][:1] if draw(st.booleans()) else []
                new = {**kept, **{k: v for k, v in new.items() if k in names}}
                new["evidence"] = [*old["evidence"], *more]
            out[identity] = new
    return out


def text(state: dict[str, dict[str, Any]]) -> bytes:
    return dump_value({"version": 1, "decisions": [state[i] for i in sorted(state)]})


def shape(data: bytes) -> dict[str, Any]:
    rows = load(data).plain()["decisions"]
    assert len({r["id"] for r in rows}) == len(rows)
    return {r["id"]: canonical(r) for r in rows}


def canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted((k, canonical(v)) for k, v in value.items() if v not in ("", [], None)))
    return tuple(sorted((canonical(v) for v in value), key=repr)) if isinstance(value, list) else value


@st.composite
def histories(draw: st.DrawFn) -> tuple[bytes, bytes, bytes, bytes]:
    base = {i: draw(entries(i)) for i in IDS if draw(st.booleans())}
    a, b, c = (text(draw(states(base))) for _ in range(3))
    return text(base), a, b, c


@settings(max_examples=150, deadline=None)
@given(histories(), st.booleans())
def test_the_order_of_merging_changes_nothing(history: tuple[bytes, bytes, bytes, bytes], is_known: bool) -> None:
    base, a, b, c = history
    base = base if is_known else b""
    ab = merge(base, a, b).data
    assert shape(ab) == shape(merge(base, b, a).data)
    assert shape(merge(base, ab, b).data) == shape(ab) == shape(merge(base, ab, ab).data)
    assert shape(merge(base, ab, c).data) == shape(merge(base, a, merge(base, b, c).data).data)


@settings(max_examples=100, deadline=None)
@given(histories())
def test_what_one_side_changed_is_kept(history: tuple[bytes, bytes, bytes, bytes]) -> None:
    base, a, _, _ = history
    assert shape(merge(base, a, base).data) == shape(a) == shape(merge(base, base, a).data)
