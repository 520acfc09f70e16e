//! Publishers that race, and readers beside them.

use super::{INFO, PREV, RREV, archive, hammer, listed, manifest, recipe_at};
use crate::packages_formats::registry::rows;
use futures_util::future::{join, join_all};
use serde_json::json;

#[testkit::story]
async fn readers_beside_publishers_see_whole_revisions_only(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    let writing = (0..8).map(async |number| at.recipe(&admin, &format!("{number:032}")).await);
    let reading = (0..8).map(async |_| {
        let mut most = 1;
        for _ in 0..6 {
            let found = listed(&admin, at.v2("revisions")).await;
            assert!(found.len() >= most);
            most = found.len();
            let files = admin.get(at.in_recipe(&found[0], "/files")).await.is(200).json();
            assert_eq!(
                files,
                json!({"files": {
                "conan_export.tgz": {}, "conanfile.py": {}, "conanmanifest.txt": {}}})
            );
        }
    });
    join(join_all(writing), join_all(reading)).await;
    assert_eq!(listed(&admin, at.v2("revisions")).await.len(), 9);
    assert_eq!(rows(&t).await.0, 1);
}

#[testkit::story]
async fn publishers_of_one_revision_make_one(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), recipe_at(&project.at(""), "nail/1.0/_/_"));
    join_all((0..8).map(async |_| at.recipe(&admin, RREV).await)).await;
    assert_eq!(listed(&admin, at.v2("revisions")).await, [RREV]);
    at.put_binary(&admin, PREV, "conan_package.tgz", &archive()).await.is(200);
    at.put_binary(&admin, PREV, "conaninfo.txt", INFO.as_bytes()).await.is(200);

    // Of manifests that say different things one wins.
    let manifests = (0..8).map(async |number| {
        let mut text = manifest(1);
        text.extend(format!("f{number}: 0123456789abcdef0123456789abcdef\n").into_bytes());
        let reply = at.put_binary(&admin, PREV, "conanmanifest.txt", &text).await;
        (reply.status, text)
    });
    let written = join_all(manifests).await;
    let mut won = written.iter().filter(|(status, _)| *status == 200);
    let (_, first) = won.next().expect("one is taken");
    assert!(won.next().is_none(), "{written:?}");
    assert!(written.iter().all(|(status, _)| [200, 400].contains(status)));
    let kept = admin.get(at.in_binary(PREV, "/files/conanmanifest.txt")).await.is(200);
    assert_eq!(&kept.body, first);
    assert_eq!(rows(&t).await, (1, 6, 5));
}
