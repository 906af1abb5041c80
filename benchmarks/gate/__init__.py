"""How often a gate fails a build that changed nothing, and how often it finds that answers became worse."""
