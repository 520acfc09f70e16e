"""python-gitlab lists what people did, and newsboat reads it as feeds. Both unmodified."""

import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile

import gitlab

import stories
from as_root import ROOT, refused
from oauth_user import Person
from stories import URL


def worked_on(path):
    """A project in which something was done."""
    group = ROOT.groups.create({"name": path, "path": path})
    project = ROOT.projects.create({"name": "anvil", "namespace_id": group.id})
    issue = project.issues.create({"title": "Hinge & <bolt>"})
    issue.notes.create({"body": "It squeaks."})
    issue.state_event = "close"
    issue.save()
    project.milestones.create({"title": "1.0"})
    return project


def deeds(events):
    return [(event.action_name, event.target_type, event.target_title) for event in events]


def test_events_are_listed_and_narrowed():
    project = worked_on("told")
    title = "Hinge & <bolt>"
    expected = [
        ("opened", "Milestone", "1.0"),
        ("closed", "Issue", title),
        ("commented on", "Note", title),
        ("opened", "Issue", title),
        ("created", None, None),
    ]
    listed = project.events.list(get_all=True)
    assert deeds(listed) == expected, deeds(listed)
    assert listed[2].note["body"] == "It squeaks." and listed[2].author["username"] == "root"
    assert deeds(ROOT.events.list(per_page=5, page=1, get_all=False)) == expected
    user = ROOT.users.list(username="root")[0]
    assert deeds(user.events.list(per_page=5, get_all=False)) == expected
    closed = project.events.list(action="closed", target_type="issue", get_all=True)
    assert deeds(closed) == expected[1:2]
    assert deeds(project.events.list(sort="asc", get_all=True)) == expected[::-1]
    assert project.events.list(before="2001-02-03", get_all=True) == []
    assert project.events.list(after="2101-02-03", get_all=True) == []
    refused(400, lambda: project.events.list(action="nothing_like_it"))
    refused(400, lambda: ROOT.events.list(before="abc"))
    pages = [one.id for one in project.events.list(iterator=True, per_page=2)]
    assert pages == [one.id for one in listed], pages
    refused(401, lambda: gitlab.Gitlab(URL).events.list())


def feed_token():
    """The token that the administrator's page shows."""
    person = Person()
    person.open(f"{URL}/users/sign_in")
    page = person.open(f"{URL}/-/user_settings/tokens").text
    return re.search(r"feed-(?!token)[\w-]{20,}", page).group()


def read_by_newsboat(address):
    """Titles and addresses of what newsboat finds in a feed."""
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / "urls").write_text(f"{address}\n")
        (home / "config").write_text("download-retries 1\n")
        cache = home / "cache.db"
        command = ["newsboat", "-u", home / "urls", "-c", cache, "-C", home / "config"]
        environment = os.environ | {"HOME": folder}
        # The second time it has the feed already, and is told so.
        for _ in range(2):
            done = subprocess.run(
                [*command, "-x", "reload"],
                capture_output=True, text=True, timeout=120, env=environment,
            )
            assert done.returncode == 0, done.stderr
        with sqlite3.connect(cache) as known:
            return known.execute("select title, url from rss_item order by id").fetchall()


def test_newsboat_reads_feeds():
    worked_on("read")
    token = feed_token()
    for path in ["read/anvil", "read", "root", "dashboard/projects"]:
        entries = dict(read_by_newsboat(f"{URL}/{path}.atom?feed_token={token}"))
        title = "Administrator opened #1 Hinge & <bolt> in read/anvil"
        assert title in entries, (path, entries)
        note = entries["Administrator commented on #1 Hinge & <bolt> in read/anvil"]
        assert note.startswith(f"{URL}/read/anvil/-/issues/1#note_"), note
        if path == "read/anvil":
            assert len(entries) == 5, entries
    # Without the token there is no such feed.
    assert read_by_newsboat(f"{URL}/read/anvil.atom") == []


stories.run(globals())
