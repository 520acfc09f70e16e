//! Protection rules, cleanup policies and duplicate settings.

use crate::graphql::{ask, ask_with, data, message, people};
use packages::cleanup::model::KeepFiles;
use packages::cleanup::preview;
use packages::tasks::{CleanProject, Cleanup};
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, TestProject, TestServer};

const NOT_AVAILABLE: &str = "The resource that you are attempting to access does not exist or \
    you don't have permission to perform this action";
const RULE: &str =
    "id packageNamePattern packageType minimumAccessLevelForPush minimumAccessLevelForDelete";

/// The payload of a mutation, or the text of its refusal.
async fn run(client: &Client, name: &str, shows: &str, input: Value) -> Value {
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let query = format!("mutation($input:{kind}!){{{name}(input:$input){{errors {shows}}}}}");
    let answer = ask_with(client, &query, json!({"input": input})).await;
    match &answer["data"][name] {
        Value::Null => json!(message(&answer)),
        payload => payload.clone(),
    }
}

async fn audited(t: &TestServer, action: &'static str) -> i64 {
    let count = t.app().read(move |tx| {
        Ok(tx.one::<i64>(sql!("select count(*) from audit_records where action = $1"), (action,))?)
    });
    count.await.expect("counted")
}

/// Publishes a file of a package so many times.
async fn publish(t: &TestServer, project: &TestProject, rest: &str, times: usize) {
    for n in 0..times {
        let path = project.at(&format!("/packages/generic/{rest}"));
        t.admin().put(path).bytes(format!("{rest} {n}")).await.is(201);
    }
}

/// Names of the files of the packages of a name, newest first.
async fn files(t: &TestServer, path: &str, name: &str) -> Vec<String> {
    let query = format!(
        "{{project(fullPath:\"{path}\"){{packages(packageName:\"{name}\"){{nodes{{\
        packageFiles{{nodes{{fileName}}}}}}}}}}}}"
    );
    let found = data(&t.admin(), &query).await["project"]["packages"]["nodes"].clone();
    let nodes = found.as_array().expect("packages").iter();
    let files =
        nodes.flat_map(|one| one["packageFiles"]["nodes"].as_array().expect("files").clone());
    files
        .map(|one| one["fileName"].as_str().unwrap_or_default().to_owned())
        .collect()
}

async fn clean(t: &TestServer) {
    let registry = t.app().jobs().clone();
    let asked = t
        .app()
        .write(move |tx| kernel::jobs::enqueue(tx, &registry, &Cleanup::default()));
    asked.await.expect("enqueued");
    t.settle().await;
}

#[testkit::story]
async fn rules_are_kept_by_maintainers(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let list =
        "{project(fullPath:\"acme/anvil\"){packagesProtectionRules{nodes{packageNamePattern}}}}";
    for (level, who) in people(&t, &project).await {
        let may = level >= 40;
        let input = json!({"projectPath": "acme/anvil", "packageNamePattern": "ham*",
            "packageType": "GENERIC", "minimumAccessLevelForPush": "OWNER"});
        let shows = format!("packageProtectionRule{{{RULE}}}");
        let made = run(&who, "createPackagesProtectionRule", &shows, input).await;
        let id = if may {
            let rule = made["packageProtectionRule"].clone();
            let expected = json!({"id": rule["id"], "packageNamePattern": "ham*", "packageType": "GENERIC",
                "minimumAccessLevelForPush": "OWNER", "minimumAccessLevelForDelete": null});
            assert_eq!((made["errors"].clone(), rule.clone()), (json!([]), expected), "{level}");
            rule["id"].as_str().expect("an id").to_owned()
        } else {
            assert_eq!(made, json!(NOT_AVAILABLE), "{level}");
            let rule = json!({"package_name_pattern": "x*", "package_type": "npm",
                "minimum_access_level_for_push": "owner"});
            let rule = t
                .admin()
                .post(project.at("/packages/protection/rules"))
                .json(&rule)
                .await
                .is(201);
            format!("gid://service/Packages::Protection::Rule/{}", rule.id())
        };
        let seen = data(&who, list).await["project"]["packagesProtectionRules"]["nodes"].clone();
        assert_eq!(
            seen,
            if may {
                json!([{"packageNamePattern": "ham*"}])
            } else {
                json!(null)
            },
            "{level}"
        );
        let input =
            json!({"id": id, "packageNamePattern": "nail", "minimumAccessLevelForDelete": "ADMIN"});
        let changed = run(&who, "updatePackagesProtectionRule", &shows, input).await;
        let gone = run(&who, "deletePackagesProtectionRule", &shows, json!({"id": id})).await;
        if may {
            assert_eq!(
                changed["packageProtectionRule"],
                json!({"id": id, "packageNamePattern": "nail",
                "packageType": "GENERIC", "minimumAccessLevelForPush": "OWNER",
                "minimumAccessLevelForDelete": "ADMIN"})
            );
            assert_eq!(
                (&gone["errors"], &gone["packageProtectionRule"]["id"]),
                (&json!([]), &json!(id))
            );
            let again = run(&who, "deletePackagesProtectionRule", "", json!({"id": id})).await;
            assert_eq!(again, json!(NOT_AVAILABLE));
        } else {
            assert_eq!((changed, gone), (json!(NOT_AVAILABLE), json!(NOT_AVAILABLE)), "{level}");
            let number = id.rsplit('/').next().expect("a number");
            t.admin()
                .delete(project.at(&format!("/packages/protection/rules/{number}")))
                .await
                .is(204);
        }
    }
    assert_eq!(audited(&t, "package_protection_rule.update").await, 3);
}

