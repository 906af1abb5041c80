"""Arguers that need no model: a faithful one, and four that have one flaw each, so that every metric can be seen at work.

Each argues from what it claims of the three cases; the faithful one claims what is so. What a flaw costs is exact: see each
function. All but the last abstain from non-arguable triples.
"""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import NamedTuple

from groundscope.arguments.parsing import Argument
from groundscope.arguments.types import CASE_TITLES, CASES, Catalogue, Scenario, Side, Test

Claims = tuple[frozenset[int], frozenset[int], frozenset[int]]
"""Factors that are claimed of each case, in the order of `CASES`."""
ABSTAINS = "There is no common factor between the current case and the precedents, so no argument is made."
_INVENTED = 2


class Arguer(NamedTuple):
    """A built-in arguer.

    Attributes:
        id: in plans.
        title: for people.
        about: what it does, in one sentence.
        argue: writes its argument.
    """

    id: str
    title: str
    about: str
    argue: Callable[[Scenario, Catalogue], Argument]


def faithful(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Say every factor of its case; abstain where there is no argument.

    Args:
        scenario: the triple to argue about.
        catalogue: of the scenario; has all of its factors.

    Returns:
        Three plies with Acc_H = 1 and Rec_U = 1; for a non-arguable triple the abstention, `ABSTAINS`, as the first of three.
    """
    return _abstaining(scenario, catalogue, _claims(scenario))


def inventing(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Add two factors of no case: one is said of the current case and one of the plaintiff's precedent.

    Costs as many in N_GT of Acc_H, nothing of Rec_U; fewer where the catalogue has not two left.

    Args:
        scenario: the triple to argue about.
        catalogue: of the scenario; has all of its factors.

    Returns:
        Three plies as of `faithful`, with these two; the scenario's id seeds which. The abstention as there.
    """
    current, tsc1, tsc2 = _claims(scenario)
    unused = [n for n in catalogue.numbers() if n not in current | tsc1 | tsc2]
    invented = _rng(scenario).sample(unused, min(_INVENTED, len(unused)))
    cited = scenario.won_by(Side.PLAINTIFF)
    more = {cited or "tsc1": frozenset(invented[1:]), "current": frozenset(invented[:1])}
    return _abstaining(
        scenario,
        catalogue,
        _three(claimed | more.get(c, frozenset()) for c, claimed in zip(CASES, (current, tsc1, tsc2), strict=True)),
    )


def omitting(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Leave out one factor of every case: costs 3 in N_GT of Rec_U, nothing of Acc_H.

    Args:
        scenario: the triple to argue about.
        catalogue: of the scenario; has all of its factors.

    Returns:
        Three plies as of `faithful`, without these three; the scenario's id seeds which. The abstention as there.
    """
    rng = _rng(scenario)
    return _abstaining(scenario, catalogue, _three(c - {rng.choice(sorted(c))} for c in _claims(scenario)))


def misattributing(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Say a factor of one precedent of the other one, which lacks it: costs 1 in N_GT of Acc_H and 1 of Rec_U.

    Costs nothing where both precedents have the same factors.

    Args:
        scenario: the triple to argue about.
        catalogue: of the scenario; has all of its factors.

    Returns:
        Three plies as of `faithful`, with a factor moved from TSC2 to TSC1, or from TSC1 where TSC2 has none that TSC1 lacks;
        the scenario's id seeds which. The abstention as there.
    """
    current, tsc1, tsc2 = _claims(scenario)
    rng = _rng(scenario)
    if moved := sorted(tsc2 - tsc1):
        one = {rng.choice(moved)}
        return _abstaining(scenario, catalogue, (current, tsc1 | one, tsc2 - one))
    if moved := sorted(tsc1 - tsc2):
        one = {rng.choice(moved)}
        return _abstaining(scenario, catalogue, (current, tsc1 - one, tsc2 | one))
    return _abstaining(scenario, catalogue, (current, tsc1, tsc2))


def stubborn(scenario: Scenario, catalogue: Catalogue) -> Argument:
    """Argue as the faithful one, also where it should abstain: costs the abstention alone.

    Args:
        scenario: the triple to argue about.
        catalogue: of the scenario; has all of its factors.

    Returns:
        Three plies, never the abstention.
    """
    return _written(scenario, catalogue, _claims(scenario))


ARGUERS = (
    Arguer("faithful", "Faithful", "Uses every factor of its case, and abstains where nothing is in common.", faithful),
    Arguer("invents", "Invents factors", "As the faithful one, with two factors that no case has.", inventing),
    Arguer("omits", "Leaves factors out", "As the faithful one, without one factor of each case.", omitting),
    Arguer("misattributes", "Wrong case", "As the faithful one, but says one factor of the wrong precedent.", misattributing),
    Arguer("never-abstains", "Never abstains", "As the faithful one, but argues also where nothing is in common.", stubborn),
)
_BY_ID = {a.id: a for a in ARGUERS}


def arguer(name: str) -> Arguer:
    """Find a built-in arguer.

    Args:
        name: id of one of `ARGUERS`.

    Returns:
        The arguer of this id.

    Raises:
        ValueError: there is none.
    """
    if name not in _BY_ID:
        raise ValueError(f"no built-in arguer {name!r}; there are {', '.join(_BY_ID)}")
    return _BY_ID[name]


def _rng(scenario: Scenario) -> Random:
    return Random(scenario.id)  # noqa: S311 - no secret


def _claims(scenario: Scenario) -> Claims:
    return _three(frozenset(c) for c in scenario.cases)


def _three(sets: Iterable[frozenset[int]]) -> Claims:
    current, tsc1, tsc2 = sets
    return current, tsc1, tsc2


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
    theirs, ours = claimed[precedent] - claimed["current"], claimed["current"] - claimed[precedent]
    title = CASE_TITLES[precedent]
    found = []
    if theirs:
        found.append(f"{title} had {_list(sorted(theirs), catalogue)}, not present in the current case.")
    if ours:
        found.append(f"The current case had {_list(sorted(ours), catalogue)}, not present in {title}.")
    return found


def _list(numbers: Sequence[int], catalogue: Catalogue) -> str:
    written = [catalogue.by_number[n].written for n in numbers]
    return written[0] if len(written) == 1 else f"{', '.join(written[:-1])} and {written[-1]}"
