"""Cost of calls, of chat models and of embedders: from the table of prices, and recorded for tries that failed."""

from collections.abc import Callable

from groundscope.chat.budget import CallCost
from groundscope.chat.messages import Usage
from groundscope.chat.prices import price_of
from groundscope.errors import DataError, ModelUnavailable
from scorers._chat.faults import Passing
from scorers._chat.transport import is_own_network


def cost_of(usage: Usage, model: str, address: str) -> float | None:
    """Work out the cost of the tokens of one call.

    Raises:
        ModelUnavailable: the user's table of prices cannot be read.
    """
    try:
        price = price_of(model, usage.input + usage.cache_read + usage.cache_write)
    except DataError as error:
        raise ModelUnavailable(f"The table of prices cannot be used, so nothing was sent: {error}") from None
    if price is None:
        return 0.0 if address and is_own_network(address) else None
    return price.of(usage)


def settle(spent: CallCost, fault: Exception, most: float | None, price: Callable[[Usage], float | None]) -> None:
    """Record the cost of a try without a usable answer: at most `most` (None = not known), or `price` of the tokens it stated."""
    if not isinstance(fault, Passing) or fault.crowded:
        return
    if fault.usage is not None:
        spent.answered(fault.usage.total, price(fault.usage))
    elif fault.billed:
        spent.unanswered(most)
    else:
        spent.refused()
