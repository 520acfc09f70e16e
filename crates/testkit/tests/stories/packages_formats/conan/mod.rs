//! Recipes and binary packages as Conan clients of both generations send and
//! read them.

mod access;
mod hostile;
mod old;
mod parallel;
mod places;
mod revisions;
mod session;

use crate::packages_formats::archives::tar_gz;
use serde_json::Value;
use testkit::{Client, Reply};

pub const RREV: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const OTHER: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
const PREV: &str = "cccccccccccccccccccccccccccccccc";
const PREF: &str = "5ab84d6acfe1f23c4fae0ab88f26e3a396351ac9";
const INFO: &str = "[settings]\nos=Linux\n[options]\nshared=False\n[requires]\nzlib/1.3\n";

/// A recipe at one of the prefixes.
#[derive(Clone)]
pub struct At {
    base: String,
    path: String,
}

/// `hammer/1.0@acme/stable` below `/projects/5`, `/groups/5/-` or nothing.
fn hammer(owner: &str) -> At {
    recipe_at(owner, "hammer/1.0/acme/stable")
}

pub fn recipe_at(owner: &str, recipe: &str) -> At {
    At {
        base: format!("{owner}/packages/conan"),
        path: recipe.to_owned(),
    }
}

impl At {
    fn v1(&self, rest: &str) -> String {
        format!("{}/v1/conans/{}{rest}", self.base, self.path)
    }

    fn v2(&self, rest: &str) -> String {
        format!("{}/v2/conans/{}/{rest}", self.base, self.path)
    }

    fn files(&self, rest: &str) -> String {
        format!("{}/v1/files/{}/0/{rest}", self.base, self.path)
    }

    pub fn in_recipe(&self, revision: &str, rest: &str) -> String {
        self.v2(&format!("revisions/{revision}{rest}"))
    }

    fn in_binary(&self, revision: &str, rest: &str) -> String {
        self.in_recipe(RREV, &format!("/packages/{PREF}/revisions/{revision}{rest}"))
    }

    async fn put(&self, client: &Client, revision: &str, file: &str, bytes: &[u8]) -> Reply {
        let path = self.in_recipe(revision, &format!("/files/{file}"));
        client.put(path).bytes(bytes.to_vec()).await
    }

    async fn put_binary(&self, client: &Client, revision: &str, file: &str, bytes: &[u8]) -> Reply {
        let path = self.in_binary(revision, &format!("/files/{file}"));
        client.put(path).bytes(bytes.to_vec()).await
    }

    /// Publishes a whole revision of the recipe, as clients do.
    async fn recipe(&self, client: &Client, revision: &str) {
        self.put(client, revision, "conan_export.tgz", &archive()).await.is(200);
        self.put(client, revision, "conanfile.py", b"class Hammer: pass\n")
            .await
            .is(200);
        self.put(client, revision, "conanmanifest.txt", &manifest(1)).await.is(200);
    }

    /// Publishes a whole revision of a binary package of [`RREV`].
    async fn binary(&self, client: &Client, revision: &str, info: &str) {
        self.put_binary(client, revision, "conan_package.tgz", &archive()).await.is(200);
        self.put_binary(client, revision, "conaninfo.txt", info.as_bytes())
            .await
            .is(200);
        self.put_binary(client, revision, "conanmanifest.txt", &manifest(1))
            .await
            .is(200);
    }
}

pub fn archive() -> Vec<u8> {
    tar_gz(&[("include/hammer.h", "#pragma once\n")])
}

fn manifest(time: i64) -> Vec<u8> {
    format!("{time}\ninclude/hammer.h: 0123456789abcdef0123456789abcdef\n").into_bytes()
}

/// What revisions a list names.
async fn listed(client: &Client, path: String) -> Vec<String> {
    let reply = client.get(path).await.is(200);
    assert_eq!(reply.header("content-type"), "application/json");
    let json = reply.json();
    let all = json["revisions"].as_array().expect("revisions");
    all.iter().map(|one| text(&one["revision"])).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
