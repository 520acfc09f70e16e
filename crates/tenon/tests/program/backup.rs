//! Archives of a whole instance.

use crate::place::{PASSWORD, Place, project};
use crate::storm::Storm;
use serde_json::json;
use testkit::{Client, run, sha256};

/// Master keys an operator keeps apart from the data.
const KEYS: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

#[test]
fn a_backup_restores_into_either_engine() {
    run(async {
        for from in Place::both() {
            let server = from.serve();
            let token = from.token();
            let client = server.client(&token);
            let kept = Kept::make(&client).await;
            let archive = from.path().join("backup.tar");
            let archive = archive.to_str().expect("a plain path");
            let (_, said) = from.tells(&["backup", archive]);
            assert!(said.contains("holds the keys"), "{said}");
            let said = from.fails(&["backup", archive]);
            assert!(said.contains("exists already"), "{said}");
            drop(server);
            for to in Place::both() {
                to.succeeds(&["restore", archive]);
                to.succeeds(&["check", "--contents"]);
                let server = to.serve();
                let client = server.client(&token);
                kept.is_there(&client).await;
                assert_eq!(from.key_file(), to.key_file());
                // What comes next has ids of its own.
                let body = json!({"username": "jane", "name": "J", "email": "j@example.com", "password": PASSWORD});
                assert_eq!(client.post("/users").json(&body).await.is(201).id(), 2);
                client.put(format!("{}/next", kept.folder)).bytes("x").await.is(201);
                let said = to.fails(&["restore", archive]);
                assert!(
                    said.contains("a server uses") || said.contains("empty database"),
                    "{said}"
                );
            }
        }
    });
}

/// What was answered before a backup began is in it, and what is in it agrees.
#[test]
fn a_backup_amid_writes_is_whole() {
    run(async {
        for from in Place::both() {
            let server = from.serve();
            let token = from.token();
            let client = server.client(&token);
            let project = project(&client).await;
            let storm = Storm::begin(3, &project, |writer| (client.clone(), format!("w{writer}")));
            storm.goes_on(5).await;
            let before = storm.files_to_stay();
            let archive = from.path().join("backup.tar");
            let archive = archive.to_str().expect("a plain path");
            let backup = from.command(&["backup", archive]).status();
            assert!(backup.is_ok_and(|status| status.success()));
            storm.goes_on(1).await;
            storm.end().await;

            let to = Place::sqlite();
            to.succeeds(&["restore", archive]);
            to.succeeds(&["check", "--contents"]);
            let server = to.serve();
            for file in before {
                let reply = server.client(&token).get(&file.path).await.is(200);
                assert_eq!(sha256(&reply.body), file.digest);
            }
        }
    });
}

/// Keys of the environment are not in the archive, and nothing is restored
/// without them.
#[test]
fn keys_kept_apart_are_asked_for() {
    run(async {
        let from = Place::sqlite().with("TENON_KEYS", KEYS);
        let server = from.serve();
        let token = from.token();
        let kept = Kept::make(&server.client(&token)).await;
        let archive = from.path().join("backup.tar");
        let archive = archive.to_str().expect("a plain path");
        let (_, said) = from.tells(&["backup", archive]);
        assert!(said.contains("keep TENON_KEYS"), "{said}");
        let bytes = std::fs::read(archive).expect("it was written");
        assert!(!bytes.windows(KEYS.len()).any(|part| part == KEYS.as_bytes()));
        drop(server);

        let said = Place::sqlite().fails(&["restore", archive]);
        assert!(said.contains("set TENON_KEYS"), "{said}");
        let other = Place::sqlite().with("TENON_KEYS", &KEYS.replace('9', "8"));
        let said = other.fails(&["restore", archive]);
        assert!(said.contains("TENON_KEYS lacks the key"), "{said}");
        let with_more = format!("{},{KEYS}", KEYS.replace('9', "8"));
        let to = Place::sqlite().with("TENON_KEYS", &with_more);
        to.succeeds(&["restore", archive]);
        kept.is_there(&to.serve().client(&token)).await;
    });
}

/// What a restored instance must still have.
struct Kept {
    /// Where the files are, below `/api/v4`.
    folder: String,
    /// Path of a next page, which the old instance signed with its keys.
    next: String,
    user: serde_json::Value,
}

/// Files by name; two share their bytes.
const FILES: [(&str, &str); 3] = [("a", "one"), ("b", "one"), ("docs/c", "another")];

impl Kept {
    async fn make(client: &Client) -> Kept {
        let project = project(client).await;
        let folder = format!("{project}/packages/generic/hammer/1.0");
        for (name, bytes) in FILES {
            let path = format!("{folder}/{name}");
            client.put(path).bytes(bytes).await.is(201);
        }
        client
            .put(format!("{project}/packages/generic/gone/1.0/a"))
            .bytes("gone")
            .await
            .is(201);
        let gone = client.get(format!("{project}/packages?package_name=gone")).await.is(200);
        client
            .delete(format!("{project}/packages/{}", gone.json()[0]["id"]))
            .await
            .is(204);
        let second = json!({"name": "forge", "path": "forge"});
        client.post("/projects").json(&second).await.is(201);
        let page = client.get("/projects?pagination=keyset&order_by=id&per_page=1").await.is(200);
        let next = page.link("next").expect("there are two projects");
        let at = next.find("/api/v4").expect("an address of the interface");
        Kept {
            folder,
            next: next[at..].to_owned(),
            user: client.get("/user").await.is(200).json(),
        }
    }

    async fn is_there(&self, client: &Client) {
        let after = client.get("/user").await.is(200).json();
        for key in ["id", "username", "email", "created_at"] {
            assert_eq!(self.user[key], after[key]);
        }
        for (name, bytes) in FILES {
            let reply = client.get(format!("{}/{name}", self.folder)).await.is(200);
            assert_eq!(reply.text(), bytes);
        }
        assert_eq!(client.at(&self.next).await.is(200).each("id").len(), 1);
    }
}
