"""Finds the faults of a screen's page in a browser."""

import os

from axe_playwright_python.sync_playwright import Axe

# Width and height in points, upright.
DEVICES = {"iphone": (390, 844), "ipad": (834, 1194), "mac": (1000, 700)}
WIDTH, HEIGHT = DEVICES["iphone"]
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
SIZE = """([width, height, device]) => {
    Object.assign(document.body.style, { width: width + "px", height: height + "px" });
    document.documentElement.dataset.device = device;
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


def show(page, html, device="iphone"):
    """Shows a page on a device high enough to need no scrolling."""
    (width, height), before = DEVICES[device], float("inf")
    page.set_viewport_size({"width": width, "height": height})
    page.set_content(html)
    page.evaluate(SIZE, [width, height, device])
    while 0 < (hidden := page.evaluate(HIDDEN_HEIGHT)) < before:
        height, before = height + hidden, hidden
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("(height) => { document.body.style.height = height + 'px' }", height)


def faults(page):
    """Sentences; none when nothing is wrong."""
    found = page.evaluate(MEASURE)
    for impact, rule, html, why in page.evaluate(AXE):
        if impact in GRAVE:
            found.append(f"axe, {impact}: {rule}: {html}: {why}")
    return list(dict.fromkeys(found))
