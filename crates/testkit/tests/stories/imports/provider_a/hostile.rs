//! Servers that are away, answer nonsense, or want more than they may.

use super::double::Fault;
use super::{Story, each, somebody, told};
use serde_json::{Value, json};
use testkit::TestServer;

const LABELS: &str = "/repos/acme/source/labels";

fn labels(names: &[&str]) -> Value {
    let label = |name: &&str| json!({"name": name, "color": "00ff00"});
    Value::Array(names.iter().map(label).collect())
}

#[testkit::story(noon)]
async fn a_list_that_goes_on_elsewhere_ends_the_import(t: TestServer) {
    let story = Story::begin(&t).await;
    for (name, next) in [
        ("one", "http://127.0.0.2:1/repos/acme/source/labels?page=2"),
        ("two", "file:///etc/passwd"),
    ] {
        let headers = vec![("link", format!("<{next}>; rel=\"next\""))];
        let body = labels(&["bug"]).to_string();
        story.double.faults(LABELS, [Fault { status: 200, headers, body }]);
        let project = story.import(&t, json!({"new_name": name})).await;

        let import = told(&story.jane, &project).await;
        assert_eq!(import["import_status"], "failed", "{import}");
        assert_eq!(import["import_error"], "Invalid pagination URL");
        assert!(each(&story.jane, &format!("{project}/labels"), "name").await.is_empty());
    }
}

#[testkit::story(noon)]
async fn a_list_that_leads_to_itself_ends_the_import(t: TestServer) {
    let story = Story::begin(&t).await;
    let again = format!("{}{LABELS}?per_page=100&page=2", story.double.url);
    let link = format!("<{again}>; rel=\"next\"");
    let body = labels(&["bug"]).to_string();
    let fault = || Fault {
        status: 200,
        headers: vec![("link", link.clone())],
        body: body.clone(),
    };
    story.double.faults(LABELS, [fault(), fault(), fault(), fault()]);
    let project = story.import(&t, json!({})).await;

    let import = told(&story.jane, &project).await;
    assert_eq!(import["import_status"], "failed", "{import}");
    assert_eq!(import["import_error"], "Invalid pagination URL");
}

#[testkit::story(noon)]
async fn pages_in_the_place_of_json_end_the_import(t: TestServer) {
    let story = Story::begin(&t).await;
    let body = "<html>Down for maintenance</html>".to_owned();
    story.double.faults(LABELS, [Fault { body, ..Fault::of(200) }]);
    let project = story.import(&t, json!({})).await;

    let import = told(&story.jane, &project).await;
    assert_eq!(import["import_status"], "failed", "{import}");
    assert_eq!(import["import_error"], "Response is not valid JSON");
    let row = t.app().read(|tx| {
        let sealed = store::sql!("select sealed_credentials from imports");
        Ok(tx.one::<(Option<String>,)>(sealed, ())?)
    });
    assert_eq!(row.await.expect("an import"), (None,), "the token is erased");
}

#[testkit::story(noon)]
async fn an_answer_that_is_too_large_ends_the_import(t: TestServer) {
    let story = Story::begin(&t).await;
    let body = format!("[{}]", " ".repeat(51 * 1024 * 1024));
    story.double.faults(LABELS, [Fault { body, ..Fault::of(200) }]);
    let project = story.import(&t, json!({})).await;

    let import = told(&story.jane, &project).await;
    assert_eq!(import["import_status"], "failed", "{import}");
    assert_eq!(import["import_error"], "The response is too large");
}

#[testkit::story(noon)]
async fn a_server_that_leads_elsewhere_is_not_followed_with_the_token(t: TestServer) {
    let story = Story::begin(&t).await;
    let headers = vec![("location", format!("{}/api/v4/version", t.url()))];
    story.double.faults(LABELS, [Fault { headers, ..Fault::of(302) }]);
    let project = story.import(&t, json!({})).await;

    let import = told(&story.jane, &project).await;
    assert_eq!(import["import_status"], "failed", "{import}");
    assert_eq!(import["import_error"], "The server redirects to another one.");
}

