"""python-gitlab, unmodified, plans with epics: issues, notes, labels and events of them."""

import os

import gitlab

import stories
from as_root import ROOT, group_with_project, refused
from stories import URL


def test_epics_are_made_found_changed_and_deleted():
    group, _ = group_with_project("planned")
    epic = group.epics.create(
        {"title": "Doors", "labels": ["oak", "brass"], "start_date": "2031-01-01", "end_date": "2031-02-01"}
    )
    assert (epic.iid, epic.labels) == (1, ["brass", "oak"])
    assert (epic.start_date, epic.end_date, epic.due_date) == ("2031-01-01", "2031-02-01", "2031-02-01")
    group.epics.create({"title": "Windows"})
    listed = group.epics.list(labels=["oak"], order_by="title", sort="asc", get_all=True)
    assert [one.title for one in listed] == ["Doors"]
    assert [one.title for one in group.epics.list(search="wind", get_all=True)] == ["Windows"]
    epic.title, epic.labels = "Gates", ["iron"]
    epic.save()
    assert group.epics.get(1).title == "Gates"
    group.epics.update(1, {"state_event": "close"})
    assert [one.iid for one in group.epics.list(state="closed", get_all=True)] == [1]
    assert {one.name for one in group.labels.list(get_all=True)} == {"oak", "brass", "iron"}
    events = group.epics.get(1).resourcelabelevents.list(get_all=True)
    assert {(one.action, one.label["name"]) for one in events} == {
        ("add", "oak"), ("add", "brass"), ("remove", "oak"), ("remove", "brass"), ("add", "iron"),
    }
    epic.delete()
    refused(404, lambda: group.epics.get(1))


def test_graphql_has_the_same_records_as_work_items():
    group, project = group_with_project("worked")
    epic = group.epics.create({"title": "Doors"})
    hinge = project.issues.create({"title": "Hinge"})
    with gitlab.GraphQL(URL, token=os.environ["TENON_TOKEN"]) as graph:
        listed = """{ group(fullPath: "worked") { workItems(types: [EPIC]) { count nodes { id iid title } } }
            namespace(fullPath: "worked") { workItem(iid: "1") { state widgets { type
                ... on WorkItemWidgetColor { color } } }
                workItemTypes(name: EPIC) { nodes { id name } } } }"""
        answer = graph.execute(listed)
        number = f"gid://service/WorkItem/{epic.work_item_id}"
        assert answer["group"]["workItems"] == {
            "count": 1, "nodes": [{"id": number, "iid": "1", "title": "Doors"}],
        }
        shown = answer["namespace"]["workItem"]
        assert shown["state"] == "OPEN"
        assert {"type": "COLOR", "color": epic.color} in shown["widgets"]
        kind = answer["namespace"]["workItemTypes"]["nodes"][0]
        assert kind["name"] == "Epic"
        create = """mutation { workItemCreate(input: {title: "Windows", namespacePath: "worked",
            workItemTypeId: "%s", hierarchyWidget: {parentId: "%s"}, colorWidget: {color: "#123456"}}) {
            workItem { id iid } errors } }"""
        made = graph.execute(create % (kind["id"], number))["workItemCreate"]
        assert made["errors"] == [] and made["workItem"]["iid"] == "2"
        update = """mutation { workItemUpdate(input: {id: "%s", title: "Gates",
            hierarchyWidget: {childrenIds: ["gid://service/WorkItem/%d"]}}) { errors
            workItem { widgets { ... on WorkItemWidgetHierarchy { children { nodes { title } } } } } } }"""
        changed = graph.execute(update % (number, hinge.id))["workItemUpdate"]
        assert changed["errors"] == []
        assert {"children": {"nodes": [{"title": "Windows"}, {"title": "Hinge"}]}} in changed["workItem"]["widgets"]
        link = """mutation { workItemAddLinkedItems(input: {id: "%s", workItemsIds: ["%s"],
            linkType: BLOCKS}) { message errors } }"""
        assert graph.execute(link % (number, made["workItem"]["id"]))["workItemAddLinkedItems"]["errors"] == []
        gone = 'mutation { workItemDelete(input: {id: "%s"}) { errors } }' % made["workItem"]["id"]
        window = group.epics.get(2)
        assert (window.title, window.color, window.parent_iid) == ("Windows", "#123456", 1)
        assert graph.execute(gone)["workItemDelete"] == {"errors": []}
    assert group.epics.get(1).title == "Gates"
    assert [one.title for one in group.epics.get(1).issues.list(get_all=True)] == ["Hinge"]
    refused(404, lambda: group.epics.get(2))


def test_issues_are_put_into_epics_and_ordered():
    group, project = group_with_project("filled")
    epic = group.epics.create({"title": "Doors"})
    made = [project.issues.create({"title": title}) for title in ("Hinge", "Lock")]
    hinge, lock = [epic.issues.create({"issue_id": one.id}) for one in made]
    refused(409, lambda: epic.issues.create({"issue_id": made[0].id}))
    assert [one.title for one in epic.issues.list(get_all=True)] == ["Hinge", "Lock"]
    lock.move_after_id = hinge.epic_issue_id
    lock.save()
    assert [one.title for one in epic.issues.list(get_all=True)] == ["Lock", "Hinge"]
    assert project.issues.get(1).epic["title"] == "Doors"
    assert [one.iid for one in project.issues.list(epic_id=epic.id, get_all=True)] == [1, 2][::-1]
    hinge.delete()
    assert [one.title for one in epic.issues.list(get_all=True)] == ["Lock"]


def test_notes_are_written_about_epics():
    group, _ = group_with_project("discussed")
    for title in ("Doors", "Windows"):
        group.epics.create({"title": title})
    epic = group.epics.get(2)
    note = epic.notes.create({"body": "Which?"})
    note.body = "Which ones?"
    note.save()
    assert epic.notes.get(note.id).body == "Which ones?"
    assert note.noteable_type == "Epic"
    note.delete()
    assert [one.body for one in epic.notes.list(get_all=True)] == []


def test_commands_in_notes_change_epics():
    group, project = group_with_project("commanded")
    for title in ("House", "Doors"):
        group.epics.create({"title": title})
    doors = group.epics.get(2)
    done = doors.notes.create({"body": "/label ~oak\n/parent_epic &1\n/close"})
    assert done.commands_changes["add_label_ids"] == ["oak"]
    assert done.summary[-1] == "Closed this epic."
    doors = group.epics.get(2)
    assert (doors.labels, doors.parent_iid, doors.state) == (["oak"], 1, "closed")
    issue = project.issues.create({"title": "Hinge", "description": "For &2"})
    issue.notes.create({"body": "/promote"})
    assert group.epics.get(3).title == "Hinge"
    assert project.issues.get(1).state == "closed"
    told = [one.body for one in doors.notes.list(get_all=True)]
    assert "mentioned in issue commanded/anvil#1" in told, told


def test_epics_are_found_by_words():
    group, _ = group_with_project("searched")
    group.epics.create({"title": "Weathercock"})
    assert [one["title"] for one in group.search("epics", "weathercock")] == ["Weathercock"]
    assert [one["iid"] for one in ROOT.search("epics", "weathercock")] == [1]


stories.run(globals())
