"""The weights that come with the project: they are there, whole, small, load without a network, and tell right from wrong."""

import hashlib
import json
import re
import socket
import stat
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NoReturn

import pytest

from groundscope.methods import registry
from groundscope.models.weights import memory, smollm2
from groundscope.models.weights.grounding import SMOLLM2, record
from groundscope.types import Case, Passage, SentenceScore, Status
from models.data import EVIDENCE
from models.ship import MEGABYTES, MODELS, NEEDED, WEIGHTS

CONTEXT = (
    Passage(
        "p1",
        "The tenant must give the landlord written notice at least 30 days before the lease ends. The deposit is returned within "
        "14 days after the keys are handed over. The landlord may keep part of the deposit for damage beyond ordinary wear.",
    ),
    Passage("p2", "On 4 May 2019 the Court of Appeal dismissed the landlord's appeal and ordered it to pay the tenant's costs."),
)
SUPPORTED = (
    "The landlord may keep part of the deposit for damage that goes beyond ordinary wear.",
    "After the keys are handed over, the deposit is returned within 14 days.",
    "At least 30 days before the lease ends, the tenant must give written notice to the landlord.",
    "The landlord's appeal was dismissed by the Court of Appeal on 4 May 2019.",
)
CONTRADICTED = (
    "The landlord may never keep part of the deposit for damage beyond ordinary wear.",
    "The landlord must not keep any part of the deposit for damage beyond ordinary wear.",
    "The tenant must give the landlord written notice at least 90 days before the lease ends.",
    "The deposit is returned within 60 days after the keys are handed over.",
)
PLAIN = 2
"""So many of them, the first ones, lie below the threshold; how often others do not is told by the card."""


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    monkeypatch.delenv("GROUNDSCOPE_MODELS", raising=False)


PLACE = MODELS / SMOLLM2.shipped


def test_all_of_it_is_there_and_nothing_else() -> None:
    names = {p.name for p in PLACE.iterdir()}
    assert names == set(NEEDED)
    assert sum(p.stat().st_size for p in PLACE.iterdir()) <= MEGABYTES * 1_000_000
    for path in PLACE.iterdir():
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o444 == 0o444, f"{path.name} cannot be read by all"
        assert not mode & 0o111, f"{path.name} can be executed"


def test_the_weights_are_those_that_were_shipped_in_16_bit() -> None:
    data = (PLACE / WEIGHTS).read_bytes()
    assert hashlib.sha256(data).hexdigest() == record(PLACE)["sha256"]
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    assert {tensor["dtype"] for name, tensor in header.items() if name != "__metadata__"} == {"BF16"}


def test_its_record_and_its_card_say_what_it_was_made_from() -> None:
    found, card = record(PLACE), (PLACE / "README.md").read_text(encoding="utf-8")
    assert found["about"]["evidence"] == EVIDENCE
    assert 0.0 < found["responses"]["threshold"] < 1.0
    assert card.startswith(f"# {SMOLLM2.model}\n")
    for licence in ("Apache-2.0", "CC BY-SA"):
        assert licence in found["about"]["Licence"]
        assert licence in card
    for text in (card, json.dumps(found)):
        assert not re.search(r"(?<!\w)/(?:tmp|home|root|work|mnt|Users)/", text), "a path of the machine that it was made on"


def test_it_is_what_the_method_runs_on_and_loads_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    memory._loaded.clear()
    scorer: Any = registry.load("grounding_classifier")
    assert scorer.weights == SMOLLM2
    assert scorer.unavailable() == ""
    scorer.prepare()
    assert (scorer.context_unit, scorer.window, scorer.verbatim) == ("nearest", 6, True)
    assert scorer.card() == (PLACE / "README.md").read_text(encoding="utf-8")
    (requirement,) = scorer.requirements()
    assert requirement.bundled
    assert requirement.replaceable


def judged(sentences: Sequence[str]) -> tuple[SentenceScore, ...]:
    judgement = registry.load("grounding_classifier").score(Case("c", "What was decided?", CONTEXT, " ".join(sentences)))
    assert judgement.status is Status.SCORED, judgement.note
    assert len(judgement.sentences) == len(sentences)
    assert all(s.verbatim == () for s in judgement.sentences)
    return judgement.sentences


def test_it_says_what_the_context_says_from_what_it_contradicts() -> None:
    scorer: Any = registry.load("grounding_classifier")
    supported, contradicted = judged(SUPPORTED), judged(CONTRADICTED)
    supports, others = ([s.support or 0.0 for s in some] for some in (supported, contradicted))
    assert min(supports) >= scorer.about.threshold
    assert max(others[:PLAIN]) < scorer.about.threshold
    assert fmean(supports) - fmean(others) > 0.2
    assert fmean(s.contradiction or 0.0 for s in contradicted) > fmean(s.contradiction or 0.0 for s in supported)


def test_the_configuration_of_its_base_is_that_of_the_file() -> None:
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(str(smollm2.folder()), gguf_file=smollm2.FILE).to_dict()
    assert {name: config[name] for name in smollm2.CONFIG} == smollm2.CONFIG
    form = {"model_type": "llama", "hidden_act": "silu", "attention_bias": False, "mlp_bias": False}
    assert {name: config[name] for name in form} == form
