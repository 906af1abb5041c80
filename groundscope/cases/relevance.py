"""Relevance of a response to its query: an answer can stand on its sources, and still be beside the question.

By an embedder it is the cosine of query and response, below 0 counting as 0. That ranks responses and has no threshold: it is
high for everything on the subject of the query, so it shows answers about something else, and not those that stay with the
subject and leave the question open (`python -m benchmarks.relevance` measures how far it separates). By a chat model it is yes,
partly or no, with a reason; its prompts are those of the task `relevance`. Neither reads the sources.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from groundscope.chat.conversation import TEXT, Asking, ask_all, choice_field, one_of, schema, text_field
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Block, ChatModel, Prompt
from groundscope.chat.prompt_files import PromptFile, prompt_named
from groundscope.files.fields import clean
from groundscope.runtime.progress import listener
from groundscope.text.embedding import Embedder
from groundscope.types import Case

TASK = "relevance"
VALUES = MappingProxyType({"yes": 1.0, "partly": 0.5, "no": 0.0})
"""What a chat model can say, and what it counts."""
_FORM = 'Reply in JSON: {"reason": "...", "answers": "yes", "partly" or "no"}.'


class QueryRelevance(NamedTuple):
    """Relevance of a response to its query.

    Attributes:
        value: 0 to 1, higher = more relevant; NaN where there is no query or no response, or no reply could be read.
        answers: yes, partly or no; empty by an embedder, and where no reply could be read.
        reason: the model's, or why there is no value.
    """

    value: float
    answers: str = ""
    reason: str = ""


_NOTHING = QueryRelevance(nan, "", "There is no query or no response.")


def assessable(case: Case) -> bool:
    """Check whether there is a query and a response."""
    return bool(case.query.strip() and case.response.strip())


def by_likeness(cases: Sequence[Case], embedder: Embedder) -> list[QueryRelevance]:
    """Compare queries and responses in meaning; of a response that is longer than the embedder reads, its beginning.

    Args:
        cases: in any order; each distinct text is embedded once.
        embedder: of queries, and of responses as passages.

    Returns:
        A relevance for each case, in their order.

    Raises:
        ScorerUnavailable, BudgetSpent, Cancelled: as `Embedder.questions`.
    """
    some = [c for c in cases if assessable(c)]
    if not some:
        return [_NOTHING] * len(cases)
    queries, responses = (list(dict.fromkeys(texts)) for texts in ((c.query for c in some), (c.response for c in some)))
    asked, answered = embedder.questions(queries, listener()), embedder.passages(responses, listener())
    query_at, response_at = ({text: i for i, text in enumerate(texts)} for texts in (queries, responses))
    cosines = np.sum(
        asked[[query_at[c.query] for c in some]] * answered[[response_at[c.response] for c in some]], axis=1, dtype=np.float64
    )
    values = iter(np.clip(cosines, 0.0, 1.0).tolist())
    return [QueryRelevance(next(values)) if assessable(c) else _NOTHING for c in cases]


def with_other_queries(cases: Sequence[Case]) -> list[Case]:
    """Give each response another query of the same cases: how alike are a response and a query that it does not answer?

    Args:
        cases: those without a query or a response are left out.

    Returns:
        The same responses, each with the query that is half of all queries away; empty where all ask the same.
    """
    some = [c for c in cases if assessable(c)]
    queries = list(dict.fromkeys(c.query for c in some))
    at = {query: i for i, query in enumerate(queries)}
    half = len(queries) // 2
    return [replace(c, query=queries[(at[c.query] + half) % len(queries)]) for c in some] if half else []


def by_model(cases: Sequence[Case], model: ChatModel, named: str = "") -> list[QueryRelevance]:
    """Ask a chat model about every case, several at a time; reports progress and can be cancelled.

    Args:
        cases: those without a query or a response are not sent.
        model: gets the query and the response, never the sources.
        named: the prompt; empty = the standard one.

    Returns:
        A relevance for each case, in their order.

    Raises:
        ModelUnavailable: the model cannot be used or did not answer.
        BudgetSpent, Cancelled: replies received so far are cached for the next try.
        PromptMissing: there is no prompt of this name.
    """
    instructions = prompt_named(TASK, named)
    questions = [partial(_asked, case, model, instructions) for case in cases if assessable(case)]
    replies = iter(ask_all(questions) if questions else ())
    return [next(replies) if assessable(c) else _NOTHING for c in cases]


def prompt(case: Case, instructions: PromptFile) -> Prompt:
    """Build the prompt that the model receives."""
    blocks = (Block("question", clean(case.query)), Block("answer", clean(case.response)))
    reply = schema(reason=TEXT, answers=one_of(*VALUES))
    return Prompt(f"{instructions.text('task')}\n\n{_FORM}", instructions.text("system"), blocks, reply, max_tokens=400)


def _asked(case: Case, model: ChatModel, instructions: PromptFile) -> QueryRelevance:
    try:
        return Asking(model, case).json(prompt(case, instructions), _read)
    except Unreadable as error:
        return QueryRelevance(nan, "", str(error))


def _read(reply: dict[str, Any]) -> QueryRelevance:
    answers = choice_field(reply, "answers", tuple(VALUES))
    return QueryRelevance(VALUES[answers], answers, text_field(reply, "reason", ""))


def least_first(cases: Sequence[Case], relevance: Sequence[QueryRelevance]) -> list[tuple[Case, QueryRelevance]]:
    """Sort responses, the least relevant ones first and those without a value last; equal ones stay in their order."""
    return sorted(zip(cases, relevance, strict=True), key=lambda pair: (isnan(pair[1].value), pair[1].value))


def as_row(case: Case, relevance: QueryRelevance, signature: str) -> dict[str, Any]:
    """Write a response with its relevance as JSON has it; None where there is no value. `signature` says by what."""
    value = None if isnan(relevance.value) else relevance.value
    texts = {"query": case.query, "response": case.response, "grounded": case.grounded}
    return {
        "case": case.id, "relevance": value, "answers": relevance.answers, "reason": relevance.reason, **texts, "by": signature
    }  # fmt: skip
