//! Versions that go by rules: what a dry run tells beforehand, and what a run
//! then takes.

mod runs;

use serde_json::{Value, json};
use store::sql;
use testkit::{Client, TestProject, TestServer};

const DAY: i64 = 24 * 60 * 60;

/// Publishes versions of a name, one each day.
async fn publish(t: &TestServer, to: &TestProject, name: &str, versions: &[&str]) {
    for version in versions {
        let path = to.at(&format!("/packages/generic/{name}/{version}/{name}.bin"));
        t.admin().put(path).bytes("0123456789").await.is(201);
        t.advance(DAY);
    }
}

/// Says that versions of a name were downloaded now.
async fn downloaded(t: &TestServer, name: &str, version: &str) {
    let (name, version, now) = (name.to_owned(), version.to_owned(), t.now());
    let noted = t.app().write(move |tx| {
        let change =
            sql!("update packages set last_downloaded_at = $3 where name = $1 and version = $2");
        Ok(tx.execute(change, (name.as_str(), version.as_str(), now))?)
    });
    assert_eq!(noted.await.expect("noted"), 1);
}

/// `NAME VERSION` of all packages of a project, by name and version.
async fn left(t: &TestServer, project: &TestProject) -> Vec<String> {
    let path = project.at("/packages?order_by=version&per_page=100");
    let mut left = named(&t.admin().get(path).await.is(200).json());
    left.sort();
    left
}

fn named(list: &Value) -> Vec<String> {
    let text = |one: &Value, field: &str| one[field].as_str().unwrap_or_default().to_owned();
    let all = list.as_array().expect("a list").iter();
    all.map(|one| format!("{} {}", text(one, "name"), text(one, "version")))
        .collect()
}

/// Adds a rule that is enabled; its address.
async fn add(t: &TestServer, place: &str, mut rule: Value) -> String {
    rule["enabled"] = json!(true);
    let rules = format!("{place}/packages/cleanup/rules");
    let made = t.admin().post(&rules).json(&rule).await.is(201);
    format!("{rules}/{}", made.id())
}

/// What a rule would take, `NAME VERSION` each.
async fn told(t: &TestServer, rule: &str) -> Vec<String> {
    let preview = format!("{rule}/preview?per_page=100");
    named(&t.admin().get(preview).await.is(200).json())
}

/// Applies a rule at once; the run when it is through.
async fn apply(t: &TestServer, rule: &str) -> Value {
    let runs = format!("{rule}/runs");
    t.admin().post(&runs).await.is(201);
    t.settle().await;
    let run = t.admin().get(&runs).await.is(200).json()[0].clone();
    assert_eq!(run["running"], false);
    assert!(run["finished_at"].is_string());
    assert_eq!(run["names_done"], run["names_total"]);
    run
}

async fn audited(t: &TestServer, action: &'static str) -> Vec<Value> {
    let read = t.app().read(move |tx| {
        Ok(tx.all::<(store::Json<Value>,)>(
            sql!("select details from audit_records where action = $1 order by id"),
            (action,),
        )?)
    });
    let found = read.await.expect("read");
    found.into_iter().map(|(store::Json(details),)| details).collect()
}

async fn people(t: &TestServer, project: &TestProject) -> Vec<(i64, Client)> {
    let mut people = vec![(0, t.anonymous())];
    for (name, level) in [("outsider", 0), ("guest", 10), ("developer", 30), ("maintainer", 40)] {
        let user = t.user(name).await;
        if level > 0 {
            project.add(&user, level).await;
        }
        people.push((level, t.token_of(user.id, &["api"]).await));
    }
    people
}

