"""What a study writes: its one table in every form, the thresholds, figure 2, and three answers where there are such labels."""

from collections.abc import Sequence
from dataclasses import replace

from groundscope.drawing.figure_2 import PAPER_NOTE, over_words, paper_spots, spots, standing_of
from groundscope.drawing.html import Html, document, tag
from groundscope.grounding import study as studies
from groundscope.grounding import tables
from groundscope.grounding.comparing.comparisons import Pairs, pairs
from groundscope.grounding.latency import PAPERS_SPLIT
from groundscope.grounding.results import RunResults
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.run_with_rules import RunWithRules, labelled_rows
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.study import Study
from groundscope.grounding.three_answers import answers_notes, printed_answers, three_answers
from groundscope.grounding.tuning import verdicts, without
from groundscope.runtime import extras

_STYLE = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:1.5rem auto;padding:0 1rem}"
_SAFE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
TABLE, THREE, FIGURE = "table.{}", "three-answers.{}", "figure2.html"


def study_files(study: Study, run: RunData, decision: Decision) -> dict[str, str]:
    """Read a judged study by its thresholds; gives these and the table in every form, as texts by the name of the file."""
    read = _read(run, decision)
    dev, test = read.results(study.tune), read.results(study.test)
    cells, marks = studies.table(study, dev, test)
    about = (studies.about(study, dev, test), *test.notes)
    forms = {"md": tables.markdown_table, "html": tables.html_table, "tex": tables.latex_table}
    written = {TABLE.format(ending): form(cells, about, marks) for ending, form in forms.items()}
    named = {m.id: studies.title_of(study, m.id) for m in read.run.methods}
    titled = replace(read.run, methods=tuple(replace(m, title=named[m.id] or m.title) for m in read.run.methods))
    three = three_answers(titled, read.rules, labelled_rows(titled, study.test))
    if any(method.counts for method in three.methods):
        notes = (f"{study.name}, {study.test}.", *answers_notes(three))
        written |= {THREE.format(ending): form(printed_answers(three), notes) for ending, form in forms.items()}
    return {"decision.json": frozen_rules.to_json(decision), **written}


def study_figure(study: Study, run: RunData, decision: Decision) -> dict[str, str]:
    """Draw figure 2 of a judged study, as a page by the name of its file; none where plotly is not installed."""
    if extras.missing("app"):
        return {}
    read = _read(run, decision)
    judged, again = verdicts(read.run, read.rules), read.again()
    shown = []
    for split in (study.tune, study.test):
        rows = labelled_rows(read.run, split)
        shown.append((read.results(split), pairs(read.run, judged, read.rules, rows, None, again)))
    return {FIGURE: figure_page(study.name, shown)}


def _read(run: RunData, decision: Decision) -> RunWithRules:
    left = without(run, decision.rejected)
    return RunWithRules(left, decision.rules(left), decision, run)


def figure_page(title: str, shown: Sequence[tuple[RunResults, Pairs]]) -> str:
    """Write a page with a figure for each of some splits, F1 and seconds of that split alone; it reads nothing from elsewhere."""
    # plotly comes with the app, and is slow to import.
    from groundscope.drawing.tradeoff import tradeoff

    parts = [tag("h1", title)]
    for place, (results, compared) in enumerate(shown):
        points, split = spots(results, "shown"), results.split_words
        standing_here = standing_of(points, compared)
        theirs = paper_spots(results.split, dev_seconds=results.split == PAPERS_SPLIT)
        x = over_words("shown", split, results)
        figure = tradeoff(
            points, [points[i].id for i in standing_here.front], theirs, x=x, y=f"Macro-F1, {split}", guess=standing_here.guess
        )
        image = {"format": "svg", "filename": f"figure-2-{split}"}
        drawn = figure.to_html(
            full_html=False, include_plotlyjs=not place, config={"displaylogo": False, "toImageButtonOptions": image}
        )
        parts += [tag("h2", f"F1 against latency, {split}: {results.responses:,} responses"), Html(drawn)]
    parts.append(tag("p", f"{PAPER_NOTE} The camera above a figure saves it as SVG."))
    return document(title, _STYLE, *parts, policy=_SAFE)
