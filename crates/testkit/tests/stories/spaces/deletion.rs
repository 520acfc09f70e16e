//! Projects, groups and users that go.

use crate::spaces::{add, group, project, run_job_with};
use serde_json::json;
use store::sql;

async fn count(t: &testkit::TestServer, sql: &'static str) -> i64 {
    let counted = t.app().read(move |tx| Ok(tx.one::<i64>(sql, ())?)).await;
    counted.expect("a count")
}

#[testkit::story]
async fn a_large_project_goes_in_pieces(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    let keep = t.project("acme/keep").await;
    let file = keep.generic_package("hammer", "1.0").await;
    anvil.generic_package("hammer", "1.0").await;
    let id = anvil.id;
    t.app().write(move |tx| {
        let now = tx.now();
        tx.execute(
            sql!(
                "with recursive n (i) as (select 1 union all select i + 1 from n where i < 1200)
                     insert into packages (project_id, package_type, type_order, name,
                        name_folded, name_key, version, version_key, status, live, created_at, updated_at)
                     select cast($1 as bigint), 'generic', 7, 'n' || i, 'n' || i, 'n' || i, '1.0', '1.0', 'default',
                        1, cast($2 as timestamptz), cast($2 as timestamptz) from n"
            ),
            (id, now),
        )?;
        Ok(())
    }).await.expect("rows");

    t.admin().delete(anvil.at("")).await.is(202);
    t.admin().get(anvil.at("")).await.is(404);
    t.settle().await;

    assert_eq!(count(&t, sql!("select count(*) from packages")).await, 1);
    assert_eq!(count(&t, sql!("select count(*) from package_files")).await, 1);
    assert_eq!(count(&t, sql!("select count(*) from projects")).await, 1);
    t.admin().get(&file.file).await.is(200);
}

#[testkit::story]
async fn deletion_wants_the_right_words(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    let at = anvil.at("?permanently_remove=true");
    t.admin().delete(&at).await.is(400);
    t.admin().delete(format!("{at}&full_path=acme/other")).await.is(400);
    let stale = "Tue, 01 Jan 2019 00:00:00 GMT";
    let refused = t
        .admin()
        .delete(anvil.at(""))
        .header("if-unmodified-since", stale)
        .await
        .is(412);
    assert_eq!(refused.json()["message"], "412 Precondition Failed");
    t.admin()
        .delete("/groups/acme")
        .header("if-unmodified-since", stale)
        .await
        .is(412);
    let jane = t.user("jane").await;
    anvil.add(&jane, 30).await;
    let member = anvil.at(&format!("/members/{}", jane.id));
    t.admin().delete(&member).header("if-unmodified-since", stale).await.is(412);
    t.admin().delete(&member).header("if-unmodified-since", "no date").await.is(204);
    t.admin().delete(format!("{at}&full_path=acme/anvil")).await.is(202);
    t.admin().delete(anvil.at("")).await.is(404);
    let group = t.admin().get("/groups/acme").await.is(200);
    assert_eq!(group.json()["marked_for_deletion_on"], json!(null));
    t.admin()
        .delete("/groups/acme?permanently_remove=true&full_path=acme")
        .await
        .is(202);
    t.admin().get("/groups/acme").await.is(404);
}

#[testkit::story]
async fn a_user_goes_with_their_projects(t: testkit::TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let diary = project(&jane, "diary", json!({})).await.is(201).id();
    let diary = format!("/projects/{diary}");
    jane.put(format!("{diary}/packages/generic/hammer/1.0/h.txt"))
        .bytes("h")
        .await
        .is(201);
    let acme = t.group("acme").await;
    acme.add(&jane, 50).await;
    let shared = project(&jane, "shared", json!({"namespace_id": acme.id})).await.is(201);
    let shared = format!("/projects/{}", shared.id());
    jane.post(format!("{shared}/star")).await.is(201);
    add(&jane, &shared, &joe, 30).await.is(201);

    t.admin().delete(format!("/users/{}", jane.id)).await.is(204);

    t.admin().get(format!("/users/{}", jane.id)).await.is(404);
    t.admin().get(&diary).await.is(404);
    jane.get("/user").await.is(401);
    t.settle().await;
    let ghost = t.admin().get("/users?username=ghost").await.is(200).json()[0].clone();
    let left = t.admin().get(&shared).await.is(200).json();
    assert_eq!((&left["creator_id"], &left["star_count"]), (&ghost["id"], &json!(0)));
    let member = joe.get(format!("{shared}/members/{}", joe.id)).await.is(200).json();
    assert_eq!(member["created_by"]["id"], ghost["id"]);
    assert_eq!(count(&t, sql!("select count(*) from packages")).await, 0);
    assert_eq!(count(&t, sql!("select count(*) from users where kind = 'leaving'")).await, 0);
    t.user("jane").await;
}

