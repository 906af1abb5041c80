"""A ledger in a thread of this process, reached as from other processes of a cluster, without Ray."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.grounding.sharded.ledger import Ask, Ledger


@contextmanager
def ledger(out: Path, limits: Limits = NO_LIMITS, start: str = "") -> Iterator[Ask]:
    """Run a ledger until the block ends; gives what reaches it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    held = Ledger(str(out), str(out / "replies.sqlite"), limits, start or uuid4().hex)

    def ask(method: str, *values: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(getattr(held, method)(*values), loop).result()

    try:
        yield ask
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        held.close()
