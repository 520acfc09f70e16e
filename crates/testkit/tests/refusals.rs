//! Every route of the API, asked about things that exist and are hidden: by
//! nobody, by an outsider, by another project's bot and deploy token, and out
//! of scope. None may be let in unless it stands in a list below with the
//! reason; the lists may only shrink. Bodies are made from the interface's
//! description, so that no refusal is owed to a missing parameter.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use http::Method;
use kernel::http::routes::{Admits, Surface};
use serde_json::{Value, json};
use std::collections::HashMap;
use testkit::{Client, Reply, TestProject, TestServer};

#[path = "packages_formats/archives.rs"]
mod archives;
#[path = "packages_formats/forms.rs"]
mod forms;

/// Routes that answer nobody with success, and why.
const OPEN_TO_NOBODY: &[(&str, &str)] = &[
    ("GET /openapi.json", "it describes the interface"),
    ("GET /projects", "it lists public projects"),
    ("GET /groups", "it lists public groups"),
    (
        "GET /users/{id}/projects",
        "it lists that user's public projects",
    ),
    (
        "GET /users/{id}/starred_projects",
        "it lists public projects that user starred",
    ),
    (
        "GET /projects/{id}/packages/nuget/index.json",
        "it says the same of every id",
    ),
    (
        "GET /groups/{id}/-/packages/nuget/index.json",
        "it says the same of every id",
    ),
    (
        "GET /projects/{id}/packages/nuget/v2",
        "it says the same of every id",
    ),
    (
        "GET /projects/{id}/packages/nuget/v2/$metadata",
        "it says the same of every id",
    ),
    (
        "GET /packages/npm/-/ping",
        "it tells that the server is there",
    ),
    (
        "GET /packages/npm/-/v1/search",
        "it finds packages of public projects",
    ),
    (
        "GET /packages/conan/v1/ping",
        "clients ask what the server can do before they have credentials",
    ),
    (
        "GET /projects/{id}/packages/conan/v1/ping",
        "it does not look at the project",
    ),
    (
        "GET /groups/{id}/-/packages/conan/v1/ping",
        "it does not look at the group",
    ),
    (
        "GET /packages/conan/v1/conans/search",
        "it finds packages of public projects",
    ),
    (
        "GET /packages/conan/v2/conans/search",
        "it finds packages of public projects",
    ),
    (
        "POST /packages/npm/-/npm/v1/security/advisories/bulk",
        "it knows no advisories",
    ),
    (
        "POST /packages/npm/-/npm/v1/security/audits/quick",
        "it knows no advisories",
    ),
    (
        "POST /packages/npm/-/npm/v1/security/audits",
        "it knows no advisories",
    ),
];

/// Routes that answer anyone who is signed in, and why.
const OPEN_TO_ANYONE: &[(&str, &str)] = &[
    ("GET /metadata", "the version is no secret among users"),
    ("GET /version", "the version is no secret among users"),
    ("GET /namespaces", "it lists what the caller may see"),
    ("GET /issues", "it lists what the caller made"),
    ("GET /todos", "they are the caller's"),
    ("POST /todos/mark_as_done", "they are the caller's"),
    (
        "GET /namespaces/{id}/exists",
        "it tells of visible paths only",
    ),
    ("GET /personal_access_tokens", "it lists the caller's own"),
    (
        "GET /personal_access_tokens/self",
        "a token may ask about itself",
    ),
    (
        "GET /personal_access_tokens/self/associations",
        "a token may ask about itself",
    ),
    (
        "DELETE /personal_access_tokens/self",
        "a token may end itself",
    ),
    (
        "POST /personal_access_tokens/self/rotate",
        "a token may replace itself",
    ),
    (
        "POST /projects",
        "users make projects in their own namespace",
    ),
    ("POST /groups", "users make groups"),
    ("GET /packages/npm/-/whoami", "it is the caller"),
    (
        "GET /packages/conan/v1/users/authenticate",
        "callers exchange their own credential",
    ),
    (
        "GET /packages/conan/v2/users/authenticate",
        "callers exchange their own credential",
    ),
    (
        "GET /packages/conan/v1/users/check_credentials",
        "it is the caller",
    ),
    (
        "GET /packages/conan/v2/users/check_credentials",
        "it is the caller",
    ),
    ("GET /user", "it is the caller"),
    ("GET /user/status", "it is the caller's"),
    ("PUT /user/status", "it is the caller's"),
    ("PATCH /user/status", "it is the caller's"),
    ("PUT /user/avatar", "it is the caller's"),
    ("GET /user/emails", "they are the caller's"),
    ("POST /user/emails", "they are the caller's"),
    ("POST /markdown", "it shows the text it was sent"),
    (
        "POST /user/personal_access_tokens",
        "users make tokens of narrow scope",
    ),
    ("GET /users", "users know one another"),
    ("GET /users/{id}", "users know one another"),
    ("GET /users/{id}/status", "users know one another"),
    ("GET /users/{id}/followers", "users know one another"),
    ("GET /users/{id}/following", "users know one another"),
    ("POST /users/{id}/follow", "users know one another"),
    ("POST /users/{id}/unfollow", "users know one another"),
];

