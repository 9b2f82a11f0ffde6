"""Which part of a text a person typed.

Agents put much into the user's role that nobody typed: reminders, command output, summaries, recalled memories,
scheduled prompts. Complete wrapper elements at the edges of a message, or alone on lines of their own, are taken
off; a tag name in the middle of a sentence is the person quoting it and stays.
"""

from __future__ import annotations

import re

from omp.model import Struct

INJECTED_LIMIT = 400
"""Characters kept of injected text: enough to see what it was, nobody's voice is in it."""

_TAGS = (
    # Claude Code and what its plugins add
    "system-reminder|command-name|command-message|command-args|command-contents|local-command-[a-z]+"
    "|bash-input|bash-stdout|bash-stderr|task-notification|user-prompt-submit-hook|[a-z-]+-hook|ide_[a-z_]+"
    "|teammate-message|persisted-output|tool_use_error|new-diagnostics"
    # Codex
    "|INSTRUCTIONS|user_instructions|environment_context|permissions instructions|collaboration_mode|turn_aborted"
    "|user_shell_command|subagent_notification|goal_context|codex_internal_context|recommended_plugins"
    "|(?:apps|skills|plugins)_instructions|user_action|model_switch|hook_prompt|skill"
    # Gemini CLI, Qwen Code, Copilot CLI, Cursor, Cline, Goose
    "|session_context|hook_context|state_snapshot|skill-context|system_notification|system_reminder"
    "|current_datetime|environment_details|info-msg|open_and_recently_viewed_files|attached_files|git_status"
    # memories that come back, ours and those of other tools
    "|omp(?:[-_:][a-z_-]+)?|(?:[a-z]+[-_])*memor(?:y|ies)(?:[-_][a-z]+)*|(?:[a-z]+[-_])*recall(?:ed)?(?:[-_][a-z]+)*"
    "|relevant[-_]context|supermemory-context"
)
_OPEN = re.compile(rf"<(?P<tag>{_TAGS})(?P<attributes>\s[^<>]*)?>")
_CLOSING_END = re.compile(rf"</(?P<tag>{_TAGS})>\s*\Z")
_OWN_LINES = re.compile(
    rf"^[ \t]*<(?P<tag>{_TAGS})(?:\s[^<>]*)?>(?:(?!<(?P=tag)[ >]).)*?</(?P=tag)>[ \t]*$\n?", re.M | re.S
)
_FENCE = re.compile(r"^```(?:omp|memory|recall)[\w-]*[ \t]*\n.*?^```[ \t]*$\n?", re.M | re.S)
_MACHINE_ONLY = re.compile(
    r"<(?:local-command-|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)|task-notification"
    r"|teammate-message\s|environment_context|user_instructions|INSTRUCTIONS|permissions instructions"
    r"|codex_internal_context|turn_aborted|subagent_notification|state_snapshot|session_context)"
)
"""Tags that nobody begins a sentence with: a text that opens with one is injected even when cut off."""

_HOOK = re.compile(r"(?:(?:Pre|Post)ToolUse:\S+|UserPromptSubmit|SessionStart\S*|Stop|SubagentStop) hook\b")
_BRACKETED = re.compile(r"\A\[Request interrupted by user[^\]]*\]\s*")
_OPENINGS = (
    "Caveat: The messages below", "This session is being continued from a previous conversation",
    "Base directory for this skill:", "Stop hook feedback:", "# AGENTS.md instructions for ",
    "This is the Gemini CLI. We are setting up", "This is the Qwen Code", "[TASK RESUMPTION]",
    "--- Content from referenced files ---",     "Another language model started to solve this problem",
)  # fmt: skip
_ATTACHED = re.compile(r"^--- Content from referenced files ---$.*", re.M | re.S)

_SCHEDULED = re.compile(
    r"""\A\s*(?:
      [\[【(<]\s*(?:heart-?beat|cron|schedule[dr]?|timer|keep-?alive|health[- ]?check|wake-?up)
    | [\[【(<]\s*(?:心跳|定时|计划任务|巡检|唤醒)
    | (?:system\s+)?heart-?beat(?:\s+(?:poll|check|tick|prompt|run|\d\S*))?\s*[:.\u2014\uff1a\]]
    | read\s+heartbeat\.md\b
    | (?:scheduled|automated|automatic|periodic|recurring|unattended)\s+
      (?:(?:start-?up|boot|wake-?up|health|status|heart-?beat|self|system)[ -]*)+
      (?:check|prompt|run|task|ping|poll|message|trigger)?\s*[:.\u2014\uff1a]
    | (?:scheduled|automated|unattended)\s+(?:prompt|trigger|wake-?up|ping|poll|heart-?beat)\s*[:.\u2014\uff1a]
    | (?:start-?up|boot|wake-?up)\s+(?:prompt|check|message|sequence)\s*[:\u2014\uff1a]
    | a\s+new\s+session\s+was\s+started\s+via\b
    | (?:定时|自动|例行|周期)(?:启动|唤醒|健康|心跳|状态|巡检)(?:检查|检测|任务|提示|消息)?\s*[:：]
    | (?:启动|唤醒|开机)(?:检查|提示|自检)\s*[:：]
    | 心跳(?:检查|检测|消息|提示)?\s*[:：\d]
    )""",
    re.I | re.X,
)
_SENTINEL = re.compile(
    r"\s*[\[`*(]*(?:[A-Z]*_?HEARTBEAT(?:_[A-Z]+)*|HEARTBEAT|NO_(?:REPLY|RESPONSE|ACTION|OP|CHANGE|CHANGES|UPDATE|UPDATES)"
    r"(?:_NEEDED|_REQUIRED)?|NOTHING_TO_(?:DO|REPORT)|SILENT(?:_REPLY|_OK)?|(?:REPLY|ANNOUNCE)_SKIP|ALL_CLEAR"
    r"|(?:STATUS|HEALTH|CHECK|CRON|SYSTEM)_OK)[\]`*).!]*\s*"
)