#[testkit::story]
async fn the_sole_owner_of_a_group_stays(t: testkit::TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let acme = group(&jane, "acme", json!({})).await.is(201).id();
    let at = format!("/users/{}", jane.id);
    let refused = t.admin().delete(&at).await.is(409);
    assert!(refused.json()["message"].as_str().expect("text").contains("sole owner"));
    jane.get("/user").await.is(200);
    add(&jane, &format!("/groups/{acme}"), &joe, 50).await.is(201);
    t.admin().delete(&at).await.is(204);
    joe.get(format!("/groups/{acme}")).await.is(200);
    let own = group(&joe, "joes", json!({})).await.is(201).id();
    t.admin().delete(format!("/users/{}?hard_delete=true", joe.id)).await.is(204);
    t.admin().get(format!("/groups/{own}")).await.is(404);
    t.admin().get(format!("/groups/{acme}")).await.is(404);
    t.settle().await;
    assert_eq!(count(&t, sql!("select count(*) from namespaces where kind = 'group'")).await, 0);
}

#[testkit::story]
async fn a_job_does_nothing_to_what_is_gone_or_stays(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let acme = group(&jane, "acme", json!({})).await.is(201).id();
    let anvil = project(&jane, "anvil", json!({"namespace_id": acme})).await.is(201).id();
    for (project, group, user) in [(anvil, acme, jane.id), (9_999, 9_999, 9_999)] {
        for (name, payload) in [
            ("spaces.destroy_project", json!({"project": project})),
            ("spaces.destroy_group", json!({"namespace": group})),
            ("identity.destroy_user", json!({"user": user, "heir": 1})),
            ("spaces.send_invitation", json!({"invitation": 9_999})),
            (
                "spaces.tell_of_request",
                json!({"news": "requested", "source_type": "Group",
                "source_id": group, "user": 9_999, "to": user}),
            ),
            ("spaces.expire_members", json!({})),
            ("spaces.end_bots", json!({})),
        ] {
            run_job_with(&t, name, payload).await;
        }
    }
    let shown = jane.get(format!("/projects/{anvil}")).await.is(200).json();
    assert_eq!(shown["creator_id"], json!(jane.id));
    assert!(t.app().mailer().sent().is_empty());
    // Deleted and asked for once more.
    jane.delete(format!("/projects/{anvil}")).await.is(202);
    t.settle().await;
    run_job_with(&t, "spaces.destroy_project", json!({"project": anvil})).await;
    jane.delete(format!("/groups/{acme}")).await.is(202);
    t.settle().await;
    run_job_with(&t, "spaces.destroy_group", json!({"namespace": acme})).await;
}

#[testkit::story]
async fn what_is_being_deleted_does_not_hinder_a_rename(t: testkit::TestServer) {
    let acme = t.group("acme").await;
    for name in ["one", "two"] {
        t.project(&format!("acme/{name}")).await;
    }
    t.group("acme/below").await;
    // As if the job of their deletion had not come yet.
    t.app()
        .write(|tx| {
            let now = tx.now();
            for sql in [
                sql!(
                    "update projects set deletion_scheduled_at = $1, unique_name = null,
                    full_path_folded = '-/deleted/' || cast(id as text)"
                ),
                sql!(
                    "update namespaces set deletion_scheduled_at = $1, unique_name = null,
                    full_path_folded = '-/deleted/group/' || cast(id as text)
                    where path = 'below'"
                ),
            ] {
                tx.execute(sql, (now,))?;
            }
            Ok(())
        })
        .await
        .expect("rows");
    let long = "a-path-that-is-longer-than-that-of-any-deleted-project";
    for path in [long, "b"] {
        t.admin().put(acme.at("")).json(&json!({"path": path})).await.is(200);
    }
    t.project("b/one").await;
    t.group("b/below").await;
}
