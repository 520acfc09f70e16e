//! Releases, members and protected branches as they come from elsewhere.

use super::{CHANGED, CREATED, bring, import, person};
use imports::run::Import;
use kernel::error::Error;
use serde_json::{Value, json};
use store::sql;
use testkit::{Git, TestProject, TestServer, TestUser};

/// A project with code, whose members come as well.
struct Forge {
    project: TestProject,
    smith: TestUser,
    import: Import,
    /// The commit of `main` and `v1`.
    commit: String,
}

impl Forge {
    async fn begin(t: &TestServer) -> Forge {
        let project = t.project_with("acme/forge", "public").await;
        let smith = t.user("smith").await;
        let git = Git::of(&t.admin());
        git.begin("one", "acme/forge").await;
        git.run_in("one", &["tag", "--annotate", "-m", "one", "v1"]).await.done();
        git.run_in("one", &["push", "--quiet", "origin", "main", "v1"]).await.done();
        let commit = git.id("one", "main").await;
        let import = import(t, &project, json!({"smith": smith.id})).await;
        Forge { project, smith, import, commit }
    }

    async fn bring(&self, t: &TestServer, objects: Value) {
        bring(t, &self.import, objects).await.expect("they are written");
    }

    async fn shown(&self, t: &TestServer, rest: &str) -> Value {
        t.admin().get(self.project.at(rest)).await.is(200).json()
    }
}

fn release(more: Value) -> Value {
    let mut release = json!({"tag": "v1", "name": "The first", "description": "It *rings*.",
    "author": person("smith"), "milestones": ["First", "unknown"], "created_at": CREATED,
    "released_at": CHANGED, "links": [
        {"name": "guide", "url": "https://docs.example/", "link_type": "runbook"},
        {"name": "bad", "url": "javascript:alert(1)"},
    ]});
    for (key, value) in more.as_object().expect("fields") {
        release[key] = value.clone();
    }
    json!({"type": "release", "release": release, "assets": [
        {"name": "tool.zip", "url": "https://code.example/releases/assets/1", "size": 5},
    ]})
}

