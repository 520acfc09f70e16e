"""python-gitlab, unmodified, works with environments, deployments, freezes and their protection;
and so do the requests that tools which keep settings as they are written send, twice."""

import stories
from as_root import ROOT, refused
from pipelines import with_file

FILE = "ship: {script: make ship, environment: {name: production, url: 'https://shop.example'}}\n"


def of(project):
    """The one deployment that there is."""
    (one,) = project.deployments.list(get_all=True)
    return one


def test_environments_come_of_jobs_and_of_people():
    project = with_file("environments-made", FILE)
    pipeline = project.pipelines.create({"ref": "main"})
    (made,) = project.environments.list(name="production", get_all=True)
    assert (made.state, made.tier, made.last_deployment) == ("available", "production", None)
    own = project.environments.create({"name": "qa/one", "external_url": "https://qa.example"})
    own.external_url = "https://other.example"
    own.save()
    found = project.environments.get(own.id)
    assert (found.external_url, found.tier) == ("https://other.example", "testing")
    assert [one.id for one in project.environments.list(search="QA", get_all=True)] == [own.id]
    refused(403, own.delete)
    own.stop()
    assert [one.id for one in project.environments.list(states="stopped", get_all=True)] == [own.id]
    own.delete()
    refused(404, lambda: project.environments.get(own.id))
    pipeline.cancel()
    assert project.deployments.get(of(project).id).status == "canceled"


def test_deployments_are_told_of():
    project = with_file("environments-told")
    sha = project.commits.list(get_all=False)[0].id
    made = project.deployments.create(
        {"environment": "staging", "sha": sha, "ref": "main", "tag": False, "status": "running"}
    )
    made.status = "success"
    made.save()
    assert project.deployments.get(made.id).status == "success"
    listed = project.deployments.list(environment="staging", order_by="iid", get_all=True)
    assert [one.iid for one in listed] == [1]
    at = f"/projects/{project.id}/deployments"
    refused(400, lambda: ROOT.http_delete(f"{at}/{made.id}"))
    refused(400, lambda: ROOT.http_post(at, post_data={"environment": "staging"}))


def test_a_deployment_is_approved():
    project = with_file("environments-approved", FILE)
    project.protected_environments.create(
        {
            "name": "production",
            "deploy_access_levels": [{"access_level": 40}],
            "approval_rules": [{"access_level": 40}],
        }
    )
    project.pipelines.create({"ref": "main"})
    waiting = of(project)
    assert (waiting.status, waiting.pending_approval_count) == ("blocked", 1)
    refused(400, lambda: waiting.approval("approved", represented_as="Nobody"))
    decided = waiting.approval("approved", comment="Go")
    assert (decided["status"], decided["comment"]) == ("approved", "Go")
    assert project.jobs.list(get_all=True)[0].status == "pending"


def test_environments_are_protected():
    project = with_file("environments-protected")
    made = project.protected_environments.create(
        {"name": "production", "deploy_access_levels": [{"access_level": 40}]}
    )
    assert made.deploy_access_levels[0]["access_level_description"] == "Maintainers"
    (found,) = project.protected_environments.list(get_all=True)
    assert project.protected_environments.get("production").name == found.name
    refused(409, lambda: project.protected_environments.create(
        {"name": "production", "deploy_access_levels": [{"access_level": 40}]}
    ))
    found.delete()
    refused(404, lambda: project.protected_environments.get("production"))


def test_nothing_is_deployed_in_a_freeze():
    project = with_file("environments-frozen")
    at = f"/projects/{project.id}/freeze_periods"
    made = ROOT.http_post(at, post_data={"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1"})
    assert made["cron_timezone"] == "UTC"
    ROOT.http_put(f"{at}/{made['id']}", post_data={"cron_timezone": "Europe/Berlin"})
    assert ROOT.http_list(at)[0]["cron_timezone"] == "Europe/Berlin"
    ROOT.http_delete(f"{at}/{made['id']}")


def kept(at, name, wanted):
    """Has the levels of a protected environment as they are written, as tools do: reads, and
    sends what differs alone. Answers how much that was."""
    there = ROOT.http_get(f"{at}/{name}")
    sent = 0
    for kind, levels in wanted.items():
        def key(level):
            return tuple(level.get(field) for field in ("access_level", "user_id", "group_id"))
        known = {key(level): level for level in there[kind]}
        items = [level for level in levels if key(level) not in known]
        keys = {key(level) for level in levels}
        items += [
            {"id": level["id"], "_destroy": True}
            for known_key, level in known.items()
            if known_key not in keys
        ]
        if items:
            ROOT.http_put(f"{at}/{name}", post_data={kind: items})
        sent += len(items)
    return sent


def test_settings_that_are_written_are_kept_without_change():
    project = with_file("environments-kept")
    group = ROOT.groups.get(project.namespace["id"])
    user = ROOT.users.create(
        {"username": "kept", "name": "Kept", "email": "kept@example.org", "force_random_password": True,
         "skip_confirmation": True}
    )
    group.members.create({"user_id": user.id, "access_level": 40})
    for at, name in [
        (f"/projects/{project.id}/protected_environments", "production"),
        (f"/groups/{group.id}/protected_environments", "staging"),
    ]:
        body = {"name": name, "deploy_access_levels": [{"access_level": 30}]}
        ROOT.http_post(at, post_data=body)
        wanted = {
            "deploy_access_levels": [{"access_level": 40}, {"user_id": user.id}],
            "approval_rules": [{"access_level": 60}],
        }
        assert kept(at, name, wanted) == 4
        assert kept(at, name, wanted) == 0, "the second time nothing is to change"
        ROOT.http_delete(f"{at}/{name}")


if __name__ == "__main__":
    stories.run(globals())
