"""Cost estimate of a job before it starts: calls, money, and where texts go."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundscope.chat.messages import ChatModel, Prompt, estimate_prompts
from groundscope.text.humanize import plural

UNPRICED = (
    "The price of a model is not known. Enter it under Prices on the Methods page, which keeps it in prices.csv of the data "
    "folder; until then a limit in dollars stops its calls."
)
"""Said before a job whose cost is not known."""
THIS_MACHINE = frozenset({"", "localhost", "127.0.0.1", "::1"})


class CostEstimate(NamedTuple):
    """What one part takes: empty `address` = texts stay on this machine; `missing` = why it cannot be used, and what to do."""

    title: str
    calls: int = 0
    dollars: float | None = 0.0
    address: str = ""
    missing: str = ""
    unit: str = "call"
    again: int = 0
    tokens: int = 0
    seconds: float | None = None
    note: str = ""

    def times(self, count: float) -> "CostEstimate":
        """What the same takes so many times."""
        calls, again, tokens = (round(count * number) for number in (self.calls, self.again, self.tokens))
        dollars, seconds = (None if number is None else count * number for number in (self.dollars, self.seconds))
        return self._replace(calls=calls, again=again, tokens=tokens, dollars=dollars, seconds=seconds)

    @property
    def leaves(self) -> str:
        """The host that texts go to where it is not this machine; empty = they stay here."""
        return "" if self.address in THIS_MACHINE else self.address

    @property
    def unpriced(self) -> bool:
        """Whether it can be used here, and no price is known for what it sends."""
        return bool(self.calls) and self.dollars is None and not self.missing

    @property
    def limited(self) -> bool:
        """Whether it sends what a limit can stop: calls to a chat model, or texts to another machine."""
        return bool(self.calls) and (self.unit == "call" or bool(self.leaves))

    @property
    def amount(self) -> str:
        """How many calls or texts, in words."""
        if self.again:
            return f"{self.calls:,} to {plural(self.calls + self.again, self.unit)}"
        return plural(self.calls, self.unit)


def lacking(takes: Iterable[CostEstimate]) -> list[str]:
    """Say of all parts that cannot be used here why, once for those that lack the same."""
    titles: dict[str, list[str]] = {}
    for part in takes:
        if part.missing:
            titles.setdefault(part.missing, []).append(part.title)
    return [f"{', '.join(those)}: {why}" for why, those in titles.items()]


def of_prompts(title: str, model: ChatModel, times: int, *prompts: Prompt, again: int = 0) -> CostEstimate:
    """Work out what the calls of one part take at most."""
    if missing := model.unavailable():
        return CostEstimate(title, times, None, "", missing)
    prices = [model.most(prompt) for prompt in prompts]
    dollars = None if None in prices else times * sum(p for p in prices if p is not None)
    return CostEstimate(title, times, dollars, model.address, again=again)


def of_each(title: str, model: ChatModel, prompts: Sequence[Prompt], again: int = 0) -> CostEstimate:
    """Work out what a part takes that sends each of some prompts once."""
    if missing := model.unavailable():
        return CostEstimate(title, len(prompts), None, "", missing)
    estimate = estimate_prompts(model, prompts)
    return CostEstimate(
        title, estimate.calls, estimate.dollars, model.address, again=again, tokens=estimate.input + estimate.output
    )
