//! Lists never ask once per row: fifty rows take as many statements as five.

use crate::packages_formats::forms::multipart;
use serde_json::{Value, json};
use testkit::{Browser, Client, Git, TestGroup, TestProject, TestServer};

/// All moves of projects between storages.
const MOVES: &str = "/project_repository_storage_moves";

/// Statements sent so far for requests of this route.
fn sent(t: &TestServer, route: &str) -> u64 {
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"/api/v4{route}\"}} ");
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(&line));
    count.map_or(0, |count| count.parse().expect("a count"))
}

/// Statements of one request for a page with this many rows.
async fn cost(t: &TestServer, client: &Client, route: &str, path: &str, rows: usize) -> u64 {
    let separator = if path.contains('?') { '&' } else { '?' };
    let before = sent(t, route);
    let path = format!("{path}{separator}per_page={rows}");
    let reply = client.get(path).await.is(200);
    assert_eq!(reply.each("id").len(), rows, "{reply:?}");
    sent(t, route) - before
}

/// A note, a reaction of this user, and a link to another issue.
async fn about_the_first_issue(t: &TestServer, user: &Client, issue: &str, body: &Value) {
    let post = |client: &Client, what| client.post(format!("{issue}/{what}")).json(body);
    post(&t.admin(), "notes").await.is(201);
    post(user, "award_emoji").await.is(201);
    if body["target_issue_iid"] != 1 {
        post(&t.admin(), "links").await.is(201);
    }
}

/// A public key, another one for each number.
fn public_key(n: i64) -> String {
    use base64::Engine;
    let mut bytes = b"\0\0\0\x0bssh-ed25519\0\0\0\x20".to_vec();
    bytes.extend_from_slice(&n.to_be_bytes().repeat(4));
    format!("ssh-ed25519 {}", base64::engine::general_purpose::STANDARD.encode(bytes))
}

/// An integration, an alert that this user looks after and that is an
/// incident, a maintenance window, and who is on call.
async fn alert(t: &TestServer, area: &str, n: i64, user: i64) {
    let post = |path: &str, body: Value| t.admin().post(format!("{area}/{path}")).json(&body);
    let integration = json!({"name": "i", "active": true});
    post("http_integrations", integration).await.is(201);
    let payload = json!({"payload": {"title": format!("alert {n}")}});
    post("http_integrations/1/test", payload).await.is(200);
    let one = format!("alerts/{}", n + 1);
    post(&format!("{one}/issue"), json!({})).await.is(201);
    let body = json!({"assignee_ids": [user]});
    t.admin().put(format!("{area}/{one}")).json(&body).await.is(200);
    let window = json!({"name": "w", "starts_at": "2099-01-01", "ends_at": "2100-01-01"});
    post("maintenance_windows", window).await.is(201);
    on_call(t, area, n, user).await;
}

/// A schedule, as far as a project may have so many; the first with hourly
/// turns.
async fn on_call(t: &TestServer, area: &str, n: i64, user: i64) {
    let post = |path: &str, body: Value| t.admin().post(format!("{area}/{path}")).json(&body);
    if n < 50 {
        let schedule = json!({"name": format!("schedule {n}"), "timezone": "UTC"});
        post("oncall_schedules", schedule).await.is(201);
    }
    if n == 0 {
        let turns = json!({"name": "turns", "starts_at": "2020-01-01", "length": 1,
            "length_unit": "hours", "user_ids": [user]});
        post("oncall_schedules/1/rotations", turns).await.is(201);
    }
}

/// A report of more kinds of dropped events than a page of fifty shows.
async fn dropped_events(t: &TestServer, collector: &str, key: &str) {
    let mut dropped = Vec::new();
    for reason in [
        "backpressure",
        "before_send",
        "cache_overflow",
        "event_processor",
        "invalid",
        "network_error",
        "queue_overflow",
        "sample_rate",
    ] {
        for category in ["default", "error", "feedback", "monitor", "profile", "session", "span"] {
            dropped.push(json!({"reason": reason, "category": category, "quantity": 1}));
        }
    }
    let report = json!({"discarded_events": dropped});
    let body = format!("{{}}\n{{\"type\":\"client_report\"}}\n{report}\n");
    let to = format!("{collector}/envelope?sentry_key={key}");
    t.anonymous().post(to).bytes(body).await.is(200);
}

