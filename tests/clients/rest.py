"""python-gitlab, unmodified, manages users, groups, projects, members, tokens and packages."""

import datetime
import hashlib
import os
import tempfile

import gitlab

import stories
from stories import URL

ROOT = gitlab.Gitlab(URL, private_token=os.environ["TENON_TOKEN"])


def refused(status, call):
    """The call must be refused with this status."""
    try:
        call()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, (error.response_code, error.error_message)
        return
    raise AssertionError(f"expected a refusal with {status}")


def test_the_administrator_is_who_the_token_says():
    ROOT.auth()
    assert ROOT.user.username == "root"
    refused(401, gitlab.Gitlab(URL, private_token="wrong").auth)


def test_users_are_created_found_blocked_and_deleted():
    user = new_user("carla")
    assert [found.id for found in ROOT.users.list(username="carla", get_all=True)] == [user.id]
    user.block()
    assert ROOT.users.get(user.id).state == "blocked"
    user.unblock()
    assert ROOT.users.get(user.id).state == "active"
    refused(409, lambda: new_user("carla"))
    user.delete()


def test_groups_nest_and_are_renamed():
    group = ROOT.groups.create({"name": "Forge", "path": "forge"})
    child = ROOT.groups.create({"name": "Anvils", "path": "anvils", "parent_id": group.id})
    assert child.full_path == "forge/anvils"
    group.name = "The Forge"
    group.save()
    assert ROOT.groups.get("forge").name == "The Forge"
    assert [one.id for one in group.subgroups.list(get_all=True)] == [child.id]
    child.delete()
    refused(404, lambda: ROOT.groups.get("forge/anvils"))


def test_members_of_a_group_reach_its_projects():
    group = ROOT.groups.create({"name": "Guild", "path": "guild", "visibility": "private"})
    project = ROOT.projects.create({"name": "inner", "namespace_id": group.id})
    client, token = user_with_token("gwen")
    refused(404, lambda: client.projects.get(project.id))

    member = group.members.create({"user_id": token["user_id"], "access_level": 30})
    assert client.projects.get("guild/inner").id == project.id
    inherited = project.members_all.list(get_all=True)
    assert {one.username for one in inherited} == {"root", "gwen"}
    member.access_level = 20
    member.expires_at = "2999-01-01"
    member.save()
    changed = group.members.get(token["user_id"])
    assert (changed.access_level, changed.expires_at) == (20, "2999-01-01")
    group.members.delete(token["user_id"])
    refused(404, lambda: client.projects.get(project.id))


def test_a_private_project_is_hidden_from_who_is_no_member():
    project = new_project("hidden")
    outsider, token = user_with_token("olga")
    refused(404, lambda: outsider.projects.get(project.id))

    member = project.members.create(
        {"user_id": token["user_id"], "access_level": gitlab.const.AccessLevel.REPORTER}
    )
    assert outsider.projects.get(project.id).name == "hidden"
    refused(403, lambda: outsider.projects.delete(project.id))
    member.access_level = gitlab.const.AccessLevel.DEVELOPER
    member.save()
    assert project.members.get(token["user_id"]).access_level == 30
    project.members.delete(token["user_id"])
    refused(404, lambda: outsider.projects.get(project.id))


def test_tokens_are_made_rotated_and_revoked():
    project = new_project("tokens")
    token = project.access_tokens.create(
        {"name": "robot", "scopes": ["read_api"], "access_level": 20}
    )
    robot = gitlab.Gitlab(URL, private_token=token.token)
    assert robot.projects.get(project.id).id == project.id
    refused(403, lambda: robot.projects.update(project.id, {"description": "x"}))

    old = token.token
    token.rotate()
    refused(401, lambda: gitlab.Gitlab(URL, private_token=old).projects.get(project.id))
    renewed = gitlab.Gitlab(URL, private_token=token.token)
    assert renewed.projects.get(project.id).id == project.id
    own = renewed.personal_access_tokens.get("self")
    assert own.scopes == ["read_api"] and own.active


def test_tokens_of_groups_and_of_persons_are_listed_and_revoked():
    group = ROOT.groups.create({"name": "Keys", "path": "keys"})
    token = group.access_tokens.create(
        {"name": "robot", "scopes": ["api"], "access_level": 30, "expires_at": next_week()}
    )
    robot = gitlab.Gitlab(URL, private_token=token.token)
    assert robot.groups.get("keys").id == group.id
    assert [one.id for one in group.access_tokens.list(get_all=True)] == [token.id]
    group.access_tokens.delete(token.id)
    refused(401, lambda: robot.groups.get("keys"))

    client, own = user_with_token("kim")
    listed = ROOT.personal_access_tokens.list(user_id=own["user_id"], get_all=True)
    assert [(one.id, one.name, one.active) for one in listed] == [(own["id"], "test", True)]
    client.personal_access_tokens.delete("self")
    refused(401, client.auth)
    assert ROOT.personal_access_tokens.get(own["id"]).revoked


def test_sudo_acts_as_another_user():
    user = new_user("sudoku")
    as_user = gitlab.Gitlab(URL, private_token=os.environ["TENON_TOKEN"])
    assert as_user.http_get("/user", sudo=user.id)["username"] == "sudoku"


