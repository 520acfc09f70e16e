//! Protection rules.

use crate::packages::registry::{Registry, put};
use serde_json::json;

#[testkit::story]
async fn rules_are_made_changed_and_removed(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let maintainer = r.person(&t, "maintainer", 40).await;
    let developer = r.person(&t, "developer", 30).await;
    let rules = r.at("/protection/rules");
    let rule = json!({"package_name_pattern": "ham*", "package_type": "generic",
        "minimum_access_level_for_push": "owner"});

    developer.get(&rules).await.is(403);
    t.anonymous().get(&rules).await.is(401);
    let made = maintainer.post(&rules).json(&rule).await.is(201);
    assert_eq!(
        made.json(),
        json!({"id": made.id(), "project_id": r.id,
        "package_name_pattern": "ham*", "package_type": "generic",
        "minimum_access_level_for_delete": null, "minimum_access_level_for_push": "owner"})
    );
    assert_eq!(maintainer.get(&rules).await.is(200).json(), json!([made.json()]));

    let one = format!("{rules}/{}", made.id());
    let change = json!({"minimum_access_level_for_push": null,
        "minimum_access_level_for_delete": "admin"});
    let changed = maintainer.patch(&one).json(&change).await.is(200).json();
    assert_eq!(changed["minimum_access_level_for_push"], json!(null));
    assert_eq!(changed["minimum_access_level_for_delete"], "admin");
    let empty = json!({"minimum_access_level_for_delete": null});
    maintainer.patch(&one).json(&empty).await.is(422);
    let form = "minimum_access_level_for_delete=&minimum_access_level_for_push=admin";
    let changed = maintainer.patch(&one).form(form).await.is(200).json();
    assert_eq!(changed["minimum_access_level_for_push"], "admin");
    assert_eq!(changed["minimum_access_level_for_delete"], json!(null));
    maintainer.delete(&one).await.is(204);
    maintainer.delete(&one).await.is(404);
    maintainer.patch(&one).json(&change).await.is(404);
}

#[testkit::story]
async fn unusable_rules_are_refused(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let rules = r.at("/protection/rules");
    let send = |pattern: &str, kind: &str, push: &str| {
        t.admin().post(&rules).json(&json!({"package_name_pattern": pattern,
            "package_type": kind, "minimum_access_level_for_push": push}))
    };
    send("ham*", "generic", "owner").await.is(201);
    let taken = send("ham*", "generic", "admin").await.is(422);
    assert_eq!(taken.json(), json!({"message": "Package name pattern has already been taken"}));
    send("ham*", "npm", "owner").await.is(201);
    send("not a name", "npm", "owner").await.is(422);
    send("", "generic", "owner").await.is(422);
    send(&"a".repeat(256), "generic", "owner").await.is(422);
    send("x", "cargo", "owner").await.is(400);
    send("x", "generic", "guest").await.is(400);
    let none = json!({"package_name_pattern": "x", "package_type": "generic"});
    let reply = t.admin().post(&rules).json(&none).await.is(422);
    assert_eq!(
        reply.json()["message"],
        "A rule must have at least a minimum access role for push or delete."
    );
    t.admin().post(&rules).json(&json!({})).await.is(400);
}

#[testkit::story]
async fn protected_names_need_a_higher_role(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let maintainer = r.person(&t, "maintainer", 40).await;
    let owner = r.person(&t, "owner", 50).await;
    let rule = json!({"package_name_pattern": "HAM*r", "package_type": "generic",
        "minimum_access_level_for_push": "maintainer",
        "minimum_access_level_for_delete": "owner"});
    t.admin().post(r.at("/protection/rules")).json(&rule).await.is(201);
    let file = r.generic("hammer/1.0/a.txt");

    let refused = put(&developer, &file, "x").await.is(403);
    assert_eq!(refused.json(), json!({"message": "403 Forbidden - Package protected."}));
    put(&developer, &r.generic("hammers/1.0/a.txt"), "x").await.is(201);
    put(&maintainer, &file, "x").await.is(201);
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    let files = t.admin().get(format!("{package}/package_files")).await.is(200);
    let one = format!("{package}/package_files/{}", files.json()[0]["id"]);

    let refused = maintainer.delete(&package).await.is(403);
    let message = json!({"message": "403 Forbidden - Package is deletion protected."});
    assert_eq!(refused.json(), message);
    assert_eq!(maintainer.delete(&one).await.is(403).json(), message);
    owner.delete(&one).await.is(204);
    owner.delete(&package).await.is(204);
}