/// An epic below the first one, linked with that, and an issue in the first.
async fn epic(t: &TestServer, group: &TestGroup, n: i64, issue: i64) {
    let post = |path: &str, body: Value| t.admin().post(group.at(path)).json(&body);
    let body = json!({"title": format!("epic {n}"), "labels": format!("l{n}")});
    let made = post("/epics", body).await.is(201).id();
    post(&format!("/epics/1/issues/{issue}"), json!({})).await.is(201);
    if n > 0 {
        post(&format!("/epics/1/epics/{made}"), json!({})).await.is(201);
        let link = json!({"target_group_id": group.id, "target_epic_iid": n + 1});
        post("/epics/1/related_epics", link).await.is(201);
    }
    post("/epics/1/notes", json!({"body": format!("note {n}")})).await.is(201);
}

/// Commits with a branch and an annotated tag each.
async fn commits(t: &TestServer) {
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    for n in 0..55 {
        git.commit("one", "nails.txt", &format!("{n}\n")).await;
        git.run_in("one", &["branch", &format!("nail-{n}")]).await.done();
        let (tag, message) = (format!("v{n}"), format!("nail {n}"));
        git.run_in("one", &["tag", "--annotate", &tag, "--message", &message])
            .await
            .done();
    }
    let all = [
        "push",
        "--quiet",
        "origin",
        "refs/heads/*:refs/heads/*",
        "refs/tags/*:refs/tags/*",
    ];
    git.run_in("one", &all).await.done();
}

/// A board with a column, as far as a project may have so many.
async fn board(t: &TestServer, project: &TestProject, n: i64) {
    if n < 50 {
        let body = json!({"name": format!("board {n}")});
        let made = t.admin().post(project.at("/boards")).json(&body).await.is(201).id();
        let label = t.admin().get(project.at("/labels/g0")).await.is(200).id();
        let lists = project.at(&format!("/boards/{made}/lists?label_id={label}"));
        t.admin().post(lists).await.is(201);
    }
}

/// A release for a milestone with a link, and a link of the first one.
async fn release(t: &TestServer, project: &TestProject, n: i64) {
    let link = |name: String| json!({"url": format!("https://files.example/{name}"), "name": name});
    let body = json!({"tag_name": format!("v{n}"), "milestones": [format!("g{n}")],
        "assets": {"links": [link("own".into())]}});
    t.admin().post(project.at("/releases")).json(&body).await.is(201);
    let links = project.at("/releases/v0/assets/links");
    t.admin().post(links).json(&link(format!("l{n}"))).await.is(201);
}

