//! Points of pictures: commented on from the changes, and drawn there with their threads.

use super::{developer, forge, open};
use serde_json::{Value, json};
use testkit::{Browser, TestProject, TestServer, TestUser};

const DIFFS: &str = "/acme/forge/-/merge_requests/1/diffs";
/// SHA-1 of `plan.png` and of `notes.txt`, by which pages name the files.
const PLAN: &str = "d75648e6fc80c888f976d1ed17befc68df342a23";
const NOTES: &str = "83348d283c1ba0b3b4d55fdc04c39a165b933125";
/// What begins a picture of 40 by 30 pixels, and another one.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAACgAAAAe";
const OTHER: &str = "iVBORw0KGgoAAAANSUhEUgAAACgAAAAeAQ==";

/// A merge request that adds a picture and a text, and who wrote it.
async fn drawn(t: &TestServer) -> (TestProject, TestUser, Browser) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let actions = json!([
        {"action": "create", "file_path": "plan.png", "content": PICTURE, "encoding": "base64"},
        {"action": "create", "file_path": "notes.txt", "content": "a\nb\n"},
    ]);
    act(t, &project, actions, Some("main")).await;
    open(&smith, &project, "plan").await;
    t.settle().await;
    let browser = t.browser("smith").await;
    (project, smith, browser)
}

/// Commits to the branch `plan`.
async fn act(t: &TestServer, project: &TestProject, actions: Value, start: Option<&str>) {
    let body = json!({"branch": "plan", "start_branch": start, "commit_message": "Draw",
        "actions": actions});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
}

/// The form of a comment on a file as a page has it, with a point.
async fn form<'f>(
    browser: &Browser, file: &str, body: &'f str, point: [(&'f str, &'f str); 4],
) -> Vec<(&'f str, String)> {
    let page = browser.get(&format!("{DIFFS}?comment={file}")).await.is(200);
    let field = |name: &'f str| (name, page.hidden(name).expect("a field"));
    let names = ["comment", "from", "base_sha", "start_sha", "head_sha"];
    let mut fields = Vec::from(names.map(field));
    fields.push(("body", body.to_owned()));
    fields.extend(point.map(|(name, value)| (name, value.to_owned())));
    fields
}

