//! Users, groups, projects and packages, made through the API.

use crate::browser::PASSWORD;
use crate::client::Client;
use crate::npm;
use crate::server::TestServer;
use identity::author::Author;
use identity::model::TokenKind;
use identity::password;
use identity::tokens::{self, NewToken};
use identity::users::{self, NewUser, UserInput};
use serde_json::json;
use std::ops::Deref;
use std::sync::LazyLock;

/// A person; use it as a [`Client`] with a token of scope `api`.
#[derive(Debug, Clone)]
pub struct TestUser {
    pub id: i64,
    pub username: String,
    client: Client,
}

#[derive(Debug, Clone)]
pub struct TestGroup {
    pub id: i64,
    pub path: String,
    admin: Client,
}

#[derive(Debug, Clone)]
pub struct TestProject {
    pub id: i64,
    pub path: String,
    admin: Client,
}

/// A generic package with one file.
#[derive(Debug, Clone)]
pub struct TestPackage {
    pub id: i64,
    /// Path below `/api/v4`.
    pub path: String,
    /// Path of its file below `/api/v4`.
    pub file: String,
}

impl Deref for TestUser {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.client
    }
}

impl TestServer {
    /// A new person with this username, as the administrator makes them; the
    /// password is hashed once for all of them.
    pub async fn user(&self, username: &str) -> TestUser {
        static HASH: LazyLock<String> =
            LazyLock::new(|| password::hash_blocking(PASSWORD).expect("it can be hashed"));
        let new = NewUser {
            username: username.to_owned(),
            name: username.to_owned(),
            email: format!("{username}@example.com"),
            password_hash: HASH.clone(),
            password_automatic: false,
            admin: false,
            confirmed: true,
            pending: false,
            rest: UserInput::default(),
        };
        let by = Author::at(1, "127.0.0.1");
        let made = self.app().write(move |tx| {
            let user = users::create(tx, &by, &new)?;
            let token = NewToken {
                kind: TokenKind::Personal,
                user_id: user.id,
                admin: false,
                source: None,
                access_level: None,
                name: "a test".into(),
                description: None,
                scopes: vec!["api".into()],
                expires_at: None,
            };
            let (token, secret) = tokens::create(tx, &token)?;
            tokens::record(tx, &by, "access_token.create", &token)?;
            Ok((user.id, secret.expose().to_owned()))
        });
        let (id, token) = made.await.expect("the user can be made");
        TestUser {
            id,
            username: username.to_owned(),
            client: self.with_token(token),
        }
    }

    /// A client with a new token of this user.
    pub async fn token_of(&self, user: i64, scopes: &[&str]) -> Client {
        let made = self
            .admin()
            .post(format!("/users/{user}/personal_access_tokens"))
            .json(&json!({"name": "a test", "scopes": scopes}))
            .await
            .is(201);
        let token = made.json()["token"].as_str().map(str::to_owned);
        self.with_token(token.expect("a new token is shown once"))
    }

    /// A group, with the groups above it where they are missing; private.
    pub async fn group(&self, path: &str) -> TestGroup {
        let mut parent: Option<i64> = None;
        let mut whole = String::new();
        for part in path.split('/') {
            whole = if whole.is_empty() {
                part.to_owned()
            } else {
                format!("{whole}/{part}")
            };
            let found = self.admin().get(format!("/groups/{}", whole.replace('/', "%2F"))).await;
            let id = match found.status {
                200 => found.id(),
                _ => {
                    let body = json!({"name": part, "path": part, "parent_id": parent});
                    self.admin().post("/groups").json(&body).await.is(201).id()
                }
            };
            parent = Some(id);
        }
        let id = parent.expect("a path has at least one part");
        TestGroup { id, path: whole, admin: self.admin() }
    }

    /// A private project in a group, which is made where it is missing.
    pub async fn project(&self, path: &str) -> TestProject {
        self.project_with(path, "private").await
    }

    /// A project of this visibility in a group of the same.
    pub async fn project_with(&self, path: &str, visibility: &str) -> TestProject {
        let (group, name) = path.rsplit_once('/').expect("write GROUP/PROJECT");
        let group = self.group(group).await;
        if visibility != "private" {
            let root = group.path.split('/').next().unwrap_or_default().to_owned();
            let mut parts = vec![root];
            parts.extend((group.path.contains('/')).then(|| group.path.replace('/', "%2F")));
            for part in parts {
                let body = json!({"visibility": visibility});
                self.admin().put(format!("/groups/{part}")).json(&body).await.is(200);
            }
        }
        let body =
            json!({"name": name, "path": name, "namespace_id": group.id, "visibility": visibility});
        let made = self.admin().post("/projects").json(&body).await.is(201);
        TestProject { id: made.id(), path: path.to_owned(), admin: self.admin() }
    }
}

async fn add_member(admin: &Client, members: &str, user: &TestUser, access_level: i64) {
    let body = json!({"user_id": user.id, "access_level": access_level});
    admin.post(members).json(&body).await.is(201);
}

impl TestGroup {
    /// Path of the group below `/api/v4`.
    pub fn at(&self, rest: &str) -> String {
        format!("/groups/{}{rest}", self.id)
    }

    /// Gives a person a role here.
    pub async fn add(&self, user: &TestUser, access_level: i64) {
        add_member(&self.admin, &self.at("/members"), user, access_level).await;
    }
}

impl TestProject {
    /// Path of the project below `/api/v4`.
    pub fn at(&self, rest: &str) -> String {
        format!("/projects/{}{rest}", self.id)
    }

    /// Gives a person a role here.
    pub async fn add(&self, user: &TestUser, access_level: i64) {
        add_member(&self.admin, &self.at("/members"), user, access_level).await;
    }

    /// Publishes an npm package with nothing special in it.
    pub async fn npm_package(&self, name: &str, version: &str) {
        let path = self.at(&format!("/packages/npm/{}", npm::escaped(name)));
        let body = npm::plain(name, version);
        self.admin.put(path).json(&body).await.is(200);
    }

    /// Publishes a generic package whose file `NAME.txt` says its name.
    pub async fn generic_package(&self, name: &str, version: &str) -> TestPackage {
        let file = self.at(&format!("/packages/generic/{name}/{version}/{name}.txt"));
        self.admin.put(&file).bytes(name.to_owned()).await.is(201);
        let found = self
            .admin
            .get(self.at(&format!("/packages?package_name={name}&package_version={version}")))
            .await
            .is(200);
        let id = found.json()[0]["id"].as_i64().expect("the package is listed");
        TestPackage { id, path: self.at(&format!("/packages/{id}")), file }
    }
}
