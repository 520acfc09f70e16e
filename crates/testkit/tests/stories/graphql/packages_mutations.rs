//! Packages and files deleted, by who may.

use crate::graphql::{ask, ask_with, message, people};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer};

const NOT_AVAILABLE: &str = "The resource that you are attempting to access does not exist or \
    you don't have permission to perform this action";
const PROTECTED: &str = "Package is deletion protected.";

fn package(id: i64) -> String {
    format!("gid://service/Packages::Package/{id}")
}

fn file(id: i64) -> String {
    format!("gid://service/Packages::PackageFile/{id}")
}

/// Runs a mutation that tells only errors.
async fn run(client: &Client, name: &str, input: Value) -> Value {
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let query =
        format!("mutation($input:{kind}!){{{name}(input:$input){{clientMutationId errors}}}}");
    ask_with(client, &query, json!({"input": input})).await
}

/// The payload's errors; a refusal of the field is told as text.
fn told(answer: &Value, name: &str) -> Value {
    match &answer["data"][name] {
        Value::Null => json!(message(answer)),
        payload => payload["errors"].clone(),
    }
}

async fn destroyed(client: &Client, name: &str, input: Value) -> Value {
    told(&run(client, name, input).await, name)
}

/// Files of a package by the administrator's view.
async fn files(t: &TestServer, project: &TestProject, package: i64) -> Vec<i64> {
    let listed = t.admin().get(project.at(&format!("/packages/{package}/package_files"))).await;
    let listed = listed.is(200).json();
    let files = listed.as_array().expect("files").iter();
    files.map(|file| file["id"].as_i64().expect("an id")).collect()
}

async fn audited(t: &TestServer, action: &'static str) -> i64 {
    let count = t.app().read(move |tx| {
        let sql = store::sql!("select count(*) from audit_records where action = $1");
        Ok(tx.one::<i64>(sql, (action,))?)
    });
    count.await.expect("counted")
}

async fn protect(t: &TestServer, project: &TestProject, pattern: &str) {
    let rule = json!({"package_name_pattern": pattern, "package_type": "generic",
        "minimum_access_level_for_delete": "admin"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);
}

#[testkit::story]
async fn packages_and_files_are_deleted_by_maintainers(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for (level, who) in people(&t, &project).await {
        let made = project.generic_package("hammer", "1.0").await;
        let file_id = files(&t, &project, made.id).await[0];
        let expected = if level >= 40 { json!([]) } else { json!(NOT_AVAILABLE) };
        let input = json!({"id": file(file_id)});
        assert_eq!(destroyed(&who, "destroyPackageFile", input).await, expected, "{level}");
        assert_eq!(files(&t, &project, made.id).await.is_empty(), level >= 40, "{level}");
        let input = json!({"projectPath": "acme/anvil", "ids": []});
        assert_eq!(destroyed(&who, "destroyPackageFiles", input).await, expected, "{level}");
        let input = json!({"ids": [package(made.id)]});
        let many = destroyed(&who, "destroyPackages", input).await;
        assert_eq!(many, expected, "{level}");
        let again = project.generic_package("hammer", "1.0").await;
        let one = destroyed(&who, "destroyPackage", json!({"id": package(again.id)})).await;
        assert_eq!(one, expected, "{level}");
        t.admin().delete(&again.path).await;
    }
    let reader = t.token_of(1, &["read_api"]).await;
    let made = project.generic_package("hammer", "2.0").await;
    let refused = run(&reader, "destroyPackage", json!({"id": package(made.id)})).await;
    assert_eq!(
        (message(&refused), &refused["data"]),
        (NOT_AVAILABLE, &json!({"destroyPackage": null}))
    );
}

#[testkit::story]
async fn a_package_is_deleted_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let made = project.generic_package("hammer", "1.0").await;
    let input = json!({"id": package(made.id), "clientMutationId": "mine"});
    let first = run(&t.admin(), "destroyPackage", input.clone()).await;
    assert_eq!(
        first,
        json!({"data": {"destroyPackage": {"clientMutationId": "mine", "errors": []}}})
    );
    t.admin().get(&made.path).await.is(404);
    let second = run(&t.admin(), "destroyPackage", input).await;
    assert_eq!(second["data"], json!({"destroyPackage": null}));
    assert_eq!(message(&second), NOT_AVAILABLE);
    let missing = run(&t.admin(), "destroyPackage", json!({"id": package(987_654)})).await;
    assert_eq!(missing["errors"][0]["message"], second["errors"][0]["message"]);
    assert_eq!(audited(&t, "package.destroy").await, 1);
    t.settle().await;
}

#[testkit::story]
async fn of_many_deletions_at_once_one_wins(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let made = project.generic_package("hammer", "1.0").await;
    let admin = t.admin();
    let all = (0..6).map(|_| destroyed(&admin, "destroyPackage", json!({"id": package(made.id)})));
    let told = futures_util::future::join_all(all).await;
    let won = told.iter().filter(|one| **one == json!([])).count();
    let lost = told.iter().filter(|one| **one == json!(NOT_AVAILABLE)).count();
    assert_eq!((won, lost), (1, 5), "{told:?}");
    assert_eq!(audited(&t, "package.destroy").await, 1);
}

