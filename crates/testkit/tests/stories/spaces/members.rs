//! Members: who they are, who may change them, and when they end.

use crate::spaces::{add, group, project, run_job};
use serde_json::{Value, json};

#[testkit::story]
async fn roles_come_from_above_and_from_shares_both_ways(t: testkit::TestServer) {
    let anvil = t.project("acme/tools/anvil").await;
    let (jane, joe, ann) = (t.user("jane").await, t.user("joe").await, t.user("ann").await);
    let acme = t.group("acme").await;
    acme.add(&jane, 20).await;
    let friends = t.group("friends").await;
    let close = t.group("friends/close").await;
    friends.add(&joe, 40).await;
    close.add(&ann, 50).await;
    let level = |user: i64| {
        let one = t.admin().get(anvil.at(&format!("/members/all/{user}")));
        async move {
            let reply = one.await;
            (reply.status == 200).then(|| reply.json()["access_level"].clone())
        }
    };
    assert_eq!((level(jane.id).await, level(joe.id).await), (Some(json!(20)), None));
    // The project is shared with a group: its own members come, and those above it.
    let share = json!({"group_id": close.id, "group_access": 30});
    t.admin().post(anvil.at("/share")).json(&share).await.is(201);
    assert_eq!((level(ann.id).await, level(joe.id).await), (Some(json!(30)), Some(json!(30))));
    // The highest of all ways counts.
    anvil.add(&jane, 40).await;
    assert_eq!(level(jane.id).await, Some(json!(40)));
    t.admin().get(anvil.at(&format!("/members/{}", joe.id))).await.is(404);
    joe.post(anvil.at("/members"))
        .json(&json!({"user_id": ann.id, "access_level": 10}))
        .await
        .is(403);
    let all = t.admin().get(anvil.at("/members/all")).await.is(200);
    let names: Vec<Value> = all.each("username");
    for name in ["ann", "jane", "joe", "root"] {
        assert_eq!(names.iter().filter(|found| **found == name).count(), 1, "{names:?}");
    }
    assert_eq!(
        t.admin().get(anvil.at("/members")).await.is(200).each("username"),
        [json!("jane")]
    );
    t.admin().delete(anvil.at(&format!("/share/{}", close.id))).await.is(204);
    t.admin().delete(anvil.at(&format!("/share/{}", close.id))).await.is(404);
    assert_eq!(level(joe.id).await, None);
    // A group above is shared: all below it opens, at the lower of the two roles.
    let share = json!({"group_id": friends.id, "group_access": 10});
    t.admin().post(acme.at("/share")).json(&share).await.is(201);
    t.admin().post(acme.at("/share")).json(&share).await.is(409);
    assert_eq!((level(joe.id).await, level(ann.id).await), (Some(json!(10)), None));
    joe.get(anvil.at("")).await.is(200);
    joe.get("/groups/acme%2Ftools").await.is(200);
    assert_eq!(
        joe.get("/projects?membership=true").await.is(200).each("path"),
        [json!("anvil")]
    );
}

#[testkit::story]
async fn shares_keep_to_levels_locks_and_what_one_sees(t: testkit::TestServer) {
    let anvil = t.project("acme/tools/anvil").await;
    let maintainer = t.user("maint").await;
    anvil.add(&maintainer, 40).await;
    let hidden = t.group("hidden").await;
    let seen = group(&maintainer, "seen", json!({})).await.is(201).id();
    let share = |with: i64, more: Value| {
        let mut body = json!({"group_id": with, "group_access": 30});
        crate::spaces::extend(&mut body, more);
        maintainer.post(anvil.at("/share")).json(&body)
    };
    share(hidden.id, json!({})).await.is(404);
    share(seen, json!({"group_access": 50})).await.is(403);
    share(seen, json!({"group_access": 7})).await.is(400);
    share(seen, json!({"expires_at": "2001-01-01"})).await.is(400);
    let lock = json!({"share_with_group_lock": true});
    t.admin().put("/groups/acme").json(&lock).await.is(200);
    share(seen, json!({})).await.is(400);
    let free = json!({"share_with_group_lock": false});
    t.admin().put("/groups/acme").json(&free).await.is(200);
    share(seen, json!({})).await.is(201);
    let own = format!("/groups/{seen}/share");
    maintainer
        .post(&own)
        .json(&json!({"group_id": seen, "group_access": 30}))
        .await
        .is(400);
}

