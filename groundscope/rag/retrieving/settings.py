"""Settings of retrieval that an experiment varies, as ids: k, size of pieces, reranker, and the relevant passage given.

An id is that of a retriever after its settings: `k=3,size=128,rerank=similar,oracle|bm25`; without settings it is the retriever's
own. To the analysis each combination of settings is an embedder of its own, so they are compared question by question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from urllib.parse import quote, unquote

from groundscope.rag.types import Hit

_SETTINGS = re.compile(r"(?:(?:k|size)=\d{1,6}|rerank=[^,|]+|oracle)(?:,(?:(?:k|size)=\d{1,6}|rerank=[^,|]+|oracle))*")


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """A retriever with its settings; an answer is written from `k` passages, 0 = as many as the experiment says.

    Passages are cut into pieces of `size` tokens before they are searched, 0 = they are not. `reranker` is the id of what orders
    again what was found, as `groundscope.rag.loading` has it; empty = nothing does.
    """

    first: str
    k: int = 0
    size: int = 0
    reranker: str = ""
    oracle: bool = False

    @property
    def id(self) -> str:
        """The id of the part."""
        options = [f"k={self.k}"] * bool(self.k) + [f"size={self.size}"] * bool(self.size)
        options += [f"rerank={quote(self.reranker, safe=':/')}"] * bool(self.reranker) + ["oracle"] * self.oracle
        return f"{','.join(options)}|{self.first}" if options else self.first

    def signature(self, retriever: str) -> str:
        """Add to a retriever's signature what is done with its hits: how many are read, and which are given."""
        return retriever + f"|k={self.k}" * bool(self.k) + "|relevant passages first" * self.oracle

    def title(self, first: str, reranker: str) -> str:
        """Name the retriever with its settings for people, by the titles of its retriever and of what orders again."""
        parts = [first, f"pieces of {self.size} tokens" * bool(self.size), f"reranked by {reranker}" * bool(self.reranker)]
        parts += ["relevant passage given" * self.oracle, f"k = {self.k}" * bool(self.k)]
        return ", ".join(filter(None, parts))


def settings_of(part: str) -> RetrievalSettings:
    """Read an id; every text is one, since what stands before the settings is checked where the retriever is built."""
    head, bar, first = part.partition("|")
    if not bar or not _SETTINGS.fullmatch(head):
        return RetrievalSettings(part)
    values = {name: value for name, _, value in (one.partition("=") for one in head.split(","))}
    numbers = {name: int(values[name]) for name in ("k", "size") if name in values}
    return RetrievalSettings(first, **numbers, reranker=unquote(values.get("rerank", "")), oracle="oracle" in values)


def titled(title: str) -> RetrievalSettings:
    """Read what `RetrievalSettings.title` wrote."""
    rest, k = _number(title, ", k = ", "")
    oracle = rest.endswith(_GIVEN)
    first, bar, by = rest.removesuffix(_GIVEN).rpartition(", reranked by ")
    first, size = _number(first if bar else by, ", pieces of ", " tokens")
    return RetrievalSettings(first, k, size, by if bar else "", oracle)


_GIVEN = ", relevant passage given"


def _number(title: str, before: str, after: str) -> tuple[str, int]:
    """What stands before a number at the end of a title, and the number; 0 where there is none."""
    rest, separator, number = title.removesuffix(after).rpartition(before)
    counts = separator and title.endswith(after) and len(number) < 7 and number.isascii() and number.isdecimal()
    return (rest, int(number)) if counts and not number.startswith("0") else (title, 0)


def crossed(
    retrievers: Sequence[str],
    ks: Sequence[int] = (),
    sizes: Sequence[int] = (),
    rerankers: Sequence[str] = (),
    *,
    oracle: bool = False,
) -> list[str]:
    """Cross retrievers with what varies."""
    if any(k < 1 for k in ks) or any(size < 0 for size in sizes):
        raise ValueError(f"k must be at least 1 and a size of pieces at least 0, got {[*ks, *sizes]}")
    several = dict.fromkeys(ks) if len(set(ks)) > 1 else (0,)
    varied = product(retrievers, sizes or (0,), rerankers or ("",), (False, True) if oracle else (False,), several)
    settings = (RetrievalSettings(first, k, size, reranker, given) for first, size, reranker, given, k in varied)
    return list(dict.fromkeys(one.id for one in settings))


def given_first(hits: Sequence[Hit], relevant: Sequence[int], k: int) -> list[Hit]:
    """Put the relevant passages before what was found for a question."""
    best = hits[0].score if hits else 1.0
    return [*(Hit(i, best) for i in relevant), *(h for h in hits if h.passage not in set(relevant))][: max(k, len(relevant))]
