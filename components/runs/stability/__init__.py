"""The page of stability: how often each judge changes its mind."""
