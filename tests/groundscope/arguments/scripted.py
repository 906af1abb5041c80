"""A scripted model that argues and extracts over real HTTP: faithful unless it is told otherwise."""

import json
import re

from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact
from groundscope.arguments.parsing import PLIES
from groundscope.arguments.prompts import COMMON
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.types import Test
from tests.llm_server import Asked, LLMServer

SCENARIOS = make_all(TRADE_SECRETS, list(Test), 3, [5], 0)
"""Nine triples."""
_CASE = re.compile(r"(Current case|TSC1|TSC2)(?: \(won by the (plaintiff|defendant)\))?:\n((?:F.*\n?)+)")


def spec(server: LLMServer, **settings: object) -> str:
    """The spec of the scripted model."""
    return ";".join([f"server:scripted-1@{server.openai}", *(f"{k}={v}" for k, v in settings.items())])


def argues(asked: Asked) -> str:
    """Say every factor of its case, or list what an argument says."""
    if "argument" in asked.data:
        sets = exact((asked.data["argument"],), TRADE_SECRETS).sets
        names = [[TRADE_SECRETS.by_key[k].written if k in TRADE_SECRETS.by_key else k for k in sorted(s)] for s in sets]
        return json.dumps(dict(zip(("current_case", "tsc1", "tsc2"), names, strict=True)))
    cases = {name: rows.strip().split("\n") for name, _, rows in _CASE.findall(asked.data["triple"])}
    own = set(cases["Current case"])
    if "two lists" in asked.task:
        return json.dumps({case: sorted(own & set(cases[case.upper()])) for case in COMMON})
    if not own & (set(cases["TSC1"]) | set(cases["TSC2"])):
        return json.dumps(dict.fromkeys(PLIES, "") | {PLIES[0]: "There is no common factor."})
    said = [f"{'The current case' if n == 'Current case' else n} had {', '.join(rows)}." for n, rows in cases.items()]
    return json.dumps(dict(zip(PLIES, said, strict=True)))
