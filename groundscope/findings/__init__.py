"""What checks and methods say of a response: one ordered list of findings, which every view, export and rule reads."""
