"""Relevance of a response to its query: an answer can stand on its sources, and still be beside the question.

By an embedder it is the cosine of query and response, below 0 counting as 0. It is high for everything on the subject of the
query, so it shows answers about something else, and not those that stay with the subject and leave the question open. By a chat
model it is yes, partly or no, with a reason; its prompts are those of the task `relevance`. Neither reads the sources.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from math import isnan, nan
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from groundscope.chat.conversation import TEXT, Asking, ask_all, choice_field, one_of, schema, text_field
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Block, ChatModel, Prompt
from groundscope.chat.prompt_files import PromptFile, prompt_named
from groundscope.files.fields import clean
from groundscope.types import Case, Matrix

TASK = "relevance"
VALUES = MappingProxyType({"yes": 1.0, "partly": 0.5, "no": 0.0})
"""What a chat model can say, and what it counts."""
_FORM = 'Reply in JSON: {"reason": "...", "answers": "yes", "partly" or "no"}.'


class QueryRelevance(NamedTuple):
    """Relevance of a response to its query, 0 to 1, higher = more relevant; NaN where it is not known, with the reason.

    `answers`: yes, partly or no; empty by an embedder, and where no reply could be read.
    """

    value: float
    answers: str = ""
    reason: str = ""


_NOTHING = QueryRelevance(nan, "", "There is no query or no response.")


class LowLikeness(NamedTuple):
    """Below which likeness an answer may be beside the question: at most 5 % of the sample answers of train and dev are.

    Of the answers of the samples' test split, how many lie below it with their own question, with another one drawn at random,
    and with the other one that is most like their own.
    """

    below: float
    answers: int
    own: int
    random: int
    alike: int


RECORD = Path(__file__).with_name("relevance.json")
"""Written by `python -m benchmarks.relevance --write`."""


@cache
def low_likeness() -> LowLikeness:
    """Read what was measured."""
    return LowLikeness(**json.loads(RECORD.read_text(encoding="utf-8")))


def assessable(case: Case) -> bool:
    """Check whether there is a query and a response."""
    return bool(case.query.strip() and case.response.strip())


def by_likeness(cases: Sequence[Case], embed: Callable[[list[str]], Matrix]) -> list[QueryRelevance]:
    """Compare the query and the response of each case in meaning; of what is longer than the embedder reads, its beginning.

    `embed` gives vectors of length 1; each distinct text is embedded once.
    """
    texts = list(dict.fromkeys(t for c in cases if assessable(c) for t in (c.query, c.response)))
    vectors = dict(zip(texts, embed(texts), strict=True)) if texts else {}
    return [QueryRelevance(likeness(vectors[c.query], vectors[c.response])) if assessable(c) else _NOTHING for c in cases]


def likeness(query: Matrix, response: Matrix) -> float:
    """Compare two vectors of length 1, 0 to 1."""
    return float(np.clip(np.dot(query.astype(np.float64), response.astype(np.float64)), 0.0, 1.0))


def by_model(cases: Sequence[Case], model: ChatModel, named: str = "") -> list[QueryRelevance]:
    """Ask a chat model about each case with a query and a response; reports progress and can be cancelled. It gets no source.

    Raises ModelUnavailable, PromptMissing (an empty name = the standard prompt), and BudgetSpent or Cancelled, for which replies
    received so far are cached for the next try.
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
