"""How often a judge changes its mind: the same answer asked about again, in another order, or in other words."""

__all__ = ["copies", "figures"]
