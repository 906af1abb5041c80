"""What the tests of the chat models share: ways to reach a server, prompts, scripted judges, cases."""

import json
import threading
from collections.abc import Callable
from typing import Any

from groundscope.chat.clients.model import Chat, chat_model
from groundscope.chat.conversation import TEXT, one_of, schema
from groundscope.chat.messages import Block, Prompt, Reply, new_marker
from groundscope.errors import Cancelled
from groundscope.methods import registry
from groundscope.methods.asking.prompted import Prompted
from groundscope.types import Case, Judgement, Passage
from tests.llm_server import Asked, LLMServer, Said

KEY = "sk-secret-0123456789"
SERVER_KEY = "own-server-secret"
CLAUDE = "anthropic:claude-haiku-5-5"
WAYS = ("anthropic", "anthropic;stream=1", "openai", "openai;stream=1", "server", "server;stream=1")
TEXT_OF_CASE = "The merger is confidential."
SCHEMA = schema(verdict=one_of("PASS", "FAIL"), why=TEXT)
ANSWER = json.dumps({"verdict": "PASS", "why": "it says so, in so many words, and in some more"})


def line(way: str, server: LLMServer, **settings: object) -> str:
    """The spec of a scripted model, by one of the ways to reach it."""
    provider, _, rest = way.partition(";")
    own = f"server:scripted-1@{server.openai}"
    heads = {"anthropic": CLAUDE, "openai": "openai:gpt-4o", "google": "google:gemini-2.5-flash", "server": own}
    return ";".join([heads[provider], *([rest] if rest else []), *(f"{name}={value}" for name, value in settings.items())])


def prompt(text: str = TEXT_OF_CASE, **fields: Any) -> Prompt:
    blocks = (Block("document", text, shared=True), Block("answer", "It is not."))
    return Prompt(**{"task": "Give a verdict.", "system": "You judge.", "blocks": blocks, "schema": SCHEMA, **fields})


def ask(spec: str, asked: Prompt | None = None, number: int = 0) -> Reply:
    return chat_model(spec).ask(asked or prompt(), new_marker(), number)


def model(spec: str) -> Chat:
    return chat_model(spec)


def case(response: str, *passages: str, query: str = "What was decided?", name: str = "case") -> Case:
    return Case(name, query, tuple(Passage(f"p{i}", text) for i, text in enumerate(passages)), response)


CASE = case(
    "The appeal was dismissed in 2003. Costs of 5,400 euros went to the landlord.",
    "The court of appeal dismissed the appeal in 2003.",
    "Costs of 4,500 euros were awarded to the tenant.",
)


def load(method: str, spec: str, **parameters: Any) -> Prompted:
    scorer = registry.load(method, model=spec, **parameters)
    assert isinstance(scorer, Prompted)
    return scorer


def score(method: str, spec: str, judged: Case = CASE, **parameters: Any) -> Judgement:
    return load(method, spec, **parameters).score(judged)


def formed(asked: Asked, answer: str) -> str:
    """An answer in the form that was asked for."""
    return answer if asked.forced else f"<answer-{asked.marker}>\n{answer}\n</answer-{asked.marker}>"


def passes(_: Asked) -> str:
    """A judge for `direct` that passes everything."""
    return json.dumps({"reasons": ["All of it is there."], "unsupported": [], "verdict": "PASS"})


def by_task(**replies: Any) -> Callable[[Asked], str | Said]:
    """A model that answers by the key that the task asks for: `triplets`, `labels`, `truths`, `claims`, `verdicts`.

    A reply is JSON, a text, a `Said`, or a function of the call.
    """

    def answer(asked: Asked) -> str | Said:
        name = next(name for name in replies if f'{{"{name}"' in asked.task)
        reply = replies[name](asked) if callable(replies[name]) else replies[name]
        return reply if isinstance(reply, str | Said) else json.dumps({name: reply})

    return answer


class Leaving:
    """A listener that no longer wants the result once it is told so."""

    def __init__(self) -> None:
        self.gone = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        if self.gone.is_set():
            raise Cancelled
