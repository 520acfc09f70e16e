//! The page of a package of every format.

use crate::packages_formats::side_by_side::FORMATS;

#[testkit::story]
async fn every_format_s_page_shows_how_to_use_and_publish_it(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let reader = t.user("reader").await;
    let (jane, reader) =
        ((jane.id, t.browser("jane").await), (reader.id, t.browser("reader").await));
    for (format, publish, statuses) in FORMATS {
        let project = t.project(&format!("acme/{}", format.replace('_', "-"))).await;
        for (id, level) in [(jane.0, 30), (reader.0, 20)] {
            let member = serde_json::json!({"user_id": id, "access_level": level});
            t.admin().post(project.at("/members")).json(&member).await.is(201);
        }
        for minor in 0..2 {
            publish(&t.admin(), &project, minor).await.is(statuses[0]);
        }
        let found = t.admin().get(project.at("/packages?sort=desc")).await.is(200).json();
        let id = found[0]["id"].clone();
        let files = project.at(&format!("/packages/{id}/package_files"));
        let file = t.admin().get(files).await.is(200).json()[0].clone();
        let path = format!("/{}/-/packages/{id}", project.path);

        let page = jane.1.get(&path).await.is(200).text();

        for told in [
            "Use it",
            "Publish another version",
            "Files",
            "Other versions",
            "Downloads",
            "SHA-256",
            file["file_sha256"].as_str().expect("a digest"),
        ] {
            assert!(page.contains(told), "{format}: {told}\n{page}");
        }
        let project_api = format!("/api/v4/projects/{}/packages/", project.id);
        assert!(page.contains(&project_api), "{format}");
        let page = reader.1.get(&path).await.is(200).text();
        assert!(page.contains("Use it") && !page.contains("Publish another"), "{format}");
    }
}
