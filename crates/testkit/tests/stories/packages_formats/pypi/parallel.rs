//! Publishers that race, and readers beside them.

use super::{Upload, index, wheel};
use std::collections::HashSet;
use std::sync::Arc;
use testkit::{TestProject, TestServer};

async fn publish(t: &TestServer, project: &TestProject, upload: Arc<Upload>) -> u16 {
    upload.to(&t.admin(), project).await.status
}

#[testkit::story]
async fn of_eight_publishers_of_one_file_one_wins(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let upload = Arc::new(wheel("hammer", "1.0"));
    let all = (0..8).map(|_| publish(&t, &project, upload.clone()));
    let mut statuses = futures_util::future::join_all(all).await;
    statuses.sort_unstable();

    assert_eq!(statuses, [201, 400, 400, 400, 400, 400, 400, 400]);
    let found = index(&t.admin(), project.at("/packages/pypi/simple/hammer")).await;
    assert_eq!(found["files"].as_array().map(Vec::len), Some(1));
    let listed = t.admin().get(project.at("/packages")).await.is(200);
    assert_eq!(listed.each("version"), ["1.0"]);
}

#[testkit::story]
async fn readers_beside_publishers_never_see_half_a_document(t: TestServer) {
    let project = t.project("acme/anvil").await;
    wheel("hammer", "0.0").to(&t.admin(), &project).await.is(201);
    let address = project.at("/packages/pypi/simple/hammer");
    let uploads = (1..=8).map(|number| wheel("hammer", &format!("{number}.0")));
    let writing = uploads.map(|upload| publish(&t, &project, Arc::new(upload)));
    let reading = (0..8).map(async |_| {
        let mut most = 0;
        for _ in 0..6 {
            let found = index(&t.admin(), address.clone()).await;
            let files = found["files"].as_array().expect("files");
            let names: HashSet<_> = files.iter().map(|file| file["filename"].as_str()).collect();
            assert_eq!(names.len(), found["versions"].as_array().map_or(0, Vec::len));
            // What was seen once is seen again.
            assert!(names.len() >= most);
            most = names.len();
        }
    });
    let (written, _) = futures_util::future::join(
        futures_util::future::join_all(writing),
        futures_util::future::join_all(reading),
    )
    .await;

    assert_eq!(written, [201; 8]);
    let found = index(&t.admin(), address.clone()).await;
    assert_eq!(found["files"].as_array().map(Vec::len), Some(9));
}
