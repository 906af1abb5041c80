"""The bands of a cascade as points, rows and words. No streamlit."""

import math
from collections.abc import Mapping
from typing import Any

from components.charts.spots import Spot
from groundscope.drawing.html import tag
from groundscope.grounding.result_columns import money, seconds, share
from groundscope.training.cascade_bands import CascadeBand, CascadeChoice, best_bands
from groundscope.training.cascade_files import FittedCascade

TEST_HEADS = ("On test", "Macro-F1", "95 % interval", "Sentences asked", "Mean seconds", "US dollars")
_READS = {"answer": "the whole answer", "sentences": "the doubtful sentences alone"}


def heads(choice: CascadeChoice, titles: Mapping[str, str]) -> tuple[str, ...]:
    """Heads of `rows`."""
    asked = f"Asked where {titles[choice.first.name]} gives"
    return asked, "Sentences asked", "Responses asked", "Mean seconds", "US dollars", "Macro-F1"


def lines(choice: CascadeChoice, titles: Mapping[str, str]) -> list[tuple[str, str, CascadeBand]]:
    """(id, words, band): the first method alone, the bands that no other beats, the second method alone."""
    bands = [(f"band {i}", f"{b.low:.2f} to {b.high:.2f}", b) for i, b in enumerate(best_bands(choice))]
    first, second = titles[choice.first.name], titles[choice.second.name]
    return [("never", f"Never: {first} alone", choice.never), *bands, ("always", f"Always: {second} alone", choice.always)]


def chosen_id(choice: CascadeChoice, titles: Mapping[str, str]) -> str:
    """The id of the proposed band; empty if there is none."""
    return next((i for i, _, band in lines(choice, titles) if band is choice.chosen), "")


def spots(choice: CascadeChoice, titles: Mapping[str, str], *, asks: bool) -> list[Spot]:
    """The same as points with short names; `asks` says whether the second method asks a chat model."""
    nan = math.nan
    return [
        Spot(
            i, words.partition(":")[0], b.macro_f1, nan, nan, b.seconds, nan, nan, b.dollars, asks and i != "never",
            (f"F1 {share(b.macro_f1)} on {choice.split}", f"{b.share:.0%} of the sentences asked", f"{seconds(b.seconds)} s"),
        )
        for i, words, b in lines(choice, titles)
    ]  # fmt: skip


def rows(choice: CascadeChoice, titles: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The same as rows under `heads`; the proposed band is named so, in bold letters."""
    return [
        (
            tag("b", f"{words}, proposed") if band is choice.chosen else words,
            f"{band.share:.0%}",
            f"{band.responses:.0%}",
            seconds(band.seconds),
            money(band.dollars),
            share(band.macro_f1),
        )
        for _, words, band in lines(choice, titles)
    ]


def alt(choice: CascadeChoice, titles: Mapping[str, str]) -> str:
    """What the chart shows, for those who do not see it."""
    figures = [f"{words}: F1 {share(b.macro_f1)} in {seconds(b.seconds)} s" for _, words, b in lines(choice, titles)]
    return f"Macro-F1 on {choice.split} against seconds per response. {'; '.join(figures)}."


def about_bands(choice: CascadeChoice, titles: Mapping[str, str]) -> str:
    """What the bands are, and what they are worth."""
    tried = sum(band.share > 0 for band in choice.bands)
    return (
        f"{titles[choice.second.name]} reads {_READS[choice.asked]}. Shown are the bands that no other of {tried:,} beats; the "
        "file has all. The more bands are compared on few responses, the more the best of them owes to chance: that is what "
        "test is for."
    )


def test_rows(kept: Mapping[str, Any], first: str, second: str) -> list[tuple[str, ...]]:
    """The cascade and either method alone on test, as rows under `TEST_HEADS`; `kept` as a cascade's file has it."""
    named = (("cascade", "The cascade"), ("never", f"{first} alone"), ("always", f"{second} alone"))
    return [(words, *_on_test(kept[name])) for name, words in named]


def _on_test(found: Mapping[str, Any]) -> tuple[str, ...]:
    known = {name: math.nan if value is None else float(value) for name, value in found.items()}
    ends = (known["low"], known["high"])
    return (
        share(known["macro_f1"]),
        "not known" if any(map(math.isnan, ends)) else " to ".join(map(share, ends)),
        f"{known['share']:.0%}",
        seconds(known["seconds"]),
        money(known["dollars"]),
    )


def facts(name: str, made: FittedCascade) -> str:
    """What a cascade is made of, in a line."""
    budget = made.made.get("on_dev", {}).get("budget", "")
    parts = [
        f"method cascade:{name}",
        f"{made.first.words} first",
        f"{made.second.words} where that gives {made.low:.2f} to {made.high:.2f}, and reads {_READS[made.asked]}",
        f"at most {budget}" if budget else "",
        f"chosen on {made.made['run']}" if "run" in made.made else "",
    ]
    return " · ".join(filter(None, parts))
