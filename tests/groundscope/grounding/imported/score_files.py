"""The hand-made exports of other tools, and ways to read them."""

import json
from pathlib import Path
from typing import Any

from groundscope.grounding.imported.scores import Recorded, read_scores
from groundscope.types import Case, Passage

FOLDER = Path(__file__).parents[2] / "cases" / "formats"
FEE = Case("fee", "When is the fee due?", (Passage("p", "Text."),), "The fee is due on filing.")
REGISTER = Case("register", "Who keeps the register?", (Passage("p", "Text."),), "The clerk keeps it, as far as is known.")
BOND = Case("bond", "What does a bond cost?", (Passage("p", "Text."),), "A bond costs 90 pounds.")
CASES = (BOND, FEE, REGISTER)
RAGAS = {"user_input": "q", "response": "r", "faithfulness": 0.5}


def export(name: str) -> Recorded:
    return read_scores(name, (FOLDER / name).read_bytes())


def table(*rows: dict[str, Any]) -> Recorded:
    return read_scores("a.json", json.dumps(list(rows)).encode())
