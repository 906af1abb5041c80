"""Split a text into claims by a chat model, which gives the citations of each claim (Hou et al. 2024).

Citations are found by the reader of this project, as ever, and numbered in the text; the model gives each claim in a sentence
that stands alone, with the numbers of its citations. A claim's place in the text is the sentence that is most like it, of those
that stand at its first citation or in the three before.

Departs from the paper: its prompt is not known to us, so the wording is this project's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from groundscope.chat.clients.model import chat_model
from groundscope.chat.conversation import TEXT, Asking, array, list_field, schema, text_field
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Block, ChatModel, Prompt, need_room
from groundscope.chat.prompt_files import PromptFile, asked_chat, prompt_named
from groundscope.citations.claims import CitingDocument, LegalClaim, assembled, citing_sentences
from groundscope.citations.reader.reading import CitationReading, read
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.forecast import CostEstimate, of_each
from groundscope.experiments.plan import Content
from groundscope.experiments.task import Task, TaskPart
from groundscope.files.fields import clean
from groundscope.text.locate import nearest
from groundscope.types import Case

TASK = "decomposition"
"""Whose prompts these are, see `groundscope.chat.prompt_files`."""
_REPLY = '\n\nReply in JSON: {"claims": [{"claim": "...", "citations": [1, 2]}]}.'
_FORM = schema(claims=array(schema(claim=TEXT, citations=array({"type": "integer"}))))
_BEFORE = 3


class Decomposed(NamedTuple):
    """The claims of a text; None where two replies could not be read, with the reason in a sentence."""

    document: CitingDocument | None
    why: str = ""


@dataclass(frozen=True)
class Decomposer:
    """Asks a chat model for the claims of texts; see the module."""

    model: ChatModel
    prompt: PromptFile = field(default_factory=lambda: prompt_named(TASK))

    @cached_property
    def signature(self) -> str:
        """Model with its sampling, and the wording's hash."""
        return f"decomposed|{self.model.identity}|wording={self.plan('Text.').key('')[:8]}"

    def plan(self, text: str) -> Prompt:
        """Build the prompt for one text."""
        marked = _numbered(text, read(text))
        task, blocks = self.prompt.text("task") + _REPLY, (Block("analysis", clean(marked)),)
        return Prompt(task, self.prompt.text("system"), blocks, _FORM, min(16_000, 500 + len(text) // 2))

    def takes(self, texts: Sequence[str]) -> CostEstimate:
        """Estimate what is sent; texts without citations are not, and equal ones count once."""
        sent = [self.plan(text) for text in dict.fromkeys(texts) if read(text).citations]
        return of_each(self.model.identity, self.model, sent, again=len(sent))

    def ask(self, text: str) -> Content:
        """Ask for the claims of a text, as JSON, or say why there are none. No model is asked about a text without citations."""
        reading = read(text)
        if not reading.citations:
            return {"claims": []}
        asked = self.plan(text)
        need_room(self.model, asked, "The text", "; choose a model that reads more.")
        try:
            claims = Asking(self.model, Case("", "", (), text)).json(asked, lambda found: _claims(found, len(reading.citations)))
        except Unreadable as error:
            return {"why": str(error)}
        return {"claims": claims}


def decomposed(text: str, content: Content, *, subsections: bool = False) -> Decomposed:
    """Assemble a text from the claims that a model gave, or say why it gave none."""
    if "why" in content:
        return Decomposed(None, content["why"])
    reading, claims = read(text), [(claim, tuple(cited)) for claim, cited in content["claims"]]
    placed = [(LegalClaim(claim, _place(text, reading, claim, cited)), cited) for claim, cited in claims]
    unnamed = [(None, _unnamed(reading, claims))] if reading.citations else []
    return Decomposed(assembled(text, reading, [*placed, *unnamed], subsections=subsections))


def decomposer(line: str) -> Decomposer:
    """Build the decomposer of a spec, `chat:SPEC` or `chat/PROMPT:SPEC`; nothing is sent yet."""
    spec, name = asked_chat(line)
    return Decomposer(chat_model(spec), prompt_named(TASK, name))


def _part(line: str, _options: Content) -> TaskPart[str]:
    model = decomposer(line)
    return TaskPart(model.signature, model.ask)


DECOMPOSING: Task[str] = Task(JobDirectory("claims", "splitting of texts"), "text", "text", str, str, _part)
"""A chat model splits texts into claims."""


def _numbered(text: str, reading: CitationReading) -> str:
    parts, at = [], 0
    for number, citation in enumerate(reading.citations, 1):
        parts.append(f"{text[at : citation.end]} [[{number}]]")
        at = citation.end
    return "".join([*parts, text[at:]])


def _claims(reply: dict[str, Any], count: int) -> list[tuple[str, tuple[int, ...]]]:
    """(claim, places of its citations); what names no citation of the text is left out."""
    claims = []
    for row in list_field(reply, "claims", dict):
        # A number alone, or in the brackets that the text has it in, is as clear as a list.
        numbers = map(int, re.findall(r"(?<![\d.-])[0-9]{1,6}(?!\d|\.\d)", str(row.get("citations"))))
        claim = " ".join(clean(text_field(row, "claim")).split())
        cited = tuple(sorted({n - 1 for n in numbers if 1 <= n <= count}))
        if claim and cited:
            claims.append((claim, cited))
    if not claims and reply.get("claims"):
        raise Unreadable("The model's claims name no citation of the text.")
    return claims


def _unnamed(reading: CitationReading, claims: Sequence[tuple[str, tuple[int, ...]]]) -> list[int]:
    """Citations of authorities that no claim rests on."""
    named = {i for _, cited in claims for i in cited}
    authorities = frozenset().union(*(reading.citations[i].same for i in named))
    return [i for i, c in enumerate(reading.citations) if i not in named and not c.same & authorities]


def _place(text: str, reading: CitationReading, claim: str, cited: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The span of the sentence that is most like a claim."""
    sentences = citing_sentences(text, reading.citations)
    at = next((i for i, s in enumerate(sentences) if cited[0] in s.citations), 0)
    near = sentences[max(0, at - _BEFORE) : at + 1]
    like = nearest(claim, [s.words for s in near])
    best = near[like[0][0]] if like else near[-1]
    return ((best.start, best.end),)
