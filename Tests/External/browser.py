"""A minimal browser for sign-ins: it keeps cookies, follows redirects, and fills in forms."""

import html.parser
import urllib.parse

import httpx

REDIRECTS = 20


class Page:
    """The final page of the browser."""

    def __init__(self, url, status, text, headers):
        # As a reader sees apostrophes; the other escapes stay visible to tests.
        self.url, self.status, self.text, self.headers = str(url), status, text.replace("&#39;", "'"), headers
        self.forms = _Forms.of(text)

    @property
    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.url).query))

    @property
    def fragment(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.url).fragment))

    def __repr__(self):
        return f"<{self.status} {self.url} {self.text[:300]!r}>"


class Browser:
    """`app`: how the addresses begin that belong to the app. The browser stops there, for nothing listens."""

    def __init__(self, app):
        self.app = app
        # Longer than any time limit of the server's, many times over.
        self.client = httpx.Client(timeout=120)

    def open(self, url, method="GET", data=None):
        """Follows redirects to a page, or to the app."""
        for _ in range(REDIRECTS):
            if url.startswith(self.app):
                return Page(url, 0, "", {})
            response = self.client.request(method, url, data=data)
            if not response.is_redirect:
                return Page(url, response.status_code, response.text, response.headers)
            # httpx would encode the target again; a browser uses it unchanged.
            url = urllib.parse.urljoin(url, response.headers["location"])
            method, data = "GET", None
        raise AssertionError(f"redirected {REDIRECTS} times, at last to {url}")

    def step(self, url):
        """One request, and where it redirects to; nothing is followed."""
        response = self.client.get(url)
        assert response.is_redirect, f"{response.status_code} {response.text[:300]}"
        return urllib.parse.urljoin(url, response.headers["location"])

    def submit(self, page, button=None, **fields):
        """Submits the page's first form with all these fields. `button`: (name, value) of the pressed one."""
        fitting = [form for form in page.forms if fields.keys() <= form.fields.keys()]
        assert fitting, f"no form for {sorted(fields)} on {page}"
        form = fitting[0]
        values = {**form.fields, **fields, **dict([button] if button else [])}
        return self.open(urllib.parse.urljoin(page.url, form.action or page.url), form.method, values)

    def close(self):
        self.client.close()


class _Form:
    def __init__(self, action, method):
        self.action, self.method, self.fields = action, method.upper(), {}


class _Forms(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms = []

    @classmethod
    def of(cls, text):
        parser = cls()
        parser.feed(text)
        return parser.forms

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.forms.append(_Form(attributes.get("action"), attributes.get("method") or "GET"))
        elif tag == "input" and self.forms and attributes.get("name"):
            if attributes.get("type") == "checkbox" and "checked" not in attributes:
                return
            self.forms[-1].fields[attributes["name"]] = attributes.get("value") or ""
