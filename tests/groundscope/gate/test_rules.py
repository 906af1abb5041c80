"""Reading rules: what they mean, and one sentence for each that means nothing."""

import re
from pathlib import Path

import pytest

from groundscope.errors import DataError
from groundscope.gate.rules import (
    FACT_KINDS,
    BaselineRule,
    CitationsRule,
    CoverageRule,
    EffortLimit,
    FactsRule,
    GateRules,
    InvalidRule,
    UnsupportedRule,
    read_rules,
)

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "gate.md"
WHOLE = """
[[unsupported]]
method = "quip"
options = { n = 9 }
thresholds = "first"
at_most = 0.1

[[unsupported]]
method = "overlap"
worse_by = 0.02

[facts]
kinds = ["names", "figures"]
at_most = 0

[citations]
different = false

[invalid]
at_most = 0.01

[coverage]
at_least = 0.9
sentences = 0.8

[latency]
at_most = 5
field = "seconds"

[cost]
at_most = 0.02

[baseline]
level = 0.01
"""


def rules(text: str) -> GateRules:
    return read_rules("rules.toml", text.encode())


def test_every_promise_is_read() -> None:
    assert rules(WHOLE) == GateRules(
        (UnsupportedRule(0.1, 0.0, "quip", "first", {"n": 9}), UnsupportedRule(None, 0.02, "overlap")),
        FactsRule(0.0, 0.0, ("figures", "names")),
        CitationsRule(different=False),
        InvalidRule(0.01),
        CoverageRule(0.9, 0.8),
        EffortLimit(5.0, "seconds"),
        EffortLimit(0.02),
        BaselineRule(0.01),
    )
    assert rules("[facts]\n[invalid]\nat_most = 0.25").covered == 0.75


def test_the_rules_of_the_how_to_are_read() -> None:
    (block,) = re.findall(r"```toml title=\"rules.toml\"\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found = rules(block)
    assert found.unsupported == (UnsupportedRule(0.1, 0.02, "grounding_classifier"),)
    assert found.facts == FactsRule(0.0, kinds=("figures", "names"))
    assert (found.citations, found.latency) == (CitationsRule(0.0), EffortLimit(5.0, "seconds"))


def test_one_table_is_enough_and_no_row_may_be_lost() -> None:
    assert rules("[facts]\nat_most = 0.05") == GateRules(facts=FactsRule(0.05, kinds=FACT_KINDS))
    assert rules('[unsupported]\nmethod = "quip"').unsupported == (UnsupportedRule(method="quip"),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it holds no promise; add a table, such as [facts] with at_most = 0.05."),
        ("[fact]\nat_most = 0.1", "it has the unknown key 'fact'; write 'facts'."),
        ("[nothing]", "it has the unknown key 'nothing'; there are unsupported, facts,"),
        ("[facts]\natmost = 0.1", "[facts] has the unknown key 'atmost'; write 'at_most'."),
        ("facts = 0.1", "facts must be a table with names and values below it, it is 0.1."),
        ("[facts]\nat_most = '0.1'", "[facts] at_most must be a number, such as 0.05, it is '0.1'."),
        ("[facts]\nat_most = nan", "[facts] at_most is a share from 0 to 1, it is nan; write 0.05."),
        ("[facts]\nat_most = 5", "[facts] at_most is a share from 0 to 1, it is 5; write 0.05 for 5 %."),
        ("[facts]\nkinds = 'names'", "[facts] kinds must be a list in brackets, it is 'names'."),
        ("[facts]\nkinds = ['name']", "[facts] kinds has the unknown check 'name'; write 'names'."),
        ("[citations]\ndifferent = 1", "[citations] different must be true or false, it is 1."),
        ("[unsupported]\nmethod = 1", "[unsupported] entry 1 method must be text in quotation marks, it is 1."),
        (
            "[unsupported]\nmethod = 'quip'\noptions = 3",
            "[unsupported] entry 1 options must be a table of names and values, such as { n = 9 }, it is 3.",
        ),
        (
            "[unsupported]\nmethod = 'quip'\nthresholds = 1",
            "[unsupported] entry 1 thresholds must be text in quotation marks, it is 1.",
        ),
        ("[[unsupported]]\nmethod = 'quip'\n" * 2, "[[unsupported]] names 'quip' twice; give each a name of its own"),
        ("[invalid]", "[invalid] needs at_most; write at_most = and its value there."),
        (
            "[latency]\nat_most = -1\nfield = 's'",
            "[latency] at_most must be a finite number of 0 or more, such as 5.0, it is -1.",
        ),
        ("[cost]\nat_most = 1", '[cost] needs the field of the rows that holds it, such as field = "cost"'),
        ("[facts]\n[baseline]\nlevel = 0", "[baseline] level is a share between 0 and 1, it is 0; write 0.05."),
    ],
)
def test_what_means_nothing_is_refused_in_one_sentence(text: str, why: str) -> None:
    with pytest.raises(DataError) as error:
        rules(text)
    assert str(error.value).startswith(f"rules.toml: {why}")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"[facts", "TOML: .+ Correct that place"),
        (b"[facts]\nat_most = 0.1\nat_most = 0.2", "TOML"),
        (b"a=" + b"[" * 5000, "TOML"),
        (b'a="\xff"', r"UTF-8 \(byte 4\); save it as UTF-8"),
    ],
)
def test_what_is_no_toml_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(DataError, match=rf"^rules.toml is not {why}"):
        read_rules("rules.toml", data)
