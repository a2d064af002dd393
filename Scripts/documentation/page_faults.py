"""Finds the faults of a screen's page in a browser."""

import os

from axe_playwright_python.sync_playwright import Axe

WIDTH, HEIGHT = 390, 844
# The axe-core impacts that make a page unusable for some users.
GRAVE = ("serious", "critical")

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_faults.js"), encoding="utf-8") as file:
    MEASURE = file.read()

# How much higher the phone must be to show the complete scrollable topmost layer.
HIDDEN_HEIGHT = """() => {
    const layers = document.querySelectorAll("main > .layer");
    const top = layers.length ? layers[layers.length - 1] : document.body;
    const scrolls = [...top.querySelectorAll("*")].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY));
    return Math.max(0, ...scrolls.map((e) => e.scrollHeight - e.clientHeight));
}"""
AXE = """async () => {
    const results = await axe.run({ resultTypes: ["violations"] });
    return results.violations.flatMap(({ id, impact, nodes }) => nodes.map((node) =>
        [impact, id, node.html.replace(/ style="[^"]*"/, "").slice(0, 160), node.any.map((c) => c.message).join("; ")]));
}"""


def open_page(browser):
    """A page as wide as a phone, in a Playwright browser, that axe-core is in."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=2)
    context.add_init_script(script=Axe().axe_script)
    return context.new_page()


def show(page, html):
    """Shows a page on a phone high enough to need no scrolling."""
    height, before = HEIGHT, float("inf")
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.set_content(html)
    while 0 < (hidden := page.evaluate(HIDDEN_HEIGHT)) < before:
        height, before = height + hidden, hidden
        page.set_viewport_size({"width": WIDTH, "height": height})
        page.evaluate("(height) => { document.body.style.height = height + 'px' }", height)


def faults(page):
    """Sentences; none when nothing is wrong."""
    found = page.evaluate(MEASURE)
    for impact, rule, html, why in page.evaluate(AXE):
        if impact in GRAVE:
            found.append(f"axe, {impact}: {rule}: {html}: {why}")
    return list(dict.fromkeys(found))
