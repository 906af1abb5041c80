"""Groundscope from a shell: `python -m groundscope --help`."""

import argparse
import io
import math
import os
import sys
from collections.abc import Sequence
from concurrent.futures import wait
from importlib import import_module

from evaluation.default_methods import DEFAULTS, EMBEDDER

HEAD_START = 3.0
"""Seconds that the model may load before the server opens: the first click then finds it ready, or nearly."""

_PAGES = ("components.heatmap", "components.cases", "components.overview", "pandas")

_ABOUT = """Where does an answer stand on its sources? Judge cases by many methods, tune on one split, read another.

A first run:  python -m groundscope run
and then:     python -m groundscope tune RUN --freeze first && python -m groundscope report RUN --rules first --split test

RUN is a run's id (`python -m groundscope runs` lists them) or the folder of an exported run. `VERB --help` tells more.
Exit codes: 0 done, 2 nothing was done (standard error says why), 3 stopped, can be resumed."""

_ABOUT_RUN = """Before anything begins it tells calls, cost and time. Every judgement is kept as it comes: Ctrl-C stops the run,
and --resume goes on with it. Progress goes to standard error; standard output gets the folder of the finished run's files."""

_ABOUT_COMPARE = """Differences are B less A, with 95 % intervals by the paired bootstrap over queries and p by McNemar's test;
they are shown where both runs judged the same responses."""

_ABOUT_FINETUNE = """Learns from train, is steered by dev, and never touches test. Ctrl-C stops it; the same command goes on.
The model appears as the method grounding_classifier:NAME; its folder has a model card. The recipe `paper` is that of Trautmann
et al. 2024, section 5.4; `evidence` joins the four nearest context sentences and learns from all labelled sentences and from
legal edits. Each part of a recipe can be set by itself."""

_ABOUT_ENSEMBLE = """Fits a logistic regression over the methods' supports and the figures, names and negations that differ, on
the sentences of train; tunes its threshold on dev. It appears as the method ensemble:NAME."""

_ABOUT_RAG_RUN = """Experiments are begun on the Legal RAG page, where it is shown what they take and where texts go."""

_ABOUT_RAG_DROP = """The question is answered and judged again with all passages, then without each one."""

_ABOUT_RAG = """Needs embedding_model, generative_model, question_id, correct and grounded in each row, and
relevant_passage_in_context to tell retrieval errors from reasoning errors."""

_METHODS = f"method ids (default: those of {', '.join(DEFAULTS)} that can run here)"
_RUN = "a run's id, the name of one that comes with the app, or the folder of an exported run"


def app(arguments: Sequence[str]) -> int:
    """Start the app with the first model loading meanwhile; the arguments go to Streamlit."""
    from components import scoring

    loading = scoring.warm()
    for module in _PAGES:
        import_module(module)
    from streamlit.web import cli

    wait([loading.future], timeout=HEAD_START)
    return int(cli.main(["run", "app.py", *arguments], standalone_mode=False) or 0)


def parser() -> argparse.ArgumentParser:
    """Verbs and their options."""
    top = argparse.ArgumentParser(
        "python -m groundscope", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(name: str, words: str, more: str = "") -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}. {more}".strip())

    verbs.add_parser("app", help="start the app; options go to Streamlit", add_help=False)
    _run(verb("run", "judge cases by methods, or go on with a stopped run", _ABOUT_RUN))
    verb("runs", "list all runs and how far they are")
    verb("methods", "list all methods and whether they can run here")
    export = verb("export", "write a finished run as Parquet files with a manifest", "Nothing is ever overwritten.")
    export.add_argument("run", metavar="RUN", help="a run's id")
    export.add_argument("--out", metavar="DIR", required=True, help="a new folder")
    _tune(verb("tune", "find each method's threshold on a split", "Without --freeze or --out they are shown and not kept."))
    report = verb("report", "show the results table: Markdown, HTML, LaTeX or CSV")
    report.add_argument("run", metavar="RUN", help=_RUN)
    _reading(report)
    report.add_argument(
        "--format", choices=("markdown", "html", "latex", "csv"), default="markdown", help="(default: %(default)s)"
    )
    report.add_argument("--out", metavar="FILE", help="write it there instead of to standard output")
    compare = verb("compare", "compare two runs, method by method", _ABOUT_COMPARE)
    compare.add_argument("run", metavar="RUN", help=_RUN)
    compare.add_argument("other", metavar="OTHER", help="the other one")
    _reading(compare)
    _fit_ensemble(verb("fit-ensemble", "weigh several methods together on labelled cases", _ABOUT_ENSEMBLE))
    _finetune(verb("finetune", "train a grounding classifier on labelled cases", _ABOUT_FINETUNE))
    _rag_run(verb("rag-run", "go on with an experiment on retrieval-augmented generation", _ABOUT_RAG_RUN))
    _rag_drop(verb("rag-drop", "find which passage carries an answer of an experiment", _ABOUT_RAG_DROP))
    _rag_report(verb("rag-report", "analyse results of retrieval-augmented generation", _ABOUT_RAG))
    return top