#[testkit::story]
async fn adding_members_answers_as_clients_expect(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let post = |body: Value| t.admin().post(anvil.at("/members")).json(&body);
    let made = post(json!({"user_id": jane.id, "access_level": 30, "expires_at": "2999-01-02"}))
        .await
        .is(201)
        .json();
    assert_eq!(
        (
            &made["username"],
            &made["expires_at"],
            &made["membership_state"],
            &made["created_by"]["username"]
        ),
        (&json!("jane"), &json!("2999-01-02"), &json!("active"), &json!("root"))
    );
    let again = post(json!({"user_id": jane.id, "access_level": 30})).await.is(409);
    assert_eq!(again.json()["message"], "Member already exists");
    let unknown = post(json!({"user_id": 99999, "access_level": 30})).await.is(404);
    assert_eq!(unknown.json()["message"], "404 User Not Found");
    let several = post(json!({"user_id": format!("{},{}", joe.id, jane.id), "access_level": 30}))
        .await
        .is(201)
        .json();
    assert_eq!(
        several,
        json!({"status": "error", "message": {"jane": "Member already exists"}})
    );
    let (ann, bob) = (t.user("ann").await, t.user("bob").await);
    let several = post(json!({"user_id": format!("{},{}", ann.id, bob.id), "access_level": 10}))
        .await
        .is(201)
        .json();
    assert_eq!(several, json!({"status": "success"}));
    post(json!({"username": "joe", "access_level": 10})).await.is(409);
    let level = post(json!({"user_id": joe.id, "access_level": 33})).await.is(400);
    assert_eq!(
        level.json()["message"],
        json!({"access_level": ["is not included in the list"]})
    );
    for wrong in [
        json!({"access_level": 30}),
        json!({"user_id": joe.id}),
        json!({"user_id": joe.id, "username": "joe", "access_level": 30}),
        json!({"user_id": joe.id, "access_level": "high"}),
        json!({"user_id": joe.id, "access_level": 1e30}),
        json!({"user_id": "x", "access_level": 30}),
        json!({"user_id": joe.id, "access_level": 60}),
        json!({"user_id": 1.5, "access_level": 30}),
        json!({"user_id": (1..=101).collect::<Vec<i64>>(), "access_level": 30}),
    ] {
        post(wrong).await.is(400);
    }
    let gone = t
        .admin()
        .put(anvil.at("/members/99999"))
        .json(&json!({"access_level": 20}))
        .await
        .is(404);
    assert_eq!(gone.json()["message"], "404 Not found");
    let missing = t.admin().put(anvil.at(&format!("/members/{}", jane.id))).await.is(400);
    assert_eq!(missing.json()["error"], "access_level is missing");
    let one = anvil.at(&format!("/members/{}", jane.id));
    let changed = t
        .admin()
        .put(&one)
        .json(&json!({"access_level": 20, "expires_at": null}))
        .await
        .is(200)
        .json();
    assert_eq!((&changed["access_level"], &changed["expires_at"]), (&json!(20), &json!(null)));
    for (filter, wanted) in [
        ("query=JAN".to_owned(), vec!["jane"]),
        (format!("user_ids[]={}&user_ids[]={}", jane.id, joe.id), vec!["jane", "joe"]),
        (format!("user_ids={},{}", jane.id, joe.id), vec!["jane", "joe"]),
        (format!("skip_users[]={}", jane.id), vec!["joe", "ann", "bob"]),
        ("per_page=1&page=2".to_owned(), vec!["joe"]),
    ] {
        let list = t.admin().get(anvil.at(&format!("/members?{filter}"))).await.is(200);
        assert_eq!(json!(list.each("username")), json!(wanted), "{filter}");
    }
    t.anonymous().get(anvil.at("/members")).await.is(401);
}

#[testkit::story]
async fn nobody_grants_or_takes_above_their_own_role(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    let (owner, maintainer, dev, other) = (
        t.user("owner").await,
        t.user("maint").await,
        t.user("dev").await,
        t.user("other").await,
    );
    for (user, level) in [(&owner, 50), (&maintainer, 40), (&dev, 30)] {
        anvil.add(user, level).await;
    }
    add(&dev, &anvil.at(""), &other, 10).await.is(403);
    add(&maintainer, &anvil.at(""), &other, 50).await.is(403);
    add(&maintainer, &anvil.at(""), &other, 40).await.is(201);
    let at = |id: i64| anvil.at(&format!("/members/{id}"));
    maintainer.put(at(other.id)).json(&json!({"access_level": 50})).await.is(403);
    maintainer.put(at(owner.id)).json(&json!({"access_level": 10})).await.is(403);
    maintainer.delete(at(owner.id)).await.is(403);
    maintainer
        .put(at(maintainer.id))
        .json(&json!({"access_level": 50}))
        .await
        .is(403);
    dev.delete(at(other.id)).await.is(403);
    dev.delete(at(dev.id)).await.is(204);
    owner.delete(at(other.id)).await.is(204);
    let group = t.admin().get("/groups/acme").await.is(200).id();
    let of_group = format!("/groups/{group}");
    add(&t.admin(), &of_group, &maintainer, 40).await.is(201);
    add(&maintainer, &of_group, &other, 10).await.is(403);
}

