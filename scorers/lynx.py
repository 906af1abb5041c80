"""Lynx v1.1: an open judge trained for one message, PASS or FAIL (paper, section 5.3; Ravi et al. 2024, PatronusAI/Lynx).

One user message with the sections QUESTION, DOCUMENT and ANSWER, each under a line of two dashes; a reply with the keys
REASONING and SCORE. Greedy, 600 new tokens. A reply without a SCORE is invalid, which metrics count as wrong: that is how
the paper's odd row comes about (a recall far below precision and F1).

Departs from the paper: the wording of the instruction is this project's, with the model's own sections and keys. Its texts
stand in the message as it was trained, without this project's random markers; so the verdict is taken from the reply's own
SCORE key only, never from one that stands inside a quotation, and two that differ are invalid. The licence, CC BY-NC 4.0,
forbids commercial use.
"""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from groundscope.chat.conversation import Asking
from groundscope.chat.json_reply import Unreadable, object_of
from groundscope.chat.messages import ChatModel, Prompt, Reply
from groundscope.chat.model_spec import parse
from groundscope.errors import ModelUnavailable
from groundscope.methods import About, Paper
from groundscope.types import Case
from scorers._chat.evidence import Placed
from scorers._chat.prompted import Draft, Prompted, context_text, need_room

_MESSAGE = (
    "Below are a QUESTION, a DOCUMENT and an ANSWER. Decide whether the ANSWER is faithful to the DOCUMENT: it must not offer "
    "information that the DOCUMENT does not contain, and must not contradict it. The QUESTION does not count as background "
    "information. Give the steps of your reasoning, then your verdict.\n\n"
    "--\nQUESTION (does not count as background information):\n{question}\n\n"
    "--\nDOCUMENT:\n{document}\n\n"
    "--\nANSWER:\n{answer}\n\n"
    '--\nReply in JSON with the keys "REASONING" and "SCORE", where SCORE is "PASS" if the ANSWER is faithful to the DOCUMENT '
    'and "FAIL" if it is not:\n{{"REASONING": [<your reasoning as bullet points>], "SCORE": "<PASS or FAIL>"}}'
)
_KEY = re.compile(r"""["']?(REASONING|SCORE)["']?\s*:\s*""")
_SCORE = re.compile(r"""["']?(PASS|FAIL)\b""")
_ANY_SCORE = re.compile(r"""\bSCORE\b[\\"'\s]{0,9}:[\\"'\s]{0,9}(PASS|FAIL)\b""", re.IGNORECASE)
_QUOTATION = re.compile(r"""(["'])((?:[^\\"']|\\.|(?!\1)["'])*+)\1""", re.DOTALL)
_MARK = re.compile(r"""["']""")


@dataclass(frozen=True)
class Lynx(Prompted):
    """Asks a Lynx model for PASS or FAIL; support is 1 or 0. It names no sentence, so only PASS says something of them.

    Attributes:
        model: a spec of a server with a Lynx model (see `groundscope.chat.model_spec`); empty = that of the environment.
    """

    model: str = ""

    WORDING: ClassVar[tuple[Any, ...]] = (_MESSAGE,)
    about: ClassVar[About] = About(
        title="Lynx",
        measures="Whether Lynx, an open model trained to judge answers, calls the whole answer faithful to its sources.",
        threshold=0.5,
        threshold_source="between the two verdicts",
        needs="a Lynx model on a server of your own",
        licence="CC BY-NC 4.0 (no commercial use)",
        aggregation="the model's verdict",
        paper=Paper("LYNX v1.1", "5.3", dev_f1=0.571, test_f1=0.597),
    )

    def chat(self) -> ChatModel:
        """The model, which must be one of Lynx's.

        Raises:
            ModelUnavailable: none is chosen, or another.
        """
        model = super().chat()
        if "lynx" not in parse(self.line).model.lower():
            raise ModelUnavailable(
                "Lynx judges with its own model only: choose a server that serves one, under a name that holds `lynx`."
            )
        return model

    def plan(self, case: Case) -> tuple[list[Prompt], bool]:
        """One prompt."""
        return [_prompt(case)], False

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Send one prompt."""
        prompt = _prompt(case)
        need_room(asking.model, prompt, case)
        passed, reasons = asking.text(prompt, _read)
        sentences, claims = Placed(case).by_quotes((), passed=passed)
        return Draft(float(passed), sentences, claims, note=" ".join(reasons))


def _prompt(case: Case) -> Prompt:
    message = _MESSAGE.format(question=case.query, document=context_text(case.context), answer=case.response)
    return Prompt(message, max_tokens=600)


def _read(reply: Reply) -> tuple[bool, list[str]]:
    return parsed(reply.text)


def parsed(text: str) -> tuple[bool, list[str]]:
    """Read the verdict and the reasons of a reply of Lynx.

    The reply is often no strict JSON: its list may be in single quotes, its keys bare, text may stand before and after. A key
    counts outside quotations only, where it is the reply's own; and where marks are so muddled that another SCORE stands
    anywhere, none counts.

    Args:
        text: the reply as the model wrote it.

    Returns:
        Whether it says PASS, and its reasons in their order; no reason if it gives none.

    Raises:
        Unreadable: it has no SCORE, or two that differ.
    """
    try:
        pairs, whole = list(object_of(text.strip()).items()), True
    except Unreadable:
        pairs, whole = _own_keys(text), False
    scores = {str(value).strip().strip("\"'").upper() for key, value in pairs if key.upper() == "SCORE"}
    if not whole and scores:
        scores |= {score.upper() for score in _ANY_SCORE.findall(text)}
    if len(scores) != 1 or not scores <= {"PASS", "FAIL"}:
        raise Unreadable("The model's reply holds no single SCORE of PASS or FAIL.")
    reasons = [value for key, value in pairs if key.upper() == "REASONING"]
    listed = reasons[0] if reasons and isinstance(reasons[0], list) else reasons[:1]
    return scores == {"PASS"}, [str(r) for r in listed if isinstance(r, str)]


def _own_keys(text: str) -> list[tuple[str, Any]]:
    """The keys of a reply that is no JSON, with their values: those that stand outside quotations."""
    found: list[tuple[str, Any]] = []
    unclosed: set[str] = set()
    reasoned = False
    at = 0
    while at < len(text):
        if key := _KEY.match(text, at):
            name, at = key[1], key.end()
            if name == "SCORE":
                score = _SCORE.match(text, at)
                found.append((name, score[1] if score else ""))
            elif not reasoned:
                # Only the first list counts.
                end = text.find("]", at)
                found.append((name, _bullets(text, at, end if end >= 0 else len(text))))
                reasoned = True
            continue
        marked = text[at] in "\"'" and not text[at - 1 : at].isalnum()
        quotation = _quotation(text, at, len(text), unclosed) if marked else None
        at = quotation.end() if quotation else at + 1
    return found


def _bullets(text: str, at: int, end: int) -> list[str]:
    """What stands between quotation marks in a part of a text."""
    found: list[str] = []
    unclosed: set[str] = set()
    while mark := _MARK.search(text, at, end):
        quotation = _quotation(text, mark.start(), end, unclosed)
        found += [quotation[2]] if quotation else []
        at = quotation.end() if quotation else mark.end()
    return found


def _quotation(text: str, at: int, end: int, unclosed: set[str]) -> re.Match[str] | None:
    """The quotation that a mark begins; once a mark is not closed, no later one like it is, which `unclosed` remembers."""
    if text[at] in unclosed:
        return None
    if (quotation := _QUOTATION.match(text, at, end)) is None:
        unclosed.add(text[at])
    return quotation
