"""Files of pairs that people labelled: the shapes they come in, and what is wrong with hostile ones."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from groundscope.errors import DataError
from groundscope.training.further_pairs import read_pairs
from groundscope.training.pairs import DEV_SHARE, Pair

SHIPPED = Path(__file__).resolve().parents[3] / "sample_data" / "legal_nli.jsonl"
ROW = {"evidence": "It was served late.", "statement": "It came late.", "label": "supported", "split": "train", "group": "g"}


def labelled_pairs(name: str, data: bytes) -> dict[str, list[Pair]]:
    """The pairs of a file of which every row must be usable."""
    file = read_pairs(name, data)
    for row in file.rejected:
        raise DataError(f"{name}, row {row.row}: {row.reason}")
    return {"train": list(file.train), "dev": list(file.dev)}


def read(*rows: Any) -> dict[str, list[Pair]]:
    return labelled_pairs("f.jsonl", "\n".join(json.dumps(r, ensure_ascii=False) for r in rows).encode("utf-8", "surrogatepass"))


def test_the_shipped_set_is_read_without_its_test_split() -> None:
    found = labelled_pairs(SHIPPED.name, SHIPPED.read_bytes())
    assert {part: len(p) for part, p in found.items()} == {"train": 2352, "dev": 288}
    rows = [json.loads(line) for line in SHIPPED.read_text("utf-8").splitlines()]
    for part, pairs in found.items():
        expected = Counter(r["label"] == "supported" for r in rows if r["split"] == part)
        assert Counter(bool(p.label) for p in pairs) == expected
    tested = {(r["evidence"], r["statement"]) for r in rows if r["split"] == "test"}
    assert len(tested) == 480
    assert not tested & {(p.evidence, p.sentence) for p in found["train"] + found["dev"]}


def test_a_row_is_a_pair() -> None:
    assert read(ROW) == {"train": [Pair("It was served late.", "It came late.", 1.0, "g", "labelled")], "dev": []}


@pytest.mark.parametrize(
    ("row", "pair"),
    [
        ({"context": "A.", "claim": "B.", "label": "Not stated"}, ("A.", "B.", 0.0)),
        ({"evidence": ["A.", "C."], "sentence": "B.", "grounded": True}, ("A. C.", "B.", 1.0)),
        ({"evidence": "A.", "statement": "B.", "label": 0.25}, ("A.", "B.", 0.25)),
        ({"evidence": "A.", "statement": "B.", "label": " ENTAILMENT "}, ("A.", "B.", 1.0)),
        ({"evidence": None, "context": "A.", "statement": "B.", "label": "contradiction"}, ("A.", "B.", 0.0)),
        # What no model and no browser takes is replaced; what looks like the end of a line is part of the text.
        ({"evidence": "A \u2028\u0085\x0b.", "statement": "B \ud800.", "label": 0}, ("A \u2028\u0085\x0b.", "B \ufffd.", 0.0)),
    ],
)
def test_other_names_and_labels_are_taken(row: dict[str, Any], pair: tuple[str, str, float]) -> None:
    (found,) = read({**row, "split": "train"})["train"]
    assert found[:3] == pair


@pytest.mark.parametrize(("split", "part"), [("train", "train"), ("TRAIN", "train"), ("dev", "dev"), ("validation", "dev")])
def test_splits_have_other_names_too(split: str, part: str) -> None:
    assert len(read({**ROW, "group": "h", "split": "train"}, {**ROW, "split": split})[part]) == 1 + (part == "train")


def test_pairs_without_splits_are_drawn_by_group_or_else_by_evidence() -> None:
    for keys in (("group",), ()):
        rows = [{**ROW, "evidence": f"Text {i // 2}.", "group": f"g{i // 2}", "statement": f"It is {i}."} for i in range(600)]
        found = read(*[{k: v for k, v in r.items() if k in {"evidence", "statement", "label", *keys}} for r in rows])
        assert len(found["train"]) + len(found["dev"]) == 600
        assert not {p.evidence for p in found["train"]} & {p.evidence for p in found["dev"]}
        assert DEV_SHARE / 2 < len(found["dev"]) / 600 < DEV_SHARE * 2


def test_a_byte_order_mark_and_empty_lines_are_nothing() -> None:
    line = json.dumps(ROW).encode()
    assert labelled_pairs("f", b"\xef\xbb\xbf" + line + b"\r\n\r\n  \n" + line + b"\n")["train"] == read(ROW, ROW)["train"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "It is not complete JSON"),
        (b"[1, 2]", "It is not a JSON object with named fields"),
        (b'{"evidence": "\xff"}', "It is not UTF-8"),
        (b"[" * 100_000, "The brackets are nested too deeply"),
        (b'{"evidence": "A.", "statement": "B.", "label": NaN}', "Its label is none of"),
        (b'{"evidence": "A.", "evidence": "C.", "statement": "B.", "label": 1}', "the same field twice"),
        ({"evidence": "A.", "label": 1}, "It needs texts under evidence or context and under statement, claim or sentence"),
        ({"evidence": " ", "statement": "B.", "label": 1}, "It needs texts"),
        ({"evidence": [], "statement": "B.", "label": 1}, "It needs texts"),
        ({"context": [{"id": "p1", "text": "A."}], "statement": "B.", "label": 1}, "It needs texts"),
        ({"evidence": "A.", "statement": ["B."], "label": 1}, "It needs texts"),
        ({"evidence": "A.", "statement": "B.", "label": "perhaps"}, "Its label is none of"),
        ({"evidence": "A.", "statement": "B.", "label": 1.01}, "Its label is none of"),
        ({"evidence": "A.", "statement": "B.", "label": {}}, "Its label is none of"),
        ({"evidence": "A.", "statement": "B.", "label": 1, "split": ["train"]}, "'split' must be text"),
    ],
)
def test_a_hostile_row_is_named_and_never_quoted(line: bytes | dict[str, Any], words: str) -> None:
    bad = line if isinstance(line, bytes) else json.dumps(line).encode()
    with pytest.raises(DataError, match=words) as caught:
        labelled_pairs("f.jsonl", json.dumps(ROW).encode() + b"\n\n" + bad)
    assert str(caught.value).startswith("f.jsonl, row 3: ")
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 200
    assert "perhaps" not in str(caught.value)


@pytest.mark.parametrize("rows", [[], [{**ROW, "split": "test"}]])
def test_a_file_with_nothing_to_learn_from_is_reported(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(DataError, match=r"^f\.jsonl holds no pair to learn from; its rows need evidence, statement and label"):
        read(*rows)
    with pytest.raises(DataError, match=r"^f\.jsonl holds no pair .* Row 2: It is not a JSON object with named"):
        read_pairs("f.jsonl", b"\n[1]\n{")


def test_bad_rows_are_named_one_by_one_and_the_others_are_used() -> None:
    lines = [json.dumps(ROW), "{", json.dumps({**ROW, "label": "perhaps"}), json.dumps({**ROW, "split": "test"})]
    lines += [json.dumps({**ROW, "group": "h", "split": split, "statement": f"It was {split}."}) for split in ("dev", "test")]
    lines += [json.dumps({**ROW, "group": "i", "split": "test"})]
    data = "\n".join(lines).encode()
    found = read_pairs("f.jsonl", data)
    assert [(r.file, r.row, r.reason) for r in found.rejected] == [
        ("f.jsonl", 2, "It is not complete JSON (expecting property name enclosed in double quotes, character 3)."),
        ("f.jsonl", 3, "Its label is none of supported, contradicted, not_stated, true, false or a number from 0 to 1."),
        ("f.jsonl", 4, "Its group is in another split too; keep all its pairs in one."),
        ("f.jsonl", 6, "Its group is in another split too; keep all its pairs in one."),
    ]
    assert [p.sentence for p in (*found.train, *found.dev)] == ["It came late.", "It was dev."]
    assert found.untouched == 1
