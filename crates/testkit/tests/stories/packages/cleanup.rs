//! What deletion leaves, and what clean-up takes.

use crate::packages::registry::{Registry, put, rows};
use kernel::blobs_sweep::{keep_for, sweep};
use serde_json::json;
use std::path::PathBuf;
use testkit::TestServer;

/// Where the bytes of this content are.
fn blob(t: &TestServer, bytes: &str) -> PathBuf {
    let key = kernel::blobs::key_of(&testkit::sha256(bytes));
    t.app().config().data_dir.join("blobs").join(key)
}

/// Makes a blob as old as one put two days ago.
fn age(t: &TestServer, bytes: &str) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 60 * 60);
    let file = std::fs::File::open(blob(t, bytes)).expect("the blob is there");
    file.set_modified(then).expect("its time can be set");
}

async fn delete_package(t: &TestServer, r: &Registry, name: &str) {
    let path = r.at(&format!("/{}", r.id_of(t, name).await));
    t.admin().delete(path).await.is(204);
    t.settle().await;
}

#[testkit::story]
async fn bytes_go_with_the_last_file_that_names_them(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let other = Registry::new(&t, "apex/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a", "shared").await;
    other.publish(&t, "nail/1.0/b", "shared").await;
    age(&t, "shared");

    delete_package(&t, &r, "hammer").await;
    assert!(blob(&t, "shared").exists());
    assert_eq!(rows(&t).await, (1, 1, 1));
    assert_eq!(other.get(&t, "nail/1.0/b").await, "shared");

    delete_package(&t, &other, "nail").await;
    assert!(!blob(&t, "shared").exists());
    assert_eq!(rows(&t).await, (0, 0, 0));
}

#[testkit::story]
async fn the_sweep_takes_old_orphans_and_nothing_else(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a", "named and old").await;
    age(&t, "named and old");
    for bytes in ["orphan and old", "orphan and young"] {
        let body = futures_util::stream::iter([Ok(bytes::Bytes::from(bytes))]);
        t.app().blobs().put(body, None).await.expect("stored");
    }
    age(&t, "orphan and old");

    assert_eq!(sweep(t.app()).await.expect("swept"), 1);

    assert!(!blob(&t, "orphan and old").exists());
    assert!(blob(&t, "orphan and young").exists());
    assert_eq!(r.get(&t, "hammer/1.0/a").await, "named and old");
    // An orphan uploaded again is young, and named before it is old.
    age(&t, "orphan and young");
    r.publish(&t, "hammer/1.0/b", "orphan and young").await;
    assert_eq!(sweep(t.app()).await.expect("swept"), 0);
    assert_eq!(r.get(&t, "hammer/1.0/b").await, "orphan and young");
}

#[testkit::story]
async fn while_a_backup_runs_no_bytes_go(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a", "kept").await;
    age(&t, "kept");
    keep_for(t.app(), 3600).await.expect("kept");

    delete_package(&t, &r, "hammer").await;
    assert_eq!(rows(&t).await, (0, 0, 0));
    assert_eq!(sweep(t.app()).await.expect("swept"), 0);
    assert!(blob(&t, "kept").exists());

    keep_for(t.app(), 0).await.expect("ended");
    assert_eq!(sweep(t.app()).await.expect("swept"), 1);
    assert!(!blob(&t, "kept").exists());
}

#[testkit::story]
async fn a_project_takes_its_packages_with_it(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let other = Registry::new(&t, "acme/forge", 0).await;
    for number in 0..3 {
        r.publish(&t, &format!("hammer/1.{number}/a"), &format!("{number}")).await;
    }
    other.publish(&t, "hammer/1.0/a", "0").await;
    let before = rows(&t).await;
    assert_eq!(before, (4, 4, 3));

    t.admin().delete(format!("/projects/{}", r.id)).await.is(202);
    t.admin().get(r.at("")).await.is(404);
    t.settle().await;
    assert_eq!((rows(&t).await.0, rows(&t).await.1), (1, 1));
    // The rows of the blobs are released a minute later.
    let due = "update jobs set run_at = created_at where name = 'packages.release_blobs'";
    t.app().write(move |tx| Ok(tx.execute(due, ())?)).await.expect("due");
    t.settle().await;

    assert_eq!(rows(&t).await, (1, 1, 1));
    assert_eq!(other.get(&t, "hammer/1.0/a").await, "0");
    let report = packages::check::run(t.app(), true, |_, _| {}).await.expect("checked");
    assert_eq!(report.problems, Vec::<String>::new());
}

#[testkit::story]
async fn a_check_tells_what_does_not_agree(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a", "first").await;
    r.publish(&t, "hammer/2.0/a", "second").await;
    let body = futures_util::stream::iter([Ok(bytes::Bytes::from("nobody's"))]);
    t.app().blobs().put(body, None).await.expect("stored");
    let found = async || {
        let report = packages::check::run(t.app(), true, |_, _| {}).await.expect("checked");
        assert_eq!(
            report.young_orphans
                + report.problems.iter().filter(|problem| problem.ends_with("has no row")).count()
                    as u64,
            1
        );
        report.problems
    };
    assert_eq!(found().await, Vec::<String>::new());

    age(&t, "nobody's");
    for change in [
        "update package_counts set displayable = 5",
        "update package_files set size = 9 where file_name = 'a' and id =
                (select min(id) from package_files)",
    ] {
        t.app().write(move |tx| Ok(tx.execute(change, ())?)).await.expect("changed");
    }

    let problems = found().await;
    assert_eq!(problems.len(), 3, "{problems:?}");
    for (problem, said) in problems.iter().zip([
        "has no row",
        "differs from its blob",
        "counts 5 listed packages, it has 2",
    ]) {
        assert!(problem.contains(said), "{problem}");
    }
}

#[testkit::story]
async fn a_group_takes_the_packages_below_with_it(t: TestServer) {
    let project = t.project("acme/tools/anvil").await;
    project.generic_package("hammer", "1.0").await;
    let group = t.group("acme").await;

    t.admin().delete(group.at("")).await.is(202);
    t.settle().await;

    assert_eq!((rows(&t).await.0, rows(&t).await.1), (0, 0));
}

#[testkit::story]
async fn a_file_changed_since_is_not_deleted(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a", "x").await;
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    let files = t.admin().get(format!("{package}/package_files")).await.is(200);
    let file = format!("{package}/package_files/{}", files.json()[0]["id"]);

    let since = |date: &str| t.admin().delete(&file).header("if-unmodified-since", date);
    since("Mon, 01 Jan 2024 00:00:00 GMT").await.is(412);
    since("Fri, 01 Jan 2100 00:00:00 GMT").await.is(204);
    put(&t.admin(), &r.generic("hammer/1.0/a"), "again").await.is(201);
    assert_eq!(
        json!(r.id_of(&t, "hammer").await.to_string()),
        json!(package.rsplit('/').next())
    );
}
