"""One contract for every scorer: a new file in `scorers/` is tested here without an edit."""

import dataclasses
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from groundscope.methods import Method, registry
from groundscope.runtime.retention import reusing
from groundscope.types import Judgement, Status
from tests.loops import each
from tests.scorers.conftest import Check, MakeCase

ROOT = Path(__file__).resolve().parents[2]
IDS = registry.names()
CONTEXT = (
    "The court of appeal dismissed the appeal in 2003. It held that the notice was served too late.",
    "Costs of 4,500 euros were awarded to the tenant, because the landlord had acted unreasonably.",
)
RESPONSE = (
    "The court of appeal dismissed the appeal. The landlord was awarded costs of 5,400 euros!\n\n"
    "# Outcome\n\n- The notice came too late (see 12 F.3d 345).\n- Id.\n"
)


def _missing(method: str) -> str:
    return registry.load(method).unavailable()


READY = tuple(method for method in IDS if not _missing(method))
NOT_READY = tuple(method for method in IDS if _missing(method))


def test_weights_of_a_hub_are_pinned_to_a_commit() -> None:
    needed = {r.name: r.revision for method in IDS for r in registry.load(method).requirements() if r.page}
    assert len(needed) >= 15
    assert {name for name, revision in needed.items() if not re.fullmatch("[0-9a-f]{40}", revision)} == set()


def _variations(scorer: Any) -> list[Any]:
    """The same scorer with each parameter changed, one at a time, where it accepts another value."""
    hints = get_type_hints(type(scorer))
    found = []
    for name, now in scorer.parameters.items():
        for value in _others(hints[name], now):
            try:
                found.append(dataclasses.replace(scorer, **{name: value}))
            except ValueError:
                continue
    return found


def _others(hint: Any, value: Any) -> list[Any]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = {"model", "revision"} & {f.name for f in dataclasses.fields(value)}
        return [dataclasses.replace(value, **{name: "another"}) for name in sorted(names)]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value / 2]
    if hint is Path:
        return [value.with_name("another.json")]
    if hint is str:
        return ["server:another@http://127.0.0.1:9/v1"]
    flat = [c for part in (get_args(hint) or (hint,)) for c in (get_args(part) if get_origin(part) else (part,))]
    choices = get_args(hint) if get_origin(hint) is Literal else flat
    return [choice for choice in choices if isinstance(choice, str) and choice != value]


def _plain(judgement: Judgement) -> tuple[Judgement, list[Any]]:
    """What must be equal from run to run: all but the time. A pair that was not read is no number, which equals nothing."""
    matrix = [] if judgement.matrix is None else np.nan_to_num(judgement.matrix, nan=-1.0).tolist()
    return dataclasses.replace(judgement, seconds=0.0), matrix


def _rounded(value: Any) -> Any:
    """What must be equal however texts are batched: on some processors the last digits of a model's numbers are not."""
    if isinstance(value, Judgement):
        judgement, matrix = _plain(dataclasses.replace(value, cached=0.0, matrix=None))
        return _rounded([dataclasses.asdict(judgement), matrix])
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(inner) for inner in value]
    return round(value, 5) if isinstance(value, float) else value


@each("method", IDS)
def test_a_scorer_fulfils_the_protocol(method: str) -> None:
    assert isinstance(registry.load(method), Method)


@each("method", IDS)
def test_the_signature_names_the_method_and_its_model(method: str) -> None:
    scorer: Any = registry.load(method)
    assert scorer.signature.startswith(method.partition(":")[0])
    assert "\n" not in scorer.signature
    assert "None" not in scorer.signature
    if hasattr(scorer, "weights"):
        assert scorer.weights.model in scorer.signature
        assert scorer.weights.revision in scorer.signature
        assert scorer.precision in scorer.signature