#[testkit::story(noon)]
async fn things_of_another_form_are_lost_alone(t: TestServer) {
    let story = Story::begin(&t).await;
    let mut list = labels(&["bug", "feature"]);
    let broken = json!([{"name": ["x"], "color": "00ff00"}, {"id": 5}, null, 7, "text"]);
    let all = list.as_array_mut().expect("a list");
    all.extend(broken.as_array().expect("a list").iter().cloned());
    story.double.of_repository("labels", list);
    let at = "2019-05-01T10:00:00Z";
    let issue = json!({"number": 1, "title": "Zero\u{0} here", "body": "<script>x</script>\u{0}",
        "state": "open", "user": somebody(21, "ada"), "created_at": at, "updated_at": at});
    let wrong = json!({"number": "two", "title": "No", "state": "open"});
    story.double.of_repository("issues", json!([issue, wrong]));
    let project = story.import(&t, json!({})).await;

    let import = told(&story.jane, &project).await;
    assert_eq!(import["import_status"], "finished", "{import}");
    let failed = import["failed_relations"].as_array().expect("a list");
    assert!(!failed.is_empty(), "{import}");
    let names = each(&story.jane, &format!("{project}/labels"), "name").await;
    assert_eq!(names, ["bug", "feature"]);
    assert_eq!(each(&story.jane, &format!("{project}/issues"), "iid").await, [json!(1)]);
}

#[testkit::story(noon)]
async fn a_server_that_fails_is_asked_again(t: TestServer) {
    let story = Story::begin(&t).await;
    story.double.of_repository("labels", labels(&["bug"]));
    story.double.faults(LABELS, [Fault::of(502), Fault::of(500)]);
    let project = story.import(&t, json!({})).await;
    assert_eq!(told(&story.jane, &project).await["import_status"], "started");
    for _ in 0..2 {
        t.advance(60);
        t.settle().await;
    }
    assert_eq!(told(&story.jane, &project).await["import_status"], "finished");
    let names = each(&story.jane, &format!("{project}/labels"), "name").await;
    assert_eq!(names, ["bug"]);
}

#[testkit::story(noon)]
async fn what_upstream_allows_is_kept_to(t: TestServer) {
    let story = Story::begin(&t).await;
    story.double.of_repository("labels", labels(&["bug"]));
    let pause = Fault {
        headers: vec![("retry-after", "90".into())],
        ..Fault::of(429)
    };
    story.double.faults(LABELS, [pause]);
    let project = story.import(&t, json!({})).await;
    assert_eq!(told(&story.jane, &project).await["import_status"], "started");
    let count = |asked: Vec<String>| asked.iter().filter(|url| url.starts_with(LABELS)).count();
    assert_eq!(count(story.double.asked()), 1);
    t.advance(60);
    t.settle().await;
    assert_eq!(count(story.double.asked()), 0, "it was asked to wait");

    // Little is left from then on: everybody with this token waits until it is whole again.
    let reset = t.now().as_second() + 600;
    let low = [("x-ratelimit-remaining", "49".into()), ("x-ratelimit-reset", reset.to_string())];
    story.double.says(&low);
    t.advance(31);
    t.settle().await;
    assert_eq!(story.double.asked().len(), 1);
    assert_eq!(told(&story.jane, &project).await["import_status"], "started");
    let again = story.jane.post("/import/provider_a").json(&story.body(&json!({}))).await;
    assert_eq!(again.is(429).json()["message"], "Too Many Requests");
    assert_eq!(story.double.asked(), Vec::<String>::new());
    story.double.says(&[]);
    t.advance(600);
    t.settle().await;
    assert_eq!(told(&story.jane, &project).await["import_status"], "finished");
}

#[testkit::story(noon)]
async fn a_token_that_ends_meanwhile_ends_the_import(t: TestServer) {
    let story = Story::begin(&t).await;
    let token = story.double.token.clone();
    let body = json!({"message": format!("{token} was revoked")}).to_string();
    story.double.faults(LABELS, [Fault { body, ..Fault::of(401) }]);
    let project = story.import(&t, json!({})).await;

    let import = told(&story.jane, &project).await;
    assert_eq!(import["import_status"], "failed", "{import}");
    let error = import["import_error"].as_str().expect("a text");
    assert!(error.contains("***** was revoked") && !error.contains(&token), "{error}");
}
