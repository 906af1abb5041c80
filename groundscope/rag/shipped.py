"""The results that come with the app, so that the page opens with a picture.

They are those of a real run over the sample set, made by `make sample-rag`.
"""

from dataclasses import replace
from functools import lru_cache

from groundscope.errors import DataError
from groundscope.paths import ROOT
from groundscope.rag.records import RagResults, read_results

PATH = ROOT / "sample_data" / "rag" / "offline-pipelines.jsonl.gz"
NAME = "offline-pipelines"
TITLE = "Offline pipelines on the sample set"


@lru_cache(maxsize=1)
def shipped() -> RagResults | None:
    """Read the results that come with the app; they are read once."""
    try:
        data = PATH.read_bytes()
    except OSError:
        return None
    try:
        return replace(read_results(PATH.name, data), name=TITLE)
    except DataError:
        return None
