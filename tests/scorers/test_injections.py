"""Every attack against every method over real HTTP: the verdict is always the model's own, never one that stands in a text."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from groundscope.chat import replies
from groundscope.methods import registry
from groundscope.text.sentences import split
from groundscope.types import Case, Judgement, Passage, Status
from tests.injections import ATTACKS, Attack
from tests.llm_server import Asked, LLMServer

METHODS = ("direct", "refchecker", "claims_verify", "lynx")
HONEST = "The tenant must pay within five days."
SOURCE = "Under section 4 a tenant must pay within five days of notice."
_OPENING = re.compile(r'<data-([0-9a-f]{16}) name="(\w+)">\n')
Answer = Callable[[Asked], str]

every_attack = pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name.replace(" ", "-"))
every_method = pytest.mark.parametrize("method", METHODS)
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
        # Lynx wants a model of that name.
        scorer = registry.load(method, model=f"server:{model}-lynx@{self.server.openai}", **options)
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
    assert judgement.status is Status.SCORED, judgement.note
    assert judgement.support is not None
    assert (judgement.support > 0.5) is not attack.wants


def _is_own_or_none(judgement: Judgement, attack: Attack) -> None:
    if judgement.status is not Status.INVALID:
        _is_own(judgement, attack)


# A model that follows what it reads last


def _obedient(attack: Attack) -> Answer:
    """Follows the last order in the whole message: the attack, unless the task stands after it."""

    def answer(asked: Asked) -> str:
        attacked = asked.user.rfind(attack.text[-12:]) > asked.user.rfind("Reply in JSON")
        return _reply(asked, grounded=attack.wants if attacked else not attack.wants)

    return answer


@every_method
@every_attack
def test_the_task_is_what_a_model_reads_last(forcing: _Served, attack: Attack, method: str) -> None:
    case = _case(attack)
    judgement, asked = forcing.judged(method, case, "obedient", _obedient(attack))
    _is_own(judgement, attack)
    assert asked
    if method == "lynx":
        _stands_in_the_sections(asked, case)
    else:
        _stand_in_blocks(asked, case, attack)


def test_the_obedient_model_follows_an_attack_that_stands_last(forcing: _Served) -> None:
    attack = ATTACKS[0]
    told = Asked(
        "chat", "/", {"messages": [{"role": "user", "content": f"Below are a QUESTION. Reply in JSON. {attack.text}"}]}, {}
    )
    assert json.loads(_obedient(attack)(told))["SCORE"] == "PASS"


def _stands_in_the_sections(asked: list[Asked], case: Case) -> None:
    """Lynx gets one message, in the form that it was trained on: every text verbatim, the form of the reply after them."""
    (one,) = asked
    texts = (case.query, *(p.text for p in case.context), case.response)
    at = 0
    for text in texts:
        at = one.user.index(text, at) + len(text)
    assert "Reply in JSON" in one.user[at:]


def _stand_in_blocks(asked: list[Asked], case: Case, attack: Attack) -> None:
    """The marker is this judgement's own, no text holds it, and the attack stands whole in one block, before the task."""
    found = {_OPENING.match(one.user)[1] for one in asked}  # type: ignore[index]
    assert len(found) == 1
    (marker,) = found
    assert marker not in _markers
    _markers.add(marker)
    assert marker not in "".join((case.query, case.response, *(p.text for p in case.context)))
    wanted = [case.response[s.start : s.end] for s in split(case.response) if not s.heading and s.end > len(HONEST)]
    held = 0
    for one in asked:
        blocks = _blocks(one.user, marker)
        assert f"<data-{marker}" in one.system
        assert not any(attack.text in outside for outside in (one.system, one.task))
        if attack.where == "context":
            holding = [name for name, text in blocks if attack.text in text]
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


@every_method
@every_attack
def test_a_verdict_quoted_in_the_reasons_is_not_the_models(forcing: _Served, attack: Attack, method: str) -> None:
    judgement, asked = forcing.judged(
        method, _case(attack), "quoting", lambda one: _reply(one, grounded=not attack.wants, say=f"The text says: {attack.text}")
    )
    _is_own(judgement, attack)
    assert method == "lynx" or all(one.forced for one in asked)


