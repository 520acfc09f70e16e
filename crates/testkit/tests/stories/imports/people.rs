//! Who people elsewhere are here: placeholders, who says who they are, and what becomes of it.

use super::planning::{CREATED, bring, import, issue, note, person, read_objects};
use identity::viewer::Viewer;
use imports::people::user_map;
use imports::run::Import;
use kernel::error::Error;
use serde_json::{Value, json};
use testkit::{TestGroup, TestProject, TestServer};

const ELSEWHERE: (&str, &str) = ("provider_a", "code.example");

/// A public project of a group, and an import into it of what octocat wrote.
struct Forge {
    group: TestGroup,
    project: TestProject,
    import: Import,
}

impl Forge {
    async fn begin(t: &TestServer) -> Forge {
        let project = t.project_with("acme/forge", "public").await;
        let group = t.group("acme").await;
        let import = import(t, project.id, ELSEWHERE, json!({})).await;
        let forge = Forge { group, project, import };
        let theirs = json!({"author": octocat(), "assignees": [octocat()], "is_closed": true,
            "closed_by": octocat(), "closed_at": CREATED,
            "reactions": [{"by": octocat(), "name": "thumbsup", "at": CREATED}]});
        let said = json!({"author": octocat()});
        let member = json!({"type": "member", "who": octocat(), "access_level": 30});
        forge.bring(t, json!([issue(1, theirs), note(1, "a", said), member])).await;
        forge
    }

    async fn bring(&self, t: &TestServer, objects: Value) {
        bring(t, &self.import, read_objects(objects)).await.expect("they are written");
    }

    /// The only one that the group knows.
    async fn placeholder(&self, t: &TestServer) -> Value {
        let list = t.admin().get(self.group.at("/placeholder_users")).await.is(200).json();
        assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
        list[0].clone()
    }

    fn at(&self, one: &Value, deed: &str) -> String {
        self.group.at(&format!("/placeholder_users/{}{deed}", one["id"]))
    }

    async fn shown(&self, t: &TestServer, number: i64) -> Value {
        let path = self.project.at(&format!("/issues/{number}"));
        t.admin().get(path).await.is(200).json()
    }
}

/// Many people elsewhere whom a group knows.
pub async fn fill(t: &TestServer, group: i64) {
    let made = t.app().write(move |tx| {
        let now = tx.now();
        for number in 0..55_i64 {
            tx.execute(
                store::sql!(
                    "insert into import_source_users (namespace_id, source, host, source_user_id,
                        username, words_folded, user_id, status, created_at, updated_at)
                     values ($1, 'provider_a', 'code.example', $2, $2, $2, 1,
                        'pending_reassignment', $3, $3)"
                ),
                (group, number.to_string(), now),
            )?;
        }
        Ok(())
    });
    made.await.expect("they are noted");
}

fn octocat() -> Value {
    json!({"id": "583231", "username": "octocat", "name": "The Octocat"})
}

#[testkit::story]
async fn a_placeholder_stands_for_each_of_them(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let shown = forge.shown(&t, 1).await;
    let author = shown["author"].clone();
    let username = author["username"].as_str().expect("a name");
    assert!(username.starts_with("octocat_placeholder_user_"), "{username}");
    assert_eq!(author["name"], "Placeholder The Octocat");
    assert_eq!(shown["assignees"], json!([author]));
    let one = forge.placeholder(&t).await;
    for (key, value) in [
        ("source_user_id", json!("583231")),
        ("source_username", json!("octocat")),
        ("source_name", json!("The Octocat")),
        ("source_hostname", json!("code.example")),
        ("import_type", json!("provider_a")),
        ("status", json!("pending_reassignment")),
        ("placeholder_user", author.clone()),
        ("reassign_to_user", Value::Null),
    ] {
        assert_eq!(one[key], value, "{key}");
    }

    // The same one in all of the group, and another one of another server.
    let other = t.project_with("acme/tools/hammer", "public").await;
    let again = import(&t, other.id, ELSEWHERE, json!({})).await;
    let theirs = || read_objects(json!([issue(1, json!({"author": octocat()}))]));
    bring(&t, &again, theirs()).await.expect("they are written");
    let path = other.at("/issues/1");
    assert_eq!(t.admin().get(path).await.is(200).json()["author"], author);
    let third = t.project_with("acme/third", "public").await;
    let elsewhere = import(&t, third.id, ("provider_a", "other.example"), json!({})).await;
    bring(&t, &elsewhere, theirs()).await.expect("they are written");
    let path = third.at("/issues/1");
    assert_ne!(t.admin().get(path).await.is(200).json()["author"]["id"], author["id"]);
    let list = t.admin().get(forge.group.at("/placeholder_users")).await.is(200);
    assert_eq!(list.each("source_hostname"), [json!("code.example"), json!("other.example")]);
    let below = t.group("acme/tools").await;
    t.admin().get(below.at("/placeholder_users")).await.is(400);
}

