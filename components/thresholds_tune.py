"""What thresholds are looked for by, and every method tuned at once."""

import streamlit as st

from components import shell, state
from components import thresholds_tables as tables
from components import thresholds_words as words
from components.thresholds_state import TEST, Place, Settings, Tuning, hands, said, say
from evaluation.run_data import RunData
from evaluation.tuning import HOW_WORDS, How, Objective, Rule

_FEW_QUERIES = 30
_MACRO, _COST = "Best macro-F1", "Lowest cost"
_OWN_SPLIT = "each method's own"
_DEFAULT_WAYS: tuple[How, ...] = ("own", "min", "mean")


def settings(run: RunData) -> Settings | None:
    """The widgets; None where they leave nothing to do, which a notice says."""
    splits = [s for s in run.labelled_splits() if s != TEST]
    if not splits:
        there = "All labelled responses are in test" if TEST in run.labelled_splits() else "The run has no labelled response"
        shell.notice(
            "info",
            f"{there}, so there is nothing to tune thresholds on. Label responses, or divide the set into dev and test by query, "
            "on the Cases page, and run the methods over it.",
        )
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        goal = st.selectbox("Look for", [_MACRO, _COST], key="thresholds_goal", persist_state="session", width=190)
        missed = None
        if goal == _COST:
            missed = st.number_input(
                "A missed error costs this many false alarms",
                min_value=0.01,
                max_value=1_000.0,
                value=5.0,
                step=1.0,
                key="thresholds_cost",
                persist_state="session",
                width=310,
            )
        split = _split(run, splits)
        ways = st.multiselect(
            "Make a response's support from",
            list(HOW_WORDS),
            default=_DEFAULT_WAYS,
            format_func=HOW_WORDS.__getitem__,
            key="thresholds_ways",
            persist_state="session",
            help="Every way that is chosen is tried for every method, and the best is taken; of equally good ones the first.",
            width=560,
        )
    if not ways:
        shell.notice("info", "Choose at least one way to make a response's support.")
        return None
    return Settings(Objective(missed), tuple(ways), split)


def _split(run: RunData, splits: list[str]) -> str | None:
    """The split to tune on; None = each method's own, which is offered where dev is there."""
    own = [_OWN_SPLIT] if "dev" in splits else []
    elsewhere = {m.tuned_on for m in run.methods if m.tuned_on in splits} - {"dev"}
    names = {_OWN_SPLIT: f"dev, and {', '.join(sorted(elsewhere))} where a method asks for it" if elsewhere else "dev"}
    options = own + [s for s in splits if s != "dev" or elsewhere]
    if not own:
        there = ", ".join(map(words.split_name, run.labelled_splits()))
        shell.notice(
            "info",
            f"No labelled response is in dev; the run has {there}. Thresholds are tuned on the split that you choose here.",
        )
    chosen = st.selectbox(
        "Tune on",
        options,
        format_func=lambda s: names.get(s, words.split_name(s)),
        key=f"thresholds_split_{'_'.join(options)}",
        persist_state="session",
        width=260,
    )
    return None if chosen == _OWN_SPLIT else chosen


def table(run: RunData, chosen: Settings, found: Tuning) -> None:
    """All methods with their rules, and what else can be done with them."""
    objective = chosen.objective
    better = "higher is better" if objective.missed is None else "lower is better"
    st.html(
        f'<p class="gs-sub gs-measure">Every method\'s best rule by {objective.words} ({better}), with what it does on the split '
        "that it was tuned on. Errors are ungrounded responses; a response without a score counts as wrong.</p>"
    )
    for split in dict.fromkeys(t.split for t in found.tuned.values()):
        if len(set(run.groups[run.rows(split)].tolist())) < _FEW_QUERIES:
            shell.notice(
                "info",
                f"{words.split_name(split)} has only {words.size(run, split)}: what is best there may be so by chance. "
                "More queries make thresholds that hold.",
            )
    st.html(tables.tuned_html(run, found.tuned, found.tables, found.failed, objective))
    said("tune")
    with st.container(horizontal=True, vertical_alignment="center"):
        rules = {name: one.rule for name, one in found.tuned.items()}
        st.button(
            "Use these thresholds in the heatmap",
            key="thresholds_use",
            on_click=use,
            args=(run, rules, "tune"),
            disabled=not rules,
        )
        if set_by_hand := hands(run, chosen):
            label = f"Back to the tuned threshold{'s' if len(set_by_hand) > 1 else ''}"
            st.button(label, key="thresholds_back", on_click=set_by_hand.clear)


def use(run: RunData, rules: dict[str, Rule], place: Place) -> None:
    """Set the heatmap's thresholds where it can read a response as the rule does, and keep what there is to say."""
    able = {name: rule for name, rule in rules.items() if rule.how in ("own", "min") and 0 <= rule.threshold <= 1}
    state.thresholds().update({name: rule.threshold for name, rule in able.items()})
    count = len(able)
    text = f"The heatmap now reads {count} method{'' if count == 1 else 's'} at these thresholds."
    if left := [m.title for m in run.methods if m.id in rules and m.id not in able]:
        text += (
            " Not so "
            f"{', '.join(left)}: their rules are made of the mean or the share of sentences, or flag all or none, "
            "which the heatmap cannot show."
        )
    say(place, "good" if count else "info", text if count else text.partition(". ")[2] or text)
