//! kill -9 while versions go by a rule.

use crate::place::{Place, Server, project, until};
use serde_json::{Value, json};
use store::sql;
use testkit::run;

/// Names, each of so many versions, of which the rule keeps the newest.
const NAMES: i64 = 300;
const VERSIONS: i64 = 10;
const KEPT: i64 = 2;

#[test]
fn a_killed_run_is_finished_on_sqlite() {
    run(kill_and_go_on(Place::sqlite()));
}

#[test]
fn a_killed_run_is_finished_on_postgres() {
    if let Some(place) = Place::postgres() {
        run(kill_and_go_on(place));
    }
}

async fn kill_and_go_on(place: Place) {
    let mut server = place.serve();
    let token = place.token();
    let client = server.client(&token);
    let project = project(&client).await;
    client
        .put(format!("{project}/packages/generic/seed/1.0/a"))
        .bytes("a seed")
        .await
        .is(201);
    sow(&place).await;
    let rules = format!("{project}/packages/cleanup/rules");
    let terms = json!({"package_type": "generic", "keep_last": KEPT, "enabled": true});
    let rule = client.post(&rules).json(&terms).await.is(201).id();
    let runs = format!("{rules}/{rule}/runs");
    client.post(&runs).await.is(201);

    for kill in 1..=3 {
        let more = kill * 100;
        until("the run has removed more", async || {
            last(&server, &token, &runs).await["removed_packages"].as_i64() >= Some(more)
        })
        .await;
        server.kill();
        let (removed, told): (i64, i64) = counted(&place).await;
        assert_eq!(removed, told, "what went without a record, or the other way");
        // A job is its server's for a minute, also of one that was killed.
        place
            .within(|tx| tx.execute(sql!("update jobs set lease_until = created_at"), ()))
            .await;
        server = place.serve();
    }
    until("the run has ended", async || {
        last(&server, &token, &runs).await["running"] == false
    })
    .await;

    let ended = last(&server, &token, &runs).await;
    assert_eq!(ended["removed_packages"], NAMES * (VERSIONS - KEPT));
    assert_eq!(ended["names_done"], NAMES + 1);
    until("all that went is purged", async || {
        let left: (i64, i64) = place
            .row(sql!(
                "select (select count(*) from packages), (select count(*) from package_files)"
            ))
            .await;
        left == (NAMES * KEPT + 1, NAMES * KEPT + 1)
    })
    .await;
    let of_each: (i64, i64) = place
        .row(sql!(
            "select min(kept), max(kept) from (select count(*) as kept from packages
             where name <> 'seed' group by name) each_name"
        ))
        .await;
    assert_eq!(of_each, (KEPT, KEPT));
    assert_eq!(counted(&place).await.1, NAMES * (VERSIONS - KEPT));
    server.terminate();
    place.succeeds(&["check", "--contents"]);
}

/// Versions removed by any run, and those of which a record tells.
async fn counted(place: &Place) -> (i64, i64) {
    place
        .row(sql!(
            "select (select cast(sum(removed_packages) as bigint) from package_cleanup_runs),
                (select count(*) from audit_records where action = 'package.clean_up')"
        ))
        .await
}

async fn last(server: &Server, token: &str, runs: &str) -> Value {
    let listed = server.client(token).get(runs).await.is(200);
    listed.json()[0].clone()
}

/// Many versions that share the bytes of the first.
async fn sow(place: &Place) {
    place
        .within(|tx| {
            tx.execute(
                sql!(
                    "insert into packages (project_id, package_type, type_order, name, name_folded,
                        name_key, version, version_key, status, live, created_at, updated_at)
                     with recursive names(n) as
                        (select 1 union all select n + 1 from names where n < $1),
                     versions(v) as
                        (select 1 union all select v + 1 from versions where v < $2)
                     select p.project_id, p.package_type, p.type_order, 'hammer-' || n,
                        'hammer-' || n, 'hammer-' || n, '1.' || v, '1.' || v, 'default', 1,
                        p.created_at, p.updated_at
                     from names, versions, packages p where p.name = 'seed'"
                ),
                (NAMES, VERSIONS),
            )?;
            tx.execute(
                sql!(
                    "insert into package_files (package_id, file_name, size, md5, sha1, sha256,
                        sha512, blob_key, status, created_at, updated_at)
                     select p.id, f.file_name, f.size, f.md5, f.sha1, f.sha256, f.sha512,
                        f.blob_key, f.status, f.created_at, f.updated_at
                     from packages p, package_files f where p.name <> 'seed'"
                ),
                (),
            )?;
            tx.execute(
                sql!("update package_counts set displayable = displayable + $1"),
                (NAMES * VERSIONS,),
            )?;
            // They came past the rules, so the search has not heard of them.
            tx.execute(sql!("delete from search_fills"), ())?;
            Ok(())
        })
        .await;
}
