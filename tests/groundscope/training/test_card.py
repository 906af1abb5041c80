"""The model card: the figures of the run, what they are worth, and nothing that a user's name could add to it."""

from pathlib import Path
from typing import Any

import pytest

from groundscope.training.finetuning import card

HOSTILE = "a|b <img src=x onerror=alert(1)> [c](http://x) `d` *e* $f$\n# g\r\n\n- h\x1b[31m\u202e\ud800 {i} %s"


def test_the_card_holds_the_figures_of_the_run(trained: Path, record: dict[str, Any]) -> None:
    text = (trained / "README.md").read_text("utf-8")
    assert text == card("model", record)
    assert text.startswith("# model\n")
    for words, key in (("Before the training", "dev_before"), ("After it", "dev_after")):
        f = record[key]
        assert f"| {words} | {f['macro_f1']:.3f} | {f['threshold']:.3f} | {f['auroc']:.3f} | {f['brier']:.3f} |" in text
        assert f"| {words} | {f['precision']:.3f} | {f['recall']:.3f} | {f['f1']:.3f} | {f['accuracy']:.3f} |" in text
    assert "| The paper's deberta-v3-large, on its own pairs | 0.736 | 0.739 | 0.733 | 0.733 |" in text
    assert "12 pairs of 6 queries." in text
    assert "It learned from 24 pairs of 12 queries." in text
    assert f"- Pairs (hash): train {record['train']}, dev {record['dev']}" in text
    assert "- Architecture: bert, 2 layers of 32" in text
    assert "- Data: made.jsonl" in text
    for name, value in record["options"].items():
        assert f"| {name.replace('_', ' ')} | {value} |" in text
    assert f"| precision | {record['precision']} |" in text
    for step, f1, auroc in record["evaluations"]:
        assert f"{step}, {f1:.3f}, {auroc:.3f}" in text
    assert record["machine"][0].split("|")[0] in text
    assert "they flatter it" in text
    assert "The licence of the weights follows from the base and from the data" in text


def test_a_record_of_an_earlier_version_has_no_table_2(record: dict[str, Any]) -> None:
    old = {k: {n: v for n, v in record[k].items() if n != "precision"} for k in ("dev_before", "dev_after")}
    assert "Called supported from one half on" in card("m", record)
    assert "Called supported from one half on" not in card("m", {**record, **old})


def test_an_early_stop_and_other_figures_are_reported(record: dict[str, Any]) -> None:
    text = card("m", {**record, "stopped_early": True, "steps": 1234})
    assert "| steps | 1,234, stopped early: dev no longer gained |" in text
    assert "stopped early" not in card("m", record)


def _responses(record: dict[str, Any], method: str) -> dict[str, Any]:
    return {"responses": 2, "beside": [{**record["dev_after"], "method": method, "seconds": 0.1}]}


@pytest.mark.parametrize("where", ["name", "value", "key", "machine", "method", "base"])
def test_a_hostile_name_adds_nothing_to_the_card(where: str, record: dict[str, Any]) -> None:
    def made(words: str) -> str:
        at = {where: words}
        return card(
            at.get("name", "m"),
            {
                **record,
                "about": {at.get("key", "Data"): at.get("value", "f.jsonl")},
                "machine": [at.get("machine", "a machine")],
                "responses": _responses(record, at.get("method", "quip")),
                "base": {**record["base"], "model_type": at.get("base", "bert")},
            },
        )

    plain, text = made("WORDS"), made(HOSTILE)
    line = "a/b &lt;img src=x onerror=alert(1)> (c)(http://x) 'd' \\*e\\* \\$f\\$ # g - h\ufffd(31m\ufffd\ufffd {i} %s"
    assert text == plain.replace("WORDS", line)
    # As many lines, cells, items and links as with an honest name.
    for sign in ("\n", "|", "[", "<", "`", "\n- ", "\n#"):
        assert text.count(sign) - line.count(sign) <= plain.count(sign), sign
    assert text.encode()
