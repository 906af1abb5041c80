"""States of the United States under their abbreviations, and places that a point of the compass distinguishes."""

import re

_STATES = {
    short: name
    for line in """
alabama al ala | alaska ak | arizona az ariz | arkansas ar ark | california ca cal calif | colorado co colo |
connecticut ct conn | delaware de del | florida fl fla | georgia ga | hawaii hi haw | idaho id | illinois il ill |
indiana in ind | iowa ia | kansas ks kan | kentucky ky | louisiana la | maine me | maryland md | massachusetts ma mass |
michigan mi mich | minnesota mn minn | mississippi ms miss | missouri mo | montana mt mont | nebraska ne neb | nevada nv
nev | ohio oh | oklahoma ok okla | oregon or ore | pennsylvania pa penn | tennessee tn tenn | texas tx tex | utah ut |
vermont vt | virginia va | washington wa wash | wisconsin wi wis | wyoming wy wyo | westvirginia wv wva
""".split("|")
    for name, *shorts in [line.split()]
    for short in shorts
}
"""Those of one word by their abbreviations; the initials of the others are read as initials."""
_WORDS = frozenset("al ar ca co ct de hi id in la ma md me mo ms mt oh ok or pa".split())
"""Postal abbreviations that have other meanings, too."""
_CITED = frozenset("ga ky la me md mo or pa va vt".split())
"""Those of two letters that Bluebook citations have."""
_ZIP = re.compile(r"\s\d{5}")
COMPASS = frozenset("north south east west new northern southern eastern western".split())
COMPASS_PLACES = {
    f"{first} {last}": first_whole + last_whole
    for firsts, lasts in (
        ("west w", "virginia va"), ("new n", "mexico"), ("new n", "jersey"), ("new", "england"), ("northern n", "ireland"),
    )
    for first in firsts.split()
    for last in lasts.split()
    for first_whole, last_whole in [(firsts.split()[0], lasts.split()[0])]
}  # fmt: skip
"""Places that are others than the second word alone, as one word by their spellings."""
COMPASS_NAMES = frozenset("virginia carolina dakota york jersey mexico hampshire england ireland korea africa wales".split())
"""What belongs to the point of the compass before it."""
APART_FROM_COMPASS = frozenset(place.split()[1] for place in COMPASS_PLACES)
"""Names of other places where a point of the compass stands before them."""


def state_of(token: str, after_comma: bool, after: str) -> str:
    """The state that a word abbreviates, or nothing.

    Args:
        token: the word as it stands.
        after_comma: whether a comma stands before it ("Bend, OR").
        after: what follows: the full stop of an abbreviation, or a postal number.
    """
    state = _STATES.get(token.casefold().rstrip("."), "")
    if token.isupper() and len(token) == 2:
        return state if token.casefold() not in _WORDS or after_comma or _ZIP.match(after) else ""
    return state if after[:1] == "." and token[:1].isupper() and (len(token) > 2 or token.casefold() in _CITED) else ""
