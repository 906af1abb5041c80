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

TABLE = "table.{}"
FIGURE = "figure2.html"


def study_files(study: Study, run: RunData, decision: Decision) -> dict[str, str]:
    """Read a judged study by its thresholds; gives texts by the name of the file, the figure where plotly is installed."""
    left = without(run, decision.rejected)
    read = RunWithRules(left, decision.rules(left), decision, run)
    dev, test = read.results(study.tune), read.results(study.test)
    cells, marks = studies.table(study, dev, test)
    about = (studies.about(study, dev, test), *test.notes)
    forms = {"md": tables.markdown_table, "html": tables.html_table, "tex": tables.latex_table}
    files = {"decision.json": frozen_rules.to_json(decision)}
    files |= {TABLE.format(ending): form(cells, about, marks) for ending, form in forms.items()}
    if not extras.missing("app"):
        said, again = verdicts(left, read.rules), read.again()
        shown = [(r, pairs(left, said, read.rules, labelled_rows(left, r.split), None, again)) for r in (dev, test)]
        files[FIGURE] = figure_2.page(study.name, shown)
    return files
