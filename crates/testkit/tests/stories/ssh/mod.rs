//! SSH keys of users, deploy keys of projects, and git over SSH with the stock client.

mod deploy_keys;
mod fetching;
mod keys;
mod limits;
mod pages;
mod pushing;
mod refusals;

use serde_json::json;
use testkit::{Client, Git, Reply};

/// Gives a user the key of this git.
async fn add(client: &Client, git: &Git) -> Reply {
    let key = json!({"title": "laptop", "key": git.public_key()});
    client.post("/user/keys").json(&key).await.is(201)
}

/// A git over SSH at this port, with a key of this user.
pub async fn git_of(port: u16, client: &Client) -> Git {
    let git = Git::over_ssh(port, "ed25519").await;
    add(client, &git).await;
    git
}
