"""A case with some of its context sentences, or whole sources, left out."""

from collections.abc import Collection, Iterable

from groundscope.text.sentences import context_sentences
from groundscope.types import Case, Passage

UNRELATED = Passage(
    "unrelated",
    "The garden behind the house was quiet in the early morning. A grey cat slept on the warm stones beside the well.",
    "A text of ours that has nothing to do with the answer",
)
"""Stands in place of the sources where all are left out, because no method assesses a case without a source."""


def reduced(case: Case, kept: Collection[int]) -> Case:
    """Leave out all context sentences but some.

    What was before and after a gap becomes two paragraphs, so that no new sentence is made of their ends. A source of which
    nothing is kept goes as a whole. Where nothing of any is kept, `UNRELATED` is the only source.
    """
    own: dict[int, list[tuple[int, int, bool]]] = {}
    for j, unit in enumerate(context_sentences(case.context)):
        own.setdefault(unit.passage, []).append((unit.start, unit.end, j in kept))
    passages = []
    for p, passage in enumerate(case.context):
        units = own.get(p, [])
        if all(keep for _, _, keep in units):
            passages.append(passage)
        elif any(keep for _, _, keep in units):
            gone = [(start, end) for start, end, keep in units if not keep]
            passages.append(Passage(passage.id, _without(passage.text, gone), passage.source))
    context = tuple(passages) if kept else (UNRELATED,)
    return Case(case.id, case.query, context, case.response, area=case.area)


def _without(text: str, gone: Iterable[tuple[int, int]]) -> str:
    pieces, position = [], 0
    for start, end in gone:
        pieces.append(text[position:start])
        position = end
    return "\n\n".join(filter(None, map(str.strip, (*pieces, text[position:]))))
