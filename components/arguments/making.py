"""Make triples: how many, how complex, which tests and catalogue; view, export and import them."""

from collections.abc import Sequence
from html import escape

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell
from components.arguments import state, tables
from components.arguments.state import ScenarioSet
from components.controls import download, errors_shown, read_uploads, slug, unfolded
from groundscope.arguments.catalogue import read_catalogue
from groundscope.arguments.scenarios import least_and_most, make_all, read_scenarios, to_jsonl
from groundscope.arguments.types import Catalogue, Scenario, Test
from groundscope.drawing.html import cell, region, table
from groundscope.files.rows import ENDINGS
from groundscope.files.sandbox import FILES, sandboxed

_REJECTED = 5


def show() -> None:
    """Make, import and view triples."""
    catalogue = _catalogue()
    _make(catalogue)
    unfolded("Import triples from a file", "arguments_import", _import, catalogue)
    shell.section("Triples")
    _look(choose("Show", "arguments_look"))


def choose(label: str, key: str) -> ScenarioSet:
    """Let the user choose a set of triples, the newest first."""
    names = list(state.sets())[::-1]
    if (added := st.session_state.get("arguments_added")) in names:
        names.remove(added)
        names.insert(0, added)
    return state.sets()[str(st.selectbox(label, names, key=f"{key}_{hash(tuple(names))}"))]


def _catalogue() -> Catalogue:
    catalogues = state.catalogues()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = str(st.selectbox("Factors", list(catalogues)[::-1], key=f"arguments_factors_{len(catalogues)}", width=360))
        with st.popover("Factors of another domain"):
            st.html(
                "<p class='gs-measure'>A CSV with the columns <code>number</code>, <code>name</code>, <code>side</code> (P or D) "
                "and <code>description</code>, one row per factor.</p>"
            )
            file = st.file_uploader("Catalogue", type=list(ENDINGS), key="arguments_catalogue")
            if read_uploads([file] if file else [], state.UPLOADS, _read_catalogue):
                st.rerun()
    with st.expander(f"The {len(catalogues[name].factors)} factors", key="arguments_catalogue_table"):
        rows = ((f.written, cell(f.description, class_="gs-left")) for f in catalogues[name].factors)
        st.html(region("Factors", table(("Factor", "Meaning"), rows), css="gs-scroll gs-tall"))
    return catalogues[name]


def _read_catalogue(file: UploadedFile) -> str:
    new = sandboxed(FILES, read_catalogue, file.name, file.getvalue())
    state.added_catalogues()[new.name] = new
    return ""


def _make(catalogue: Catalogue) -> None:
    low, high = least_and_most(catalogue)
    with st.form("arguments_make", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = st.number_input("Triples per test and complexity", 1, 500, 30, key="arguments_count", width=200)
            levels = st.multiselect(
                "Complexity", list(range(low, high + 1)), default=[min(5, high)], key=f"arguments_levels_{high}", width=260,
                help="k: each case has k - 1 to k + 1 factors.",
            )  # fmt: skip
            tests = st.multiselect(
                "Tests", list(Test), default=list(Test), format_func=lambda t: t.value, key="arguments_tests", width=360,
                help="Arguable: both precedents share factors with the current case. Reordered: the same, precedents swapped. "
                "Non-arguable: nothing is shared.",
            )  # fmt: skip
            seed = st.number_input("Seed", 0, 1_000_000, 0, key="arguments_seed", width=120)
        submitted = st.form_submit_button("Make triples", type="primary")
    if not submitted:
        return
    if not levels or not tests:
        shell.notice("bad", "Choose at least one complexity and one test.")
        return
    with errors_shown(ValueError):
        scenarios = make_all(catalogue, tests, int(count), sorted(levels), int(seed))
        _add(ScenarioSet(_name(catalogue, scenarios, levels, int(seed)), catalogue, tuple(scenarios)))
        st.rerun()


def _name(catalogue: Catalogue, scenarios: Sequence[Scenario], levels: Sequence[int], seed: int) -> str:
    """Every choice in the name: other choices make another set."""
    tests = [test.value for test in Test if any(s.test is test for s in scenarios)]
    kind = "" if len(tests) == len(Test) else f"{' and '.join(tests)} "
    listed = ", ".join(map(str, sorted(levels)))
    return f"{catalogue.name}, {len(scenarios):,} {kind}triple{'s' * (len(scenarios) != 1)}, complexity {listed}, seed {seed}"


def _add(new: ScenarioSet) -> None:
    state.added_sets()[new.name] = new
    st.session_state["arguments_added"] = new.name


def _import(catalogue: Catalogue) -> None:
    st.html(
        "<p class='gs-note gs-measure'>JSONL, as exported here: <code>id</code>, <code>test</code>, <code>current</code>, "
        "and <code>tsc1</code> and <code>tsc2</code> with <code>factors</code> and <code>winner</code>. They must use the "
        f"catalogue {escape(catalogue.name)}.</p>"
    )
    file = st.file_uploader("Triples", type=list(ENDINGS), key="arguments_triples")

    def read(file: UploadedFile) -> str:
        file_rows = sandboxed(FILES, read_scenarios, file.name, file.getvalue(), catalogue)
        _add(ScenarioSet(file.name, catalogue, file_rows.scenarios))
        rows = [f"Row {r.row}: {r.reason}" for r in file_rows.rejected[:_REJECTED]]
        more = f" And {len(file_rows.rejected) - _REJECTED:,} more." if len(file_rows.rejected) > _REJECTED else ""
        return f"Left out: {' '.join(rows)}{more}" if rows else ""

    if read_uploads([file] if file else [], state.UPLOADS, read):
        st.rerun()


def _look(chosen: ScenarioSet) -> None:
    tests = [t for t in Test if any(s.test is t for s in chosen.scenarios)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"arguments_look_test_{hash(chosen.name)}"
        test = st.segmented_control("Test", tests, default=tests[0], format_func=lambda t: t.value, key=key, required=True)
        mine = [s for s in chosen.scenarios if s.test is (test or tests[0])]
        key = f"arguments_look_number_{hash((chosen.name, test))}"
        number = st.number_input(f"Triple, 1 to {len(mine):,}", 1, len(mine), 1, key=key, width=160)
        triples = to_jsonl(chosen.scenarios, chosen.catalogue)
        download("Export as JSONL", triples, f"{slug(chosen.name)}.jsonl", "arguments_export")
    scenario = mine[int(number) - 1]
    meanings = {
        Test.ARGUABLE: "Each side has a precedent that it won and that shares a factor in its favour.",
        Test.REORDERED: "As an arguable triple, with the precedents and their outcomes swapped.",
        Test.NON_ARGUABLE: "No precedent shares a factor with the current case: the right answer is to say so and stop.",
    }
    st.html(
        f"<p class='gs-note'>{meanings[scenario.test]}</p>"
        + region("Triple", tables.triple(scenario, chosen.catalogue, None, scenario.id))
    )
