"""What methods that ask a chat model share: prompts, published messages of judges, claims placed on sentences."""

__all__ = ["evidence", "prompted", "published"]
