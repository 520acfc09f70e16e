"""python-gitlab chooses what it is told of; mutt, as Debian ships it, shows the mails.

The server leaves its mails in a folder, as a mail server would in a mailbox. mutt has
them as threads, by their headers alone, and a program leaves one with one click.
"""

import email
import email.policy
import os
import pathlib
import pty
import re
import select
import subprocess
import tempfile
import time

import gitlab
import requests

import stories
from stories import URL

ROOT = gitlab.Gitlab(URL, private_token=os.environ["TENON_TOKEN"])
MAIL = pathlib.Path(os.environ["TENON_MAIL"])


def person(name):
    """A new user, and python-gitlab as that user."""
    user = ROOT.users.create({
        "username": name, "name": name.title(), "email": f"{name}@example.org",
        "password": "plain-words-for-a-test", "skip_confirmation": True,
    })
    token = user.impersonationtokens.create({"name": "t", "scopes": ["api"]})
    return user, gitlab.Gitlab(URL, private_token=token.token)


def project_with(path, *users):
    group = ROOT.groups.create({"name": path, "path": path})
    project = ROOT.projects.create({"name": "anvil", "namespace_id": group.id})
    for user in users:
        project.members.create({"user_id": user.id, "access_level": 30})
    return project


def mails_to(address, about):
    """The mails to somebody that have this in their subject, the oldest first."""
    read = [
        email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        for path in sorted(MAIL.glob("*.eml"))
    ]
    return [mail for mail in read if mail["To"] == address and about in mail["Subject"]]


def shown_by_mutt(mails):
    """The lines of mutt's index of these mails, sorted into threads."""
    with tempfile.TemporaryDirectory() as home:
        box = pathlib.Path(home, "box")
        for part in ("cur", "new", "tmp"):
            (box / part).mkdir(parents=True)
        # In another order than they came in.
        for number, mail in enumerate(reversed(mails)):
            (box / "cur" / f"{number}.m:2,S").write_bytes(mail.as_bytes())
        pathlib.Path(home, "rc").write_text(
            f'set folder="{home}"\nset sort=threads ascii_chars\nset index_format="@%s@"\n'
        )
        return screen(["mutt", "-n", "-R", "-F", f"{home}/rc", "-f", str(box)], home)


def screen(command, home):
    """What a program draws on a terminal before it is told to quit."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="vt100", HOME=home, COLUMNS="120", LINES="40", LC_ALL="C.UTF-8")
        os.execvp(command[0], command)
    drawn, end = b"", time.monotonic() + 20
    while time.monotonic() < end and b"@" not in drawn:
        if select.select([terminal], [], [], 1)[0]:
            drawn += os.read(terminal, 65536)
    while select.select([terminal], [], [], 1)[0]:
        drawn += os.read(terminal, 65536)
    os.write(terminal, b"x")
    os.close(terminal)
    os.waitpid(pid, 0)
    return re.findall(r"@([^@]*)@", re.sub(r"\x1b[\[(][0-9;?]*[A-Za-z]", "", drawn.decode()))


def test_settings_are_chosen():
    user, jane = person("jane-settings")
    project = project_with("settings", user)
    settings = jane.notificationsettings.get()
    assert (settings.level, settings.notification_email) == ("participating", user.email)
    settings.level = "watch"
    settings.save()
    assert jane.notificationsettings.get().level == "watch"
    for place in (jane.projects.get(project.id), jane.groups.get("settings")):
        own = place.notificationsettings.get()
        assert own.level == "global"
        own.level, own.new_note = "custom", True
        own.save()
        own = place.notificationsettings.get()
        assert own.level == "custom" and own.events["new_note"] is True, own
        assert own.events["close_issue"] is False, own
    settings.notification_email = "joe@example.org"
    try:
        settings.save()
        raise AssertionError("an address of somebody else")
    except gitlab.exceptions.GitlabUpdateError as error:
        assert error.response_code == 400, error


def test_mutt_shows_threads_and_one_click_leaves_one():
    joe, _ = person("joe-mail")
    jane, as_jane = person("jane-mail")
    project = project_with("mail", joe, jane)
    desk = as_jane.projects.get(project.id)
    issues = [
        desk.issues.create({"title": title, "assignee_ids": [joe.id]})
        for title in ("The hinge squeaks", "The door is Grün")
    ]
    stories.until(lambda: len(mails_to(joe.email, "anvil |")), lambda many: many == 2)
    talk = issues[0].discussions.create({"body": "Oil it"})
    stories.until(lambda: len(mails_to(joe.email, "anvil |")), lambda many: many == 3)
    talk.notes.create({"body": "With what?"})
    issues[0].state_event = "close"
    issues[0].save()
    issues[1].notes.create({"body": "Paint it"})
    mails = stories.until(lambda: mails_to(joe.email, "anvil |"), lambda many: len(many) == 6)

    lines = shown_by_mutt(mails)
    begun = [line for line in lines if "->" not in line]
    assert len(lines) == 6 and len(begun) == 2, lines
    assert "The hinge squeaks (#1)" in "".join(begun), lines
    # The answer hangs below the note that it answers, not beside it.
    assert any(re.match(r"^(\| |  )[`|]->", line) for line in lines), lines

    # Jobs send them at once, so the first of one thread may come behind the other's.
    mail = next(mail for mail in mails if "(#1)" in mail["Subject"])
    assert mail["From"].startswith("Jane-Mail <"), mail["From"]
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["X-Service-NotificationReason"] == "assigned"
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
    link = re.match(r"<([^>]*)>", mail["List-Unsubscribe"]).group(1)
    assert requests.get(link).ok
    issues[0].notes.create({"body": "Still there"})
    mails = stories.until(lambda: mails_to(joe.email, "anvil |"), lambda many: len(many) == 7)
    left = requests.post(link, data=mail["List-Unsubscribe-Post"])
    assert left.ok and "You get no more mail" in left.text, left.text
    issues[0].notes.create({"body": "Nobody hears it"})
    issues[1].notes.create({"body": "The other goes on"})
    mails = stories.until(lambda: mails_to(joe.email, "anvil |"), lambda many: len(many) == 8)
    assert "(#2)" in mails[-1]["Subject"], mails[-1]["Subject"]


if __name__ == "__main__":
    assert subprocess.run(["mutt", "-v"], capture_output=True, check=True).stdout
    stories.run(globals())
