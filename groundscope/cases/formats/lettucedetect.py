"""LettuceDetect's training format (Kovács and Recski 2025): a prompt, an answer, and the spans that are not supported.

Its second version keeps question and context apart, and gives each span a category of its taxonomy; in files of the first, both
are read out of RAGTruth's three prompts or of its own, and any other prompt is the context as it stands.
"""

from collections.abc import Iterator

from groundscope.cases.formats import ragtruth
from groundscope.cases.formats._format import Shape, Values, group_of
from groundscope.cases.formats.ragtruth import DESCRIBE, SUMMARISE, Source
from groundscope.cases.passages import passages as any_passages
from groundscope.files import fields
from groundscope.types import Case, Passage

_QUESTION = ("Briefly answer the following question:\n", "\nBear in mind ", "passages:\n", "\nIn case the passages do not")
_REQUEST = "User request: "
"""Its own prompts have the question at the front, older ones at the end."""
_FRAMES = (
    ("Summarize the following news within ", " words:\n", "output:", SUMMARISE),
    ("Instruction:\nWrite an objective overview ", "Structured data:\n", "Overview:", DESCRIBE),
)
"""Beginning, what stands before the source, what stands after it, and the query in short."""


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """An answer with its spans; without spans it is grounded. All answers to a prompt are one group."""
    response = fields.text(values, "answer")
    prompt = fields.text(values, "prompt")
    language = fields.optional(values, "language")
    names = [fields.optional(values, "dataset"), fields.optional(values, "task_type"), None if language == "en" else language]
    area = " · ".join(filter(None, (*names, *_categories(values))))
    yield ragtruth.labelled(values, default_id, _source(values, prompt), response, group_of(prompt), area)


def _categories(values: Values) -> list[str]:
    """The categories of its spans, each once; a whole answer may have one without spans: an omission."""
    spans = [fields.optional(item, "category") for item in fields.items(values, "labels") if isinstance(item, dict)]
    named = dict.fromkeys(filter(None, (*spans, fields.optional(values, "category"))))
    return [name.replace("_", " ") for name in named]


def _source(values: Values, prompt: str) -> Source:
    if context := values.get("context"):
        apart = (Passage("context", fields.clean(context)),) if isinstance(context, str) else any_passages(context)
        return fields.optional(values, "question") or "", apart
    opening, after_question, before_passages, closing = _QUESTION
    if prompt.startswith(opening):
        question, _, rest = prompt.removeprefix(opening).partition(after_question)
        body, closed, _ = rest.partition(before_passages)[2].rpartition(closing)
        if closed:
            return question.strip(), ragtruth.passages(body)
    if prompt.startswith(_REQUEST):
        question, _, rest = prompt.removeprefix(_REQUEST).partition("\n\n")
        if rest.strip():
            return question.strip(), (Passage("context", rest.strip()),)
    context, asked, question = prompt.rpartition(_REQUEST)
    if asked and context.strip():
        return question.strip(), (Passage("context", context.strip()),)
    for opening, before, after, query in _FRAMES:
        body = prompt.partition(before)[2].rstrip()
        if prompt.startswith(opening) and body.endswith(after):
            return query, (Passage("source", body.removesuffix(after).strip()),)
    return "", (Passage("prompt", prompt),)


def _licence(values: Values) -> str:
    return ragtruth.licence(values) if str(values.get("dataset")).lower().startswith("ragtruth") else ""


SHAPE = Shape("LettuceDetect", lambda values: values.keys() >= {"prompt", "answer", "labels"}, _cases, _licence, rank=40)
