"""What was found about a sentence, in sentences and as a table with bars. Pure: no streamlit."""

from collections.abc import Iterator, Sequence

from groundscope.drawing.html import Html, region, safe, table, tag
from groundscope.drawing.reader import passage_name
from groundscope.grounding.sensitivity.carriers import SentenceCarriers, turned
from groundscope.grounding.sensitivity.leave_one_out import SMALL, WHOLE, Ablation, LeaveOneOut, stands_on_nothing
from groundscope.grounding.sensitivity.smallest import FoundSet, Minimality
from groundscope.text.sentences import context_sentences, sentence_id
from groundscope.types import Case

_HOW_SMALL = {
    Minimality.SMALLEST: "Every smaller set was tried.",
    Minimality.IRREDUCIBLE: "None of these can be left out; a smaller set of others may exist.",
    Minimality.UNFINISHED: "The search ended here; fewer may do.",
}
_SHORT = 300


def support_words(support: float | None, threshold: float | None) -> str:
    """A support and which side of the threshold it is on."""
    if support is None:
        return "no support"
    side = "" if threshold is None else ", below the threshold" if support < threshold else ", above the threshold"
    return f"{support:.2f}{side}"


def lead(case: Case, found: LeaveOneOut, own: SentenceCarriers) -> list[str]:
    """What carries the sentence, in sentences."""
    i, threshold = own.sentence, own.threshold
    if own.support is None:
        return [found.full.note or "This method gives this sentence no support, so nothing carries it."]
    said = [_on_nothing(found, own)] if i in stands_on_nothing(found, threshold) else []
    flips = [p for p, a in found.sources.items() if turned(own.support, a.of(i), threshold)]
    if threshold is None:
        said.append("No threshold is set for this method, so there is no verdict to keep.")
    elif own.support < threshold:
        lifted = f"It would be above without {numbered('source', flips)}." if flips else "Without any one source it stays there."
        said.append(f"It is below the threshold with all sources. {lifted}")
    elif own.falls and own.falls.members:
        said.append(_falls(own.falls, flips))
    elif flips:
        said.append(_falls_without(flips))
    elif not said:
        said.append("Without any one source it stays above the threshold.")
    if own.keeps and own.keeps.members:
        said.append(_keeps(own.keeps))
    return said


def _keeps(keeps: FoundSet) -> str:
    if len(keeps.members) == 1:
        return "One context sentence is enough to keep it above the threshold."
    enough = f"{len(keeps.members):,} context sentences together are enough to keep it above the threshold."
    return f"{enough} {_HOW_SMALL[keeps.minimality]}"


def _on_nothing(found: LeaveOneOut, own: SentenceCarriers) -> str:
    without = found.nothing.of(own.sentence) if found.nothing else None
    gets = f"with an unrelated text in place of all sources it gets {support_words(without, own.threshold)}"
    if own.keeps is not None and not own.keeps.members:
        each = ", and each source alone is enough, too" if found.alone else ""
        return f"Its support does not come from these sources: {gets}{each}."
    return f"The sources add nothing to its support: {gets}."


def _falls(falls: FoundSet, flips: Sequence[int]) -> str:
    if len(falls.members) == 1:
        return _falls_without(flips or falls.members)
    if falls.minimality is Minimality.UNFINISHED:
        group = f"a group of {len(falls.members):,} sources"
        return f"It falls below the threshold when {group} is left out; the search for a smaller one ended there."
    both, stays = ("both", "either") if len(falls.members) == 2 else ("all", "any one")
    group = numbered("source", falls.members)
    return f"It falls below the threshold when {group} are {both} left out, and stays above when {stays} of them is kept."


def _falls_without(any_of: Sequence[int]) -> str:
    each = "any one of " if len(any_of) > 1 else ""
    return f"It falls below the threshold when {each}{numbered('source', any_of)} is left out."


def numbered(noun: str, indices: Sequence[int]) -> str:
    """Things by their numbers: `sources 1, 3 and 4`."""
    numbers = [str(i + 1) for i in sorted(indices)]
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    return f"{noun}s {', '.join(numbers[:-1])} and {numbers[-1]}"


