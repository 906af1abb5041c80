"""What builds the site."""
