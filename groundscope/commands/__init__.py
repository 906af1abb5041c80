"""The commands of `python -m groundscope`, one function each: they connect methods and evaluation and measure nothing themselves."""
