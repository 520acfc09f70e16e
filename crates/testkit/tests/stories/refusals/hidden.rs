//! What is hidden: one of everything that routes are about.

use super::packages;
use super::review;
use super::things::{
    begun_by, environment, export, failed_relation, job_token_scope, pipeline, placeholder,
    snippet, storage_moves,
};
use crate::packages_formats::forms;
use serde_json::{Value, json};
use std::collections::HashMap;
use testkit::{Client, TestGroup, TestProject, TestServer};

/// Things that exist, and that nobody but `keeper` may know of.
pub struct Hidden {
    pub keeper: i64,
    pub outsider: Client,
    /// By the route's first word and the name in the template.
    pub ids: HashMap<(&'static str, &'static str), String>,
}

/// In place of a route's first word: whatever that is.
pub const EVERYWHERE: &str = "";

/// Makes them.
pub async fn hide(t: &TestServer) -> Hidden {
    let group = t.group("vault").await;
    let below = t.group("vault/inner").await;
    let project = t.project("vault/inner/secret").await;
    let package = project.generic_package("hammer", "1.0").await;
    project.npm_package("@vault/hammer", "1.0.0").await;
    let sources = packages::python_package(&project, &t.admin()).await;
    // The name of a package that is found without naming its project, too.
    let jar = "vault/inner/secret/1.0/secret-1.0.jar";
    let jars = project.at(&format!("/packages/maven/{jar}"));
    t.admin().put(jars).bytes("a jar").await.is(200);
    let module = project.at("/packages/terraform/modules/vpc/aws/1.0.0/file");
    t.admin().put(module).bytes("a module").await.is(201);
    let (keeper, asker) = (t.user("keeper").await, t.user("asker").await);
    let (outsider, friends) = (t.user("outsider").await, t.group("vaultfriends").await);
    project.add(&keeper, 30).await;
    group.add(&keeper, 30).await;
    project.add(&asker, 10).await;
    let admin = t.admin();
    let made = async |path: String, body: Value| admin.post(path).json(&body).await.is(201);
    let rule = json!({"package_name_pattern": "x*", "package_type": "generic",
        "minimum_access_level_for_push": "owner"});
    let rule = made(project.at("/packages/protection/rules"), rule).await.id();
    let main = json!({"name": "main"});
    made(project.at("/protected_branches"), main.clone()).await;
    made(project.at("/protected_tags"), main.clone()).await;
    made(group.at("/protected_branches"), main).await;
    made(group.at("/push_rule"), json!({})).await;
    let mirror = json!({"url": "ssh://git@host.example/vault.git"});
    let mirror = made(project.at("/remote_mirrors"), mirror).await.id();
    let upstream = json!({"url": "ssh://git@host.example/vault.git"});
    admin.put(project.at("/mirror/pull")).json(&upstream).await.is(200);
    let rules = "/packages/cleanup/rules";
    let cleanup = json!({"package_type": "generic", "keep_last": 1});
    let cleanup_of_project = made(project.at(rules), cleanup.clone()).await.id();
    let cleanup_of_group = made(group.at(rules), cleanup).await.id();
    let query = json!({"name": "vault", "query": "{__typename}"});
    let listed = made("/application/graphql_queries".into(), query).await.id();
    let token = json!({"name": "robot", "scopes": ["api"]});
    let of_project = made(project.at("/access_tokens"), token.clone()).await.id();
    let of_group = made(group.at("/access_tokens"), token.clone()).await.id();
    let keepers = format!("/users/{}", keeper.id);
    let personal = made(format!("{keepers}/personal_access_tokens"), token.clone()).await.id();
    let posed = made(format!("{keepers}/impersonation_tokens"), token).await.id();
    let deploy = json!({"name": "robot", "scopes": ["read_package_registry"]});
    let deploy_of_project = made(project.at("/deploy_tokens"), deploy.clone()).await.id();
    let deploy_of_group = made(group.at("/deploy_tokens"), deploy).await.id();
    let [key, deploy_key] = ssh_keys(&admin, &keepers, &project).await;
    let gpg_key = json!({"key": crate::signatures::SHORT});
    let gpg_key = made(format!("{keepers}/gpg_keys"), gpg_key).await.id();
    let share = json!({"group_id": friends.id, "group_access": 10});
    made(project.at("/share"), share.clone()).await;
    made(group.at("/share"), share).await;
    let mail = json!({"email": "vault@example.com", "access_level": 10});
    made(project.at("/invitations"), mail.clone()).await;
    made(group.at("/invitations"), mail).await;
    let mail = json!({"email": "vault2@example.com", "skip_confirmation": true});
    let email = made(format!("{keepers}/emails"), mail).await.id();
    let file = admin.get(format!("{}/package_files", package.path)).await.is(200).each("id");
    let event = admin.get("/audit_events").await.is(200).each("id");
    drop(below);
    let shop = json!({"name": "Shop", "redirect_uri": "https://app.example/", "scopes": "api"});
    let shop = made("/applications".into(), shop).await.id();
    let color = json!({"name": "bug", "color": "red"});
    let label_of_project = made(project.at("/labels"), color).await.id();
    let color = json!({"name": "feature", "color": "red"});
    let label_of_group = made(group.at("/labels"), color).await.id();
    let [board, list] = with_column(&admin, &project.at("/boards"), label_of_project).await;
    let [board_of_group, list_of_group] =
        with_column(&admin, &group.at("/boards"), label_of_group).await;
    let goal = json!({"title": "1.0"});
    let milestone_of_project = made(project.at("/milestones"), goal).await.id();
    let goal = json!({"title": "2.0"});
    let milestone_of_group = made(group.at("/milestones"), goal).await.id();
    let (work, discussion) = issues(&admin, &project, milestone_of_project).await;
    let (epic, discussion_of_epic) = epics(&admin, &group, work[0]).await;
    let (client_key, error) = reported_error(&admin, &project).await;
    let [integration, window, image] = received_alert(&admin, &project).await;
    let [rotation, policy] = on_call(&admin, &project).await;
    let module = packages::go_module(&admin, &project).await;
    let archive = packages::composer_archive(&admin, &project).await;
    let (recipe, recipe_file) = packages::conan_recipe(&admin, &project).await;
    let nuget = packages::nuget_package(&admin, &project).await;
    let variable = json!({"key": "FORGE", "value": "a secret"});
    for to in [project.at("/variables"), group.at("/variables"), "/admin/ci/variables".into()] {
        made(to, variable.clone()).await;
    }
    let upload = uploaded(&admin, &project.at("/uploads")).await;
    let policy_of_licenses = json!({"mode": "deny", "licenses": ["MIT"]});
    for of in [project.at("/license_policy"), group.at("/license_policy")] {
        admin.put(of).json(&policy_of_licenses).await.is(200);
    }
    let blob = history(&admin, &project).await;
    let [pipeline, job] = pipeline(&admin, &project).await;
    let [schedule, trigger] = begun_by(&admin, &project).await;
    let let_in = t.project("vault/inner/lets").await;
    job_token_scope(&admin, &project, &let_in, &friends).await;
    let runner = json!({"runner_type": "project_type", "project_id": project.id,
        "description": "a secret"});
    let runner = made("/user/runners".into(), runner).await.id().to_string();
    let upload_of_group = uploaded(&admin, &group.at("/uploads")).await;
    let snippet = snippet(&admin, &project).await;
    let environment = environment(&admin, &project, &group.at("")).await;
    let review = review::hide(&admin, &project, milestone_of_project).await;
    let moves = storage_moves(t, &project, &group, &snippet[0]).await;
    let failed = failed_relation(t, &project, keeper.id).await;
    let placeholder = placeholder(t, &group, keeper.id).await;
    let ids = [
        (("snippets", "snippet_id"), snippet[0].clone()),
        (("snippets", "note_id"), snippet[1].clone()),
        (("snippets", "discussion_id"), snippet[2].clone()),
        (("snippets", "award_id"), snippet[3].clone()),
        (("snippets", "award_of_note_id"), snippet[4].clone()),
        ((EVERYWHERE, "ref"), "main".into()),
        (("projects", "id"), project.id.to_string()),
        (("groups", "id"), group.id.to_string()),
        (("namespaces", "id"), group.id.to_string()),
        (("users", "id"), keeper.id.to_string()),
        (("personal_access_tokens", "id"), personal.to_string()),
        (("projects", "token_id"), of_project.to_string()),
        (("groups", "token_id"), of_group.to_string()),
        (("users", "token_id"), posed.to_string()),
        (("projects", "deploy_token_id"), deploy_of_project.to_string()),
        (("groups", "deploy_token_id"), deploy_of_group.to_string()),
        (("applications", "id"), shop.to_string()),
        (("projects", "label_id"), label_of_project.to_string()),
        (("groups", "label_id"), label_of_group.to_string()),
        (("projects", "board_id"), board.to_string()),
        (("groups", "board_id"), board_of_group.to_string()),
        (("projects", "list_id"), list.to_string()),
        (("groups", "list_id"), list_of_group.to_string()),
        (("projects", "milestone_id"), milestone_of_project.to_string()),
        (("groups", "milestone_id"), milestone_of_group.to_string()),
        (("issues", "id"), work[0].to_string()),
        (("projects", "issue_iid"), "1".into()),
        (("projects", "issue_link_id"), work[1].to_string()),
        (("projects", "state_event_id"), work[2].to_string()),
        (("projects", "label_event_id"), work[3].to_string()),
        (("projects", "milestone_event_id"), work[4].to_string()),
        (("projects", "weight_event_id"), work[5].to_string()),
        (("groups", "epic_iid"), "1".into()),
        (("groups", "child_epic_id"), epic[0].to_string()),
        (("groups", "epic_issue_id"), epic[1].to_string()),
        (("groups", "related_epic_link_id"), epic[2].to_string()),
        (("groups", "state_event_id"), epic[3].to_string()),
        (("groups", "label_event_id"), epic[4].to_string()),
        (("groups", "note_id"), epic[5].to_string()),
        (("groups", "award_id"), epic[6].to_string()),
        (("groups", "award_of_note_id"), epic[7].to_string()),
        (("groups", "discussion_id"), discussion_of_epic),
        (("projects", "cleanup_rule_id"), cleanup_of_project.to_string()),
        (("groups", "cleanup_rule_id"), cleanup_of_group.to_string()),
        (("projects", "forked_from_id"), project.id.to_string()),
        (("projects", "upload_id"), upload.0),
        (("groups", "upload_id"), upload_of_group.0),
        (("projects", "secret"), upload.1),
        (("groups", "secret"), upload_of_group.1),
        ((EVERYWHERE, "filename"), "plan.png".into()),
        (("projects", "name"), "main".into()),
        (("projects", "type"), "issues".into()),
        (("templates", "type"), "dockerfiles".into()),
        (("templates", "name"), "Rust".into()),
        (("templates", "license"), "mit".into()),
        (("groups", "name"), "main".into()),
        (("projects", "note_id"), work[6].to_string()),
        (("projects", "award_id"), work[7].to_string()),
        (("projects", "award_of_note_id"), work[8].to_string()),
        (("todos", "id"), work[9].to_string()),
        (("projects", "discussion_id"), discussion),
        (("users", "key_id"), key.to_string()),
        (("user", "key_id"), key.to_string()),
        (("keys", "id"), key.to_string()),
        ((EVERYWHERE, "gpg_key_id"), gpg_key.to_string()),
        (("projects", "deploy_key_id"), deploy_key.to_string()),
        (("projects", "mirror_id"), mirror.to_string()),
        (("projects", "failed_id"), failed),
        ((EVERYWHERE, "placeholder_id"), placeholder),
        ((EVERYWHERE, "user_id"), keeper.id.to_string()),
        ((EVERYWHERE, "group_id"), friends.id.to_string()),
        ((EVERYWHERE, "email"), "vault@example.com".into()),
        ((EVERYWHERE, "email_id"), email.to_string()),
        ((EVERYWHERE, "package_id"), package.id.to_string()),
        ((EVERYWHERE, "package_file_id"), file[0].to_string()),
        ((EVERYWHERE, "graphql_query_id"), listed.to_string()),
        ((EVERYWHERE, "package_protection_rule_id"), rule.to_string()),
        ((EVERYWHERE, "package_name"), "hammer".into()),
        ((EVERYWHERE, "channel"), "stable".into()),
        ((EVERYWHERE, "chart_file"), packages::chart(&project, &t.admin()).await),
        ((EVERYWHERE, "sha256"), sources),
        ((EVERYWHERE, "distribution"), "hammer-1.0.tar.gz".into()),
        ((EVERYWHERE, "package_version"), "1.0".into()),
        ((EVERYWHERE, "*file_path"), "hammer.txt".into()),
        (("group", "id"), group.id.to_string()),
        (("error_tracking", "id"), project.id.to_string()),
        ((EVERYWHERE, "key_id"), client_key.to_string()),
        ((EVERYWHERE, "error_id"), error.to_string()),
        ((EVERYWHERE, "alert_iid"), "1".into()),
        ((EVERYWHERE, "integration_id"), integration.to_string()),
        ((EVERYWHERE, "window_id"), window.to_string()),
        ((EVERYWHERE, "image_id"), image.to_string()),
        ((EVERYWHERE, "schedule_iid"), "1".into()),
        ((EVERYWHERE, "rotation_id"), rotation.to_string()),
        ((EVERYWHERE, "policy_id"), policy.to_string()),
        (("group", "*document"), "packages.json".into()),
        ((EVERYWHERE, "vendor"), archive.0),
        ((EVERYWHERE, "archive"), archive.1),
        ((EVERYWHERE, "*module_path"), module),
        // For both generations of clients.
        ((EVERYWHERE, "*recipe_path"), format!("{recipe}/search")),
        ((EVERYWHERE, "*recipe_file"), recipe_file),
        ((EVERYWHERE, "*artifact_path"), jar.into()),
        ((EVERYWHERE, "nuget_name"), "hammer".into()),
        ((EVERYWHERE, "nuget_version"), "1.0.0".into()),
        ((EVERYWHERE, "nuget_leaf"), "1.0.0.json".into()),
        ((EVERYWHERE, "nuget_file"), nuget),
        ((EVERYWHERE, "odata"), "Packages()".into()),
        ((EVERYWHERE, "symbol_file"), "hammer.pdb".into()),
        ((EVERYWHERE, "signature"), "ffffffff".into()),
        ((EVERYWHERE, "same_file"), "hammer.pdb".into()),
        ((EVERYWHERE, "module_namespace"), "vault".into()),
        ((EVERYWHERE, "module_name"), "vpc".into()),
        ((EVERYWHERE, "module_system"), "aws".into()),
        ((EVERYWHERE, "module_version"), "1.0.0".into()),
        ((EVERYWHERE, "*package_path"), "@vault%2fhammer".into()),
        ((EVERYWHERE, "*tags_path"), "@vault%2fhammer/dist-tags".into()),
        ((EVERYWHERE, "audit_event_id"), event[0].to_string()),
        ((EVERYWHERE, "branch"), "main".into()),
        ((EVERYWHERE, "tag_name"), "v1".into()),
        ((EVERYWHERE, "blob_id"), blob),
        ((EVERYWHERE, "pipeline_id"), pipeline),
        ((EVERYWHERE, "job_id"), job),
        ((EVERYWHERE, "export_id"), export(&admin, &project).await),
        ((EVERYWHERE, "pipeline_schedule_id"), schedule),
        ((EVERYWHERE, "sbom_token"), sbom(&admin, &project).await),
        ((EVERYWHERE, "load_id"), advisories(t).await),
        ((EVERYWHERE, "advisory_id"), "OSV-1".into()),
        ((EVERYWHERE, "schedule_key"), "FORGE".into()),
        ((EVERYWHERE, "trigger_id"), trigger),
        ((EVERYWHERE, "target_project_id"), let_in.id.to_string()),
        ((EVERYWHERE, "target_group_id"), friends.id.to_string()),
        ((EVERYWHERE, "runner_id"), runner),
        ((EVERYWHERE, "environment_id"), environment[0].clone()),
        ((EVERYWHERE, "deployment_id"), environment[1].clone()),
        ((EVERYWHERE, "freeze_period_id"), environment[2].clone()),
        (("groups", "tier"), "other".into()),
        ((EVERYWHERE, "ref_name"), "main".into()),
        ((EVERYWHERE, "*archive_path"), "vault.txt".into()),
        ((EVERYWHERE, "resource_group"), "forge".into()),
        ((EVERYWHERE, "link_id"), release_link(&admin, &project).await),
        ((EVERYWHERE, "*suffix"), "assets/links".into()),
        ((EVERYWHERE, "*asset_path"), "hammer.txt".into()),
        ((EVERYWHERE, "*slug"), wiki_page(&admin, &[project.at(""), group.at("")]).await),
        ((EVERYWHERE, "key"), "FORGE".into()),
        ((EVERYWHERE, "sha"), "main".into()),
        ((EVERYWHERE, "file_path"), "README.md".into()),
        ((EVERYWHERE, "submodule"), "sub".into()),
    ];
    Hidden {
        keeper: keeper.id,
        outsider: (*outsider).clone(),
        ids: ids.into_iter().chain(review).chain(moves).collect(),
    }
}