/// Fifty-five of everything that is listed, told apart where the lists look:
/// each project in a group of its own, each package with two files.
async fn fill(t: &TestServer) -> (String, String) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let on = json!({"active": true, "integrated": true});
    let settings = project.at("/error_tracking/settings");
    t.admin().put(settings).json(&on).await.is(200);
    commits(t).await;
    crate::repositories::moves::fill(t, project.id).await;
    crate::imports::people::fill(t, group.id).await;
    let action = json!({"action": "create", "file_path": ".gitlab-ci.yml",
        "content": "a: {script: e}"});
    let body = json!({"branch": "main", "commit_message": "x [skip ci]", "actions": [action]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    let many = json!({"ci_pipeline_schedules": 0});
    t.admin().put("/application/plan_limits").json(&many).await.is(200);
    let keys = project.at("/error_tracking/client_keys");
    for n in 0..55 {
        let key = t.admin().post(&keys).await.is(201);
        let key = key.json()["public_key"].as_str().unwrap_or_default().to_owned();
        let collector = format!("/error_tracking/collector/api/{}", project.id);
        let to = format!("{collector}/store?sentry_key={key}");
        let event = json!({"message": format!("message {n}")});
        t.anonymous().post(to).json(&event).await.is(200);
        if n == 0 {
            dropped_events(t, &collector, &key).await;
        }
        let user = t.user(&format!("user{n}")).await;
        project.add(&user, 30).await;
        alert(t, &project.at("/alert_management"), n, user.id).await;
        group.add(&user, 10).await;
        user.post(project.at("/fork")).await.is(201);
        let name = format!("g{n}");
        let file = [("file", "a.txt", name.as_bytes())];
        multipart(user.post(project.at("/uploads")), &[], &file).await.is(201);
        let body = json!({"name": name, "path": name, "parent_id": group.id});
        let below = t.admin().post("/groups").json(&body).await.is(201).id();
        let body = json!({"name": name, "path": name, "namespace_id": below});
        t.admin().post("/projects").json(&body).await.is(201);
        let file = project.at(&format!("/packages/generic/{name}/1.0/a.txt"));
        t.admin().put(&file).bytes(name.clone()).await.is(201);
        let label = json!({"name": name, "color": "red", "description": name, "priority": n});
        t.admin().post(project.at("/labels")).json(&label).await.is(201);
        t.admin()
            .post(project.at("/milestones"))
            .json(&json!({"title": name}))
            .await
            .is(201);
        let text = format!("thing {name}");
        let issue = json!({"title": name, "description": text, "labels": name});
        let made = t.admin().post(project.at("/issues")).json(&issue).await.is(201);
        board(t, &project, n).await;
        release(t, &project, n).await;
        let rule = json!({"name": name, "allowed_to_push": [{"user_id": user.id}]});
        t.admin().post(project.at("/protected_branches")).json(&rule).await.is(201);
        let begin = json!({"ref": "main"});
        t.admin().post(project.at("/pipeline")).json(&begin).await.is(201);
        environment(t, &project, &name).await;
        let schedule = json!({"description": name, "ref": "main", "cron": "0 4 1 1 *"});
        t.admin().post(project.at("/pipeline_schedules")).json(&schedule).await.is(201);
        let trigger = json!({"description": name});
        t.admin().post(project.at("/triggers")).json(&trigger).await.is(201);
        let runner = json!({"runner_type": "project_type", "project_id": project.id});
        t.admin().post("/user/runners").json(&runner).await.is(201);
        let of_group = json!({"runner_type": "group_type", "group_id": group.id});
        t.admin().post("/user/runners").json(&of_group).await.is(201);
        let token = t.admin().post("/runners/1/reset_authentication_token").await.is(201).json();
        let machine = json!({"token": token["token"], "system_id": name});
        t.anonymous().post("/runners/verify").json(&machine).await.is(200);
        t.anonymous().post("/jobs/request").json(&machine).await.is(201);
        let variable = json!({"key": name, "value": name});
        t.admin().post(project.at("/variables")).json(&variable).await.is(201);
        let key = json!({"title": name, "key": public_key(n), "can_push": n % 2 == 0});
        t.admin().post(project.at("/deploy_keys")).json(&key).await.is(201);
        let key = json!({"title": name, "key": public_key(n + 1000)});
        t.admin().post("/user/keys").json(&key).await.is(201);
        epic(t, &group, n, made.id()).await;
        let todo = project.at(&format!("/issues/{}/todo", n + 1));
        t.admin().post(todo).await.is(201);
        about_the_first_issue(
            t,
            &user,
            &project.at("/issues/1"),
            &json!({
                "body": text, "name": "thumbsup",
                "target_project_id": project.id, "target_issue_iid": n + 1,
            }),
        )
        .await;
    }
    (project.at(""), group.at(""))
}

/// A protected environment with a deployment, and a freeze.
async fn environment(t: &TestServer, project: &TestProject, name: &str) {
    let commits = t.admin().get(project.at("/repository/commits?per_page=1")).await.is(200);
    let told = json!({"environment": name, "sha": commits.each("id")[0], "ref": "main",
        "tag": false, "status": "success"});
    t.admin().post(project.at("/deployments")).json(&told).await.is(201);
    let rule = json!({"name": name, "deploy_access_levels": [{"access_level": 40}],
        "approval_rules": [{"access_level": 40}]});
    t.admin().post(project.at("/protected_environments")).json(&rule).await.is(201);
    let freeze = json!({"freeze_start": "0 0 * * *", "freeze_end": "0 1 * * *"});
    t.admin().post(project.at("/freeze_periods")).json(&freeze).await.is(201);
}

#[testkit::story]
async fn lists_of_fifty_cost_what_lists_of_five_cost(t: TestServer) {
    let (project, group) = fill(&t).await;
    let member = t.user("member").await;
    let lists = [
        ("/projects", "/projects".to_owned()),
        ("/projects", "/projects?statistics=true&order_by=name".into()),
        ("/projects", "/projects?simple=true&pagination=keyset&order_by=id".into()),
        ("/groups", "/groups?statistics=true".into()),
        ("/groups/{id}/projects", format!("{group}/projects?include_subgroups=true")),
        ("/groups/{id}/subgroups", format!("{group}/subgroups")),
        ("/groups/{id}/descendant_groups", format!("{group}/descendant_groups")),
        ("/groups/{id}/members", format!("{group}/members")),
        ("/projects/{id}/members", format!("{project}/members")),
        ("/projects/{id}/members/all", format!("{project}/members/all")),
        ("/namespaces", "/namespaces".into()),
        ("/users", "/users".into()),
        ("/users", "/users?pagination=keyset&order_by=name".into()),
        ("/issues", "/issues".into()),
        ("/todos", "/todos".into()),
        ("/events", "/events".into()),
        ("/events", "/events?scope=all".into()),
        ("/users/{id}/events", "/users/root/events".into()),
        ("/projects/{id}/events", format!("{project}/events")),
        ("/projects/{id}/issues/{issue_iid}/notes", format!("{project}/issues/1/notes")),
        (
            "/projects/{id}/issues/{issue_iid}/discussions",
            format!("{project}/issues/1/discussions"),
        ),
        (
            "/projects/{id}/issues/{issue_iid}/award_emoji",
            format!("{project}/issues/1/award_emoji"),
        ),
        ("/projects/{id}/issues/{issue_iid}/links", format!("{project}/issues/1/links")),
        ("/projects/{id}/issues", format!("{project}/issues?with_labels_details=true")),
        ("/projects/{id}/issues", format!("{project}/issues?pagination=keyset&search=g")),
        ("/groups/{id}/issues", format!("{group}/issues?order_by=label_priority")),
        ("/groups/{id}/epics", format!("{group}/epics?with_labels_details=true")),
        ("/groups/{id}/epics/{epic_iid}/issues", format!("{group}/epics/1/issues")),
        ("/groups/{id}/epics/{epic_iid}/epics", format!("{group}/epics/1/epics")),
        ("/projects/{id}/boards", format!("{project}/boards")),
        (
            "/groups/{id}/epics/{epic_iid}/related_epics",
            format!("{group}/epics/1/related_epics"),
        ),
        ("/groups/{id}/related_epic_links", format!("{group}/related_epic_links")),
        ("/groups/{id}/epics/{epic_iid}/notes", format!("{group}/epics/1/notes")),
        ("/projects/{id}/forks", format!("{project}/forks")),
        (MOVES, MOVES.into()),
        (
            "/projects/{id}/repository_storage_moves",
            format!("{project}/repository_storage_moves"),
        ),
        ("/groups/{id}/placeholder_users", format!("{group}/placeholder_users")),
        ("/projects/{id}/protected_branches", format!("{project}/protected_branches")),
        ("/projects/{id}/variables", format!("{project}/variables")),
        ("/projects/{id}/pipelines", format!("{project}/pipelines")),
        ("/projects/{id}/jobs", format!("{project}/jobs")),
        ("/projects/{id}/environments", format!("{project}/environments")),
        ("/projects/{id}/deployments", format!("{project}/deployments")),
        ("/projects/{id}/freeze_periods", format!("{project}/freeze_periods")),
        (
            "/projects/{id}/protected_environments",
            format!("{project}/protected_environments"),
        ),
        ("/projects/{id}/pipeline_schedules", format!("{project}/pipeline_schedules")),
        ("/projects/{id}/triggers", format!("{project}/triggers")),
        ("/runners", "/runners".into()),
        ("/runners/all", "/runners/all".into()),
        ("/runners/{runner_id}/managers", "/runners/1/managers".into()),
        ("/runners/{runner_id}/jobs", "/runners/1/jobs".into()),
        ("/projects/{id}/runners", format!("{project}/runners")),
        ("/groups/{id}/runners", format!("{group}/runners")),
        ("/projects/{id}/deploy_keys", format!("{project}/deploy_keys")),
        ("/deploy_keys", "/deploy_keys".into()),
        ("/user/keys", "/user/keys".into()),
        ("/projects/{id}/repository/branches", format!("{project}/repository/branches")),
        ("/projects/{id}/repository/tags", format!("{project}/repository/tags")),
        (
            "/projects/{id}/repository/commits",
            format!("{project}/repository/commits?with_stats=true"),
        ),
        (
            "/projects/{id}/releases",
            format!("{project}/releases?include_html_description=true"),
        ),
        (
            "/projects/{id}/releases/{tag_name}/assets/links",
            format!("{project}/releases/v0/assets/links"),
        ),
        ("/groups/{id}/releases", format!("{group}/releases")),
        ("/projects/{id}/labels", format!("{project}/labels?with_counts=true")),
        ("/projects/{id}/milestones", format!("{project}/milestones")),
        ("/projects/{id}/uploads", format!("{project}/uploads")),
        ("/projects/{id}/packages", format!("{project}/packages")),
        ("/groups/{id}/packages", format!("{group}/packages")),
        (
            "/projects/{id}/error_tracking/errors",
            format!("{project}/error_tracking/errors"),
        ),
        (
            "/projects/{id}/error_tracking/dropped_events",
            format!("{project}/error_tracking/dropped_events"),
        ),
        (
            "/projects/{id}/error_tracking/client_keys",
            format!("{project}/error_tracking/client_keys"),
        ),
        (
            "/projects/{id}/alert_management/alerts",
            format!("{project}/alert_management/alerts"),
        ),
        (
            "/projects/{id}/alert_management/http_integrations",
            format!("{project}/alert_management/http_integrations"),
        ),
        (
            "/projects/{id}/alert_management/http_integrations/{integration_id}/deliveries",
            format!("{project}/alert_management/http_integrations/1/deliveries"),
        ),
        (
            "/projects/{id}/alert_management/maintenance_windows",
            format!("{project}/alert_management/maintenance_windows"),
        ),
        (
            "/projects/{id}/alert_management/oncall_schedules",
            format!("{project}/alert_management/oncall_schedules"),
        ),
        (
            "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}/shifts",
            format!("{project}/alert_management/oncall_schedules/1/shifts"),
        ),
        ("/search", "/search?scope=issues&search=thing".into()),
        ("/search", "/search?scope=epics&search=epic".into()),
        ("/groups/{id}/search", format!("{group}/search?scope=epics&search=epic")),
        ("/search", "/search?scope=notes&search=thing".into()),
        ("/search", "/search?scope=projects&search=acme".into()),
        ("/search", "/search?scope=users&search=user".into()),
        ("/groups/{id}/search", format!("{group}/search?scope=issues&search=thing")),
        ("/projects/{id}/search", format!("{project}/search?scope=issues&search=thing")),
        ("/personal_access_tokens", "/personal_access_tokens".into()),
        ("/audit_events", "/audit_events".into()),
    ];
    // So that the note of its first use is not counted, nor the copy of the repository.
    t.admin().get(format!("{project}/repository/tags")).await.is(200);
    for client in [&t.admin(), &*member] {
        client.get("/user").await.is(200);
    }
    for (route, path) in lists {
        let few = cost(&t, &t.admin(), route, &path, 5).await;
        let many = cost(&t, &t.admin(), route, &path, 50).await;
        assert!(few > 0, "{path} is not counted");
        assert_eq!(few, many, "{path}");
        // To-dos ask for most: each shows its whole issue, with how many merge requests close it.
        assert!(few <= 15, "{path}: {few} statements");
    }
    let few = cost(&t, &member, "/users", "/users", 5).await;
    assert_eq!(few, cost(&t, &member, "/users", "/users", 50).await);
}

/// Statements sent so far for all requests.
pub fn sent_in_all(t: &TestServer) -> u64 {
    let text = t.app().metrics().render();
    let lines = text.lines().filter(|line| line.starts_with("http_request_statements_total{"));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// A project with so many issues of somebody's, and twice as many notes about the
/// first; the pages of it, as this person sees them.
async fn pages(t: &TestServer, name: &str, issues: usize) -> (Browser, [String; 7]) {
    let project = t.project(&format!("{name}/{name}")).await;
    let user = t.user(&format!("of-{name}")).await;
    project.add(&user, 30).await;
    let group = t.group(name).await;
    for n in 0..issues {
        let epic = json!({"title": format!("house {n}")});
        t.admin().post(group.at("/epics")).json(&epic).await.is(201);
        let body = json!({"title": format!("door {n}"), "labels": "bug", "assignee_ids": [user.id],
            "description": format!("as #{}, &1, @of-{name} ~bug", n + 1)});
        t.admin().post(project.at("/issues")).json(&body).await.is(201);
    }
    for n in 0..issues * 2 {
        let epic = n % issues + 1;
        let body = json!({"body": format!("note {n} about #1 of &{epic}, @of-{name}")});
        let by = if n % 2 == 0 { &*user } else { &t.admin() };
        by.post(project.at("/issues/1/notes")).json(&body).await.is(201);
    }
    let list = format!("/{name}/{name}/-/issues");
    let board = json!({"name": "Doors"});
    let board = t.admin().post(project.at("/boards")).json(&board).await.is(201).id();
    let label = t.admin().get(project.at("/labels/bug")).await.is(200).id();
    let lists = project.at(&format!("/boards/{board}/lists?label_id={label}"));
    t.admin().post(lists).await.is(201);
    let search = format!("/search?q=door&type=issues&project={name}/{name}&per_page=50");
    let activity = format!("/{name}/{name}/-/activity?per_page=10");
    let paths = [
        format!("{list}/1"),
        format!("{list}?per_page=50"),
        "/".into(),
        search,
        activity,
        format!("/{name}/{name}/-/boards"),
        format!("/groups/{name}/-/boards"),
    ];
    (t.browser(&format!("of-{name}")).await, paths)
}

#[testkit::story]
async fn pages_of_much_cost_what_pages_of_little_cost(t: TestServer) {
    let ((some, few), (other, many)) = (pages(&t, "few", 5).await, pages(&t, "many", 50).await);
    for (few, many) in few.into_iter().zip(many) {
        let mut costs = Vec::new();
        for (browser, path) in [(&some, &few), (&other, &many)] {
            // What a server reads once is not counted.
            browser.get(path).await.is(200);
            let before = sent_in_all(&t);
            let page = browser.get(path).await.is(200).text();
            assert!(page.contains("door "), "{page}");
            costs.push(sent_in_all(&t) - before);
        }
        assert!((1..=45).contains(&costs[0]), "{few}: {costs:?}");
        assert_eq!(costs[0], costs[1], "{few}");
    }
}
