//! Things of a project that are made for those who may not see them.

use serde_json::json;
use testkit::{Client, TestGroup, TestProject, TestServer};

/// A pipeline of `main` and its job.
pub async fn pipeline(admin: &Client, project: &TestProject) -> [String; 2] {
    let file = "a: {script: a secret, when: manual}\nb: {script: a secret, resource_group: forge}";
    let action = json!({"action": "create", "file_path": ".gitlab-ci.yml", "content": file});
    let body = json!({"branch": "main", "commit_message": "x [skip ci]", "actions": [action]});
    admin.post(project.at("/repository/commits")).json(&body).await.is(201);
    let begin = json!({"ref": "main"});
    let made = admin.post(project.at("/pipeline")).json(&begin).await.is(201).id();
    let jobs = admin.get(project.at(&format!("/pipelines/{made}/jobs"))).await.is(200);
    [made.to_string(), jobs.each("id")[0].to_string()]
}

/// The bill of materials of a project as a file.
pub async fn export(admin: &Client, project: &TestProject) -> String {
    let body = json!({"export_type": "cyclonedx_1_6_json"});
    let exports = project.at("/dependency_list_exports");
    let made = admin.post(exports).json(&body).await.is(201).id();
    for _ in 0..600 {
        if admin.get(format!("/dependency_list_exports/{made}")).await.status == 200 {
            return made.to_string();
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("it is not written in half a minute");
}

/// What deploys: an environment, a deployment and a freeze of a project, whose environment
/// `main` is protected as a tier of the group is.
pub async fn environment(admin: &Client, project: &TestProject, group: &str) -> [String; 3] {
    let commits = admin.get(project.at("/repository/commits?ref_name=main")).await.is(200);
    let told = json!({"environment": "vault", "sha": commits.each("id")[0], "ref": "main",
        "tag": false, "status": "failed"});
    let deployment = admin.post(project.at("/deployments")).json(&told).await.is(201).json();
    let freeze = json!({"freeze_start": "0 0 * * *", "freeze_end": "0 1 * * *"});
    let freeze = admin.post(project.at("/freeze_periods")).json(&freeze).await.is(201).id();
    for (to, name) in [(project.at(""), "main"), (group.to_owned(), "other")] {
        let rule = json!({"name": name, "deploy_access_levels": [{"access_level": 40}]});
        admin.post(format!("{to}/protected_environments")).json(&rule).await.is(201);
    }
    [
        deployment["environment"]["id"].to_string(),
        deployment["id"].to_string(),
        freeze.to_string(),
    ]
}

/// A pipeline schedule of `main` with the variable `FORGE`, and a trigger.
pub async fn begun_by(admin: &Client, project: &TestProject) -> [String; 2] {
    let body = json!({"description": "a secret", "ref": "main", "cron": "0 4 1 1 *"});
    let schedule = admin.post(project.at("/pipeline_schedules")).json(&body).await.is(201).id();
    let variables = project.at(&format!("/pipeline_schedules/{schedule}/variables"));
    let variable = json!({"key": "FORGE", "value": "a secret"});
    admin.post(variables).json(&variable).await.is(201);
    let body = json!({"description": "a secret"});
    let trigger = admin.post(project.at("/triggers")).json(&body).await.is(201).id();
    [schedule.to_string(), trigger.to_string()]
}

/// Lets the jobs of a project and of a group into a project.
pub async fn job_token_scope(
    admin: &Client, project: &TestProject, other: &TestProject, group: &TestGroup,
) {
    let scope = project.at("/job_token_scope");
    let entry = json!({"target_project_id": other.id});
    admin.post(format!("{scope}/allowlist")).json(&entry).await.is(201);
    let entry = json!({"target_group_id": group.id});
    admin.post(format!("{scope}/groups_allowlist")).json(&entry).await.is(201);
}

/// A snippet of a project with a note, and a reaction to each: its id, that of the note
/// and of its discussion, and those of the reactions.
pub async fn snippet(admin: &Client, project: &TestProject) -> [String; 5] {
    let body = json!({"title": "a secret", "visibility": "private", "file_name": "README.md",
        "content": "iron"});
    let made = admin.post(project.at("/snippets")).json(&body).await.is(201).id();
    let at = |rest: &str| project.at(&format!("/snippets/{made}{rest}"));
    let note = admin.post(at("/discussions")).json(&json!({"body": "a secret"})).await;
    let note = note.is(201).json();
    let note_id = note["notes"][0]["id"].to_string();
    let award = json!({"name": "rocket"});
    let on_snippet = admin.post(at("/award_emoji")).json(&award).await.is(201).id();
    let on_note = at(&format!("/notes/{note_id}/award_emoji"));
    let on_note = admin.post(on_note).json(&award).await.is(201).id();
    let discussion = note["id"].as_str().unwrap_or_default().to_owned();
    [
        made.to_string(),
        note_id,
        discussion,
        on_snippet.to_string(),
        on_note.to_string(),
    ]
}

/// What a template calls a thing, and its id.
type Named = ((&'static str, &'static str), String);

/// What the import of a project could not bring.
pub async fn failed_relation(t: &TestServer, project: &TestProject, keeper: i64) -> String {
    let project = project.id;
    let made = t.app().write(move |tx| {
        let (now, nothing) = (tx.now(), store::Json(json!({})));
        let import: i64 = tx.one(
            store::sql!(
                "insert into imports (project_id, source, host, user_id, origin, base_url,
                    upstream, options, user_map, status, is_live, round, round_started_at, stats,
                    failures, attempts, progressed_at, created_at, updated_at)
                 values ($1, 'provider_a', 'vault.example', $2, 'vault/secret',
                    'https://vault.example', $3, $3, $3, 'finished', $4, 1, $5, $3, 1, 0, $5, $5,
                    $5)
                 returning id"
            ),
            (project, keeper, nothing, false, now),
        )?;
        Ok(tx.one::<i64>(
            store::sql!(
                "insert into import_failures (import_id, stage, kind, key, exception_class,
                    message, created_at)
                 values ($1, 'issues', 'issue', '1', 'RecordInvalid', 'a secret', $2)
                 returning id"
            ),
            (import, now),
        )?)
    });
    made.await.expect("it is noted").to_string()
}