#[testkit::story]
async fn unusable_rules_are_told_in_the_payload(t: TestServer) {
    t.project("acme/anvil").await;
    let shows = "packageProtectionRule{id minimumAccessLevelForPush}";
    let create = async |pattern: &str, kind: &str| {
        let input = json!({"projectPath": "acme/anvil", "packageNamePattern": pattern,
            "packageType": kind, "minimumAccessLevelForPush": "MAINTAINER"});
        run(&t.admin(), "createPackagesProtectionRule", shows, input).await
    };
    let made = create("ham*", "GENERIC").await;
    for (pattern, kind, text) in [
        ("ham*", "GENERIC", "Package name pattern has already been taken"),
        ("", "GENERIC", "Package name pattern can't be blank"),
        (
            "a b",
            "NPM",
            "Package name pattern should be a valid package name with optional wildcard characters.",
        ),
        (
            &"a".repeat(256),
            "GENERIC",
            "Package name pattern is too long (maximum is 255 characters)",
        ),
    ] {
        assert_eq!(
            create(pattern, kind).await,
            json!({"errors": [text], "packageProtectionRule": null})
        );
    }
    let id = made["packageProtectionRule"]["id"].clone();
    let input = json!({"id": id, "minimumAccessLevelForPush": null});
    let none = run(&t.admin(), "updatePackagesProtectionRule", shows, input).await;
    assert_eq!(
        none["errors"],
        json!(["A rule must have at least a minimum access role for push or delete."])
    );
    let input = json!({"id": id, "minimumAccessLevelForPush": null, "minimumAccessLevelForDelete": "OWNER"});
    let changed = run(&t.admin(), "updatePackagesProtectionRule", shows, input).await;
    assert_eq!(changed["packageProtectionRule"]["minimumAccessLevelForPush"], json!(null));
    assert_eq!(changed["errors"], json!([]));
}

#[testkit::story]
async fn a_namespace_says_which_duplicates_it_lets_in(t: TestServer) {
    let group = t.group("acme").await;
    let (owner, guest, maintainer) =
        (t.user("own").await, t.user("guest").await, t.user("main").await);
    group.add(&guest, 10).await;
    group.add(&maintainer, 40).await;
    let shows = "packageSettings{genericDuplicatesAllowed genericDuplicateExceptionRegex mavenDuplicatesAllowed}";
    let settings = async |who: &Client, kind: &str, path: &str| {
        let query = format!("{{{kind}(fullPath:\"{path}\"){{{shows}}}}}");
        data(who, &query).await[kind]["packageSettings"].clone()
    };
    let standard = json!({"genericDuplicatesAllowed": true, "genericDuplicateExceptionRegex": "",
        "mavenDuplicatesAllowed": true});
    assert_eq!(settings(&maintainer, "group", "acme").await, standard);
    assert_eq!(settings(&maintainer, "namespace", "acme").await, standard);
    assert_eq!(settings(&guest, "group", "acme").await, json!(null));
    assert_eq!(settings(&owner, "namespace", "own").await, standard);
    assert_eq!(settings(&guest, "namespace", "own").await, json!(null));

    let input = |path: &str| {
        json!({"namespacePath": path, "genericDuplicatesAllowed": false,
        "genericDuplicateExceptionRegex": "nightly-.*"})
    };
    let changed = json!({"genericDuplicatesAllowed": false, "genericDuplicateExceptionRegex": "nightly-.*",
        "mavenDuplicatesAllowed": true});
    for (who, path) in [(&maintainer, "acme"), (&owner, "own")] {
        let done = run(who, "updateNamespacePackageSettings", shows, input(path)).await;
        assert_eq!(done, json!({"errors": [], "packageSettings": changed}));
    }
    t.group("acme/tools").await;
    assert_eq!(settings(&maintainer, "group", "acme/tools").await, changed);
    for (who, path) in
        [(&guest, "acme"), (&guest, "own"), (&maintainer, "own"), (&maintainer, "none")]
    {
        let refused = run(who, "updateNamespacePackageSettings", shows, input(path)).await;
        assert_eq!(refused, json!(NOT_AVAILABLE), "{path}");
    }
    assert_eq!(audited(&t, "package_settings.update").await, 2);
}

