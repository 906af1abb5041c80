"""The list of folders that everyone sees, with SQLite and with Postgres."""

import shutil
from pathlib import Path

import pytest

from groundscope.errors import DataError
from groundscope.grounding.runs import run_list
from groundscope.grounding.runs.listing import entries, entry_of, find, put_on_list, read, samples
from groundscope.storage.database import Database
from tests.groundscope.commands.conftest import Shell, shell  # noqa: F401 - a fixture
from tests.postgres import database, postgres, shared_database  # noqa: F401 - fixtures


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sample = samples()[0].folder
    assert sample
    return Path(shutil.copytree(sample, tmp_path / "shared disk" / "run"))


@pytest.mark.usefixtures("shared_database")
def test_a_folder_on_the_list_is_a_run_for_everyone_until_it_is_dropped(folder: Path) -> None:
    assert run_list.all_listed() == ()
    entry = put_on_list(folder)
    assert put_on_list(folder) == entry
    (found,) = (e for e in entries()[0] if e.folder == folder)
    assert found == entry
    assert read(entry).data_hash == find(str(folder)).data_hash
    assert entry_of(entry.id).folder == folder
    assert run_list.drop(folder)
    assert not run_list.drop(folder)
    assert all(e.folder != folder for e in entries()[0])
    assert folder.is_dir()


def test_what_is_no_run_does_not_get_on_the_list(shared_database: Database, tmp_path: Path) -> None:  # noqa: F811
    with pytest.raises(DataError):
        put_on_list(tmp_path)
    assert not shared_database.is_there() or run_list.all_listed() == ()


def test_the_command_adds_shows_and_drops(shell: Shell, folder: Path) -> None:  # noqa: F811
    said = shell("runs", "--add", str(folder))
    assert said.code == 0, said.err
    assert next(line for line in said.out.splitlines() if line.startswith(str(folder))).rstrip().endswith("on the list")
    (folder / "manifest.json").unlink()
    assert "manifest.json" in shell("runs").err
    assert str(folder) not in shell("runs", "--drop", str(folder)).out
    assert shell("runs", "--drop", str(folder)).code == 2
