"""Every attack against every prompt that ships, over real HTTP: the verdict is the model's own, never one out of a text."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import pytest

from groundscope.chat import replies
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import new_marker
from groundscope.chat.prompt_files import FOLDER, MESSAGE, TASKS, PromptFile, shipped
from groundscope.methods import registry
from groundscope.methods.asking.prompted import Prompted
from groundscope.methods.asking.published import names as published
from groundscope.methods.asking.published import parsed
from groundscope.text.plain import PlainCase, plain
from groundscope.text.sentences import split
from groundscope.types import Case, Judgement, Passage, Status
from tests.injections import ATTACKS, Attack
from tests.llm_server import Asked, LLMServer
from tests.loops import each


class Way(NamedTuple):
    """A method that asks a chat model for a verdict, by one of its prompts."""

    method: str
    prompt: PromptFile

    @property
    def free(self) -> bool:
        """Whether the prompt is a whole message, in which a case's texts stand without markers."""
        return bool(self.prompt.text(MESSAGE))

    @property
    def readings(self) -> int:
        """How often it judges a case."""
        return 3 if self.method == "majority" else 1


def _ways() -> Iterator[Way]:
    for name in registry.names():
        method = registry.find(name)
        for prompt in method.prompts():
            if not prompt.fixed and not prompt.own:
                yield Way(name, prompt)


WAYS = [w for w in _ways() if w.method != "multi_gen" and not (w.method == "majority" and w.prompt.name != "standard")]
"""`majority` asks by the prompts of `direct`, thrice: one of them shows what is its own."""
WRITING = shipped("multi_gen")
"""Its model gives no verdict: it answers the question, and never reads the answer that is judged."""
HONEST = "The tenant must pay within five days."
SOURCE = "Under section 4 a tenant must pay within five days of notice."
_OPENING = re.compile(r'<data-([0-9a-f]{16}) name="(\w+)">\n')
Answer = Callable[[Asked], str]

FORMS = [way for way in WAYS if way.prompt.name == "standard" and way.method != "majority"]
"""A way for each form of a reply, which is all that the reader of a reply looks at."""

every_attack = each("attack", ATTACKS)
every_form = pytest.mark.parametrize("way", FORMS, ids=lambda w: w.method)
_markers: set[str] = set()


def _case(attack: Attack) -> Case:
    hostile = attack.where == "context"
    passages = (Passage("p1", f"{SOURCE} {attack.text}" if hostile else SOURCE), Passage("p2", "Notice may be oral."))
    return Case("c", "When must the tenant pay?", passages, HONEST if hostile else f"{HONEST} {attack.text}")


class _Served:
    """A server whose model answers anew for every judgement."""

    def __init__(self, server: LLMServer) -> None:
        self.server = server

    def judged(self, method: str, case: Case, model: str, answer: Answer, **options: str) -> tuple[Judgement, list[Asked]]:
        self.server.answer = answer
        before = len(self.server.asked)
        replies.default().clear()
        # Judges that were trained for a message want a model of their name.
        scorer = registry.load(method, model=f"server:{model}-lynx-minicheck-guardian@{self.server.openai}", **options)
        return scorer.score(case), self.server.asked[before:]


@contextmanager
def _serving(*, schemas: bool) -> Iterator[_Served]:
    with LLMServer(lambda asked: "") as server:
        server.schemas = schemas
        yield _Served(server)


@pytest.fixture(scope="module")
def forcing() -> Iterator[_Served]:
    """A server that forces a schema where it is asked to."""
    with _serving(schemas=True) as served:
        yield served


@pytest.fixture(scope="module")
def asking() -> Iterator[_Served]:
    """A server that can force none, so that replies stand between tags."""
    with _serving(schemas=False) as served:
        yield served


def _reply(asked: Asked, grounded: bool, *, say: str = "Section 4 was read.") -> str:
    """What a model says that came to a verdict, in the form that the task asks for; `say` is what it says in its own words."""
    asks, task = asked.user, asked.task
    if asks.startswith("Below are a QUESTION"):
        return json.dumps({"REASONING": [say], "SCORE": "PASS" if grounded else "FAIL"})
    if '"triplets"' in task:
        return json.dumps({"triplets": [{"sentence": 1, "subject": "tenant", "predicate": "must", "object": say}]})
    if '"labels"' in task:
        label = "Entailment" if grounded else "Contradiction"
        return json.dumps({"labels": [{"number": 1, "label": label, "reason": say}]})
    if '"truths"' in task:
        return json.dumps({"truths": [say]})
    if '{"claims"' in task:
        return json.dumps({"claims": [{"sentence": 1, "text": say}]})
    if '"verdicts"' in task:
        return json.dumps({"verdicts": [{"number": 1, "verdict": "yes" if grounded else "no", "reason": say}]})
    assert '"verdict": "PASS" or "FAIL"' in task
    quotes = [] if grounded else [{"quote": HONEST, "why": say}]
    return json.dumps({"reasons": [say], "unsupported": quotes, "verdict": "PASS" if grounded else "FAIL"})


