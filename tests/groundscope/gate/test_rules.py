"""Reading rules: what they mean, and one sentence for each that means nothing."""

import re
from pathlib import Path

import pytest

from groundscope.errors import DataError
from groundscope.gate.rules import (
    FACT_KINDS,
    CitationsRule,
    CoverageRule,
    EffortLimit,
    FactsRule,
    GateRules,
    ShareLimit,
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
        (UnsupportedRule("quip", ShareLimit(0.1, 0.0), "first", {"n": 9}), UnsupportedRule("overlap", ShareLimit(None, 0.02))),
        FactsRule(ShareLimit(0.0), ("figures", "names")),
        CitationsRule(ShareLimit(), different=False),
        0.01,
        EffortLimit(5.0, "seconds"),
        EffortLimit(0.02),
        0.01,
        CoverageRule(0.9, 0.8),
    )
    assert rules("[facts]\n[invalid]\nat_most = 0.25").covered == 0.75


def test_the_rules_of_the_how_to_are_read() -> None:
    (block,) = re.findall(r"```toml title=\"rules.toml\"\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found = rules(block)
    assert found.unsupported == (UnsupportedRule("grounding_classifier", ShareLimit(0.1, 0.02)),)
    assert found.facts == FactsRule(ShareLimit(0.0), ("figures", "names"))
    assert (found.citations, found.latency) == (CitationsRule(ShareLimit(0.0)), EffortLimit(5.0, "seconds"))


def test_one_table_is_enough_and_no_row_may_be_lost() -> None:
    assert rules("[facts]\nat_most = 0.05") == GateRules(facts=FactsRule(ShareLimit(0.05), FACT_KINDS), invalid=0.0, level=0.05)
    assert rules('[unsupported]\nmethod = "quip"').unsupported == (UnsupportedRule("quip", ShareLimit()),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it holds no promise; add a table, such as [facts] with at_most = 0.05."),
        ("[fact]\nat_most = 0.1", "it has the unknown table 'fact'; write 'facts'."),
        ("[nothing]", "it has the unknown table 'nothing'; there are unsupported, facts,"),
        ("[facts]\natmost = 0.1", "[facts] has the unknown key 'atmost'; write 'at_most'."),
        ("facts = 0.1", "facts must be a table; write [facts] on a line of its own and its values below."),
        ("[facts]\nat_most = '0.1'", "[facts] at_most must be a number, it is '0.1'; write at_most = 0.05."),
        ("[facts]\nat_most = nan", "[facts] at_most must be a finite number, it is nan"),
        ("[facts]\nat_most = 5", "[facts] at_most is a share from 0 to 1, it is 5; write 0.05 for 5 %."),
        ("[facts]\nkinds = 'names'", '[facts] kinds must be a list, such as kinds = ["figures", "names"].'),
        ("[facts]\nkinds = ['name']", "[facts] kinds has the unknown check 'name'; write 'names'."),
        ("[citations]\ndifferent = 1", "[citations] different must be true or false, it is 1."),
        ("[unsupported]\nmethod = 1", "[unsupported] method must be text in quotation marks, it is 1."),
        ("[unsupported]\nmethod = 'quip'\noptions = 3", "[unsupported] options must be a table of parameters"),
        ("[unsupported]\nmethod = 'quip'\nthresholds = 1", "[unsupported] thresholds must be text in quotation marks, it is 1."),
        ("[[unsupported]]\nmethod = 'quip'\n" * 2, "[[unsupported]] names 'quip' twice; give each a name of its own"),
        ("[invalid]", "[invalid] needs at_most; write at_most = 0.0."),
        ("[latency]\nat_most = -1\nfield = 's'", "[latency] at_most must be 0 or more, it is -1; write at_most = 5.0."),
        ("[cost]\nat_most = 1", '[cost] needs the field of the rows that holds it, such as field = "cost"'),
        ("[facts]\n[baseline]\nlevel = 0", "[baseline] level is a share from 0 to 1, it is 0; write 0.05."),
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
