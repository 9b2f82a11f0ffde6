"""The conversations of the demonstration: who said what, in order. All of it invented for this purpose.

A small project, a tool library that lends out ladders and drills; two people, two agents, two languages. Values shaped
like secrets are put together when the demonstration runs, so that none stands in this repository.
"""

from __future__ import annotations

from typing import NamedTuple


class Turn(NamedTuple):
    """One thing in a conversation. `who` is user, assistant, tool or injected (put there by the agent's program)."""

    who: str
    text: str
    tool: str = ""
    """For `tool`: the name of the tool; `text` is then what it gave back."""
    command: str = ""


def secrets() -> dict[str, str]:
    """Give values shaped like secrets, by the name of what they imitate. None of them opens anything."""
    return {
        "github token": "gh" + "p_" + "R7mKq2vXc9LzTa4WbN8sYd3HfJ6gPe1UoiQw",
        "database password": "tulip-" + "Anvil" + "-4471-heron",
        "aws key": "AKI" + "A" + "Q3EGRHXN7TZ5WDKB",
    }


def english(secret: dict[str, str]) -> list[Turn]:
    """A finished conversation with Claude Code: a proposal and its approval, a changed mind, a rule, noise, a token."""
    return [
        Turn("injected", "<system-reminder>The user opened loans/reminders.py.</system-reminder>"),
        Turn("user", "Reminders for overdue ladders go out late again. How could we send them?"),
        Turn("tool", "loans/reminders.py:41: send_all(members)", "Bash", "rg -n send_all loans"),
        Turn(
            "assistant",
            "Two ways:\n1. Keep the nightly cron job and mail everybody at once.\n"
            "2. Put each reminder into a queue and let a worker send it at noon in the member's own time zone, "
            "because members live in four time zones.\nWhich one do you want?",
        ),
        Turn("user", "Go with the second."),
        Turn("assistant", "Done: reminders are queued per member now. 14 tests pass."),
        Turn("user", "thanks, looks good"),
        Turn("user", "We decided to keep the catalogue in SQLite, because one file is easy to back up."),
        Turn("assistant", "Noted. I left the schema as it is."),
        Turn("user", "run the tests again please"),
        Turn("tool", "14 passed in 1.82s\nGITHUB_TOKEN=" + secret["github token"], "Bash", "pytest -q && env"),
        Turn("assistant", "All 14 tests pass."),
        Turn(
            "user",
            "Change of plan: for the catalogue we take Postgres instead of SQLite, because two librarians write at "
            "the same time.",
        ),
        Turn("assistant", "Understood, I will write the migration."),
        Turn("user", "Card numbers of members must never be written to a log, not even masked ones."),
        Turn("assistant", "I removed them from the audit line."),
        Turn(
            "user",
            "The mailer token is rotated, it reads MAILER_TOKEN from the vault now, the new one is "
            + secret["github token"],
        ),
        Turn("assistant", "The mailer reads MAILER_TOKEN now."),
        Turn("user", "My flatmate says we should never use cron."),
        Turn("user", "Don't remember this: I promised Rosa the green drill, I always prefer it."),
        Turn("user", "the office wifi is down again, back in ten minutes"),
        Turn(
            "user",
            "Lesson learnt: the import doubled every second row because the label scanner sends a newline after each "
            "code.",
        ),
        Turn("user", "Reminders must never go out on a Sunday."),
        Turn("assistant", "The worker waits until Monday now."),
        Turn("user", "deposit returns go through the bank, usually"),
        Turn("user", "I always want error messages to say what to do next."),
        Turn("user", "The loan desk is live at https://desk.toolshed.example now."),
        Turn("user", "bye"),
    ]


def chinese(secret: dict[str, str]) -> list[Turn]:
    """A finished conversation with Codex, in Chinese, with the same kinds of things in it."""
    return [
        Turn("injected", "<environment_context>\n  <shell>bash</shell>\n</environment_context>"),
        Turn("user", "梯子的照片存在哪里比较好？给几个方案。"),
        Turn(
            "assistant",
            "两个方案：\n1. 照片直接存进数据库。\n"
            "2. 照片放到对象存储，数据库里只记地址，因为备份会小很多。\n要哪一个？",
        ),
        Turn("user", "就用第二个"),
        Turn("assistant", "好的，照片已经改为放到对象存储。"),
        Turn("user", "好的，谢谢你，辛苦了"),
        Turn("user", "借出记录不许物理删除，只能归档，审计要查。"),
        Turn("assistant", "明白，删除接口已经改成归档。"),
        Turn(
            "tool", "DATABASE_URL=postgres://shed:" + secret["database password"] + "@db.internal/shed", "shell", "env"
        ),
        Turn("user", "帮我跑一下测试"),
        Turn("assistant", "测试都通过了。"),
        Turn(
            "user", "数据库口令换过了，新的是 password=" + secret["database password"] + "，程序从 DB_PASSWORD 读取。"
        ),
        Turn("user", "导入脚本都搬到 tools/import 了，以前的 scripts/import 不再用。"),
        Turn("assistant", "路径已经更新。"),
        Turn("user", "听说隔壁公司必须用 Kafka"),
        Turn("user", "今天先跳过检查，一律不跑"),
        Turn("user", "先这样"),
    ]


def live_english(secret: dict[str, str]) -> list[Turn]:
    """What is said to Claude Code while the daemon watches."""
    return [
        Turn("user", "Remember this: returns after 18:00 belong to the following day."),
        Turn("assistant", "I will keep to that."),
        Turn("user", "For the backup job use the key " + secret["aws key"] + " until the role is ready."),
        Turn("assistant", "The backup job runs."),
    ]


def live_chinese() -> list[Turn]:
    """What is said to Codex while the daemon watches; it ends the conversation."""
    return [
        Turn("user", "记住：押金一律以欧元计算，不接受别的货币。"),
        Turn("assistant", "好的。"),
        Turn("user", "我们决定用二维码代替条形码，因为手机就能扫，不用买扫描枪。"),
        Turn("assistant", "好的，标签模板已经换成二维码。"),
        Turn("user", "先这样"),
    ]
