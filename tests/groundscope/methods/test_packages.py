"""Methods of installed packages: found by their entry points, listed, run, and named where they cannot be used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

COINS = '''
from dataclasses import dataclass
from groundscope.methods import About, Method
from groundscope.types import Case, Judgement, Status

VARIANTS = {"tails": {"support": 0.0}}


@dataclass(frozen=True)
class Coins(Method):
    """Tosses a coin."""

    support: float = 1.0

    @property
    def signature(self) -> str:
        return f"coins|support={self.support}"

    def score(self, case: Case) -> Judgement:
        return Judgement(Status.SCORED, support=self.support)


class Flat(Method):
    signature = "flat"
    about = About(title="Always a half", measures="Nothing.")

    def score(self, case: Case) -> Judgement:
        return Judgement(Status.SCORED, support=0.5)
'''
FIRST = {
    "points": """
coins = coins.tossed
flat = coins:Flat
torn = coins.torn
gone = coins.no_such_module
quip = coins.tossed
_hidden = coins.tossed
""",
    "coins/tossed.py": COINS.replace("class Flat(Method)", "class _Flat"),
    "coins/flat.py": COINS,
    "coins/__init__.py": "from coins.flat import Flat\n",
    "coins/torn.py": "SIDES = 2\ndef toss(:\n",
}
SECOND = {"points": "\ncoins = other_coins\n", "other_coins.py": COINS}

SCORE = """
from groundscope.__main__ import main
from groundscope.methods import registry
from groundscope.types import Case, Passage
case = Case("c", "q", (Passage("p", "The court dismissed the appeal."),), "The court dismissed the appeal.")
for name in ("coins", "coins:tails", "flat"):
    method = registry.load(name)
    print(name, method.about.title, method.about.measures, method.score(case).support, sep="|")
print("quip", registry.load("quip").about.title, registry.load("quip").score(case).support, sep="|")
print(registry.load("coins", support=0.25).signature, registry.parameters("coins"), registry.parameters("flat"))
print(registry.find("torn").score(case).status, registry.ready(("torn", "gone", "flat")))
main(["methods"])
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two packages that have methods, as pip leaves them there."""
    folder = tmp_path_factory.mktemp("installed")
    for name, files in (("coins", FIRST), ("more-coins", SECOND)):
        about = f"groundscope_{name.replace('-', '_')}-1.0.dist-info"
        written = {f"{about}/METADATA": f"Metadata-Version: 2.1\nName: groundscope-{name}\nVersion: 1.0\n"}
        written[f"{about}/entry_points.txt"] = f"[groundscope.methods]{files['points']}"
        for path, text in {**files, **written}.items():
            if path != "points":
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
    return folder


def test_methods_of_packages_score_and_are_listed(installed: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", SCORE]
    out = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    lines = out.stdout.splitlines()
    assert lines[:6] == [
        "coins|coins|Tosses a coin.|1.0",
        "coins:tails|coins:tails|Tosses a coin.|0.0",
        "flat|Always a half|Nothing.|0.5",
        "quip|QUIP|1.0",
        "coins|support=0.25 ('support',) ()",
        "failed ('flat',)",
    ]
    rows = {line.split()[0]: line.split() for line in lines[6:] if line}
    assert rows["coins:tails"] == ["coins:tails", "coins:tails", "ready"]
    assert rows["flat"] == ["flat", "Always", "a", "half", "ready"]
    assert rows["quip"] == ["quip", "QUIP", "ready"]
    reasons = " ".join(" ".join(lines[6:]).split())
    broken = "cannot be loaded ({}); install a version of groundscope-coins that fits, or uninstall it."
    assert broken.format("SyntaxError: invalid syntax in line 2") in reasons
    assert broken.format("ModuleNotFoundError: No module named 'coins.no_such_module'") in reasons
    assert " ".join(rows["torn"]) == "torn torn cannot run"
    assert "_hidden" not in rows
    why = (
        "_hidden of the package groundscope-coins",
        "coins of the package groundscope-more-coins",
        "quip of the package groundscope-coins",
    )
    for line, words in zip(out.stderr.splitlines(), why, strict=True):
        assert line.startswith(f"The method {words} is left out: ")
