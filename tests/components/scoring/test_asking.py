"""Asking chat models: whose word was given for what, and one budget a session across the orders of a worker with lanes."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from components import state
from components.chat import budgets
from components.scoring import asking
from components.worker.process import Worker
from components.worker.scoring_process import Allowance
from groundscope.chat.budget import Cost, Limits
from groundscope.chat.messages import Estimate
from groundscope.errors import ModelUnavailable
from groundscope.methods import Method
from groundscope.types import Case, Judgement, Passage, Status
from tests.components.processes import PATIENCE, ended, until
from tests.llm_server import Asked, LLMServer
from tests.loops import each

CASE = Case("c", "Who won?", (Passage("p", "The tenant won the appeal."),), "The tenant won.")
OTHER = replace(CASE, id="d", response="The landlord won.")
FREE = Allowance("session", None, None)


@dataclass(frozen=True)
class _Method(Method):
    """As much of a method as consent needs to know."""

    asks = True
    host: str
    name: str = "m"
    refuses: str = ""

    @property
    def address(self) -> str:
        return self.host

    @property
    def signature(self) -> str:
        return f"{self.name}|model=x"

    def score(self, case: Case) -> Judgement:
        raise AssertionError

    def estimate(self, case: Case) -> Estimate:
        if self.refuses:
            raise ModelUnavailable(self.refuses)
        return Estimate(3, 1_000, 200, 0.5, self.address, at_most=self.name == "m")


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session's state of our own: what it is kept in is Streamlit's, and not what is tested."""
    kept: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", kept)
    return kept


@each("address", ["", "127.0.0.1"])
def test_what_stays_on_this_machine_needs_no_word(address: str) -> None:
    assert asking.may_send(_Method(address), CASE)
    assert asking.offers(CASE, [("M", _Method(address))]) == []


@each("address", ["127.1", "10.0.0.5", "localhost.example.org"])
def test_what_goes_elsewhere_needs_the_users_word_for_that_case_and_host(address: str) -> None:
    method = _Method(address)
    assert not asking.may_send(method, CASE)
    asking.agree(address, CASE)
    assert asking.may_send(method, CASE)
    assert not asking.may_send(method, OTHER)
    assert not asking.may_send(_Method("other.example"), CASE)
    asking.agree(address, None)
    assert asking.may_send(method, OTHER)
    asking.take_back(address)
    assert not asking.may_send(method, CASE)
    assert not asking.may_send(method, OTHER)


def test_an_offer_sums_up_what_goes_to_one_host() -> None:
    methods = [("A", _Method("a.org")), ("B", _Method("b.org")), ("C", _Method("a.org", "n"))]
    first, second = asking.offers(CASE, methods)
    assert (first.address, first.methods, second.methods) == ("a.org", ("A", "C"), ("B",))
    assert first.estimate == Estimate(6, 2_000, 400, 1.0, "a.org", at_most=True)


def test_a_method_that_cannot_take_a_case_is_no_agreement_to_send_it() -> None:
    fits, refuses = _Method("a.org"), _Method("a.org", "n", refuses="The case is too long.")
    (offer,) = asking.offers(CASE, [("A", fits), ("B", refuses)])
    assert offer.methods == ("A",)
    assert not asking.may_send(fits, CASE)
    assert state.judgements()[refuses.signature, CASE] == Judgement(Status.FAILED, note="The case is too long.", context_seen=0.0)
    assert asking.offers(OTHER, [("B", refuses)]) == []
    assert asking.failed(refuses, CASE)
    assert not asking.failed(fits, CASE)


def test_only_failures_of_methods_that_ask_are_asked_again() -> None:
    failed, scored = Judgement(Status.FAILED, note="no", context_seen=0.0), Judgement(Status.ABSTAINED)
    keys = [("m|model=x", CASE), ("m|model=x", OTHER), ("hem|weights=y", CASE)]
    state.judgements().update({**dict.fromkeys(keys, failed), ("n|model=x", CASE): scored})
    asking.forget_failures(CASE)
    assert list(state.judgements()) == [*keys[1:], ("n|model=x", CASE)]
    asking.forget_failures()
    assert list(state.judgements()) == [keys[2], ("n|model=x", CASE)]


def test_the_budget_is_reported_in_words() -> None:
    assert budgets.left() == "This session's budget: $1.00 of $1.00 left."
    state.spent(Cost(2, 0, 0.98))
    assert budgets.left() == "This session's budget: $0.0200 of $1.00 left."
    state.limits(Limits(1, None))
    assert budgets.left() == "This session's budget: 0 of 1 call left."
    state.limits(Limits())
    assert budgets.left() == "This session has no budget."
    state.spent(Cost(1, 0, 0.5))
    assert state.spent() == Cost(2, 0, 0.98), "what was spent never shrinks: answers may come in any order"


