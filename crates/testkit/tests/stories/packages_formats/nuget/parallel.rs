//! Publishers that race, and readers of their documents.

use super::{listed, package, told};
use futures_util::future::{join, join_all};
use serde_json::json;

#[testkit::story]
async fn readers_beside_publishers_never_see_a_broken_document(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    package("hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    let writing = (1..9).map(async |number| {
        package("hammer", &format!("1.{number}.0"))
            .to(&t.admin(), &project)
            .await
            .status
    });
    let reading = (0..8).map(async |_| {
        let mut most = 1;
        for _ in 0..5 {
            let found = told(&t.admin(), &project, "metadata/hammer/index.json").await;
            let page = &found["items"][0];
            let leaves = page["items"].as_array().expect("a list");
            // What was seen once is seen again, and each as a whole.
            assert!(leaves.len() >= most && page["count"] == json!(leaves.len()));
            assert!(leaves.iter().all(|leaf| leaf["catalogEntry"]["authors"] == "Jane"));
            assert_eq!(page["upper"], leaves[leaves.len() - 1]["catalogEntry"]["version"]);
            most = leaves.len();
            let feed = project.at("/packages/nuget/v2/FindPackagesById()?id='hammer'");
            let feed = t.admin().get(feed).await.is(200).text();
            assert!(feed.ends_with("</feed>"));
            assert_eq!(feed.matches("<d:IsLatestVersion m:type=\"Edm.Boolean\">true").count(), 1);
        }
    });
    let (written, _) = join(join_all(writing), join_all(reading)).await;

    assert_eq!(written, [201; 8]);
    assert_eq!(listed(&t.admin(), &project, "hammer").await.len(), 9);
}

#[testkit::story]
async fn publishers_of_one_version_make_one_package(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let all = async |name: &str| {
        let all = ["1.0.0", "1.0", "1.0.0.0", "01.0.0", "1.0.0+a", "1.0.0", "1.0", "1.0.0"];
        let all =
            all.map(async |version| package(name, version).to(&t.admin(), &project).await.status);
        let mut statuses = join_all(all).await;
        statuses.sort_unstable();
        statuses
    };
    assert_eq!(all("hammer").await, [201; 8]);
    assert_eq!(listed(&t.admin(), &project, "hammer").await, ["1.0.0"]);

    let settings = json!({"nuget_duplicates_allowed": false});
    t.admin().put("/groups/acme/package_settings").json(&settings).await.is(200);
    assert_eq!(all("nail").await, [201, 409, 409, 409, 409, 409, 409, 409]);
    let shown = t.admin().get(project.at("/packages?package_name=nail")).await.is(200);
    let ids = shown.each("id");
    assert_eq!(ids.len(), 1);
    let files = project.at(&format!("/packages/{}/package_files", ids[0]));
    assert_eq!(t.admin().get(files).await.is(200).each("file_name"), ["nail.1.0.0.nupkg"]);
}
