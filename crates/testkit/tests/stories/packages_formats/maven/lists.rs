//! The list of versions after versions were deleted.

use super::{at, list, put, sha1};
use testkit::{Client, TestProject};

const LIST: &str = "com/acme/anvil/maven-metadata.xml";

async fn destroy(client: &Client, project: &TestProject, version: &str) {
    let found = client
        .get(project.at(&format!("/packages?package_version={version}")))
        .await
        .is(200);
    let id = found.each("id")[0].clone();
    let path = project.at(&format!("/packages/{id}"));
    client.delete(path).await.is(204);
}

#[testkit::story(noon)]
async fn deleted_versions_leave_the_list(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let admin = t.admin();
    for version in ["1.0", "1.1", "1.2"] {
        let jar = format!("com/acme/anvil/{version}/anvil-{version}.jar");
        put(&admin, &at(&project, &jar), "a jar").await.is(200);
    }
    put(&admin, &at(&project, LIST), &list(&["1.0", "1.1", "1.2"])).await.is(200);

    destroy(&admin, &project, "1.2").await;
    t.settle().await;

    let wanted = list(&["1.0", "1.1"]).replace("20310101000000", "20310506120000");
    let told = admin.get(at(&project, LIST)).await.is(200);
    assert_eq!(told.text(), wanted);
    let sum = admin.get(at(&project, &format!("{LIST}.sha1"))).await.is(200);
    assert_eq!(sum.text(), sha1(&wanted));

    destroy(&admin, &project, "1.0").await;
    destroy(&admin, &project, "1.1").await;
    t.settle().await;
    admin.get(at(&project, LIST)).await.is(404);
    let left = admin.get(project.at("/packages?include_versionless=true")).await.is(200);
    assert_eq!(left.text(), "[]");
}

#[testkit::story(noon)]
async fn a_list_nobody_can_read_stays(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let admin = t.admin();
    put(&admin, &at(&project, "com/acme/anvil/1.0/a.jar"), "a jar").await.is(200);
    put(&admin, &at(&project, LIST), "<metadata><versioning>").await.is(200);

    destroy(&admin, &project, "1.0").await;
    t.settle().await;

    let told = admin.get(at(&project, LIST)).await.is(200);
    assert_eq!(told.text(), "<metadata><versioning>");
}
