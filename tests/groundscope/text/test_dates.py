"""Dates, periods and times of day: equal ones are equal however they are written, unequal ones are not."""

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from decimal import Decimal
from itertools import product
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.values.coarseness import coarser_keys, equal_keys, keys
from groundscope.text.values.dates import read_dates
from groundscope.text.values.derivations import shifted
from groundscope.text.values.months import WEEKDAYS, month_names
from groundscope.text.values.periods import read_periods
from groundscope.text.values.times import read_times
from groundscope.text.values.types import Value

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}


def agrees(a: Value, b: Value) -> bool:
    """Whether two values say the same; of ambiguous dates any two readings."""
    return a.kind is b.kind and not set(keys(a)).isdisjoint(equal_keys(b))


def covers(finer: Value, coarser: Value) -> bool:
    """Whether a value is known by a finer one."""
    return finer.kind is coarser.kind and not set(keys(coarser)).isdisjoint(coarser_keys(finer))


DAYS = st.dates(date(1950, 1, 1), date(2049, 12, 31))


def single(text: str, language: str = "en") -> Value:
    """The one date, period or time of a text, beside a weekday."""
    values = [*read_dates(text, language), *read_periods(text, language), *read_times(text)]
    values = [v for v in values if v.key not in WEEKDAYS]
    assert len(values) == 1, (text, values)
    return values[0]


def ordinal(day: int) -> str:
    return f"{day}{'th' if 10 < day < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def forms(day: date) -> Iterable[tuple[str, str]]:
    """A date as people write it, and the language."""
    name = MONTHS["en"].split()[day.month - 1]
    y, m, d = day.year, day.month, day.day
    short = name if name == "May" else name[:3]
    for text in (
        f"{name} {d}, {y}", f"{d} {name} {y}", f"the {ordinal(d)} of {name} {y}", f"the {ordinal(d)} day of {name}, {y}",
        f"{short}. {d}, {y}", f"{short} {ordinal(d)}, {y}", f"{d}-{short}-{y}", f"{name.upper()} {d}, {y}",
        f"Monday, {name} {d}, {y}",
        f"{y}-{m:02}-{d:02}", f"{y}/{m}/{d}", f"{m}/{d}/{y}", f"{d}/{m}/{y}", f"{m:02}/{d:02}/{y % 100:02}", f"{d:02}.{m:02}.{y}",
        f"{name} {d},{y}", f"{d} {short} '{y % 100:02}", f"{name.lower()} {d}, {y}",
    ):  # fmt: skip
        yield text, "en"
    for language, names in MONTHS.items():
        named = names.split()[m - 1]
        of = {"de": f"{d}. {named} {y}", "es": f"{d} de {named} de {y}", "pt": f"{d} de {named} de {y}"}
        yield of.get(language, f"{d} {named} {y}"), language
    yield f"{y}年{m}月{d}日", "ja"
    yield f"{y}년 {m}월 {d}일", "ko"
    if y > 2019:
        yield f"令和{y - 2018}年{m}月{d}日", "ja"


@given(DAYS)
def test_a_date_has_one_reading_in_common_in_every_form(day: date) -> None:
    for text, language in forms(day):
        for sentence in (text, f"Signed ({text})."):
            assert (day.year, day.month, day.day) in single(sentence, language).readings, (sentence, language)


@given(DAYS, st.integers(1, 20_000))
def test_another_day_shares_no_reading_but_for_the_order_of_figures(day: date, days: int) -> None:
    other = min(day, date(2000, 1, 1)) + timedelta(days)
    if other == day:
        return
    for (a, first), (b, second) in product(forms(day), forms(other)):
        swapped = (day.month, day.day) == (other.day, other.month) and day.year == other.year
        assert swapped or "/" in a + b or not agrees(single(a, first), single(b, second)), (a, b)


