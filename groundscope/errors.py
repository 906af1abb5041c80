"""Errors of the project: one small tree, so that callers can catch all of it or one branch."""


class GroundscopeError(Exception):
    """Base of every error that Groundscope raises on purpose."""


class DataError(GroundscopeError):
    """A file or a row of data cannot be used. The message never quotes the data."""


class ScorerUnavailable(GroundscopeError):
    """A method lacks weights, a key or a package. The message is one sentence that says what to do."""


class OutOfMemory(ScorerUnavailable):
    """There is not enough memory to load the weights now; the weights themselves may be fine."""


class ModelUnavailable(ScorerUnavailable):
    """A chat model cannot be used or did not answer. The message quotes neither the case nor a key."""


class BudgetSpent(GroundscopeError):
    """The budget does not cover the next call: the run stops here and can be resumed later."""


class Cancelled(GroundscopeError):
    """The user cancelled a running score; raised between two batches."""


class StoreError(GroundscopeError):
    """Runs cannot be read or written. The message says what to do; saved results are not lost."""


class NotSavedYet(StoreError):
    """The database does not answer: what was to be written is not saved, and can be once it is back."""


class ChangedMeanwhile(StoreError):
    """Someone else wrote since the writer looked; nothing was written."""
