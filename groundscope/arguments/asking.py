"""Factors extracted by a chat model (Zhang et al. 2025): three lists, one a case, forced into a JSON schema.

Only the argument's text goes in, without the triple and without the catalogue, so that the model cannot put right what an
argument got wrong. What it lists is brought to the catalogue's factors by number and name; what is none stays as it is, as
something invented.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from groundscope.arguments.extraction import Extraction, of_sets
from groundscope.arguments.mentions import keys_of
from groundscope.arguments.parsing import Argument
from groundscope.arguments.types import Catalogue
from groundscope.arguments.writing import LARGER
from groundscope.chat.conversation import TEXT, Asking, array, list_field, schema
from groundscope.chat.json_reply import Unreadable, json_of
from groundscope.chat.messages import Block, ChatModel, Prompt, Reply, need_room
from groundscope.chat.prompt_files import PromptFile, prompt_named
from groundscope.files.fields import clean
from groundscope.types import Case

FIELDS = ("current_case", "tsc1", "tsc2")
MOST_LISTED = 500
"""Entries of a list that are read."""
TASK = "factor_extraction"
"""Whose prompts these are, see `groundscope.chat.prompt_files`."""
_FORM = f"\n\nReply in JSON with three lists of texts: {', '.join(FIELDS)}."


class Extracted(NamedTuple):
    """What came of asking: None where two replies could not be read, and then why, in a sentence."""

    found: Extraction | None
    why: str = ""


@dataclass(frozen=True)
class ChatExtractor:
    """Asks a chat model for the factors of an argument, in a reply of at most `max_tokens`; see the module."""

    model: ChatModel
    prompt: PromptFile = field(default_factory=lambda: prompt_named(TASK))
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
        need_room(self.model, asked, "The text", LARGER)
        asking = Asking(self.model, Case("", "", (), argument.text))
        try:
            lists = asking.text(asked, _lists)
        except Unreadable as error:
            return Extracted(None, str(error))
        sets = [frozenset(key for w in one[:MOST_LISTED] for key in keys_of(w, catalogue)) for one in lists]
        return Extracted(of_sets(sets, _strange(sets, catalogue)))


def _lists(reply: Reply) -> list[list[str]]:
    parsed = json_of(reply)
    return [list_field(parsed, name, str) for name in FIELDS]


def _strange(sets: list[frozenset[str]], catalogue: Catalogue) -> str:
    count = len(frozenset().union(*sets) - set(catalogue.by_key))
    return f"{count:,} of what it lists is no factor of the catalogue." if count else ""
