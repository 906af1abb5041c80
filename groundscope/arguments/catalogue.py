"""Factors of trade-secret law, and catalogues of other domains from a table.

Numbers, names and sides are those of the paper (Zhang et al. 2025; there is no F9); the descriptions are this project's.
"""

from typing import Any

from groundscope.arguments.types import Catalogue, Factor, Side
from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.files.rows import Rejected, read_rows

_BUILT_IN = (
    (1, "Disclosure-in-negotiations", "D", "The plaintiff gave the defendant the information while they negotiated."),
    (2, "Bribe-employee", "P", "The defendant paid or rewarded an employee of the plaintiff to get the information."),
    (3, "Employee-sole-developer", "D", "The defendant, while employed by the plaintiff, developed the information alone."),
    (4, "Agreed-not-to-disclose", "P", "The defendant promised the plaintiff to keep the information to themselves."),
    (5, "Agreement-not-specific", "D", "The promise of secrecy did not say which information it was about."),
    (6, "Security-measures", "P", "The plaintiff took steps to keep the information secret."),
    (7, "Brought-tools", "P", "A former employee brought the plaintiff's documents or tools to the defendant."),
    (8, "Competitive-advantage", "P", "The information saved the defendant time or money in making a competing product."),
    (10, "Secrets-disclosed-outsiders", "D", "The plaintiff gave people outside its own business the information."),
    (11, "Vertical-knowledge", "D", "The information is about customers and suppliers, who know it themselves."),
    (12, "Outsider-disclosures-restricted", "P", "Outsiders who received the information had to keep it confidential."),
    (13, "Noncompetition-agreement", "P", "The defendant had agreed not to compete with the plaintiff."),
    (14, "Restricted-materials-used", "P", "The defendant used materials that it was not allowed to use."),
    (15, "Unique-product", "P", "The plaintiff was the only one who made the product."),
    (16, "Info-reverse-engineerable", "D", "The information could be learned by taking the product apart."),
    (17, "Info-independently-generated", "D", "The defendant came to the information by its own work."),
    (18, "Identical-products", "P", "The defendant's product was the same as the plaintiff's."),
    (19, "No-security-measures", "D", "The plaintiff did nothing to keep the information secret."),
    (20, "Info-known-to-competitors", "D", "Competitors knew the information already."),
    (21, "Knew-info-confidential", "P", "The defendant knew that the information was confidential."),
    (22, "Invasive-techniques", "P", "The defendant got past the plaintiff's precautions to reach the information."),
    (23, "Waiver-of-confidentiality", "D", "The plaintiff agreed that the defendant need not keep the information confidential."),
    (24, "Info-obtainable-elsewhere", "D", "The information could be had from sources that are open to everybody."),
    (25, "Info-reverse-engineered", "D", "The defendant learned the information by taking the product apart."),
    (26, "Deception", "P", "The defendant got the information by misleading somebody."),
    (27, "Disclosure-in-public-forum", "D", "The plaintiff disclosed the information where the public could learn it."),
)  # fmt: skip

TRADE_SECRETS = Catalogue("Trade secrets", tuple(Factor(n, name, Side(side), text) for n, name, side, text in _BUILT_IN))
COLUMNS = ("number", "name", "side", "description")

_SIDES = {"p": Side.PLAINTIFF, "plaintiff": Side.PLAINTIFF, "d": Side.DEFENDANT, "defendant": Side.DEFENDANT}
_LARGEST = 9_999
_MOST = 500
_LONGEST_NAME, _LONGEST_DESCRIPTION = 80, 500
_SHOWN = 5
_IN_NAMES = " -‐‑–_'’"


def read_catalogue(name: str, data: bytes) -> Catalogue:
    """Read a catalogue of number, name, side and description from a table, one factor a row.

    A catalogue with one bad row is refused whole: scenarios from half of a domain would look like scenarios of it.
    """
    factors: dict[int, Factor] = {}
    read = 0
    names: dict[str, int] = {}
    wrong: list[str] = []
    for row in read_rows(name, data, max_rows=_MOST):
        if isinstance(row, Rejected):
            wrong.append(f"row {row.row}: {row.reason}")
            continue
        read += 1
        _columns(name, row.values)
        try:
            factor = _factor(row.values)
            if factor.number in factors:
                raise ValueError("an earlier row has this number.")
            if (earlier := names.get(normal(factor.name))) is not None:
                raise ValueError(f"its name is also that of F{earlier}; names that differ in case or hyphens only are one name.")
        except ValueError as error:
            wrong.append(f"row {row.number}: {error}")
            continue
        factors[factor.number], names[normal(factor.name)] = factor, factor.number
    if wrong:
        left = len(wrong) - _SHOWN
        more = "" if left <= 0 else " 1 more row is wrong." if left == 1 else f" {left:,} more rows are wrong."
        raise DataError(f"{name} cannot be used: {' '.join(wrong[:_SHOWN])}{more}")
    if not read:
        raise DataError(f"{name} holds no factor; below the line that names the columns, give each factor a row.")
    for side in Side:
        if not any(f.side is side for f in factors.values()):
            raise DataError(f"{name} has no factor that favours the {side.party}; arguments need factors of both sides.")
    return Catalogue(name, tuple(factors[n] for n in sorted(factors)))


def _columns(name: str, row: dict[str, Any]) -> None:
    """Refuse a file whose columns cannot be recognised, rather than every row of it."""
    there = [str(k).strip().casefold() for k in row]
    if len(set(there)) < len(there):
        raise DataError(f"Two columns of {name} differ in case only; name each column once.")
    if not set(there) & set(COLUMNS[:3]):
        raise DataError(f"{name} has no columns number, name and side; name them in its first line.")


def side_of(written: object) -> Side | None:
    """Read the side that a file names: P, D, plaintiff or defendant, in any case; None where it names none."""
    return _SIDES.get(str(written).strip().casefold())


def normal(name: str) -> str:
    """Bring a factor's name to the form in which names are compared."""
    return " ".join("".join(c if c.isalnum() else " " for c in name.casefold()).split())


def _factor(row: dict[str, Any]) -> Factor:
    values = {str(k).strip().casefold(): v for k, v in row.items()}
    if missing := [c for c in COLUMNS[:3] if values.get(c) in (None, "")]:
        raise ValueError(f"'{missing[0]}' is missing; each row needs number, name and side.")
    side = side_of(values["side"])
    if side is None:
        raise ValueError("'side' must be P or D (plaintiff or defendant).")
    label, text = (" ".join(clean(str(values.get(c) or "")).split()) for c in ("name", "description"))
    if len(normal(label)) < 2 or len(label) > _LONGEST_NAME or not all(c.isalnum() or c in _IN_NAMES for c in label):
        raise ValueError(f"'name' must be 2 to {_LONGEST_NAME} letters, figures, spaces, hyphens and apostrophes.")
    if len(text) > _LONGEST_DESCRIPTION:
        raise ValueError(f"'description' may have at most {_LONGEST_DESCRIPTION} characters.")
    return Factor(_number(values["number"]), label, side, text)


def _number(value: object) -> int:
    digits = str(value).strip().removeprefix("F").removeprefix("f")
    if isinstance(value, bool) or not (digits.isascii() and digits.isdigit()) or len(digits) > 4:
        raise ValueError(f"'number' must be a whole number from 0 to {_LARGEST:,}.")
    return int(digits)
