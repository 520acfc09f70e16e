"""aiosmtpd takes the server's mails, as the mail server of an organisation does.

What it was sent is read by Python's own parser and left with one click, by the mail's
own headers alone, as mail programs do it (RFC 8058).
"""

import email
import email.policy
import os
import re
import threading
import urllib.parse

import gitlab
import requests
from aiosmtpd.controller import Controller

import stories
from stories import URL

ROOT = gitlab.Gitlab(URL, private_token=os.environ["TENON_TOKEN"])


class Inbox:
    """What a mail server has taken, and whom it does not take mail for."""

    def __init__(self):
        self.taken, self.busy, self.unknown = [], {}, set()
        self.lock = threading.Lock()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.unknown:
            return "550 no such user"
        if self.busy.get(address, 0) > 0:
            self.busy[address] -= 1
            return "451 try again later"
        envelope.rcpt_tos.append(address)
        return "250 go on"

    async def handle_DATA(self, server, session, envelope):
        with self.lock:
            self.taken.append((list(envelope.rcpt_tos), envelope.content))
        return "250 taken"

    def mails_to(self, address):
        with self.lock:
            own = [content for to, content in self.taken if to == [address]]
        return [email.message_from_bytes(one, policy=email.policy.default) for one in own]


INBOX = Inbox()


def person(name):
    """A new user, and python-gitlab as that user."""
    user = ROOT.users.create({
        "username": name, "name": name.title(), "email": f"{name}@example.org",
        "password": "plain-words-for-a-test", "skip_confirmation": True,
    })
    token = user.impersonationtokens.create({"name": "t", "scopes": ["api"]})
    return user, gitlab.Gitlab(URL, private_token=token.token)


def desk(path, *users):
    """A project of these people, as the last of them sees it."""
    group = ROOT.groups.create({"name": path, "path": path})
    project = ROOT.projects.create({"name": "anvil", "namespace_id": group.id})
    for user, _ in users:
        project.members.create({"user_id": user.id, "access_level": 30})
    return users[-1][1].projects.get(project.id)


def about(address, title, count):
    """So many mails to somebody about an issue, in the order they came."""
    def look():
        return [mail for mail in INBOX.mails_to(address) if title in mail["Subject"]]
    return stories.until(look, lambda many: len(many) >= count)


def test_a_conversation_comes_whole():
    joe, jane = person("joe-smtp"), person("jane-smtp")
    project = desk("smtp", joe, jane)
    words = "It squeaks, «grün» and *loud*.\n\n" + "a long line " * 200
    issue = project.issues.create({
        "title": "Die Tür quietscht", "description": words, "assignee_ids": [joe[0].id],
    })
    first = about(joe[0].email, "Die Tür", 1)[0]
    thread = issue.discussions.create({"body": "Oil it"})
    note = about(joe[0].email, "Die Tür", 2)[1]
    thread.notes.create({"body": "With what?"})
    answer = about(joe[0].email, "Die Tür", 3)[2]

    host = urllib.parse.urlparse(URL).hostname
    begun = f"<issue_{issue.id}@{host}>"
    assert first["Message-ID"] == begun and first["In-Reply-To"] is None, first.items()
    said = thread.attributes["notes"][0]["id"]
    assert note["Message-ID"] == f"<note_{said}@{host}>"
    assert (note["In-Reply-To"], note["References"]) == (begun, begun)
    assert answer["In-Reply-To"] == note["Message-ID"]
    assert answer["References"].split() == [begun, note["Message-ID"]]
    assert first["Subject"] == "anvil | Die Tür quietscht (#1)", first["Subject"]
    assert note["Subject"] == f"Re: {first['Subject']}"
    assert first["List-Id"].endswith(f"<anvil.smtp.{host}>"), first["List-Id"]
    assert first["To"] == joe[0].email and first["From"].startswith("Jane-Smtp <")
    assert first["Date"].datetime.tzinfo is not None

    plain, html = first.iter_parts()
    assert plain.get_content_type() == "text/plain" and html.get_content_type() == "text/html"
    assert "«grün» and *loud*" in plain.get_content()
    assert "«grün» and <em>loud</em>" in html.get_content()
    for _, content in INBOX.taken:
        lines = content.split(b"\r\n")
        # RFC 5321 4.5.3.1.6, and nothing that a server without 8BITMIME would break.
        assert all(len(line) <= 998 and line.isascii() for line in lines), content


def test_one_click_leaves_one_thread_by_the_mails_own_headers():
    joe, jane = person("joe-click"), person("jane-click")
    project = desk("click", joe, jane)
    noisy = project.issues.create({"title": "Noisy", "assignee_ids": [joe[0].id]})
    other = project.issues.create({"title": "Other", "assignee_ids": [joe[0].id]})
    mail = about(joe[0].email, "Noisy", 1)[0]
    about(joe[0].email, "Other", 1)

    name, _, value = mail["List-Unsubscribe-Post"].partition("=")
    assert (name, value) == ("List-Unsubscribe", "One-Click")
    addresses = re.findall(r"<([^>]+)>", mail["List-Unsubscribe"])
    [address] = [one for one in addresses if one.startswith(("http://", "https://"))]
    # Whoever looks for viruses at the end of links changes nothing.
    for look in (requests.get, requests.head):
        assert look(address).ok
    noisy.notes.create({"body": "Still there?"})
    about(joe[0].email, "Noisy", 2)

    left = requests.post(address, data={name: value}, allow_redirects=False)
    assert left.status_code == 200 and not left.cookies, (left.status_code, left.cookies)
    noisy.notes.create({"body": "Nobody hears it"})
    other.notes.create({"body": "The other goes on"})
    about(joe[0].email, "Other", 2)
    assert len(about(joe[0].email, "Noisy", 2)) == 2
    # Named, they are told all the same.
    noisy.notes.create({"body": "@joe-click, look"})
    about(joe[0].email, "Noisy", 3)


def test_a_busy_mail_server_gets_a_mail_again_and_a_refused_one_is_let_go():
    joe, ann, jane = person("joe-busy"), person("ann-gone"), person("jane-busy")
    project = desk("busy", joe, ann, jane)
    INBOX.busy[joe[0].email] = 1
    INBOX.unknown.add(ann[0].email)
    issue = project.issues.create({"title": "Busy", "assignee_ids": [joe[0].id]})
    # It comes a quarter of a minute later, once.
    mail = about(joe[0].email, "Busy", 1)[0]
    assert mail["Message-ID"].startswith(f"<issue_{issue.id}@"), mail["Message-ID"]
    ann[1].projects.get(project.id).issues.get(1).subscribe()
    issue.notes.create({"body": "Oil it"})
    about(joe[0].email, "Busy", 2)
    issue.notes.create({"body": "Paint it"})
    assert len(about(joe[0].email, "Busy", 3)) == 3
    assert not INBOX.mails_to(ann[0].email)


if __name__ == "__main__":
    server = Controller(INBOX, hostname="127.0.0.1", port=int(os.environ["SMTP_PORT"]))
    server.start()
    try:
        stories.run(globals())
    finally:
        server.stop()
