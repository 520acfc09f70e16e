"""gitlabform, unmodified, has variables of a group and of a project and protected environments
as a file says; run again, it changes nothing."""

import os
import pathlib
import subprocess
import sys
import tempfile

import stories
from as_root import ROOT, group_with_project
from stories import URL, api

PROGRAM = pathlib.Path(sys.executable).parent / "gitlabform"
CONFIGURATION = """
config_version: 3
projects_and_groups:
  {group}/*:
    group_variables:
      enforce: true
      shared: {{key: SHARED, value: iron-of-all}}
      hidden: {{key: TOKEN, value: hot-iron-42, masked: true, protected: true}}
  {group}/anvil:
    variables:
      enforce: true
      plain: {{key: COLOUR, value: {colour}}}
      live: {{key: HOST, value: shop.example, environment_scope: production}}
      tested: {{key: HOST, value: test.example, environment_scope: 'review/*', raw: true}}
      filed: {{key: CONFIG, value: 'a: b', variable_type: file}}
    protected_environments:
      enforce: true
      production: {{name: production, deploy_access_levels: [{{access_level: 40}}, {{access_level: 60}}]}}
      review/one.two: {{name: review/one.two, deploy_access_levels: [{{access_level: 30}}]}}
"""


def configured(group, colour):
    """Runs the program over the whole file; what it says."""
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "config.yml"
        config.write_text(CONFIGURATION.format(group=group, colour=colour))
        environment = {**os.environ, "GITLAB_URL": URL, "GITLAB_TOKEN": os.environ["TENON_TOKEN"]}
        arguments = ["--skip-version-check", "--verbose", "--config", config, "ALL_DEFINED"]
        ran = subprocess.run(
            [PROGRAM, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
        )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def changes():
    """How often variables and protected environments were changed so far."""
    names = [one.event_name for one in ROOT.audit_events.list(get_all=True, per_page=100)]
    return sum(name.startswith(("ci_variable.", "protected_environment.")) for name in names)


def there(group, project):
    """All that the file is about."""
    return (
        api("GET", f"/groups/{group.id}/variables"),
        api("GET", f"/projects/{project.id}/variables"),
        api("GET", f"/projects/{project.id}/protected_environments"),
    )


def test_what_is_written_is_there_and_stays():
    group, project = group_with_project("configured")
    project.variables.create({"key": "LEFT", "value": "over"})
    before = changes()
    configured("configured", "blue")
    of_group, of_project, environments = first = there(group, project)
    assert changes() == before + 9, "six variables and two environments come, a variable goes"
    assert [one["key"] for one in of_group] == ["SHARED", "TOKEN"], of_group
    assert (of_group[1]["masked"], of_group[1]["protected"]) == (True, True), of_group
    values = {(one["key"], one["environment_scope"]): one["value"] for one in of_project}
    assert values == {
        ("COLOUR", "*"): "blue",
        ("HOST", "production"): "shop.example",
        ("HOST", "review/*"): "test.example",
        ("CONFIG", "*"): "a: b",
    }, of_project
    assert [one["name"] for one in environments] == ["production", "review/one.two"], environments

    said = configured("configured", "blue")
    assert there(group, project) == first, said
    assert changes() == before + 9, f"the second time nothing is to change\n{said}"

    configured("configured", "red")
    assert changes() == before + 10, "one value"
    assert {one["value"] for one in there(group, project)[1] if one["key"] == "COLOUR"} == {"red"}


if __name__ == "__main__":
    stories.run(globals())
