"""What the shell writes is for this user alone; what she names with `--out` follows her umask."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundscope.files import private
from groundscope.paths import Variable
from tests.groundscope.commands.conftest import Shell

pytestmark = pytest.mark.skipif(os.name != "posix", reason="this system has no such modes")
CASE = '{"id": "a", "question": "Is it due?", "context": "The rent is due on Monday.", "response": "It is due on Friday."}\n'
RUN = ("run", "--cases", "c.jsonl", "--methods", "overlap,quip")


def _shell(folder: Path, *arguments: str, umask: int = 0o022, **environment: str) -> tuple[str, str]:
    """Standard output and error of a verb, as if a user with that umask had started it, with a data folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(private, "_users", [])
        os.umask(umask)
        said = Shell(folder, environment)(*arguments)
    assert said.code == 0, said.err
    return said.out.strip(), said.err


def _modes(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): p.stat().st_mode & 0o777 for p in [folder, *folder.rglob("*")] if not p.is_symlink()}


def _open_to_others(folder: Path) -> dict[str, int]:
    return {name: mode for name, mode in _modes(folder).items() if mode & 0o077}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Made as by a usual user, whatever umask another test has left to this process."""
    before = os.umask(0o022)
    tmp_path.chmod(0o755)
    (tmp_path / "c.jsonl").write_text(CASE, encoding="utf-8")
    yield tmp_path
    os.umask(before)


def test_a_run_and_its_files_can_be_read_by_this_user_alone(folder: Path) -> None:
    files = Path(_shell(folder, *RUN)[0])
    assert _open_to_others(folder / "data") == {}
    assert (folder / "data" / "runs").is_dir()
    assert {p.name: p.stat().st_mode & 0o777 for p in files.iterdir()} == dict.fromkeys((p.name for p in files.iterdir()), 0o400)
    assert len(list(files.glob("*.parquet"))) == 4


@pytest.mark.parametrize(("umask", "read", "written", "entered"), [(0o022, 0o444, 0o644, 0o755), (0o027, 0o440, 0o640, 0o750)])
def test_what_the_user_names_follows_her_umask(folder: Path, umask: int, read: int, written: int, entered: int) -> None:
    assert _shell(folder, *RUN, "--out", "first", umask=umask)[0] == "first"
    _shell(folder, "report", "first", "--out", "report.md", umask=umask)
    assert set(_modes(folder / "first").values()) == {entered, read}
    assert (folder / "report.md").stat().st_mode & 0o777 == written
    assert _open_to_others(folder / "data") == {}
    # A file that is there keeps the mode that she gave it.
    (folder / "report.md").chmod(0o600)
    _shell(folder, "report", "first", "--out", "report.md", umask=umask)
    assert (folder / "report.md").stat().st_mode & 0o777 == 0o600


def test_folders_of_earlier_versions_are_closed_once_and_one_line_says_so(folder: Path) -> None:
    data, store, elsewhere = folder / "data", folder / "store", folder / "elsewhere"
    for place in (data / "models" / "m", store, elsewhere):
        place.mkdir(parents=True, mode=0o755)
    for file in (data / "settings.json", data / "models" / "m" / "card.md", store / "old.parquet", elsewhere / "hers.txt"):
        file.write_text("{}", encoding="utf-8")
        file.chmod(0o644)
    (store / "old.parquet").chmod(0o444)
    (data / "link").symlink_to(elsewhere)
    said = _shell(folder, "runs", **{Variable.STORE: str(store)})[1].splitlines()
    assert said[0] == " ".join(f"{p} was open to other users of this machine; now only you can read it." for p in (data, store))
    assert _open_to_others(data) == _open_to_others(store) == {}
    assert (store / "old.parquet").stat().st_mode & 0o777 == 0o400
    assert (elsewhere / "hers.txt").stat().st_mode & 0o777 == 0o644
    assert "was open" not in _shell(folder, "runs", **{Variable.STORE: str(store)})[1]


def test_a_home_that_is_named_as_data_folder_is_left_alone_and_one_line_says_what_to_do(folder: Path) -> None:
    (folder / "page.html").write_text("", encoding="utf-8")
    folder.chmod(0o755)
    before = _modes(folder)
    said = _shell(folder, "jobs", GROUNDSCOPE_DATA=str(folder), HOME=str(folder))[1]
    assert f"{folder} is open to other users of this machine; name a folder of its own in GROUNDSCOPE_DATA" in said
    assert before.items() <= _modes(folder).items()
