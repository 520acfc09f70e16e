//! Access tokens of projects and groups, and their bots.

use crate::spaces::{add, run_job};
use serde_json::{Value, json};
use testkit::{Client, Reply, TestServer};

async fn make(client: &Client, at: &str, more: Value) -> Reply {
    let mut body = json!({"name": "robot", "scopes": ["api"]});
    crate::spaces::extend(&mut body, more);
    client.post(format!("{at}/access_tokens")).json(&body).await
}

fn bearer(t: &TestServer, made: &Reply) -> Client {
    let token = made.json()["token"].as_str().map(str::to_owned);
    t.with_token(token.expect("a new token is shown once"))
}

#[testkit::story]
async fn a_token_brings_a_bot_and_takes_it_along(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let made = make(&t.admin(), &project.at(""), json!({"access_level": 30})).await.is(201);
    let shown = made.json();
    assert_eq!((&shown["access_level"], &shown["active"]), (&json!(30), &json!(true)));
    let bot = bearer(&t, &made);
    let me = bot.get("/user").await.is(200).json();
    let name = me["username"].as_str().expect("a name").to_owned();
    assert!(name.starts_with(&format!("project_{}_bot_", project.id)), "{name}");
    assert_eq!((&me["bot"], &me["name"]), (&json!(true), &json!("robot")));
    let members = t.admin().get(project.at("/members")).await.is(200);
    assert!(members.each("username").contains(&json!(name)));
    bot.put(project.at("/packages/generic/hammer/1.0/h.txt"))
        .bytes("h")
        .await
        .is(201);

    t.admin()
        .delete(project.at(&format!("/access_tokens/{}", made.id())))
        .await
        .is(204);

    bot.get("/user").await.is(401);
    let members = t.admin().get(project.at("/members")).await.is(200);
    assert!(!members.each("username").contains(&json!(name)));
    t.admin().get(format!("/users/{}", me["id"])).await.is(404);
    let listed = t.admin().get(project.at("/access_tokens")).await.is(200);
    assert_eq!(
        (listed.each("id"), listed.each("revoked")),
        (vec![json!(made.id())], vec![json!(true)])
    );
    t.settle().await;
    let ghost = t.admin().get("/users?username=ghost").await.is(200).each("id");
    let creators = t
        .app()
        .read(|tx| Ok(tx.all::<Option<i64>>(store::sql!("select creator_id from packages"), ())?))
        .await
        .expect("rows");
    assert_eq!(json!(creators), json!(ghost));
    let gone = t.app().read(|tx| {
        Ok(tx.all::<i64>(
            store::sql!("select id from users where kind in ('leaving', 'project_bot')"),
            (),
        )?)
    });
    assert!(gone.await.expect("rows").is_empty());
}

#[testkit::story]
async fn rotation_keeps_the_bot_and_a_copy_ends_the_family(t: TestServer) {
    let group = t.group("acme").await;
    let first = make(&t.admin(), &group.at(""), json!({})).await.is(201);
    let rotate = |id: i64| t.admin().post(group.at(&format!("/access_tokens/{id}/rotate")));
    let second = rotate(first.id()).await.is(200);
    assert_eq!(first.json()["user_id"], second.json()["user_id"]);
    bearer(&t, &first).get("/user").await.is(401);
    bearer(&t, &second).get("/user").await.is(200);

    rotate(first.id()).await.is(401);

    bearer(&t, &second).get("/user").await.is(401);
    let active = t.admin().get(group.at("/access_tokens?state=active")).await.is(200);
    assert_eq!(active.json(), json!([]));
    let members = t.admin().get(group.at("/members")).await.is(200);
    assert_eq!(members.each("username"), [json!("root")]);
}

#[testkit::story]
async fn a_token_may_rotate_only_itself_by_its_scope(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let own = make(&t.admin(), &project.at(""), json!({"scopes": ["self_rotate"]}))
        .await
        .is(201);
    let other = make(&t.admin(), &project.at(""), json!({})).await.is(201);
    let bot = bearer(&t, &own);
    let at = |id: &str| project.at(&format!("/access_tokens/{id}/rotate"));
    bot.post(at(&other.id().to_string())).await.is(403);
    let next = bot.post(at("self")).await.is(200);
    assert_eq!(next.json()["user_id"], own.json()["user_id"]);
    bearer(&t, &next).post(at(&next.id().to_string())).await.is(200);
    t.admin().post(at("self")).await.is(405);
}