#[testkit::story]
async fn many_packages_go_together_or_not_at_all(t: TestServer) {
    let (mine, other) = (t.project("acme/anvil").await, t.project("apex/anvil").await);
    let jane = t.user("jane").await;
    mine.add(&jane, 40).await;
    let hidden = other.generic_package("hammer", "1.0").await;
    let mut ids = Vec::new();
    for n in 0..3 {
        ids.push(package(mine.generic_package("hammer", &format!("1.{n}")).await.id));
    }
    for stranger in [package(hidden.id), package(987_654)] {
        let with: Vec<&String> = ids.iter().chain([&stranger]).collect();
        let told = destroyed(&jane, "destroyPackages", json!({"ids": with})).await;
        assert_eq!(told, json!(NOT_AVAILABLE));
    }
    assert_eq!(audited(&t, "package.destroy").await, 0);
    let twice: Vec<&String> = ids.iter().chain(&ids).collect();
    assert_eq!(destroyed(&jane, "destroyPackages", json!({"ids": twice})).await, json!([]));
    assert_eq!(audited(&t, "package.destroy").await, 3);
    t.admin().get(&hidden.path).await.is(200);
}

#[testkit::story]
async fn packages_are_deleted_twenty_at_a_time(t: TestServer) {
    let ids: Vec<String> = (1..=21).map(package).collect();
    let many = run(&t.admin(), "destroyPackages", json!({"ids": ids})).await;
    assert_eq!(message(&many), "Cannot delete more than 20 packages");
    assert_eq!(many["data"], json!({"destroyPackages": null}));
    let twice = "mutation{a:destroyPackages(input:{ids:[]}){errors} b:destroyPackages(input:{ids:[]}){errors}}";
    let twice = ask(&t.admin(), twice).await;
    assert_eq!(
        message(&twice),
        "\"destroyPackages\" field can be requested only for 1 Query(s) at a time."
    );
    assert_eq!(twice.get("data"), None);
    let ids: Vec<String> = (1..=101).map(file).collect();
    let input = json!({"projectPath": "acme/none", "ids": ids});
    let many = run(&t.admin(), "destroyPackageFiles", input).await;
    assert_eq!(message(&many), "Cannot delete more than 100 files");
    let foreign = run(&t.admin(), "destroyPackage", json!({"id": file(1)})).await;
    assert!(message(&foreign).starts_with(
        "Variable $input of type DestroyPackageInput! was provided invalid value for id"
    ));
}

#[testkit::story]
async fn files_are_deleted_in_their_own_project_only(t: TestServer) {
    let (mine, other) = (t.project("acme/anvil").await, t.project("acme/other").await);
    let made = mine.generic_package("hammer", "1.0").await;
    t.admin()
        .put(mine.at("/packages/generic/hammer/1.0/second"))
        .bytes("x")
        .await
        .is(201);
    let own = files(&t, &mine, made.id).await;
    let strange = other.generic_package("nail", "1.0").await;
    let strange = files(&t, &other, strange.id).await[0];
    let outside = "All files must be in the requested project";
    for stranger in [strange, 987_654] {
        let input = json!({"projectPath": "acme/anvil", "ids": [file(own[0]), file(stranger)]});
        let told = destroyed(&t.admin(), "destroyPackageFiles", input).await;
        assert_eq!(told, json!(outside));
    }
    assert_eq!(files(&t, &mine, made.id).await, own);
    let input = json!({"projectPath": "acme/anvil", "ids": own.iter().map(|id| file(*id)).collect::<Vec<_>>()});
    assert_eq!(destroyed(&t.admin(), "destroyPackageFiles", input.clone()).await, json!([]));
    assert_eq!(files(&t, &mine, made.id).await, Vec::<i64>::new());
    assert_eq!(destroyed(&t.admin(), "destroyPackageFiles", input).await, json!(outside));
    let again = destroyed(&t.admin(), "destroyPackageFile", json!({"id": file(own[0])})).await;
    assert_eq!(again, json!(NOT_AVAILABLE));
    assert_eq!(audited(&t, "package_file.destroy").await, 2);
    t.settle().await;
}

#[testkit::story]
async fn what_is_protected_stays_and_is_told_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 50).await;
    let mut kept = Vec::new();
    for version in ["1.0", "2.0"] {
        kept.push(project.generic_package("hammer", version).await);
    }
    let free = project.generic_package("nail", "1.0").await;
    protect(&t, &project, "ham*").await;
    let ids: Vec<String> = kept.iter().chain([&free]).map(|one| package(one.id)).collect();
    let mut all_files = files(&t, &project, free.id).await;
    all_files.extend(files(&t, &project, kept[0].id).await);
    all_files.extend(files(&t, &project, kept[1].id).await);
    let file_ids: Vec<String> = all_files.iter().map(|id| file(*id)).collect();

    let input = json!({"projectPath": "acme/anvil", "ids": file_ids});
    assert_eq!(destroyed(&jane, "destroyPackageFiles", input).await, json!([PROTECTED]));
    assert_eq!(files(&t, &project, free.id).await, Vec::<i64>::new());
    assert_eq!(
        destroyed(&jane, "destroyPackages", json!({"ids": ids})).await,
        json!([PROTECTED])
    );
    t.admin().get(&free.path).await.is(404);
    let one = destroyed(&jane, "destroyPackage", json!({"id": ids[0]})).await;
    assert_eq!(one, json!([PROTECTED]));
    let one = destroyed(&jane, "destroyPackageFile", json!({"id": file(all_files[1])})).await;
    assert_eq!(one, json!([PROTECTED]));
    assert_eq!(files(&t, &project, kept[0].id).await.len(), 1);
    assert_eq!(destroyed(&t.admin(), "destroyPackage", json!({"id": ids[0]})).await, json!([]));
}
