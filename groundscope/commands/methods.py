"""`methods`, `prompts`: list the methods, and manage the prompts of those that ask a chat model."""

from functools import partial
from pathlib import Path
from textwrap import fill

import click

from groundscope.chat.prompt_files import TASKS, PromptFile, delete_prompt, save_prompt, texts_of, written
from groundscope.chat.prompt_files import prompts as offered
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import read_files
from groundscope.commands.terminal import DONE, REFUSED, say, show
from groundscope.errors import DataError
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import TaskSteps, plan_of
from groundscope.methods import registry
from groundscope.methods.method import download_size
from groundscope.models.weights import jobs as weights
from groundscope.text.humanize import instead, shortened

_WIDTH, _TITLE = 100, 16
"""Columns of the list of methods, and the least of them for a title."""


@click.command()
@click.option("--get", metavar="METHOD", help="download the weights of this method, and check them")
def methods(get: str | None) -> int:
    """List all methods and whether they can run here.

    With --get nothing is listed: what a method needs is downloaded.
    """
    if get is not None:
        return _get(get)
    rows: list[tuple[str, str, str]] = []
    whys: dict[str, list[str]] = {}
    for name in registry.names():
        method = registry.find(name)
        why, missing = method.unavailable(), [r for r in method.requirements() if r.missing]
        if missing and not method.asks:
            rows.append((name, method.about.title, f"needs {download_size(missing):,} MB"))
            whys.setdefault("`groundscope methods --get METHOD` downloads the weights that a method needs.", [])
        else:
            rows.append((name, method.about.title, "cannot run" if why else "ready"))
            if why:
                whys.setdefault(why, []).append(name)
    room = _WIDTH - max(len(name) for name, _, _ in rows) - max(len(state) for *_, state in rows) - 2 * len("  ")
    table = terminal.table(("method", "title", "state"), [(n, shortened(t, max(_TITLE, room)), s) for n, t, s in rows])
    reasons = [f"{', '.join(named)}: {why}" if named else why for why, named in whys.items()]
    show("\n".join((table, "", *(fill(r, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for r in reasons))))
    for problem in registry.problems():
        say(problem)
    return DONE


def _get(named: str) -> int:
    file = weights.DOWNLOAD.folder.open(weights.begin(named))
    code = jobs.go(RUNNER, file, None, quiet=False, with_parent=False, words=say)
    return REFUSED if code == DONE and registry.load(named).unavailable() else code


def _free(out: Path) -> None:
    raise DataError(f"Weights lie where every method finds them: resume the download without --out {out}.")


def _result(file: JobFile, _out: Path | None) -> str:
    """Say that a method is ready, and delete the job of the download."""
    method = registry.load(weights.method_of(plan_of(file)))
    weights.DOWNLOAD.folder.delete(file.id)
    return method.unavailable() or f"{method.about.title} is ready."


RUNNER = jobs.JobRunner(weights.KIND, partial(TaskSteps, weights.DOWNLOAD), _result, _free, online=True)


@click.command(cls=options.Verb)
@click.argument("method", metavar="METHOD", required=False, default="", help="a method or task that asks a model; without it all")
@click.option("--show", "shown", metavar="NAME", help="write this prompt's texts to standard output")
@click.option("--save", metavar="NAME", help="save the prompt of --file under this name")
@click.option("--file", "file", metavar="FILE", type=options.PATH, help="what --show writes, edited; or a message alone")
@click.option("--delete", metavar="NAME", help="delete this prompt of your own")
def prompts(method: str, shown: str | None, save: str | None, file: Path | None, delete: str | None) -> int:
    """List, show, save and delete the prompts that chat models are asked by.

    A run asks with a prompt by `--set direct.prompt=NAME`; parts such as direct:prompt=lynx compare several in one run. Other
    tasks, such as rag_judge and argument, take theirs by name: chat/NAME:SPEC in place of chat:SPEC, or --prompts and
    --wordings. A saved prompt stays as it is, so a result keeps the prompt that it names.
    """
    if sum(word is not None for word in (shown, save, delete)) > 1:
        raise ValueError("give one of --show, --save and --delete")
    if (save is None) != (file is None):
        raise ValueError("--save and --file go together: a prompt is saved from a file")
    if not method and (shown or save or delete):
        raise ValueError("name the method or task whose prompt it is, such as direct")
    available = {p.name: p for p in _of(method)} if method else {}
    if shown is not None:
        show(written(_named(available, shown)))
    elif save is not None and file is not None:
        ((name, data),) = read_files([file])
        saved = save_prompt(_stem(available, method), save, texts_of(name, data), tuple(available.values()))
        use = TASKS[method].use.replace("NAME", save) if method in TASKS else f"--set {method}.prompt={saved.name}"
        say(f"{method} asks with it by {use}.")
    elif delete is not None:
        if not _named(available, delete).own:
            raise DataError(f"{delete} comes with the program and cannot be deleted.")
        delete_prompt(_stem(available, method), delete)
    else:
        of_methods = [(m if p.fixed else p.method, p) for m in registry.names() for p in registry.find(m).prompts()]
        every = [*of_methods, *((task, p) for task in TASKS for p in offered(task))]
        listed = [(method, p) for p in available.values()] if method else every
        once = {(owner, p.name): p for owner, p in listed}
        show(terminal.table(("method", "prompt", "what it is"), [(owner, name, p.about) for (owner, name), p in once.items()]))
    return DONE


def _of(method: str) -> tuple[PromptFile, ...]:
    if method not in (every := (*TASKS, *registry.names())) and registry.current(method) not in every:
        raise DataError(f"There is no method or task {method[:40]!r}; {instead(method, every)}.")
    available = offered(method) if method in TASKS else registry.load(method).prompts()
    if not available:
        raise DataError(f"{method} asks no chat model by a prompt.")
    return available


def _stem(available: dict[str, PromptFile], method: str) -> str:
    first = next(iter(available.values()))
    if first.fixed:
        raise DataError(f"{method} has a message of its own, which stays as it was published.")
    return first.method


def _named(available: dict[str, PromptFile], name: str) -> PromptFile:
    if name not in available:
        raise DataError(f"There is no prompt {name[:40]}; there are {', '.join(available)}.")
    return available[name]
