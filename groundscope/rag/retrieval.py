"""Retrieval of results, made here or elsewhere: each embedder's lists of passages, measured as in `ranking`."""

from collections.abc import Sequence
from dataclasses import replace

from groundscope.rag.outcomes import Answer
from groundscope.rag.ranking import Matching, Ranking, rank
from groundscope.rag.types import Question


def rankings(answers: Sequence[Answer], matching: Matching = "exact") -> list[Ranking]:
    """Measure the retrieval of every embedder of these answers.

    A question that several models answered counts once, with the first list that it has. How deep an embedder was asked is taken
    to be the length of its longest list: figures that need more than that are not known.
    """
    ranked = []
    for embedder in dict.fromkeys(a.embedder for a in answers):
        first: dict[str, Answer] = {}
        for answer in (a for a in answers if a.embedder == embedder):
            earlier = first.get(answer.question_id)
            if earlier is None or (answer.retrieved and not earlier.retrieved):
                first[answer.question_id] = answer
        # Where nothing was listed it is not known what was retrieved.
        listed = [a for a in first.values() if a.retrieved]
        questions = [Question(a.question_id, a.question, relevant=a.relevant) for a in listed]
        depth = max((len(a.retrieved) for a in listed), default=0)
        if any(q.relevant for q in questions):
            ranking = rank(embedder, questions, [a.retrieved for a in listed], depth, matching)
            ranked.append(replace(ranking, unlisted=len(first) - len(listed)))
    return ranked
