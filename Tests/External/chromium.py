"""A real headless Chromium, for a browser's own handling of cookies, forms, history, focus and layout."""

import os
import shutil
import urllib.parse

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import expect, sync_playwright
from program import PATIENCE_SECONDS

# Of every test that imports this, whichever others run in its process. The usual five seconds are for a quiet machine.
expect.set_options(timeout=PATIENCE_SECONDS * 1000)

# Paths of Chromium and browsers based on it; GATEHOUSE_BROWSER names another. Scripts/prepare.sh has the same list. The
# first draws no windows, and so takes far less CPU time.
PROGRAMS = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]

# The elements that the keyboard must reach, in document order.
CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea"
NARROW, WIDE = {"width": 320, "height": 640}, {"width": 1200, "height": 800}


def program():
    named = os.environ.get("GATEHOUSE_BROWSER")
    found = [path for path in map(shutil.which, [named] if named else PROGRAMS) if path]
    assert found, f"there is no {named or 'Chromium'}: `Scripts/prepare.sh test` installs it"
    return found[0]


class Chromium:
    """One process. Each user's browser in it has its own cookies."""

    def __init__(self):
        self.playwright = sync_playwright().start()
        try:
            # Without its sandbox it runs as root, and in a container; it sees no page but ours.
            self.browser = self.playwright.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        except BaseException:
            self.playwright.stop()
            raise

    def person(self, **options):
        context = self.browser.new_context(viewport=WIDE, **options)
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        return Tab(context.new_page())

    def close(self):
        try:
            self.browser.close()
        finally:
            self.playwright.stop()


class Tab:
    def __init__(self, page):
        self.page = page

    def another(self):
        """A second tab of the same browser."""
        return Tab(self.page.context.new_page())

    def open(self, address):
        self.page.goto(address)
        return self

    def choose(self, title):
        """Clicks the test user with this title on a stand-in's page."""
        self.row(title).get_by_role("button").click()
        return self

    def row(self, title):
        return self.page.get_by_role("listitem").filter(has=self.page.get_by_text(title, exact=True))

    def type_address(self, address):
        """Signs in with a typed address and the return key."""
        field = self.page.get_by_label("Email address")
        field.fill(address)
        field.press("Enter")
        return self

    def arrive(self, address):
        """Waits for the page at `address`, with any suffix."""
        self.page.wait_for_url(lambda url: url.partition("#")[0].partition("?")[0] == address)
        return self

    @property
    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.page.url).query))

    @property
    def fragment(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.page.url).fragment, keep_blank_values=True))

    @property
    def focused(self):
        """The focused element: its value, or its id without one."""
        return self.page.evaluate("() => document.activeElement.value || document.activeElement.id")

    def close(self):
        self.page.context.close()


# Accessibility.


def examine(page, options=None):
    """What axe finds wrong with a page. Its script, half a megabyte, is read once for each document."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"]} | (options or {})
    return AxeResults(page.evaluate("async options => ({ violations: (await axe.run(options)).violations })", options))


def barriers(tab, *tags):
    """The findings of axe, light and dark, and overflow on a small screen or at a large scale. `tags` select rules.

    The dark look has only other colours, so only the rules about colours look at it.
    """
    found = []
    for scheme, rules in [("light", list(tags)), ("dark", ["cat.color"])]:
        tab.page.emulate_media(color_scheme=scheme)
        for size in [NARROW, WIDE]:
            tab.page.set_viewport_size(size)
            results = examine(tab.page, {"runOnly": rules} if rules else None)
            found += [f"{scheme} {size['width']}: {results.generate_report()}"] * bool(results.violations_count)
            if tab.page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
                found.append(f"{scheme} {size['width']}: wider than the screen")
    small = "(all) => all.filter(e => e.getBoundingClientRect().height < 44).map(e => e.outerHTML)"
    return found + tab.page.eval_on_selector_all(CONTROLS, small)


def walk(tab):
    """Tabs once around the page. Returns the focused elements, the ones without a visible focus, and the expected ones."""
    tab.page.evaluate("() => document.activeElement.blur()")
    count = tab.page.locator(CONTROLS).count()
    reached, unseen = [], []
    for _ in range(count):
        tab.page.keyboard.press("Tab")
        reached.append(tab.focused)
        ring = tab.page.evaluate(
            """() => { const e = document.activeElement; const s = getComputedStyle(e);
                return [s.outlineStyle, s.outlineWidth, e === document.body] }"""
        )
        # The end of the page, where a field had the focus at first.
        if not ring[2] and (ring[0] in ("none", "hidden") or float(ring[1].removesuffix("px")) < 2):
            unseen.append(reached[-1])
    return reached, unseen, tab.page.eval_on_selector_all(CONTROLS, "(all) => all.map(e => e.value || e.id)")