#[testkit::story]
async fn tokens_stay_below_whoever_makes_them(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (dev, maintainer) = (t.user("dev").await, t.user("maint").await);
    project.add(&dev, 30).await;
    project.add(&maintainer, 40).await;
    make(&dev, &project.at(""), json!({})).await.is(401);
    dev.get(project.at("/access_tokens")).await.is(401);
    make(&maintainer, "/groups/acme", json!({})).await.is(401);
    let above = make(&maintainer, &project.at(""), json!({"access_level": 50})).await.is(400);
    assert!(
        above.json()["message"]
            .as_str()
            .expect("text")
            .starts_with("400 Bad request - ")
    );
    for level in [json!(0), json!(5), json!(60), json!(-1), json!("x")] {
        make(&maintainer, &project.at(""), json!({"access_level": level})).await.is(400);
    }
    let made = make(&maintainer, &project.at(""), json!({})).await.is(201);
    assert_eq!(made.json()["access_level"], 40);
    make(&bearer(&t, &made), &project.at(""), json!({"access_level": 10}))
        .await
        .is(400);
    let owners = make(&t.admin(), &project.at(""), json!({"access_level": 50})).await.is(201);
    let owners = project.at(&format!("/access_tokens/{}", owners.id()));
    for reply in [maintainer.get(&owners).await, maintainer.delete(&owners).await] {
        assert_eq!(reply.status, 401);
    }
    for scopes in [json!([]), json!(["sudo"]), json!(["read_user"]), json!(["nonsense"])] {
        make(&maintainer, &project.at(""), json!({"scopes": scopes})).await.is(400);
    }
    let unknown = maintainer.get(project.at("/access_tokens/99999")).await.is(404);
    assert_eq!(unknown.json()["message"], "404 project Access Token Not Found");
}

#[testkit::story]
async fn a_bot_enters_only_its_own_project(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let other = t.project("acme/hammer").await;
    let internal = t.project_with("inner/wheel", "internal").await;
    let bot = bearer(&t, &make(&t.admin(), &project.at(""), json!({})).await.is(201));
    bot.get(project.at("")).await.is(200);
    bot.get(other.at("")).await.is(404);
    bot.get(internal.at("")).await.is(404);
    crate::spaces::group(&bot, "botland", json!({})).await.is(403);
    bot.delete("/personal_access_tokens/self").await.is(204);
    bot.get(project.at("")).await.is(401);
    let members = t.admin().get(project.at("/members")).await.is(200);
    assert_eq!(members.each("username"), Vec::<Value>::new());
}

#[testkit::story]
async fn a_deleted_project_takes_its_bots_along(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let bot = bearer(&t, &make(&t.admin(), &project.at(""), json!({})).await.is(201));
    t.admin().delete(project.at("")).await.is(202);
    t.settle().await;
    bot.get("/user").await.is(401);
    let left = t.app().read(|tx| {
        Ok(tx.one::<i64>(
            store::sql!("select count(*) from users where kind in ('project_bot', 'leaving')"),
            (),
        )?)
    });
    assert_eq!(left.await.expect("a row"), 0);
}

#[testkit::story(noon)]
async fn bots_end_with_the_day_of_their_token(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    add(&t.admin(), &project.at(""), &jane, 40).await.is(201);
    let made = make(&jane, &project.at(""), json!({"expires_at": "2031-05-07"})).await.is(201);
    let bot = bearer(&t, &made);
    for past in ["2031-05-06", "2030-01-01"] {
        make(&jane, &project.at(""), json!({"expires_at": past})).await.is(400);
    }
    let far = make(&jane, &project.at(""), json!({"expires_at": "2032-05-07"})).await.is(400);
    assert_eq!(far.json()["message"]["expires_at"], json!(["must be before 2032-05-06"]));
    bot.get("/user").await.is(200);
    t.advance(12 * 3600 - 1);
    bot.get("/user").await.is(200);
    t.advance(1);
    bot.get("/user").await.is(401);
    run_job(&t, "spaces.end_bots").await;
    let members = jane.get(project.at("/members")).await.is(200);
    assert_eq!(members.each("username"), [json!("jane")]);
    let at = project.at(&format!("/access_tokens/{}", made.id()));
    let ended = jane.get(&at).await.is(200).json();
    assert_eq!((&ended["active"], &ended["revoked"]), (&json!(false), &json!(false)));
    t.advance(31 * 86_400);
    run_job(&t, "spaces.end_bots").await;
    jane.get(&at).await.is(404);
}
