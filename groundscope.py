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

_ABOUT_RAG_NEW = """Every embedder finds passages for every question, every model answers from them, and a judge says what is
correct and grounded. What it takes and where texts go is told first. All is kept as it comes: Ctrl-C stops it, and rag-run goes
on."""

_ABOUT_RAG_RUN = """Experiments are begun by rag-new or on the Legal RAG page."""

_ABOUT_RAG_DROP = """The question is answered and judged again with all passages, then without each one."""

_ABOUT_RAG = """Needs embedding_model, generative_model, question_id, correct and grounded in each row, and
relevant_passage_in_context to tell retrieval errors from reasoning errors."""

_ABOUT_CITATIONS = """Needs reference and generated in each row, and perhaps id, system and rating. The texts stay on this machine
unless an embedder or model elsewhere is named."""

_ABOUT_ARGUMENTS_SCENARIOS = """Arguable triples share factors with both precedents, reordered ones are the same with
the precedents swapped, non-arguable ones share none. The same options give the same scenarios."""

_ABOUT_ARGUMENTS_RUN = """Without RUN a new one begins, and it is told first what it takes. Arguers are the
built-in faithful, invents, omits, misattributes and never-abstains, and chat models such as anthropic:NAME or
server:NAME@ADDRESS. Everything is kept as it comes."""

_ABOUT_ARGUMENTS = """A file needs model, argument and scenario in each row. Acc_H is hallucination accuracy, Rec_U
factor utilisation recall, after Zhang et al. 2025."""

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
    _rag_new(verb("rag-new", "begin an experiment on retrieval-augmented generation", _ABOUT_RAG_NEW))
    _rag_run(verb("rag-run", "go on with an experiment on retrieval-augmented generation", _ABOUT_RAG_RUN))
    _rag_drop(verb("rag-drop", "find which passage carries an answer of an experiment", _ABOUT_RAG_DROP))
    _rag_report(verb("rag-report", "analyse results of retrieval-augmented generation", _ABOUT_RAG))
    _citations(verb("citations", "score which authorities analyses cite, and for what: L-FRESCO, FRESCO", _ABOUT_CITATIONS))
    _arguments_scenarios(verb("arguments-scenarios", "make scenarios for 3-ply legal arguments", _ABOUT_ARGUMENTS_SCENARIOS))
    _arguments_run(verb("arguments-run", "have 3-ply legal arguments written, or go on with that", _ABOUT_ARGUMENTS_RUN))
    _arguments_report(verb("arguments-report", "analyse 3-ply legal arguments", _ABOUT_ARGUMENTS))
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


