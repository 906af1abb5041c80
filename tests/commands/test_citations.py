"""`citations` as a user types it."""

import json

import pytest

from tests.commands.conftest import Shell

CATS, BIRDS = "Cats may roam. 28 U.S.C. § 1331.", "Birds always sing. Roe v. Wade, 410 U.S. 113 (1973)."
ROWS = [
    {"id": "a", "system": "one", "reference": CATS, "generated": "Cats may roam. 28 USC 1331.", "rating": 3},
    {"id": "a", "system": "two", "reference": CATS, "generated": "Nothing is cited.", "rating": 1},
    {"id": "b", "system": "one", "reference": BIRDS, "generated": "Birds always sing. 410 U.S. 113.", "rating": 4},
    {"id": "b", "system": "two", "reference": BIRDS, "generated": "Fish never do. 1 F.3d 2.", "rating": 1},
    {"reference": "alone"},
]


@pytest.fixture
def file(shell: Shell) -> str:
    (shell.home / "analyses.jsonl").write_text("\n".join(json.dumps(r) for r in ROWS), encoding="utf-8")
    return "analyses.jsonl"


def test_systems_are_shown_with_intervals_and_bad_rows_are_said(shell: Shell, file: str) -> None:
    said = shell.here("citations", file, "--quiet")
    assert said.code == 0
    assert "1.000 (1.000 to 1.000)" in said.out
    assert "Recall by ROUGE-L and Human rating: Spearman" in said.out
    assert said.err.strip() == "analyses.jsonl, row 5: 'generated' is missing."


@pytest.mark.parametrize("metric", ["best", "sum", "fresco", "points"])
def test_everything_is_shown_as_json(shell: Shell, file: str, metric: str) -> None:
    said = shell.here("citations", file, "--metric", metric, "--json", "--quiet")
    made = json.loads(said.out)
    assert (made["metric"], made["similarity"]) == (metric, "rouge_l|rouge-score 0.1.2|fmeasure|stemmer")
    assert [t["id"] for t in made["texts"]] == ["a", "a", "b", "b"]
    if metric != "points":
        assert [s["recall"]["value"] for s in made["systems"]] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--b-sim", "magic"), "no similarity 'magic'"),
        (("--b-sim", "entails:magic"), "no method 'magic'"),
    ],
)
def test_what_is_not_there_is_named(shell: Shell, file: str, arguments: tuple[str, ...], words: str) -> None:
    said = shell.here("citations", file, *arguments, "--quiet")
    assert said.code == 2
    assert words in said.err


def test_a_file_that_is_not_there_is_named(shell: Shell) -> None:
    said = shell.here("citations", "nowhere.jsonl")
    assert (said.code, "nowhere.jsonl cannot be read" in said.err) == (2, True)