def _run(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--cases", metavar="FILE", nargs="+", help="files of cases; without them the sample set")
    add("--methods", metavar="A,B", help=_METHODS)
    add("--scores", metavar="FILE", nargs="+", help="scores exported by Ragas, DeepEval, TruLens or Phoenix, as further methods")
    add("--split", help="only the cases of this split: train, dev or test")
    add("--limit", metavar="N", type=_positive, help="at most so many cases")
    add("--set", metavar="METHOD.NAME=VALUE", action="append", help="a parameter of a method; can be given again")
    add("--model", metavar="SPEC", help="the chat model for methods that ask one, such as anthropic:NAME or server:NAME@ADDRESS")
    add("--calls", metavar="N", type=_positive, help="stop before more calls than this")
    add("--dollars", metavar="X", type=_amount, help="stop before more US dollars than this")
    add("--batches", action="store_true", help="ask through the provider's batches: half the price, within a day, no latency")
    add("--no-keep", action="store_true", help="do not keep the replies of chat models on disk")
    add("--yes", action="store_true", help="send texts to the addresses shown without asking")
    add("--name", help="what the run is called")
    add("--out", metavar="DIR", help="a new folder for the finished run's files (default: beside the store)")
    add("--resume", metavar="RUN", help="go on with this run; what to judge by what stays as it was")
    add("--retry-failed", action="store_true", help="with --resume: judge again what failed")
    add("--quiet", action="store_true", help="no progress")
    add("--with-parent", action="store_true", help="stop when standard input closes: for programs that start this one")


def _tune(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("run", metavar="RUN", help=_RUN)
    add("--split", help="tune on this split (default: each method's own: dev, or train for SelfCheckGPT)")
    add("--missed", metavar="R", type=_amount, help="a missed error costs R false alarms (default: the best macro-F1)")
    add("--how", metavar="A,B", default="own,min,mean", help="ways to make a response's support: own, min, mean, share_below")
    add("--freeze", metavar="NAME", help="keep the thresholds under this name; they can then be read on the test split")
    add("--out", metavar="FILE", help="write the thresholds there as JSON instead, named by --freeze or after the run")


def _fit_ensemble(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--cases", metavar="FILE", nargs="+", help="files of labelled cases; without them the sample set")
    add("--name", required=True, help="what the ensemble is called: small letters, figures, hyphens")
    add("--methods", metavar="A,B", help=_METHODS)
    add("--split", default="train", help="the split to fit on (default: %(default)s); test is refused")
    add("--out", metavar="FILE", help="write it there instead of where the app finds it")
    add("--replace", action="store_true", help="put it in the place of the one of this name")
    add("--quiet", action="store_true", help="no progress")


def _finetune(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--cases", metavar="FILE", nargs="+", help="files of labelled cases; without them the sample set")
    add("--name", required=True, help="what the model is called: small letters, figures, hyphens")
    add("--split", default="train", help="the split to learn from (default: %(default)s); test is refused")
    add("--base", default="minilm", help="minilm, a folder, or the hub id of an encoder that is here (default: %(default)s)")
    add("--recipe", choices=("paper", "evidence"), default="paper", help="(default: %(default)s)")
    add("--evidence", metavar="K", type=_positive, help="context sentences joined as evidence")
    add("--labels", choices=("cosine", "smoothed"), help="cosine and 1 - cosine, or 1 - smoothing and smoothing")
    add("--smoothing", type=float, default=0.1, metavar="X", help="of smoothed labels (default: %(default)s)")
    add("--scope", choices=("changed", "all"), help="sentences that differ from the parent's, or all labelled ones")
    add("--edits", metavar="N", type=int, help="variants of each grounded response by the legal edit operators")
    add("--pairs", metavar="FILE", nargs="+", help="JSON lines of evidence, statement and label, as further pairs")
    add("--teacher", metavar="RUN/METHOD", help="learn also from a method's supports in a run of these cases")
    add("--embedder", metavar="METHOD", default=EMBEDDER, help="finds the evidence; the paper's is cos_sim")
    add("--epochs", type=_amount, default=3.0, metavar="X", help="(default: 3)")
    add("--batch", type=_positive, default=16, metavar="N", help="(default: %(default)s)")
    add("--rate", type=_amount, default=2e-5, metavar="X", help="learning rate (default: %(default)s)")
    add("--longest", type=_positive, default=256, metavar="N", help="tokens of a pair (default: %(default)s)")
    add("--patience", type=_positive, default=3, metavar="N", help="evaluations without a gain before it stops")
    add("--frozen-embeddings", action="store_true", help="leave the word embeddings as they are: faster")
    add("--seed", type=int, default=0, metavar="N", help="(default: %(default)s)")
    add("--out", metavar="DIR", help="a new folder for the model (default: where the app finds it)")
    add("--discard", action="store_true", help="remove a model or an unfinished training of this name first")
    add("--quiet", action="store_true", help="no progress")
    add("--with-parent", action="store_true", help="stop when standard input closes: for programs that start this one")


def _rag_run(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("experiment", metavar="EXPERIMENT", help="its id")
    _rag_limits(verb)


def _rag_drop(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("experiment", metavar="EXPERIMENT", help="its id")
    for name, words in (("retriever", "place of the embedder"), ("generator", "of the model"), ("question", "of the question")):
        verb.add_argument(f"--{name}", metavar="N", type=_place, required=True, help=f"{words}, from 0")
    _rag_limits(verb)


def _rag_limits(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--calls", metavar="N", type=_positive, help="stop before more calls than this")
    add("--dollars", metavar="X", type=_amount, help="stop before more US dollars than this")
    add("--quiet", action="store_true", help="no progress")
    add("--with-parent", action="store_true", help="stop when standard input closes: for programs that start this one")


def _rag_report(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("results", metavar="RESULTS", help="a file of answers with verdicts: JSONL, JSON, CSV or Parquet")
    add("--baseline-embedder", metavar="X", help="what embedders are compared with (default: the paper's, or the first)")
    add("--baseline-llm", metavar="Y", help="what models are compared with (default: the paper's, or the first)")
    add("--json", action="store_true", help="everything as JSON, shares 0 to 1")


def _reading(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--rules", metavar="NAME", help="frozen thresholds (default: the thresholds that methods start with)")
    verb.add_argument("--split", help="only responses of this split; none: those without one (default: all labelled ones)")


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return number


def _place(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, got {text!r}")
    return int(text)


def _amount(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text!r}")
    return number


def main(arguments: list[str]) -> int:
    """Run a verb and give the exit code."""
    if arguments[:1] == ["app"]:
        return app(arguments[1:])
    for stream in (sys.stdout, sys.stderr):
        # Not every terminal knows every character; no result is lost to that.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    given = parser().parse_args(arguments)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from commands import compare, finetune, fit_ensemble, rag, reading, run
    from commands.terminal import REFUSED, say
    from evaluation.errors import GroundscopeError

    verbs = {
        "app": lambda _: app([]),
        "run": run.run,
        "compare": compare.compare,
        "finetune": finetune.run,
        "fit-ensemble": fit_ensemble.run,
        "rag-run": rag.rag_run,
        "rag-drop": rag.rag_drop,
        "rag-report": rag.rag_report,
        **reading.VERBS,
    }
    try:
        return verbs[given.verb](given)
    except (GroundscopeError, ValueError) as error:
        say(str(error))
    except KeyboardInterrupt:
        say("Stopped; nothing was done.")
    return REFUSED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