@given(DAYS)
def test_a_coarser_date_is_known_by_a_finer_one_and_not_the_other_way_round(day: date) -> None:
    name = MONTHS["en"].split()[day.month - 1]
    finer = single(day.isoformat())
    quarter = f"Q{(day.month - 1) // 3 + 1} {day.year}"
    for text in (f"{name} {day.year}", f"{name} {day.day}", f"{day.year}", f"the {day.year // 10}0s", quarter):
        coarser = single(f"in {text}.")
        assert covers(finer, coarser), text
        assert not covers(coarser, finer), text
        assert not agrees(finer, coarser), text
        assert not covers(single((day + timedelta(4000)).isoformat()), coarser) or text == f"{name} {day.day}"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("the first of May 2021", "May 1, 2021"),
        ("May first, 2021", "2021-05-01"),
        ("the twenty-first of June", "June 21"),
        ("the Fourth day of July 1776", "July 4, 1776"),
        ("3/4/21", "4 March 2021"),
        ("3/4/21", "3 April 2021"),
        ("FY2021", "fiscal year 2021"),
        ("fiscal 2021", "FY 21"),
        ("2021年度", "FY2021"),
        ("the 1990s", "the 1990's"),
        ("third quarter of 2021", "Q3 2021"),
        ("March '21", "March 2021"),
        ("2021-03", "March 2021"),
        ("Sept. 5, 2020", "September 5, 2020"),
    ],
)
def test_equal_dates(a: str, b: str) -> None:
    assert agrees(single(a), single(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("03.04.2021", "March 4, 2021"),
        ("13/4/2021", "January 4, 2021"),
        ("March 4, 2021", "March 4, 2012"),
        ("FY2021", "in 2021"),
        ("the 1990s", "in 1990"),
        ("Q3 2021", "Q2 2021"),
        ("March 4", "March 14"),
        ("May 2021", "May 20, 2021"),
    ],
)
def test_unequal_dates(a: str, b: str) -> None:
    assert not agrees(single(a), single(b))


@pytest.mark.parametrize(
    "text",
    [
        "1,983 members", "Section 1983", "§ 1983", "42 U.S.C. § 1983", "Sections 1981, 1983 and 1985", "Rule 2004", "$2000",
        "2000 U.S.C.",
        "547 U.S. 1983, 1999", "The court may 4 times", "section 10 may apply", "No. 12-3-2021", "Form 1099", "1/2", "1.2.3",
        "2000%",
        "May 10 days pass", "F.3d 1999", "5 2000e-5", "2000 days", "12345678", "1500 euros", "99/99/2021", "page 1999",
    ],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    assert list(read_dates(text)) == []


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("March 4-6, 2021", [(2021, 3, 4), (2021, 3, 6)]),
        ("from 4 to 6 March 2021", [(2021, 3, 4), (2021, 3, 6)]),
        ("May 4 and 5, 2021", [(2021, 5, 4), (2021, 5, 5)]),
        ("between March 4 and April 6, 2021", [(0, 3, 4), (2021, 4, 6)]),
        ("Jan. 1-Dec. 31, 2020", [(0, 1, 1), (2020, 12, 31)]),
        ("5 May-16 June 2021", [(0, 5, 5), (2021, 6, 16)]),
        ("2019-2021", [(2019, 0, 0), (2021, 0, 0)]),
        ("the 2019-20 season", [(2019, 0, 0), (2020, 0, 0)]),
        ("as of June 30, 2021 and 2020", [(2021, 6, 30), (2020, 0, 0)]),
        ("547 U.S. 1983 (9th Cir. 2006)", [(2006, 0, 0)]),
        ("on March 4. 2021 was", [(0, 3, 4), (2021, 0, 0)]),
    ],
)
def test_several_dates(text: str, readings: list[tuple[int, int, int]]) -> None:
    assert [v.readings[0] for v in read_dates(text)] == readings


def test_a_date_ends_where_it_ends() -> None:
    assert [(v.start, v.end) for v in read_dates("On March 4 to 6, 2021, and on 4-Mar-2021.")] == [(3, 10), (14, 21), (30, 40)]


def test_short_names_of_months_are_read_in_their_language_alone() -> None:
    assert [v.readings for v in read_dates("em 15 set. 2020", "pt")] == [((2020, 9, 15),)]
    assert [v.readings for v in read_dates("a 15 set 2020")] == [((2020, 0, 0),)]
    assert month_names("en")["märz"] == 3


EQUAL_PERIODS = [
    ("24 hours", "a 1-day stay"), ("one year", "12 months"), ("two years", "24 months"), ("a fortnight", "14 days"),
    ("two weeks", "fourteen days"), ("six (6) months", "6 months"), ("thirty (30) calendar days", "30 days"),
    ("30 (thirty) days", "30 days"),
    ("a year and a half", "18 months"), ("1.5 years", "18 months"), ("half a year", "6 months"), ("one-half year", "six months"),
    ("two and a half years", "30 months"), ("2 1/2 years", "2½ years"), ("two years and six months", "30 months"),
    ("1 hour and 30 minutes", "90 minutes"), ("30 to 60 days", "30-60 days"), ("between 30 and 60 days", "thirty to sixty days"),
    ("30 days to 60 days", "30-60 days"), ("10 business days", "ten (10) working days"), ("an additional 14 days",
    "14 more days"),
    ("SIXTY DAYS", "a 60-day term"), ("one hundred twenty days", "120 days"), ("a hundred days", "100 days"), ("1,000 days",
    "1000 days"),
    ("48-hour", "2 days"), ("12 mos.", "one year"), ("24hrs", "one day"), ("two decades", "20 years"), ("within a year",
    "one year"),
    ("30 or more days", "thirty days"), ("60 seconds", "1 minute"), ("half an hour", "30 minutes"),
    ("1/2 hour", "30 minutes"), ("five- to ten-year", "5-10 years"), ("¾ hour", "45 minutes"), ("one to two years", "1-2 years"),
]  # fmt: skip
UNEQUAL_PERIODS = [
    ("30 days", "one month"), ("10 business days", "10 calendar days"), ("30 days", "13 days"), ("30 days", "30-60 days"),
    ("six months", "six years"), ("2.5 years", "5 years"), ("one hundred twenty days", "twenty days"), ("30 to 60 days",
    "30 to 90 days"),
    ("two years and six months", "two years"), ("a year and a half", "one year"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), EQUAL_PERIODS)
