"""Jobs that are not finished: how far each is, what it cost, what went wrong, and buttons to pause, resume and delete it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from components import shell
from components.controls import needs
from components.experiments.jobs import jobs
from components.experiments.offer import limits_form
from groundscope.chat.budget import in_words
from groundscope.drawing.html import table, tag
from groundscope.errors import GroundscopeError
from groundscope.experiments.listing import Kind, Listed, PartProgress, listed
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import money, plural, spell

_POLL = 1.0


@dataclass(frozen=True)
class Panel:
    """The jobs of one kind on a page.

    `holds` is what deleting one deletes (`Its triples and arguments`); `deleted` is called with the id of one that was deleted.
    """

    kind: Kind
    holds: str
    deleted: Callable[[str], None] = lambda job: None

    @property
    def key(self) -> str:
        """Keeps the widgets of kinds apart."""
        return self.kind.folder.name

    def under_way(self) -> None:
        """All jobs that are not finished; looks again while one works."""
        shell.show_said(self.key)
        open_ = self._open()
        if not open_:
            return
        shell.section("Not finished")
        working = any(works(one) for one in open_)
        st.fragment(self._live, run_every=_POLL if working else None)(working, _seen(open_))

    def _open(self) -> list[Listed]:
        return [one for one in listed(self.kind)[0] if not one.finished]

    def _live(self, working: bool, shown: set[tuple[str, bool]]) -> None:
        open_ = self._open()
        # One that has just finished, or has its first results, belongs into what the page shows.
        if shell.has_said(self.key) or _seen(open_) != shown or working != any(works(one) for one in open_):
            st.rerun()
        for one in open_:
            self._one(one)

    def _one(self, one: Listed) -> None:
        at_work = works(one)
        with st.container(border=True, key=f"{self.key}_open_{one.id}"):
            st.html(tag("h2", one.name, class_="gs-small") + tag("p", one.about, class_="gs-note"))
            problem = "" if at_work else jobs().problem(one)
            share, words = self._far(one, at_work, "Stopped" if problem else "Paused")
            st.progress(min(1.0, share), text=shell.plain(words))
            if len(one.parts) > 1 or one.failed:
                st.html(_parts(one.parts, at_work))
            if cost := _cost(one, at_work):
                st.html(tag("p", cost, class_="gs-note"))
            if not at_work:
                for line in filter(None, [*problem.split("\n"), *faults(one)]):
                    shell.notice("bad", line)
            with st.container(horizontal=True):
                if at_work:
                    ours = jobs().works(one.id)
                    st.button(
                        "Pause",
                        key=f"{self.key}_pause_{one.id}",
                        on_click=jobs().stop,
                        args=(one.id,),
                        **needs(Role.REVIEWER, disabled=not ours),
                    )
                else:
                    st.button(
                        "Resume",
                        key=f"{self.key}_resume_{one.id}",
                        type="primary",
                        on_click=jobs().resume,
                        args=(one.id, one.started),
                        **needs(Role.REVIEWER),
                    )
                    self._retry(one)
                    self._budget(one)
                self._deletion(one.id)

    def _far(self, one: Listed, at_work: bool, rests: str) -> tuple[float, str]:
        """How far it is, 0..1, and in words; `rests` says how it came to rest."""
        done = f"{one.done:,} of {plural(one.wanted, self.kind.unit)}"
        share = one.done / max(1, one.wanted)
        if not at_work:
            return share, f"{rests} at {done}" if one.started else f"Not started: {plural(one.wanted, self.kind.unit)}"
        if one.told and not one.done:
            return one.told.done / max(1, one.told.total), (
                f"{one.told.part}, {one.told.done:,} of {one.told.total:,}, then {plural(one.wanted, self.kind.unit)}"
            )
        if jobs().loading(one):
            return share, f"Loading, {done}"
        known = [p.seconds for p in one.parts if p.seconds is not None]
        left = f", about {spell(max(known))} left" if known and len(known) == len(one.parts) else ""
        return share, f"{done}{left}"

    def finished(self, one: Listed, label: str = "Delete") -> None:
        """Buttons of a finished job that the page shows; nothing before, when they stand under “Not finished”."""
        if one.finished:
            # Keys of their own: it may have finished since this run of the page drew it as not finished.
            self._retry(one, "finished_")
            self._deletion(one.id, label, "finished_")

    def _retry(self, one: Listed, where: str = "") -> None:
        """A button that works again on what failed, where something did."""
        if one.retriable:
            st.button(
                f"Retry {one.retriable:,} failed",
                key=f"{self.key}_{where}retry_{one.id}",
                on_click=jobs().resume,
                args=(one.id, one.started),
                kwargs={"retry": True},
                **needs(Role.REVIEWER),
            )

    def _budget(self, one: Listed) -> None:
        key = f"{self.key}_budget_{one.id}"
        if not (one.spent.calls or any(limit is not None for limit in one.limits)):
            return
        with st.popover("Budget", key=key), st.form(f"{key}_form", border=False):
            # Fields of a form that was away while the job worked would come back empty, and with them the limits.
            limits = limits_form(f"{key}_{one.started}", one.limits)
            if st.form_submit_button("Set the budget", **needs(Role.REVIEWER)):
                self._try(lambda: self.kind.folder.open(one.id).allow(limits))
                st.rerun()

    def _deletion(self, job: str, label: str = "Delete", where: str = "") -> None:
        """A button that asks once more before it deletes."""
        with st.popover(label, key=f"{self.key}_{where}ask_{job}"):
            st.html(tag("p", f"{self.holds} are deleted from this machine permanently.", class_="gs-privacy"))
            st.button("Delete it", key=f"{self.key}_{where}delete_{job}", on_click=self._delete, args=(job,), **needs(Role.LEAD))

    def _delete(self, job: str) -> None:
        if not self._try(lambda: jobs().stop(job)):
            return
        jobs().wait(job, 20)
        if self._try(lambda: self.kind.folder.delete(job)):
            jobs().forget(job)
            self.deleted(job)

    def _try(self, work: Callable[[], object]) -> bool:
        try:
            work()
        except GroundscopeError as error:
            shell.say(self.key, "bad", str(error))
            return False
        return True


def works(one: Listed) -> bool:
    """Whether a process works on a job now."""
    return one.busy or jobs().works(one.id)


def faults(one: Listed) -> list[str]:
    """Why results of a job failed, in lines."""
    return [f"{plural(count, 'time')}: {why}" for why, count in one.faults.most_common(5)]


def _seen(open_: Sequence[Listed]) -> set[tuple[str, bool]]:
    return {(one.id, one.done > 0) for one in open_}


def _parts(parts: Sequence[PartProgress], at_work: bool) -> str:
    rows = []
    for part in parts:
        left = "done" if part.done >= part.wanted else f"about {spell(part.seconds)} left" if at_work and part.seconds else ""
        failed = f"{part.failed:,} failed" if part.failed else ""
        rows.append((part.title, f"{part.done:,} of {part.wanted:,}", left, failed))
    return table(("Part", "Done", "", ""), rows)


def _cost(one: Listed, at_work: bool) -> str:
    """What it cost so far, and what it may cost."""
    most = [] if one.limits.dollars is None else [money(one.limits.dollars)]
    most += [] if one.limits.calls is None else [plural(one.limits.calls, "call")]
    if not one.spent.calls and not most:
        return ""
    # While it works, some calls are only under way, which is no fault yet.
    waits = one.spent.unanswered if at_work else 0
    said = f"So far {in_words(one.spent._replace(unanswered=0, risk=0.0) if waits else one.spent)}."
    if waits and one.spent.risk:
        said += f" {plural(waits, 'call')} without an answer yet may add {money(one.spent.risk)} at most."
    return f"{said} It may spend {' and '.join(most)} in all." if most else said
