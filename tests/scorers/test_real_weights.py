"""The published weights give the published numbers. Run by `make test-weights`: eighteen gigabytes, downloaded once.

GROUNDSCOPE_WEIGHTS_DATA names a folder where they are kept from one run to the next.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.methods import registry
from groundscope.paths import DATA_VARIABLE
from scorers._pairs.encoders import TextPair
from scorers._pairs.method import PairMethod
from scorers.bart_score import PRINTED, BartScore
from scorers.context_nli import ContextNLI
from scorers.factkb import FactKB
from scorers.hem_v1 import HemV1
from scorers.hem_v2 import HemV2

pytestmark = pytest.mark.weights

TOLERANCE = 0.01


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    if folder := os.environ.get("GROUNDSCOPE_WEIGHTS_DATA"):
        monkeypatch.setenv(DATA_VARIABLE, str(Path(folder).expanduser()))


def _here(scorer: Any) -> Any:
    """The method with its weights, or a skip that says why: only a hub that cannot be reached is a reason."""
    try:
        scorer.fetch()
    except ScorerUnavailable as error:
        if "cannot be reached" in str(error):
            pytest.skip(f"the published weights were not checked: {error}")
        raise
    assert scorer.unavailable() == ""
    return scorer


def _supports(scorer: PairMethod, *pairs: tuple[str, str]) -> list[float]:
    """Of (context, claim) pairs."""
    found: list[float] = scorer.pairs([TextPair(claim, context) for context, claim in pairs]).support.tolist()
    return found


@pytest.mark.parametrize("method", [HemV1, HemV2])
def test_the_pairs_of_the_model_card_get_its_supports(method: type[PairMethod]) -> None:
    scorer = _here(method(precision="fp32"))
    assert scorer.sanity
    found = _supports(scorer, *((s.context, s.claim) for s in scorer.sanity))
    assert found == pytest.approx([s.support for s in scorer.sanity], abs=TOLERANCE)


def test_factkb_supports_what_the_context_says_more_than_what_it_denies() -> None:
    context = "The court of appeal dismissed the landlord's appeal in 2003 and awarded costs of 4,500 euros to the tenant."
    agreed, denied = _supports(
        _here(FactKB(precision="fp32")),
        (context, "The court of appeal dismissed the landlord's appeal in 2003."),
        (context, "The court of appeal allowed the tenant's appeal in 1987."),
    )
    assert agreed > denied


def test_context_nli_supports_what_follows_more_than_what_is_contradicted() -> None:
    follows, contradicted = _supports(
        _here(ContextNLI(precision="fp32")),
        ("A dog sleeps.", "A dog is asleep."),
        ("A dog sleeps.", "The dog is awake and running."),
    )
    assert follows > contradicted


def test_bartscore_gives_the_scores_that_its_authors_print() -> None:
    scorer = _here(BartScore())
    read, written, printed = PRINTED
    several = [("I'm super happy today.", "I feel good today."), ("I'm super happy today.", "I feel sad today.")]
    first, *others = (found.value for found in scorer.likelihoods([(read, written), *several]))
    assert first == pytest.approx(printed, abs=TOLERANCE)
    assert max(others) == pytest.approx(-2.5008113384246826, abs=TOLERANCE)


FOLLOWS = ("The court of appeal dismissed the landlord's appeal in 2003.", "The landlord lost the appeal in 2003.")
OTHERWISE = (FOLLOWS[0], "The landlord won the appeal in 2003.")


@pytest.mark.parametrize("name", [m for m in registry.names() if m.startswith(("nli:", "alignscore:", "minicheck:"))])
def test_a_judge_supports_what_follows_and_not_what_is_denied(name: str) -> None:
    follows, denied = _supports(_here(registry.load(name, precision="fp32")), FOLLOWS, OTHERWISE)
    assert follows > 0.5 > denied


def test_minicheck_flan_t5_gives_the_figures_of_its_model_card() -> None:
    scorer = _here(registry.load("minicheck:flan-t5", precision="fp32"))
    found = _supports(scorer, *((s.context, s.claim) for s in scorer.sanity))
    assert found == pytest.approx([s.support for s in scorer.sanity], abs=TOLERANCE)


@pytest.mark.parametrize("name", ["lettucedetect:base", "lettucedetect:large"])
def test_lettucedetect_marks_the_example_of_its_model_card(name: str) -> None:
    _here(registry.load(name, precision="fp32")).verify()
