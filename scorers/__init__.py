"""The methods: one file each, found by `groundscope.methods.registry`, which documents how a file is laid out."""
