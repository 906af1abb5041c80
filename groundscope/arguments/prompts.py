"""Prompts for the models under test (Zhang et al. 2025): three plies in JSON, and when to abstain.

The instruction to abstain stands in every prompt of every test; how it is worded is the paper's open question, so that there
are several wordings, each a prompt of the task `argument`. Those that name what is measured, give no instruction, or verify first
in a call of their own are beyond the paper: how much does each help? The paper's own words are not known to us: these are this
project's. Each side cites the precedent that it won: TSC1 for the plaintiff in arguable triples, TSC2 in reordered ones, so that
one prompt fits all tests.
"""

from groundscope.arguments.parsing import PLIES
from groundscope.arguments.types import CASE_TITLES, CASES, Catalogue, Scenario
from groundscope.chat.conversation import TEXT, array, schema
from groundscope.chat.messages import Block, Prompt
from groundscope.chat.prompt_files import PromptFile, prompt_named

TASK, DEFAULT = "argument", "plain"
"""Whose prompts these are, see `groundscope.chat.prompt_files`, and the name of the first."""
COMMON = ("tsc1", "tsc2")
_VERIFY_FORM = f"\n\nReply in JSON with two lists of texts: {', '.join(COMMON)}."
_FORM = f"\n\nReply in JSON with three texts: {', '.join(PLIES)}."


def wording(name: str = "") -> PromptFile:
    """Find a wording by its name; `PromptMissing` if there is none."""
    return prompt_named(TASK, name)


def verifies(wording: PromptFile) -> bool:
    """Whether a call of its own asks first which factors are in common; the argument is asked for only if some are."""
    return bool(wording.text("verify_task"))


def described(scenario: Scenario, catalogue: Catalogue) -> str:
    """Write the triple as a model reads it."""
    won = {"tsc1": scenario.tsc1.winner.party, "tsc2": scenario.tsc2.winner.party}
    parts = []
    for name, numbers in zip(CASES, scenario.cases, strict=True):
        head = CASE_TITLES[name] + (f" (won by the {won[name]})" if name in won else "")
        parts.append("\n".join([f"{head}:", *(catalogue.by_number[n].written for n in numbers)]))
    return "\n\n".join(parts)


def prompt(scenario: Scenario, catalogue: Catalogue, wording: PromptFile, max_tokens: int = 2_000) -> Prompt:
    """Build what a model under test is asked."""
    task = f"{' '.join(filter(None, map(wording.text, ('task', 'abstention'))))}{_FORM}"
    blocks = (Block("triple", described(scenario, catalogue)),)
    return Prompt(task, wording.text("system"), blocks, schema(**dict.fromkeys(PLIES, TEXT)), max_tokens)


def verification(scenario: Scenario, catalogue: Catalogue, wording: PromptFile) -> Prompt:
    """Build what a model is asked before it argues, where it verifies first."""
    blocks = (Block("triple", described(scenario, catalogue)),)
    task, system = wording.text("verify_task") + _VERIFY_FORM, wording.text("verify_system")
    return Prompt(task, system, blocks, schema(**dict.fromkeys(COMMON, array(TEXT))), 1_000)
