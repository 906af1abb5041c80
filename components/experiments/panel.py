"""Jobs that are not finished: how far each is, what it cost, what went wrong, and buttons to pause, resume and delete it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from components import shell
from components.controls import action, errors_shown, needs
from components.experiments.jobs import jobs
from components.experiments.offer import limits_form
from groundscope.chat.budget import in_words
from groundscope.drawing.html import table, tag
from groundscope.experiments.listing import Kind, Listed, PartProgress, listed
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import money, plural, spell

_POLL = 1.0


@dataclass(frozen=True)
class Panel:
    """The jobs of one kind on a page; `holds` is what deleting one deletes (`Its triples and arguments`)."""

    kind: Kind
    holds: str

    @property
    def key(self) -> str:
        """Keeps the widgets of kinds apart."""
        return self.kind.folder.name

    def under_way(self) -> None:
        """All jobs that are not finished; looks again while one works."""
        shell.show_said(self.key)
        unfinished = self._open()
        if not unfinished:
            return
        shell.section("Not finished")
        working = any(works(one) for one in unfinished)
        st.fragment(self._live, run_every=_POLL if working else None)(working, _seen(unfinished))

    def _open(self) -> list[Listed]:
        return [one for one in listed(self.kind)[0] if not one.finished]

    def _live(self, working: bool, shown: set[tuple[str, bool]]) -> None:
        unfinished = self._open()
        # One that has just finished, or has its first results, belongs into what the page shows.
        if shell.has_said(self.key) or _seen(unfinished) != shown or working != any(works(one) for one in unfinished):
            st.rerun()
        for job in unfinished:
            self._one(job)

    def _one(self, job: Listed) -> None:
        at_work = works(job)
        with st.container(border=True, key=f"{self.key}_open_{job.id}"):
            st.html(tag("h2", job.name, class_="gs-small") + tag("p", job.about, class_="gs-note"))
            problem = "" if at_work else jobs().problem(job)
            share, words = self._far(job, at_work, "Stopped" if problem else "Paused")
            st.progress(min(1.0, share), text=shell.plain(words))
            if len(job.parts) > 1 or job.failed:
                st.html(_parts(job.parts, at_work))
            if cost := _cost(job, at_work):
                st.html(tag("p", cost, class_="gs-note"))
            if not at_work:
                for line in filter(None, [*problem.split("\n"), *faults(job)]):
                    shell.notice("bad", line)
            with st.container(horizontal=True):
                if at_work:
                    pause, elsewhere = f"{self.key}_pause_{job.id}", not jobs().works(job.id)
                    action("Pause", pause, jobs().stop, job.id, role=Role.REVIEWER, disabled=elsewhere)
                else:
                    resume = partial(jobs().resume, job.id, job.started)
                    action("Resume", f"{self.key}_resume_{job.id}", resume, role=Role.REVIEWER, type="primary")
                    self._retry(job)
                    self._budget(job)
                self._deletion(job.id)

    def _far(self, job: Listed, at_work: bool, rests: str) -> tuple[float, str]:
        """How far it is, 0..1, and in words; `rests` says how it came to rest."""
        done = f"{job.done:,} of {plural(job.wanted, self.kind.unit)}"
        share = job.done / max(1, job.wanted)
        if not at_work:
            return share, f"{rests} at {done}" if job.started else f"Not started: {plural(job.wanted, self.kind.unit)}"
        if job.told and not job.done:
            return job.told.done / max(1, job.told.total), (
                f"{job.told.part}, {job.told.done:,} of {job.told.total:,}, then {plural(job.wanted, self.kind.unit)}"
            )
        if jobs().loading(job):
            return share, f"Loading, {done}"
        seconds = [p.seconds for p in job.parts if p.seconds is not None]
        left = f", about {spell(max(seconds))} left" if seconds and len(seconds) == len(job.parts) else ""
        return share, f"{done}{left}"

    def finished(self, job: Listed, label: str = "Delete") -> None:
        """Buttons of a finished job that the page shows; nothing before, when they stand under “Not finished”."""
        if job.finished:
            # Keys of their own: it may have finished since this run of the page drew it as not finished.
            self._retry(job, "finished_")
            self._deletion(job.id, label, "finished_")

    def _retry(self, job: Listed, where: str = "") -> None:
        """A button that works again on what failed, where something did."""
        if job.retriable:
            again = partial(jobs().resume, job.id, job.started, retry=True)
            action(f"Retry {job.retriable:,} failed", f"{self.key}_{where}retry_{job.id}", again, role=Role.REVIEWER)

    def _budget(self, job: Listed) -> None:
        key = f"{self.key}_budget_{job.id}"
        if not (job.spent.calls or any(limit is not None for limit in job.limits)):
            return
        with st.popover("Budget", key=key), st.form(f"{key}_form", border=False):
            # Fields of a form that was away while the job worked would come back empty, and with them the limits.
            limits = limits_form(f"{key}_{job.started}", job.limits)
            if st.form_submit_button("Set the budget", **needs(Role.REVIEWER)):
                with errors_shown(place=self.key):
                    self.kind.folder.open(job.id).allow(limits)
                st.rerun()

    def _deletion(self, job: str, label: str = "Delete", where: str = "") -> None:
        """A button that asks once more before it deletes."""
        with st.popover(label, key=f"{self.key}_{where}ask_{job}"):
            st.html(tag("p", f"{self.holds} are deleted from this machine permanently.", class_="gs-privacy"))
            action("Delete it", f"{self.key}_{where}delete_{job}", self._delete, job, role=Role.LEAD)

    def _delete(self, job: str) -> None:
        with errors_shown(place=self.key):
            jobs().stop(job)
            jobs().wait(job, 20)
            self.kind.folder.delete(job)
            jobs().forget(job)


def works(job: Listed) -> bool:
    """Whether a process works on a job now."""
    return job.busy or jobs().works(job.id)


def faults(job: Listed) -> list[str]:
    """Why results of a job failed, in lines."""
    return [f"{plural(count, 'time')}: {why}" for why, count in job.faults.most_common(5)]


def _seen(unfinished: Sequence[Listed]) -> set[tuple[str, bool]]:
    return {(one.id, one.done > 0) for one in unfinished}


def _parts(parts: Sequence[PartProgress], at_work: bool) -> str:
    rows = []
    for part in parts:
        left = "done" if part.done >= part.wanted else f"about {spell(part.seconds)} left" if at_work and part.seconds else ""
        failed = f"{part.failed:,} failed" if part.failed else ""
        rows.append((part.title, f"{part.done:,} of {part.wanted:,}", left, failed))
    return table(("Part", "Done", "", ""), rows)


def _cost(job: Listed, at_work: bool) -> str:
    """What it cost so far, and what it may cost."""
    most = [] if job.limits.dollars is None else [money(job.limits.dollars)]
    most += [] if job.limits.calls is None else [plural(job.limits.calls, "call")]
    if not job.spent.calls and not most:
        return ""
    # While it works, some calls are only under way, which is no fault yet.
    waits = job.spent.unanswered if at_work else 0
    words = f"So far {in_words(job.spent._replace(unanswered=0, risk=0.0) if waits else job.spent)}."
    if waits and job.spent.risk:
        words += f" {plural(waits, 'call')} without an answer yet may add {money(job.spent.risk)} at most."
    return f"{words} It may spend {' and '.join(most)} in all." if most else words
