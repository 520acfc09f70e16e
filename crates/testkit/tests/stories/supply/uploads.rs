//! Lists that are sent without a pipeline.

use super::{bom, mit, names, npm, send};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_list_is_sent_and_asked_after(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let first = bom("a.lock", vec![npm("hammer", "1.0.0", mit())]);
    let sent = t.admin().post(project.at("/sboms")).json(&first).await.is(202).json();
    let token = sent["token"].as_str().unwrap().to_owned();
    let at = project.at(&format!("/sboms/{token}"));
    let told = t.admin().get(&at).await.is(200).json();
    assert_eq!(told["token"], sent["token"]);
    t.settle().await;
    let told = t.admin().get(&at).await.is(200).json();
    assert_eq!(
        (&told["processing"], &told["finished"], &told["failed"], &told["reason"]),
        (&json!(false), &json!(true), &json!(false), &json!(null))
    );
    assert_eq!(names(&t, &project).await, ["hammer 1.0.0"]);

    // The same bytes have the same token while they are the list.
    let again = send(&t, &project, &first).await.is(202).json();
    assert_eq!(again["token"], sent["token"]);
    let second = bom("a.lock", vec![npm("hammer", "2.0.0", mit())]);
    let other = send(&t, &project, &second).await.is(202).json();
    assert_ne!(other["token"], sent["token"]);
    let back = send(&t, &project, &first).await.is(202).json();
    assert_ne!(back["token"], sent["token"], "another list was there between");
    assert_eq!(names(&t, &project).await, ["hammer 1.0.0"]);
}

#[testkit::story]
async fn a_list_comes_as_xml_and_in_a_form(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let xml = r#"<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.5" version="1">
        <components><component type="library"><name>tongs</name><version>3</version>
        </component></components></bom>"#;
    t.admin()
        .post(project.at("/sboms"))
        .header("content-type", "application/vnd.cyclonedx+xml")
        .bytes(xml.to_owned())
        .await
        .is(202);
    t.settle().await;
    assert_eq!(names(&t, &project).await, ["tongs 3"]);

    let text = bom("a.lock", vec![npm("hammer", "1.0.0", mit())]).to_string();
    let form = format!(
        "--B\r\ncontent-disposition: form-data; name=\"bom\"; filename=\"a.json\"\r\n\r\n{text}\r\n--B--\r\n"
    );
    let by_form = |form: String| {
        t.admin()
            .post(project.at("/sboms"))
            .header("content-type", "multipart/form-data; boundary=B")
            .bytes(form)
    };
    by_form(form.clone()).await.is(202);
    t.settle().await;
    assert_eq!(names(&t, &project).await, ["hammer 1.0.0"]);
    let wrong = by_form(form.replace("\"bom\"", "\"file\"")).await.is(400).json();
    assert_eq!(wrong["error"], "bom is missing");
}

#[testkit::story]
async fn what_is_no_list_fails_with_its_reason(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for (text, reason) in [
        ("{", "Report JSON is invalid"),
        (
            r#"{"bomFormat":"CycloneDX","specVersion":"1.3"}"#,
            "Unsupported CycloneDX spec version",
        ),
        ("<bom>", ""),
        ("\u{0}", ""),
    ] {
        let sent = t.admin().post(project.at("/sboms")).bytes(text.to_owned()).await.is(202);
        let token = sent.json()["token"].as_str().unwrap().to_owned();
        t.settle().await;
        let told = t.admin().get(project.at(&format!("/sboms/{token}"))).await.is(200).json();
        assert_eq!((&told["failed"], &told["finished"]), (&json!(true), &json!(false)), "{told}");
        let said = told["reason"].as_str().unwrap_or_default();
        assert!(!said.is_empty() && said.contains(reason), "{text}: {said}");
    }
    t.admin().post(project.at("/sboms")).bytes(String::new()).await.is(400);
    t.admin().get(project.at("/sboms/nothing")).await.is(404);
}

#[testkit::story]
async fn developers_send_lists_and_nobody_else(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let list = bom("a.lock", vec![npm("hammer", "1.0.0", mit())]);
    let (developer, reporter, outsider) =
        (t.user("dev").await, t.user("rita").await, t.user("out").await);
    project.add(&developer, 30).await;
    project.add(&reporter, 20).await;
    for (who, status) in
        [(t.anonymous(), 401), ((*outsider).clone(), 404), ((*reporter).clone(), 403)]
    {
        who.post(project.at("/sboms")).json(&list).await.is(status);
        who.get(project.at("/sboms/any")).await.is(status);
    }
    developer.post(project.at("/sboms")).json(&list).await.is(202);
    t.settle().await;
    t.admin().post(project.at("/archive")).await.is(201);
    let other = bom("b.lock", vec![npm("tongs", "1.0.0", mit())]);
    developer.post(project.at("/sboms")).json(&other).await.is(403);
}