/// A file of advisories, with one that is called OSV-1.
async fn advisories(t: &TestServer) -> String {
    let one = json!({"id": "OSV-1", "modified": "2026-01-01T00:00:00Z"}).to_string();
    let load = t.admin().post("/admin/advisories").bytes(one).await.is(202).id();
    t.settle().await;
    load.to_string()
}

/// The token of a list of components that was sent.
async fn sbom(admin: &Client, project: &TestProject) -> String {
    let list = json!({"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1});
    let sent = admin.post(project.at("/sboms")).json(&list).await.is(202).json();
    sent["token"].as_str().unwrap().to_owned()
}

/// A key of a user and one of a project.
async fn ssh_keys(admin: &Client, user: &str, project: &TestProject) -> [i64; 2] {
    let line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    let key = json!({"title": "laptop", "key": line});
    let key = admin.post(format!("{user}/keys")).json(&key).await.is(201).id();
    let line = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHwf2HMM5TRXvo2SQJjsNkiDD5KqiiNjrGVv3UUh+mMT5RHxiRtOnlqvjhQtBq0VpmpCV/PwUdhOig4vkbqAcEc=";
    let deploy = json!({"title": "machine", "key": line});
    let deploy = admin.post(project.at("/deploy_keys")).json(&deploy).await.is(201).id();
    [key, deploy]
}

/// A file on two branches and a tag, and a template of issues; the id of the file's content.
async fn history(admin: &Client, project: &TestProject) -> String {
    let post = async |path: &str, body: Value| {
        let path = project.at(&format!("/repository/{path}"));
        admin.post(path).json(&body).await.is(201)
    };
    let file = |path: &str, content: &str| json!({"action": "create", "file_path": path, "content": content});
    let template = file(".service/issue_templates/main.md", "a secret");
    let files = json!([file("README.md", "iron"), template]);
    let commit = json!({"branch": "main", "commit_message": "two files", "actions": files});
    post("commits", commit).await;
    post("branches", json!({"branch": "hammer", "ref": "main"})).await;
    post("tags", json!({"tag_name": "v1", "ref": "main"})).await;
    post("tags", json!({"tag_name": "v1.0.0", "ref": "main"})).await;
    let tree = admin.get(project.at("/repository/tree")).await.is(200).each("id");
    let file = tree.last().expect("a file behind the folder");
    file.as_str().expect("an id").to_owned()
}

/// Releases a tag with a link; the id of that.
async fn release_link(admin: &Client, project: &TestProject) -> String {
    let link = json!({"name": "a secret", "url": "https://a.example/", "filepath": "/hammer.txt"});
    let release = json!({"tag_name": "v1", "assets": {"links": [link]}});
    let made = admin.post(project.at("/releases")).json(&release).await.is(201).json();
    made["assets"]["links"][0]["id"].to_string()
}

/// A page in the wikis of these; its slug.
async fn wiki_page(admin: &Client, places: &[String]) -> String {
    for place in places {
        let page = json!({"title": "vault", "content": "a secret"});
        admin.post(format!("{place}/wikis")).json(&page).await.is(201);
    }
    "vault".into()
}

/// Makes two issues that are linked, and much that happened to the first: its
/// id, that of the link, of one event of each kind, of a note, of a reaction
/// to each, and of a to-do; and the note's discussion.
async fn issues(admin: &Client, project: &TestProject, milestone: i64) -> (Vec<i64>, String) {
    let body = json!({"title": "a secret"});
    let first = admin.post(project.at("/issues")).json(&body).await.is(201).id();
    admin.post(project.at("/issues")).json(&body).await.is(201);
    let link = json!({"target_project_id": project.id, "target_issue_iid": 2});
    admin.post(project.at("/issues/1/links")).json(&link).await.is(201);
    let links = admin.get(project.at("/issues/1/links")).await.is(200);
    let change = json!({"add_labels": "bug", "milestone_id": milestone, "weight": 2,
        "state_event": "close"});
    admin.put(project.at("/issues/1")).json(&change).await.is(200);
    let note = admin.post(project.at("/issues/1/discussions"));
    let note = note.json(&json!({"body": "a secret"})).await.is(201).json();
    let note_id = note["notes"][0]["id"].as_i64().unwrap_or_default();
    let award = json!({"name": "rocket"});
    let on_issue = admin.post(project.at("/issues/1/award_emoji"));
    let on_issue = on_issue.json(&award).await.is(201).id();
    let on_note = project.at(&format!("/issues/1/notes/{note_id}/award_emoji"));
    let on_note = admin.post(on_note).json(&award).await.is(201).id();
    let todo = admin.post(project.at("/issues/1/todo")).await.is(201).id();
    let discussion = note["id"].as_str().unwrap_or_default().to_owned();
    let mut ids = vec![first];
    ids.extend(links.each("issue_link_id").iter().filter_map(Value::as_i64));
    for kind in ["state", "label", "milestone", "weight"] {
        let path = project.at(&format!("/issues/1/resource_{kind}_events"));
        let events = admin.get(path).await.is(200);
        ids.extend(events.each("id").iter().filter_map(Value::as_i64));
    }
    ids.extend([note_id, on_issue, on_note, todo]);
    (ids, discussion)
}

/// A board with a column for this label: their ids.
async fn with_column(admin: &Client, boards: &str, label: i64) -> [i64; 2] {
    let made = async |path: &str, body: Value| admin.post(path).json(&body).await.is(201).id();
    let board = made(boards, json!({"name": "Vault"})).await;
    let list = made(&format!("{boards}/{board}/lists"), json!({"label_id": label})).await;
    [board, list]
}

/// Makes an epic with one below it, an issue, a link, and what happened to it: the
/// ids of these, of one event of each kind, of a note, and of a reaction to each; and
/// the note's discussion.
async fn epics(admin: &Client, group: &TestGroup, issue: i64) -> (Vec<i64>, String) {
    let made = async |path: String, body: Value| admin.post(path).json(&body).await.is(201);
    let epic = json!({"title": "a secret", "labels": "feature"});
    made(group.at("/epics"), epic).await;
    let child = made(group.at("/epics/1/epics"), json!({"title": "a secret"})).await.id();
    let place = made(group.at(&format!("/epics/1/issues/{issue}")), json!({})).await.id();
    let other = json!({"target_group_id": group.id, "target_epic_iid": 2});
    let link = made(group.at("/epics/1/related_epics"), other).await.id();
    admin.put(group.at("/epics/1?state_event=close")).await.is(200);
    let mut ids = vec![child, place, link];
    for kind in ["state", "label"] {
        let events = admin.get(group.at(&format!("/epics/1/resource_{kind}_events"))).await;
        ids.extend(events.is(200).each("id").iter().filter_map(Value::as_i64));
    }
    let note = made(group.at("/epics/1/discussions"), json!({"body": "a secret"})).await.json();
    let note_id = note["notes"][0]["id"].as_i64().unwrap_or_default();
    let award = json!({"name": "rocket"});
    let on_epic = made(group.at("/epics/1/award_emoji"), award.clone()).await.id();
    let on_note = group.at(&format!("/epics/1/notes/{note_id}/award_emoji"));
    ids.extend([note_id, on_epic, made(on_note, award).await.id()]);
    (ids, note["id"].as_str().unwrap_or_default().to_owned())
}

/// Reports an error; the client key and the error.
async fn reported_error(admin: &Client, project: &TestProject) -> (i64, i64) {
    let on = json!({"active": true, "integrated": true});
    let settings = project.at("/error_tracking/settings");
    admin.put(settings).json(&on).await.is(200);
    let keys = project.at("/error_tracking/client_keys");
    let key = admin.post(keys).await.is(201);
    let public = key.json()["public_key"].as_str().unwrap_or_default().to_owned();
    let to = format!("/error_tracking/collector/api/{}/store?sentry_key={public}", project.id);
    admin.post(to).bytes("{\"message\": \"secret\"}").await.is(200);
    let errors = admin.get(project.at("/error_tracking/errors")).await.is(200);
    let error = errors.json()[0]["id"].as_i64();
    (key.id(), error.expect("the error is listed"))
}

/// Has an alert received, with an image: its integration, a maintenance
/// window, and the image.
async fn received_alert(admin: &Client, project: &TestProject) -> [i64; 3] {
    let made = |path: &str, body: Value| {
        let path = project.at(&format!("/alert_management/{path}"));
        admin.post(path).json(&body)
    };
    let integration = made("http_integrations", json!({"name": "a secret", "active": true}));
    let integration = integration.await.is(201).id();
    let trial = format!("http_integrations/{integration}/test");
    let payload = json!({"payload": {"title": "a secret"}});
    made(&trial, payload).await.is(200);
    let window = json!({"name": "a secret", "ends_at": "2100-01-01"});
    let window = made("maintenance_windows", window).await.is(201).id();
    let images = project.at("/alert_management_alerts/1/metric_images");
    let gif =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    let files = [("file", "chart.gif", gif.as_slice())];
    let image = forms::multipart(admin.post(images), &[], &files).await;
    [integration, window, image.is(201).id()]
}

/// Makes a schedule, a rotation of it and a policy; the latter two.
async fn on_call(admin: &Client, project: &TestProject) -> [i64; 2] {
    let made = async |path: &str, body: Value| {
        let path = project.at(&format!("/alert_management/{path}"));
        admin.post(path).json(&body).await.is(201).id()
    };
    let root = admin.get("/user").await.id();
    let schedule = json!({"name": "a secret", "timezone": "UTC"});
    made("oncall_schedules", schedule).await;
    let rotation = json!({"name": "a secret", "starts_at": "2031-01-01", "length": 1,
        "length_unit": "days", "user_ids": [root]});
    let rules = json!([{"elapsed_time_seconds": 0, "status": "resolved", "user_id": root}]);
    let policy = json!({"name": "a secret", "rules": rules});
    [
        made("oncall_schedules/1/rotations", rotation).await,
        made("escalation_policies", policy).await,
    ]
}

/// Sends a file for texts: its number, and what its address holds.
async fn uploaded(admin: &Client, to: &str) -> (String, String) {
    let files = [("file", "plan.png", &b"a secret"[..])];
    let made = forms::multipart(admin.post(to), &[], &files).await.is(201);
    let url = made.json()["url"].as_str().unwrap_or_default().to_owned();
    let secret = url.split('/').nth(2).unwrap_or_default();
    (made.id().to_string(), secret.to_owned())
}
