"""A published benchmark by its hub id: the datasets library against a real server on loopback, and every way that can fail."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groundscope.errors import DataError
from groundscope.rag.corpora import hub as _hub_data
from groundscope.rag.corpora.corpus import from_hub
from groundscope.rag.corpora.hub import Published
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Passage
from tests.groundscope.rag.dataset_hub import COMMIT, DatasetHub

ROOT = Path(__file__).resolve().parents[3]
ID = "isaacus/legal-rag-bench"
CARD = """---
license: cc-by-nc-4.0
configs:
- config_name: corpus
  data_files:
  - split: test
    path: CORPUS
- config_name: qa
  data_files:
  - split: test
    path: qa/test-*
---
The card.
"""


def card(corpus: str = "corpus/test-*", licence: str = "license: cc-by-nc-4.0") -> bytes:
    return CARD.replace("CORPUS", corpus).replace("license: cc-by-nc-4.0", licence).encode()


def parquet(**columns: list[str | None]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


CORPUS, QA = "corpus/test-00000-of-00001.parquet", "qa/test-00000-of-00001.parquet"


def repository() -> dict[str, bytes]:
    corpus = parquet(id=["1-c1-s1", "1-c1-s10"], title=["Duty", None], text=["One.", "Ten."], footnotes=["", None])
    qa = parquet(id=["q1"], question=["What?"], answer=["Ten."], relevant_passage_id=["1-c1-s10"])
    return {"README.md": card(), CORPUS: corpus, QA: qa}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DatasetHub]:
    """The hub that is asked; and where anybody else would be asked through, so that it would be heard."""
    with DatasetHub({ID: repository()}) as hub:
        for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_TOKEN", "HF_UPDATE_DOWNLOAD_COUNTS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {
            "HF_ENDPOINT": hub.url,
            "HF_HOME": str(tmp_path / "home"),
            "HTTP_PROXY": hub.url,
            "HTTPS_PROXY": hub.url,
            "NO_PROXY": "127.0.0.1",
        }.items():
            monkeypatch.setenv(name, value)
            monkeypatch.setenv(name.lower() if "PROXY" in name else name, value)
        yield hub


def refusal() -> str:
    """Why nothing is loaded: one sentence, whose last mend is local files."""
    with pytest.raises(DataError) as error:
        from_hub(ID)
    said = str(error.value)
    assert re.search(r"[;,](?: or)? load the files of its corpus and its questions from this machine instead\.$", said)
    assert not re.search(r"[.!?]\s", said)
    return said


def test_a_published_benchmark_is_loaded_with_its_licence_and_no_one_else_is_asked(hub: DatasetHub, tmp_path: Path) -> None:
    assert from_hub(ID) == Benchmark(
        ID,
        (Passage("1-c1-s1", "One.", "Duty"), Passage("1-c1-s10", "Ten.")),
        (Question("q1", "What?", "Ten.", ("1-c1-s10",)),),
        licence="cc-by-nc-4.0",
    )
    assert hub.others == []
    fetched = {path for path in hub.asked if path.endswith(".parquet")}
    assert fetched == {f"/datasets/{ID}/resolve/{COMMIT}/{name}" for name in (CORPUS, QA)}
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and p.read_bytes()]


def test_rows_may_be_json_lines(hub: DatasetHub) -> None:
    hub.repositories[ID] = {
        "README.md": card("c.jsonl").replace(b"qa/test-*", b"q.jsonl"),
        "c.jsonl": b'{"id": "a", "text": "One."}\n{"id": "b", "text": "Two."}\n',
        "q.jsonl": b'{"id": "q", "question": "Q?", "answer": "A.", "relevant_passage_id": ["a", "b"]}\n',
    }
    assert from_hub(ID).questions == (Question("q", "Q?", "A.", ("a", "b")),)


def test_a_folder_of_the_same_name_is_not_taken_for_it(hub: DatasetHub, tmp_path: Path) -> None:
    own = tmp_path / ID
    own.mkdir(parents=True)
    (own / "README.md").write_bytes(card("*").replace(b"qa/test-*", b"*"))
    (own / "own.parquet").write_bytes(parquet(id=["x"], text=["Local."]))
    command = [sys.executable, "-m", "groundscope.rag.corpora._hub_reader", ID, str(tmp_path)]
    caches = {name: str(tmp_path / name) for name in ("HF_HUB_CACHE", "HF_DATASETS_CACHE")}
    environment = {
        **os.environ,
        **caches,
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "PYTHONPATH": str(Path(__file__).resolve().parents[3]),
    }
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert json.loads(ended.stdout) == {"licence": "cc-by-nc-4.0"}
    assert "One." in (tmp_path / "corpus.jsonl").read_text()


@pytest.mark.parametrize(
    ("stated", "licence"),
    [
        ("license: [mit, apache-2.0]", "mit, apache-2.0"),
        ("license: other\nlicense_name: Crown\nlicense_link: https://crown", "Crown, https://crown"),
        ("tags: [legal]", ""),
    ],
)
def test_the_licence_is_what_the_card_states(hub: DatasetHub, stated: str, licence: str) -> None:
    hub.repositories[ID]["README.md"] = card(licence=stated)
    found = from_hub(ID)
    assert found.licence == licence
    assert found.problems == (
        () if licence else ("The data's card states no licence; ask its publisher before any use but research.",)
    )


def test_a_hub_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, hub: DatasetHub) -> None:
    hub.stop()
    assert refusal().startswith(f"The hub at {hub.url} cannot be reached from this machine; connect it, or load")


def test_offline_mode_says_that_it_is_set_and_asks_nobody(monkeypatch: pytest.MonkeyPatch, hub: DatasetHub) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert refusal().startswith("HF_HUB_OFFLINE is set, so no hub is asked; unset it and start the app again, or load")
    assert hub.asked == hub.others == []


@pytest.mark.parametrize(
    ("status", "begins"),
    [
        ((404, "RepoNotFound"), "The hub at {} has no data isaacus/legal-rag-bench, or shows it to signed-in users only;"),
        ((401, "GatedRepo"), "The hub hands isaacus/legal-rag-bench out to signed-in users who accepted its terms;"),
        ((500, ""), "The hub at {} answered 500 for isaacus/legal-rag-bench; try again later, or load"),
    ],
)
def test_a_refusal_is_reported(hub: DatasetHub, status: tuple[int, str], begins: str) -> None:
    hub.status = status
    assert refusal().startswith(begins.format(hub.url))


def test_a_hotels_sign_in_page_is_no_hub(hub: DatasetHub) -> None:
    hub.page = True
    assert refusal().startswith(f"What answers at {hub.url} is no hub; check the network and HF_ENDPOINT, or load")


def test_a_hub_at_a_metadata_address_is_not_asked(hub: DatasetHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://[2002:a9fe:a9fe::]")
    assert refusal().startswith("The address in HF_ENDPOINT leads to a link-local or metadata address, where no model server is;")


def test_another_layout_is_reported(hub: DatasetHub) -> None:
    hub.repositories[ID]["README.md"] = card().replace(b"config_name: qa", b"config_name: questions")
    assert refusal().startswith("The hub's isaacus/legal-rag-bench has no configuration qa with a split test that can be read;")


def test_a_damaged_file_is_reported(hub: DatasetHub) -> None:
    hub.repositories[ID][CORPUS] = hub.repositories[ID][CORPUS][:100]
    assert refusal().startswith(
        "The hub's isaacus/legal-rag-bench has no configuration corpus with a split test that can be read;"
    )


@pytest.mark.parametrize(
    ("place", "where"),
    [("card", "{}"), ("settings", "file://{}"), ("card", f"hf://datasets/other/data@{COMMIT}/{CORPUS}")],
)
def test_a_card_cannot_send_for_files_from_elsewhere(hub: DatasetHub, tmp_path: Path, place: str, where: str) -> None:
    own = tmp_path / "own.parquet"
    own.write_bytes(parquet(id=["x"], text=["Private."]))
    hub.repositories["other/data"] = repository()
    written = card(where.format(own))
    if place == "card":
        hub.repositories[ID]["README.md"] = written
    else:
        hub.repositories[ID][".huggingface.yaml"] = written.split(b"---")[1]
    assert refusal().startswith(
        "The hub's isaacus/legal-rag-bench has no configuration corpus with a split test that can be read;"
    )


def test_files_that_are_too_large_are_not_fetched(hub: DatasetHub) -> None:
    hub.sizes[CORPUS] = 300_000_001
    assert refusal().startswith("The hub's isaacus/legal-rag-bench has files of more than 300 MB, the most that are fetched;")
    assert not [path for path in hub.asked if path.endswith(".parquet")]


def test_a_hub_that_takes_too_long_is_given_up(hub: DatasetHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_hub_data, "_SECONDS", 0.01)
    assert refusal().startswith("The hub did not hand out isaacus/legal-rag-bench within")


@pytest.mark.parametrize(
    "wrong", ["", "csv", "../secret", "a/../b", "/etc/passwd", "a/b/c", "https://x/y", "-a/b", "a/b\n", "a b/c"]
)
def test_what_is_no_hub_id_is_refused_before_anybody_is_asked(wrong: str, hub: DatasetHub) -> None:
    with pytest.raises(DataError, match=r"^A hub id has an owner and a name, such as isaacus/legal-rag-bench; give one, or load"):
        from_hub(wrong)
    assert hub.asked == []


def test_rows_that_came_from_elsewhere_are_checked_as_those_of_a_file() -> None:
    data = Published(
        "mit", b'{"id": "a", "text": "One."}\n{"id": "b", "text": ""}\n', b'{"id": "q", "question": "Q?", "answer": "A."}'
    )
    found = from_hub("o/n", lambda hub_id: data)
    assert (found.name, found.licence, len(found.passages)) == ("o/n", "mit", 1)
    assert found.problems == ("corpus.jsonl: row 2 has no text (left out).",)