/// Somebody elsewhere whom a group knows, of whom a user is asked whether it is they.
pub async fn placeholder(t: &TestServer, group: &TestGroup, keeper: i64) -> String {
    let group = group.id;
    let made = t.app().write(move |tx| {
        let now = tx.now();
        Ok(tx.one::<i64>(
            store::sql!(
                "insert into import_source_users (namespace_id, source, host, source_user_id,
                    username, words_folded, user_id, status, created_at, updated_at)
                 values ($1, 'provider_a', 'vault.example', '1', 'secret', 'secret', $2,
                    'awaiting_approval', $3, $3)
                 returning id"
            ),
            (group, keeper, now),
        )?)
    });
    made.await.expect("it is noted").to_string()
}

/// A move of a project, of the wiki of a group and of a snippet, to where each lies.
pub async fn storage_moves(
    t: &TestServer, project: &TestProject, group: &TestGroup, snippet: &str,
) -> Vec<Named> {
    let snippet = format!("/snippets/{snippet}");
    let mut ids = Vec::new();
    for (of, own, all) in [
        (project.at(""), "projects", "project_repository_storage_moves"),
        (group.at(""), "groups", "group_repository_storage_moves"),
        (snippet, "snippets", "snippet_repository_storage_moves"),
    ] {
        let made = t.admin().post(format!("{of}/repository_storage_moves"));
        let body = json!({"destination_storage_name": "default"});
        let id = made.json(&body).await.is(201).id().to_string();
        let name = "repository_storage_move_id";
        ids.extend([((own, name), id.clone()), ((all, name), id)]);
    }
    t.settle().await;
    ids
}
