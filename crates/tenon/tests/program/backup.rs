//! Archives of a whole instance.

use crate::place::{PASSWORD, Place};
use serde_json::json;
use testkit::run;

/// A backup taken while serving restores into either engine.
#[test]
fn a_backup_restores_into_either_engine() {
    run(async {
        for from in Place::both() {
            let server = from.serve();
            let token = from.token();
            let archive = from.path().join("backup.tar");
            let archive = archive.to_str().expect("a plain path");
            from.succeeds(&["backup", archive]);
            let said = from.fails(&["backup", archive]);
            assert!(said.contains("exists already"), "{said}");
            let before = server.client(&token).get("/user").await.is(200).json();
            drop(server);
            for to in Place::both() {
                to.succeeds(&["restore", archive]);
                let server = to.serve();
                let client = server.client(&token);
                let after = client.get("/user").await.is(200).json();
                for key in ["id", "username", "email", "created_at"] {
                    assert_eq!(before[key], after[key]);
                }
                // The next id is a new one.
                let body = json!({"username": "jane", "name": "J", "email": "j@example.com", "password": PASSWORD});
                assert_eq!(client.post("/users").json(&body).await.is(201).id(), 2);
                let said = to.fails(&["restore", archive]);
                assert!(
                    said.contains("a server uses") || said.contains("empty database"),
                    "{said}"
                );
            }
        }
    });
}