/// Routes that tokens of any scope may use, and why.
const WITHOUT_SCOPE: &[(&str, &str)] = &[
    (
        "GET /personal_access_tokens/self",
        "a token may ask about itself",
    ),
    (
        "DELETE /personal_access_tokens/self",
        "a token may end itself",
    ),
];

/// Audits only read, though by POST: whoever installs asks for them.
const READS_BY_POST: &str = "/npm/-/npm/v1/security/";

/// Fields of which one is needed, which the description cannot say.
const ONE_OF: &[(&str, &str)] = &[
    ("POST /projects", "name"),
    ("POST /projects/user/{user_id}", "name"),
    ("POST /projects/{id}/invitations", "email"),
    ("POST /groups/{id}/invitations", "email"),
    ("PUT /user/avatar", "avatar"),
];

/// What a route is asked with that takes a key of its own in the query: a
/// wrong one.
const WITH_KEY: &[(&str, &str)] = &[
    (
        "POST /error_tracking/collector/api/{id}/envelope",
        "sentry_key=svet_wrong",
    ),
    (
        "POST /error_tracking/collector/api/{id}/store",
        "sentry_key=svet_wrong",
    ),
];

/// One route with its hidden subject and a body that is complete.
struct Try {
    /// Method and template, as in the lists above.
    name: String,
    method: Method,
    path: String,
    body: Option<Value>,
}

/// Things that exist, and that nobody but `keeper` may know of.
struct Hidden {
    keeper: i64,
    outsider: Client,
    /// By the route's first word and the name in the template.
    ids: HashMap<(&'static str, &'static str), String>,
}

const EVERYWHERE: &str = "";

