"""Message batches: half the price, in rounds, and a run that was interrupted collects what it sent."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from groundscope.chat import replies as reply_store
from groundscope.chat.budget import Budget, spending
from groundscope.chat.clients import batches
from groundscope.chat.clients.batches import in_rounds
from groundscope.errors import BudgetSpent, Cancelled, ModelUnavailable
from groundscope.methods import Method
from groundscope.paths import data_folder
from groundscope.runtime.retention import keeping
from groundscope.types import Case, Judgement
from tests.groundscope.chat.clients.conftest import Serve, forget
from tests.groundscope.chat.clients.scripts import CLAUDE, by_task, case, line, load, model
from tests.llm_server import Asked, Fault, Said

CASES = [case(f"Appeal {i} was dismissed. Costs went to the tenant.", f"Appeal {i} was allowed.") for i in range(3)]


def _numbered(asked: Asked, **row: str) -> list[dict[str, object]]:
    return [{"number": i, **row} for i, _ in enumerate(asked.data["claims"].splitlines(), 1)]


MODEL = by_task(
    triplets=[{"sentence": s, "subject": "s", "predicate": "p", "object": f"o{s}"} for s in (1, 2)],
    labels=lambda asked: _numbered(asked, label="Contradiction", reason="It was allowed."),
    truths=lambda asked: [asked.data["document"]],
    claims=lambda asked: [{"sentence": 1, "text": asked.data["answer"].splitlines()[0]}],
    verdicts=lambda asked: _numbered(asked, verdict="no", reason="It was allowed."),
)


def _run(method: str, wait: Callable[[float], None] = lambda _: None, cases: list[Case] = CASES) -> list[Judgement]:
    found, lost = _rounds(load(method, CLAUDE), cases, wait)
    assert lost == []
    return [found[c] for c in cases]


def leave(_: float) -> None:
    raise Cancelled


def _rounds(
    scorer: Method, cases: list[Case], wait: Callable[[float], None] = lambda _: None
) -> tuple[dict[Case, Judgement], list[Case]]:
    """What came back, and the cases whose replies never came."""
    found: dict[Case, Judgement] = {}

    def one(asked: Case) -> None:
        found[asked] = scorer.score(asked)

    with keeping():
        lost = in_rounds(cases, one, wait=wait)
    return found, lost


@pytest.mark.parametrize(("method", "calls"), [("refchecker", [3, 6]), ("claims_verify", [6, 3]), ("direct", [3])])
def test_a_run_goes_in_rounds_and_costs_half(method: str, calls: list[int], serve: Serve) -> None:
    model_ = by_task(reasons=lambda _: json.dumps({"reasons": [], "unsupported": [], "verdict": "FAIL"}))
    server = serve(model_ if method == "direct" else MODEL)
    budget = Budget()
    waits: list[float] = []
    with spending(budget):
        judgements = _run(method, waits.append)
    assert [len(batch) for batch in server.batches.values()] == calls
    assert waits == [60.0] * len(calls)
    assert [(j.status, j.support, j.cached) for j in judgements] == [("scored", 0.0, 1.0)] * 3
    assert server.asked == []
    assert [path for method, path, _ in server.requests if method == "POST"] == ["/v1/messages/batches"] * len(calls)
    assert budget.spent.calls == sum(calls)
    with closing(sqlite3.connect(data_folder() / "replies.sqlite")) as db:
        replies = [json.loads(row) for (row,) in db.execute("SELECT reply FROM replies")]
    assert budget.spent.dollars == pytest.approx(sum(row["cost"] for row in replies))
    for row in replies:
        tokens = row["usage"]
        assert row["cost"] == pytest.approx((tokens["input"] * 0.1 + tokens["output"] * 0.5) / 1e6 / 2)
    # The same, asked one by one, gives the same judgement.
    assert reply_store.default().clear()
    with keeping():
        single = load(method, CLAUDE).score(CASES[0])
    assert (single.support, single.sentences, single.claims) == (
        judgements[0].support,
        judgements[0].sentences,
        judgements[0].claims,
    )


def test_what_a_batch_holds_is_what_a_call_does(serve: Serve) -> None:
    server = serve(MODEL)
    _run("refchecker")
    requests = [request for batch in server.batches.values() for request in batch]
    assert len({request["custom_id"] for request in requests}) == len(requests) == 9
    assert all(len(request["custom_id"]) <= 64 for request in requests)
    for request in requests:
        params = request["params"]
        assert params["output_config"]["format"]["type"] == "json_schema"
        assert request["custom_id"].endswith(Asked("messages", "", params, {}).marker)
    shared = [request["params"]["messages"][0]["content"][0].get("cache_control") for request in server.batches["batch1"]]
    assert shared == [{"type": "ephemeral"}] * 6


@pytest.mark.parametrize("method", ["refchecker", "claims_verify"])
def test_an_interrupted_run_collects_what_it_sent(method: str, serve: Serve) -> None:
    server = serve(MODEL)

    sent = 0
    for _ in range(5):
        try:
            judgements = _run(method, leave)
            break
        except Cancelled:
            # As a new process: nothing in memory.
            forget()
            sent += 1
    assert sent == 2
    assert len(server.batches) == 2
    assert [j.support for j in judgements] == [0.0] * 3
    assert json.loads((data_folder() / "batches.json").read_text()) == {}


def test_a_later_run_of_other_cases_collects_first_and_sends_its_own(serve: Serve) -> None:
    server = serve(MODEL)

    with pytest.raises(Cancelled):
        _run("refchecker", leave, CASES[:1])
    judgements = _run("refchecker", cases=CASES[1:])
    assert [j.support for j in judgements] == [0.0] * 2
    assert [len(batch) for batch in server.batches.values()] == [1, 2, 4]


def test_a_row_that_failed_is_asked_again_in_the_next_batch(serve: Serve) -> None:
    failing = {"batch0": 2}

    def answer(asked: Asked) -> str | Said:
        name = asked.path.split("/")[4]
        if failing.get(name, 0):
            failing[name] -= 1
            return Said("", stop="errored")
        return MODEL(asked)

    server = serve(answer)
    assert [j.support for j in _run("refchecker")] == [0.0] * 3
    # Two of three extractions failed: asked again with the first case's checks.
    assert [len(batch) for batch in server.batches.values()] == [3, 2 + 2, 4]


def test_a_row_that_always_fails_is_given_back(serve: Serve) -> None:
    server = serve(lambda asked: Said("", stop="errored") if "Appeal 1" in asked.user else MODEL(asked))
    found, lost = _rounds(load("refchecker", CLAUDE), CASES)
    assert lost == [CASES[1]]
    assert [found[c].status for c in (CASES[0], CASES[2])] == ["scored"] * 2
    assert len(server.batches) == batches._ROUNDS


def test_an_unreadable_reply_is_asked_for_once_more_in_the_next_batch(serve: Serve) -> None:
    server = serve(lambda asked: MODEL(asked) if "triplets" in asked.task else "no JSON")
    judgements = _run("refchecker", cases=CASES[:1])
    assert (judgements[0].status, judgements[0].raw) == ("invalid", "no JSON")
    assert [len(batch) for batch in server.batches.values()] == [1, 2, 2]


def test_faults_between_looks_do_not_end_a_run(serve: Serve) -> None:
    server = serve(
        MODEL,
        Fault("status", times=2, status=529, only="/batches/"),
        Fault("status", times=2, status=500, only="/results"),
        Fault("status", times=1, status=429, only="/batches"),
    )
    assert [j.support for j in _run("refchecker")] == [0.0] * 3
    assert len(server.batches) == 2


def test_a_batch_that_is_gone_is_sent_again(serve: Serve) -> None:
    server = serve(MODEL)

    with pytest.raises(Cancelled):
        _run("refchecker", leave)
    server.batches.clear()
    server.looks.clear()
    forget()
    assert [j.support for j in _run("refchecker")] == [0.0] * 3
    assert [len(batch) for batch in server.batches.values()] == [3, 6]


def test_a_fault_that_leaves_open_whether_a_batch_was_taken_does_not_send_it_twice(serve: Serve) -> None:
    server = serve(MODEL, Fault("status", status=500, only="/batches"))
    with pytest.raises(ModelUnavailable, match=r"answered 500\. Run again later"):
        _run("refchecker")
    assert [path for _, path, _ in server.requests] == ["/v1/messages/batches"]
    server.faults = [Fault("status", status=401, only="/batches")]
    with pytest.raises(ModelUnavailable, match="401: the key is not valid"):
        _run("refchecker")


def test_a_budget_holds_for_a_batch_as_a_whole(serve: Serve) -> None:
    server = serve(MODEL)
    with spending(Budget(calls=8)), pytest.raises(BudgetSpent):
        _run("refchecker")
    # The first three went, the next six would have passed it.
    assert [len(batch) for batch in server.batches.values()] == [3]
    with spending(Budget(dollars=0.0001)), pytest.raises(BudgetSpent):
        _run("claims_verify")
    with spending(Budget(calls=6)):
        assert [j.support for j in _run("refchecker")] == [0.0] * 3


def test_what_a_batch_cost_is_counted_though_the_budget_is_spent(serve: Serve) -> None:
    serve(MODEL)

    with pytest.raises(Cancelled):
        _run("refchecker", leave)
    forget()
    with spending(Budget(calls=2)) as spent, pytest.raises(BudgetSpent):
        _run("refchecker")
    assert (spent.cost.calls, spent.cost.dollars > 0) == (3, True)


def test_only_anthropics_own_api_takes_batches(serve: Serve) -> None:
    server = serve(MODEL)
    with pytest.raises(ModelUnavailable, match="run without them"):
        _rounds(load("refchecker", line("server", server)), CASES)
    assert server.requests == []
    assert model(line("server", server)).unavailable() == ""
