"""The published weights give the published numbers. Run by `make test-weights`: eighteen gigabytes, downloaded once.

GROUNDSCOPE_WEIGHTS_DATA names a folder where they are kept from one run to the next.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.methods import registry
from groundscope.models.pairs.encoders import TextPair
from groundscope.models.pairs.method import PairMethod
from groundscope.paths import Variable
from scorers.bart_score import PRINTED, BartScore

pytestmark = pytest.mark.weights

TOLERANCE = 0.01


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    if folder := os.environ.get("GROUNDSCOPE_WEIGHTS_DATA"):
        monkeypatch.setenv(Variable.DATA, str(Path(folder).expanduser()))


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


@pytest.mark.parametrize("name", ["hem_v1", "hem_v2", "minicheck:flan-t5"])
def test_the_pairs_of_the_model_card_get_its_supports(name: str) -> None:
    scorer = _here(registry.load(name, precision="fp32"))
    assert scorer.sanity
    supports = _supports(scorer, *((s.context, s.claim) for s in scorer.sanity))
    assert supports == pytest.approx([s.support for s in scorer.sanity], abs=TOLERANCE)


FOLLOWS = ("The court of appeal dismissed the landlord's appeal in 2003.", "The landlord lost the appeal in 2003.")
OTHERWISE = (FOLLOWS[0], "The landlord won the appeal in 2003.")


@pytest.mark.parametrize(
    ("name", "source", "agreed", "denied"),
    [
        (
            "factkb",
            "The court of appeal dismissed the landlord's appeal in 2003 and awarded costs of 4,500 euros to the tenant.",
            "The court of appeal dismissed the landlord's appeal in 2003.",
            "The court of appeal allowed the tenant's appeal in 1987.",
        ),
        ("context_nli", "A dog sleeps.", "A dog is asleep.", "The dog is awake and running."),
    ],
)
def test_a_cross_encoder_supports_what_follows_more_than_what_is_denied(name: str, source: str, agreed: str, denied: str) -> None:
    supports = _supports(_here(registry.load(name, precision="fp32")), (source, agreed), (source, denied))
    assert supports[0] > supports[1]


def test_bartscore_gives_the_scores_that_its_authors_print() -> None:
    scorer = _here(BartScore())
    read, written, printed = PRINTED
    several = [("I'm super happy today.", "I feel good today."), ("I'm super happy today.", "I feel sad today.")]
    first, *others = (found.value for found in scorer.likelihoods([(read, written), *several]))
    assert first == pytest.approx(printed, abs=TOLERANCE)
    assert max(others) == pytest.approx(-2.5008113384246826, abs=TOLERANCE)


@pytest.mark.parametrize("name", [m for m in registry.names() if m.startswith(("nli:", "alignscore:", "minicheck:"))])
def test_a_judge_supports_what_follows_and_not_what_is_denied(name: str) -> None:
    follows, denied = _supports(_here(registry.load(name, precision="fp32")), FOLLOWS, OTHERWISE)
    assert follows > 0.5 > denied


@pytest.mark.parametrize("name", ["lettucedetect:base", "lettucedetect:large"])
def test_lettucedetect_marks_the_example_of_its_model_card(name: str) -> None:
    _here(registry.load(name, precision="fp32")).verify()
