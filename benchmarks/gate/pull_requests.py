"""Simulated pull requests: false failures of the gate where nothing changed, and what it finds where answers are 5 points worse.

    python -m benchmarks.gate.pull_requests [--questions 50,100,200,400] [--requests 200]

A pipeline answers the same questions before and after each pull request. Its answers are sampled again, as a chat model's are:
one of thirty to each question, of two to six sentences, drawn from what the sources of the question say. A sentence is wrong with
a probability of the question's own, from a beta distribution with the mean 0.10 and the standard deviation 0.08, because some
questions are harder; a wrong sentence has a figure that its sources lack, or cites a case that they lack. In half of the pull
requests nothing changes; in the others each of these probabilities is 0.05 higher. Every answer is a text that goes through the
gate's own checks, and every pull request through its own comparison: facts, citations and QUIP, at its usual level of 5 % over
all three.
"""

import argparse
import random
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.machine import show
from groundscope.gate.findings import checked_answer
from groundscope.gate.matching import PairedQuestions
from groundscope.gate.measuring import MeasuredShare, citations_share, facts_share
from groundscope.gate.outcomes import SharePromise, share_outcomes
from groundscope.gate.rules import CitationsRule, FactsRule, ShareLimit
from groundscope.methods import registry
from groundscope.statistics.decision import verdict
from groundscope.statistics.significance import wilson
from groundscope.types import Case, Passage

MEAN, DEVIATION = 0.10, 0.08
WORSE = 0.05
SAMPLED = 30
LIMIT = ShareLimit()
_PARTIES = "tenant landlord buyer seller carrier insurer trustee lender borrower employer".split()
_DUTIES = (
    "give notice within {n} days",
    "pay a deposit of ${n}",
    "keep the records for {n} months",
    "repair the roof within {n} weeks",
    "answer the claim within {n} days",
    "hold {n} percent of the price back",
)
_LEAST, _MOST = 2, 6
_ELSEWHERE = 5_000
"""Figures of wrong sentences begin here, and no source has one."""


def sources(question: int) -> tuple[Passage, ...]:
    """The sources of a question: ten duties with figures, and a judgment."""
    rng = random.Random(question)  # noqa: S311 - no secret
    duties = [f"The {party} must {rng.choice(_DUTIES).format(n=rng.randint(11, 999))}." for party in _PARTIES]
    case = f"Abel v. Baker, {100 + question} F.3d {rng.randint(100, 900)} (9th Cir. 2001)"
    return Passage("p1", " ".join(duties), f"Contract {question}"), Passage("p2", f"These duties are binding. See {case}.", case)


def answer(question: int, wrong: float, seed: int) -> Case:
    """An answer to a question; each of its sentences is wrong with a probability."""
    rng = random.Random(f"{question} {seed}")  # noqa: S311 - no secret
    context = sources(question)
    duties = [f"{line.strip().rstrip('.')}." for line in context[0].text.split(".") if line.strip()]
    sentences = []
    for duty in rng.sample(duties, rng.randint(_LEAST, _MOST) - 1):
        figure = next(word for word in duty.rstrip(".").split() if word.strip("$").isdigit())
        other = figure.replace(figure.strip("$"), str(rng.randint(_ELSEWHERE, 2 * _ELSEWHERE)))
        sentences.append(duty.replace(figure, other) if rng.random() < wrong else duty)
    cited = context[1].source
    if rng.random() < wrong:
        cited = f"Doe v. Roe, {rng.randint(100, 900)} F.2d {rng.randint(100, 900)} (2d Cir. 1980)"
    return Case(
        f"q{question}", f"What must the parties to contract {question} do?", context, " ".join([*sentences, f"See {cited}."])
    )


def pool(questions: int, more: float, first: int) -> list[MeasuredShare]:
    """What the gate counts in thirty answers to each question, by a pipeline that may be worse: one share a promise.

    Rows are the answers to the first question, then those to the next; `first` makes them others than those of another pool.
    """
    spread = MEAN * (1 - MEAN) / DEVIATION**2 - 1
    hard = np.random.default_rng(0).beta(MEAN * spread, (1 - MEAN) * spread, questions)
    cases = [answer(i, min(1.0, float(p) + more), first + k) for i, p in enumerate(hard) for k in range(SAMPLED)]
    checked = [checked_answer(case) for case in cases]
    return [facts_share(checked, FactsRule()), citations_share(checked, CitationsRule()), _unsupported(cases)]


def _unsupported(cases: Sequence[Case]) -> MeasuredShare:
    method = registry.load("quip")
    verdicts = [verdict(method.score(case), method.about.threshold) for case in cases]
    return MeasuredShare(np.array([(len(v.flagged), v.assessed) for v in verdicts], dtype=np.float64))


def failed(before: Sequence[MeasuredShare], now: Sequence[MeasuredShare], questions: int, seed: int) -> bool:
    """Check one pull request over the first so many questions; says whether the build fails."""
    rng = np.random.default_rng(seed)
    picks = [np.arange(questions) * SAMPLED + rng.integers(0, SAMPLED, questions) for _ in range(2)]
    sides = [[MeasuredShare(share.counts[rows]) for share in side] for side, rows in zip((now, before), picks, strict=True)]
    promises = [SharePromise("", "", LIMIT, *both) for both in zip(*sides, strict=True)]
    places = np.arange(questions)
    return not all(o.held for o in share_outcomes(promises, PairedQuestions(places, places, questions)))


def main(sizes: Sequence[int], requests: int) -> Iterator[str]:
    """Lines of a Markdown table, a line a number of questions."""
    before, worse = pool(max(sizes), 0.0, 0), pool(max(sizes), WORSE, SAMPLED)
    for name, usual, other in zip(("facts", "citations", "QUIP"), before, worse, strict=True):
        shares = [100 * float(np.divide(*side.counts.sum(axis=0))) for side in (usual, other)]
        yield f"{name}: {shares[0]:.1f} % of the usual answers, {shares[1]:.1f} % of the worse ones"
    yield f"| questions | failed of {requests} without a change | 95 % | failed of {requests} with 5 points more wrong | 95 % |"
    yield "|---|---|---|---|---|"
    for questions in sizes:
        cells = [f"{questions:,}"]
        for now, first in ((before, 0), (worse, requests)):
            count = sum(failed(before, now, questions, first + k) for k in range(requests))
            ends = wilson(count, requests)
            cells += [f"{count} ({100 * count / requests:.1f} %)", f"{100 * ends.low:.1f} to {100 * ends.high:.1f} %"]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", default="50,100,200,400")
    parser.add_argument("--requests", type=int, default=200)
    args = parser.parse_args()
    show(main([int(n) for n in args.questions.split(",")], args.requests))
