//! Migrations that move data, with data.

use store::{Config, Migration, Store, Tx, sql};
use testkit::postgres::Database;

/// The schema as it was before migration 50.
fn before() -> Vec<Migration> {
    let mut all = tenon::wiring::migrations().to_vec();
    all.retain(|migration| migration.number < 50);
    all
}

fn group(tx: &mut Tx<'_>, parent: Option<i64>, name: &str, path: &str) -> store::Result<i64> {
    let now = tx.now();
    tx.one(
        sql!(
            "insert into namespaces (kind, parent_id, name, name_folded, path, full_path,
                full_path_folded, full_name, lineage, depth, visibility, created_at, updated_at)
             values ('group', $1, $2, $2, $3, $3, $3, $2, '', 0, 0, $4, $4) returning id"
        ),
        (parent, name, path, now),
    )
}

fn fill(tx: &mut Tx<'_>) -> store::Result<()> {
    let now = tx.now();
    let top = group(tx, None, "acme", "acme")?;
    group(tx, None, "acme", "acme2")?;
    group(tx, Some(top), "tools", "acme/a")?;
    group(tx, Some(top), "tools", "acme/b")?;
    let mut project = 0i64;
    for path in ["acme/x", "acme/y"] {
        project = tx.one(
            sql!(
                "insert into projects (namespace_id, name, name_folded, path, path_folded,
                    full_path, full_path_folded, visibility, topics, features, last_activity_at,
                    created_at, updated_at)
                 values ($1, 'anvil', 'anvil', $2, $2, $2, $2, 0, $3, $4, $5, $5, $5)
                 returning id"
            ),
            (top, path, serde_json::json!([]), serde_json::json!({}), now),
        )?;
    }
    for iid in [7i64, 12] {
        tx.execute(
            sql!(
                "insert into issues (project_id, iid, title, title_folded, state, kind, severity,
                    confidential, created_at, updated_at)
                 values ($1, $2, 't', 't', 'opened', 'issue', 'unknown', false, $3, $3)"
            ),
            (project, iid, now),
        )?;
    }
    for (body, is_system) in [
        ("marked this issue as related to #12", true),
        ("marked this issue as blocked by #12", true),
        ("marked this issue as blocking #12", true),
        ("removed the relation with #12", true),
        ("cloned from #12", true),
        ("marked this issue as related to an issue of another project", true),
        ("cloned from #12", false),
    ] {
        tx.execute(
            sql!(
                "insert into notes (project_id, noteable_type, noteable_id, discussion_id,
                    in_thread, body, is_system, internal, created_at, updated_at)
                 select project_id, 'Issue', id, '', false, $2, $3, false, $4, $4
                 from issues where project_id = $1 and iid = 7"
            ),
            (project, body, is_system, now),
        )?;
    }
    Ok(())
}

fn begin(url: &str) -> Result<(), String> {
    let say = |error: store::Error| error.to_string();
    let store = Store::open(Config::from_url(url).map_err(say)?, &before()).map_err(say)?;
    store.write_blocking(fill).map_err(say)
}

/// What two equal ones keep, and which notes name an issue.
fn check(url: &str) {
    let config = Config::from_url(url).expect("a known scheme");
    let store = Store::open(config, tenon::wiring::migrations()).expect("it migrates");
    let read = |tx: &mut Tx<'_>| -> store::Result<_> {
        let projects: Vec<Option<String>> =
            tx.all(sql!("select unique_name from projects order by id"), ())?;
        let groups: Vec<Option<String>> =
            tx.all(sql!("select unique_name from namespaces order by id"), ())?;
        let notes: Vec<Option<i64>> = tx.all(
            sql!(
                "select issues.iid from notes left join issues
                    on issues.id = notes.names_issue_id order by notes.id"
            ),
            (),
        )?;
        Ok((projects, groups, notes))
    };
    let (projects, groups, notes) = store.write_blocking(read).expect("it is readable");
    let name = |text: &str| Some(text.to_owned());
    assert_eq!(projects, [name("anvil"), None]);
    assert_eq!(groups, [None, None, name("tools"), None]);
    let begun = |tx: &mut Tx<'_>| {
        let count = sql!("select count(*) from notes where begins and begins_in_public");
        tx.one::<i64>(count, ())
    };
    assert_eq!(store.read_blocking(begun).expect("it is readable"), 1, "they are one thread");
    let named = Some(12);
    assert_eq!(notes, [named, named, named, named, named, None, None]);
}

#[test]
fn names_and_notes_of_older_instances_are_kept_on_sqlite() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite:{}", directory.path().join("data.sqlite").display());
    begin(&url).expect("the older schema takes it");
    check(&url);
}

#[test]
fn names_and_notes_of_older_instances_are_kept_on_postgres() {
    if let Some(database) = Database::create("before_0050", begin) {
        check(database.url());
    }
}
