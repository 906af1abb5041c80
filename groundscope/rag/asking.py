"""Answers that a chat model writes from retrieved passages, and a chat model as judge of answers (Butler and Butler 2026).

As in the paper every retrieved passage goes into the prompt with its number, its metadata and its content, and the model is asked
with its provider's defaults: one question, one call. Two prompts ship: `benchmark`, the default, has the instructions of the
benchmark's public code in this project's words; `cautious` has the model mark what is uncertain, which moves answers between
hallucinations and retrieval errors. Departs from the paper: `benchmark` does not name the benchmark's corpus, since any may be
asked; passages stand in blocks behind a random marker, so that none can pass for an instruction; a reply has a limit of tokens,
noted if reached; a server of one's own is asked at the temperature of its spec.

Two prompts ship for the judge. `benchmark`, the default, states every rule of the judge in the benchmark's public code: correct =
the same core meaning as the reference answer, or the same conclusion; grounded = no particular claim that the passages do not
support, none that they contradict, no key term of law that they lack. A paraphrase counts as support; background that asserts no
fact of law, labelled uncertainty, and detail that does no harm to correctness are allowed; an answer from passages that have
nothing to do with the question is not grounded; a verdict of not grounded names a claim that is not supported. `as-printed` has
the paper's own two definitions, by which the relevance of the passages does not matter.

Departs from that code: the wording is this project's, without the name of the benchmark's corpus; the reasons and the unsupported
claim come before the verdicts, so that these follow from them, each in a field of its own and without a limit of length or of
quotations, and whether passages are cited by their ids is left open; an empty answer is not asked about, nor correctness without
a reference answer; a reply that cannot be read is asked for once more. The judge there is a strong model at high reasoning
effort: which model judges here is the user's choice, and so is its effort (`;effort=high` in its spec); the signature names both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from groundscope.chat.conversation import TEXT, Asking, schema, text_field, truth_field
from groundscope.chat.json_reply import Unreadable, ends_reasoning, free_text, refusal_of
from groundscope.chat.messages import Block, ChatModel, Prompt, Reply, need_room
from groundscope.chat.prompt_files import PromptFile, prompt_named
from groundscope.files.fields import clean
from groundscope.rag.types import Question, Verdict, Written
from groundscope.types import Case, Passage

ANSWER, JUDGE = "rag_answer", "rag_judge"
"""Tasks whose prompts these are, see `groundscope.chat.prompt_files`."""


@dataclass(frozen=True)
class ChatGenerator:
    """Asks a chat model for an answer; see the module."""

    model: ChatModel
    prompt: PromptFile = field(default_factory=lambda: prompt_named(ANSWER))
    max_tokens: int = 2_000

    @property
    def signature(self) -> str:
        """Model with its sampling, the prompt's name, the wording's hash and the limit."""
        example = self.plan("question", (Passage("id", "text", "title"), Passage("id", "text")))
        wording = f"prompt={self.prompt.name}|wording={example.key('')[:8]}"
        return f"chat_generator|model={self.model.identity}|{wording}|max_tokens={self.max_tokens}"

    def plan(self, question: str, passages: Sequence[Passage]) -> Prompt:
        """Build the prompt that asks for an answer; `ChatModel.most` gives what it can cost."""
        blocks = (Block("question", clean(question)), *passage_blocks(passages))
        return Prompt(self.prompt.text("task"), self.prompt.text("system"), blocks, max_tokens=self.max_tokens)

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        """Write one answer; nothing is sent where there is no question or no passage. Errors as in `Generator.answer`."""
        if not question.strip():
            return Written("", "The question is empty, so no model was asked.")
        if not any(p.text.strip() for p in passages):
            return Written("", "There is no passage to answer from, so no model was asked.")
        prompt = with_room(self.model, self.plan(question, passages))
        reply = Asking(self.model, Case("", question, tuple(passages), "")).ask(prompt)
        return _written(reply, prompt)


def passage_blocks(passages: Sequence[Passage]) -> tuple[Block, ...]:
    """Make a block of data of each passage, with id, title and content, called `passage_1` and so on."""
    return tuple(Block(f"passage_{i}", _described(p)) for i, p in enumerate(passages, 1))


def _described(passage: Passage) -> str:
    # Of one line each, so that neither can pass for the content.
    identity, title = (" ".join(clean(text).split()) for text in (passage.id, passage.source))
    lines = [f"id: {identity}", *([f"title: {title}"] if title else []), "content:", clean(passage.text)]
    return "\n".join(lines)


def with_room(model: ChatModel, prompt: Prompt) -> Prompt:
    """The prompt, unless it does not fit the model: then `ModelUnavailable`, with both sizes and what to do."""
    instead = ", so nothing was sent; retrieve fewer passages, or choose a model with a larger window."
    need_room(model, prompt, "The question with its passages", instead)
    return prompt


def _written(reply: Reply, prompt: Prompt) -> Written:
    """The answer that a reply holds, with what the user must know of it."""
    why = refusal_of(reply)
    if reply.stop == "refusal":
        # What a provider breaks off is no answer.
        return Written("", why)
    notes = [why] if why else []
    try:
        answer = free_text(reply.text, quotable=any(ends_reasoning(block.text) for block in prompt.blocks))
    except Unreadable as error:
        return Written("", " ".join([*notes, str(error)]))
    if ends_reasoning(reply.text) and answer != reply.text.strip():
        notes.append("The model's reasoning before its answer was left out.")
    return Written(answer, " ".join(notes))


RAW = 2_000
"""Characters that are kept of a reply that cannot be read."""
_BLOCKS = "The data is a question, the passages that were retrieved for it, each in a block of its own, and an answer{}. "
_CLAIM = "unsupported_claim"
_FORM = (
    f" First give your reasons, in a few sentences, then one claim of the answer that the passages do not support, in short, as "
    f"`{_CLAIM}`, empty if there is none, then the {{}}.\n\nReply in JSON: {{{{{{}}}}}}."
)
_TRUTH = {"type": "boolean"}


def no_answer(question: Question) -> Verdict:
    """Give the verdict on an empty answer; no judge is asked.

    It is not correct where there is a reference answer, else there is no verdict on that; never one on grounding.
    """
    correct = False if question.reference.strip() else None
    return Verdict(correct, None, "There is no answer, so there is nothing that could be grounded or not.")


@dataclass(frozen=True)
class ChatJudge:
    """Asks a chat model for two verdicts and its reasons; see the module."""

    model: ChatModel
    prompt: PromptFile = field(default_factory=lambda: prompt_named(JUDGE))
    max_tokens: int = 2_000

    @property
    def title(self) -> str:
        """Who judged, for people, and by which prompt."""
        return f"Judged by {self.model.identity}, {self.prompt.name} prompt"

    @property
    def signature(self) -> str:
        """Model with its sampling, the prompt's name, the wording's hash and the limit."""
        example = (Passage("id", "text", "title"), Passage("id", "text"))
        keys = [self.plan(Question("id", "question", reference), "answer", example).key("") for reference in ("", "reference")]
        wording = "-".join(key[:8] for key in keys)
        named = f"prompt={self.prompt.name}|wording={wording}"
        return f"chat_judge|model={self.model.identity}|{named}|max_tokens={self.max_tokens}"

    def plan(self, question: Question, answer: str, passages: Sequence[Passage]) -> Prompt:
        """Make the prompt that will be sent; another one follows only if the reply cannot be read."""
        reference = clean(question.reference)
        with_reference = bool(reference.strip())
        blocks = [Block("question", clean(question.text)), *passage_blocks(passages), Block("answer", clean(answer))]
        if with_reference:
            blocks.append(Block("reference_answer", reference))
        names = ("correct", "grounded") if with_reference else ("grounded",)
        form = ", ".join(['"reasoning": "..."', f'"{_CLAIM}": "..."', *(f'"{name}": true or false' for name in names)])
        task = (
            _BLOCKS.format(", with the reference answer" if with_reference else "")
            + " ".join(map(self.prompt.text, names))
            + _FORM.format("verdicts" if with_reference else "verdict", form)
        )
        reply_schema = schema(reasoning=TEXT, unsupported_claim=TEXT, **dict.fromkeys(names, _TRUTH))
        return Prompt(task, self.prompt.text("system"), tuple(blocks), reply_schema, self.max_tokens)

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        """Judge one answer; without a reference answer correctness is not judged, and about an empty answer no model is asked.

        Both verdicts are None where two replies could not be read: then the reasons say why, and what the model said, at most
        `RAW` characters of it. The errors are those of `Judge.judge`; `ModelUnavailable` also where it does not read as much.
        """
        if not answer.strip():
            return no_answer(question)
        prompt = with_room(self.model, self.plan(question, answer, passages))
        texts = (*passages, Passage("", question.reference))
        asking = Asking(self.model, Case("", question.text, texts, answer))
        with_reference = bool(question.reference.strip())
        try:
            return asking.json(prompt, lambda parsed: _read(parsed, with_reference=with_reference))
        except Unreadable as error:
            return Verdict(None, None, f"{error} {_cut(asking.spent().raw)}".strip())


def _read(parsed: dict[str, Any], *, with_reference: bool) -> Verdict:
    correct = truth_field(parsed, "correct") if with_reference else None
    grounded = truth_field(parsed, "grounded")
    named = parsed.get(_CLAIM)
    # A grounded answer has none, and a verdict counts, whatever the model wrote there.
    claim = named.strip() if isinstance(named, str) and not grounded else ""
    return Verdict(correct, grounded, text_field(parsed, "reasoning", ""), claim)


def _cut(raw: str) -> str:
    shortened = raw.strip()
    return f"It said: {shortened[:RAW]}{'…' if len(shortened) > RAW else ''}" if shortened else ""