def kept(case: Case, own: SentenceCarriers) -> list[Html]:
    """The context sentences that keep the verdict, each with its name and text."""
    units = context_sentences(case.context)
    found = []
    for j in sorted(own.keeps.members) if own.keeps else ():
        p, start, end = units[j]
        name = f"{sentence_id(case.context, p, start)}, {passage_name(case, p)}: "
        found.append(Html(tag("b", name) + tag("q", _short(case.context[p].text[start:end]), dir="auto")))
    return found


def of_all(found: LeaveOneOut, threshold: float | None) -> list[str]:
    """What holds for the whole answer: sources that it does not use, sentences that stand on nothing, and what was not tried."""
    said = []
    sentences = f"any sentence's support by more than {SMALL}"
    if found.unused:
        together = " together" if len(found.unused) > 1 else ""
        leaving = f"Leaving {'them' if together else 'it'} out{together}"
        said.append(f"Not used: {numbered('source', found.unused)}. {leaving} does not change {sentences}.")
    if found.interchangeable:
        said.append(
            f"Replaceable: {numbered('source', found.interchangeable)}. Leaving one out alone does not change {sentences}; "
            "leaving it out with other such sources does."
        )
    nothing = [i for i in stands_on_nothing(found, threshold) if i != WHOLE]
    if nothing:
        said.append(f"Standing on nothing in these sources: {numbered('sentence', nothing)}.")
    return [*said, *found.notes]


def bars(case: Case, found: LeaveOneOut, own: SentenceCarriers) -> Html:
    """A line for all sources, for each one that is left out with its sentences that matter, and for none."""
    alone = bool(found.alone)
    heads = ("Left out", "Support without", "", *(["It alone"] if alone else []))
    lines = [_line("nothing", found.full, own, alone=alone)]
    for p, without in found.sources.items():
        name = Html(f"{tag('b', f'source {p + 1}')} {tag('span', passage_name(case, p), dir='auto')}")
        lines.append(_line(name, without, own, found.alone.get(p), alone=alone))
        lines += [_line(text, one, own, alone=alone) for text, one in _sentences(case, found, own, p)]
    if found.nothing:
        lines.append(_line("all sources: an unrelated text in their place", found.nothing, own, alone=alone))
    return region("Support without each source", table(heads, lines, css="gs-counts gs-without"))


def _sentences(case: Case, found: LeaveOneOut, own: SentenceCarriers, source: int) -> Iterator[tuple[Html, Ablation]]:
    """The sentences of a source without which the support is another."""
    units = context_sentences(case.context)
    if sum(unit.passage == source for unit in units) < 2:
        return
    for j, without in found.sentences.items():
        p, start, end = units[j]
        after = without.of(own.sentence)
        if p == source and (after is None or own.support is None or abs(after - own.support) > SMALL):
            text = tag("q", _short(case.context[p].text[start:end]), dir="auto")
            yield tag("span", f"{sentence_id(case.context, p, start)} ", text, class_="gs-inner"), without


def _line(name: str, without: Ablation, own: SentenceCarriers, only: Ablation | None = None, *, alone: bool) -> list[str]:
    support = without.of(own.sentence)
    words = support_words(support, own.threshold)
    tone = "turned" if turned(own.support, support, own.threshold) else ""
    shown = tag("b", words) if tone else safe(words if support is not None else without.note or words)
    last = [support_words(only.of(own.sentence), None) if only else ""] if alone else []
    return [name, _bar(support, own.threshold, tone), shown, *last]


def _bar(support: float | None, threshold: float | None, tone: str) -> Html:
    """Read by the figure beside it, so hidden from screen readers."""
    mark = tag("i", style=f"left:{100 * threshold:.1f}%") if threshold is not None else Html()
    width = 0.0 if support is None else 100 * support
    fill = tag("span", class_=tone, style=f"width:{width:.1f}%")
    return tag("div", fill, mark, class_="gs-bar", aria_hidden="true")


def _short(text: str) -> str:
    words = " ".join(text.split())
    return f"{words[:_SHORT]}…" if len(words) > _SHORT else words