#[testkit::story(noon)]
async fn a_dry_run_tells_exactly_what_goes(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(&t, &project, "hammer", &["1.0", "1.1", "2.0-rc1", "2.0"]).await;
    publish(&t, &project, "nail", &["1.0", "1.1"]).await;
    publish(&t, &project, "guarded", &["1.0", "1.1", "1.2"]).await;
    let guard = json!({"package_name_pattern": "guard*", "package_type": "generic",
        "minimum_access_level_for_delete": "owner"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&guard)
        .await
        .is(201);
    project.npm_package("other", "1.0.0").await;
    let rule = json!({"package_type": "generic", "keep_last": 1, "older_than_days": 4,
        "keep_version_regex": r".*-rc\d+"});
    let before = left(&t, &project).await;

    let draft = project.at("/packages/cleanup/preview?per_page=2");
    let page = t.admin().post(draft).json(&rule).await.is(200);

    assert_eq!(page.header("x-total"), "3");
    let first = page.json()[0].clone();
    assert_eq!(
        first,
        json!({
            "id": first["id"], "project_id": project.id, "name": "hammer", "version": "1.1",
            "package_type": "generic", "status": "default", "size": 10,
            "created_at": "2031-05-07T12:00:00.000Z", "last_downloaded_at": null,
            "reasons": ["not among the newest 1 of its name", "published more than 4 days ago"],
        })
    );
    let at = add(&t, &project.at(""), rule).await;
    assert_eq!(told(&t, &at).await, ["hammer 1.1", "hammer 1.0", "nail 1.0"]);
    assert_eq!(left(&t, &project).await, before, "nothing went yet");

    let run = apply(&t, &at).await;

    assert_eq!((&run["removed_packages"], &run["removed_size"]), (&json!(3), &json!(30)));
    assert_eq!(
        left(&t, &project).await,
        [
            "guarded 1.0",
            "guarded 1.1",
            "guarded 1.2",
            "hammer 2.0",
            "hammer 2.0-rc1",
            "nail 1.1",
            "other 1.0.0"
        ]
    );
    let gone = project.at("/packages/generic/hammer/1.0/hammer.bin");
    t.admin().get(gone).await.is(404);
    let records = audited(&t, "package.clean_up").await;
    assert_eq!(records.len(), 3);
    assert_eq!(records[0]["version"], "1.1");
    assert_eq!(records[0]["reasons"], first["reasons"]);
    assert_eq!(told(&t, &at).await, Vec::<String>::new());
    assert_eq!(apply(&t, &at).await["removed_packages"], 0);
    let report = packages::check::run(t.app(), true, |_, _| {}).await.expect("checked");
    assert_eq!(report.problems, Vec::<String>::new());
}

#[testkit::story(noon)]
async fn what_is_used_stays(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(&t, &project, "hammer", &["1", "2", "3", "4"]).await;
    t.advance(30 * DAY);
    downloaded(&t, "hammer", "1").await;
    t.advance(10 * DAY);
    downloaded(&t, "hammer", "2").await;
    let place = project.at("");

    let of = |more: Value| {
        let mut rule = json!({"package_type": "generic"});
        rule.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        rule
    };
    let unused = add(&t, &place, of(json!({"not_downloaded_days": 5}))).await;
    assert_eq!(told(&t, &unused).await, ["hammer 4", "hammer 3", "hammer 1"]);
    let never = of(json!({"never_downloaded": true, "older_than_days": 41}));
    let never = add(&t, &place, never).await;
    assert_eq!(told(&t, &never).await, ["hammer 3"]);
    let named = add(
        &t,
        &place,
        of(json!({"remove_name_regex": "ham",
        "remove_version_regex": ".*"})),
    )
    .await;
    assert_eq!(told(&t, &named).await, Vec::<String>::new(), "whole names are compared");

    apply(&t, &unused).await;
    assert_eq!(left(&t, &project).await, ["hammer 2"]);
}

#[testkit::story(noon)]
async fn a_group_s_rule_is_for_all_projects_below(t: TestServer) {
    let projects = [
        t.project("acme/anvil").await,
        t.project("acme/tools/saw").await,
        t.project("acmeister/other").await,
        t.project("acme/old").await,
    ];
    for project in &projects {
        publish(&t, project, "hammer", &["1", "2"]).await;
    }
    t.admin().post(projects[3].at("/archive")).await.is(201);
    let group = t.group("acme").await;
    let rule = json!({"package_type": "generic", "keep_last": 1});
    let at = add(&t, &group.at(""), rule).await;

    let page = t.admin().get(format!("{at}/preview")).await.is(200);
    let found: Vec<Value> = page.each("project_id");
    assert_eq!(found, [json!(projects[0].id), json!(projects[1].id)]);

    let shown = t.admin().get(&at).await.is(200).json();
    assert_eq!((&shown["group_id"], &shown["project_id"]), (&json!(group.id), &json!(null)));
    assert_eq!(apply(&t, &at).await["removed_packages"], 2);
    for (project, expected) in projects.iter().zip([1, 1, 2, 2]) {
        assert_eq!(left(&t, project).await.len(), expected, "{}", project.path);
    }
    // A rule is found where it belongs only.
    let id = shown["id"].clone();
    t.admin()
        .get(projects[0].at(&format!("/packages/cleanup/rules/{id}")))
        .await
        .is(404);
}

#[testkit::story]
async fn rules_are_set_by_who_manages_the_registry(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let rules = project.at("/packages/cleanup/rules");
    let terms = json!({"package_type": "generic", "keep_last": 3});
    let preview = project.at("/packages/cleanup/preview");
    for (level, who) in people(&t, &project).await {
        let (seen, made) = match level {
            40 => (200, 201),
            10 | 30 => (403, 403),
            _ if who.token().is_none() => (401, 401),
            _ => (404, 404),
        };
        let statuses = [
            who.get(&rules).await.status,
            who.post(&preview).json(&terms).await.status,
            who.post(&rules).json(&terms).await.status,
        ];
        assert_eq!(statuses, [seen, seen, made], "{level}");
    }
    let made = t.admin().get(&rules).await.is(200).json()[0].clone();
    assert_eq!((&made["enabled"], &made["next_run_at"]), (&json!(false), &json!(null)));
    let one = format!("{rules}/{}", made["id"]);
    let change = json!({"keep_last": null, "older_than_days": 90, "enabled": true});
    let changed = t.admin().patch(&one).json(&change).await.is(200).json();
    assert_eq!((&changed["keep_last"], &changed["older_than_days"]), (&json!(null), &json!(90)));
    t.admin().delete(&one).await.is(204);
    t.admin().get(&one).await.is(404);
    for verb in ["create", "update", "destroy"] {
        let action: &'static str = match verb {
            "create" => "package_cleanup_rule.create",
            "update" => "package_cleanup_rule.update",
            _ => "package_cleanup_rule.destroy",
        };
        assert_eq!(audited(&t, action).await.len(), 1, "{verb}");
    }
}

