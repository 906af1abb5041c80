"""One thread for small matrices: two that wait for each other take ten times as long on a busy machine."""
