"""What `run --on ray` costs, and what reading its results costs."""
