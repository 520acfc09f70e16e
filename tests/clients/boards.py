"""python-gitlab, unmodified, plans on boards of projects and groups."""

import stories
from as_root import ROOT, group_with_project, refused


def test_boards_are_made_renamed_and_deleted():
    group, project = group_with_project("boarded")
    for place in (group, project):
        assert place.boards.list(get_all=True) == []
        board = place.boards.create({"name": "Work"})
        assert (board.name, board.attributes["lists"]) == ("Work", [])
        board.name = "Doors"
        board.save()
        assert [one.name for one in place.boards.list(get_all=True)] == ["Doors"]
        assert place.boards.get(board.id).hide_backlog_list is False
        place.boards.update(board.id, {"hide_backlog_list": True})
        assert place.boards.get(board.id).hide_backlog_list is True
        place.boards.delete(board.id)
        refused(404, lambda: place.boards.get(board.id))


def test_columns_are_added_ordered_and_removed():
    group, project = group_with_project("columned")
    labels = [group.labels.create({"name": name, "color": "red"}) for name in ("doing", "done")]
    for place in (group, project):
        board = place.boards.create({"name": "Work"})
        doing, done = [board.lists.create({"label_id": label.id}) for label in labels]
        assert [one.label["name"] for one in board.lists.list(get_all=True)] == ["doing", "done"]
        refused(400, lambda: board.lists.create({"label_id": labels[0].id}))
        refused(400, lambda: board.lists.create({"label_id": 999999}))
        done.position = 0
        done.save()
        assert [one.id for one in board.lists.list(get_all=True)] == [done.id, doing.id]
        assert [one["id"] for one in place.boards.get(board.id).attributes["lists"]] == [done.id, doing.id]
        assert board.lists.get(doing.id).position == 1
        doing.delete()
        refused(404, lambda: board.lists.get(doing.id))


def test_the_order_of_a_board_is_that_of_the_list_by_hand():
    _, project = group_with_project("ordered")
    for title in ("Hinge", "Lock"):
        project.issues.create({"title": title})
    listed = project.issues.list(order_by="relative_position", get_all=True)
    assert [one.title for one in listed] == ["Lock", "Hinge"]


stories.run(globals())
