//! Every way to say which tag or branch a Composer package is made of.

use crate::packages_formats::forms::multipart;
use serde_json::json;

#[testkit::story]
async fn a_tag_counts_wherever_it_is_sent(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let path = project.at("/packages/composer");
    let post = || t.admin().post(&path);
    // The tag is understood, and there is no repository to take it from.
    for sent in [
        post().form("tag=v9.0.0"),
        post().form("branch=main"),
        post().json(&json!({"tag": "v9.0.0"})),
        multipart(post(), &[("tag", "v9.0.0")], &[]),
        t.admin().post(format!("{path}?tag=v9.0.0")),
        t.admin().post(format!("{path}?tag=v1.0.0")).form("tag=v9.0.0"),
    ] {
        sent.await.is(404);
    }
    for wrong in [
        post().form("tag=v9.0.0&branch=main"),
        post().form("tag="),
        post().form("label=v9.0.0"),
        post().json(&json!({"tag": {"name": "v9.0.0"}})),
        post().json(&json!(["v9.0.0"])),
        t.admin().post(format!("{path}?tag=v9.0.0")).form("branch=main"),
        post(),
    ] {
        wrong.await.is(400);
    }
    t.anonymous().post(&path).form("tag=v9.0.0").await.is(401);
}
