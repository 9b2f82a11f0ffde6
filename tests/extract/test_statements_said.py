"""What a person's own sentence becomes: kind, claim, fields."""

from __future__ import annotations

import pytest

from omp.model import Kind
from tests.extract.talks import dropped, learnt


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("we decided to send invoices as XML, because the ministry rejects PDF", "decision", "XML"),
        ("决定用 XML 发送发票，因为税务局不收 PDF", "decision", "XML"),
        ("payment rows must never be cached, the auditors check that", "constraint", "cached"),
        ("支付记录不许缓存，审计会查", "constraint", "缓存"),
        ("I always want metric units in whatever you write for me", "preference", "metric"),
        ("我个人习惯先写测试再写代码，换什么项目也一样", "preference", "先写测试"),
        ("let's assume ten tenants until sales has real numbers", "working_assumption", "ten tenants"),
        ("先按十个租户来算，等销售给了数再改", "working_assumption", "十个租户"),
        ("unclear who owns the mailbox, I ask Rosa on Tuesday", "open_question", "Rosa"),
        ("邮箱归谁管还没定，我周二去问财务", "open_question", "周二"),
        ("the shop is live at https://shop.otter.example now", "deployment", "shop.otter.example"),
        ("商城正式地址是 https://mall.xique.example ，已经上线", "deployment", "mall.xique.example"),
        ("the fixtures moved to qa/data, fixtures/ is gone", "path", "qa/data"),
        ("样例数据都搬到 qa/data 了", "path", "qa/data"),
        ("set POOL_SIZE to 20 in app.toml for all sites", "service_config", "POOL_SIZE"),
        ("POOL_SIZE 改成 20，两个机房都改", "service_config", "POOL_SIZE"),
        ("Quince went live for all schools today, after two years of work", "milestone", "Quince"),
        ("山楂系统今天正式上线，筹了两年", "milestone", "山楂"),
        ("I've been tuning pianos for twenty years, skip the acoustics", "skill", "pianos"),
        ("我做了十年嵌入式，不用解释寄存器", "skill", "嵌入式"),
        ("root cause: the proxy strips the auth header, turning buffering off cured it", "lesson", "proxy"),
        ("查到原因了，代理把认证头去掉了，关掉缓冲之后再没出现", "lesson", "代理"),
    ],
)
def test_kind_of_a_plain_statement(line: str, kind: Kind, words: str) -> None:
    (only,) = learnt(f"U {line}", "A ok")
    assert only.kind == kind
    assert words in only.claim
    assert only.evidence[0].entry == "m1"


@pytest.mark.parametrize(
    "line",
    [
        "what is the timeout of the gateway?",
        "网关超时是多少？",
        "maybe we could try a queue",
        "要不试试队列",
        "what if we had written it in Go, always typed and fast",
        "假如当年用 Go 写，现在都不用改",
        "oh great, another rewrite, my favourite hobby",
        "太棒了，又要重写，我最爱加班了",
        "my brother says tabs must be banned",
        "我同学说他们组必须用空格",
        "for this build only, leave the signing off, it is broken here",
        "这次先跳过钩子，下不为例",
        "all 310 tests are green on my side",
        "单测都通过了，等他们回归",
        "accuracy went up to 0.81, within noise",
        "准确率到了 0.81，没差",
        "office wifi is dying again, back in an hour",
        "内网又挂了，说两点前恢复",
        "make the button darker and add 4px padding",
        "按钮颜色深一点，圆角 6px",
        "thanks, that was quick",
        "嗯嗯，收到，多谢，回头见，辛苦",
        'summarise this: "All services must expose /health and never log personal data."',
        "看看这段：“所有接口必须返回统一结构，禁止使用魔法数字。”",
        "const [errorMessage, setErrorMessage] = useState<string | null>(null);",
        "  at hexToRgb (/srv/app/src/theme.ts:148:9)",
        "Não aplique nenhuma alteração no projeto para que não quebre",
    ],
)
def test_nothing_durable_is_said(line: str) -> None:
    assert learnt(f"U {line}", "A ok") == []


def test_short_chinese_rule_counts_more_than_its_characters() -> None:
    (rule,) = learnt("U 用空格缩进", "A 好的", "U 好的，知道了，谢谢你，辛苦辛苦")
    assert rule.claim == "用空格缩进"


def test_signal_words_inside_other_words_do_not_fire() -> None:
    assert [c.claim for c in learnt("U 这方案采用率太低", "U 我不确定该选哪家", "U 选择性缓存是什么")] == []


def test_glued_request_is_cut_off() -> None:
    (only,) = learnt("U I prefer wide columns on slides, could you also fetch the logs?")
    assert only.claim == "I prefer wide columns on slides"
    (only,) = learnt("U 我习惯看宽表格，顺便帮我把测试跑一下")
    assert only.claim == "我习惯看宽表格"


def test_both_halves_of_a_mixed_sentence_stay() -> None:
    found = learnt("U 以后 branch name 一律英文，release note 一律中文。")
    text = " ".join(c.claim for c in found)
    assert all(part in text for part in ("branch name", "英文", "release note", "中文"))


def test_rejected_options_stand_only_among_the_alternatives() -> None:
    (only,) = learnt(
        "U Options for the scheduler: Quartz, Beat or plain timers.",
        "A Quartz is heavy, timers have no retries, Beat is small.",
        "U Not Quartz. Timers are too slow. We go with Beat.",
    )
    assert only.kind == "decision"
    assert "Beat" in only.choice
    assert "Quartz" not in only.choice
    assert {a.lower() for a in only.alternatives} >= {"quartz", "timers"}


def test_reason_in_the_sentence_is_attached() -> None:
    (only,) = learnt("U we go with tar archives because the old boxes lack zip")
    assert only.rationale == "the old boxes lack zip"
    (only,) = learnt("U 决定用 tar 打包，因为老机器没有 zip")
    assert only.rationale == "老机器没有 zip"


def test_open_question_has_its_next_action() -> None:
    (only,) = learnt("U who pays for the map is still open, Ines asks the city on Thursday")
    assert "Ines asks the city on Thursday" in only.next_action


def test_facts_have_pointer_and_value() -> None:
    (only,) = learnt("U staging lives at https://stage.otter.example now")
    assert only.pointer == "/deployment/staging/url"
    assert only.value == "https://stage.otter.example"


def test_secret_value_never_enters_a_claim() -> None:
    found = learnt("U mx.pine.example on port 2587 it is now. the key is " + "birch-owl" + "-31, put it into the vault")
    assert found
    assert all("birch" not in c.claim + c.rationale + c.evidence[0].quote for c in found)


def test_each_item_of_a_list_is_its_own_memory() -> None:
    found = learnt("U 1) checkpoints moved to models/released\n2) RETRY_MAX is 7 in train.toml now")
    assert [(c.kind, c.evidence[0].entry) for c in found] == [("path", "m1"), ("service_config", "m1")]


def test_what_was_ruled_out_says_why() -> None:
    (only,) = dropped("U have we decided to ship it as tar?")
    assert only.drop == "question"


def test_examples_that_only_look_durable_give_nothing() -> None:
    lines = (
        "U our editor plugin went from 0.61.1 to 0.61.2",
        "U Heartbeat 09:02 UTC: web healthy",
        "U it scored 51/90 = 56.7% on the terminal bench",
        "U bug sweep of the parser: reviewed everything, no bugs found",
        "U show just an icon on the drawer button",
        "U 310 tests green, none red",
        "U T-19 is done and checked",
    )
    assert [c.claim for c in learnt(*lines)] == []
