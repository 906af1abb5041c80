"""The methods page: what each method measures and needs, its weights and options."""
