"""The Arguments page as a user works with it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import idle, open_tab, steady

HOSTILE = "<img src=x onerror=alert(1)> $x$ **bold** [link](javascript:1)"


class Arguments:
    """The Arguments page as a user works with it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address

    def open(self) -> "Arguments":
        self.page.goto(f"{self.address}/arguments?arguments=example")
        idle(self.page)
        return self

    def tab(self, name: str) -> "Arguments":
        open_tab(self.page, name)
        return self

    def click(self, name: str) -> None:
        button = self.page.get_by_role("button", name=name, exact=True)
        steady(button)
        button.click()
        idle(self.page)

    def point(self, figure: str, number: int = 0) -> None:
        """Click on a point of a figure."""
        points = self.page.locator(f".st-key-chart_arguments_{figure} .scatterlayer path.point")
        expect(points.nth(number)).to_be_attached()
        self.press(points.nth(number))

    def press(self, mark: Locator) -> None:
        """Click on a mark of a figure: Plotly's own layer lies above its marks and takes the clicks."""
        box = steady(mark)
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        idle(self.page)

    def chosen(self, label: str) -> Locator:
        """A filter, whose value is what it stands at."""
        return self.page.get_by_role("combobox", name=label, exact=True)

    def paste(self, text: str, model: str = "") -> "Arguments":
        self.tab("Paste or load")
        self.page.get_by_role("textbox", name="Argument: JSON with three plies, or any text").fill(text)
        self.page.get_by_role("textbox", name="Author").fill(model)
        self.click("Show the argument")
        return self


@pytest.fixture
def arguments(page: Page, server: str) -> Arguments:
    return Arguments(page, server)
