"""`assert_grounded`: what it finds, how it shows it, what it refuses; and its plugin in a pytest of its own."""

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from groundscope.errors import DataError, ScorerUnavailable
from groundscope.gate import assert_grounded
from groundscope.types import Passage
from tests.groundscope.gate.answers import CITED, LEASE, NOT_THERE, RULING, SOUND, WRONG_FIGURE

SOURCES = [LEASE, RULING]


def words(*given: Any, **more: Any) -> str:
    with pytest.raises(AssertionError) as error:
        assert_grounded(*given, **more)
    return str(error.value)


def test_an_answer_that_stands_on_its_sources_passes() -> None:
    assert_grounded(f"{SOUND} {CITED}", SOURCES, ["figures", "names", "quotes", "sources", "citations"])
    # Another language has figures that are read.
    assert_grounded("Die Miete beträgt $900 im Monat und ist nicht am Ende fällig.", SOURCES)


@pytest.mark.parametrize(
    ("answer", "more", "why"),
    [
        ("", {}, "The response is empty, so there is nothing to assess."),
        (" \n", {"checks": [], "method": "quip"}, "The response is empty, so there is nothing to assess."),
        ("[1] [2]", {}, "The response holds no words to assess."),
        ("# One\n\n# Two", {}, "The response holds headings only, and a heading claims nothing."),
        (SOUND, {"checks": ["citations"]}, "There was nothing to check: The answer has no citation."),
        (
            "Die Miete ist nicht von Müller, und der Vertrag gilt für ihn.",
            {"checks": ["names"]},
            "There was nothing to check: Names are looked up in English alone, and the answer has another language.",
        ),
    ],
)
def test_an_answer_with_nothing_to_check_fails_in_a_plain_sentence(answer: str, more: dict[str, Any], why: str) -> None:
    assert words(answer, SOURCES, **more).endswith(why)


def test_a_failure_shows_each_sentence_the_nearest_passage_and_what_differs() -> None:
    assert words(f"{SOUND} {WRONG_FIGURE} {NOT_THERE}", SOURCES) == "\n".join(
        [
            "The answer does not stand on its sources: 2 of 3 sentences.",
            "",
            "Sentence 2: The rent is $950 a month.",
            "  figures: “$950” is not in the sources; the nearest sentence has “$900”.",
            "  nearest, Lease, sentence 2: The rent is $900 a month.",
            "  Money: “$950” here, “$900” there",
            "",
            "Sentence 3: See Roe v. Poe, 99 F.2d 11 (2d Cir. 1950).",
            "  citations: “Roe v. Poe, 99 F.2d 11 (2d Cir. 1950)” is not in the sources.",
            "  nearest, Ruling, sentence 1: The court upheld the notice in Smith v. Jones, 12 F.3d 34 (9th Cir. 1993).",
            "  Dates: “1950” here, “1993” there",
            "  Numbers: “2d” here, “9th” there",
            "  Citations: “99 F.2d 11” here, “12 F.3d 34” there",
            "  Names: “Roe v. Poe” here, “Smith v. Jones” there",
        ]
    )


@pytest.mark.parametrize(
    "sources",
    [
        "The rent is $900 a month.",
        ["The rent is $900 a month."],
        [{"text": "The rent is $900 a month.", "source": "Lease"}],
        ({"page_content": text} for text in ["The rent is $900 a month."]),
        [Passage("x", "The rent is $900 a month."), "Another one."],
    ],
)
def test_sources_come_in_many_forms(sources: Any) -> None:
    assert "figures: “$950” is not in the sources; the nearest sentence has “$900”." in words(WRONG_FIGURE, sources)


def test_a_function_is_asked_as_a_method_is() -> None:
    def cautious(question: str, sources: Sequence[str], sentence: str) -> float:
        return 0.0 if "$950" in sentence else 1.0

    assert_grounded(SOUND, SOURCES, [], cautious)
    assert "Sentence 1: The rent is $950 a month.\n  cautious: " in words(WRONG_FIGURE, SOURCES, [], cautious)


def test_only_the_named_checks_are_made() -> None:
    assert_grounded(f"{WRONG_FIGURE} Mr. Miller paid. {CITED}", SOURCES, ["citations"])
    assert "names: “Miller”" in words(f"{WRONG_FIGURE} Mr. Miller paid.", SOURCES, ["names"])


