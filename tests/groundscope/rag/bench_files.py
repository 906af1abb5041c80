"""Results in the layout that the code of Legal RAG Bench writes: a JSONL file a combination, with short names. All is made up."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

COMBINATIONS = tuple((e, m) for e in ("kanon2", "te3l", "gemini001") for m in ("gpt52", "gemini31pro"))
QUESTIONS = ("q1", "q2", "q3")


def record(embedder: str, model: str, question: str, verdict: dict[str, Any], *, hit: bool = True, k: int = 2) -> dict[str, Any]:
    """One answer, with every key that the code writes, in its order."""
    relevant, name = f"1.{question[1:]}-c1-s1", f"{embedder}_{model}"
    found = [relevant if hit else f"{relevant}0", *(f"9.{i}-c1-s1" for i in range(1, k))]
    return {
        "id": f"{name}_{k}-{question}",
        "model_name": name,
        "embedding_model": embedder,
        "generative_model": model,
        "result_id": f"{k}-{question}",
        "question_id": question,
        "question": f"What does rule {question[1:]} ask of the tenant?",
        "answer": f"Rule {question[1:]} asks for notice.",
        "rag_answer": f"Notice. Rule {question[1:]} says so (DOC: {relevant}).",
        "judge_verdict": verdict,
        "context": [
            {"page_content": f"Passage {i} is about notice.", "metadata": {"id": i, "title": f"Part {i}", "footnotes": None}}
            for i in found
        ],
        "relevant_passage_id": relevant,
        # The code compares by substring, so that `...-s1` is found in `...-s10`.
        "relevant_passage_in_context": any(relevant in i for i in found),
    }


def said(*, correct: bool, grounded: bool) -> dict[str, Any]:
    return {"correct": correct, "grounded": grounded, "reasoning": "Correctness: as it says. Groundedness: as it says."}


def lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def results(folder: Path) -> list[Path]:
    """Six files; `te3l` misses the passage of one question, and with `gpt52` invents its answer to another."""
    made = []
    for embedder, model in COMBINATIONS:
        invents = (embedder, model) == ("te3l", "gpt52")
        rows = [
            record(embedder, model, "q1", said(correct=True, grounded=True)),
            record(embedder, model, "q2", said(correct=True, grounded=not invents)),
            record(embedder, model, "q3", said(correct=embedder != "te3l", grounded=True), hit=embedder != "te3l"),
        ]
        made.append(folder / f"{embedder}_{model}_results.jsonl")
        made[-1].write_bytes(lines(rows))
    return made