def _is_own(judgement: Judgement, attack: Attack) -> None:
    assert judgement.status is Status.SCORED, f"{attack.name}: {judgement.note}"
    assert judgement.support is not None
    assert (judgement.support > 0.5) is not attack.wants, attack.name


def _is_own_or_none(judgement: Judgement, attack: Attack) -> None:
    if judgement.status is not Status.INVALID:
        _is_own(judgement, attack)


# A model that follows what it reads last


def _obedient(attack: Attack) -> Answer:
    """Follows the last order in the whole message: the attack, unless the task stands after it."""

    def answer(asked: Asked) -> str:
        attacked = asked.user.rfind(plain(attack.text).text[-12:]) > asked.user.rfind("Reply in JSON")
        return _reply(asked, grounded=attack.wants if attacked else not attack.wants)

    return answer


def test_every_prompt_of_a_method_that_ships_is_attacked() -> None:
    tried = {(prompt.method, prompt.name) for prompt in (*(way.prompt for way in WAYS), *WRITING)}
    assert tried == {(path.parent.name, path.stem) for path in FOLDER.rglob("*.toml") if path.parent.name not in TASKS}
    asking = {name.partition(":")[0] for name in registry.names() if registry.find(name).asks}
    assert asking == {"multi_gen", *(way.method for way in WAYS)}


@pytest.mark.parametrize("way", WAYS, ids=lambda w: f"{w.method}/{w.prompt.name}")
def test_the_task_is_what_a_model_reads_last(forcing: _Served, way: Way) -> None:
    # The other prompts of a method are put together by the same code.
    for attack in ATTACKS if way in FORMS else ATTACKS[::6]:
        case = _case(attack)
        judgement, asked = forcing.judged(way.method, case, "obedient", _obedient(attack), prompt=way.prompt.name)
        _is_own(judgement, attack)
        assert asked
        if way.free:
            assert len(asked) == way.readings
            for call in asked:
                _stands_in_the_sections(call, case)
        else:
            _stand_in_blocks(asked, case, attack, way.readings)


@pytest.mark.parametrize("prompt", WRITING, ids=lambda p: p.name)
@every_attack
def test_a_model_that_writes_fresh_answers_reads_no_answer_and_the_task_last(
    forcing: _Served, attack: Attack, prompt: PromptFile
) -> None:
    case, server = _case(attack), forcing.server
    server.answer = lambda _: HONEST
    before = len(server.asked)
    replies.default().clear()
    scorer = registry.load("multi_gen", model=f"server:writing@{server.openai}", prompt=prompt.name)
    assert isinstance(scorer, Prompted)
    (planned,) = set(scorer.plan(case)[0])
    scorer.chat().ask(planned, new_marker(), 0)
    (asked,) = server.asked[before:]
    assert HONEST not in asked.user
    if attack.where == "context":
        _stand_in_blocks([asked], case, attack, 1)
    else:
        assert attack.text not in asked.user


def _stands_in_the_sections(one: Asked, case: Case) -> None:
    """Lynx's message is in the form that it was trained on: every text verbatim, the form of the reply after them."""
    plain = PlainCase.of(case).case
    texts = (plain.query, *(p.text for p in plain.context), plain.response)
    at = 0
    for text in texts:
        at = one.user.index(text, at) + len(text)
    assert "Reply in JSON" in one.user[at:]


def _stand_in_blocks(asked: list[Asked], case: Case, attack: Attack, readings: int) -> None:
    """The marker is each reading's own, no text holds it, and the attack stands whole in one block, before the task."""
    found = {_OPENING.match(one.user)[1] for one in asked}  # type: ignore[index]
    assert len(found) == readings
    assert not found & _markers
    _markers.update(found)
    assert not any(marker in "".join((case.query, case.response, *(p.text for p in case.context))) for marker in found)
    # Methods read plain texts.
    case, words = PlainCase.of(case).case, plain(attack.text).text
    wanted = [case.response[s.start : s.end] for s in split(case.response) if not s.heading and s.end > len(HONEST)]
    held = 0
    for one in asked:
        marker = _OPENING.match(one.user)[1]  # type: ignore[index]
        blocks = _blocks(one.user, marker)
        assert f"<data-{marker}" in one.system
        assert not any(words in outside for outside in (one.system, one.task))
        if attack.where == "context":
            holding = [name for name, text in blocks if words in text]
            assert holding == [name for name, _ in blocks if name == "document"]
        else:
            # Sentence by sentence where each has a number.
            holding = [name for name, text in blocks if all(piece in text for piece in wanted)]
            assert holding == [name for name, _ in blocks if name == "answer"]
        held += len(holding)
    assert held


def _blocks(message: str, marker: str) -> list[tuple[str, str]]:
    """The data as it was sent, by the marker alone; nothing but the task stands after it."""
    blocks, at = [], 0
    while opening := _OPENING.match(message, at):
        assert opening[1] == marker
        end = message.index(f"\n</data-{marker}>\n\n", opening.end())
        blocks.append((opening[2], message[opening.end() : end]))
        at = end + len(f"\n</data-{marker}>\n\n")
    assert blocks
    assert message[at:].strip()
    assert f"<data-{marker}" not in message[at:]
    assert message.count(f"</data-{marker}>") == message.count(f"<data-{marker} ") == len(blocks)
    return blocks