fn sent<'f>(fields: &'f [(&'f str, String)]) -> Vec<(&'f str, &'f str)> {
    fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

fn point([x, y, width, height]: [&str; 4]) -> [(&str, &str); 4] {
    [("x", x), ("y", y), ("width", width), ("height", height)]
}

/// The id of the thread that begins so.
async fn thread(by: &TestUser, project: &TestProject, body: &str) -> (String, Value) {
    let all = by.get(project.at("/merge_requests/1/discussions")).await.is(200).json();
    let found = all
        .as_array()
        .expect("threads")
        .iter()
        .find(|one| one["notes"][0]["body"] == body);
    let found = found.expect("the thread");
    let id = found["id"].as_str().expect("an id").to_owned();
    (id, found["notes"][0]["position"].clone())
}

fn markers(page: &str) -> usize {
    page.matches("of the picture\"><circle ").count()
}

#[testkit::story]
async fn a_point_is_commented_on_by_a_form_and_drawn_with_its_thread(t: TestServer) {
    let (project, smith, browser) = drawn(&t).await;
    let page = browser.get(&format!("{DIFFS}?comment={PLAN}")).await.is(200);
    // How large it is stands in the form.
    assert_eq!(page.hidden("width").as_deref(), Some("40"));
    assert_eq!(page.hidden("height").as_deref(), Some("30"));
    assert_eq!(markers(&page.text()), 0);

    let fields = form(&browser, PLAN, "Too small", point(["10", "15", "40", "30"])).await;
    let (to, page) = browser.submit(&format!("{DIFFS}/comments"), &sent(&fields)).await;

    assert!(to.starts_with(&format!("{DIFFS}?note=")), "{to}");
    let (id, position) = thread(&smith, &project, "Too small").await;
    assert_eq!(position["position_type"], "image");
    assert_eq!(
        ["x", "y", "width", "height"].map(|name| position[name].clone()),
        [10, 15, 40, 30].map(Value::from)
    );
    let marker = format!(
        "<a href=\"#discussion_{id}\" aria-label=\"Point 1 of the picture\">\
         <circle cx=\"25.00%\" cy=\"50.00%\""
    );
    assert!(page.contains(&marker), "{page}");
    assert!(page.contains("<p class=\"said-place\">Point 1 of the picture"), "{page}");
    // A draft is drawn for who keeps it, and what has no point is not.
    let fields = form(&browser, PLAN, "Too dark", point(["40", "0", "40", "30"])).await;
    let (_, page) = browser.submit(&format!("{DIFFS}/drafts"), &sent(&fields)).await;
    assert!(
        page.contains("Point 2 of the picture\"><circle cx=\"100.00%\" cy=\"0.00%\""),
        "{page}"
    );
    let fields = form(&browser, PLAN, "All of it", point(["", " ", "40", "30"])).await;
    let (_, page) = browser.submit(&format!("{DIFFS}/comments"), &sent(&fields)).await;
    assert_eq!(markers(&page), 2);
    let whole = thread(&smith, &project, "All of it").await.1;
    assert_eq!(whole["position_type"], "file");
    let seen = t.new_browser().get(DIFFS).await.is(200).text();
    assert_eq!(markers(&seen), 1);
    assert!(!seen.contains("data-point>") && !seen.contains("Too dark"), "{seen}");
}

#[testkit::story]
async fn points_are_of_the_picture_that_is_shown(t: TestServer) {
    let (project, smith, browser) = drawn(&t).await;
    let newest = smith.get(project.at("/merge_requests/1")).await.is(200).json();
    let mut position = newest["diff_refs"].clone();
    for (name, value) in [("x", 50), ("y", 3), ("width", 40), ("height", 30)] {
        position[name] = json!(value);
    }
    position["position_type"] = json!("image");
    position["new_path"] = json!("plan.png");
    let body = json!({"body": "By a client", "position": position});
    smith
        .post(project.at("/merge_requests/1/discussions"))
        .json(&body)
        .await
        .is(201);
    // What a client says to be beyond the picture is drawn at its end.
    let page = browser.get(DIFFS).await.is(200).text();
    assert!(page.contains("<circle cx=\"100.00%\" cy=\"10.00%\""), "{page}");

    // It stays while the picture does.
    let text = json!([{"action": "update", "file_path": "notes.txt", "content": "b\n"}]);
    act(&t, &project, text, None).await;
    t.settle().await;
    assert_eq!(markers(&browser.get(DIFFS).await.is(200).text()), 1);
    let actions = json!([{"action": "update", "file_path": "plan.png", "content": OTHER,
        "encoding": "base64"}]);
    act(&t, &project, actions, None).await;
    t.settle().await;

    let page = browser.get(DIFFS).await.is(200).text();
    assert_eq!(markers(&page), 0);
    assert!(
        page.contains("By a client") && page.contains("A point of the picture"),
        "{page}"
    );
}

#[testkit::story]
async fn what_is_no_point_of_a_picture_is_refused(t: TestServer) {
    let (project, smith, browser) = drawn(&t).await;
    let comments = format!("{DIFFS}/comments");
    for wrong in [
        ["41", "1", "40", "30"],
        ["1", "31", "40", "30"],
        ["1", "", "40", "30"],
        ["1", "1", "", "30"],
        ["1.5", "1", "40", "30"],
        ["-1", "1", "40", "30"],
        ["0", "0", "0", "0"],
        ["99999999999999999999", "1", "40", "30"],
    ] {
        let fields = form(&browser, PLAN, "Typed text", point(wrong)).await;
        let refused = browser.post(&comments, &sent(&fields)).await.is(422);
        // What was typed comes back.
        let page = refused.text();
        assert!(page.contains("The point is not on the picture."), "{wrong:?}: {page}");
        assert!(page.contains("Typed text"), "{wrong:?}: {page}");
        assert_eq!(refused.hidden("x").as_deref(), Some(wrong[0]));
    }
    let mut fields = form(&browser, PLAN, "On a text", point(["1", "1", "40", "30"])).await;
    fields[0].1 = NOTES.to_owned();
    let refused = browser.post(&comments, &sent(&fields)).await.is(422).text();
    assert!(refused.contains("Only pictures have points."), "{refused}");
    browser.post(&format!("{DIFFS}/drafts"), &sent(&fields)).await.is(422);
    // Texts offer no point.
    let text = browser.get(&format!("{DIFFS}?comment={NOTES}")).await.is(200).text();
    assert!(!text.contains("data-point>"), "{text}");
    let all = smith.get(project.at("/merge_requests/1/discussions")).await.is(200).json();
    assert_eq!(all, json!([]));
}