def _rag_new(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--corpus", metavar="FILE", help="passages: JSONL, JSON, CSV or Parquet (default: the sample set)")
    add("--questions", metavar="FILE", help="questions to it")
    add("--licence", metavar="NAME", help="of the data")
    add("--limit", metavar="N", type=_positive, help="at most so many questions, spread evenly over all")
    add("--embedders", metavar="A,B", default="bm25,minilm", help="bm25 and specs of embedders (default: %(default)s)")
    add("--models", metavar="A,B", help="similar, support:METHOD or chat:SPEC (default: those that need no key)")
    add(
        "--judge", metavar="ID",
        help="chat:SPEC, offline:METHOD, or offline:GROUNDED+CORRECT with a method for each (default: the best without a key)",
    )  # fmt: skip
    add("--k", metavar="N", type=_positive, default=5, help="passages that an answer is written from (default: %(default)s)")
    add("--name", help="what the experiment is called")
    add("--yes", action="store_true", help="send texts to the addresses shown without asking")
    _rag_out(verb)
    _rag_limits(verb)


def _rag_run(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("experiment", metavar="EXPERIMENT", help="its id")
    _rag_out(verb)
    _rag_limits(verb)


def _rag_out(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--out", metavar="FILE", help="a new file for the answers when all are there: JSONL, or packed as .jsonl.gz"
    )


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
    add("results", metavar="RESULTS", help="a file of answers with verdicts: JSONL, JSON, CSV or Parquet; or offline-pipelines")
    add("--baseline-embedder", metavar="X", help="what embedders are compared with (default: the paper's, or the first)")
    add("--baseline-llm", metavar="Y", help="what models are compared with (default: the paper's, or the first)")
    add("--json", action="store_true", help="everything as JSON, shares 0 to 1")


def _citations(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("analyses", metavar="FILE", help="a file of analyses: JSONL, JSON, CSV or Parquet")
    add(
        "--metric",
        choices=("best", "sum", "fresco", "points"),
        default="best",
        help="L-FRESCO by the best claim or the literal sum, FRESCO, or FRESCO of key points (default: %(default)s)",
    )
    add(
        "--b-sim",
        metavar="ID",
        default="rouge",
        help="rouge, cosine, cosine:EMBEDDER, entails:METHOD or chat:SPEC (default: %(default)s)",
    )
    add("--threshold", metavar="X", type=_share, help="claims match from this similarity on (default: the similarity's own)")
    add(
        "--c-sim",
        choices=("authority", "parts"),
        default="authority",
        help="of FRESCO: what makes citations alike (default: %(default)s)",
    )
    add("--floor", metavar="X", type=_share, help="of FRESCO: less alike is no match (default: 0.5, of key points 0.3)")
    add("--claim", choices=("last", "all"), default="last", help="of several sentences before a citation (default: %(default)s)")
    add("--subsections", action="store_true", help="subsections of a law are authorities of their own")
    add("--json", action="store_true", help="everything as JSON")
    add("--calls", metavar="N", type=_positive, help="stop before more calls than this")
    add("--dollars", metavar="X", type=_amount, help="stop before more US dollars than this")
    add("--quiet", action="store_true", help="no progress")


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {text!r}")
    return number


def _arguments_scenarios(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--number", metavar="N", type=_positive, default=30, help="scenarios of each test and complexity (default: %(default)s)")
    add("--complexity", metavar="K,L", default="5", help="each case has k - 1 to k + 1 factors (default: %(default)s)")
    add("--tests", metavar="A,B", default="arguable,reordered,non-arguable", help="(default: %(default)s)")
    add("--seed", metavar="N", type=_place, default=0, help="(default: %(default)s)")
    add("--catalogue", metavar="FILE", help="factors of another domain: a CSV of number, name, side, description")
    add("--out", metavar="FILE", help="write them there instead of to standard output")


def _arguments_run(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("run", metavar="RUN", nargs="?", help="the id of a run to go on with")
    add("--scenarios", metavar="FILE", help="scenarios as JSONL (default: 30 a test, complexity 5, seed 0)")
    add("--catalogue", metavar="FILE", help="factors of another domain: a CSV of number, name, side, description")
    add("--arguers", metavar="A,B", default="faithful", help="built-in arguers and chat models (default: %(default)s)")
    add("--wordings", metavar="A,B", default="plain", help="how the instruction to abstain is worded (default: %(default)s)")
    add("--extractor", metavar="SPEC", help="a chat model that extracts factors beside the exact extractor")
    add("--name", help="what the run is called")
    add("--yes", action="store_true", help="send texts to the addresses shown without asking")
    _rag_limits(verb)


def _arguments_report(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("arguments", metavar="ARGUMENTS", help="a run's id, or a file of arguments: JSONL, JSON, CSV or Parquet")
    add("--catalogue", metavar="FILE", help="factors of the file's scenarios, where it is not trade secrets")
    add("--extractor", choices=("exact", "model"), default="exact", help="whose extraction is counted (default: %(default)s)")
    add("--plaintiff-weight", metavar="X", type=_amount, help="of the plaintiff's factors in weighted recall")
    add("--defendant-weight", metavar="X", type=_amount, help="of the defendant's factors in weighted recall")
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
    from commands import arguments as argued
    from commands import arguments_report as reported
    from commands import citations, compare, finetune, fit_ensemble, rag, rag_new, rag_report, reading, run
    from commands.terminal import REFUSED, say
    from evaluation.errors import GroundscopeError

    verbs = {
        "app": lambda _: app([]),
        "run": run.run,
        "citations": citations.citations,
        "compare": compare.compare,
        "finetune": finetune.run,
        "fit-ensemble": fit_ensemble.run,
        "rag-new": rag_new.rag_new,
        "rag-run": rag.rag_run,
        "rag-drop": rag.rag_drop,
        "rag-report": rag_report.rag_report,
        "arguments-scenarios": argued.scenarios,
        "arguments-run": argued.run,
        "arguments-report": reported.arguments_report,
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
