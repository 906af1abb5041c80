"""Legal RAG: where a pipeline's answers fail, and whether the embedder or the model decides."""

from components import shell
from components.rag import page

shell.frame(
    "Legal RAG",
    "A system searches documents and answers from them: does it find the right passage, and keep to what it says? After Legal "
    "RAG Bench (Butler and Butler 2026).",
)
page.show()