async fn hide(t: &TestServer) -> Hidden {
    let group = t.group("vault").await;
    let below = t.group("vault/inner").await;
    let project = t.project("vault/inner/secret").await;
    let package = project.generic_package("hammer", "1.0").await;
    project.npm_package("@vault/hammer", "1.0.0").await;
    let sources = python_package(&project, &t.admin()).await;
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
    let rule = made(project.at("/packages/protection/rules"), rule)
        .await
        .id();
    let rules = "/packages/cleanup/rules";
    let cleanup = json!({"package_type": "generic", "keep_last": 1});
    let cleanup_of_project = made(project.at(rules), cleanup.clone()).await.id();
    let cleanup_of_group = made(group.at(rules), cleanup).await.id();
    let query = json!({"name": "vault", "query": "{__typename}"});
    let listed = made("/application/graphql_queries".into(), query)
        .await
        .id();
    let token = json!({"name": "robot", "scopes": ["api"]});
    let of_project = made(project.at("/access_tokens"), token.clone()).await.id();
    let of_group = made(group.at("/access_tokens"), token.clone()).await.id();
    let keepers = format!("/users/{}", keeper.id);
    let personal = made(format!("{keepers}/personal_access_tokens"), token.clone())
        .await
        .id();
    let posed = made(format!("{keepers}/impersonation_tokens"), token)
        .await
        .id();
    let deploy = json!({"name": "robot", "scopes": ["read_package_registry"]});
    let deploy_of_project = made(project.at("/deploy_tokens"), deploy.clone())
        .await
        .id();
    let deploy_of_group = made(group.at("/deploy_tokens"), deploy).await.id();
    let share = json!({"group_id": friends.id, "group_access": 10});
    made(project.at("/share"), share.clone()).await;
    made(group.at("/share"), share).await;
    let mail = json!({"email": "vault@example.com", "access_level": 10});
    made(project.at("/invitations"), mail.clone()).await;
    made(group.at("/invitations"), mail).await;
    let mail = json!({"email": "vault2@example.com", "skip_confirmation": true});
    let email = made(format!("{keepers}/emails"), mail).await.id();
    let file = admin
        .get(format!("{}/package_files", package.path))
        .await
        .is(200)
        .each("id");
    let event = admin.get("/audit_events").await.is(200).each("id");
    drop(below);
    let shop = json!({"name": "Shop", "redirect_uri": "https://app.example/", "scopes": "api"});
    let shop = made("/applications".into(), shop).await.id();
    let color = json!({"name": "bug", "color": "red"});
    let label_of_project = made(project.at("/labels"), color).await.id();
    let color = json!({"name": "feature", "color": "red"});
    let label_of_group = made(group.at("/labels"), color).await.id();
    let goal = json!({"title": "1.0"});
    let milestone_of_project = made(project.at("/milestones"), goal).await.id();
    let goal = json!({"title": "2.0"});
    let milestone_of_group = made(group.at("/milestones"), goal).await.id();
    let (work, discussion) = issues(&admin, &project, milestone_of_project).await;
    let (client_key, error) = reported_error(&admin, &project).await;
    let [integration, window, image] = received_alert(&admin, &project).await;
    let [rotation, policy] = on_call(&admin, &project).await;
    let module = go_module(&admin, &project).await;
    let archive = composer_archive(&admin, &project).await;
    let (recipe, recipe_file) = conan_recipe(&admin, &project).await;
    let nuget = nuget_package(&admin, &project).await;
    let ids = [
        (("projects", "id"), project.id.to_string()),
        (("groups", "id"), group.id.to_string()),
        (("namespaces", "id"), group.id.to_string()),
        (("users", "id"), keeper.id.to_string()),
        (("personal_access_tokens", "id"), personal.to_string()),
        (("projects", "token_id"), of_project.to_string()),
        (("groups", "token_id"), of_group.to_string()),
        (("users", "token_id"), posed.to_string()),
        (
            ("projects", "deploy_token_id"),
            deploy_of_project.to_string(),
        ),
        (("groups", "deploy_token_id"), deploy_of_group.to_string()),
        (("applications", "id"), shop.to_string()),
        (("projects", "label_id"), label_of_project.to_string()),
        (("groups", "label_id"), label_of_group.to_string()),
        (
            ("projects", "milestone_id"),
            milestone_of_project.to_string(),
        ),
        (("groups", "milestone_id"), milestone_of_group.to_string()),
        (("issues", "id"), work[0].to_string()),
        (("projects", "issue_iid"), "1".into()),
        (("projects", "issue_link_id"), work[1].to_string()),
        (("projects", "state_event_id"), work[2].to_string()),
        (("projects", "label_event_id"), work[3].to_string()),
        (("projects", "milestone_event_id"), work[4].to_string()),
        (("projects", "weight_event_id"), work[5].to_string()),
        (
            ("projects", "cleanup_rule_id"),
            cleanup_of_project.to_string(),
        ),
        (("groups", "cleanup_rule_id"), cleanup_of_group.to_string()),
        (("projects", "note_id"), work[6].to_string()),
        (("projects", "award_id"), work[7].to_string()),
        (("projects", "award_of_note_id"), work[8].to_string()),
        (("todos", "id"), work[9].to_string()),
        (("projects", "discussion_id"), discussion),
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
        (
            (EVERYWHERE, "chart_file"),
            chart(&project, &t.admin()).await,
        ),
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
        (
            (EVERYWHERE, "*tags_path"),
            "@vault%2fhammer/dist-tags".into(),
        ),
        ((EVERYWHERE, "audit_event_id"), event[0].to_string()),
    ];
    Hidden {
        keeper: keeper.id,
        outsider: (*outsider).clone(),
        ids: ids.into_iter().collect(),
    }
}