@each("method", IDS)
def test_every_parameter_is_in_the_signature(method: str) -> None:
    scorer = registry.load(method)
    variations = _variations(scorer)
    assert bool(variations) == bool(scorer.parameters)
    signatures = [v.signature for v in variations]
    assert scorer.signature not in signatures
    assert len(set(signatures)) == len(signatures)


def test_no_two_methods_share_a_signature() -> None:
    assert len({registry.load(method).signature for method in IDS}) == len(IDS)


def test_a_method_that_needs_nothing_is_ready() -> None:
    needless = {m for m in IDS if not registry.load(m).about.needs}
    assert needless <= set(READY)
    assert needless >= {"grounding_classifier", "cos_sim:minilm", "overlap", "quip"}


@each("method", NOT_READY)
def test_a_method_without_its_weights_fails_in_one_sentence_and_gives_no_numbers(method: str, case: MakeCase) -> None:
    judgement = registry.load(method).score(case(RESPONSE, *CONTEXT))
    assert judgement == Judgement(Status.FAILED, note=_missing(method), context_seen=0.0)
    assert judgement.matrix is None
    assert not re.search(r"[.!?]\s", judgement.note.strip())
    assert re.search(r"\b(run|set|put|install)\b", judgement.note)


@each("method", READY)
def test_a_judgement_keeps_the_contract(method: str, case: MakeCase, check: Check) -> None:
    example = case(RESPONSE, *CONTEXT)
    judgement = registry.load(method).score(example)
    assert judgement.status is Status.SCORED
    check(judgement, example)
    heading = next(s for s in judgement.sentences if example.response[s.start : s.end] == "Outcome")
    assert heading.support is None
    assert any(s.matches for s in judgement.sentences)
    if judgement.matrix is None:
        assert not hasattr(registry.load(method), "weights")
        return
    for row, sentence in zip(judgement.matrix, judgement.sentences, strict=True):
        if sentence.support is not None and sentence.matches:
            assert sentence.matches[0].support == pytest.approx(float(np.max(row)))


@each("method", READY)
def test_what_is_read_ahead_for_many_cases_changes_no_judgement(method: str, case: MakeCase) -> None:
    scorer = registry.load(method)
    cases = [case(RESPONSE, *CONTEXT), case("The tenant won. Costs were awarded.", *CONTEXT[::-1]), case("", *CONTEXT)]
    alone = [_rounded(scorer.score(one)) for one in cases]
    with reusing():
        scorer.read_ahead(cases)
        assert [_rounded(scorer.score(one)) for one in cases] == alone


@each("method", READY)
def test_four_threads_get_the_same_judgements_again_as_one(method: str, case: MakeCase) -> None:
    scorer = registry.load(method)
    examples = [case(" ".join([RESPONSE, *CONTEXT[: i % 3]]), *CONTEXT[i % 2 :]) for i in range(6)]
    alone = [_plain(scorer.score(example)) for example in examples]
    with ThreadPoolExecutor(4) as pool:
        together = [_plain(judgement) for judgement in pool.map(scorer.score, examples)]
    assert together == alone


@each("method", READY)
def test_the_context_itself_as_the_response_has_full_support(method: str, case: MakeCase) -> None:
    text = " ".join(CONTEXT)
    judgement = registry.load(method).score(case(text, CONTEXT[1], text))
    supports = [s.support for s in judgement.sentences]
    # bf16 keeps 8 bits of a number.
    assert supports == pytest.approx([1.0] * 3, abs=0.01)
    assert judgement.support == pytest.approx(1.0, abs=0.01)


def test_naming_methods_and_embedders_loads_nothing_heavy() -> None:
    code = (
        "import sys; from groundscope.methods import registry; from groundscope.models import embedders; "
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'streamlit', 'openai', 'isaacus', 'google.genai'}; "
        "print(len(registry.names()), sorted({'huggingface_hub', *heavy} & set(sys.modules))); "
        "embedders.offered(); embedders.embedder('local:some/model').unavailable(); "
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.splitlines() == [f"{len(IDS)} []", "[]"]
    assert out.stderr == ""