class _Model:
    """A scripted model that passes every answer, when its gate is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()

    def answer(self, asked: Asked) -> str:
        self.gate.wait(PATIENCE)
        return json.dumps({"reasons": ["It says so."], "unsupported": [], "verdict": "PASS"})


@pytest.fixture(scope="module")
def model() -> _Model:
    return _Model()


@pytest.fixture(scope="module")
def served(model: _Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LLMServer, Worker]]:
    """A server, and one worker with lanes for all tests: its process loads what it needs once."""
    with pytest.MonkeyPatch.context() as environment, LLMServer(model.answer) as server:
        environment.setenv("GROUNDSCOPE_DATA", str(tmp_path_factory.mktemp("data")))
        with ended(Worker(lanes=4)) as worker:
            yield server, worker
        model.gate.set()


def _ask(worker: Worker, server: LLMServer, number: int, allowance: Allowance = FREE) -> Any:
    case = replace(CASE, id=str(number), response=f"The tenant won appeal {number}.")
    line = f"server:scripted-1@{server.openai};at_once=8"
    return worker.submit("direct", case, (("model", line),), allowance=allowance)


def test_lanes_ask_for_several_cases_at_a_time_and_each_gets_its_own(served: tuple[LLMServer, Worker], model: _Model) -> None:
    server, worker = served
    model.gate.clear()
    jobs = [_ask(worker, server, i) for i in range(6)]
    while server.busiest < 4:
        assert not any(job.future.done() for job in jobs)
        threading.Event().wait(0.01)
    assert len(server.asked) == 4
    model.gate.set()
    results = [job.future.result(PATIENCE) for job in jobs]
    assert [r.status for r in results] == [Status.SCORED] * 6
    assert [r.calls for r in results] == [1] * 6


def test_a_session_has_one_budget_over_all_its_orders_and_another_session_its_own(served: tuple[LLMServer, Worker]) -> None:
    server, worker = served
    before = len(server.asked)
    mine, yours = Allowance("mine", 2, None), Allowance("yours", 2, None, Cost(1))
    for number in range(10, 14):
        job = _ask(worker, server, number, mine)
        result = job.future.result(PATIENCE)
        assert result.status is (Status.SCORED if number < 12 else Status.FAILED), result.note
        assert worker.spent[mine.session].calls == min(2, number - 9)
    assert "Stopped by the budget: all of its 2 calls are made" in result.note
    assert len(server.asked) == before + 2
    # What the parent knows of a session counts where the process is new to it.
    assert [_ask(worker, server, n, yours).future.result(PATIENCE).status for n in (20, 21)] == [Status.SCORED, Status.FAILED]
    raised = _ask(worker, server, 13, mine._replace(calls=3))
    assert raised.future.result(PATIENCE).status is Status.SCORED
    assert worker.spent[mine.session].calls == 3


def test_a_model_without_a_price_is_not_asked_on_a_budget_in_dollars(served: tuple[LLMServer, Worker]) -> None:
    server, worker = served
    before = len(server.asked)
    line = f"server:scripted-1@http://model.example.org:{server.port}/v1"
    job = worker.submit("direct", CASE, (("model", line),), allowance=Allowance("dollars", None, 1.0))
    result = job.future.result(PATIENCE)
    assert result.status is Status.FAILED
    assert "price is not known; state its price first" in result.note
    assert len(server.asked) == before


def test_a_stopped_order_frees_its_lane_at_once_and_its_reply_is_counted_once_and_not_paid_for_twice(
    served: tuple[LLMServer, Worker], model: _Model
) -> None:
    server, worker = served
    model.gate.clear()
    before = len(server.asked)
    stopped = [_ask(worker, server, number, Allowance("stopped", 10, None)) for number in range(30, 34)]
    until(lambda: len(server.asked) == before + 4)
    for job in stopped:
        worker.cancel(job)
    assert [job.future.result(PATIENCE) for job in stopped] == [None] * 4
    assert worker.spent["stopped"].calls == 0
    model.gate.set()
    again = _ask(worker, server, 30).future.result(PATIENCE)
    assert again.status is Status.SCORED
    assert len(server.asked) == before + 4
    # What a stopped order still pays for is counted when its reply comes.
    until(lambda: worker.spent["stopped"].calls == 4)


def test_what_the_process_holds_of_private_cases_is_forgotten(served: tuple[LLMServer, Worker]) -> None:
    server, worker = served
    options = (("model", f"server:one@{server.openai}"),)
    for new in (1, 0):
        sent = len(server.asked)
        worker.submit("direct", replace(CASE, id="held", query="Held?"), options, allowance=FREE).future.result(PATIENCE)
        assert len(server.asked) - sent == new
    assert worker.forget().future.result(PATIENCE) == ""
    sent = len(server.asked)
    worker.submit("direct", replace(CASE, id="held", query="Held?"), options, allowance=FREE).future.result(PATIENCE)
    assert len(server.asked) - sent == 1


def test_a_server_is_asked_whether_it_has_a_model_and_a_silent_one_holds_up_no_cancel() -> None:
    with LLMServer(lambda _: "yes") as server, socket.create_server(("127.0.0.1", 0)) as silent, ended(Worker(lanes=4)) as worker:
        nothing = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        there, gone, waits = (
            worker.check(f"server:{model}", session=model)
            for model in (f"scripted-1@{server.openai}", f"another@{server.openai}", f"scripted-1@{nothing}")
        )
        assert there.future.result(PATIENCE) == "scripted-1 is there, at 127.0.0.1."
        assert gone.future.result(PATIENCE).note == "127.0.0.1 answers, but lists no another; it lists scripted-1."
        assert server.asked == []
        silent.settimeout(PATIENCE)
        with silent.accept()[0]:
            worker.cancel(waits)
            assert waits.future.result(5) is None
