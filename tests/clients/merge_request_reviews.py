"""python-gitlab, unmodified, reviews merge requests: threads, drafts, approvals, marks, times."""

import gitlab

import stories
from as_root import refused
from proposals import LIST, commit, forge, member, proposed, settled
from stories import URL, until


def changed(project, branch="anvil"):
    """A merge request that changes the seventh of twenty lines."""
    return proposed(project, branch, {"list.txt": LIST.replace("7\n", "seven\n", 1)}, action="update")


def on_line(request, **lines):
    """A position in what it changes now."""
    return {
        "position_type": "text", "old_path": "list.txt", "new_path": "list.txt",
        **request.diff_refs, **lines,
    }


def bodies(discussion):
    return [one["body"] for one in discussion.attributes["notes"]]


def test_threads_are_begun_answered_and_resolved():
    _, project = forge("threads")
    made = proposed(project, "anvil")
    thread = made.discussions.create({"body": "Is it iron?"})
    assert thread.id in [one.id for one in made.discussions.list(get_all=True)]
    answer = thread.notes.create({"body": "yes"})
    answer = thread.notes.get(answer.id)
    answer.body = "It is."
    answer.save()
    assert bodies(made.discussions.get(thread.id)) == ["Is it iron?", "It is."]
    answer.delete()
    assert bodies(made.discussions.get(thread.id)) == ["Is it iron?"]
    project.only_allow_merge_if_all_discussions_are_resolved = True
    project.save()
    assert settled(project, 1).detailed_merge_status == "discussions_not_resolved"
    thread = made.discussions.get(thread.id)
    thread.resolved = True
    thread.save()
    assert made.discussions.get(thread.id).attributes["notes"][0]["resolved"] is True
    now = settled(project, 1)
    assert (now.blocking_discussions_resolved, now.detailed_merge_status) == (True, "mergeable")


def test_threads_stand_on_lines():
    _, project = forge("lines")
    made = changed(project)
    for lines, shown in [
        ({"new_line": 7}, (None, 7)),
        ({"old_line": 7}, (7, None)),
        ({"old_line": 5, "new_line": 5}, (5, 5)),
        ({"old_line": 20, "new_line": 20}, (20, 20)),
    ]:
        thread = made.discussions.create({"body": "Here", "position": on_line(made, **lines)})
        (note,) = thread.attributes["notes"]
        position = note["position"]
        assert note["type"] == "DiffNote"
        assert (position["old_line"], position["new_line"]) == shown
        assert {key: position[key] for key in made.diff_refs} == made.diff_refs
    wrong = {"body": "Nowhere", "position": on_line(made, new_line=99)}
    refused(400, lambda: made.discussions.create(wrong))
    refused(400, lambda: made.discussions.create({"body": "x", "position": {"position_type": "text"}}))

    first = made.discussions.list(get_all=True)[0]
    commit(project, "anvil", {"list.txt": "0\n" + LIST.replace("7\n", "seven\n", 1)}, action="update")
    sha = project.branches.get("anvil").commit["id"]
    place = lambda: made.discussions.get(first.id).attributes["notes"][0]["position"]
    assert until(place, lambda it: it["head_sha"] == sha)["new_line"] == 8


def test_notes_are_written_changed_and_removed():
    _, project = forge("noted")
    made = proposed(project, "anvil")
    note = made.notes.create({"body": "Good iron."})
    assert (note.type, note.noteable_type, note.resolvable) == (None, "MergeRequest", False)
    note.body = "Better iron."
    note.save()
    assert made.notes.get(note.id).body == "Better iron."
    reaction = note.awardemojis.create({"name": "tractor"})
    assert [one.name for one in note.awardemojis.list(get_all=True)] == ["tractor"]
    reaction.delete()
    note.delete()
    refused(404, lambda: made.notes.get(note.id))
    heart = made.awardemojis.create({"name": "thumbsup"})
    assert made.awardemojis.get(heart.id).user["username"] == "root"
    assert project.mergerequests.get(1).upvotes == 1
    heart.delete()
    assert made.awardemojis.list(get_all=True) == []


def test_drafts_are_published_together():
    _, project = forge("drafted")
    _, own = member(project)
    made = changed(project)
    theirs = own.mergerequests.get(1)
    thread = made.discussions.create({"body": "Why?"})
    first = theirs.draft_notes.create({"note": "first"})
    theirs.draft_notes.create({"note": "On a line", "position": on_line(made, new_line=7)})
    reply = {"note": "So", "in_reply_to_discussion_id": thread.id, "resolve_discussion": True}
    theirs.draft_notes.create(reply)
    gone = theirs.draft_notes.create({"note": "gone"})
    gone.delete()
    first = theirs.draft_notes.get(first.id)
    first.note = "Single"
    first.save()
    assert [one.note for one in theirs.draft_notes.list(get_all=True)] == ["Single", "On a line", "So"]
    assert made.draft_notes.list(get_all=True) == []
    refused(404, lambda: made.draft_notes.get(first.id))
    first.publish()
    assert [one.note for one in theirs.draft_notes.list(get_all=True)] == ["On a line", "So"]
    theirs.draft_notes.bulk_publish()
    assert theirs.draft_notes.list(get_all=True) == []
    said = [bodies(one) for one in made.discussions.list(get_all=True)]
    assert [one for one in said if one[0] in ("Why?", "Single", "On a line")] == [
        ["Why?", "So"], ["Single"], ["On a line"],
    ]
    assert made.discussions.get(thread.id).attributes["notes"][0]["resolved"] is True


