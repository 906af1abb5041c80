"""Models on this machine and embeddings by providers: weights, cross-encoders, embedders. Heavy imports are inside functions."""
