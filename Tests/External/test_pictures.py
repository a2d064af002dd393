"""The check of the screens' pictures (Scripts/documentation/page_faults.py) finds each kind of fault."""

import os
import sys

import pytest

from chromium import Chromium

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "Scripts", "documentation"))

import page_faults  # noqa: E402

pytestmark = pytest.mark.skipif(os.environ.get("GATEHOUSE_BROWSER") == "none", reason="GATEHOUSE_BROWSER is none")

PAGE = """<!doctype html><html lang="en"><title>A screen</title><style>
    * { margin: 0; box-sizing: border-box } main, .layer { display: contents } .tall { height: 1500px }
    body { width: 390px; height: 844px; position: relative; overflow: hidden; font: 17px sans-serif; color: #000 }
    button { min-width: 44px; min-height: 44px } .scroll { height: 100%; overflow: hidden auto }
    </style><main><div class="layer" inert>BEHIND</div><div class="layer">TOP</div></main></html>"""

FAULTS = [
    ('<p style="width: 60px; overflow: hidden; white-space: nowrap">A line too long</p>', "clipped by"),
    ('<div style="height: 20px; overflow: hidden"><p>One<br>Two</p></div>', "clipped by"),
    ('<input aria-label="Name" placeholder="A long name" style="width: 60px; height: 44px">', "clipped by itself"),
    ('<p style="position: absolute; left: 370px">Beyond</p>', "outside the phone"),
    ('<p style="position: absolute; top: 840px">Below</p>', "outside the phone"),
    ('<button style="position: absolute; top: 820px">Low</button>', "outside the phone"),
    ('<p style="width: 60px; overflow-wrap: anywhere">Incomprehensible</p>', "broken within a word"),
    ('<p>One</p><p style="margin-top: -14px">Two</p>', "overlapping"),
    ('<button>One</button><button style="margin-inline-start: -20px">Two</button>', "overlapping"),
    ('<button style="min-height: 30px; height: 30px">OK</button>', "smaller than 44"),
    ('<p style="color: #aaa">Faint</p>', "color-contrast"),
    ('<button></button>', "button-name"),
]
FINE = [
    '<p>One line</p><p style="width: 80px">Words go to the next line</p>',
    '<p style="display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden">'
    + "A limit of lines cuts what is longer, which is what the limit is for</p>",
    '<div class="zstack" style="display: grid"><p style="grid-area: 1 / 1">A</p><button style="grid-area: 1 / 1">'
    + "On purpose</button></div>",
    '<p style="width: 120px; overflow-wrap: anywhere">Incompre&shy;hensible</p>',
    '<p style="width: 60px; overflow-wrap: anywhere">ada@example.com</p>',
    '<button disabled style="opacity: .4">Not now</button>',
    '<input aria-label="Name" value="What is typed may be longer" style="width: 60px; height: 44px">',
]


@pytest.fixture(scope="module")
def page():
    chromium = Chromium()
    yield page_faults.open_page(chromium.browser)
    chromium.close()


def found(page, top, behind=""):
    page_faults.show(page, PAGE.replace("TOP", top).replace("BEHIND", behind))
    return page_faults.faults(page)


@pytest.mark.parametrize("html,fault", FAULTS)
def test_each_fault_is_found(page, html, fault):
    faults = found(page, html)
    assert len(faults) == 1, faults
    assert fault in faults[0]


@pytest.mark.parametrize("html", FINE)
def test_intended_layout_is_not_a_fault(page, html):
    assert found(page, html) == []


def test_only_usable_elements_are_checked(page):
    assert found(page, "<p>Sure?</p>", behind='<p style="position: absolute; left: 370px; color: #aaa">Behind</p>') == []


def test_the_phone_grows_until_nothing_scrolls(page):
    assert found(page, '<div class="scroll" tabindex="0"><p class="tall">Long</p><button>Last</button></div>') == []
    assert page.viewport_size["height"] > 1500
    assert found(page, "<p>Short</p>") == []
    assert page.viewport_size["height"] == page_faults.HEIGHT