#[testkit::story]
async fn a_rule_that_would_take_everything_is_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for (terms, about) in [
        (json!({}), "package_type"),
        (json!({"package_type": "rpm", "keep_last": 1}), "package_type"),
        (json!({"package_type": "generic"}), "older_than_days"),
        (json!({"package_type": "generic", "never_downloaded": true}), "older_than_days"),
        (json!({"package_type": "generic", "keep_last": 0}), "keep_last"),
        (
            json!({"package_type": "generic", "older_than_days": 99_999_999}),
            "older_than_days",
        ),
        (
            json!({"package_type": "generic", "remove_name_regex": "("}),
            "remove_name_regex",
        ),
        (
            json!({"package_type": "generic", "remove_name_regex": r"(a)\1"}),
            "remove_name_regex",
        ),
        (
            json!({"package_type": "generic", "remove_name_regex": "((a{999}){999}){999}"}),
            "remove_name_regex",
        ),
        (
            json!({"package_type": "generic", "keep_last": 1,
            "keep_version_regex": "a".repeat(256)}),
            "keep_version_regex",
        ),
    ] {
        for path in ["/packages/cleanup/rules", "/packages/cleanup/preview"] {
            let refused = t.admin().post(project.at(path)).json(&terms).await;
            assert_eq!(refused.status, 400, "{terms}");
            assert!(refused.text().contains(about), "{terms}: {}", refused.text());
        }
    }
    for _ in 0..50 {
        add(&t, &project.at(""), json!({"package_type": "generic", "keep_last": 1})).await;
    }
    let terms = json!({"package_type": "generic", "keep_last": 1});
    t.admin().post(project.at("/packages/cleanup/rules")).json(&terms).await.is(422);
}

#[testkit::story]
async fn a_rule_of_a_spelled_name_keeps_what_is_protected(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let added = t.app().write({
        let id = project.id;
        move |tx| {
            for version in ["1", "2", "3"] {
                packages::store::packages::insert(
                    tx,
                    &packages::store::packages::NewPackage {
                        project_id: id,
                        package_type: packages::model::PackageType::Pypi,
                        name: "Ham_Mer",
                        version: Some(version),
                        status: packages::model::Status::Default,
                        creator_id: None,
                        recipe: None,
                    },
                )?;
            }
            Ok(())
        }
    });
    added.await.expect("added");
    let guard = json!({"package_name_pattern": "ham-mer", "package_type": "pypi",
        "minimum_access_level_for_delete": "admin"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&guard)
        .await
        .is(201);
    let rule = add(&t, &project.at(""), json!({"package_type": "pypi", "keep_last": 1})).await;
    assert_eq!(told(&t, &rule).await, Vec::<String>::new());
}
