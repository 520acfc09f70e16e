"""python-gitlab, unmodified, keeps CI/CD variables of the instance, a project and a group;
and the calls by which tools for whole configurations make and change them."""

import stories
from as_root import ROOT, group_with_project, refused
from stories import api


def test_administrators_have_variables_of_the_instance():
    made = ROOT.variables.create({"key": "CLIENT_TOKEN", "value": "iron"})
    assert (made.variable_type, made.protected, made.masked) == ("env_var", False, False)
    made.value = "steel"
    made.save()
    assert ROOT.variables.get("CLIENT_TOKEN").value == "steel"
    assert "CLIENT_TOKEN" in [one.key for one in ROOT.variables.list(get_all=True)]
    refused(400, lambda: ROOT.variables.create({"key": "CLIENT_TOKEN", "value": "x"}))
    made.delete()
    refused(404, lambda: ROOT.variables.get("CLIENT_TOKEN"))


def test_projects_and_groups_have_variables():
    group, project = group_with_project("variables-kept")
    for holder in (group, project):
        make = {"key": "DEPLOY", "value": "hot-iron-42", "masked": True, "protected": True}
        made = holder.variables.create(make)
        assert (made.environment_scope, made.masked, made.protected) == ("*", True, True)
        made.value = "cold-iron-42"
        made.save()
        assert holder.variables.get("DEPLOY").value == "cold-iron-42"
        holder.variables.update("DEPLOY", {"value": "warm-iron-42", "variable_type": "file"})
        shown = holder.variables.get("DEPLOY")
        assert (shown.value, shown.variable_type) == ("warm-iron-42", "file")
        refused(400, lambda: holder.variables.create({"key": "A-B", "value": "x"}))
        made.delete()
        assert holder.variables.list(get_all=True) == []


def test_a_key_has_a_value_for_each_environment():
    group, project = group_with_project("variables-scoped")
    for holder in (group, project):
        for scope in ("production", "review/*"):
            make = {"key": "URL", "value": scope, "environment_scope": scope}
            holder.variables.create(make)
        refused(409, lambda: holder.variables.get("URL"))
        review = {"environment_scope": "review/*"}
        assert holder.variables.get("URL", filter=review).value == "review/*"
        holder.variables.update("URL", {"value": "changed", "filter": review})
        assert holder.variables.get("URL", filter=review).value == "changed"
        holder.variables.delete("URL", filter=review)
        assert holder.variables.get("URL").value == "production"


def test_hidden_values_never_come_back():
    _, project = group_with_project("variables-hidden")
    make = {"key": "KEY", "value": "hot-iron-42", "masked_and_hidden": True}
    made = project.variables.create(make)
    assert made.value is None and made.hidden and made.masked
    assert project.variables.list(get_all=True)[0].value is None


def test_a_configuration_is_applied_twice():
    """What tools send that compare all fields, and send them all again."""
    _, project = group_with_project("variables-applied")
    at = f"/projects/{project.id}/variables"
    wanted = {
        "key": "CONFIGURED",
        "value": "hot-iron-42",
        "variable_type": "env_var",
        "protected": False,
        "masked": True,
        "raw": False,
        "environment_scope": "production",
        "description": "Applied",
    }
    shown = {**wanted, "hidden": False}
    assert api("POST", at, **wanted) == shown
    for _ in range(2):
        again = {**wanted, "filter": {"environment_scope": "production"}}
        assert api("PUT", f"{at}/CONFIGURED", **again) == shown
    query = "?filter%5Benvironment_scope%5D=production"
    assert api("GET", f"{at}/CONFIGURED{query}") == shown
    assert api("PUT", f"{at}/CONFIGURED{query}", **wanted) == shown


def test_a_role_is_needed_to_give_variables_to_pipelines():
    _, project = group_with_project("variables-role")
    assert project.ci_pipeline_variables_minimum_override_role == "maintainer"
    project.ci_pipeline_variables_minimum_override_role = "developer"
    project.save()
    shown = ROOT.projects.get(project.id)
    assert shown.ci_pipeline_variables_minimum_override_role == "developer"
    assert shown.restrict_user_defined_variables is False


if __name__ == "__main__":
    stories.run(globals())
