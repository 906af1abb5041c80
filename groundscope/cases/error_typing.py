"""Label ungrounded responses with error types: two models choose independently (paper, section 8).

Each model chooses from the closed list; only what both chose is kept. The paper reports that its two models chose exactly the
same types for 29 % of the responses, and at least one in common for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from groundscope.cases.dataset import to_row
from groundscope.cases.error_types import DESCRIBED, blocks_of
from groundscope.cases.own_format import own_case
from groundscope.chat.clients.model import chat_model
from groundscope.chat.conversation import Asking, array, choice_field, list_field, one_of, schema
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import ChatModel, Prompt
from groundscope.chat.prompt_files import PromptFile, asked_chat, prompt_named
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import Task, TaskPart, contents, plan_of
from groundscope.files.fields import cleaned
from groundscope.text.humanize import plural
from groundscope.types import Case, ErrorType

TASK = "error_types"
"""Whose prompts these are, see `groundscope.chat.prompt_files`."""
_REPLY = '\n{types}\n\nReply in JSON: {{"types": ["..."]}}.'
_FORM = schema(types=array(one_of(*(t.value for t in ErrorType))))

Types = frozenset[ErrorType]


@dataclass(frozen=True, slots=True)
class Typed:
    """What two models chose for one response; None where the replies of one could not be read."""

    case_id: str
    first: Types | None
    second: Types | None

    @property
    def kept(self) -> Types:
        """What both chose."""
        return (self.first or frozenset()) & (self.second or frozenset())


@dataclass(frozen=True, slots=True)
class TypingAgreement:
    """How often two models agree: shares, 0..1, of the responses for which both replies could be read."""

    responses: int
    exact: float | None
    overlapping: float | None
    unread: int


class Chooser(NamedTuple):
    """A chat model, and the prompt that it is asked by."""

    model: ChatModel
    prompt: PromptFile


def chooser(line: str) -> Chooser:
    """Build who chooses, of a spec or `chat/NAME:SPEC`."""
    spec, name = asked_chat(line)
    return Chooser(chat_model(spec), prompt_named(TASK, name))


def choose(case: Case, asked: Chooser) -> Types | None:
    """Let a model choose the error types of an ungrounded response; raises ModelUnavailable or BudgetSpent."""
    try:
        return Asking(asked.model, case).json(prompt(case, asked.prompt), _read)
    except Unreadable:
        return None


def _part(line: str, _options: Content) -> TaskPart[Case]:
    asked = chooser(line)
    wording = prompt(Case("", "", (), ""), asked.prompt).key("")[:8]

    def do(case: Case) -> Content:
        types = choose(case, asked)
        return {"types": None if types is None else sorted(types)}

    return TaskPart(f"error_types|model={asked.model.identity}|wording={wording}", do)


TYPING: Task[Case] = Task(
    JobDirectory("typings", "typing"),
    "choice",
    "response",
    lambda case: cleaned(to_row(case)),
    lambda row: own_case(row, ""),
    _part,
)
"""Two models choose for every response."""


def typed_in(file: JobFile) -> tuple[list[Case], tuple[Typed, ...]]:
    """Read all cases of a typing, and what its two models chose for those that they were asked about."""
    cases, rows, chosen = TYPING.items(file), plan_of(file).rows, contents(file)
    places = range(len(cases)) if rows is None else rows
    return cases, tuple(Typed(cases[row].id, _types(chosen.get((row, 0))), _types(chosen.get((row, 1)))) for row in places)


def _types(content: Content | str | None) -> Types | None:
    types = content["types"] if isinstance(content, dict) else None
    return None if types is None else frozenset(map(ErrorType, types))


def with_types(cases: Sequence[Case], typed: Sequence[Typed]) -> tuple[Case, ...]:
    """Label responses with the types that both models chose."""
    types = {t.case_id: tuple(kind for kind in ErrorType if kind in t.kept) for t in typed if t.kept}
    return tuple(_with_kept(c, types[c.id]) if c.id in types and not c.errors else c for c in cases)


def _with_kept(case: Case, kinds: tuple[ErrorType, ...]) -> Case:
    """The case with these types; those that it had already keep their reasons."""
    return replace(case, error_types=kinds, reasons=tuple((kind, why) for kind, why in case.reasons if kind in kinds))


def agreement(typed: Sequence[Typed]) -> TypingAgreement:
    """Compute the exact and at-least-one agreement of two models over responses."""
    read = [(t.first, t.second) for t in typed if t.first is not None and t.second is not None]
    if not read:
        return TypingAgreement(0, None, None, len(typed))
    exact = sum(a == b for a, b in read) / len(read)
    overlapping = sum(bool(a & b) for a, b in read) / len(read)
    return TypingAgreement(len(read), exact, overlapping, len(typed) - len(read))


class ChoiceCount(NamedTuple):
    """How many responses one error type was chosen for."""

    type: ErrorType
    first: int
    second: int
    both: int


def choice_counts(typed: Sequence[Typed]) -> list[ChoiceCount]:
    """Count what two models chose."""
    none: Types = frozenset()
    sides = [(t.first or none, t.second or none, t.kept) for t in typed]
    return [ChoiceCount(kind, *(sum(kind in side[i] for side in sides) for i in range(3))) for kind in ErrorType]


def agreement_words(agreement: TypingAgreement) -> str:
    """Write the agreement of two models beside the paper's."""
    if agreement.exact is None or agreement.overlapping is None:
        return "No reply could be read. Try other models."
    unread = f" For {agreement.unread:,} a reply could not be read." if agreement.unread else ""
    return (
        f"Both chose exactly the same types for {100 * agreement.exact:.0f} % of {plural(agreement.responses, 'response')}, and "
        f"at least one in common for {100 * agreement.overlapping:.0f} % (the paper: 29 % and 100 %).{unread}"
    )


def prompt(case: Case, asked: PromptFile | None = None) -> Prompt:
    """Build the prompt that each model receives."""
    chosen = asked or prompt_named(TASK)
    task = chosen.text("task") + _REPLY.format(types=DESCRIBED)
    return Prompt(task, chosen.text("system"), blocks_of(case), _FORM, max_tokens=300)


def _read(reply: dict[str, Any]) -> Types:
    names = list_field(reply, "types", str)
    if not names:
        raise Unreadable("The model chose no type.")
    return frozenset(ErrorType(choice_field({"type": name}, "type", [t.value for t in ErrorType])) for name in names)