#[testkit::story]
async fn nothing_is_given_to_a_placeholder_and_nobody_is_it(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let id = forge.shown(&t, 1).await["author"]["id"].clone();
    let made = json!({"title": "New", "assignee_ids": [id]});
    let made = t.admin().post(forge.project.at("/issues")).json(&made).await.is(201).json();
    assert_eq!(made["assignees"], json!([]));
    let member = json!({"user_id": id, "access_level": 30});
    t.admin().post(forge.project.at("/members")).json(&member).await.is(400);
    t.admin().post(format!("/users/{id}/block")).await.is(403);
    t.admin().delete(format!("/users/{id}")).await.is(403);
    let token = json!({"name": "x", "scopes": ["api"]});
    let path = format!("/users/{id}/impersonation_tokens");
    let refused = t.admin().post(path).json(&token).await;
    assert!((400..500).contains(&refused.status), "{refused:?}");
    let humans = t.admin().get("/users?humans=true&per_page=100").await.is(200);
    assert!(!humans.each("id").contains(&id));
    // Those of the import stay with it.
    let shown = forge.shown(&t, 1).await;
    assert_eq!(shown["assignees"][0]["id"], id);
}

#[testkit::story]
async fn who_they_are_is_said_and_accepted(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let (jane, kim) = (t.user("jane").await, t.user("kim").await);
    forge.group.add(&kim, 40).await;
    let one = forge.placeholder(&t).await;
    let placeholder = one["placeholder_user"]["id"].clone();
    let reassign = forge.at(&one, "/reassign");

    kim.get(forge.group.at("/placeholder_users")).await.is(403);
    kim.post(&reassign).json(&json!({"username": "kim"})).await.is(403);
    t.anonymous().get(forge.group.at("/placeholder_users")).await.is(401);
    t.admin().post(&reassign).await.is(400);
    t.admin().post(&reassign).json(&json!({"username": "nobody"})).await.is(404);
    t.admin().post(&reassign).json(&json!({"user_id": placeholder})).await.is(400);
    let to = json!({"username": "jane"});
    let asked = t.admin().post(&reassign).json(&to).await.is(200).json();
    assert_eq!(asked["status"], "awaiting_approval");
    assert_eq!(asked["reassign_to_user"]["username"], "jane");
    t.admin().post(&reassign).json(&to).await.is(422);
    t.admin().post(forge.at(&one, "/keep")).await.is(422);
    assert_eq!(forge.shown(&t, 1).await["author"]["id"], placeholder, "nobody accepted it yet");

    let accept = format!("/user/placeholder_users/{}/accept", one["id"]);
    kim.post(&accept).await.is(404);
    let own = jane.get("/user/placeholder_users").await.is(200);
    assert_eq!(own.each("source_username"), [json!("octocat")]);
    assert!(kim.get("/user/placeholder_users").await.is(200).each("id").is_empty());
    let accepted = jane.post(&accept).await.is(200).json();
    assert_eq!(accepted["status"], "reassignment_in_progress");
    jane.post(&accept).await.is(422);
    t.settle().await;

    let shown = forge.shown(&t, 1).await;
    for who in ["author", "closed_by", "assignee"] {
        assert_eq!(shown[who]["username"], "jane", "{who}");
    }
    assert_eq!(shown["upvotes"], 1);
    let notes = jane.get(forge.project.at("/issues/1/notes")).await.is(200).json();
    assert_eq!(notes[0]["author"]["username"], "jane", "{notes}");
    let awards = jane.get(forge.project.at("/issues/1/award_emoji")).await.is(200).json();
    assert_eq!(awards[0]["user"]["username"], "jane", "{awards}");
    let member = forge.project.at(&format!("/members/{}", jane.id));
    assert_eq!(t.admin().get(member).await.is(200).json()["access_level"], 30);
    let one = forge.placeholder(&t).await;
    assert_eq!((&one["status"], &one["placeholder_user"]), (&json!("completed"), &Value::Null));
    t.admin().get(format!("/users/{placeholder}")).await.is(404);

    // What comes later is hers at once, and texts name her.
    let later = json!({"author": octocat(), "description": "@octocat and @smith"});
    forge.bring(&t, json!([issue(2, later)])).await;
    let shown = forge.shown(&t, 2).await;
    assert_eq!(shown["author"]["username"], "jane");
    assert_eq!(shown["description"], "@jane and `@smith`");
    assert_eq!(forge.placeholder(&t).await["status"], "completed");
}

