"""What was cancelled or cannot be read is not read again before the user asks for it."""

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from components.state import own
    from components.worker.reading import read_once
    from groundscope.errors import DataError

    def read() -> str:
        times = own("times", [])
        times.append(1)
        if len(times) == 1:
            raise DataError("It is too long.")
        return "read"

    st.text(read_once("key", read) or "")
    st.button("Other")


def test_what_cannot_be_read_is_read_again_only_when_asked() -> None:
    app = AppTest.from_function(_page).run()
    assert "It is too long." in [text.value for text in app.text]
    app.button[1].click().run()
    assert len(app.session_state["times"]) == 1
    next(button for button in app.button if button.label == "Read it again").click().run()
    assert "read" in [text.value for text in app.text]
    assert [button.label for button in app.button] == ["Other"]