#[testkit::story]
async fn patterns_are_compiled_by_a_linear_engine(t: TestServer) {
    t.group("acme").await;
    let query = "mutation($r:UntrustedRegexp){updateNamespacePackageSettings(input:{\
        namespacePath:\"acme\",mavenDuplicateExceptionRegex:$r}){errors packageSettings{mavenDuplicateExceptionRegex}}}";
    for bad in ["(", "(?=x)", "(a)\\1", "((a{1000}){1000}){1000}"] {
        let answer = ask_with(&t.admin(), query, json!({"r": bad})).await;
        assert_eq!(answer.get("data"), None, "{bad}");
        let told = &answer["errors"][0]["extensions"]["problems"][0]["explanation"];
        assert_eq!(told, &json!(format!("{} is an invalid regexp", json!(bad))));
    }
    let long = ask_with(&t.admin(), query, json!({"r": "a".repeat(256)})).await;
    let told = &long["errors"][0]["extensions"]["problems"][0]["explanation"];
    assert_eq!(told, "A regexp is too long (maximum is 255 characters)");
    let good = ask_with(&t.admin(), query, json!({"r": "(a+)+b"})).await;
    assert_eq!(good["data"]["updateNamespacePackageSettings"]["errors"], json!([]));
    let literal = "mutation{updateNamespacePackageSettings(input:{namespacePath:\"acme\",\
        mavenDuplicateExceptionRegex:\"(\"}){errors}}";
    assert_eq!(ask(&t.admin(), literal).await.get("data"), None);
}

#[testkit::story]
async fn a_policy_is_set_by_maintainers(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let shows = "packagesCleanupPolicy{keepNDuplicatedPackageFiles}";
    let query = "{project(fullPath:\"acme/anvil\"){packagesCleanupPolicy{keepNDuplicatedPackageFiles nextRunAt}}}";
    let policy =
        async |who: &Client| data(who, query).await["project"]["packagesCleanupPolicy"].clone();
    assert_eq!(
        policy(&t.admin()).await,
        json!({"keepNDuplicatedPackageFiles": "ALL_PACKAGE_FILES", "nextRunAt": null})
    );
    for (level, who) in people(&t, &project).await {
        let input = json!({"projectPath": "acme/anvil", "keepNDuplicatedPackageFiles": "TEN_PACKAGE_FILES"});
        let told = run(&who, "updatePackagesCleanupPolicy", shows, input).await;
        if level >= 40 {
            assert_eq!(
                told,
                json!({"errors": [], "packagesCleanupPolicy":
                {"keepNDuplicatedPackageFiles": "TEN_PACKAGE_FILES"}})
            );
            assert!(policy(&who).await["nextRunAt"].is_string());
        } else {
            assert_eq!((told, policy(&who).await), (json!(NOT_AVAILABLE), json!(null)), "{level}");
        }
    }
    let input = json!({"projectPath": "acme/anvil"});
    let kept = run(&t.admin(), "updatePackagesCleanupPolicy", shows, input).await;
    assert_eq!(
        kept["packagesCleanupPolicy"]["keepNDuplicatedPackageFiles"],
        "TEN_PACKAGE_FILES"
    );
    let input =
        json!({"projectPath": "acme/anvil", "keepNDuplicatedPackageFiles": "ALL_PACKAGE_FILES"});
    run(&t.admin(), "updatePackagesCleanupPolicy", shows, input).await;
    assert_eq!(policy(&t.admin()).await["nextRunAt"], json!(null));
    assert_eq!(audited(&t, "package_cleanup_policy.update").await, 5);
}

