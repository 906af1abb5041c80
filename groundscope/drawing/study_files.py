"""What a study writes: its one table in every form, the thresholds, and figure 2."""

from groundscope.drawing import figure_2
from groundscope.grounding import study as studies
from groundscope.grounding import tables
from groundscope.grounding.comparisons import pairs
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.run_with_rules import RunWithRules, labelled_rows
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.study import Study
from groundscope.grounding.sweeps import without
from groundscope.grounding.tuning import verdicts
from groundscope.runtime import extras

TABLE, FIGURE = "table.{}", "figure2.html"


def study_files(study: Study, run: RunData, decision: Decision) -> dict[str, str]:
    """Read a judged study by its thresholds; gives these and the table in every form, as texts by the name of the file."""
    read = _read(run, decision)
    dev, test = read.results(study.tune), read.results(study.test)
    cells, marks = studies.table(study, dev, test)
    about = (studies.about(study, dev, test), *test.notes)
    forms = {"md": tables.markdown_table, "html": tables.html_table, "tex": tables.latex_table}
    written = {TABLE.format(ending): form(cells, about, marks) for ending, form in forms.items()}
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
    return {FIGURE: figure_2.page(study.name, shown)}


def _read(run: RunData, decision: Decision) -> RunWithRules:
    left = without(run, decision.rejected)
    return RunWithRules(left, decision.rules(left), decision, run)
