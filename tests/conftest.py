"""Nothing that a test keeps reaches the user's own data folder, nor does anything there reach a test."""

import os
import tempfile

os.environ["GROUNDSCOPE_DATA"] = tempfile.mkdtemp(prefix="groundscope-tests-")
os.environ.pop("GROUNDSCOPE_MODELS", None)
