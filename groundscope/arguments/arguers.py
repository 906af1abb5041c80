"""Arguers that need no model: a faithful one, and four that have one flaw each, so that every metric can be seen at work.

Each argues in three plies from what it claims of the three cases; the faithful one claims what is so. What a flaw costs is exact:
see each function. The scenario's id seeds what is drawn. All but the last abstain from non-arguable triples: the abstention,
`ABSTAINS`, is the first of three plies.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from groundscope.arguments.parsing import Argument
from groundscope.arguments.types import CASE_TITLES, CASES, Catalogue, Scenario, Side, Test
from groundscope.chat.prompt_files import PromptFile

Claims = tuple[frozenset[int], ...]
"""Factors that are claimed of each case, in the order of `CASES`."""
ABSTAINS = "There is no common factor between the current case and the precedents, so no argument is made."
_INVENTED = 2
_VERSION = 1


class Arguer(NamedTuple):
    """A built-in arguer; no wording changes what it writes."""

    id: str
    title: str
    write: Callable[[Scenario, Catalogue], Argument]

    @property
    def signature(self) -> str:
        """Its id, and the version of what the built-in arguers write."""
        return f"built_in|{self.id}|version={_VERSION}"

    def argue(self, scenario: Scenario, catalogue: Catalogue, wording: PromptFile | None = None) -> Argument:
        """Write one argument, as `groundscope.arguments.asking.ChatArguer` does."""
        return self.write(scenario, catalogue)


def _faithful(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Say every factor of its case; abstain where there is no argument: Acc_H = 1 and Rec_U = 1."""
    return _abstaining(scenario, catalogue, _claims(scenario))


def _inventing(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Add two factors of no case: one is said of the current case and one of the plaintiff's precedent.

    Costs as many in N_GT of Acc_H, nothing of Rec_U; fewer where the catalogue has not two left.
    """
    current, tsc1, tsc2 = _claims(scenario)
    unused = [n for n in catalogue.numbers() if n not in current | tsc1 | tsc2]
    invented = _rng(scenario).sample(unused, min(_INVENTED, len(unused)))
    cited = scenario.won_by(Side.PLAINTIFF)
    more = {cited or "tsc1": frozenset(invented[1:]), "current": frozenset(invented[:1])}
    return _abstaining(
        scenario,
        catalogue,
        tuple(claimed | more.get(c, frozenset()) for c, claimed in zip(CASES, (current, tsc1, tsc2), strict=True)),
    )


def _omitting(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Leave out one factor of every case: costs 3 in N_GT of Rec_U, nothing of Acc_H."""
    rng = _rng(scenario)
    return _abstaining(scenario, catalogue, tuple(c - {rng.choice(sorted(c))} for c in _claims(scenario)))


def _misattributing(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Say a factor of TSC2 of TSC1, which lacks it; where TSC2 has none that TSC1 lacks, the other way round.

    Costs 1 in N_GT of Acc_H and 1 of Rec_U, and nothing where both precedents have the same factors.
    """
    current, tsc1, tsc2 = _claims(scenario)
    moved = sorted(tsc2 - tsc1) or sorted(tsc1 - tsc2)
    swapped = {_rng(scenario).choice(moved)} if moved else set()
    tsc1, tsc2 = (tsc1 | swapped, tsc2 - swapped) if tsc2 - tsc1 else (tsc1 - swapped, tsc2 | swapped)
    return _abstaining(scenario, catalogue, (current, tsc1, tsc2))


def _stubborn(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Argue as the faithful one, also where it should abstain: costs the abstention alone."""
    return _written(scenario, catalogue, _claims(scenario))


ARGUERS = (
    Arguer("faithful", "Faithful", _faithful),
    Arguer("invents", "Invents factors", _inventing),
    Arguer("omits", "Leaves factors out", _omitting),
    Arguer("misattributes", "Wrong case", _misattributing),
    Arguer("never-abstains", "Never abstains", _stubborn),
)
_BY_ID = {a.id: a for a in ARGUERS}


def arguer(name: str) -> Arguer:
    """Find a built-in arguer by its id; `ValueError` if there is none."""
    if name not in _BY_ID:
        raise ValueError(f"no built-in arguer {name!r}; there are {', '.join(_BY_ID)}")
    return _BY_ID[name]


def _rng(scenario: Scenario) -> Random:
    return Random(scenario.id)  # noqa: S311 - no secret


def _claims(scenario: Scenario) -> Claims:
    return tuple(frozenset(c) for c in scenario.cases)


def _abstaining(scenario: Scenario, catalogue: Catalogue, claims: Claims) -> Argument:
    if scenario.test is Test.NON_ARGUABLE:
        return Argument((ABSTAINS, "", ""))
    return _written(scenario, catalogue, claims)


def _written(scenario: Scenario, catalogue: Catalogue, claims: Claims) -> Argument:
    claimed = dict(zip(CASES, claims, strict=True))
    mine = scenario.won_by(Side.PLAINTIFF) or "tsc1"
    theirs = "tsc2" if mine == "tsc1" else "tsc1"
    first = [
        _shared(claimed, mine, Side.PLAINTIFF, catalogue),
        f"{CASE_TITLES[mine]} was decided for the plaintiff, and so should the current case be.",
    ]
    second = [
        f"{CASE_TITLES[mine]} can be distinguished.",
        *_differences(claimed, mine, catalogue),
        _shared(claimed, mine, Side.DEFENDANT, catalogue),
        _shared(claimed, theirs, Side.DEFENDANT, catalogue),
        f"{CASE_TITLES[theirs]} was decided for the defendant, and so should the current case be.",
    ]
    third = [
        f"{CASE_TITLES[theirs]} can be distinguished.",
        *_differences(claimed, theirs, catalogue),
        _shared(claimed, theirs, Side.PLAINTIFF, catalogue),
    ]
    return Argument(tuple(" ".join(filter(None, ply)) for ply in (first, second, third)))


def _shared(claimed: dict[str, frozenset[int]], precedent: str, side: Side, catalogue: Catalogue) -> str:
    numbers = [n for n in sorted(claimed["current"] & claimed[precedent]) if catalogue.by_number[n].side is side]
    if not numbers:
        return ""
    return f"Both the current case and {CASE_TITLES[precedent]} had {_list(numbers, catalogue)}."


def _differences(claimed: dict[str, frozenset[int]], precedent: str, catalogue: Catalogue) -> list[str]:
    theirs, ours, title = claimed[precedent], claimed["current"], CASE_TITLES[precedent]
    apart = ((title, theirs - ours, "the current case"), ("The current case", ours - theirs, title))
    return [f"{one} had {_list(sorted(own), catalogue)}, not present in {other}." for one, own, other in apart if own]


def _list(numbers: Sequence[int], catalogue: Catalogue) -> str:
    *first, last = (catalogue.by_number[n].written for n in numbers)
    return f"{', '.join(first)} and {last}" if first else last