def test_projects_are_paged_by_offset_and_by_keyset():
    wanted = sorted(new_project(f"page-{number}").id for number in range(5))

    page = ROOT.projects.list(search="page-", page=2, per_page=2)
    assert len(page) == 2
    whole = ROOT.projects.list(search="page-", per_page=2, iterator=True)
    assert sorted(project.id for project in whole) == wanted
    assert (whole.total, whole.total_pages) == (5, 3)

    keyset = ROOT.projects.list(
        search="page-", pagination="keyset", order_by="id", sort="asc", per_page=2, iterator=True
    )
    assert [project.id for project in keyset] == wanted


def test_groups_are_paged_by_offset_and_by_keyset():
    wanted = [
        ROOT.groups.create({"name": f"rank-{number}", "path": f"rank-{number}"}).id
        for number in range(5)
    ]
    whole = ROOT.groups.list(search="rank-", order_by="id", per_page=2, iterator=True)
    assert [group.id for group in whole] == wanted
    assert (whole.total, whole.total_pages, whole.per_page) == (5, 3, 2)
    keyset = ROOT.groups.list(
        search="rank-", pagination="keyset", order_by="name", per_page=2, iterator=True
    )
    assert [group.id for group in keyset] == wanted


def test_generic_packages_go_up_are_listed_come_down_and_go():
    project = new_project("packages")
    content = os.urandom(3_000_000)
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        for version in range(3):
            project.generic_packages.upload(
                "hammer", f"1.{version}.0", "hammer.bin", path=file.name
            )
    answer = project.generic_packages.upload(
        "saw", "1.0.0", "saw.bin", data=b"teeth", select="package_file"
    )
    assert (answer.file_name, answer.size) == ("saw.bin", 5)

    listed = project.packages.list(
        package_name="hammer", order_by="version", sort="asc", per_page=2, iterator=True
    )
    names = [(package.name, package.version) for package in listed]
    assert names == [("hammer", f"1.{version}.0") for version in range(3)]
    down = project.generic_packages.download("hammer", "1.0.0", "hammer.bin")
    assert hashlib.sha256(down).digest() == hashlib.sha256(content).digest()

    streamed = hashlib.sha256()
    project.generic_packages.download(
        "hammer", "1.0.0", "hammer.bin", streamed=True, action=streamed.update
    )
    assert streamed.digest() == hashlib.sha256(content).digest()

    package = next(iter(project.packages.list(package_name="saw", iterator=True)))
    project.generic_packages.upload("saw", "1.0.0", "handle.bin", data=b"wood")
    files = package.package_files.list(get_all=True)
    assert [file.file_name for file in files] == ["saw.bin", "handle.bin"]
    assert files[0].file_sha256 == hashlib.sha256(b"teeth").hexdigest()
    package.package_files.delete(files[1].id)
    assert [file.id for file in package.package_files.list(get_all=True)] == [files[0].id]
    project.packages.delete(package.id)
    refused(404, lambda: project.packages.get(package.id))
    refused(404, lambda: project.generic_packages.download("saw", "1.0.0", "saw.bin"))


def test_packages_are_listed_for_the_whole_group():
    group = ROOT.groups.create({"name": "Shelf", "path": "shelf"})
    for name in ["left", "right"]:
        project = ROOT.projects.create({"name": name, "namespace_id": group.id})
        project.generic_packages.upload(f"{name}-book", "1", "book.txt", data=b"text")
    names = sorted(package.name for package in group.packages.list(get_all=True))
    assert names == ["left-book", "right-book"]


def test_a_protection_rule_keeps_a_developer_out():
    project = new_project("guarded")
    developer, token = user_with_token("dora")
    project.members.create({"user_id": token["user_id"], "access_level": 30})
    rule = project.package_protection_rules.create(
        {
            "package_name_pattern": "guarded-*",
            "package_type": "generic",
            "minimum_access_level_for_push": "maintainer",
        }
    )
    theirs = developer.projects.get(project.id)
    refused(403, lambda: theirs.generic_packages.upload("guarded-a", "1", "a", data=b"a"))
    theirs.generic_packages.upload("open-a", "1", "a", data=b"a")
    rule.delete()
    theirs.generic_packages.upload("guarded-a", "1", "a", data=b"a")


def test_packages_are_paged_by_offset():
    project = new_project("shop")
    for number in range(5):
        project.generic_packages.upload(f"tool-{number}", "1.0", "tool", data=b"tool")
    pages = [project.packages.list(page=page, per_page=2) for page in (1, 2, 3)]
    assert [[package.name for package in page] for page in pages] == [
        ["tool-0", "tool-1"],
        ["tool-2", "tool-3"],
        ["tool-4"],
    ]
    whole = project.packages.list(per_page=2, iterator=True)
    assert (whole.total, whole.total_pages, len(list(whole))) == (5, 3, 5)
    refused(400, lambda: project.packages.list(pagination="keyset", per_page=2))


def test_a_deleted_project_is_gone():
    project = new_project("short-lived")
    project.generic_packages.upload("dust", "1", "dust", data=b"dust")
    project.delete()
    refused(404, lambda: ROOT.projects.get(project.id))


def next_week():
    return str(datetime.date.today() + datetime.timedelta(days=7))


def new_user(username):
    return ROOT.users.create(
        {
            "username": username,
            "name": username.title(),
            "email": f"{username}@example.org",
            "password": "plain-words-for-a-test",
            "skip_confirmation": True,
        }
    )


def user_with_token(username):
    """A client signed in as a new user, and the token's own record."""
    user = new_user(username)
    token = user.personal_access_tokens.create({"name": "test", "scopes": ["api"]})
    return gitlab.Gitlab(URL, private_token=token.token), token.attributes


def new_project(name):
    return ROOT.projects.create({"name": name, "visibility": "private"})


stories.run(globals())
