"""A method that an installed package brings: a variant for each state that a judgement can have."""

from dataclasses import dataclass

from groundscope.methods import About, Method
from groundscope.types import Case, Judgement, Status

PLAIN = False
VARIANTS = {name: {"state": name} for name in ("abstained", "invalid", "failed", "raises", "whole", "unlimited", "missing")}


@dataclass(frozen=True)
class States(Method):
    """Gives a state.

    Attributes:
        state: which one.
    """

    state: str = "failed"

    @property
    def signature(self) -> str:
        return f"states|state={self.state}"

    @property
    def about(self) -> About:
        return About(title="States", measures="Nothing.", threshold=None if self.state == "unlimited" else 0.5)

    def unavailable(self) -> str:
        return "It needs weights; get them on the methods page." if self.state == "missing" else ""

    def score(self, case: Case) -> Judgement:
        if self.state == "raises":
            raise RuntimeError("out of order")
        if self.state in ("whole", "unlimited"):
            return Judgement(Status.SCORED, 0.25 if "gold" in case.response else 0.75)
        return Judgement(Status(self.state), note="The reason stands here.")
