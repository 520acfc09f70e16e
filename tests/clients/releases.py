"""python-gitlab, unmodified, makes releases, their links and protected tags."""

import stories
from as_root import ROOT, refused


def tagged(name):
    project = ROOT.projects.create({"name": name, "initialize_with_readme": True})
    project.tags.create({"tag_name": "v1", "ref": "main"})
    return project


def test_releases_are_made_found_changed_and_deleted():
    project = tagged("releases-made")
    project.milestones.create({"title": "1.0"})
    release = project.releases.create({
        "tag_name": "v1", "name": "One", "description": "It *rings*.", "milestones": ["1.0"],
        "assets": {"links": [{"name": "hammer", "url": "https://files.example/h.zip"}]},
    })
    assert (release.get_id(), release.name, release.description) == ("v1", "One", "It *rings*.")
    assert release.commit["id"] == project.tags.get("v1").commit["id"]
    assert [one["title"] for one in release.milestones] == ["1.0"]
    assert release.assets["count"] == 5
    made = project.releases.create({"tag_name": "v/2", "ref": "main", "released_at": "2099-01-01T00:00:00Z"})
    assert (made.upcoming_release, made.evidences) == (True, [])
    assert [one.tag_name for one in project.releases.list(get_all=True)] == ["v/2", "v1"]
    assert [one.tag_name for one in project.releases.list(sort="asc", get_all=True)] == ["v1", "v/2"]
    assert project.releases.get("v/2").name == "v/2"
    assert project.tags.get("v1").release == {"tag_name": "v1", "description": "It *rings*."}
    release = project.releases.get("v1")
    release.name = "First"
    release.save()
    assert project.releases.get("v1").name == "First"
    refused(409, lambda: project.releases.create({"tag_name": "v1"}))
    refused(422, lambda: project.releases.create({"tag_name": "v3"}))
    project.releases.delete("v1")
    refused(404, lambda: project.releases.get("v1"))
    assert project.tags.get("v1").release is None


def test_links_are_added_changed_and_removed():
    project = tagged("releases-linked")
    release = project.releases.create({"tag_name": "v1"})
    link = release.links.create({
        "name": "hammer", "url": "https://files.example/h.zip",
        "direct_asset_path": "/h.zip", "link_type": "package",
    })
    assert link.direct_asset_url.endswith("/releases-linked/-/releases/v1/downloads/h.zip")
    link.name = "Hammer"
    link.save()
    assert release.links.get(link.id).name == "Hammer"
    assert [one.link_type for one in release.links.list(get_all=True)] == ["package"]
    refused(400, lambda: release.links.create({"name": "x", "url": "javascript:alert(1)"}))
    link.delete()
    assert release.links.list(get_all=True) == []


if __name__ == "__main__":
    stories.run(globals())