#[testkit::story]
async fn who_is_asked_may_decline_and_who_asks_may_take_it_back(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let jane = t.user("jane").await;
    let one = forge.placeholder(&t).await;
    let to = json!({"user_id": jane.id});
    let [reassign, cancel, keep] =
        ["/reassign", "/cancel", "/keep"].map(|deed| forge.at(&one, deed));
    let reject = format!("/user/placeholder_users/{}/reject", one["id"]);
    let status = |told: &Value| told["status"].as_str().unwrap_or_default().to_owned();

    t.admin().post(&cancel).await.is(422);
    t.admin().post(&reassign).json(&to).await.is(200);
    let told = t.admin().post(&cancel).await.is(200).json();
    assert_eq!(
        (status(&told).as_str(), &told["reassign_to_user"]),
        ("pending_reassignment", &Value::Null)
    );
    jane.post(&reject).await.is(404);
    t.admin().post(&reassign).json(&to).await.is(200);
    assert_eq!(status(&jane.post(&reject).await.is(200).json()), "rejected");
    assert_eq!(status(&t.admin().post(&keep).await.is(200).json()), "keep_as_placeholder");
    t.settle().await;
    assert_ne!(forge.shown(&t, 1).await["author"]["username"], "jane");

    // Who says it of themselves need not be asked.
    forge.group.add(&jane, 50).await;
    let told = jane.post(&reassign).json(&json!({"username": "jane"})).await.is(200).json();
    assert_eq!(status(&told), "reassignment_in_progress");
    t.settle().await;
    assert_eq!(forge.shown(&t, 1).await["author"]["username"], "jane");
    let listed = forge.group.at("/placeholder_users?status=completed&search=OCTO");
    assert_eq!(jane.get(listed).await.is(200).each("id"), [one["id"].clone()]);
    let listed = forge.group.at("/placeholder_users?status=rejected");
    assert!(jane.get(listed).await.is(200).each("id").is_empty());
}

#[testkit::story]
async fn one_user_stands_for_all_in_what_belongs_to_a_person(t: TestServer) {
    let jane = t.user("jane").await;
    let body = json!({"name": "anvil", "visibility": "public"});
    let project = jane.post("/projects").json(&body).await.is(201).id();
    let map = json!({"smith": jane.id});
    let into = import(&t, project, ELSEWHERE, map).await;
    let objects = json!([
        issue(1, json!({"author": octocat()})),
        issue(2, json!({"author": person("jones")})),
        issue(3, json!({"author": null})),
        issue(4, json!({})),
    ]);
    bring(&t, &into, read_objects(objects)).await.expect("they are written");
    let path = format!("/projects/{project}/issues?sort=asc");
    let authors: Vec<Value> = jane.get(path).await.is(200).each("author");
    let names: Vec<&str> = authors.iter().filter_map(|author| author["name"].as_str()).collect();
    assert_eq!(names, ["Import User", "Import User", "Ghost User", "jane"]);
}

#[testkit::story]
async fn only_administrators_say_of_others_who_they_are(t: TestServer) {
    let (jane, kim) = (t.user("jane").await, t.user("kim").await);
    let (jane, kim) = (jane.id, kim.id);
    let said = t.app().read(move |tx| {
        let mut said = Vec::new();
        for (by, map) in [
            (jane, json!({"octocat": "jane", "octo": jane})),
            (jane, json!({"octocat": "kim"})),
            (1, json!({"octocat": "KIM", "jones": jane.to_string()})),
            (1, json!({"octocat": "nobody"})),
            (1, json!({"octocat": null})),
        ] {
            let user = identity::access::active_user(tx, by)?.expect("a user");
            let map = map.as_object().cloned().unwrap_or_default();
            said.push(user_map(tx, &Viewer::addressed(user), &map));
        }
        Ok(said)
    });
    let said = said.await.expect("it is read");
    let pairs = |at: usize| {
        let map = said[at].as_ref().expect("a map");
        map.iter().map(|(login, id)| (login.as_str(), *id)).collect::<Vec<_>>()
    };
    assert_eq!(pairs(0), [("octo", jane), ("octocat", jane)]);
    assert!(matches!(said[1], Err(Error::Forbidden(_))));
    assert_eq!(pairs(2), [("jones", jane), ("octocat", kim)]);
    assert!(matches!((&said[3], &said[4]), (Err(Error::Invalid(_)), Err(Error::Invalid(_)))));
}