def test_equal_periods(a: str, b: str) -> None:
    assert agrees(single(a), single(b))
    assert agrees(single(b), single(a))
    assert single(f"Notice of {a}.").end == len(f"Notice of {a}") - a.endswith(".")


@pytest.mark.parametrize(("a", "b"), UNEQUAL_PERIODS)
def test_unequal_periods(a: str, b: str) -> None:
    assert not agrees(single(a), single(b))


@pytest.mark.parametrize(
    ("language", "text", "english"),
    [
        ("de", "drei Monate", "three months"), ("de", "sechs Monaten", "six months"), ("de", "zweiunddreißig Tage", "32 days"),
        ("de", "eine dreimonatige Frist", "three months"), ("de", "eine 30-tägige Frist", "30 days"), ("de",
        "anderthalb Jahre", "18 months"),
        ("de", "1,5 Jahre", "18 months"), ("de", "1.000 Tage", "1,000 days"), ("de", "zehn Werktage", "10 business days"),
        ("de", "zwei bis drei Jahre", "2-3 years"), ("de", "ein halbes Jahr", "six months"), ("fr", "30 jours", "30 days"),
        ("fr", "soixante et onze jours", "71 days"), ("fr", "deux ans et six mois", "30 months"), ("fr", "neuf mois",
        "nine months"),
        ("fr", "un an et demi", "18 months"), ("fr", "10 jours ouvrables", "10 business days"), ("es", "treinta días", "30 days"),
        ("es", "treinta y dos días hábiles", "32 business days"), ("es", "un año y medio", "18 months"), ("it",
        "trenta giorni", "30 days"),
        ("it", "sei mesi", "6 months"), ("pt", "vinte e um dias", "21 days"), ("nl", "tweeëndertig dagen", "32 days"),
        ("ja", "30日", "30 days"), ("ja", "3か月", "three months"), ("ja", "3年間", "three years"), ("ja", "2週間", "two weeks"),
        ("ja", "三年以下", "three years"), ("zh", "30天", "30 days"), ("ko", "3개월", "three months"),
    ],
)  # fmt: skip
def test_periods_of_other_languages(language: str, text: str, english: str) -> None:
    assert agrees(single(text, language), single(english))
    assert not agrees(single(text, language), single("77 days"))


def test_business_days_are_a_unit_of_their_own_that_makes_days_known() -> None:
    assert covers(single("10 business days"), single("10 days"))
    assert not covers(single("10 days"), single("10 business days"))
    assert not covers(single("10 business days"), single("10 calendar days"))


def test_of_years_and_months_the_parts_are_known() -> None:
    whole = single("two years and six months")
    assert agrees(single("two years"), whole)
    assert agrees(single("six months"), whole)
    assert not agrees(whole, single("six months"))


@pytest.mark.parametrize("text", ["$500 a day", "twice a year", "an hour"])
def test_an_article_alone_may_mean_each(text: str) -> None:
    assert not single(text).exact


@pytest.mark.parametrize(
    "text", ["third day", "30th day", "several years", "the 2021 year", "each year", "令和3年", "4月1日", "today", "2021年4月1日"]
)
def test_what_is_no_period(text: str) -> None:
    assert list(read_periods(text)) == []


