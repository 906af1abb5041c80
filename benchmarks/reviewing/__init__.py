"""What reviewing costs: the code behind the page, and a reviewer on the page."""
