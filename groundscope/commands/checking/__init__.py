"""`check` and `verify`: exit code 1 if answers break a rule, or an evidence pack was changed."""
