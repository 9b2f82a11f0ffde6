"""Text as extraction sees it: sentences of both scripts, quoted matter blanked out, claims trimmed to what they state.

All positions are character offsets in the text of one entry, so that a quote can always be found again.
"""

from __future__ import annotations

import re
import unicodedata

from omp.model import Struct

_FENCE = re.compile(r"```.*?(?:```|\Z)|<(system-reminder|context|environment_details)>.*?</\1>", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTE = re.compile(r"[“「『][^”」』\n]{12,}[”」』]|\"[^\"\n]{24,}\"")
"""Names and words in quotes are short; what is longer is somebody's text."""
_ITEM = re.compile(r"[ \t]*(?:\d{1,2}[.)、]|[①-⑳]|[-*•]|\([a-z0-9]\)|[a-dA-D][.)])[ \t]*")
_END = re.compile(
    r"[。！？!?…]+[”」』\"')）😂🎉👍🎯😏😄🥳~～]*\s*"
    r"|(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\d)\.+[\"')]*(?:\s+|$)"
    r"|(?<=\d)\.(?:\s+(?=[A-Za-z])|$)|；|;\s+"
)
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_FILLER = re.compile(
    r"^(?:(?:hm+|uh+|oh+|ah+|ok(?:ay)?|well|so|right|yeah|yes|yep|no|nope|good|great|nice|cool|fine|alright|sure|btw"
    r"|by the way|hey|hi|hello|morning|good morning|please|pls|thx|thanks|ty|lovely|phew|ugh|fair|sorry|anyway"
    r"|and|also"
    r"|you know what|done|then|ha|haha|lol|listen|look|true|exactly|agreed|confirmed|actually|again|oh right|👍"
    r"|🥳|🎉)"
    r"(?:[,!.:;…]+\s*|\s+-+\s*|\s*$)|(?:嗯+|哦+|啊|好的?|行|对+|是的?|可以|没问题|那个|哎|唉|诶|欸|呃|哈+|谢谢"
    r"|你好|早|对了|话说|顺便(?:说|提)一?(?:下|句)?"
    r"|顺便|另外|还有啊?|ok|好吧|行吧|对哦|不是|不对哦?|等等|算了|没错|收到|停+)[，,。！!：:～~、\s]+)+",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:(?:please |pls |and |also |oh |btw |just )*(?:remember|note|don't forget|for the record|note to self"
    r"|make a note|keep in mind|bear in mind|memori[sz]e)"
    r"(?: (?:this|that))?\b[:,]?\s*(?:that )?|(?:请|帮我)?(?:记住|记一下|记好|保存到记忆|存到记忆|再加一条"
    r"|别忘了|牢记|请记得)(?:这个|这条|一下|哈|了|啊)?[：:，,\s]*"
    r"|(?:(?:ok|okay|so|then)[, ]+)?/extract-memory[:,]?\s*)",
    re.IGNORECASE,
)
_GLUED = re.compile(
    r"(?:[,，;；]\s*|\s+)(?:(?:and |then |now |so |also )*(?:can|could|would|will) you\b|(?:and|then"
    r"|now)(?: please| also| then)? "
    r"(?:run|rerun|fix|send|show|list|add|update|push|commit|check|print|rename|open|tell|write|delete|remove|give)\b"
    r"|please (?:run|rerun|fix|send|show|list|add|update|push|commit|check|print|rename|open|tell|mirror)\b"
    r"|(?:顺便|然后|再|你)?(?:帮我|麻烦你?|给我)(?:把|改|跑|看|查|发|加|写|提交)"
    r"|你(?:的|把|去|顺手|顺便|先).{0,10}(?:跟着改|改掉|改一下|改改|提交|跑一下|跟着调))[^\n]*$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:(?:[,，.!]\s*(?:ok|okay|right|please)|(?:[,，.!]\s*|\s+)(?:thx|thanks|ty|lol|haha))(?![a-z])"
    r"|[,，]?\s*(?:哈+|啊|呀|哦|嘛|吧|哈|～|~|[😂🎉👍🎯😏😄🥳🙏]))+[.。!！\s]*$",
    re.IGNORECASE,
)
_CLOSING = " \t\r\n,，;；、:：-—"


class Sentence(Struct, frozen=True, kw_only=True):
    """One sentence: its text as it stands, its offsets in the entry, and the paragraph (line or list item) it is in."""

    text: str
    start: int
    end: int
    paragraph: int
    item: bool = False


def width(text: str) -> int:
    """Count letters and digits, a Chinese character as two: how much is said, in either script."""
    return sum(2 if _CJK.match(c) else 1 for c in text if c.isalnum())


def chinese(text: str) -> bool:
    """Tell whether the text is mainly Chinese."""
    letters = sum(c.isalpha() for c in text)
    return letters > 0 and 2 * len(_CJK.findall(text)) >= letters * 0.6


def plain(text: str) -> str:
    """Fold what patterns should not have to know: width forms and curly apostrophes. Length is kept."""
    return "".join(_narrow(c) for c in text)


def _narrow(char: str) -> str:
    if char in "’‘":
        return "'"
    if "\uff01" <= char <= "\uff5e" and char not in "，：；？！（）":
        return unicodedata.normalize("NFKC", char)
    return char


def own_words(text: str) -> str:
    """Blank out what the writer only shows: fenced code, quoted lines, long quotations. Length is kept."""
    for pattern in (_FENCE, _QUOTED_LINE, _QUOTE):
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return text


def sentences(text: str) -> list[Sentence]:
    """Split into sentences: at ends of sentences of both scripts, at line ends, list items apart."""
    result: list[Sentence] = []
    offset = 0
    for number, line in enumerate(text.split("\n")):
        marker = _ITEM.match(line)
        begin = marker.end() if marker else 0
        for start, end in _pieces(line, begin):
            piece = line[start:end]
            lead = len(piece) - len(piece.lstrip())
            body = piece.strip()
            if body and any(c.isalnum() for c in body):
                at = offset + start + lead
                result.append(
                    Sentence(text=body, start=at, end=at + len(body), paragraph=number, item=marker is not None)
                )
        offset += len(line) + 1
    return result


def _pieces(line: str, begin: int) -> list[tuple[int, int]]:
    bounds, at = [], begin
    for end in _END.finditer(line, begin):
        bounds.append((at, end.end()))
        at = end.end()
    if at < len(line):
        bounds.append((at, len(line)))
    return bounds


_LABEL = re.compile(
    r"^(?:decision|decided|conclusion|verdict|lesson(?: for us| learned| learnt)?|takeaway|rule|constraint|决定"
    r"|结论|定论|教训|规矩|铁律)"
    r"\s*[:：]\s*",
    re.IGNORECASE,
)


_LEADING = re.compile(r"^(?:so|and|also|but) (?=\w)", re.IGNORECASE)


def unglued(text: str) -> str:
    """Cut off a request glued to the end of a statement ("..., can you also run the linter?")."""
    cut = _GLUED.search(text)
    return text[: cut.start()] if cut and width(text[: cut.start()]) >= 12 else text


def unfilled(text: str) -> str:
    """Take greetings, fillers and a request to remember off the front."""
    before = None
    while before != text:
        before = text
        text = _ASKS.sub("", _FILLER.sub("", text, count=1), count=1).lstrip(_CLOSING)
    return text


def trim(text: str, limit: int) -> str:
    """Trim a statement to what it states, at most `limit` characters: no filler, greeting, glued request or sign-off.

    Identifiers, paths and commands stay as written; a text that would be left empty is given back as it was.
    """
    text = " ".join(text.split())
    short = unglued(_LEADING.sub("", _LABEL.sub("", unfilled(text))))
    short = _TAIL.sub("", short).strip(_CLOSING)
    if width(short) < 4:
        short = text
    if len(short) > limit:
        short = shorten(short, limit)
    return short.rstrip(_CLOSING)


def shorten(text: str, limit: int) -> str:
    """Cut at the last clause end, else the last blank, before `limit` characters."""
    head = text[:limit]
    cut = max(head.rfind(c) for c in ",，;；。.、")
    if cut < limit // 2:
        cut = head.rfind(" ")
    return head[: cut if cut >= limit // 2 else limit].rstrip(_CLOSING)


def content(text: str) -> frozenset[str]:
    """Give what carries content: English words of three letters up, names, numbers; Chinese pairs of characters."""
    folded = plain(text).lower()
    words = {
        w
        for w in re.findall(r"[a-z0-9_][a-z0-9_./-]*[a-z0-9_]|\d", folded)
        if w not in _STOP and (len(w) > 2 or w.isdigit())
    }
    for run in re.findall(r"[\u3400-\u9fff]+", folded):
        words |= {run[i : i + 2] for i in range(len(run) - 1)}
    return frozenset(words)


_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "from",
        "have",
        "has",
        "had",
        "are",
        "was",
        "were",
        "will",
        "would",
        "can",
        "could",
        "should",
        "you",
        "your",
        "our",
        "not",
        "but",
        "its",
        "it's",
        "they",
        "them",
        "then",
        "than",
        "into",
        "onto",
        "over",
        "out",
        "all",
        "any",
        "one",
        "two",
        "now",
        "just",
        "also",
        "too",
        "very",
        "more",
        "most",
        "some",
        "such",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "how",
        "let's",
        "lets",
        "use",
        "using",
        "used",
        "take",
        "only",
        "there",
        "here",
        "been",
        "being",
        "because",
        "since",
        "about",
        "make",
        "makes",
        "made",
        "yes",
        "okay",
        "please",
        "get",
        "got",
        "go",
        "goes",
        "going",
        "want",
        "like",
    ]
)

_REQUEST_END = re.compile(
    r"^(?:thanks?|thx|ty|谢谢|辛苦|go on|carry on|go ahead|继续|开始吧|去吧|改吧|做吧)\b", re.IGNORECASE
)


def asks_or_thanks(text: str) -> bool:
    """Tell whether a sentence only asks, thanks or sends somebody on."""
    return text.rstrip().endswith(("?", "？")) or _REQUEST_END.match(text) is not None or width(text) < 6