#[testkit::story]
async fn leaving_a_group_leaves_what_is_below(t: testkit::TestServer) {
    let anvil = t.project("acme/tools/anvil").await;
    let jane = t.user("jane").await;
    let (acme, tools) = (t.group("acme").await, t.group("acme/tools").await);
    acme.add(&jane, 30).await;
    tools.add(&jane, 40).await;
    anvil.add(&jane, 40).await;
    t.admin()
        .delete(acme.at(&format!("/members/{}?skip_subresources=true", jane.id)))
        .await
        .is(204);
    jane.get(anvil.at("")).await.is(200);
    acme.add(&jane, 30).await;
    t.admin().delete(acme.at(&format!("/members/{}", jane.id))).await.is(204);
    jane.get(anvil.at("")).await.is(404);
}

#[testkit::story]
async fn an_external_user_sees_only_what_they_belong_to(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"external": true}))
        .await
        .is(200);
    let inner = t.project_with("inner/wheel", "internal").await;
    let open = t.project_with("open/wheel", "public").await;
    let own = t.project_with("team/wheel", "internal").await;
    own.add(&jane, 20).await;
    jane.get(inner.at("")).await.is(404);
    jane.get(open.at("")).await.is(200);
    jane.get(own.at("")).await.is(200);
    jane.get("/groups/inner").await.is(404);
    let listed = jane.get("/projects?order_by=id&sort=asc").await.is(200).each("id");
    assert_eq!(listed, [json!(open.id), json!(own.id)]);
    group(&jane, "mine", json!({})).await.is(403);
    project(&jane, "mine", json!({})).await.is(403);
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"external": false}))
        .await
        .is(200);
    jane.get(inner.at("")).await.is(200);
    project(&jane, "mine", json!({})).await.is(201);
}

#[testkit::story]
async fn too_many_removals_are_slowed_down(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let acme = group(&jane, "acme", json!({})).await.is(201).id();
    let mut seen = Vec::new();
    for number in 0..130 {
        let reply = jane.delete(format!("/groups/{acme}/members/{}", 90_000 + number)).await;
        seen.push(reply.status);
        if reply.status == 429 {
            assert!(!reply.header("retry-after").is_empty());
            break;
        }
    }
    assert_eq!(seen[0], 404);
    assert!(seen.contains(&429), "{seen:?}");
}

#[testkit::story(noon)]
async fn access_ends_with_the_first_instant_of_its_day(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    let (jane, joe, ann) = (t.user("jane").await, t.user("joe").await, t.user("ann").await);
    let friends = t.group("friends").await;
    friends.add(&ann, 50).await;
    let until =
        |user: i64| json!({"user_id": user, "access_level": 30, "expires_at": "2031-05-07"});
    t.admin().post(anvil.at("/members")).json(&until(jane.id)).await.is(201);
    t.admin().post("/groups/acme/members").json(&until(joe.id)).await.is(201);
    let share = json!({"group_id": friends.id, "group_access": 30, "expires_at": "2031-05-07"});
    t.admin().post(anvil.at("/share")).json(&share).await.is(201);
    for past in ["2031-05-06", "2031-01-01"] {
        let body = json!({"user_id": 1, "access_level": 30, "expires_at": past});
        t.admin().post(anvil.at("/members")).json(&body).await.is(400);
    }
    t.advance(12 * 3600 - 1);
    for user in [&jane, &joe, &ann] {
        user.get(anvil.at("")).await.is(200);
    }
    t.advance(1);
    for user in [&jane, &joe, &ann] {
        user.get(anvil.at("")).await.is(404);
        assert_eq!(user.get("/projects").await.is(200).json(), json!([]));
    }
    let all = t.admin().get(anvil.at("/members/all")).await.is(200);
    assert_eq!(all.each("username"), [json!("root")]);
    // Before the job came, they can be added again.
    t.admin()
        .post(anvil.at("/members"))
        .json(&json!({"user_id": jane.id, "access_level": 20}))
        .await
        .is(201);
    run_job(&t, "spaces.expire_members").await;
    let left = t
        .app()
        .read(|tx| {
            Ok(tx.all::<i64>(
                store::sql!(
                    "select user_id from members where source_type = 'Project' order by user_id"
                ),
                (),
            )?)
        })
        .await;
    assert_eq!(left.expect("rows"), [jane.id]);
    jane.get(anvil.at("")).await.is(200);
}

#[testkit::story(noon)]
async fn an_owner_for_a_time_is_not_the_last_one(t: testkit::TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let acme = group(&jane, "acme", json!({})).await.is(201).id();
    let at = format!("/groups/{acme}/members");
    let me = format!("{at}/{}", jane.id);
    jane.put(&me)
        .json(&json!({"access_level": 50, "expires_at": "2031-06-01"}))
        .await
        .is(403);
    jane.post(&at)
        .json(&json!({"user_id": joe.id, "access_level": 50, "expires_at": "2031-05-07"}))
        .await
        .is(201);
    t.advance(86_400);
    jane.delete(&me).await.is(403);
    jane.get(&me).await.is(200);
}
