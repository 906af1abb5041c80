"""Widgets and drawing: with app.py and pages/ the only code that imports streamlit."""
