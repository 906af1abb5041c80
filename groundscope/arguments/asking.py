"""Arguments by a chat model, and factors that a chat model extracts from arguments (Zhang et al. 2025).

An argument is one triple, one call, the model's reply in JSON where it can be forced. Where the wording verifies, a call of its
own asks first which factors are in common. If the model lists none, that is its abstention, and no argument is asked for; else
the argument is written as under any wording. Its list is not shown to it again. A reply that is no JSON is asked for once more;
if the second is none either, its text is the argument, since factors can be found in any text. The paper asks at low temperature
where it can be set: that is the spec's.

Factors are extracted as three lists, one a case, forced into a JSON schema. Only the argument's text goes in, without the triple
and without the catalogue, so that the model cannot put right what an argument got wrong. What it lists is brought to the
catalogue's factors by number and name; what is none stays as it is, as something invented.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from groundscope.arguments.arguers import ABSTAINS
from groundscope.arguments.extraction import Extraction, of_sets
from groundscope.arguments.mentions import keys_of
from groundscope.arguments.parsing import PLIES, THINKING, Argument, plies_of, read_argument, without_thinking
from groundscope.arguments.prompts import COMMON, TASK, prompt, verification, verifies, wording
from groundscope.arguments.types import Catalogue, Factor, Precedent, Scenario, Side, Test
from groundscope.chat.conversation import TEXT, Asking, array, list_field, schema
from groundscope.chat.json_reply import Unreadable, json_of
from groundscope.chat.messages import Block, ChatModel, Prompt, Reply, need_room
from groundscope.chat.prompt_files import PromptFile, prompt_named, shipped
from groundscope.files.fields import clean
from groundscope.types import Case

_LARGER = "; choose a model that reads more, or set its window where it does."
"""What to do where a text does not fit."""

_NONE_FOUND = "Asked first, the model found no factor in common, so it was asked for no argument."
_EXAMPLE = Scenario("example", Test.ARGUABLE, (1, 2), Precedent((1,), Side.PLAINTIFF), Precedent((2,), Side.DEFENDANT))
_FACTORS = Catalogue("example", (Factor(1, "One", Side.PLAINTIFF), Factor(2, "Two", Side.DEFENDANT)))


def _hashed(build: Callable[[Scenario, Catalogue, PromptFile], Prompt], wording: PromptFile) -> str:
    """Short hash of what a wording asks; empty of a verification that it does not ask for."""
    return build(_EXAMPLE, _FACTORS, wording).key("")[:8] if build is prompt or verifies(wording) else ""


@dataclass(frozen=True)
class ChatArguer:
    """Asks a chat model to argue; see the module. `own`: the user's wordings that it will be asked by."""

    model: ChatModel
    max_tokens: int = 3_000
    own: tuple[PromptFile, ...] = ()

    @property
    def signature(self) -> str:
        """Model with its sampling, a hash of all wordings, and the limit."""
        hashes = [(_hashed(prompt, w), _hashed(verification, w)) for w in (*shipped(TASK), *self.own)]
        keys, first = "".join(key for key, _ in hashes), "".join(key for _, key in hashes)
        return f"chat_arguer|model={self.model.identity}|wording={keys}|verifies={first}|max_tokens={self.max_tokens}"

    def plan(self, scenario: Scenario, catalogue: Catalogue, chosen: PromptFile | None = None) -> Prompt:
        """Build what will be sent; `ChatModel.most` says what it can cost."""
        return prompt(scenario, catalogue, chosen or wording(), self.max_tokens)

    def argue(self, scenario: Scenario, catalogue: Catalogue, wording: PromptFile) -> Argument:
        """Write one argument; `ModelUnavailable` if the model cannot be asked or has no room, `BudgetSpent` as of any call."""
        asked = self.plan(scenario, catalogue, wording)
        need_room(self.model, asked, "The text", _LARGER)
        asking = Asking(self.model, Case("", "", (), asked.blocks[0].text))
        verified = _verified(asking, verification(scenario, catalogue, wording)) if verifies(wording) else ""
        if verified == _NONE_FOUND:
            return Argument((ABSTAINS, "", ""), verified)
        argument = self._argued(asking, asked)
        return replace(argument, note=f"{verified} {argument.note}".strip()) if verified else argument

    def _argued(self, asking: Asking, asked: Prompt) -> Argument:
        last: list[Reply] = []

        def read(reply: Reply) -> tuple[str, ...]:
            last[:] = [reply]
            return plies_of(json_of(reply))

        try:
            plies = asking.text(asked, read)
        except Unreadable as error:
            return _of_unreadable(asking.spent().raw, last, str(error))
        # The same reading as of what is pasted, so that its notes are the same.
        return Argument(plies, THINKING if without_thinking(last[0].text)[1] else "")


