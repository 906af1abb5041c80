"""Before a run: which cases, how methods are named, what it takes; and the machine that it runs on, in words."""

import re
from dataclasses import dataclass, replace

import pytest

from groundscope.chat.messages import Estimate
from groundscope.errors import DataError, ModelUnavailable
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.plan import Part
from groundscope.experiments.steps import LANES
from groundscope.grounding.parts import described
from groundscope.grounding.runs import store
from groundscope.grounding.runs.planning import begin, chosen, forecast
from groundscope.methods import Method, registry
from groundscope.runtime.machine import processor, stamp
from groundscope.text.humanize import money, plural, spell
from groundscope.types import Case, Judgement
from tests.groundscope.grounding.runs.scripted import Steady, cases_of

CASES = cases_of(9)


def test_cases_are_chosen_by_split_and_number_in_their_order() -> None:
    assert chosen(CASES) == tuple(CASES)
    assert [c.id for c in chosen(CASES, "test")] == ["case-0", "case-3", "case-6"]
    assert [c.id for c in chosen(CASES, "test", 2)] == ["case-0", "case-3"]
    assert len(chosen(CASES, "", 100)) == 9
    without = [replace(c, split=None) for c in CASES[:2]]
    assert chosen([*CASES, *without], "none") == tuple(without)
    with pytest.raises(DataError, match=r"No case has the split train; there are dev, test."):
        chosen(CASES, "train")
    with pytest.raises(DataError, match="There is no case to judge"):
        chosen([], "dev")


def test_half_characters_of_cases_made_in_python_are_replaced_in_the_run() -> None:
    odd = [replace(c, query="\udfff", response=f"{c.response} \ud800 \x00") for c in CASES[:2]]
    part = described(Part("overlap"), registry.load("overlap"))
    kept = store.cases_of(store.FOLDER.open(begin("Odd", "made", odd, [part])))
    assert [(c.query, c.response) for c in kept] == [("\ufffd", f"{c.response} \ufffd \ufffd") for c in CASES[:2]]


def test_a_method_is_named_with_all_that_is_needed_to_load_it_again() -> None:
    found = described(Part("quip", options={"n": 15}), registry.load("quip", n=15))
    assert found.signature == registry.load(found.id, **found.options).signature
    assert (found.title, found.threshold, found.tuned_on, found.asks, found.cold_seconds) == (
        "QUIP",
        registry.load("quip").about.threshold,
        "dev",
        False,
        None,
    )
    asking = described(Part("multi_gen"), registry.load("multi_gen"))
    assert (asking.asks, asking.tuned_on) == (True, "train")
    bare = described(Part("bare"), Steady("bare"))
    assert (bare.title, bare.threshold) == ("bare", None)


def test_a_run_keeps_the_texts_that_its_methods_ask_with() -> None:
    def kept(method: str, *wordings: int, **options: str) -> dict[str, dict[str, str]]:
        found = described(Part(method, options=options), registry.load(method, **options), wordings).prompts
        return {name: dict(texts) for name, texts in found.items()}

    ship = {p.name: dict(p.texts) for p in registry.load("direct").prompts()}
    assert kept("direct") == {"standard": ship["standard"]}
    assert kept("direct", prompt="lynx") == {"lynx": ship["lynx"]}
    # Stability judges copies of a case with the rewordings, too.
    assert kept("direct", 0, 2, 1, 2) == {name: ship[name] for name in ("standard", "plain", "steps")}
    assert kept("quip") == kept("overlap") == {}
    assert kept("direct:granite-guardian") == {"published": {"message": "{claim}"}}


@dataclass(frozen=True)
class Estimating(Method):
    """Tells what a case takes by its number; some cannot be told."""

    asks = True
    signature: str = "estimating"
    dollars: float | None = 0.01
    address: str = "host"
    missing: str = ""
    refuses: bool = False

    def unavailable(self) -> str:
        return self.missing

    def estimate(self, case: Case) -> Estimate:
        if self.refuses:
            raise ModelUnavailable("Too long for the model.")
        return Estimate(2, 100, 10, self.dollars, self.address, again=1)

    def score(self, case: Case) -> Judgement:
        raise AssertionError


def _parts(methods: dict[str, Method]) -> list[tuple[Part, Method]]:
    return [(described(Part(name), method), method) for name, method in methods.items()]


def test_what_a_run_takes_is_reported_before_it() -> None:
    methods: dict[str, Method] = {
        "local": Steady("local"),
        "asks": Estimating(),
        "unpriced": Estimating(dollars=None),
        "missing": Estimating(missing="Its weights are not here."),
        "refuses": Estimating(refuses=True),
    }
    found = forecast(CASES, _parts(methods), {"local|scripted": 0.5, "estimating": 4.0})
    assert found["local"] == CostEstimate("local", seconds=4.5)
    # Of sentences a local method reads less, and a call takes as long.
    short = forecast(CASES, _parts(methods), {"local|scripted": 0.5, "estimating": 4.0}, size=0.2)
    assert (short["local"].seconds, short["asks"]) == (pytest.approx(0.9), found["asks"])
    asks = found["asks"]
    assert (asks.amount, asks.tokens, asks.dollars, asks.address) == ("18 to 27 calls", 990, pytest.approx(0.09), "host")
    assert asks.seconds == 36.0 / LANES
    assert found["unpriced"].dollars is None
    assert (found["missing"].missing, found["missing"].calls) == ("Its weights are not here.", 0)
    assert found["refuses"].missing == "Too long for the model."
    assert forecast(CASES, _parts({"local": Steady("x")}), {})["local"].seconds is None
    # Calls of many cases are scaled up from some.
    (many,) = forecast(cases_of(1_001), _parts({"asks": Estimating()}), {}).values()
    assert (many.calls, many.dollars) == (2_002, pytest.approx(10.01))


def test_the_machine_is_named() -> None:
    hardware, software = stamp()
    assert processor() in hardware
    assert "cores" in hardware
    assert re.search(r"Python 3\..*numpy ", software)


def test_durations_money_and_counts_have_words() -> None:
    assert [spell(s) for s in (0.04, 9.96, 59.6, 3599.6, 7_800)] == ["0.0 s", "10 s", "1 min 0 s", "1 h 0 min", "2 h 10 min"]
    assert [money(d) for d in (0, 0.0004, 0.1, 1234.5)] == ["$0.00", "$0.0004", "$0.10", "$1,234.50"]
    assert [plural(n, "answer") for n in (0, 1, 1_200)] == ["0 answers", "1 answer", "1,200 answers"]
    assert plural(2, "query", "queries") == "2 queries"
