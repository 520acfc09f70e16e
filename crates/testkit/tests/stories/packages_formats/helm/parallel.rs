//! Publishers that race, and readers of one index beside them.

use super::{chart, listed, of};
use futures_util::future::{join, join_all};

#[testkit::story]
async fn readers_beside_publishers_never_see_a_broken_index(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    chart("first", "1.0.0").to(&t.admin(), &project, "stable").await.is(201);
    let address = project.at("/packages/helm/stable/index.yaml");
    let writing = (0..8).map(async |number| {
        let chart = chart(&format!("chart{number}"), "1.0.0");
        chart.to(&t.admin(), &project, "stable").await.status
    });
    let reading = (0..8).map(async |_| {
        let mut most = 1;
        for _ in 0..6 {
            let found = listed(&t.admin(), address.clone()).await;
            // What was seen once is seen again, and each as a whole.
            assert!(found.len() >= most);
            assert!(found.iter().all(|(_, versions)| versions == &["1.0.0"]));
            most = found.len();
        }
    });
    let (written, _) = join(join_all(writing), join_all(reading)).await;

    assert_eq!(written, [201; 8]);
    assert_eq!(listed(&t.admin(), address).await.len(), 9);
}

#[testkit::story]
async fn publishers_of_one_version_make_one_package(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let all = (0..8)
        .map(async |_| chart("hammer", "1.0.0").to(&t.admin(), &project, "stable").await.status);
    assert_eq!(join_all(all).await, [201; 8]);

    let address = project.at("/packages/helm/stable/index.yaml");
    assert_eq!(listed(&t.admin(), address).await, [of("hammer", &["1.0.0"])]);
    assert_eq!(t.admin().get(project.at("/packages")).await.is(200).each("version"), ["1.0.0"]);
}