_IDE = re.compile(r"^## My request for Codex:[ \t]*\n?", re.M)
_PROMPT_FILE = re.compile(r"^## User Input[ \t]*\n\s*```\w*[ \t]*\n(?P<typed>.*?)^```[ \t]*$(?P<rest>.*)", re.M | re.S)
_NOTED = re.compile(r"<user-memory-input>(.*?)</user-memory-input>", re.S)
"""What a person typed after `#` in Claude Code, to be remembered: theirs, so it is unwrapped."""
_PROMPT_FILE_MARK = "consider the user input before proceeding"


class Heard(Struct, frozen=True, kw_only=True):
    """A message taken apart: what a person typed ("" for nothing) and what was put around it."""

    person: str = ""
    injected: str = ""


def hear(text: str) -> Heard:
    """Take apart a text that stands in the user's role. Never raises; complete elements only are removed."""
    text = _NOTED.sub(r"\1", text).strip()
    if not text:
        return Heard()
    if scheduled(text) or (_MACHINE_ONLY.match(text) and not _closed(text)):
        return Heard(injected=text[:INJECTED_LIMIT])
    kept = _without_prompt_file(_without_ide(text))
    kept = _FENCE.sub("", _ATTACHED.sub("", kept))
    previous = None
    while kept != previous:
        previous = kept
        kept = _without_edge(_OWN_LINES.sub("", _BRACKETED.sub("", kept)).strip())
        if (
            kept.startswith(_OPENINGS)
            or _HOOK.match(kept)
            or scheduled(kept)
            or (_MACHINE_ONLY.match(kept) and not _closed(kept))
        ):
            kept = ""
    if kept == text:
        return Heard(person=text)
    return Heard(person=kept, injected=_around(text, kept)[:INJECTED_LIMIT])


def scheduled(text: str) -> bool:
    """Tell whether a text opens as a scheduled, boot or heartbeat prompt does."""
    return _SCHEDULED.match(text) is not None


def sentinel(answer: str) -> bool:
    """Tell whether an answer is nothing but a code word for "nothing to say": its prompt was a machine's."""
    return _SENTINEL.fullmatch(answer) is not None


def command(text: str) -> tuple[str, str]:
    """Give name and typed arguments of a slash command's wrapper, or two empty texts."""
    name = re.search(r"<command-name>\s*(.*?)\s*</command-name>", text, re.S)
    typed = re.search(r"<command-args>\s*(.*?)\s*</command-args>", text, re.S)
    return (name.group(1) if name else "", typed.group(1) if typed else "")


def element(text: str, tag: str) -> str:
    """Give what stands in the first complete element `tag`, trimmed, or ""."""
    found = re.search(rf"<{tag}(?:\s[^<>]*)?>(.*?)</{tag}>", text, re.S)
    return found.group(1).strip() if found else ""


def _closed(text: str) -> bool:
    opening = _OPEN.match(text)
    return opening is not None and f"</{opening['tag']}>" in text


def _without_edge(text: str) -> str:
    """Take one complete element off the beginning and one off the end."""
    opening = _OPEN.match(text)
    if opening:
        close = f"</{opening['tag']}>"
        end = text.find(close, opening.end())
        while end >= 0:
            end += len(close)
            # a closing tag that nothing opened belongs to this element: its text quoted the tag
            another, dangling = text.find(f"<{opening['tag']}", end), text.find(close, end)
            if dangling < 0 or 0 <= another < dangling:
                text = text[end:].lstrip()
                break
            end = dangling
    closing = _CLOSING_END.search(text)
    if closing:
        begin = max(text.rfind(f"<{closing['tag']}{follow}", 0, closing.start()) for follow in "> \n")
        if begin >= 0:
            text = text[:begin].rstrip()
    return text


def _without_ide(text: str) -> str:
    """Keep the request that an editor's extension put its context in front of.

    The last heading counts: selections in front of it are file contents and may hold one too.
    """
    if not text.startswith("# Context from my IDE setup:"):
        return text
    headings = list(_IDE.finditer(text))
    return text[headings[-1].end() :].strip() if headings else ""


def _without_prompt_file(text: str) -> str:
    """Keep what was typed into an expanded prompt file, which carries it fenced under `## User Input`."""
    if not text.startswith("## User Input") and _PROMPT_FILE_MARK not in text:
        return text
    found = _PROMPT_FILE.search(text)
    return found["typed"].strip() if found else text


def _around(text: str, kept: str) -> str:
    """Give what was removed: `text` without the kept part where that stands in one piece."""
    place = text.find(kept) if kept else -1
    return text if place < 0 else (text[:place] + text[place + len(kept) :]).strip()
