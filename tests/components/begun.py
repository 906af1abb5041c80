"""Jobs of each kind that are begun and not worked on."""

from groundscope.arguments import loading, runs
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.types import Test
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments.listing import Kind
from groundscope.rag import experiments
from groundscope.rag.planning import planned
from tests.groundscope.rag.parts import BENCHMARK


def experiment(limits: Limits = NO_LIMITS) -> tuple[Kind, str]:
    plan = planned("Mine", ["bm25"], ["similar"], "offline:overlap", 2)
    return experiments.KIND, experiments.create(plan, BENCHMARK, limits)


def arguments(limits: Limits = NO_LIMITS) -> tuple[Kind, str]:
    plan = loading.planned("Mine", TRADE_SECRETS, [f"{loading.BUILT_IN}faithful"], ["plain"], "")
    return runs.KIND, runs.create(plan, make_all(TRADE_SECRETS, list(Test), 2, [5], 0), limits=limits)
