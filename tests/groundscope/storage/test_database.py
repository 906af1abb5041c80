"""The database that people share, on SQLite and on a real Postgres server: its tables, its versions, its faults, moving it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from groundscope.errors import DataError, NotSavedYet, StoreError
from groundscope.grounding.rules.frozen_rules import FROZEN
from groundscope.grounding.runs.listing import RUNS
from groundscope.paths import Variable
from groundscope.review.decisions import ReviewDecision, Ruling
from groundscope.review.matters import Matter, MatterStore
from groundscope.review.sources import SourceFile
from groundscope.review.store import DECISIONS, ReviewStore
from groundscope.storage import database as module
from groundscope.storage import migrations
from groundscope.storage.database import FILE, HEAD, METADATA, Database, copy_all
from groundscope.types import Case, Passage
from tests.groundscope.commands.conftest import Shell, shell  # noqa: F401 - a fixture
from tests.loops import each
from tests.postgres import PostgresServer, database, postgres  # noqa: F401 - fixtures

CASE = Case("c", "When?", (Passage("p", "Due in May. “¶” \U0001d51e"),), "It is due in May. He pays.")


def filled(store: ReviewStore) -> None:
    store.decide(CASE, "Ada", ReviewDecision(0, Ruling.PARTLY, note="Why? <b>\U0001d51e"), call="a")
    store.settle(CASE, "Bo", ReviewDecision(1, Ruling.SUPPORTED))
    store.reveal("Cy", CASE)
    store.queues.assign("Pilot", ["Ada"], [CASE])
    matters = MatterStore(store.database)
    matter = matters.create("Doe v. Roe")
    matters.add_source(matter.number, SourceFile("a.txt", CASE.context, ()))
    matters.add_answer(matter, CASE)


def contents(database: Database) -> dict[str, list[tuple[object, ...]]]:  # noqa: F811
    with database.reading() as db:
        return {t.name: sorted(tuple(row) for row in db.execute(sa.select(t))) for t in METADATA.sorted_tables}


def test_migrations_make_the_tables_that_the_code_uses(database: Database) -> None:  # noqa: F811
    assert {DECISIONS.name, FROZEN.name, RUNS.name} < METADATA.tables.keys()
    with database.reading() as db:
        assert compare_metadata(MigrationContext.configure(db), METADATA) == []


def test_the_head_is_the_newest_version() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_many_that_open_an_empty_database_at_once_all_can_use_it(database: Database) -> None:  # noqa: F811
    def use(i: int) -> None:
        with closing(Database(database.url)) as own:
            ReviewStore(own).decide(CASE, str(i), ReviewDecision(0, Ruling.SUPPORTED))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(8)))
    assert sorted(ReviewStore(database).reviewers()) == list("01234567")


def test_matters_of_an_older_one_stay_and_have_no_client(database: Database) -> None:  # noqa: F811
    with database.writing() as db:
        db.execute(sa.text("ALTER TABLE matters DROP COLUMN client"))
        db.execute(sa.text("INSERT INTO matters (number, created, name) VALUES (1, '2026-11-01', 'Doe v. Roe')"))
        db.execute(sa.text("UPDATE alembic_version SET version_num = '0002'"))
    database.close()
    with closing(Database(database.url)) as newer:
        assert MatterStore(newer).all() == (Matter(1, "2026-11-01", "Doe v. Roe", ""),)
        MatterStore(newer).name_client(1, "Jane Doe")
        assert MatterStore(newer).all()[0].client == "Jane Doe"


def test_what_a_newer_one_wrote_is_left_alone(database: Database) -> None:  # noqa: F811
    with database.writing() as db:
        db.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(StoreError, match="A newer Groundscope wrote"):
        ReviewStore(database).all()


@each(
    "url", ["", "postgres", "mysql://a/b", "sqlite://", "postgresql://u@h/d", "postgresql+psycopg://u@h", "://", "sqlite+x:///a"]
)
def test_what_is_no_url_of_ours_is_said(url: str) -> None:
    with pytest.raises(StoreError, match=r"GROUNDSCOPE_DATABASE has to be a URL such as"):
        Database(url)


def test_a_server_that_is_away_is_named_without_its_password_and_found_again(postgres: PostgresServer) -> None:  # noqa: F811
    url = sa.make_url(postgres.make()).set(password="hunter2")  # noqa: S106 - the server asks for none
    with closing(Database(url)) as away:
        store = ReviewStore(away)
        store.decide(CASE, "Ada", ReviewDecision(0, Ruling.SUPPORTED))
        postgres.stop()
        try:
            with pytest.raises(NotSavedYet, match=r"The database postgresql.*tests:\*\*\*@127.*does not answer") as refused:
                store.decide(CASE, "Ada", ReviewDecision(0, Ruling.PARTLY))
        finally:
            postgres.start()
        assert "hunter2" not in str(refused.value)
        store.decide(CASE, "Ada", ReviewDecision(0, Ruling.CONTRADICTED))
        assert [d.decision.ruling for d in store.all()] == ["supported", "contradicted"]


def test_a_server_that_is_frozen_is_waited_for_only_so_long(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(module, "_ANSWER", 0.5)
    with closing(Database(postgres.make())) as frozen:
        store = ReviewStore(frozen)
        store.decide(CASE, "Ada", ReviewDecision(0, Ruling.SUPPORTED))
        with postgres.frozen(), pytest.raises(NotSavedYet, match="does not answer"):
            store.decide(CASE, "Ada", ReviewDecision(0, Ruling.PARTLY))
        with pytest.raises(NotSavedYet, match="does not answer"), frozen.writing() as held, postgres.frozen():
            held.execute(sa.text("SELECT 1"))
        store.decide(CASE, "Ada", ReviewDecision(0, Ruling.CONTRADICTED))
        assert [d.decision.ruling for d in store.all()] == ["supported", "contradicted"]


@pytest.fixture(params=["to postgres", "to sqlite"])
def other(request: pytest.FixtureRequest, database: Database, tmp_path: Path) -> Iterator[Database]:  # noqa: F811
    """A second, empty database of each kind."""
    to_file = request.param == "to sqlite"
    with closing(
        Database.at(tmp_path / "other.sqlite") if to_file else Database(request.getfixturevalue("postgres").make())
    ) as made:
        yield made


def test_a_copy_holds_all_and_goes_on_from_there(database: Database, other: Database) -> None:  # noqa: F811
    filled(ReviewStore(database))
    before = contents(database)
    counts = copy_all(database, other)
    assert contents(database) == contents(other) == before
    assert {name: rows for name, rows in counts.items() if rows} == {name: len(rows) for name, rows in before.items() if rows}
    (kept,) = ReviewStore(other).decide(CASE, "Ada", ReviewDecision(0, Ruling.SUPPORTED))
    assert kept.number == 3
    with pytest.raises(DataError, match="holds something already"):
        copy_all(database, other)
    with pytest.raises(DataError, match="in use already"):
        copy_all(database, Database(database.url))


def test_a_copy_that_fails_leaves_nothing(database: Database, other: Database) -> None:  # noqa: F811
    filled(ReviewStore(database))

    def stop(table: str, _: int) -> None:
        if table == "queues":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_all(database, other, stop)
    assert not any(contents(other).values())


def test_the_command_takes_the_file_of_the_data_folder_along(shell: Shell, postgres: PostgresServer) -> None:  # noqa: F811
    url = postgres.make()
    nothing = shell("move", "--to", url)
    assert (nothing.code, nothing.out) == (2, "")
    assert "Nothing to copy yet" in nothing.err
    with closing(Database.at(shell.home / "data" / FILE)) as own:
        filled(ReviewStore(own))
        before = contents(own)
    said = shell("move", "--to", url)
    assert said.code == 0, said.err
    assert [line.split() for line in said.out.splitlines()[2:]] == [
        [name, str(len(rows))] for name, rows in sorted(before.items()) if rows
    ]
    assert f"{Variable.DATABASE}={url}" in said.err
    with closing(Database(url)) as there:
        assert contents(there) == before
    assert shell("move", "--to", "nowhere").code == 2