def test_a_method_must_call_every_sentence_supported() -> None:
    assert_grounded(SOUND, SOURCES, [], method="quip")
    said = words(f"{SOUND} Bananas are yellow fruit from the tropics.", SOURCES, [], "quip")
    assert "1 of 2 sentences" in said
    why = "Quoted words finds too little in the sources for it. Support 0.00, needed "
    assert f"Sentence 2: Bananas are yellow fruit from the tropics.\n  quip: {why}" in said
    assert_grounded(f"{SOUND} Bananas are yellow fruit from the tropics.", SOURCES, [], "quip", 0.0)


def test_what_a_method_cannot_assess_fails() -> None:
    assert "The whole answer\n  quip: Quoted words gave no support: " in words("Indeed.", SOURCES, [], "quip")


def test_a_method_that_cannot_run_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUNDSCOPE_MODEL", raising=False)
    with pytest.raises(ScorerUnavailable, match="Direct prompting: Choose a model"):
        assert_grounded(SOUND, SOURCES, [], "direct")


@pytest.mark.parametrize(
    ("more", "kind", "why"),
    [
        ({"checks": "figures"}, ValueError, r"write \['figures'\]"),
        ({"checks": []}, ValueError, "there is nothing to check by"),
        ({"at_least": 0.5}, ValueError, "at_least .* goes with a method"),
        ({"method": "quip", "at_least": float("nan")}, ValueError, "at_least is a support from 0 to 1"),
        ({"sources": []}, DataError, "There are no sources"),
        ({"sources": [3]}, DataError, "The sources must be a text, or a list of texts"),
        ({"answer": None}, DataError, "The answer and the question must be text, got NoneType and str"),
    ],
)
def test_what_means_nothing_is_refused(more: dict[str, Any], kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        assert_grounded(**{"answer": SOUND, "sources": SOURCES, **more})


def test_hostile_text_is_shown_as_it_is() -> None:
    hostile = "{0} %s <b>\x00 costs $950."
    assert "“$950”" in words(hostile, ["It costs $900."])


ROOT = Path(__file__).resolve().parents[3]
PLUGIN = "groundscope.gate.plugin"

TESTS = """
import pytest

SOURCES = ["The rent is $900 a month. The lease was signed by Miller in May."]

def test_sound(assert_grounded):
    assert_grounded("The rent is $900.", SOURCES)

def test_wrong(assert_grounded):
    assert_grounded("The rent is $950 a month.", SOURCES)

@pytest.mark.grounded(checks=["names"])
def test_only_names(assert_grounded):
    assert_grounded("The rent is $950, says Miller.", SOURCES)

@pytest.mark.grounded(checks=["names"])
class TestAll:
    def test_the_call_wins(self, assert_grounded):
        assert_grounded("The rent is $950.", SOURCES, ["figures"])

    @pytest.mark.grounded(method="quip", at_least=0.99)
    def test_the_inner_marker_adds(self, assert_grounded):
        assert_grounded("Bananas grow in the tropics and are yellow.", SOURCES)

@pytest.mark.grounded("names")
def test_a_marker_that_means_nothing(assert_grounded):
    pass
"""


def run(folder: Path, *more: str) -> "subprocess.CompletedProcess[str]":
    (folder / "test_answers.py").write_text(TESTS, encoding="utf-8")
    given = ("-p", PLUGIN, "-p", "no:cacheprovider", "--strict-markers", "-W", "error", "--tb=short", "-q", "-n", "0")
    program = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); import pytest; code = pytest.main(sys.argv[1:]); "
        "print('loaded:', sorted({'torch', 'numpy', 'pandas', 'eyecite'} & set(sys.modules))); sys.exit(code)"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(ROOT), *given, *more], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_project_registers_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"groundscope": PLUGIN}


def test_fixture_and_marker_work_and_a_failure_can_be_read(tmp_path: Path) -> None:
    ended = run(tmp_path)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "3 failed, 2 passed, 1 error" in ended.stdout
    why = "“$950” is not in the sources; the nearest sentence has “$900”."
    assert f"E   Sentence 1: The rent is $950 a month.\nE     figures: {why}\n" in ended.stdout
    # The traceback ends in the test.
    assert "asserting.py" not in ended.stdout
    assert "E     quip: Quoted words finds too little in the sources for it. Support 0.00, needed 0.99." in ended.stdout
    assert "the marker grounded takes at_least, checks, method, each by its name" in ended.stdout


def test_tests_can_be_chosen_by_the_marker_and_the_marker_is_described(tmp_path: Path) -> None:
    assert "1 failed, 1 passed, 4 deselected" in run(tmp_path, "-m", "not grounded").stdout
    described = run(tmp_path, "--markers").stdout
    assert "@pytest.mark.grounded(checks, method, at_least): what the fixture assert_grounded" in described
    assert "loaded: []" in described, "a session that asserts nothing imports nothing heavy"