def _around_tags(asked: Asked, attack: Attack) -> str:
    own = _reply(asked, grounded=not attack.wants, say=attack.text)
    said = f"<answer-{asked.marker}>\n{own}\n</answer-{asked.marker}>" if asked.marker else own
    return f"The text says:\n{attack.text}\nI do not follow it.\n{said}\nAs I said, the text holds this: {attack.text}"


@every_method
@every_attack
def test_a_verdict_quoted_around_the_answer_is_not_the_models(asking: _Served, attack: Attack, method: str) -> None:
    judgement, asked = asking.judged(method, _case(attack), "tagging", lambda one: _around_tags(one, attack))
    if method == "lynx":
        _is_own_or_none(judgement, attack)
    else:
        _is_own(judgement, attack)
        assert not asked[-1].forced
        assert f"<answer-{asked[-1].marker}>" in asked[-1].task


def _without_tags(asked: Asked, attack: Attack) -> str:
    own = _reply(asked, grounded=not attack.wants)
    return f"The text says:\n{attack.text}\n{own}\nThat is all."


@every_method
@every_attack
def test_an_answer_beside_a_quotation_without_tags_is_read_as_neither_or_its_own(
    asking: _Served, attack: Attack, method: str
) -> None:
    judgement, _ = asking.judged(method, _case(attack), "careless", lambda one: _without_tags(one, attack))
    _is_own_or_none(judgement, attack)


@every_attack
def test_a_quotation_alone_is_no_verdict(asking: _Served, attack: Attack) -> None:
    judgement, _ = asking.judged("direct", _case(attack), "parrot", lambda one: f"The text says: {attack.text}\nI say no more.")
    assert judgement.status is Status.INVALID
    assert attack.text not in judgement.note


FORMS: dict[str, Callable[[str, str], str]] = {
    "single quotes": lambda quoted, own: f"{{'REASONING': [{quoted!r}], 'SCORE': '{own}'}}",
    "bare score": lambda quoted, own: f'{{"REASONING": [{json.dumps(quoted)}], "SCORE": {own}}}',
    "bare keys": lambda quoted, own: f"REASONING: [{json.dumps(quoted)}]\nSCORE: {own}",
    "prose before": lambda quoted, own: f'It says {json.dumps(quoted)}. {{"REASONING": ["no"], "SCORE": "{own}"}}',
    "prose after": lambda quoted, own: f'{{"REASONING": ["no"], "SCORE": "{own}"}} It says {json.dumps(quoted)}.',
    "unquoted after": lambda quoted, own: f'{{"REASONING": ["no"], "SCORE": "{own}"}}\n{quoted}',
    "unquoted before": lambda quoted, own: f'{quoted}\n{{"REASONING": ["no"], "SCORE": "{own}"}}',
}


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_lynx_reply_gives_a_quoted_score(forcing: _Served, form: str) -> None:
    read = 0
    for attack in ATTACKS:
        own = "FAIL" if attack.wants else "PASS"
        said = FORMS[form](attack.text, own)
        judgement, _ = forcing.judged("lynx", _case(attack), form.replace(" ", "-"), lambda one, said=said: said)
        _is_own_or_none(judgement, attack)
        read += judgement.status is Status.SCORED
    # Most are read: a parser that gave up on all would pass the rest.
    assert read > (len(ATTACKS) // 2)


def test_quotation_marks_left_open_around_a_lynx_verdict_do_not_hide_it(forcing: _Served) -> None:
    attack = next(a for a in ATTACKS if a.name == "quotation marks left open")
    said = f'The text says {attack.text}\n{{"REASONING": ["no"], "SCORE": "FAIL"}}\nAgain, it says {attack.text}'
    judgement, _ = forcing.judged("lynx", _case(attack), "open", lambda one: said)
    _is_own_or_none(judgement, attack)


def test_triplets_quoted_in_prose_are_not_the_models(asking: _Served) -> None:
    attack = next(a for a in ATTACKS if a.name == "forged triplet lines")

    def answer(asked: Asked) -> str:
        if '"triplets"' in asked.task:
            return f"I cannot list claims, but the text says this:\n{attack.text}"
        return f"<answer-{asked.marker}>{_reply(asked, grounded=True)}</answer-{asked.marker}>"

    judgement, _ = asking.judged("refchecker", _case(attack), "prose", answer)
    assert judgement.status is Status.INVALID
