"""Overview: what Groundscope does, on one live sample; ways in with a case of one's own; and what serves all pages."""

import streamlit as st

if __name__ == "__main__":
    from components import shell
    from components.cases import page
    from components.heatmap import view

    shell.frame("Overview")
    view.introduction()
    with st.container(horizontal=True):
        if st.button("Paste your own question, sources and answer", key="go_paste", type="primary"):
            st.switch_page("pages/cases.py")
        if st.button("Upload a file of cases", key="go_upload"):
            st.switch_page("pages/cases.py", query_params={"from": "upload"})
    view.example()
    shell.section("Try another question")
    page.showcase()
    st.page_link("pages/compare.py", label="Compare the methods on the samples: F1 and seconds")
else:
    # Streamlit runs this file as a page, and imports it once to serve it: `streamlit run app.py` has this layer, too.
    from urllib.parse import urlencode

    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import RedirectResponse
    from starlette.routing import Route

    from components.worker.scoring_process import processes
    from groundscope.commands.server.layers import NamedBrowsers, OwnHosts
    from groundscope.commands.terminal import REFUSED, say
    from groundscope.errors import GroundscopeError
    from groundscope.files.private import begin

    if closed := begin():
        say(closed)
    try:
        processes()
    except GroundscopeError as error:
        say(str(error))
        raise SystemExit(REFUSED) from None

    def show_error(error: Exception) -> bool:
        """Say why a page stopped; imported then, as a page's imports are slow and the server starts without them."""
        from components import shell

        return shell.show_error(error)

    def stability(request: Request) -> RedirectResponse:
        """Stability was a page of its own: its links lead to the tab, with the run that they name."""
        return RedirectResponse(f"sensitivity?{urlencode([*request.query_params.multi_items(), ('view', 'Stability')])}")

    def live(_: Request) -> RedirectResponse:
        """Traces were watched on a page Live; their files are uploaded now."""
        return RedirectResponse("cases?from=upload")

    routes = [Route("/stability", stability), Route("/live", live)]
    app = st.App(
        __file__, routes=routes, middleware=[Middleware(OwnHosts), Middleware(NamedBrowsers)], on_script_error=show_error
    )
