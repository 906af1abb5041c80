"""RefChecker on scripted models: calls, rules, counts of labels, long contexts, its own line format."""

from collections.abc import Callable
from typing import Any

import pytest

from groundscope.chat.messages import most_in_words
from groundscope.methods.asking.prompted import context_text
from scorers.refchecker import RefChecker, Triplet
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, CLAUDE, by_task, case, line, load, score
from tests.llm_server import Asked

E, N, C = "Entailment", "Neutral", "Contradiction"


def _triplets(count: int) -> list[dict[str, Any]]:
    return [{"sentence": 1 + i % 2, "subject": f"subject{i}", "predicate": "was", "object": "dismissed"} for i in range(count)]


def _label(*labels: str) -> Callable[[Asked], list[dict[str, Any]]]:
    """Labels by the number in a triplet's subject."""

    def answer(asked: Asked) -> list[dict[str, Any]]:
        rows = asked.data["claims"].splitlines()
        numbers = [int(row.split("subject")[1].split()[0]) for row in rows]
        return [{"number": i, "label": labels[n], "reason": f"Reason {n}."} for i, n in enumerate(numbers, 1)]

    return answer


def _model(*labels: str) -> Any:
    return by_task(triplets=_triplets(len(labels)), labels=_label(*labels))


@pytest.mark.parametrize(("checking", "calls"), [("single", 1 + 6), ("joint", 1 + 2)])
def test_one_call_extracts_and_then_one_a_triplet_or_one_for_five(checking: str, calls: int, serve: Serve) -> None:
    labels = [E, E, N, E, C, E]
    server = serve(_model(*labels))
    scorer = load("refchecker", CLAUDE, checking=checking)
    estimate, judgement = scorer.estimate(CASE), scorer.score(CASE)
    assert judgement.calls == len(server.asked) == calls
    assert [claim.reason.partition(":")[0] for claim in judgement.claims] == labels
    assert (judgement.support, [s.support for s in judgement.sentences]) == (0.0, [0.0, 1.0])
    checks = [asked for asked in server.asked if "labels" in asked.task]
    assert sorted(len(asked.data["claims"].splitlines()) for asked in checks) == ([1] * 6 if checking == "single" else [1, 5])
    assert all(asked.data["document"] == context_text(CASE.context) for asked in checks)
    # The context, which all checks share, is kept by the provider.
    assert all("cache_control" in asked.body["messages"][0]["content"][0] for asked in checks)
    assert judgement.tokens == sum(said.read(asked) + said.output_tokens for asked, said in server.answered)
    assert estimate.calls >= calls
    assert estimate.input + estimate.output >= judgement.tokens
    assert (estimate.dollars or 0) >= (judgement.cost or 0) > 0


@pytest.mark.parametrize(
    ("labels", "supports"),
    [
        # strict, contradiction_only, soft, majority
        ([E, N, E], (0.25, 0.75, 2 / 3, 1.0)),
        ([N, N, E], (0.25, 0.75, 1 / 3, 0.25)),
        ([E, N, C], (0.0, 0.0, 1 / 3, 1.0)),
        ([C, C, E], (0.0, 0.0, 1 / 3, 0.0)),
    ],
)
def test_the_rules_from_labels_to_a_response(labels: list[str], supports: tuple[float, ...], serve: Serve) -> None:
    server = serve(_model(*labels))
    rules = ("strict", "contradiction_only", "soft", "majority")
    found = [score("refchecker", CLAUDE, aggregation=rule).support for rule in rules]
    assert found == pytest.approx(supports)
    # The rule is no part of what is asked.
    assert len(server.asked) == 1 + len(labels)


def test_claims_stand_on_their_sentences_with_reasons_and_places_to_read(serve: Serve) -> None:
    triplets = [
        {"sentence": 2, "subject": "costs", "predicate": "went to", "object": "the landlord"},
        {"sentence": 99, "subject": "appeal", "predicate": "was dismissed in", "object": "2003"},
    ]
    labels = lambda asked: [{"number": 1, "label": C if "costs" in asked.data["claims"] else "entailment ", "reason": "Said so."}]  # noqa: E731
    server = serve(by_task(triplets=triplets, labels=labels))
    judgement = score("refchecker", line("server", server))
    assert [(c.text, c.support, c.reason) for c in judgement.claims] == [
        ("costs went to the landlord", 0.0, "Contradiction: Said so."),
        ("appeal was dismissed in 2003", 1.0, "Entailment: Said so."),
    ]
    first, second = judgement.sentences
    assert [(c.start, c.end) for c in judgement.claims] == [(second.start, second.end), (first.start, first.end)]
    assert (first.support, second.support) == (1.0, 0.0)
    assert (first.contradiction, second.contradiction) == (0.0, 1.0)
    assert (first.matches[0].passage, second.matches[0].passage) == (0, 1)


def test_without_triplets_it_abstains(serve: Serve) -> None:
    server = serve(by_task(triplets=[]))
    judgement = score("refchecker", line("server", server))
    assert (judgement.status, judgement.support, judgement.calls) == ("abstained", None, 1)
    assert "no claim" in judgement.note


