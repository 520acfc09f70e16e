"""python-gitlab, unmodified, writes the wikis of a project and a group."""

import stories
from as_root import ROOT, refused


def test_pages_are_made_found_changed_and_deleted():
    project = ROOT.projects.create({"name": "wiki-made"})
    group = ROOT.groups.create({"name": "wiki-made-group", "path": "wiki-made-group"})
    for holder in (project, group):
        assert holder.wikis.list(get_all=True) == []
        page = holder.wikis.create({"title": "title/sub title", "content": "test content"})
        assert (page.slug, page.title, page.format) == ("title/sub-title", "sub title", "markdown")
        assert [one.slug for one in holder.wikis.list(get_all=True)] == ["title/sub-title"]
        listed = holder.wikis.list(with_content=True, get_all=True)
        assert [one.content for one in listed] == ["test content"]
        page.content = "other content"
        page.save()
        assert holder.wikis.get("title/sub-title").content == "other content"
        page = holder.wikis.get("title/sub-title", render_html=True)
        assert page.content.strip() == "<p>other content</p>"
        refused(400, lambda: holder.wikis.create({"title": "title/sub title", "content": "x"}))
        page.delete()
        refused(404, lambda: holder.wikis.get("title/sub-title"))


def test_files_are_put_beside_a_page():
    project = ROOT.projects.create({"name": "wiki-files"})
    group = ROOT.groups.create({"name": "wiki-files-group", "path": "wiki-files-group"})
    for holder in (project, group):
        page = holder.wikis.create({"title": "title/subtitle", "content": "test page content"})
        sent = page.upload("test.txt", "testing contents")
        link = sent["link"]
        assert link["markdown"] == f"[test.txt]({link['url']})"
        assert link["url"].startswith("uploads/") and sent["file_name"] == "test.txt"
        page.content = f"See {link['markdown']}"
        page.save()


if __name__ == "__main__":
    stories.run(globals())
