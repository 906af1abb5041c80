"""What stands before Streamlit in the app, hosts and the names of browsers; and verbs for the people of a team's server."""