def test_numbers_of_a_list_share_its_unit() -> None:
    assert [v.low for v in read_periods("60-, 90-, and 120-hour")] == [3600, 5400, 7200]
    assert [v.low for v in read_periods("10, 20, or thirty hours")] == [600, 1200, 1800]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("5 p.m.", ["17:00"]), ("5:00 PM", ["17:00"]), ("17:00", ["17:00"]), ("17h00", ["17:00"]), ("17 Uhr", ["17:00"]),
        ("17.30 Uhr", ["17:30"]), ("um 17:30 Uhr", ["17:30"]), ("à 17h30", ["17:30"]), ("午後5時", ["17:00"]),
        ("17時30分", ["17:30"]),
        ("12 noon", ["12:00"]), ("12 p.m.", ["12:00"]), ("midnight", ["0:00"]), ("12 a.m.", ["0:00"]),
        ("11:59:59 p.m.", ["23:59"]),
        ("5 o'clock in the afternoon", ["17:00"]), ("five o'clock", ["5:00 ?"]), ("at 5:30", ["5:30 ?"]), ("at 05:30", ["5:30"]),
        ("from 5-7 p.m.", ["17:00", "19:00"]), ("9-5 p.m.", ["9:00", "17:00"]), ("from 9:00 to 17:00", ["9:00 ?", "17:00"]),
        ("John 3:16", []), ("12:1", []), ("3:16-cv-00123", []), ("Ex. 3:16", []), ("Tr. at 12:15", []), ("Tr. 45:12-46:3", []),
        ("a ratio of 2:10", []), ("I am", []), ("3時間", []), ("at 25:10", []), ("13 p.m.", []),
    ],
)  # fmt: skip
def test_times_of_day(text: str, keys: list[str]) -> None:
    assert [v.key for v in read_times(text)] == keys


def test_a_time_of_either_half_of_the_day_is_known_by_both() -> None:
    assert covers(single("5:30 p.m."), single("at 5:30"))
    assert covers(single("at 05:30"), single("at 5:30"))
    assert not covers(single("at 5:30"), single("5:30 p.m."))


@given(DAYS, st.integers(-5000, 5000))
def test_a_date_moves_by_days_and_back(day: date, days: int) -> None:
    moved = shifted((day.year, day.month, day.day), Decimal(1440) * days, "minute")
    expected = day + timedelta(days)
    assert moved == (expected.year, expected.month, expected.day)
    assert shifted(moved, Decimal(-1440) * days, "minute") == (day.year, day.month, day.day)


@given(DAYS, st.integers(-600, 600))
def test_a_date_moves_by_months_and_back_but_for_the_ends_of_months(day: date, months: int) -> None:
    moved = shifted((day.year, day.month, day.day), months, "month")
    assert moved is not None
    assert (moved[0] - day.year) * 12 + moved[1] - day.month == months
    assert moved[2] <= day.day
    assert moved[2] == day.day or day.day > 28
    back = shifted(moved, -months, "month")
    assert back == (day.year, day.month, moved[2])


@pytest.mark.parametrize(
    ("reading", "amount", "unit", "expected"),
    [
        ((2021, 1, 31), 1, "month", (2021, 2, 28)),
        ((2020, 2, 29), 12, "month", (2021, 2, 28)),
        ((2020, 12, 31), 14 * 1440, "minute", (2021, 1, 14)),
        ((2021, 3, 0), 10, "month", (2022, 1, 0)),
        ((2021, 0, 0), 24, "month", (2023, 0, 0)),
        ((2021, 0, 0), 6, "month", None),
        ((2021, 3, 0), 30 * 1440, "minute", None),
        ((0, 3, 4), 30 * 1440, "minute", None),
        ((2021, 3, 4), 90, "minute", None),
        ((2021, 2, 30), 1 * 1440, "minute", None),
        ((9999, 12, 31), 1 * 1440, "minute", None),
        ((2021, 3, 4), 10, "business day", None),
    ],
)
def test_moved_dates(reading: tuple[int, int, int], amount: int, unit: str, expected: tuple[int, int, int] | None) -> None:
    assert shifted(reading, amount, unit) == expected


READERS: tuple[Callable[[str], Iterable[Value]], ...] = (
    read_dates,
    read_periods,
    lambda text: read_periods(text, "de"),
    read_times,
)


@given(st.text("0123456789/-.:,(' aMayprilfirst年月日かdayhours½", max_size=80))
def test_any_text_is_read_within_itself(text: str) -> None:
    for reader in READERS:
        last = 0
        for value in reader(text):
            assert last <= value.start < value.end <= len(text)
            last = value.end if reader in READERS[:1] + READERS[3:] else value.start


@pytest.mark.parametrize(
    "piece",
    [
        "7",
        "1/",
        "May ",
        "one ",
        "1 ",
        "1,",
        "May 4 ",
        "2021 ",
        "first of ",
        "1:",
        "1-",
        "and a half ",
        "(1",
        "1 to ",
        "one one day ",
    ],
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    for reader in READERS:
        start = process_time()
        list(reader(piece * (200_000 // len(piece))))
        assert process_time() - start < 4
