//! Many at once: exactly one wins, and nothing is lost.

use crate::spaces::{add, group, project};
use futures_util::future::join_all;
use identity::users::{Author, NewUser};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::{Reply, TestServer};

/// Ids of new users, made without the price of a password.
async fn users(t: &TestServer, count: usize) -> Vec<i64> {
    let made = t.app().write(move |tx| {
        (0..count)
            .map(|number| {
                let new = NewUser {
                    username: format!("user{number}"),
                    name: format!("User {number}"),
                    email: format!("user{number}@example.com"),
                    password_hash: "none".into(),
                    confirmed: true,
                    ..NewUser::default()
                };
                Ok(identity::users::create(tx, &Author::default(), &new)?.id)
            })
            .collect()
    });
    made.await.expect("users")
}

fn statuses(replies: &[Reply]) -> Vec<u16> {
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    statuses
}

/// Demands one success among equal requests, and this refusal of the others.
#[track_caller]
fn one_wins(replies: &[Reply], won: u16, lost: u16) {
    let mut expected = vec![lost; replies.len() - 1];
    expected.push(won);
    expected.sort_unstable();
    assert_eq!(statuses(replies), expected, "{replies:#?}");
}

#[testkit::story]
async fn a_hundred_parallel_changes_of_members_leave_exact_rows(t: TestServer) {
    let acme = t.group("acme").await;
    let mut owners = Vec::new();
    for name in ["ann", "bob", "eve"] {
        let owner = t.user(name).await;
        acme.add(&owner, 50).await;
        owners.push(owner);
    }
    let ids = users(&t, 80).await;
    let (group, early) = (acme.id, ids[..40].to_vec());
    t.app()
        .write(move |tx| {
            let now = tx.now();
            for id in &early {
                tx.execute(
                    store::sql!(
                        "insert into members (source_type, source_id, user_id, access_level,
                        created_at, updated_at) values ('Group', $1, $2, 30, $3, $3)"
                    ),
                    (group, *id, now),
                )?;
            }
            Ok(())
        })
        .await
        .expect("members");

    let mut work = Vec::new();
    let members = acme.at("/members");
    for (turn, id) in ids.iter().enumerate() {
        let (first, second) = (&owners[turn % 3], &owners[(turn + 1) % 3]);
        let one = format!("{members}/{id}");
        match turn {
            0..20 => work.push(first.put(&one).json(&json!({"access_level": 40}))),
            20..40 => work.push(first.delete(&one)),
            _ => {
                let body = json!({"user_id": id, "access_level": 20});
                work.push(first.post(&members).json(&body));
                if turn < 60 {
                    work.push(second.post(&members).json(&body));
                }
            }
        }
    }
    assert_eq!(work.len(), 100);
    let replies = join_all(work.into_iter().map(IntoFuture::into_future)).await;

    let mut told: BTreeMap<u16, usize> = BTreeMap::new();
    for reply in &replies {
        *told.entry(reply.status).or_default() += 1;
    }
    assert_eq!(
        told,
        BTreeMap::from([(200, 20), (201, 40), (204, 20), (409, 20)]),
        "{replies:#?}"
    );
    let rows: Vec<(i64, i64)> = t
        .app()
        .read(move |tx| {
            Ok(tx.all(
                store::sql!(
                    "select user_id, access_level from members
                where source_type = 'Group' and source_id = $1 order by user_id"
                ),
                (group,),
            )?)
        })
        .await
        .expect("rows");
    let mut expected = vec![(1, 50)];
    expected.extend(owners.iter().map(|owner| (owner.id, 50)));
    expected.extend(ids[..20].iter().map(|id| (*id, 40)));
    expected.extend(ids[40..].iter().map(|id| (*id, 20)));
    expected.sort_unstable();
    assert_eq!(rows, expected);
    let records = t
        .app()
        .read(|tx| {
            Ok(tx.all::<(String, i64)>(
                store::sql!(
                    "select action, count(*) from audit_records where action in
                ('member.update', 'member.destroy') group by action order by action"
                ),
                (),
            )?)
        })
        .await;
    assert_eq!(
        records.expect("rows"),
        [("member.destroy".into(), 20), ("member.update".into(), 20)]
    );
}

