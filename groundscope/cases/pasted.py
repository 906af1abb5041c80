"""Texts that a person pasted -> passages and cases."""

from collections.abc import Iterable
from dataclasses import replace

from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.types import Case, Passage


def plain_passages(text: str) -> tuple[Passage, ...]:
    """Cut a pasted text into passages at lines of three or more dashes and before lines `Source: ...`."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in clean(text).splitlines(keepends=True):
        bare = line.strip()
        if len(bare) >= 3 and not bare.strip("-"):
            parts.append(("", []))
        elif bare[:7].lower() == "source:":
            parts.append((line, []))
        else:
            parts[-1][1].append(line)
    passages: list[tuple[str, list[str]]] = []
    for named, lines in parts:
        body = "".join(lines).strip("\r\n")
        if body.strip():
            passages.append((named.strip()[7:].strip(), [body]))
        elif named and passages:
            passages[-1][1].append(named.strip())
    return tuple(Passage(f"p{i}", "\n".join(texts), source) for i, (source, texts) in enumerate(passages, 1))


def pasted_passages(sources: Iterable[tuple[str, str]]) -> tuple[Passage, ...]:
    """Cut pasted sources into passages."""
    passages = [(p, clean(title).strip()) for title, text in sources for p in plain_passages(text)]
    return tuple(Passage(f"p{i}", p.text, p.source or title) for i, (p, title) in enumerate(passages, 1))


def from_paste(
    query: str,
    context: str | Iterable[tuple[str, str]],
    response: str,
    case_id: str,
    more: Iterable[Passage] = (),
) -> Case:
    """Make a case of pasted text."""
    pasted = plain_passages(context) if isinstance(context, str) else pasted_passages(context)
    passages = tuple(replace(p, id=f"p{i}") for i, p in enumerate((*pasted, *more), 1))
    missing = [name for name, there in (("response", response.strip()), ("sources", passages)) if not there]
    if missing:
        raise DataError(f"Paste the {' and the '.join(missing)} too, so that there is something to compare.")
    return Case(case_id, clean(query).strip(), passages, clean(response))
