"""Answers of LangChain and LlamaIndex as cases; data of Ragas and DeepEval in, our methods as their metrics out."""
