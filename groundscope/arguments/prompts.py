"""Prompts for the models under test (Zhang et al. 2025): three plies in JSON, and when to abstain.

The instruction to abstain stands in every prompt of every test; how it is worded is the paper's open question, so that there
are several wordings. The paper's own words are not known to us: these are this project's. Each side cites the precedent that
it won: TSC1 for the plaintiff in arguable triples, TSC2 in reordered ones, so that one prompt fits all tests.
"""

from typing import NamedTuple

from groundscope.arguments.parsing import PLIES
from groundscope.arguments.types import CASE_TITLES, CASES, Catalogue, Scenario
from groundscope.chat.conversation import TEXT, array, schema
from groundscope.chat.messages import Block, Prompt


class Wording(NamedTuple):
    """A way to have a model abstain.

    Attributes:
        text: of the prompt; empty = nothing.
        verifies: whether a prompt of its own asks first which factors are in common; the argument is asked for only if some are.
    """

    id: str
    title: str
    text: str
    verifies: bool = False


_NOTHING = "there is no common factor"
_PLAIN = (
    "If the current case has no factor in common with the precedents, say that there is no common factor, and stop: make no "
    "argument."
)
VERIFY = "verify-then-answer"
WORDINGS = (
    Wording("plain", "Plain", _PLAIN),
    Wording(
        "check-first",
        "Check first",
        "Before you write, compare the factors of the current case with those of each precedent, one by one. Only if at least "
        "one factor is the same can there be an argument. If none is, say that there is no common factor, and stop.",
    ),
    Wording(
        "fixed-reply",
        "Fixed reply",
        f'If the current case and the precedents have no factor in common, reply with "{_NOTHING}" as {PLIES[0]} and with '
        "empty texts as the other two, and name no factor.",
    ),
    Wording(
        "consequence",
        "Consequence",
        "An argument from a precedent without a common factor is worthless and would mislead a court; to say that there is no "
        "common factor is then the only right answer. If no factor is in common, say that, and stop.",
    ),
    Wording(
        "permission",
        "Permission",
        "You need not argue. It is quite possible that the current case has nothing in common with the precedents; then say that "
        "there is no common factor, and stop. No argument is expected then.",
    ),
    Wording(
        "all-and-none",
        "Plain, with what is measured",
        f"{_PLAIN} Use all factors that matter, and add none that the data does not give.",
    ),
    Wording("none", "No instruction (control)", ""),
    Wording(
        VERIFY,
        "Verify, then answer",
        "At least one factor was found to be in common when the cases were compared before. Where you find none after all, say "
        "that there is no common factor, and stop: make no argument.",
        verifies=True,
    ),
)
"""The first is the default. The last three are beyond the paper: how much does it help to name what is measured (invented and
left-out factors), how much does any instruction do, and how much do two steps?"""
DEFAULT = WORDINGS[0].id
_BY_ID = {w.id: w for w in WORDINGS}

_SYSTEM = "You are a lawyer who argues from precedents by factors: stereotypical facts that favour one side."
_TASK = (
    "The data gives the factors of a current case and of two decided precedents, TSC1 and TSC2, and who won each. (P) marks a "
    "factor that favours the plaintiff, (D) one that favours the defendant. Write an argument in three plies. First, the "
    "plaintiff argues from the factors that the current case shares with the precedent that the plaintiff won. Second, the "
    "defendant distinguishes that precedent by the factors in which it differs from the current case, and cites the one that the "
    "defendant won, for the factors it shares with the current case. Third, the plaintiff distinguishes the defendant's "
    "precedent by the factors in which it differs. Write each factor with its number and name as the data does, and say it of "
    "the case that has it."
)
COMMON = ("tsc1", "tsc2")
_VERIFY_SYSTEM = "You compare cases by factors: stereotypical facts that favour one side."
_VERIFY_TASK = (
    "The data gives the factors of a current case and of two decided precedents, TSC1 and TSC2. List for each precedent the "
    "factors that the current case has, too, as the data writes them. Compare them one by one. A factor is in common only if it "
    "stands in both lists. Where none is, the list is empty. Make no argument."
    f"\n\nReply in JSON with two lists of texts: {', '.join(COMMON)}."
)
_FORM = f"\n\nReply in JSON with three texts: {', '.join(PLIES)}."


def wording(name: str) -> Wording:
    """Find a wording of the abstention by its id."""
    if name not in _BY_ID:
        raise ValueError(f"no wording {name!r}; there are {', '.join(_BY_ID)}")
    return _BY_ID[name]


def described(scenario: Scenario, catalogue: Catalogue) -> str:
    """Write the triple as a model reads it."""
    won = {"tsc1": scenario.tsc1.winner.party, "tsc2": scenario.tsc2.winner.party}
    parts = []
    for name, numbers in zip(CASES, scenario.cases, strict=True):
        head = CASE_TITLES[name] + (f" (won by the {won[name]})" if name in won else "")
        parts.append("\n".join([f"{head}:", *(catalogue.by_number[n].written for n in numbers)]))
    return "\n\n".join(parts)


def prompt(scenario: Scenario, catalogue: Catalogue, wording: Wording, max_tokens: int = 2_000) -> Prompt:
    """Build what a model under test is asked."""
    task = f"{_TASK}{f' {wording.text}' if wording.text else ''}{_FORM}"
    blocks = (Block("triple", described(scenario, catalogue)),)
    return Prompt(task, _SYSTEM, blocks, schema(**dict.fromkeys(PLIES, TEXT)), max_tokens)


def verification(scenario: Scenario, catalogue: Catalogue) -> Prompt:
    """Build what a model is asked before it argues, where it verifies first."""
    blocks = (Block("triple", described(scenario, catalogue)),)
    return Prompt(_VERIFY_TASK, _VERIFY_SYSTEM, blocks, schema(**dict.fromkeys(COMMON, array(TEXT))), 1_000)
