"""The built-in factors, and catalogues of other domains with every way in which they can be wrong."""

import pytest

from groundscope.arguments.catalogue import TRADE_SECRETS, read_catalogue
from groundscope.errors import DataError

HEAD = "number,name,side,description\n"
GOOD = HEAD + "1,Late-notice,D,Notice came late.\n2,Written-notice,plaintiff,Notice was in writing.\n"


def test_the_built_in_factors_are_described_in_a_sentence_each() -> None:
    assert TRADE_SECRETS.by_number[4].written == "F4 Agreed-not-to-disclose (P)"
    assert len({f.name for f in TRADE_SECRETS.factors}) == 26
    for factor in TRADE_SECRETS.factors:
        assert factor.description.count(".") == 1
        assert factor.description.endswith(".")


def test_a_catalogue_of_another_domain_is_read() -> None:
    found = read_catalogue("leases.csv", GOOD.encode())
    assert [f.written for f in found.factors] == ["F1 Late-notice (D)", "F2 Written-notice (P)"]
    assert found.by_key["F2"].description == "Notice was in writing."
    reordered = "Side , NAME,number\nP,Written notice,F2\nd,Late notice,f1\n"
    assert [f.written for f in read_catalogue("a.csv", reordered.encode()).factors] == [
        "F1 Late notice (D)",
        "F2 Written notice (P)",
    ]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("1,A-one,P,x\n1,B-two,D,x\n", "row 2: an earlier row has this number."),
        ("1,A-one,P,x\n2,a one,D,x\n", "row 2: its name is also that of F1"),
        ("1,A-one,Q,x\n", "row 1: 'side' must be P or D"),
        ("one,A-one,P,x\n", "row 1: 'number' must be a whole number"),
        ("123456,A-one,P,x\n", "row 1: 'number' must be a whole number"),
        ("1,<b>x</b>,P,x\n", "row 1: 'name' must be 2 to 80 letters"),
        (f"1,{'n' * 81},P,x\n", "row 1: 'name' must be 2 to 80 letters"),
        (f"1,A-one,P,{'n' * 501}\n", "row 1: 'description' may have at most 500 characters."),
        ("1,A-one,P,x\n2,B-two,P,x\n", "no factor that favours the defendant"),
        ("1,A-one,P,x,more\n", "more cells than the header has columns"),
    ],
)
def test_a_catalogue_that_cannot_be_used_says_which_row_and_why(rows: str, words: str) -> None:
    with pytest.raises(DataError) as refused:
        read_catalogue("f.csv", (HEAD + rows).encode())
    assert words in str(refused.value)


def test_many_bad_rows_are_counted_and_none_is_quoted() -> None:
    rows = "".join(f"{i},Secret-{i},Nobody,x\n" for i in range(1, 21))
    with pytest.raises(DataError, match=r"\. 15 more rows are wrong\.$") as refused:
        read_catalogue("f.csv", (HEAD + rows).encode())
    assert "Secret" not in str(refused.value)
    with pytest.raises(DataError, match=r"\. 1 more row is wrong\.$"):
        read_catalogue("f.csv", (HEAD + "".join(f"{i},Secret-{i},Nobody,x\n" for i in range(1, 7))).encode())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("a,b\n1,2\n", "f.csv has no columns number, name and side; name them in its first line."),
        (HEAD, "f.csv holds no factor; below the line that names the columns, give each factor a row."),
        ("Number,name,side,number\n1,a-b,P,2\n2,c-d,D,1\n", "Two columns of f.csv differ in case only; name each column once."),
    ],
)
def test_a_file_whose_columns_cannot_be_reported_says_what_to_do(data: str, words: str) -> None:
    with pytest.raises(DataError) as refused:
        read_catalogue("f.csv", data.encode())
    assert str(refused.value).endswith(words)
