"""A run's budget in calls and in dollars: never passed, whatever goes wrong, and going on pays for nothing twice."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from groundscope.chat.budget import Budget, spending
from groundscope.chat.messages import Usage
from groundscope.chat.prices import own_table
from groundscope.errors import BudgetSpent
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import ANSWER, CASE, CLAUDE, ask, by_task, line, load, model, passes, prompt, score
from tests.llm_server import Asked, Fault, Said


def _spend(spec: str, budget: Budget, wanted: int) -> int:
    """How many of the wanted calls were made before the budget stopped them."""
    with spending(budget):
        for i in range(wanted):
            try:
                ask(spec, prompt(f"case {i}"))
            except BudgetSpent:
                return i
    return wanted


@pytest.mark.parametrize("way", ["anthropic", "server;stream=1"])
def test_a_budget_of_calls_stops_at_its_last_call_and_goes_on_when_raised(way: str, serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    budget = Budget(calls=3)
    assert _spend(line(way, server), budget, 5) == 3
    assert (budget.spent.calls, len(server.asked)) == (3, 3)
    raised = Budget(calls=2)
    assert _spend(line(way, server), raised, 5) == 5
    assert (raised.spent.calls, len(server.asked)) == (2, 5)


def test_every_try_counts_what_broke_off_may_be_billed_and_kept_replies_cost_nothing(serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("status", times=3, status=500), Fault("cut", times=2))
    budget = Budget(calls=6)
    with spending(budget):
        ask(CLAUDE)
        assert ask(CLAUDE).kept
    most = model(CLAUDE).most(prompt())
    assert most is not None
    assert (budget.spent.calls, len(server.asked)) == (6, 6)
    assert (budget.spent.unanswered, budget.spent.risk) == (2, pytest.approx(2 * most))
    assert budget.spent.dollars == pytest.approx(sum(model(CLAUDE).price(usage(a, s)) or 0 for a, s in server.answered))


def test_a_busy_server_takes_nothing_of_a_budget(serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("status", times=2, status=429))
    budget = Budget(calls=1)
    with spending(budget):
        ask(CLAUDE)
    assert (budget.spent.calls, budget.spent.unanswered, len(server.asked)) == (1, 0, 3)


def test_tries_stop_at_the_budget(serve: Serve) -> None:
    server = serve(lambda _: ANSWER, Fault("status", times=5, status=500))
    with spending(Budget(calls=2)), pytest.raises(BudgetSpent):
        ask(CLAUDE)
    assert len(server.asked) == 2


def usage(asked: Asked, said: Said) -> Usage:
    return Usage(said.read(asked) - said.cached - said.written, said.output_tokens, said.cached, said.written)


@pytest.mark.parametrize("threads", [1, 6])
@pytest.mark.parametrize("dear", [False, True])
def test_a_budget_of_dollars_is_never_passed_also_by_a_model_that_thinks_long(threads: int, dear: bool, serve: Serve) -> None:
    def answer(asked: Asked) -> Said:
        # All that the call allows, thinking included, or next to nothing.
        return Said(ANSWER, output_tokens=asked.body["max_tokens"] if dear else 1)

    server = serve(answer)
    budget = Budget(dollars=0.02)
    with spending(budget), ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(copy_context().run, ask, CLAUDE, prompt(f"case {i}")) for i in range(12)]
        stopped = [future for future in futures if future.exception()]
    assert all(isinstance(future.exception(), BudgetSpent) for future in stopped)
    spent = sum(model(CLAUDE).price(usage(asked, said)) or 0 for asked, said in server.answered)
    assert budget.spent.dollars == pytest.approx(spent)
    assert spent <= 0.02
    assert (len(stopped) > 0) == dear
    # 7,024 tokens at 0.5 dollars a million, and the prompt: five fit and no sixth.
    assert len(server.answered) == (5 if dear else 12)


def test_without_a_known_price_there_is_no_budget_in_dollars(serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    with spending(Budget(dollars=100)), pytest.raises(BudgetSpent, match="price is not known"):
        ask("anthropic:claude-unheard-of")
    assert server.asked == []
    with spending(Budget(calls=1)):
        assert ask("anthropic:claude-unheard-of").cost is None


def test_an_own_server_is_free_of_it(serve: Serve) -> None:
    server = serve(lambda _: ANSWER)
    assert _spend(line("server", server), Budget(dollars=0.0), 3) == 3


def test_a_table_of_prices_that_cannot_be_read_is_a_named_failure_before_anything_is_sent(serve: Serve) -> None:
    server = serve(passes)
    own_table().parent.mkdir(parents=True, exist_ok=True)
    own_table().write_text("model,price\n", encoding="utf-8")
    judgement = score("direct", CLAUDE)
    assert judgement.status == "failed"
    assert "prices.csv: the first line must be" in judgement.note
    assert server.asked == []


def test_a_table_that_breaks_while_the_model_writes_does_not_lose_the_reply(serve: Serve) -> None:
    def answer(asked: Asked) -> str:
        own_table().parent.mkdir(parents=True, exist_ok=True)
        own_table().write_text("model,price\n", encoding="utf-8")
        return passes(asked)

    server = serve(answer)
    judgement = score("direct", CLAUDE)
    assert (judgement.status, judgement.cost, judgement.calls) == ("scored", None, 1)
    own_table().unlink()
    assert score("direct", CLAUDE).support == 1.0
    assert len(server.asked) == 1


def test_a_budget_that_ends_within_a_judgement_ends_it_and_what_was_paid_is_kept(serve: Serve) -> None:
    triplets = [{"sentence": 1, "subject": f"s{i}", "predicate": "p", "object": "o"} for i in range(6)]
    labels = [{"number": 1, "label": "Entailment", "reason": "It says so."}]
    server = serve(by_task(triplets=triplets, labels=labels))
    scorer = load("refchecker", CLAUDE)
    with spending(Budget(calls=4)), pytest.raises(BudgetSpent):
        scorer.score(CASE)
    assert len(server.asked) == 4
    judgement = scorer.score(CASE)
    assert (judgement.status, judgement.calls) == ("scored", 3)
    assert judgement.cached == pytest.approx(4 / 7)
    assert len(server.asked) == 7