#[testkit::story(noon)]
async fn a_policy_takes_all_but_the_newest_files_of_a_name(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(&t, &project, "hammer/1.0/a", 13).await;
    publish(&t, &project, "hammer/1.0/b", 1).await;
    publish(&t, &project, "hammer/2.0/a", 2).await;
    publish(&t, &project, "guarded/1.0/a", 12).await;
    let rule = json!({"package_name_pattern": "guard*", "package_type": "generic",
        "minimum_access_level_for_delete": "owner"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);
    let other = t.project("acme/other").await;
    publish(&t, &other, "nail/1.0/a", 12).await;
    let input =
        json!({"projectPath": "acme/anvil", "keepNDuplicatedPackageFiles": "TEN_PACKAGE_FILES"});
    let shows = "packagesCleanupPolicy{nextRunAt}";
    let set = run(&t.admin(), "updatePackagesCleanupPolicy", shows, input).await;
    assert_eq!(set["packagesCleanupPolicy"]["nextRunAt"], "2031-05-07T00:00:00Z");

    let told = preview(t.app(), project.id, KeepFiles::Ten, 2).await.expect("told");
    let names: Vec<&str> = told.first.iter().map(|file| file.file_name.as_str()).collect();
    assert_eq!(
        (told.files, told.bytes, names),
        (3, 3 * "hammer/1.0/a 0".len() as i64, vec!["a", "a"])
    );
    let of_one = preview(t.app(), project.id, KeepFiles::One, 1).await.expect("told");
    assert_eq!((of_one.files, of_one.first.len()), (13, 1));
    let nothing = preview(t.app(), project.id, KeepFiles::All, 9).await.expect("told");
    assert_eq!(nothing.files, 0);

    t.advance(11 * 3600);
    clean(&t).await;
    assert_eq!(files(&t, "acme/anvil", "hammer").await.len(), 16, "it is not due");
    t.advance(2 * 3600);
    clean(&t).await;
    let left = files(&t, "acme/anvil", "hammer").await;
    assert_eq!(left.iter().filter(|name| *name == "a").count(), 12, "ten and two");
    assert_eq!(left.len(), 13);
    assert_eq!(files(&t, "acme/anvil", "guarded").await.len(), 12, "a rule protects it");
    assert_eq!(files(&t, "acme/other", "nail").await.len(), 12, "it has no policy");
    let newest = t.admin().get(project.at("/packages/generic/hammer/1.0/a")).await.is(200);
    assert_eq!(newest.text(), "hammer/1.0/a 12");
    assert_eq!(audited(&t, "package_file.clean_up").await, 1);
    let query = "{project(fullPath:\"acme/anvil\"){packagesCleanupPolicy{nextRunAt}}}";
    let next =
        data(&t.admin(), query).await["project"]["packagesCleanupPolicy"]["nextRunAt"].clone();
    assert_eq!(next, "2031-05-07T13:00:00Z");

    t.advance(13 * 3600);
    clean(&t).await;
    assert_eq!(
        files(&t, "acme/anvil", "hammer").await.len(),
        13,
        "a second time there is nothing"
    );
    assert_eq!(audited(&t, "package_file.clean_up").await, 1);
}

#[testkit::story(noon)]
async fn what_was_begun_is_finished_by_the_next_attempt(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(&t, &project, "hammer/1.0/a", 12).await;
    let input =
        json!({"projectPath": "acme/anvil", "keepNDuplicatedPackageFiles": "ONE_PACKAGE_FILE"});
    run(&t.admin(), "updatePackagesCleanupPolicy", "", input).await;
    let job = CleanProject { project: project.id };
    let half = t.app().write(|tx| {
        Ok(tx.execute(
            sql!("delete from package_files where id in (select min(id) from package_files)"),
            (),
        )?)
    });
    half.await.expect("half of the work");
    let registry = t.app().jobs().clone();
    for _ in 0..2 {
        let (registry, job) = (registry.clone(), CleanProject { ..job });
        let asked = t.app().write(move |tx| kernel::jobs::enqueue(tx, &registry, &job));
        asked.await.expect("enqueued");
        t.settle().await;
    }
    assert_eq!(files(&t, "acme/anvil", "hammer").await, ["a"]);
}
