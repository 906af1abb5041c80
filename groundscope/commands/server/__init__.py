"""What stands before Streamlit in the app: the hosts that it answers to, and a name for each browser."""