#[testkit::story(noon)]
async fn a_release_comes_whole(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let milestone = json!({"type": "milestone", "number": 3, "title": "First",
        "created_at": CREATED, "updated_at": CHANGED});
    for _ in 0..2 {
        forge.bring(&t, json!([milestone, release(json!({}))])).await;
    }
    t.settle().await;

    let shown = forge.shown(&t, "/releases/v1").await;
    assert_eq!(
        (&shown["name"], &shown["description"]),
        (&json!("The first"), &json!("It *rings*."))
    );
    assert!(
        shown["created_at"].as_str().unwrap().starts_with("2020-01-02T03:04:05"),
        "{shown}"
    );
    assert!(
        shown["released_at"].as_str().unwrap().starts_with("2020-02-03T04:05:06"),
        "{shown}"
    );
    assert_eq!(shown["author"]["username"], "smith");
    assert_eq!(shown["commit"]["id"], forge.commit, "it is read from the tag");
    assert_eq!(shown["milestones"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["milestones"][0]["iid"], 3);
    let links = shown["assets"]["links"].as_array().expect("links");
    let names: Vec<&Value> = links.iter().map(|link| &link["name"]).collect();
    assert_eq!(names, [&json!("tool.zip"), &json!("guide")]);
    let direct = links[0]["direct_asset_url"].as_str().unwrap_or_default();
    assert!(direct.ends_with("/acme/forge/-/releases/v1/downloads/tool.zip"), "{direct}");
    assert_eq!(links[1]["link_type"], "runbook");
    assert_eq!(shown["evidences"], json!([]), "it came out elsewhere");
    assert_eq!(t.admin().get(forge.project.at("/releases")).await.is(200).each("id").len(), 1);
}

#[testkit::story(noon)]
async fn a_release_is_brought_up_to_date_by_later_rounds_alone(t: TestServer) {
    let forge = Forge::begin(&t).await;
    forge.bring(&t, json!([release(json!({}))])).await;
    let newer = release(json!({"name": "The very first", "author": null}));
    forge.bring(&t, json!([newer])).await;
    assert_eq!(forge.shown(&t, "/releases/v1").await["name"], "The first");

    let import = Import { round: 1, ..forge.import.clone() };
    bring(&t, &import, json!([newer])).await.expect("it is written");
    let shown = forge.shown(&t, "/releases/v1").await;
    assert_eq!(shown["name"], "The very first");
    assert_eq!(shown["assets"]["links"].as_array().map(Vec::len), Some(2));
    let refused = bring(&t, &import, json!([release(json!({"tag": "a..b"}))])).await;
    assert!(matches!(refused, Err(Error::Unprocessable(_))), "{refused:?}");
    let lost = json!({"tag": "v9", "author": null});
    forge.bring(&t, json!([release(lost)])).await;
    t.settle().await;
    let shown = forge.shown(&t, "/releases/v9").await;
    assert_eq!(shown["commit"], Value::Null, "there is no such tag");
}

#[testkit::story(noon)]
async fn who_is_known_becomes_a_member_and_others_wait(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let member = |name: &str, level: i64| json!({"type": "member", "who": person(name), "access_level": level});
    let mut gone = member("gone", 30);
    gone["expires_at"] = json!("2020-01-01");
    forge
        .bring(&t, json!([member("smith", 30), member("stranger", 40), gone]))
        .await;
    t.settle().await;

    let members = t.admin().get(forge.project.at("/members")).await.is(200).json();
    let told: Vec<(&Value, &Value)> = members
        .as_array()
        .expect("members")
        .iter()
        .map(|one| (&one["username"], &one["access_level"]))
        .collect();
    assert!(told.contains(&(&json!("smith"), &json!(30))), "{told:?}");
    let is_strange = |name: &Value| name.as_str().is_some_and(|name| name.contains("stranger"));
    assert!(!told.iter().any(|(name, _)| is_strange(name)), "{told:?}");
    let waiting = t.app().read(|tx| {
        Ok(tx.all::<i64>(
            sql!("select access_level from import_memberships order by access_level"),
            (),
        )?)
    });
    assert_eq!(waiting.await.unwrap(), [30, 40]);
    let odd = bring(&t, &forge.import, json!([member("odd", 35)])).await;
    assert!(matches!(odd, Err(Error::Unprocessable(_))), "{odd:?}");
    // What people changed here stays.
    let change = json!({"access_level": 20});
    let path = forge.project.at(&format!("/members/{}", forge.smith.id));
    t.admin().put(&path).json(&change).await.is(200);
    forge.bring(&t, json!([member("smith", 30)])).await;
    assert_eq!(t.admin().get(&path).await.is(200).json()["access_level"], 20);
}

#[testkit::story(noon)]
async fn nobody_gives_more_than_they_have(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let keeper = t.user("keeper").await;
    forge.project.add(&keeper, 40).await;
    let import = Import { user_id: keeper.id, ..forge.import.clone() };
    let member = json!({"type": "member", "who": person("smith"), "access_level": 50});
    bring(&t, &import, json!([member])).await.expect("it is written");
    let path = forge.project.at(&format!("/members/{}", forge.smith.id));
    assert_eq!(t.admin().get(path).await.is(200).json()["access_level"], 40);
}

#[testkit::story(noon)]
async fn the_stricter_rules_of_a_branch_hold(t: TestServer) {
    let forge = Forge::begin(&t).await;
    forge.project.add(&forge.smith, 30).await;
    let main = json!({"type": "protected_branch", "name": "main", "allows_force_push": true,
        "needs_merge_request": true, "needs_resolved_threads": true,
        "needs_signed_commits": true, "needs_code_owners": true, "pushers": [person("smith")]});
    let stable = json!({"type": "protected_branch", "name": "stable/*",
        "allows_force_push": true, "pushers": [person("smith"), person("stranger")]});
    forge.bring(&t, json!([main, stable])).await;

    let levels = |rule: &Value, of: &str| -> Vec<(Value, Value)> {
        let all = rule[of].as_array().expect("levels").iter();
        all.map(|one| (one["access_level"].clone(), one["user_id"].clone())).collect()
    };
    let shown = forge.shown(&t, "/protected_branches/main").await;
    assert_eq!(levels(&shown, "push_access_levels"), [(json!(0), Value::Null)]);
    assert_eq!(levels(&shown, "merge_access_levels"), [(json!(40), Value::Null)]);
    assert_eq!(shown["allow_force_push"], false, "it was not allowed here");
    assert_eq!(shown["code_owner_approval_required"], true);
    let shown = forge.shown(&t, "/protected_branches/stable%2F*").await;
    let push = levels(&shown, "push_access_levels");
    assert!(push.contains(&(json!(40), Value::Null)), "{push:?}");
    assert!(push.iter().any(|(_, user)| *user == forge.smith.id), "{push:?}");
    assert_eq!((push.len(), &shown["allow_force_push"]), (2, &json!(true)));
    let project = forge.shown(&t, "").await;
    assert_eq!(project["only_allow_merge_if_all_discussions_are_resolved"], true);
    let rule = forge.shown(&t, "/push_rule").await;
    assert_eq!(rule["reject_unsigned_commits"], true);
}
