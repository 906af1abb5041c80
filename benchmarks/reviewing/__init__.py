"""Speed of reviewing: the code behind the page, and a reviewer on the page."""
