"""What a page has drawn."""

from streamlit.testing.v1 import AppTest


def html(app: AppTest) -> str:
    """All HTML of the page, in its order; the page has drawn without an error."""
    assert not app.exception, app.exception
    return "\n".join(str(element.proto.body) for element in app.get("html"))
