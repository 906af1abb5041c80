"""Tables and texts of the Arguments page as escaped HTML. Pure: no streamlit."""

from collections.abc import Sequence
from html import escape

import pandas as pd

from components.highlight import Mark, highlight
from evaluation.arguments.extraction import Extraction, Mention
from evaluation.arguments.judged import Judged
from evaluation.arguments.prompts import WORDINGS
from evaluation.arguments.report import NAMES, Report, cells, percent
from evaluation.arguments.scoring import Score, kinds
from evaluation.arguments.types import CASE_TITLES, CASES, Catalogue, Scenario, Side, Test

_WORDINGS = {w.id: w.title for w in WORDINGS}
_WEIGHTED = (Test.ARGUABLE, Test.REORDERED)
_MANY = 40
"""Mentions that are listed in words."""
LEGEND = (
    "<p class='gs-note gs-legend'><mark class='gs-right'>right: its case has it</mark> "
    "<mark class='gs-invented'>invented: no case has it</mark> <mark class='gs-wrong'>wrong case: only another one has it</mark> "
    "<mark class='gs-absent'>said to be absent</mark></p>"
)


def wording_title(name: str) -> str:
    """A wording for people; what a file calls its own stays as it is."""
    return _WORDINGS.get(name, name) if name else "none or not known"


def paper_table(made: Report) -> pd.DataFrame:
    """The paper's table: a row a model and wording, a column a test and metric, percent with intervals."""
    several = len({r.wording for r in made.rows}) > 1 or any(r.wording for r in made.rows)
    rows = []
    for r in made.rows:
        found = {"Model": r.arguer} | ({"Wording": wording_title(r.wording)} if several else {})
        found |= {f"{NAMES[name]} {test.value}": percent(mean) for test, name, mean in cells(r)}
        if made.weights:
            found |= {f"Weighted {test.value}": percent(r.tests[test].weighted) for test in _WEIGHTED if test in r.tests}
        unmeasured = sum(f.silent for f in r.tests.values())
        some = any(f.silent for q in made.rows for f in q.tests.values())
        rows.append(found | ({"Not measured": str(unmeasured)} if some else {}))
    return pd.DataFrame(rows)


def figures_table(made: Report) -> pd.DataFrame:
    """The same as numbers, one line a model, wording and test, shares from 0 to 1."""
    rows = []
    for r in made.rows:
        for test, f in r.tests.items():
            row = {
                "model": r.arguer,
                "wording": r.wording,
                "test": test.value,
                "arguments": f.arguments,
                "not measured": f.silent,
            }
            for name in NAMES:
                if (mean := getattr(f, name)) is not None:
                    row |= {name: mean.value, f"{name} from": mean.interval.low, f"{name} to": mean.interval.high}
            rows.append(row | {"calls": f.cost.calls, "tokens": f.cost.tokens, "dollars": f.cost.dollars})
    return pd.DataFrame(rows)


def triple(scenario: Scenario, catalogue: Catalogue, made: Score | None = None, caption: str = "") -> str:
    """Factor x case: who has what, what is shared, and with a score what the argument did with it."""
    shared = {case: {f"F{n}" for n in scenario.shared(case)} for case in CASES[1:]}
    said = set() if made is None else {k for sets in kinds(made).values() for case in sets for k in case}
    keys = sorted({k for case in scenario.keys for k in case} | said, key=lambda k: _order(k, catalogue))
    heads = [("Current case", "")] + [
        (CASE_TITLES[n], f"won by the {c.winner.party}") for n, c in (("tsc1", scenario.tsc1), ("tsc2", scenario.tsc2))
    ]
    head = "".join(f"<th scope='col'>{t}{f'<br><small>{w}</small>' if w else ''}</th>" for t, w in heads)
    body = ""
    for key in keys:
        with_ = [CASE_TITLES[case] for case in CASES[1:] if key in shared[case]]
        row = "".join(_cell(i, key, scenario, made) for i in range(len(CASES)))
        tag = f" <small class='gs-shared'>shared with {' and '.join(with_)}</small>" if with_ else ""
        body += f"<tr{' class=gs-in-common' if with_ else ''}><th scope='row'>{_factor(key, catalogue)}{tag}</th>{row}</tr>"
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    top = f"<thead><tr><th scope='col'>Factor</th>{head}</tr></thead>"
    return f"<table class='gs-counts gs-triple'>{title}{top}<tbody>{body}</tbody></table>"


def _order(key: str, catalogue: Catalogue) -> tuple[int, int, str]:
    factor = catalogue.by_key.get(key)
    return (2, 0, key) if factor is None else (int(factor.side is Side.DEFENDANT), factor.number, "")


def _factor(key: str, catalogue: Catalogue) -> str:
    factor = catalogue.by_key.get(key)
    if factor is None:
        return f"{escape(key)} <small>(no such factor)</small>"
    if not factor.description:
        return escape(factor.written)
    return f"<span title='{escape(factor.description)}'>{escape(factor.written)}</span>"


