"""How a run on Ray goes on after kills, keeps to a rate limit, and how many judgements it makes in a second."""