def _verified(asking: Asking, asked: Prompt) -> str:
    """What the model finds in common, before it argues: `_NONE_FOUND`, or a note; empty where it finds factors."""

    def read(reply: Reply) -> bool:
        parsed = json_of(reply)
        return any(name.strip() for case in COMMON for name in list_field(parsed, case, str))

    try:
        return "" if asking.text(asked, read) else _NONE_FOUND
    except Unreadable as error:
        return f"What it found in common could not be read, so it argued without: {error}"


def _of_unreadable(raw: str, last: list[Reply], why: str) -> Argument:
    # What was cut off or refused never came to be read, and is no argument: what is missing of it would count as left out.
    if not last or last[0].text != raw or not without_thinking(raw)[0].strip():
        return Argument(("",), why)
    read = read_argument(raw)
    # A form that was not kept to matters only where the plies cannot be separated for it.
    return Argument(read.plies, read.note if len(read.plies) == len(PLIES) else f"{why} {read.note}")


FIELDS = ("current_case", "tsc1", "tsc2")
MOST_LISTED = 500
"""Entries of a list that are read."""
EXTRACTION = "factor_extraction"
"""Whose prompts these are, see `groundscope.chat.prompt_files`."""
_FORM = f"\n\nReply in JSON with three lists of texts: {', '.join(FIELDS)}."


class Extracted(NamedTuple):
    """What came of asking: None where two replies could not be read, and then why, in a sentence."""

    found: Extraction | None
    why: str = ""


@dataclass(frozen=True)
class ChatExtractor:
    """Asks a chat model for the factors of an argument; see the module."""

    model: ChatModel
    prompt: PromptFile = field(default_factory=lambda: prompt_named(EXTRACTION))
    max_tokens: int = 2_000

    @property
    def signature(self) -> str:
        """Model with its sampling, the wording's hash and the limit."""
        return (
            f"chat_extractor|model={self.model.identity}|wording={self.plan('argument').key('')[:8]}|max_tokens={self.max_tokens}"
        )

    def plan(self, text: str) -> Prompt:
        """Build the prompt about an argument; after a reply that cannot be read a longer one is sent."""
        reply_schema = schema(**dict.fromkeys(FIELDS, array(TEXT)))
        task = self.prompt.text("task") + _FORM
        return Prompt(task, self.prompt.text("system"), (Block("argument", clean(text)),), reply_schema, self.max_tokens)

    def extract(self, argument: Argument, catalogue: Catalogue) -> Extracted:
        """Extract. No model is asked about an argument that says nothing."""
        if argument.empty:
            return Extracted(of_sets([frozenset()] * 3, "There is no argument, so no model was asked."))
        asked = self.plan(argument.text)
        need_room(self.model, asked, "The text", _LARGER)
        asking = Asking(self.model, Case("", "", (), argument.text))
        try:
            lists = asking.text(asked, _lists)
        except Unreadable as error:
            return Extracted(None, str(error))
        sets = [frozenset(key for w in one[:MOST_LISTED] for key in keys_of(w, catalogue)) for one in lists]
        strange = len(frozenset().union(*sets) - set(catalogue.by_key))
        return Extracted(of_sets(sets, f"{strange:,} of what it lists is no factor of the catalogue." if strange else ""))


def _lists(reply: Reply) -> list[list[str]]:
    parsed = json_of(reply)
    return [list_field(parsed, name, str) for name in FIELDS]
