//! A project with people of every role around it.

use store::{Json, Tx, sql};
use testkit::{Client, Request, TestServer};

/// A project made for one story.
pub struct Registry {
    pub id: i64,
    pub namespace: i64,
}

impl Registry {
    /// A project in a namespace of its own; visibility 0, 10 or 20.
    pub async fn new(t: &TestServer, path: &str, visibility: i64) -> Registry {
        let (group, name) = path.split_once('/').expect("write GROUP/PROJECT");
        let (group, name, whole) = (group.to_owned(), name.to_owned(), path.to_owned());
        let made = t.app().write(move |tx| add_project(tx, &group, &name, &whole, visibility));
        let (namespace, id) = made.await.expect("a project can be made");
        Registry { id, namespace }
    }

    /// A path of the project below `/api/v4`.
    pub fn at(&self, rest: &str) -> String {
        format!("/projects/{}/packages{rest}", self.id)
    }

    /// The path of a generic file below `/api/v4`.
    pub fn generic(&self, rest: &str) -> String {
        self.at(&format!("/generic/{rest}"))
    }

    /// A person with this role here, or none with 0.
    pub async fn person(&self, t: &TestServer, name: &str, level: i64) -> Client {
        let (name, project) = (name.to_owned(), self.id);
        let token = t.app().write(move |tx| add_person(tx, &name, project, level));
        t.with_token(token.await.expect("a person can be made"))
    }

    /// Publishes a file as the administrator.
    pub async fn publish(&self, t: &TestServer, rest: &str, bytes: &str) {
        put(&t.admin(), &self.generic(rest), bytes).await.is(201);
    }

    /// The text of a file, downloaded by the administrator.
    pub async fn get(&self, t: &TestServer, rest: &str) -> String {
        t.admin().get(self.generic(rest)).await.is(200).text()
    }

    /// The id of the first package of this name.
    pub async fn id_of(&self, t: &TestServer, name: &str) -> i64 {
        let found = t.admin().get(self.at(&format!("?package_name={name}"))).await.is(200);
        let list = found.json();
        let packages = list.as_array().into_iter().flatten();
        let mut ids = packages.filter(|one| one["name"] == name).map(|one| one["id"].as_i64());
        ids.next().flatten().expect("the package is listed")
    }
}

/// A deploy token of a project or group, with these scopes.
pub async fn deploy_token(t: &TestServer, source: (&str, i64), scopes: &str) -> String {
    let (kind, id, scopes) = (source.0.to_owned(), source.1, scopes.to_owned());
    let token = kernel::secrets::random_token("deploy-");
    let digest = kernel::secrets::digest(token.expose());
    let made = t.app().write(move |tx| {
        let now = tx.now();
        tx.execute(
            sql!(
                "insert into deploy_tokens (source_type, source_id, name, username, digest,
                    scopes, created_at)
                 values ($1, $2, 'a test', 'deployer', $3, $4, $5)"
            ),
            (kind.as_str(), id, digest.as_slice(), scopes.as_str(), now),
        )?;
        Ok(())
    });
    made.await.expect("a deploy token can be made");
    token.expose().to_owned()
}

/// How many rows of packages, files and blobs there are.
pub async fn rows(t: &TestServer) -> (i64, i64, i64) {
    let counted = t.app().read(|tx| {
        Ok(tx.one(
            sql!(
                "select (select count(*) from packages), (select count(*) from package_files),
                    (select count(*) from blobs)"
            ),
            (),
        )?)
    });
    counted.await.expect("rows can be counted")
}

/// PUT of a body of bytes.
pub fn put(client: &Client, path: &str, bytes: &str) -> Request {
    client.put(path).bytes(bytes.to_owned())
}

fn add_project(
    tx: &mut Tx<'_>, group: &str, name: &str, whole: &str, visibility: i64,
) -> kernel::error::Result<(i64, i64)> {
    let now = tx.now();
    let known: Option<i64> =
        tx.optional(sql!("select id from namespaces where full_path = $1"), (group,))?;
    let namespace = match known {
        Some(id) => id,
        None => {
            let id: i64 = tx.one(
                sql!(
                    "insert into namespaces (kind, name, name_folded, path, full_path,
                        full_path_folded, full_name, lineage, depth, visibility, created_at,
                        updated_at)
                     values ('group', $1, $1, $1, $1, $1, $1, '', 1, 20, $2, $2) returning id"
                ),
                (group, now),
            )?;
            tx.execute(
                sql!("update namespaces set lineage = $2 where id = $1"),
                (id, format!("/{id}/")),
            )?;
            id
        }
    };
    let project = tx.one(
        sql!(
            "insert into projects (namespace_id, name, name_folded, path, path_folded, full_path,
                full_path_folded, visibility, topics, features, last_activity_at, created_at,
                updated_at)
             values ($1, $2, $2, $2, $2, $3, $3, $4, $5, $6, $7, $7, $7) returning id"
        ),
        (
            namespace,
            name,
            whole,
            visibility,
            Json(serde_json::json!([])),
            Json(serde_json::json!({})),
            now,
        ),
    )?;
    Ok((namespace, project))
}

fn add_person(
    tx: &mut Tx<'_>, name: &str, project: i64, level: i64,
) -> kernel::error::Result<String> {
    let email = format!("{name}@example.com");
    let user = identity::bootstrap::create_user(tx, name, name, &email, "no password", false)?;
    let (_, secret) =
        identity::bootstrap::create_token(tx, name, "a test", &["api".to_owned()], None)?;
    let now = tx.now();
    if level > 0 {
        tx.execute(
            sql!(
                "insert into members (source_type, source_id, user_id, access_level, created_at,
                    updated_at)
                 values ('Project', $1, $2, $3, $4, $4)"
            ),
            (project, user.id, level, now),
        )?;
    }
    Ok(secret.expose().to_owned())
}
