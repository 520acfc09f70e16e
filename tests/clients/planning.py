"""python-gitlab, unmodified, plans: labels, milestones, issues, notes and to-dos."""

import os

import gitlab

import stories
from as_root import ROOT, group_with_project, refused
from stories import URL


def test_labels_are_made_subscribed_to_promoted_and_deleted():
    group, project = group_with_project("labels")
    label = project.labels.create({"name": "To do", "color": "#8899aa", "priority": 2})
    refused(409, lambda: project.labels.create({"name": "To do", "color": "red"}))
    assert project.labels.get("To do").id == label.id
    label.subscribe()
    assert label.subscribed is True
    label.unsubscribe()
    label.new_name, label.description = "Doing", "now"
    label.save()
    assert project.labels.get(label.id).name == "Doing"
    label.promote()
    assert [one.name for one in group.labels.list(get_all=True)] == ["Doing"]
    other = group.labels.create({"name": "bug", "color": "red"})
    other.delete()
    refused(404, lambda: group.labels.get("bug"))


def test_files_are_uploaded_and_searched_for_in_texts():
    _, project = group_with_project("attached")
    sent = project.upload("hinge 1.txt", filedata=b"it squeaks")
    assert sent["markdown"] == f"[hinge_1.txt]({sent['url']})", sent
    issue = project.issues.create({"title": "Squeaking", "description": sent["markdown"]})
    found = project.search("issues", "squeak")
    assert [one["iid"] for one in found] == [issue.iid], found
    assert "/uploads/" in ROOT.http_post("/markdown", post_data={
        "text": sent["markdown"], "gfm": True, "project": "attached/anvil",
    })["html"]
    refused(400, lambda: project.search("nothing_like_it", "squeak"))


def test_milestones_gather_issues():
    group, project = group_with_project("milestones")
    goal = project.milestones.create({"title": "1.0", "due_date": "2031-02-01"})
    project.issues.create({"title": "Hinge", "milestone_id": goal.id})
    assert [issue.title for issue in goal.issues()] == ["Hinge"]
    assert list(goal.merge_requests()) == []
    goal.state_event = "close"
    goal.save()
    assert project.milestones.get(goal.id).state == "closed"
    goal.promote()
    assert [one.title for one in group.milestones.list(get_all=True)] == ["1.0"]
    assert project.issues.list(get_all=True)[0].milestone["group_id"] == group.id


def test_issues_are_changed_found_and_deleted():
    group, project = group_with_project("issues")
    issue = project.issues.create({"title": "Hinge", "labels": ["bug", "door"], "weight": 2})
    assert (issue.iid, issue.labels) == (1, ["bug", "door"])
    issue.labels = ["bug"]
    issue.assignee_ids = [1]
    issue.save()
    assert project.issues.get(1).assignee["username"] == "root"
    found = project.issues.list(labels=["bug"], state="opened", search="hin", get_all=True)
    assert [one.iid for one in found] == [1]
    assert [one.iid for one in group.issues.list(assignee_id=1, get_all=True)] == [1]
    assert issue.id in [one.id for one in ROOT.issues.list(get_all=True)]
    pages = project.issues.list(pagination="keyset", order_by="created_at", iterator=True)
    assert [one.iid for one in pages] == [1]
    issue.state_event = "close"
    issue.save()
    assert issue.state == "closed"
    assert [one.state for one in issue.resourcestateevents.list(get_all=True)] == ["closed"]
    events = issue.resourcelabelevents.list(get_all=True)
    assert [(one.action, one.label["name"]) for one in events] == [
        ("add", "bug"),
        ("add", "door"),
        ("remove", "door"),
    ]
    issue.delete()
    refused(404, lambda: project.issues.get(1))


def test_issues_are_timed_linked_and_moved():
    group, project = group_with_project("moves")
    other = ROOT.projects.create({"name": "forge", "namespace_id": group.id})
    issue = project.issues.create({"title": "Hinge"})
    blocked = project.issues.create({"title": "Door"})
    issue.time_estimate("1d 2h")
    issue.add_spent_time("30m")
    # An issue that was fetched keeps the times it came with.
    timed = project.issues.get(issue.iid)
    assert timed.time_stats()["human_time_estimate"] == "1d 2h"
    assert issue.reset_spent_time()["total_time_spent"] == 0
    link = {"target_project_id": project.id, "target_issue_iid": blocked.iid, "link_type": "blocks"}
    source, target = issue.links.create(link)
    assert (source.iid, target.iid) == (1, 2)
    refused(409, lambda: issue.links.create(link))
    listed = issue.links.list(get_all=True)
    assert [one.link_type for one in listed] == ["blocks"]
    issue.links.delete(listed[0].issue_link_id)
    assert [user["username"] for user in issue.participants()] == ["root"]
    issue.move(other.id)
    assert [one.title for one in other.issues.list(get_all=True)] == ["Hinge"]
    assert project.issues.get(1).moved_to_id is not None


