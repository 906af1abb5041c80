"""What methods get wrong: each call beside its label, the cases behind a number, and the table by error type."""
