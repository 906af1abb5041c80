"""A ledger in a thread of this process, reached as from other processes of a cluster, without Ray."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments.ledger import Ask, Ledger
from groundscope.experiments.store import JobFile


def ledger_file(out: Path) -> JobFile:
    """The file of a job, whose calls a ledger grants."""
    return JobFile(out / "job.sqlite")


@contextmanager
def ledger(out: Path, limits: Limits = NO_LIMITS) -> Iterator[Ask]:
    """Run a ledger until the block ends; gives what reaches it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    file = ledger_file(out)
    if file.path.exists():
        file.allow(limits.over(file.limits()))
    else:
        file.fill({}, {}, limits=limits)
    held = Ledger(str(file.path), str(out / "replies.sqlite"))

    def ask(method: str, *values: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(getattr(held, method)(*values), loop).result()

    try:
        yield ask
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