/// Makes two issues that are linked, and much that happened to the first: its
/// id, that of the link, of one event of each kind, of a note, of a reaction
/// to each, and of a to-do; and the note's discussion.
async fn issues(admin: &Client, project: &TestProject, milestone: i64) -> (Vec<i64>, String) {
    let body = json!({"title": "a secret"});
    let first = admin
        .post(project.at("/issues"))
        .json(&body)
        .await
        .is(201)
        .id();
    admin.post(project.at("/issues")).json(&body).await.is(201);
    let link = json!({"target_project_id": project.id, "target_issue_iid": 2});
    admin
        .post(project.at("/issues/1/links"))
        .json(&link)
        .await
        .is(201);
    let links = admin.get(project.at("/issues/1/links")).await.is(200);
    let change = json!({"add_labels": "bug", "milestone_id": milestone, "weight": 2,
        "state_event": "close"});
    admin
        .put(project.at("/issues/1"))
        .json(&change)
        .await
        .is(200);
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

/// Reports an error; the client key and the error.
async fn reported_error(admin: &Client, project: &TestProject) -> (i64, i64) {
    let on = json!({"active": true, "integrated": true});
    let settings = project.at("/error_tracking/settings");
    admin.put(settings).json(&on).await.is(200);
    let keys = project.at("/error_tracking/client_keys");
    let key = admin.post(keys).await.is(201);
    let public = key.json()["public_key"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let to = format!(
        "/error_tracking/collector/api/{}/store?sentry_key={public}",
        project.id
    );
    admin
        .post(to)
        .bytes("{\"message\": \"secret\"}")
        .await
        .is(200);
    let errors = admin
        .get(project.at("/error_tracking/errors"))
        .await
        .is(200);
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
    let integration = made(
        "http_integrations",
        json!({"name": "a secret", "active": true}),
    );
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

/// Publishes a version of a Go module; what of it is asked for.
async fn go_module(admin: &Client, project: &TestProject) -> String {
    let module = format!("127.0.0.1/{}", project.path);
    let path = format!("{module}/@v/v1.0.0.zip");
    let bytes = archives::zip(&[(&format!("{module}@v1.0.0/a.go"), "package a")]);
    let at = project.at(&format!("/packages/go/{path}"));
    admin.put(at).bytes(bytes).await.is(201);
    path
}

/// Publishes a Conan recipe named after its project; the recipe and a file.
async fn conan_recipe(admin: &Client, project: &TestProject) -> (String, String) {
    let recipe = format!("hammer/1.0/{}/stable", project.path.replace('/', "+"));
    let file = format!("{recipe}/0/export/conanmanifest.txt");
    let at = project.at(&format!("/packages/conan/v1/files/{file}"));
    admin.put(at).bytes("1\n").await.is(200);
    (recipe, file)
}

/// Publishes a Composer package; the two parts of its archive's path.
async fn composer_archive(admin: &Client, project: &TestProject) -> (String, String) {
    let zip = archives::zip(&[("composer.json", r#"{"name": "smith/hammer"}"#)]);
    let request = admin.post(project.at("/packages/composer?tag=1.0.0"));
    let files = [("package", "p.zip", zip.as_slice())];
    forms::multipart(request, &[], &files).await.is(201);
    ("smith".into(), "hammer.zip".into())
}

/// Publishes a NuGet package; its file.
async fn nuget_package(admin: &Client, project: &TestProject) -> String {
    let own = "<package><metadata><id>hammer</id><version>1.0.0</version></metadata></package>";
    let zip = archives::zip(&[("hammer.nuspec", own)]);
    let request = admin.put(project.at("/packages/nuget"));
    let files = [("package", "package.nupkg", zip.as_slice())];
    forms::multipart(request, &[], &files).await.is(201);
    "hammer.1.0.0.nupkg".into()
}

/// Publishes a chart; its file.
async fn chart(project: &TestProject, admin: &Client) -> String {
    let own = "apiVersion: v2\nname: hammer\nversion: 1.0.0\n";
    let bytes = archives::tar_gz(&[("hammer/Chart.yaml", own)]);
    let request = admin.post(project.at("/packages/helm/api/stable/charts"));
    let files = [("chart", "hammer.tgz", bytes.as_slice())];
    forms::multipart(request, &[], &files).await.is(201);
    "hammer-1.0.0.tgz".into()
}

/// Publishes `hammer` for Python; the digest of its file.
async fn python_package(project: &TestProject, admin: &Client) -> String {
    let own = "Name: hammer\nVersion: 1.0\n";
    let bytes = archives::tar_gz(&[("hammer-1.0/PKG-INFO", own)]);
    let request = admin.post(project.at("/packages/pypi"));
    let texts = [("name", "hammer"), ("version", "1.0")];
    let files = [("content", "hammer-1.0.tar.gz", bytes.as_slice())];
    forms::multipart(request, &texts, &files).await.is(201);
    testkit::sha256(&bytes)
}

impl Hidden {
    /// The template with the hidden things in its places.
    fn filled(&self, template: &str) -> String {
        let first = template.split('/').nth(1).unwrap_or_default();
        let mut path = String::new();
        for part in template.split('{') {
            let Some((name, rest)) = part.split_once('}') else {
                path.push_str(part);
                continue;
            };
            let of = |room: &str| {
                let mut known = self.ids.iter();
                known
                    .find(|((a, b), _)| *a == room && *b == name)
                    .map(|(_, id)| id.clone())
            };
            let id = of(first).or_else(|| of(EVERYWHERE));
            path.push_str(&id.unwrap_or_else(|| panic!("say what {{{name}}} of {template} is")));
            path.push_str(rest);
        }
        path
    }

    /// Every route of the API, ready to be asked.
    fn tries(&self) -> Vec<Try> {
        let document: Value = serde_json::from_str(&tenon::system::openapi_file()).unwrap();
        let routes = tenon::wiring::routes();
        let of_api = routes
            .all()
            .iter()
            .filter(|route| route.surface == Surface::Api);
        of_api
            .map(|route| {
                let template = route.path.trim_start_matches("/api/v4");
                let operation = &document["paths"][route.path.replace("{*", "{")]
                    [route.method.as_str().to_ascii_lowercase()];
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                let name = format!("{} {template}", route.method);
                let mut body = schema.is_object().then(|| self.sample("", schema));
                for (_, field) in ONE_OF.iter().filter(|(route, _)| *route == name) {
                    if let Some(body) = &mut body {
                        body[field] = self.sample(field, &Value::Null);
                    }
                }
                let query = match why(WITH_KEY, &name) {
                    Some(key) => format!("?{key}"),
                    None => self.query(operation),
                };
                Try {
                    name,
                    method: route.method.clone(),
                    path: format!("{}{query}", self.filled(template)),
                    body,
                }
            })
            .collect()
    }

    /// What a GET must be told.
    fn query(&self, operation: &Value) -> String {
        let parameters = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let needed = parameters
            .iter()
            .filter(|one| one["in"] == "query" && one["required"] == true);
        let pairs = needed.map(|one| {
            let name = one["name"].as_str().unwrap_or_default();
            let sample = self.sample(name, &one["schema"]);
            format!("{name}={}", sample.to_string().trim_matches('"'))
        });
        let pairs: Vec<String> = pairs.collect();
        if pairs.is_empty() {
            String::new()
        } else {
            format!("?{}", pairs.join("&"))
        }
    }

    /// A usable value of this schema.
    fn sample(&self, name: &str, schema: &Value) -> Value {
        if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
            return first.clone();
        }
        let kind = schema["type"]
            .as_str()
            .or_else(|| schema["type"][0].as_str());
        match (kind, name) {
            (Some("object"), _) => {
                let needed = schema["required"].as_array().cloned().unwrap_or_default();
                let fields = needed.iter().filter_map(|field| {
                    let field = field.as_str()?;
                    let sample = self.sample(field, &schema["properties"][field]);
                    Some((field.to_owned(), sample))
                });
                Value::Object(fields.collect())
            }
            (Some("array"), "scopes") => json!(["self_rotate"]),
            (Some("array"), _) => json!([self.sample("", &schema["items"])]),
            (Some("integer"), "access_level" | "group_access") => json!(30),
            (Some("integer"), _) => json!(self.keeper),
            (Some("boolean"), _) => json!(true),
            _ if schema["format"] == "date-time" => json!("2100-01-01T00:00:00Z"),
            (_, "email") => json!("new@example.com"),
            (_, "avatar") => json!(""),
            (_, "user_id") => json!(self.keeper.to_string()),
            _ => json!("hammer"),
        }
    }
}

async fn ask(client: &Client, one: &Try) -> Reply {
    let request = client.api(one.method.clone(), &one.path);
    let reply = match &one.body {
        Some(body) => request.json(body).await,
        None => request.await,
    };
    assert!(reply.status < 500, "{}: {reply:?}", one.name);
    reply
}

fn why(list: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    list.iter()
        .find(|(route, _)| *route == name)
        .map(|(_, why)| *why)
}

/// What a refusal and an open list alike must not tell.
fn tells(reply: &Reply) -> bool {
    reply.text().contains("vault") || reply.text().contains("secret")
}

/// Every hidden thing is still there.
async fn nothing_happened(t: &TestServer, hidden: &Hidden) {
    for one in hidden.tries() {
        if one.method == Method::GET
            && !one.path.contains("/self")
            && !one.path.starts_with("/user/")
            // What it sends is told by a header.
            && !one.path.contains("/symbolfiles/")
        {
            let reply = ask(&t.admin(), &one).await;
            assert!(reply.status < 400, "{}: {reply:?}", one.name);
        }
    }
}

testkit::both_engines! {
    async fn every_route_refuses_nobody(t: TestServer) {
        let hidden = hide(&t).await;
        let mut wrong = Vec::new();
        for one in hidden.tries() {
            let reply = ask(&t.anonymous(), &one).await;
            let fits = match why(OPEN_TO_NOBODY, &one.name) {
                Some(_) => reply.status == 200 && (!tells(&reply) || one.name.contains("openapi")),
                None => [401, 403, 404].contains(&reply.status) && !tells(&reply),
            };
            if !fits {
                wrong.push(format!("{}: {reply:?}", one.name));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        nothing_happened(&t, &hidden).await;
    }

    async fn every_route_refuses_an_outsider(t: TestServer) {
        let hidden = hide(&t).await;
        let outsider = hidden.outsider.get("/user").await.is(200).id();
        let mut wrong = Vec::new();
        for one in hidden.tries() {
            // These end the token that asks.
            let client = match one.name.contains("/self") {
                true => t.token_of(outsider, &["api"]).await,
                false => hidden.outsider.clone(),
            };
            let reply = ask(&client, &one).await;
            let open = why(OPEN_TO_NOBODY, &one.name).or(why(OPEN_TO_ANYONE, &one.name));
            let fits = match open {
                Some(_) => reply.status < 400 && (!tells(&reply) || one.name.contains("openapi")),
                None => [401, 403, 404].contains(&reply.status) && !tells(&reply),
            };
            if !fits {
                wrong.push(format!("{}: {reply:?}", one.name));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        nothing_happened(&t, &hidden).await;
    }

    async fn every_route_refuses_credentials_of_another_project(t: TestServer) {
        let hidden = hide(&t).await;
        let other = t.project_with("plaza/fountain", "public").await;
        let token = json!({"name": "bot", "scopes": ["api"], "access_level": 50});
        let made = t.admin().post(other.at("/access_tokens")).json(&token).await.is(201);
        let bot = t.with_token(made.json()["token"].as_str().unwrap_or_default());
        let (digest, id) = (kernel::secrets::digest("deploys"), other.id);
        let written = t.app().write(move |tx| {
            let now = tx.now();
            Ok(tx.execute("insert into deploy_tokens (source_type, source_id, name, username, digest,
                scopes, created_at) values ('Project', $1, 'd', 'd', $2,
                'read_package_registry write_package_registry', $3)", (id, digest.clone(), now))?)
        });
        assert_eq!(written.await.unwrap(), 1);
        let mut wrong = Vec::new();
        for one in hidden.tries() {
            let open = why(OPEN_TO_NOBODY, &one.name).or(why(OPEN_TO_ANYONE, &one.name));
            if open.is_some() {
                continue;
            }
            let deploy = t.anonymous().api(one.method.clone(), &one.path)
                .header("deploy-token", "deploys").json(one.body.as_ref().unwrap_or(&json!({})));
            for reply in [ask(&bot, &one).await, deploy.await] {
                if ![401, 403, 404].contains(&reply.status) || tells(&reply) {
                    wrong.push(format!("{}: {reply:?}", one.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        nothing_happened(&t, &hidden).await;
    }

    async fn every_route_refuses_a_token_without_its_scope(t: TestServer) {
        let hidden = hide(&t).await;
        let root = 1;
        let narrow = t.token_of(root, &["read_repository", "sudo"]).await;
        let reader = t.token_of(root, &["read_api"]).await;
        let routes = tenon::wiring::routes();
        let unchecked = |one: &Try| routes.all().iter().any(|route| {
            let name = format!("{} {}", route.method, route.path.trim_start_matches("/api/v4"));
            route.admits == Admits::Unchecked && name == one.name
        });
        let mut wrong = Vec::new();
        for one in hidden.tries() {
            if unchecked(&one) || why(WITHOUT_SCOPE, &one.name).is_some() {
                continue;
            }
            let mut replies = vec![ask(&narrow, &one).await];
            if one.method != Method::GET && !one.name.contains(READS_BY_POST) {
                replies.push(ask(&reader, &one).await);
            }
            for reply in replies {
                if reply.status != 403 || reply.json()["error"] != "insufficient_scope" {
                    wrong.push(format!("{}: {reply:?}", one.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        nothing_happened(&t, &hidden).await;
    }
}

/// A route that is gone, or no longer without a scope, leaves the lists.
#[test]
fn the_lists_name_routes_there_are() {
    let routes = tenon::wiring::routes();
    let name = |route: &kernel::http::routes::Route| {
        format!(
            "{} {}",
            route.method,
            route.path.trim_start_matches("/api/v4")
        )
    };
    for (listed, _) in OPEN_TO_NOBODY.iter().chain(OPEN_TO_ANYONE) {
        assert!(
            routes.all().iter().any(|route| name(route) == *listed),
            "{listed}"
        );
    }
    let open = |route: &&kernel::http::routes::Route| {
        route.surface == Surface::Api && route.admits == Admits::Anyone && route.scopes.is_empty()
    };
    let mut without: Vec<String> = routes.all().iter().filter(open).map(name).collect();
    let mut listed: Vec<String> = WITHOUT_SCOPE
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    without.sort();
    listed.sort();
    assert_eq!(without, listed);
}
