"""What the suites of imports share: how imports are begun, waited for and looked at."""

import hashlib
import pathlib
import sys
from datetime import datetime, timezone

import requests

import stories
from as_root import ROOT

sys.path.append(str(pathlib.Path(__file__).parents[1] / "doubles"))

ENDED = ("finished", "failed", "canceled")
HEADERS = {"PRIVATE-TOKEN": ROOT.private_token}


def near(**settings):
    """Lets the server reach this machine."""
    stories.api("PUT", "/application/settings", allow_local_requests_from_web_hooks_and_services=True, **settings)


def ask(path, /, method="POST", **body):
    """Any answer of the server."""
    return requests.request(method, f"{stories.URL}/api/v4{path}", headers=HEADERS, json=body, timeout=120)


def shown(project_id):
    """An import as it is told."""
    return stories.api("GET", f"/projects/{project_id}/import")


def ended(project_id):
    """An import that has ended."""
    return stories.until(lambda: shown(project_id), lambda it: it["import_status"] in ENDED)


def finished(record):
    """The project of an import that came through, and what is told of it."""
    told = ended(record["id"])
    assert told["import_status"] == "finished", told
    # Whatever was read came, or is told of.
    lost = {}
    for failed in told["failed_relations"]:
        lost[failed["relation_name"]] = lost.get(failed["relation_name"], 0) + 1
    fetched, imported = told["stats"]["fetched"], told["stats"]["imported"]
    assert all(imported.get(kind, 0) + lost.get(kind, 0) >= count for kind, count in fetched.items()), told
    return ROOT.projects.get(record["id"]), told


def failed(record):
    """Why an import failed."""
    told = ended(record["id"])
    assert told["import_status"] == "failed", told
    return told["import_error"]


def when(text):
    """A time as here, or as a client there reads it."""
    if isinstance(text, int):
        return datetime.fromtimestamp(text / 1000, timezone.utc)
    if text is None or isinstance(text, datetime):
        return text
    at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    # Times are told in thousandths of a second.
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def same(ours, theirs):
    assert ours == theirs, f"\nhere  {ours}\nthere {theirs}"


def who(login):
    """The username here begins with that of somebody there."""
    return {"ada": "ada-here", None: "ghost"}.get(login, f"{(login or '').replace('[bot]', 'bot')}_placeholder_user_")


def is_by(ours, login):
    username = ours["username"]
    assert username.startswith(who(login)), (username, login)


def said(notes):
    """What people said, the oldest first."""
    return sorted((note for note in notes if not note.system), key=lambda note: (note.created_at, note.body))


def threads(mr):
    """Threads of people, each a list of notes, by the first words."""
    all_of = [one.attributes["notes"] for one in mr.discussions.list(get_all=True)]
    return {notes[0]["body"]: notes for notes in all_of if not notes[0]["system"]}


def lines(note):
    position = note["position"]
    return position.get("old_line"), position.get("new_line")


def download(path):
    answer = requests.get(f"{stories.URL}/api/v4{path}", headers=HEADERS, timeout=30)
    assert answer.ok, (path, answer.status_code, answer.text)
    return answer.content


def large(path, content):
    """A large file, as git-lfs asks for it."""
    root = ("root", ROOT.private_token)
    oid = hashlib.sha256(content).hexdigest()
    wanted = {"operation": "download", "transfers": ["basic"], "objects": [{"oid": oid, "size": len(content)}]}
    kind = {"Accept": "application/vnd.git-lfs+json", "Content-Type": "application/vnd.git-lfs+json"}
    batch = requests.post(f"{stories.URL}/{path}.git/info/lfs/objects/batch", auth=root, json=wanted, headers=kind,
                          timeout=30)  # fmt: skip
    action = batch.json()["objects"][0]["actions"]["download"]
    return requests.get(action["href"], headers=action.get("header", {}), timeout=30).content