def test_notes_are_written_answered_and_reacted_to():
    _, project = group_with_project("notes")
    issue = project.issues.create({"title": "Hinge"})
    note = issue.notes.create({"body": "Oil it"})
    note.body = "Oil it twice"
    note.save()
    assert issue.notes.get(note.id).body == "Oil it twice"
    thread = issue.discussions.create({"body": "Which oil?"})
    thread.notes.create({"body": "The brown one"})
    bodies = [one["body"] for one in issue.discussions.get(thread.id).attributes["notes"]]
    assert bodies == ["Which oil?", "The brown one"]
    assert (thread.resolvable, thread.resolved) == (True, False)
    path = f"/projects/{project.id}/issues/{issue.iid}/discussions/{thread.id}"
    ROOT.http_put(path, post_data={"resolved": True})
    notes = issue.discussions.get(thread.id).attributes["notes"]
    assert [note["resolved_by"]["username"] for note in notes] == ["root", "root"]
    ROOT.http_put(path, query_data={"resolved": "false"})
    assert issue.discussions.get(thread.id).resolved is False
    award = issue.awardemojis.create({"name": "thumbsup"})
    assert project.issues.get(1).upvotes == 1
    refused(404, lambda: issue.awardemojis.create({"name": "thumbsup"}))
    award.delete()
    note.awardemojis.create({"name": "rocket"})
    assert [one.name for one in note.awardemojis.list(get_all=True)] == ["rocket"]
    note.delete()
    refused(404, lambda: issue.notes.get(note.id))


def test_todos_are_made_and_done():
    _, project = group_with_project("todos")
    issue = project.issues.create({"title": "Hinge"})
    issue.todo()
    mine = [todo for todo in ROOT.todos.list(get_all=True) if todo.target["id"] == issue.id]
    assert [(todo.action_name, todo.target_type) for todo in mine] == [("marked", "Issue")]
    mine[0].mark_as_done()
    issue.todo()
    ROOT.todos.mark_all_as_done()
    assert ROOT.todos.list(get_all=True) == []
    assert len(ROOT.todos.list(state="done", get_all=True)) >= 2


def test_graphql_tells_and_changes_the_same_issues():
    _, project = group_with_project("graph")
    issue = project.issues.create({"title": "Hinge", "labels": ["bug"]})
    project.issues.create({"title": "Door"})
    with gitlab.GraphQL(URL, token=os.environ["TENON_TOKEN"]) as graph:
        listed = """{ project(fullPath: "graph/anvil") {
            openIssuesCount issues(labelName: ["bug"]) { count nodes { iid title author { username }
            labels { nodes { title } } } } } }"""
        answer = graph.execute(listed)["project"]
        assert answer["openIssuesCount"] == 2
        assert answer["issues"] == {
            "count": 1,
            "nodes": [
                {
                    "iid": "1",
                    "title": "Hinge",
                    "author": {"username": "root"},
                    "labels": {"nodes": [{"title": "bug"}]},
                }
            ],
        }
        lock = """mutation { issueSetLocked(input: {projectPath: "graph/anvil", iid: "1", locked: true}) {
            issue { discussionLocked } errors } }"""
        locked = graph.execute(lock)["issueSetLocked"]
        assert locked == {"issue": {"discussionLocked": True}, "errors": []}
        note = """mutation { createNote(input: {noteableId: "gid://service/Issue/%d", body: "oil"}) {
            note { body author { username } } errors } }"""
        written = graph.execute(note % issue.id)["createNote"]
        assert written == {"note": {"body": "oil", "author": {"username": "root"}}, "errors": []}
    assert project.issues.get(1).discussion_locked is True
    assert [one.body for one in project.issues.get(1).notes.list(get_all=True) if not one.system] == ["oil"]


stories.run(globals())