#[testkit::story]
async fn of_equal_requests_one_wins(t: TestServer) {
    let acme = t.group("acme").await;
    let jane = t.user("jane").await;
    let admin = t.admin();
    let replies = join_all((0..8).map(|_| group(&admin, "once", json!({})))).await;
    one_wins(&replies, 201, 400);
    let lost = replies.iter().find(|reply| reply.status == 400).expect("a loser");
    assert!(lost.text().contains("has already been taken"), "{lost:?}");
    let place = json!({"namespace_id": acme.id});
    let replies = join_all((0..8).map(|_| project(&admin, "once", place.clone()))).await;
    one_wins(&replies, 201, 400);
    let lost = replies.iter().find(|reply| reply.status == 400).expect("a loser");
    assert_eq!(
        lost.json(),
        json!({"message": {
            "name": ["has already been taken"],
            "path": ["has already been taken"],
        }})
    );
    let at = acme.at("");
    let replies = join_all((0..8).map(|_| add(&admin, &at, &jane, 30))).await;
    one_wins(&replies, 201, 409);
    // A group and a project cannot have one path either.
    let parent = json!({"parent_id": acme.id});
    let mixed = vec![
        boxed(group(&admin, "both", parent.clone())),
        boxed(project(&admin, "both", place.clone())),
    ];
    one_wins(&join_all(mixed).await, 201, 400);
    let share =
        json!({"group_id": admin.get("/groups/once").await.is(200).id(), "group_access": 30});
    let replies =
        join_all((0..8).map(|_| admin.post(acme.at("/share")).json(&share).into_future())).await;
    one_wins(&replies, 201, 409);
    let replies =
        join_all((0..8).map(|_| jane.post("/projects/acme%2Fonce/star").into_future())).await;
    assert_eq!(statuses(&replies), [201, 304, 304, 304, 304, 304, 304, 304]);
    assert_eq!(admin.get("/projects/acme%2Fonce").await.is(200).json()["star_count"], 1);
}

#[testkit::story]
async fn of_parallel_renames_one_gets_the_path(t: TestServer) {
    let mut work = Vec::new();
    for number in 0..6 {
        let group = t.group(&format!("g{number}")).await;
        t.project(&format!("g{number}/p")).await;
        work.push(t.admin().put(group.at("")).json(&json!({"path": "wanted"})));
    }
    let replies = join_all(work.into_iter().map(IntoFuture::into_future)).await;
    one_wins(&replies, 200, 400);
    let winner = replies.iter().position(|reply| reply.status == 200).expect("a winner");
    let groups = t.admin().get("/groups?order_by=id&sort=asc").await.is(200).each("full_path");
    let expected: Vec<Value> = (0..6)
        .map(|number| match number == winner {
            true => json!("wanted"),
            false => json!(format!("g{number}")),
        })
        .collect();
    assert_eq!(groups, expected);
    let projects = t
        .admin()
        .get("/projects?order_by=id&sort=asc")
        .await
        .is(200)
        .each("path_with_namespace");
    let expected: Vec<Value> = expected
        .iter()
        .map(|group| json!(format!("{}/p", group.as_str().expect("text"))))
        .collect();
    assert_eq!(projects, expected);
}

#[testkit::story]
async fn parallel_transfers_make_no_circle(t: TestServer) {
    let mut groups = Vec::new();
    for name in ["a", "b", "c"] {
        t.group(&format!("{name}/{name}{name}")).await;
        groups.push(t.group(name).await.id);
    }
    let into = |from: usize, to: usize| {
        t.admin()
            .post(format!("/groups/{}/transfer", groups[from]))
            .json(&json!({"group_id": groups[to]}))
            .into_future()
    };
    let replies =
        join_all([into(0, 1), into(1, 2), into(2, 0), into(1, 0), into(0, 2), into(2, 1)]).await;
    for reply in &replies {
        assert!([201, 400].contains(&reply.status), "{reply:?}");
    }
    assert!(replies.iter().any(|reply| reply.status == 201));
    let rows: Vec<(i64, Option<i64>, String, i64, String)> = t
        .app()
        .read(|tx| {
            Ok(tx.all(
                store::sql!(
                    "select id, parent_id, lineage, depth, full_path from namespaces
                where kind = 'group' order by depth"
                ),
                (),
            )?)
        })
        .await
        .expect("rows");
    let by_id: BTreeMap<i64, _> = rows.iter().map(|row| (row.0, row)).collect();
    for (id, parent, lineage, depth, path) in &rows {
        let above = parent.map(|parent| by_id[&parent]);
        let expected = format!("{}{id}/", above.map_or("/", |above| above.2.as_str()));
        assert_eq!((lineage, *depth), (&expected, above.map_or(0, |above| above.3 + 1)));
        assert!(above.is_none_or(|above| path.starts_with(&format!("{}/", above.4))), "{path}");
    }
    assert!(rows.iter().any(|row| row.1.is_none()), "one is still at the top");
}

#[testkit::story]
async fn of_two_owners_who_leave_one_stays(t: TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    for round in 0..5 {
        let acme = group(&jane, &format!("acme{round}"), json!({})).await.is(201).id();
        add(&jane, &format!("/groups/{acme}"), &joe, 50).await.is(201);
        let at = |id: i64| format!("/groups/{acme}/members/{id}");
        let work = [jane.delete(at(jane.id)).into_future(), joe.delete(at(joe.id)).into_future()];
        one_wins(&join_all(work).await, 204, 403);
    }
}

type Boxed<'a> = std::pin::Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

fn boxed<'a>(work: impl Future<Output = Reply> + Send + 'a) -> Boxed<'a> {
    Box::pin(work)
}
