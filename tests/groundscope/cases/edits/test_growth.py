"""Every edit takes time as its answer is long, whatever the answer repeats."""

import pytest

from groundscope.cases.edits.source import EditSource
from groundscope.cases.edits.variants import CONTROLS, OPERATORS
from groundscope.types import Case, Passage
from tests.growth import growth
from tests.loops import each

PIECES = (
    "if he pays the rent, ", "The rent is due unless he pays ", "except as ", "the tenant who pays the landlord that ",
    "the tenant must prove that ", "the burden of ", "of proof on the tenant ", "for abuse of discretion ", "rent and costs or ",
    "between rent and ", "federal person ", "will ", "must show ", "shall, ", "“rent” ", "Roe v. Wade ", "$1,000 ",
)  # fmt: skip
CONTEXT = (Passage("p", "The tenant paid $2,000 and costs. Roe v. Wade held so.", "Doe v. Roe"), Passage("q", "Nothing.", "Act"))


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.release)])
@each("number, operator", enumerate([*OPERATORS, *CONTROLS]))
def test_an_edit_takes_no_quadratic_time(step: int, number: int, operator) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    def read(text: str) -> object:
        return operator.edits(EditSource(Case("c", "Who pays?", CONTEXT, text)))

    assert [wrong for piece in PIECES[number % step :: step] if (wrong := growth(read, piece, 20_000))] == []