@pytest.mark.parametrize("numbers", [[2, 1], [1, 1]])
def test_a_wrong_count_of_labels_is_asked_once_more_then_one_by_one_and_then_invalid(numbers: list[int], serve: Serve) -> None:
    labels = [{"number": n, "label": E, "reason": ""} for n in numbers]
    server = serve(by_task(triplets=_triplets(2), labels=labels))
    judgement = score("refchecker", line("server", server), checking="joint")
    assert (judgement.status, judgement.support, judgement.calls) == ("invalid", None, 5)
    assert "instead of the 1 asked for, or in another order" in judgement.note
    assert '"labels"' in judgement.raw


def test_a_model_that_labels_only_the_first_of_several_triplets_is_asked_about_each(serve: Serve) -> None:
    # A model of 1.5 billion parameters does so nearly always.
    server = serve(by_task(triplets=_triplets(3), labels=lambda asked: _label(E, C, N)(asked)[:1]))
    judgement = score("refchecker", line("server", server), checking="joint")
    # Extraction, five claims of six together and one by itself; the five singly.
    ways = {way: load("refchecker", line("server", server), checking=way).estimate(CASE) for way in ("joint", "single")}
    assert [(e.calls, e.again) for e in ways.values()] == [(3, 5), (7, 0)]
    assert most_in_words(ways["joint"]).startswith("at most 8 calls, ")
    assert (judgement.status, judgement.support) == ("scored", 0.0)
    assert sorted(c.reason for c in judgement.claims) == [
        "Contradiction: Reason 1.",
        "Entailment: Reason 0.",
        "Neutral: Reason 2.",
    ]
    # Extracted, both tries of the three together, and three.
    assert judgement.calls == 6


def test_the_originals_own_lines_are_read_and_not_amid_other_text_that_may_quote_them(serve: Serve) -> None:
    lines = "### Triplets\n- ('subject0', 'was', 'dismissed')\n- ('subject1', 'was', 'dismissed')."
    server = serve(by_task(triplets=lambda _: lines, labels=_label(E, N)))
    judgement = score("refchecker", line("server", server))
    assert (judgement.status, judgement.calls) == ("scored", 3)
    assert [claim.text for claim in judgement.claims] == ["subject0 was dismissed", "subject1 was dismissed"]
    lines = 'It may be quoted:\n("subject0", "was", "dismissed")'
    again = score("refchecker", line("server", server, seed=1))
    assert (again.status, again.calls) == ("invalid", 2)


PASSAGES = [f"Passage {name}. " + "The court said a word. " * 60 for name in ("alpha", "beta", "gamma")]
LONG = case("The appeal was dismissed. Costs followed.", *PASSAGES)


def _window(passages: int) -> int:
    """The smallest window that takes so many passages beside one triplet; the extraction fits too."""
    method = RefChecker()
    prompt = method._check(context_text(LONG.context[:passages]), [Triplet("subject0", "was", "dismissed")])
    return max(prompt.tokens() + prompt.max_tokens, method._extract(LONG).tokens() + method._extract(LONG).max_tokens)


def test_a_context_that_does_not_fit_is_read_in_groups_of_passages_and_merged(serve: Serve) -> None:
    bearing = {0: {"beta": E, "alpha": C}, 1: {"gamma": C}}

    def labels(asked: Asked) -> list[dict[str, Any]]:
        number = int(asked.data["claims"].split("subject")[1].split()[0])
        found = [label for name, label in bearing[number].items() if f"Passage {name}" in asked.data["document"]]
        return [{"number": 1, "label": (found or [N])[0], "reason": f"By {asked.data['document'].count('Passage')}."}]

    server = serve(by_task(triplets=_triplets(2), labels=labels))
    spec = line("server", server, window=_window(1) + 40)
    scorer = load("refchecker", spec)
    estimate = scorer.estimate(LONG)
    judgement = scorer.score(LONG)
    checks = [asked.data["document"] for asked in server.asked[1:]]
    # Three groups, two triplets.
    assert len(checks) == 6
    assert all(sum(passage in document for document in checks) == 2 for passage in PASSAGES)
    # Entailed by one group though contradicted by another; contradicted by one and by none entailed.
    assert [claim.support for claim in judgement.claims] == [1.0, 0.0]
    assert (judgement.support, judgement.context_seen) == (0.0, 1.0)
    assert estimate.calls >= judgement.calls
    assert estimate.at_most


def test_groups_leave_room_for_the_longest_triplets(serve: Serve) -> None:
    long = [
        {"sentence": 1, "subject": f"subject{i}", "predicate": "was " * (150 if i == 5 else 1), "object": "x"} for i in range(6)
    ]
    server = serve(by_task(triplets=long, labels=_label(*[E] * 6)))
    window = _window(2) + 20
    judgement = score("refchecker", line("server", server, window=window), LONG)
    assert judgement.support == 1.0
    assert all(len(asked.user) / 3 + asked.body["max_tokens"] <= window for asked in server.asked)


def test_a_passage_that_does_not_fit_by_itself_is_refused_with_the_share(serve: Serve) -> None:
    server = serve(_model(E, E))
    huge = case("The appeal was dismissed.", "Short.", "The court said a word. " * 2_000)
    judgement = score("refchecker", line("server", server, window=4_096), huge)
    assert (judgement.status, judgement.support, judgement.context_seen) == ("failed", None, 0.0)
    assert "% of the context would be read, so nothing was sent" in judgement.note
    assert len(server.asked) == 1
