//! The other versions that a package is shown with.

use super::{at, deploy, list};

#[testkit::story]
async fn what_has_no_version_is_no_other_version(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    for version in ["1.0", "2.0"] {
        let jar = at(&project, &format!("com/acme/anvil/{version}/anvil-{version}.jar"));
        deploy(&t.admin(), &jar, version).await;
    }
    let versions = at(&project, "com/acme/anvil/maven-metadata.xml");
    deploy(&t.admin(), &versions, &list(&["1.0", "2.0"])).await;

    let packages = t.admin().get(project.at("/packages?include_versionless=true")).await.is(200);
    let packages = packages.json();
    let one = packages.as_array().unwrap().iter().find(|one| one["version"] == "1.0").unwrap();
    let shown = t
        .admin()
        .get(project.at(&format!("/packages/{}", one["id"])))
        .await
        .is(200)
        .json();
    let others: Vec<_> = shown["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["version"])
        .collect();
    assert_eq!(others, ["2.0"]);
}