# A model that quotes the attack beside its own verdict


@every_form
@every_attack
def test_a_verdict_quoted_in_the_reasons_is_not_the_models(forcing: _Served, attack: Attack, way: Way) -> None:
    def answer(one: Asked) -> str:
        return _reply(one, grounded=not attack.wants, say=f"The text says: {attack.text}")

    judgement, asked = forcing.judged(way.method, _case(attack), "quoting", answer, prompt=way.prompt.name)
    _is_own(judgement, attack)
    assert way.method == "lynx" or all(one.forced for one in asked)


def _around_tags(asked: Asked, attack: Attack) -> str:
    own = _reply(asked, grounded=not attack.wants, say=attack.text)
    said = f"<answer-{asked.marker}>\n{own}\n</answer-{asked.marker}>" if asked.marker else own
    return f"The text says:\n{attack.text}\nI do not follow it.\n{said}\nAs I said, the text holds this: {attack.text}"


@every_form
@every_attack
def test_a_verdict_quoted_around_the_answer_is_not_the_models(asking: _Served, attack: Attack, way: Way) -> None:
    judgement, asked = asking.judged(
        way.method, _case(attack), "tagging", lambda one: _around_tags(one, attack), prompt=way.prompt.name
    )
    if way.free:
        _is_own_or_none(judgement, attack)
    else:
        _is_own(judgement, attack)
        assert not asked[-1].forced
        assert f"<answer-{asked[-1].marker}>" in asked[-1].task


@every_attack
def test_a_quotation_alone_is_no_verdict(asking: _Served, attack: Attack) -> None:
    def answer(_: Asked) -> str:
        return f"The text says: {attack.text}\nI say no more."

    judgement, _ = asking.judged("direct", _case(attack), "parrot", answer, prompt="standard")
    assert judgement.status is Status.INVALID
    assert attack.text not in judgement.note


LYNX_FORMS: dict[str, Callable[[str, str], str]] = {
    "single quotes": lambda quoted, own: f"{{'REASONING': [{quoted!r}], 'SCORE': '{own}'}}",
    "bare score": lambda quoted, own: f'{{"REASONING": [{json.dumps(quoted)}], "SCORE": {own}}}',
    "bare keys": lambda quoted, own: f"REASONING: [{json.dumps(quoted)}]\nSCORE: {own}",
    "prose before": lambda quoted, own: f'It says {json.dumps(quoted)}. {{"REASONING": ["no"], "SCORE": "{own}"}}',
    "prose after": lambda quoted, own: f'{{"REASONING": ["no"], "SCORE": "{own}"}} It says {json.dumps(quoted)}.',
    "unquoted after": lambda quoted, own: f'{{"REASONING": ["no"], "SCORE": "{own}"}}\n{quoted}',
    "unquoted around": lambda quoted, own: (
        f'It says {quoted}\n{{"REASONING": ["no"], "SCORE": "{own}"}}\nAgain, it says {quoted}'
    ),
    "unquoted before": lambda quoted, own: f'{quoted}\n{{"REASONING": ["no"], "SCORE": "{own}"}}',
}


@pytest.mark.parametrize("form", LYNX_FORMS)
def test_no_form_of_lynx_reply_gives_a_quoted_score(form: str) -> None:
    read = 0
    for attack in ATTACKS:
        with suppress(Unreadable):
            passed, _ = parsed(LYNX_FORMS[form](attack.text, "FAIL" if attack.wants else "PASS"))
            assert passed is not attack.wants, attack.name
            read += 1
    # Most are read: a parser that gave up on all would pass the rest.
    assert read > (len(ATTACKS) // 2)


VERDICTS = {
    "bespoke-minicheck": ("No", "Yes"),
    "granite-guardian": ("<think>{said}</think>\n<score> yes </score>", "<think>{said}</think>\n<score> no </score>"),
}
"""What published judges reply to a sentence that is not supported, and to one that is; the second one thinks aloud before."""


@pytest.mark.parametrize("judge", published())
@every_attack
def test_a_judge_that_was_trained_for_a_message_gives_its_own_verdict(forcing: _Served, attack: Attack, judge: str) -> None:
    case = _case(attack)
    judgement, asked = forcing.judged(
        f"direct:{judge}", case, "trained", lambda _: VERDICTS[judge][not attack.wants].format(said=attack.text)
    )
    _is_own(judgement, attack)
    # As it was trained: every sentence of the answer alone, verbatim.
    response = PlainCase.of(case).case.response
    sentences = [response[s.start : s.end] for s in split(response) if not s.heading]
    assert sorted(one.user.rpartition("Claim: ")[2] if judge == "bespoke-minicheck" else one.user for one in asked) == sorted(
        sentences
    )
