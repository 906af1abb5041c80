"""The project's errors: one small tree, so that a caller can catch all of it or one branch."""


class GroundscopeError(Exception):
    """Base of every error that Groundscope raises on purpose."""


class DataError(GroundscopeError):
    """A file or a row of data cannot be used. The message never quotes the data."""


class ScorerUnavailable(GroundscopeError):
    """A scorer lacks weights, a key or a package. The message is one sentence with the mend."""


class OutOfMemory(ScorerUnavailable):
    """Weights are here, and may be right, but there is not enough memory to load them now."""


class ModelUnavailable(ScorerUnavailable):
    """A chat model cannot be asked, or did not answer. The message quotes neither the case nor a key."""


class BudgetSpent(GroundscopeError):
    """The run's budget does not cover the next call: the run stops here and can go on later."""


class Cancelled(GroundscopeError):
    """The user cancelled a running score; raised between two batches."""


class StoreError(GroundscopeError):
    """Runs cannot be read or written. The message is a sentence with the mend; nothing that was kept is lost."""