def test_approvals_are_given_and_taken_back():
    _, project = forge("approved")
    user, own = member(project)
    made = changed(project)
    theirs = own.mergerequests.get(1)
    refused(409, lambda: theirs.approve(sha="0" * 40))
    theirs.approve(sha=made.sha)
    given = made.approvals.get()
    assert [one["user"]["username"] for one in given.approved_by] == [user.username]
    assert given.approved is True
    assert [one.iid for one in project.mergerequests.list(approved_by_ids=[user.id])] == [1]
    theirs.unapprove()
    assert made.approvals.get().approved_by == []
    refused(401, made.approve)

    own.mergerequests.get(1).approve()
    bot = project.access_tokens.create({"name": "bot", "scopes": ["api"], "expires_at": None})
    robot = gitlab.Gitlab(URL, private_token=bot.token).projects.get(project.id, lazy=True)
    assert robot.mergerequests.list(get_all=True)[0].reset_approvals()
    assert made.approvals.get().approved_by == []
    refused(401, made.reset_approvals)


def test_rules_say_how_many_approve():
    group, project = forge("ruled-review")
    user, own = member(project)
    assert project.approvalrules.list(get_all=True) == []
    rule = project.approvalrules.create({
        "name": "Smiths", "approvals_required": 2, "group_ids": [group.id], "user_ids": [user.id],
    })
    (rule,) = project.approvalrules.list(get_all=True)
    assert (rule.approvals_required, [one["id"] for one in rule.groups]) == (2, [group.id])
    rule.save()
    assert project.approvalrules.get(rule.id).approvals_required == 2
    rule.approvals_required = 1
    rule.save()
    made = changed(project)
    assert made.detailed_merge_status == "not_approved"
    refused(405, made.merge)
    (seen,) = made.approval_state.get().rules
    assert (seen["name"], seen["approvals_required"], seen["approved"]) == ("Smiths", 1, False)
    own.mergerequests.get(1).approve()
    assert settled(project, 1).detailed_merge_status == "mergeable"
    assert made.approval_state.get().rules[0]["approved_by"][0]["username"] == user.username

    own_rule = made.approval_rules.create({"name": "Two", "approvals_required": 2, "user_ids": [user.id]})
    own_rule.approvals_required = 1
    own_rule.save()
    assert made.approval_rules.get(own_rule.id).approvals_required == 1
    assert made.approvals.set_approvers(1, [user.id], approval_rule_name="Two").id == own_rule.id
    named = made.approvals.set_approvers(1, approver_usernames=[user.username], approval_rule_name="Three")
    assert [one["id"] for one in named.users] == [user.id]
    own_rule.delete()
    refused(404, lambda: made.approval_rules.get(own_rule.id))
    old = made.approvals.get()
    old.approvals_required = 3
    old.save()
    assert made.approvals.get().approvals_required >= 3
    rule.delete()
    assert project.approvalrules.list(get_all=True) == []


def test_what_a_project_says_of_approvals():
    _, project = forge("approval-settings")
    said = project.approvals.get()
    was = said.reset_approvals_on_push
    said.reset_approvals_on_push = not was
    said.merge_requests_author_approval = True
    said.save()
    now = project.approvals.get()
    assert (now.reset_approvals_on_push, now.merge_requests_author_approval) == (not was, True)
    assert (now.approvers, now.approver_groups) == ([], [])
    made = changed(project)
    assert made.approve()["user_has_approved"] is True


def test_what_happened_is_told():
    _, project = forge("events-told")
    made = proposed(project, "anvil")
    made.labels = ["heavy"]
    made.milestone_id = project.milestones.create({"title": "1.0"}).id
    made.save()
    (label,) = made.resourcelabelevents.list(get_all=True)
    assert (label.action, label.label["name"], label.resource_type) == ("add", "heavy", "MergeRequest")
    assert made.resourcelabelevents.get(label.id).user["username"] == "root"
    (planned,) = made.resourcemilestoneevents.list(get_all=True)
    assert made.resourcemilestoneevents.get(planned.id).milestone["title"] == "1.0"
    for event in ("close", "reopen"):
        made.state_event = event
        made.save()
    states = made.resourcestateevents.list(get_all=True)
    assert [one.state for one in states] == ["closed", "reopened"]
    assert made.resourcestateevents.get(states[0].id).resource_id == made.id


def test_time_to_dos_and_subscriptions():
    _, project = forge("times")
    user, own = member(project)
    made = proposed(project, "anvil", reviewer_ids=[user.id])
    assert made.time_estimate("2h")["human_time_estimate"] == "2h"
    assert made.add_spent_time("30m")["total_time_spent"] == 1800
    assert project.mergerequests.get(1).time_stats()["human_total_time_spent"] == "30m"
    assert project.mergerequests.get(1, lazy=True).time_stats()["time_estimate"] == 7200
    assert made.reset_time_estimate()["time_estimate"] == 0
    assert made.reset_spent_time()["total_time_spent"] == 0

    theirs = own.manager.gitlab
    asked = [one.action_name for one in theirs.todos.list(get_all=True)]
    assert asked == ["review_requested"]
    own.mergerequests.get(1).todo()
    assert {one.target["iid"] for one in theirs.todos.list(get_all=True)} == {1}
    (reviewer,) = made.reviewer_details.list(get_all=True)
    assert (reviewer.user["username"], reviewer.state) == (user.username, "unreviewed")

    made.unsubscribe()
    assert project.mergerequests.get(1).subscribed is False
    made.subscribe()
    assert project.mergerequests.get(1).subscribed is True
    refused(304, made.subscribe)


if __name__ == "__main__":
    stories.run(globals())
