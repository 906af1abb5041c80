"""Exact n-gram lookup against plain Python: normalisation, membership, runs, offsets."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.methods import registry
from groundscope.text import ngrams
from groundscope.text.sentences import split, unwrapped
from groundscope.types import Case, Passage, Status

SPACES = "".join(chr(c) for c in range(0x3100) if chr(c).isspace())
UNSPACED = "\u200b\u2060\ufeff\u180e\ud800\udfff\U0001f469"
"""Not white space to Python, however invisible."""

spaced = st.text(alphabet=st.sampled_from("ab" + SPACES + "\n\r  " + UNSPACED), max_size=40)
small = st.text(alphabet="ab", max_size=25)
lines = st.text(alphabet=st.sampled_from("aab \n.B"), max_size=30)


def _normalised(text: str, *, strip: bool = True) -> str:
    """The rules of data-portraits as regular expressions, written from their description."""
    text = re.sub(r"[\r\n]+", "\n", text)
    text = re.sub(r"[^\S\n]+", " ", text)
    text = re.sub(r"\n\s+", "\n", text)
    return text.strip() if strip else text


def _grams(text: str, n: int) -> list[str]:
    return [text[i : i + n] for i in range(len(text) - n + 1)]


def _case(response: str, passages: list[str]) -> Case:
    return Case("c", "q", tuple(Passage(str(i), p) for i, p in enumerate(passages)), response)


@given(spaced)
def test_white_space_is_normalised_as_by_regular_expressions(text: str) -> None:
    assert "".join(map(chr, ngrams.normalise(text).codes)) == _normalised(text)


@given(spaced, st.integers(0, 1000))
def test_every_normalised_character_knows_where_it_stood(text: str, start: int) -> None:
    normalised = ngrams.normalise(text, start)
    origin = (normalised.origin - start).tolist()
    assert origin == sorted(set(origin))
    for code, place in zip(normalised.codes, origin, strict=True):
        assert text[place] == chr(code) or (text[place].isspace() and chr(code) in " \n")
    dropped = set(range(len(text))) - set(origin)
    assert all(text[i].isspace() for i in dropped)


@given(small, st.lists(small, max_size=4), st.integers(1, 6))
def test_find_is_membership_in_a_set(response: str, passages: list[str], n: int) -> None:
    _check_find(response, passages, n)


def test_find_stays_exact_where_all_hashes_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    def collide(codes: ngrams.Codes, n: int | None = None) -> ngrams.Codes:
        width = codes.shape[-1] if n is None else n
        return np.zeros((*codes.shape[:-1], codes.shape[-1] - width + 1), np.uint32)

    monkeypatch.setattr(ngrams, "_hash", collide)
    _check_find("the court dismissed the appeal", ["the court", "an appeal", "dismissed"], 4)
    _check_find("abcabdabe", ["xabdabcx", "", "zzz"], 3)
    _check_find("no such thing", ["entirely other"], 5)


def _check_find(response: str, passages: list[str], n: int) -> None:
    corpus = ngrams.join([ngrams.normalise(p) for p in passages], range(len(passages)))
    hits = ngrams.find(ngrams.normalise(response).codes, corpus.codes, n)
    response = _normalised(response)
    known = {gram for p in passages for gram in _grams(_normalised(p), n)}
    assert hits.member.tolist() == [gram in known for gram in _grams(response, n)]
    for i, gram in enumerate(_grams(response, n)):
        places = hits.places[hits.groups[hits.gram[i]] : hits.groups[hits.gram[i] + 1]].tolist()
        found = [(corpus.owner(int(p)), int(corpus.origin[p])) for p in places]
        assert found == [(t, j) for t, p in enumerate(passages) for j in range(len(p)) if p.startswith(gram, j)]


def _known(passages: list[str], n: int, scope: str) -> set[str]:
    texts = passages if scope == "passage" else [p[s.start : s.end] for p in passages for s in split(p)]
    return {gram for text in texts for gram in _grams(_normalised(text), n)}


@given(lines, st.lists(lines, max_size=4), st.integers(1, 6), st.sampled_from(["passage", "sentence"]))
def test_support_is_the_share_of_members_of_a_set(response: str, passages: list[str], n: int, scope: str) -> None:
    judgement = registry.load("quip", n=n, scope=scope, aggregation="pooled").score(_case(response, passages))
    known, grams = _known(passages, n, scope), _grams(_normalised(response), n)
    if judgement.status is Status.SCORED:
        assert judgement.support == pytest.approx(sum(gram in known for gram in grams) / len(grams))
        return
    assert judgement.status is Status.NOT_ASSESSABLE
    wordless = not any(c.isalnum() for c in response) or not any(c.isalnum() for p in passages for c in p)
    assert wordless or all(s.support is None for s in judgement.sentences)


@given(lines, st.lists(lines, min_size=1, max_size=3), st.integers(1, 5), st.sampled_from(["passage", "sentence"]))
def test_matches_and_verbatim_spans_are_what_matching_n_grams_cover(
    response: str, passages: list[str], n: int, scope: str
) -> None:
    # Inside a sentence a line's end is a blank.
    response = _normalised(unwrapped(_normalised(response)))
    passages = [unwrapped(p, source=True) for p in passages]
    known = _known(passages, n, scope)
    for sentence in registry.load("quip", n=n, scope=scope, aggregation="pooled").score(_case(response, passages)).sentences:
        if sentence.support is None:
            assert sentence.verbatim == ()
            continue
        starts = range(sentence.start, sentence.end - n + 1)
        members = [i for i in starts if response[i : i + n] in known]
        assert sentence.support == pytest.approx(len(members) / len(starts))
        covered = {i for start, end in sentence.verbatim for i in range(start, end)}
        assert covered == {j for i in members for j in range(i, i + n)}
        assert sum(end - start for start, end in sentence.verbatim) == len(covered)
        for match in sentence.matches:
            run = _normalised(passages[match.passage][match.start : match.end], strip=False)
            assert run in response[sentence.start : sentence.end]
            assert len(run) == round(match.support * len(starts)) + n - 1


def test_repetitive_text_is_found_at_its_first_places() -> None:
    repeated = Passage("p", "ab" * 5_000)
    judgement = registry.load("quip", n=3).score(Case("c", "", (repeated, repeated), "ab" * 500))
    assert judgement.support == 1.0
    assert [(m.passage, m.start, m.end) for m in judgement.sentences[0].matches] == [(0, 0, 1000)]
