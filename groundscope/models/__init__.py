"""Models on this machine and embeddings by providers: weights, cross-encoders, embedders. Heavy imports are inside functions."""

import os

__all__ = ["batches", "embedders", "pairs", "weights"]

# Torch and oneDNN keep compiled code for 1,024 shapes of a batch each, some 200 KB a shape, and each case has other shapes. They
# read this when they load; fewer shapes save memory.
for _name in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
    os.environ.setdefault(_name, "32")
