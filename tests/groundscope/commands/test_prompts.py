"""`prompts`: listed, shown, saved from a file, deleted; and a run asks with one."""

from tests.groundscope.commands.conftest import Shell


def test_a_prompt_is_shown_edited_saved_and_deleted(made: Shell) -> None:
    listed = made("prompts").out
    assert [line.split()[:2] for line in listed.splitlines() if line.startswith("direct ")][:2] == [
        ["direct", "standard"],
        ["direct", "lynx"],
    ]
    said = made("prompts", "direct", "--show", "standard")
    assert said.code == 0
    (made.home / "strict.toml").write_text(said.out.replace("You check", "You check with care"), encoding="utf-8")
    saved = made("prompts", "direct", "--save", "strict", "--file", "strict.toml")
    assert (saved.code, saved.err) == (0, "direct asks with it by --set direct.prompt=strict.\n")
    assert "You check with care whether" in made("prompts", "direct", "--show", "strict").out
    assert "There is a prompt strict already" in made.refuses("prompts", "direct", "--save", "strict", "--file", "strict.toml")
    assert made("prompts", "direct", "--delete", "strict").code == 0
    assert "There is no prompt strict;" in made.refuses("prompts", "direct", "--show", "strict")


def test_a_message_is_taken_from_a_text_file(made: Shell) -> None:
    (made.home / "card.txt").write_text("Q: {question}\nD: {context}\nA: {answer}\n{{}}", encoding="utf-8")
    assert made("prompts", "lynx", "--save", "trained", "--file", "card.txt").code == 0
    assert "D: {document}\nA: {answer}\n{}" in made("prompts", "lynx", "--show", "trained").out
    assert made("prompts", "lynx", "--delete", "trained").code == 0


def test_what_makes_no_sense_is_refused_with_a_sentence(made: Shell) -> None:
    for arguments, words in {
        ("--show", "standard"): "name the method whose prompt it is",
        ("quip",): "quip asks no chat model by a prompt.",
        ("nothing",): "no method 'nothing'",
        ("direct", "--show", "a", "--delete", "b"): "give one of --show, --save and --delete",
        ("direct", "--save", "a"): "--save and --file go together",
        ("direct", "--delete", "lynx"): "lynx comes with the program and cannot be deleted.",
        ("direct:granite-guardian", "--delete", "published"): "comes with the program",
    }.items():
        assert words in made.refuses("prompts", *arguments)
