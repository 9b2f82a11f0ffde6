"""A fact's name: the same thing said again lands in the same place, another thing does not."""

from __future__ import annotations

import pytest

from omp.extract import naming


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("The loan desk is live at https://desk.example now.", "loan-desk"),
        ("the staging API is at https://stg.example", "staging-api"),
        ("https://shop.example is the live shop front", "shop-front"),
        ("测试环境往后都走 https://pre.example", "测试环境"),
        ("config lives in ./deploy/conf.yaml", "config"),
        ("导入脚本都搬到 tools/import 了", "导入脚本"),
    ],
)
def test_the_subject_names_a_place(claim: str, name: str) -> None:
    assert naming.subject(claim) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The API listens on port 8080", "the API listens on port 9090."),
        ("worker 超时时间设为 30 秒", "worker 超时时间设为 60 秒"),
        ("The upload limit is 20 MB", "the upload limit is 50 MB"),
    ],
)
def test_another_value_of_a_setting_keeps_its_name(one: str, other: str) -> None:
    assert naming.setting(one) == naming.setting(other) != ""
    assert naming.value(one) != naming.value(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The API listens on port 8080", "The worker listens on port 8080"),
        ("The upload limit is 20 MB", "The download limit is 20 MB"),
        ("缓存超时 30 秒", "队列超时 30 秒"),
    ],
)
def test_other_settings_have_other_names(one: str, other: str) -> None:
    assert naming.setting(one) != naming.setting(other)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("The API listens on port 8080", "8080"),
        ("worker 超时时间设为 30 秒", "30 秒"),
        ("log level is `debug`", "debug"),
        ("between 3 and 5 workers", "between 3 and 5 workers"),
        ("the queue is durable", "the queue is durable"),
    ],
)
def test_the_value_is_the_one_that_was_said(claim: str, value: str) -> None:
    assert naming.value(claim) == value
