"""Retrieval of results, whoever made them: each embedder's lists of passages, measured as in `ranking`."""

from collections.abc import Sequence

from evaluation.rag.outcomes import Answer
from evaluation.rag.ranking import Matching, Ranking, rank
from evaluation.rag.types import Question


def rankings(answers: Sequence[Answer], matching: Matching = "exact") -> list[Ranking]:
    """Measure every embedder of these answers, in the order they come; those whose passages are not known are left out.

    A question that several models answered counts once. How deep an embedder was asked is taken to be the length of its longest
    list: figures that need more than that are not known.

    Args:
        answers: with `retrieved`, or else their context, and the ids of relevant passages.
        matching: how ids are compared; `substring` is for comparison with the original code only.
    """
    found = []
    for embedder in dict.fromkeys(a.embedder for a in answers):
        first: dict[str, Answer] = {}
        for answer in answers:
            if answer.embedder == embedder:
                first.setdefault(answer.question_id, answer)
        listed = [(a, a.retrieved or tuple(p.id for p in a.context)) for a in first.values()]
        # Where nothing was listed nobody knows what was retrieved.
        questions = [Question(a.question_id, a.question, relevant=a.relevant if ids else ()) for a, ids in listed]
        depth = max((len(ids) for _, ids in listed), default=0)
        if depth and any(q.relevant for q in questions):
            found.append(rank(embedder, questions, [ids for _, ids in listed], depth, matching))
    return found
