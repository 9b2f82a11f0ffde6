"""Own rows, both languages: what must go and what must stay."""

from __future__ import annotations

import pytest

from omp.redact import Redactor
from tests.redact.rows import HITS, STAYS


@pytest.mark.parametrize(
    ("lang", "form", "values"), HITS, ids=[f"{i}-{r[0]}-{r[1][:24]!r}" for i, r in enumerate(HITS)]
)
def test_value_is_gone_and_the_rest_stays(redactor: Redactor, lang: str, form: str, values: tuple[str, ...]) -> None:
    """Each value is masked; outside the findings nothing changes."""
    text = form.format(*values)
    masked = redactor.mask(text)
    for value in values:
        bare = value.strip("'")
        assert bare not in masked.text
        at = text.index(bare)
        covered = {i for f in masked.findings for i in range(f.start, f.end)}
        assert set(range(at, at + len(bare))) <= covered
    out, at = [], 0
    for f in masked.findings:
        out += [text[at : f.start], "\0"]
        at = f.end
    out.append(text[at:])
    import re

    assert re.sub(r"\[REDACTED:[a-z_]+:\d+\]", "\0", masked.text) == "".join(out)


@pytest.mark.parametrize(("lang", "text"), STAYS, ids=[f"{i}-{r[0]}-{r[1][:24]!r}" for i, r in enumerate(STAYS)])
def test_near_miss_stays(redactor: Redactor, lang: str, text: str) -> None:
    """Words without a value, placeholders, digests, ids, numbers: unchanged."""
    masked = redactor.mask(text)
    assert masked.text == text
    assert masked.findings == ()
