"""A conversation ends with an end word, not with a sentence that holds one."""

from __future__ import annotations

import pytest

from omp.model import CleanEvent, Session
from omp.rules.endings import ends_session


def session(text: str) -> Session:
    event = CleanEvent(agent="generic", session="s", entry="m1", role="user", voice="person", text=text)
    return Session(agent="generic", session="s", path="", events=(event,))


@pytest.mark.parametrize(
    "text", ["bye", "Thanks, bye!", "exit", "先这样，再见", "好的，先这样", "结束", "谢谢", "ok bye"]
)
def test_end_words_end_a_conversation(text: str) -> None:
    assert ends_session(session(text))


@pytest.mark.parametrize(
    "text", ["", "exit code 1?", "先这样改，再跑测试", "谢谢，再帮我看看日志", "say bye to the old API", "thanks"]
)
def test_sentences_do_not(text: str) -> None:
    assert not ends_session(session(text))
