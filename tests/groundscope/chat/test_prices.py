"""Prices are read with every mistake named, written so that they read again, and never guessed."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.chat.messages import Usage
from groundscope.chat.prices import Price, keep, own_table, price_of, prices, read, shipped, written
from groundscope.errors import DataError

HEAD = "model,above,input,output,cache_read,cache_write,date,source"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def _price(model: str, above: int = 0, dollars: float = 1.0) -> Price:
    return Price(model, above, dollars, dollars, dollars, dollars)


def test_the_table_that_ships_is_whole() -> None:
    table = shipped()
    assert prices() == table
    assert len({(p.model, p.above) for p in table}) == len(table) >= 10
    for p in table:
        assert p.cache_read <= p.input <= p.output
        assert p.cache_read <= p.cache_write
        assert p.date.startswith("2026-")
        assert p.source


def test_what_tokens_cost() -> None:
    price = Price("m", 0, 2.0, 10.0, 0.2, 2.5)
    # 1,000 * 2 + 100 * 10 + 500 * 0.2 + 40 * 2.5 = 3,200 dollars for a million of each.
    assert price.of(Usage(1_000, 100, 500, 40)) == pytest.approx(0.0032)
    assert price.of(Usage()) == 0.0


def test_a_model_is_found_without_its_snapshots_date() -> None:
    known = price_of("claude-opus-4-5")
    assert known is not None
    for name in ("claude-opus-4-5-20251101", "Claude-Opus-4-5", "claude-opus-4-5@20251101", "claude-opus-4-5-latest"):
        assert price_of(name) == known
    assert price_of("gpt-4o-2024-08-06") == price_of("gpt-4o")
    for name in ("claude-opus-4", "gpt-4o-audio", "gpt", "", "gpt-4o-2024", "anthropic.claude-opus-4-5"):
        assert price_of(name) is None, name


def test_a_snapshots_own_price_comes_first() -> None:
    keep([_price("gpt-4o", dollars=1), _price("gpt-4o-2024-05-13", dollars=5)])
    found = price_of("gpt-4o-2024-05-13"), price_of("gpt-4o-2024-08-06")
    assert [p and p.input for p in found] == [5.0, 1.0]


def test_the_price_follows_the_prompts_size() -> None:
    for size, dollars in ((0, 0.1), (100_000, 0.1), (100_001, 0.5), (10**9, 0.5)):
        found = price_of("claude-haiku-5-5", size)
        assert found is not None
        assert found.input == dollars
    keep([_price("only-long", above=1_000)])
    assert price_of("only-long", 1_000) is None
    assert price_of("only-long", 1_001) is not None


def test_a_table_of_ones_own_takes_the_place_of_the_other(folder: Path) -> None:
    assert own_table() == folder / "prices.csv"
    keep([_price("mine", dollars=3.0)])
    assert prices() == (_price("mine", dollars=3.0),)
    assert price_of("gpt-4o") is None
    keep([])
    assert prices() == ()
    assert [p.name for p in folder.iterdir()] == ["prices.csv"]


def test_a_table_saved_by_a_spreadsheet_is_read(folder: Path) -> None:
    folder.mkdir()
    own_table().write_bytes(f"\ufeff{HEAD}\r\nm,,1,2,0.5,1.25,,\r\n".encode())
    assert prices() == (Price("m", 0, 1.0, 2.0, 0.5, 1.25),)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00m", b"model\xe9,1"])
def test_a_table_that_is_no_text_is_named(folder: Path, content: bytes) -> None:
    folder.mkdir()
    own_table().write_bytes(content)
    with pytest.raises(DataError, match=r"^prices\.csv: "):
        prices()


GOOD = "m,0,1,2,0.5,1.25,2026-01-01,somewhere"
BAD = {
    "text for a number": ("m,0,free,2,0.5,1,d,s", "line 3: input is not a number"),
    "not a number": ("m,0,1,2,nan,1,d,s", "line 3: cache_read must be"),
    "less than nothing": ("m,0,-1,2,1,1,d,s", "line 3: input must be"),
    "no model": (" ,0,1,2,1,1,d,s", "line 3: the model's name is missing"),
    "a bad size": ("m,-5,1,2,1,1,d,s", "line 3: above must be"),
    "other digits": ("m,²,1,2,1,1,d,s", "line 3: above must be"),
    "a huge size": ("m," + "9" * 5_000 + ",1,2,1,1,d,s", "line 3: above must be"),
    "a decimal comma": ("m,0,1,5,2,1,1,d,s", "line 3: it must have 8 fields"),
    "a huge field": ("m,0,1,2,1,1,d," + "s" * 200_000, "line 3: this is not a line"),
    "after a text of two lines": ('m,0,1,2,1,1,d,"two\nlines"\nm,0,x,2,1,1,d,s', "line 5: input is not a number"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_mistake_is_named_by_file_and_line(what: str) -> None:
    line, message = BAD[what]
    with pytest.raises(DataError) as raised:
        read(f"{HEAD}\n{GOOD}\n{line}\n", "mine.csv")
    assert str(raised.value).startswith("mine.csv, ")
    assert message in str(raised.value)


@pytest.mark.parametrize("text", ["", HEAD.replace("above", "over"), f"{HEAD},more\n", "x" * 200_000])
def test_another_first_line_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"^mine\.csv"):
        read(text, "mine.csv")


@pytest.mark.parametrize("price", [_price(""), _price("m", dollars=math.nan), _price("m", dollars=-1.0), _price("m", above=-1)])
def test_a_table_that_could_not_be_read_again_is_not_kept(folder: Path, price: Price) -> None:
    keep([_price("old")])
    with pytest.raises(DataError):
        keep([_price("new"), price])
    assert prices() == (_price("old"),)
    assert [p.name for p in folder.iterdir()] == ["prices.csv"]


dollars = st.floats(0, 1e9)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=20)
some_prices = st.builds(
    Price,
    texts.map(str.strip).filter(bool),
    st.integers(0, 10**12 - 1),
    dollars,
    dollars,
    dollars,
    dollars,
    texts,
    texts,
)


@given(st.lists(some_prices, max_size=5).map(tuple))
def test_what_is_written_reads_the_same(table: tuple[Price, ...]) -> None:
    assert read(written(table), "t") == table


def test_line_breaks_in_a_text_become_spaces() -> None:
    assert read(written([Price("m", 0, 1, 1, 1, 1, "d", "a\r\nb\rc\nd")]), "t")[0].source == "a  b c d"
