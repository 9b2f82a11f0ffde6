"""What is not worth keeping whatever it says: acknowledgements, scraps, template leaks, our own recall coming back."""

from __future__ import annotations

import re

SHORTEST = 10.0
"""Least length of a claim for which no rule fired; a Chinese character counts `HAN_WEIGHT` (seed documents)."""
HAN_WEIGHT = 2.5
LONGEST_ACKNOWLEDGEMENT = 120
"""Characters; whoever writes more says more than yes."""

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_ENGLISH = (
    "ok", "okay", "k", "yes", "yep", "yeah", "yup", "no", "nope", "sure", "thanks", "thank you", "thx", "ty", "great",
    "perfect", "nice", "cool", "awesome", "good", "good job", "well done", "looks good", "sounds good", "lgtm",
    "got it", "i see", "understood", "right", "correct", "exactly", "agreed", "done", "go ahead", "go on", "continue",
    "please continue", "please", "please do", "do it", "proceed", "next", "fine", "all good", "no problem",
    "never mind",
    "makes sense", "will do", "hello", "hi", "hey", "bye", "goodbye", "see you", "works", "it works", "that works",
    "works for me", "noted", "roger", "wow", "hmm", "oh", "ah", "so", "then", "very much", "a lot", "again", "now",
)  # fmt: skip
_CHINESE = (
    "好的", "好", "好吧", "好了", "好呀", "可以", "可以的", "行", "行吧", "嗯", "嗯嗯", "哦", "噢", "对", "对的",
    "是", "是的", "没错",
    "谢谢", "谢谢你", "谢了", "多谢", "感谢", "辛苦了", "辛苦", "收到",
    "明白", "明白了", "懂了", "了解", "知道了", "我知道了", "继续", "继续吧",
    "请继续", "没问题", "不错", "很好", "非常好", "太好了", "完美", "厉害", "棒", "真棒",
    "同意", "赞成", "就这样", "就这样吧", "先这样",
    "你好", "再见", "拜拜", "完成", "完成了", "搞定", "搞定了", "下一步", "开始吧",
    "没事", "不用了", "算了", "了", "啊", "呢", "吧", "哈哈",
)  # fmt: skip
_GAP = r"[\s,.!?;:~…，。！？；：、]*"


def _anchored() -> re.Pattern[str]:
    words = "|".join(re.escape(w) for w in sorted((*_ENGLISH, *_CHINESE), key=lambda w: (-len(w), w)))
    # A whole text of nothing but such words: "ok, but use tabs" is no acknowledgement.
    return re.compile(rf"{_GAP}(?:(?:{words})(?![A-Za-z]){_GAP})+", re.I)


_ACKNOWLEDGEMENT = _anchored()
_TEMPLATE = re.compile(
    r"\{\{[^}]*\}\}|\{%[^%]*%\}|<(?:your|insert|placeholder|todo|fill)[^>]{0,40}>"
    r"|\[(?:your|insert|fill|placeholder)\b[^\]]{0,40}\]"
    r"|lorem ipsum|^(?:title|claim|summary|rationale|decision|context)\s*[:：]\s*$"
    r"|【(?:请填写|待填|填写)[^】]*】|（此处填写[^）]*）|<(?:请填写|此处)[^>]*>",
    re.I,
)
_RECALLED = re.compile(
    r"\b(?:dec|con|les|pre|asm|que|mil|chg|ski|fact)-[a-z2-7]{10}\b|\[SCOPE:[A-Z]+\]|<omp[-_:]|omp://",
    re.I,
)


def length(text: str) -> float:
    """Give the length of a text in letters; a Chinese character counts two and a half."""
    stripped = text.strip()
    han = len(_HAN.findall(stripped))
    return len(stripped) - han + HAN_WEIGHT * han


def trivial(claim: str, rules: tuple[str, ...]) -> str:
    """Give the reason why a claim is not worth keeping, "" if there is none."""
    if len(claim) <= LONGEST_ACKNOWLEDGEMENT and _ACKNOWLEDGEMENT.fullmatch(claim.strip()):
        return "acknowledgement"
    if _TEMPLATE.search(claim):
        return "template"
    if _RECALLED.search(claim):
        return "recalled"
    if not rules and length(claim) < SHORTEST:
        return "too short"
    return ""