def _cell(case: int, key: str, scenario: Scenario, made: Score | None) -> str:
    has = key in scenario.keys[case]
    if made is None:
        return f"<td>{'has it' if has else ''}</td>"
    # Where it should abstain, what it does not use is not left out.
    left_out = ("has it", "") if made.should_abstain else ("not used", "gs-cell gs-unused")
    for words, css, sets in (
        ("used", "gs-cell gs-right", made.used),
        (*left_out, made.missed),
        ("invented", "gs-cell gs-invented", made.invented),
        ("wrong case", "gs-cell gs-wrong", made.wrong_case),
    ):
        if key in sets[case]:
            return f"<td><span class='{css}'>{words}</span></td>" if css else f"<td>{words}</td>"
    return "<td></td>"


def argument(one: Judged, catalogue: Catalogue) -> str:
    """The plies, every mention coloured; on hover what it says of which case."""
    parts = []
    for i, (title, text) in enumerate(zip(one.argument.titles, one.argument.plies, strict=True)):
        marks = [_mark(m, one.scenario, catalogue) for m in one.exact.mentions if m.ply == i]
        inside = highlight(text, marks) if text.strip() else "<span class='gs-note'>(nothing)</span>"
        parts.append(f"<h3 class='gs-small'>{title}</h3><p class='gs-text' dir='auto'>{inside}</p>")
    return "".join(parts)


def _mark(mention: Mention, scenario: Scenario, catalogue: Catalogue) -> Mark:
    truth = dict(zip(CASES, scenario.keys, strict=True))
    factor = catalogue.by_key.get(mention.key)
    name = factor.written if factor else f"{mention.key}, which is no factor"
    said = []
    worst = 0 if mention.cases else -1
    for case in mention.cases:
        level = 0 if mention.key in truth[case] else 1 if any(mention.key in t for t in truth.values()) else 2
        worst = max(worst, level)
        said.append(
            f"said of {CASE_TITLES[case]}: {('right', 'wrong, only another case has it', 'invented, no case has it')[level]}"
        )
    css = ("gs-right", "gs-wrong", "gs-invented", "gs-absent")[worst]
    return Mark(mention.start, mention.end, css, f"{name} · {'; '.join(said) or 'said to be absent'}")


def errors(made: Score, catalogue: Catalogue) -> str:
    """What went wrong, in words, for who sees no colour; and the factors that nobody used."""
    lines = []
    if made.should_abstain and not made.abstained:
        lines.append("<li><b>Argues, though no factor is in common</b></li>")
    words = {"invented": "Invented", "wrong case": "Wrong case", "missed": "Not used"}
    for kind, by_case in kinds(made).items():
        if made.should_abstain and kind == "missed":
            continue
        for case, keys in zip(CASES, by_case, strict=True):
            if keys:
                listed = ", ".join(escape(_written(k, catalogue)) for k in sorted(keys)[:_MANY])
                lines.append(f"<li><b>{words[kind]}</b>, {CASE_TITLES[case]}: {listed}</li>")
    if made.unused and not made.should_abstain:
        listed = ", ".join(escape(_written(k, catalogue)) for k in sorted(made.unused)[:_MANY])
        lines.append(f"<li><b>Said of no case that has it</b>: {listed}</li>")
    if lines:
        return f"<ul class='gs-offer'>{''.join(lines)}</ul>"
    good = "It abstains, as it should." if made.should_abstain else "Nothing is wrong, and nothing is left out."
    return f"<p class='gs-note'>{good}</p>"


def _written(key: str, catalogue: Catalogue) -> str:
    factor = catalogue.by_key.get(key)
    return factor.written if factor else f"{key} (no such factor)"


def extractions(exact: Extraction, other: Extraction, title: str, catalogue: Catalogue) -> str:
    """What both extractors found, case by case."""
    rows = ""
    for i, case in enumerate(CASES):
        both = exact.sets[i] & other.sets[i]
        found = (both, exact.sets[i] - both, other.sets[i] - both)
        tds = "".join(f"<td class='gs-left'>{escape(', '.join(sorted(s)[:_MANY])) or '–'}</td>" for s in found)
        rows += f"<tr><th scope='row'>{CASE_TITLES[case]}</th>{tds}</tr>"
    head = "".join(f"<th scope='col'>{escape(h)}</th>" for h in ("", "Both", "Exact alone", f"{title} alone")[1:])
    return f"<table class='gs-counts'><thead><tr><th scope='col'>Case</th>{head}</tr></thead><tbody>{rows}</tbody></table>"


def scroll(name: str, inner: str) -> str:
    """A box that scrolls by itself, also by keyboard."""
    return f'<div class="gs-scroll gs-tall" tabindex="0" role="region" aria-label="{escape(name)}">{inner}</div>'


def across(name: str, tables: Sequence[str]) -> str:
    """Tables that scroll sideways where they must, also by keyboard."""
    inside = "".join(tables)
    return f'<div class="gs-across" tabindex="0" role="region" aria-label="{escape(name)}">{inside}</div>'
