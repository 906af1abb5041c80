"""Jobs on a page: what one takes before it starts, how far it is, what it cost, and buttons to pause, resume and delete it."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from components import shell, state
from components.controls import action, errors_shown, limit_fields, needs
from components.experiments.jobs import jobs
from groundscope.chat.budget import NO_LIMITS, Limits, in_words
from groundscope.drawing.html import Html, table, tag
from groundscope.experiments.forecast import UNPRICED, CostEstimate, lacking
from groundscope.experiments.listing import Kind, Listed, PartProgress, listed
from groundscope.experiments.store import JobFile
from groundscope.storage.team import Role, current_person, lacks, use_case
from groundscope.text.humanize import money, plural, spell

_ABOUT = "An unreadable reply is requested once more, which may double its cost. A pause repeats only what is under way."


def offer(takes: Sequence[CostEstimate], key: str, *, caption: str = "", what: str = "") -> Limits | None:
    """Show what a job takes, and a button that names where texts go; once it is pressed, give what the job may spend.

    `what` starts, on a page where several things do.
    """
    limited = any(t.limited for t in takes)
    asks = any(t.calls and t.unit == "call" for t in takes)
    if takes:
        st.html(_table(takes, caption) + (tag("p", _ABOUT, class_="gs-note") if asks else ""))
    for why in lacking(takes):
        shell.notice("bad", why)
    for note in filter(None, (t.note for t in takes)):
        shell.notice("info", note)
    if any(t.unpriced for t in takes):
        shell.notice("info", UNPRICED)
    limits = limits_form(key, state.limits()) if limited else NO_LIMITS
    addresses = sorted({t.leaves for t in takes} - {""})
    label = " ".join(filter(None, [f"Send to {', '.join(addresses)} and start" if addresses else "Start", what]))
    if why := lacks(Role.REVIEWER):
        shell.notice("info", why)
    allowed = needs(Role.REVIEWER, disabled=any(t.missing for t in takes))
    pressed = st.button(shell.plain(label), type="primary", key=f"{key}_start", **allowed)
    return limits if pressed else None


def limits_form(key: str, now: Limits) -> Limits:
    """Two fields for what a whole job may spend; an empty one is no limit."""
    about = "For the whole job, however often it is paused and resumed. Each request that a server takes is a call."
    with st.container(horizontal=True):
        return limit_fields(key, now, about)


def _table(takes: Sequence[CostEstimate], caption: str) -> Html:
    timed = any(t.seconds is not None for t in takes)
    rows = ((t.title, *([_time(t)] if timed else []), t.amount if t.calls else "no call", _where(t), _price(t)) for t in takes)
    return table(("Part", *(["Time"] if timed else []), "Takes", "Texts", "Costs"), rows, caption=caption)


def _time(t: CostEstimate) -> str:
    return "not known yet" if t.seconds is None else f"about {spell(t.seconds)}"


def _where(t: CostEstimate) -> str:
    return f"go to {t.leaves}" if t.leaves else "stay on this machine"


def _price(t: CostEstimate) -> str:
    return "not known" if t.dollars is None else "nothing" if not t.dollars else f"at most {money(t.dollars)}"


_POLL = 1.0


@dataclass(frozen=True)
class Panel:
    """The jobs of one kind on a page.

    Attributes:
        holds: what deleting one deletes (`Its triples and arguments`).
        draw: draws what only this kind has, of a job and whether a process works on it.
        of: whether a job belongs to what the page is about; others are not shown.
    """

    kind: Kind
    holds: str
    draw: Callable[[Listed, bool], None] | None = None
    of: Callable[[Listed], bool] = lambda job: True

    @property
    def key(self) -> str:
        """Keeps the widgets of kinds apart."""
        return self.kind.folder.name

    def under_way(self, title: str = "Not finished") -> None:
        """All jobs that are not finished, as a section of this title; looks again while one works."""
        shell.show_said(self.key)
        unfinished = self._open()
        if not unfinished:
            return
        if title:
            shell.section(title)
        working = any(works(one) for one in unfinished)
        st.fragment(self._live, run_every=_POLL if working else None)(working, _seen(unfinished))

    def _open(self) -> list[Listed]:
        return [job for job in self.jobs() if not job.finished]

    def jobs(self) -> list[Listed]:
        """All that the page is about."""
        return [job for job in listed(self.kind)[0] if self.of(job)]

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
            if self.draw:
                self.draw(job, at_work)
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
                    action("Pause", pause, jobs().stop, job.id, disabled=elsewhere)
                else:
                    resume = partial(jobs().resume, job.id, job.started)
                    action("Resume", f"{self.key}_resume_{job.id}", resume, type="primary")
                    self._retry(job)
                    self._budget(job)
                self._deletion(job.id)

    def _far(self, job: Listed, at_work: bool, rests: str) -> tuple[float, str]:
        """How far it is, 0..1, and in words; `rests` says how it came to rest."""
        everything = plural(job.wanted, self.kind.unit)
        done = f"{job.done:,} of {everything}"
        share = job.done / max(1, job.wanted)
        in_step = job.step is not None and not job.done
        if job.step and in_step:
            share = job.step.done / max(1, job.step.total)
            left = f", about {spell(job.step.left)} left" if at_work and job.step.left is not None else ""
            then = f", then {everything}" if job.wanted > 1 else ""
            done = f"{job.step.part}, {self.kind.far(job.step.done, job.step.total)}{left}{then}"
        if not at_work:
            return share, f"{rests} at {done}" if job.started else f"Not started, {everything}"
        if in_step:
            return share, done
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
        if job.retriable:
            again = partial(jobs().resume, job.id, job.started, retry=True)
            action(f"Retry {job.retriable:,} failed", f"{self.key}_{where}retry_{job.id}", again)

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
            action("Delete it", f"{self.key}_{where}delete_{job}", errors_shown(place=self.key)(self._delete), job)

    @use_case(Role.LEAD)
    def _delete(self, job: str) -> None:
        self._discard(job, Role.LEAD)

    def _discard(self, job: str, least: Role) -> None:
        jobs().stop(job)
        jobs().wait(job, 20)
        self.kind.folder.delete(job, least)
        jobs().forget(job)


@dataclass(frozen=True)
class TaskPanel(Panel):
    """The jobs of a task on a page, which takes over what a finished one gave; then the job is deleted.

    Attributes:
        take: takes it over, in a use case; one that the session started is taken over by itself.
        taking: the button that takes over what is incomplete, or what another session started.
    """

    take: Callable[[JobFile], None] = field(kw_only=True)
    taking: str = field(kw_only=True)

    def offer(self, takes: Sequence[CostEstimate], key: str, *, what: str = "") -> Limits | None:
        """As `offer` of all jobs, and where the texts lie meanwhile."""
        st.html(
            shell.note("The job keeps a copy of the texts in the data folder until its result is taken over, or you delete it.")
        )
        return offer(takes, key, what=what)

    def start(self, job: str) -> None:
        """Begin work on a job, and have this session take it over."""
        jobs().resume(job)
        self._started().add(job)
        st.rerun()

    def show(self) -> None:
        """What is finished and was not taken over, and what is not finished."""
        for job in self._finished():
            self._waits(job)
        self.under_way("")

    def jobs(self) -> list[Listed]:
        """Those that the page is about; in a team one's own, as who takes a result over has it alone."""
        person = current_person()
        return [job for job in super().jobs() if not person or job.plan.by in ("", person.email)]

    def _live(self, working: bool, shown: set[tuple[str, bool]]) -> None:
        self._finished()
        super()._live(working, shown)

    def _finished(self) -> list[Listed]:
        """Take over what is complete and was started here, and draw the page again; gives the others."""
        finished = [job for job in self.jobs() if job.finished]
        for job in finished:
            if job.id in self._started() and not job.failed and not lacks(Role.REVIEWER):
                self._take(job.id)
                st.rerun()
        return finished

    def works_here(self, part: str) -> bool:
        """Whether there is a job of a part that this session started: at work, paused, or waiting to be taken over."""
        return any(job.id in self._started() and job.plan.parts[0].id == part for job in self.jobs())

    def _started(self) -> set[str]:
        return state.own(f"{self.key}_started", set[str]())

    def _waits(self, job: Listed) -> None:
        with st.container(border=True, key=f"{self.key}_waits_{job.id}"):
            st.html(tag("h2", job.name, class_="gs-small") + tag("p", job.about, class_="gs-note"))
            for line in faults(job):
                shell.notice("bad", line)
            with st.container(horizontal=True):
                action(self.taking, f"{self.key}_take_{job.id}", self._take, job.id, type="primary")
                self.finished(job)

    @use_case(Role.REVIEWER)
    def _take(self, job: str) -> None:
        """Take over what a job gave; where that fails, why is said, and the job stays."""
        self._started().discard(job)
        with errors_shown(place=self.key):
            # Its process may not have ended yet.
            jobs().wait(job, 20)
            with closing(self.kind.folder.open(job)) as file:
                self.take(file)
            self.kind.folder.delete(job, Role.REVIEWER)
            jobs().forget(job)

    @use_case(Role.REVIEWER)
    def _delete(self, job: str) -> None:
        """Delete a job, as who may start one may."""
        self._discard(job, Role.REVIEWER)


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
