"""Clients of chat models: providers, faults, retries, rate limits; every reply is cached and paid for from a budget."""

__all__ = ["batches", "ceilings", "faults", "model", "provider", "transport"]
