"""What ends with 1 where something is not as promised: evidence packs, and the answers of a pipeline."""
