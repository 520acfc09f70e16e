"""A person at the pages of the server, for the OAuth suites in Python.

As a program it is what suites put in the place of a browser: it walks the
address it is given through sign-in and consent, up to the application.
"""

import html.parser
import os
import sys
import urllib.parse

import requests

import stories
from stories import URL, api


class Forms(html.parser.HTMLParser):
    """The forms of a page: where they go, their fields and their buttons."""

    def __init__(self, page):
        super().__init__()
        self.found, self.button = [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.found.append({"action": values.get("action"), "fields": {}, "buttons": {}})
        elif not self.found:
            return
        elif tag == "input" and "name" in values and values.get("type") != "checkbox":
            self.found[-1]["fields"][values["name"]] = values.get("value") or ""
        elif tag == "button":
            self.button = (values.get("name"), values.get("value"))

    def handle_data(self, text):
        if self.button and text.strip():
            self.found[-1]["buttons"][text.strip()] = self.button
            self.button = None


class Person:
    """A browser of the administrator; sign-in happens when it is asked for."""

    def __init__(self):
        self.session = requests.Session()

    def authorize(self, address, button="Authorize"):
        """The address that an application's request ends with."""
        page = self.open(address)
        while not self.has_left(page):
            page = self.press(page, button)
        return page.headers["Location"]

    def connect_device(self, address, code, button="Authorize"):
        """Types the code that a device shows, and decides."""
        page = self.open(address)
        page = self.press(page, "Continue", user_code=code)
        return self.press(page, button).text

    def open(self, address):
        """The page there, after sign-in if that is what the server wants."""
        page = self.follow(self.session.get(address, allow_redirects=False))
        if not self.has_left(page) and "/users/sign_in" in page.url:
            page = self.press(
                page, "Sign in", login="root", password=os.environ["TENON_ROOT_PASSWORD"]
            )
        return page

    def press(self, page, button, **typed):
        """Sends the form of a page that has this button."""
        form = next(form for form in Forms(page.text).found if button in form["buttons"])
        fields = form["fields"] | typed
        name, value = form["buttons"][button]
        if name:
            fields[name] = value
        address = urllib.parse.urljoin(page.url, form["action"])
        return self.follow(self.session.post(address, data=fields, allow_redirects=False))

    def follow(self, reply):
        """Follows redirects within the server."""
        while reply.is_redirect and not self.has_left(reply):
            address = urllib.parse.urljoin(reply.url, reply.headers["Location"])
            reply = self.session.get(address, allow_redirects=False)
        assert reply.status_code < 400, (reply.status_code, reply.url, reply.text)
        return reply

    def has_left(self, reply):
        """Whether an answer leads to another host or port."""
        location = urllib.parse.urljoin(reply.url, reply.headers.get("Location", ""))
        return not location.startswith(URL + "/")


def register(redirect_uri, scopes, confidential=True):
    """An application of the instance: its id, and its secret if it has one."""
    made = api(
        "POST",
        "/applications",
        name="A stock client",
        redirect_uri=redirect_uri,
        scopes=scopes,
        confidential=confidential,
    )
    return made["application_id"], made.get("secret")


def run(tests):
    """Runs every test of a suite and says how many passed."""
    # The stories sign in more often than one person would.
    api("PUT", "/application/settings", sign_in_limit_per_minute=1000)
    stories.run(tests)


if __name__ == "__main__":
    requests.get(Person().authorize(sys.argv[1])).raise_for_status()
