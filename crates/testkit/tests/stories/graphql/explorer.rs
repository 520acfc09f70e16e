//! The page to try queries on, and the schema as a file.

use crate::graphql::refusal;

const PAGE: &str = "/-/graphql-explorer";
const SCHEMA: &str = "/api/graphql/schema.graphql";

/// What follows `name="` wherever it stands.
fn values<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!("{name}=\"");
    let rests = text.split(&start).skip(1);
    rests.filter_map(|rest| rest.split('"').next()).collect()
}

#[testkit::story]
async fn strangers_and_users_see_the_explorer(t: testkit::TestServer) {
    t.user("jane").await;
    let (stranger, jane) = (t.new_browser(), t.browser("jane").await);

    let page = stranger.get(PAGE).await.is(200).text();
    assert!(page.contains("Sign in</a> to see more"));
    assert_eq!(values(&page, "data-csrf"), [""]);
    let own = jane.get(PAGE).await.is(200).text();
    assert!(!own.contains("to see more"));
    assert!(values(&own, "data-csrf")[0].len() > 20, "mutations need it");
    assert!(stranger.get("/").await.text().contains("href=\"/-/graphql-explorer\""));
}

#[testkit::story]
async fn the_explorer_works_without_a_network(t: testkit::TestServer) {
    let shown = t.new_browser().get(PAGE).await.is(200);
    let policy = shown.header("content-security-policy").to_owned();
    assert!(policy.starts_with("default-src 'self'; "), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("://"), "{policy}");
    let page = shown.text();
    for address in [values(&page, "src"), values(&page, "href"), values(&page, "action")].concat() {
        let own = address.starts_with('/') && !address.starts_with("//");
        assert!(own || address.starts_with('#'), "{address}");
    }
    for script in values(&page, "src") {
        t.new_browser().get(script).await.is(200);
    }
    // Without JavaScript the form leads to the answer.
    let form = "query=%7Becho(text%3A%22a%22)%7D&variables=&operationName=";
    let answer = t.anonymous().request(http::Method::POST, "/api/graphql").form(form);
    let answer = answer.await.is(200);
    assert_eq!(answer.json()["data"]["echo"], "nil says: a");
    for name in ["graphiql-4.1.2.js", "..%2f..%2fetc%2fpasswd", "x"] {
        let asked = t.anonymous().at(format!("{PAGE}/assets/{name}")).await;
        assert_eq!(asked.status, 404, "no folder is named, so there are no files here");
    }
}

#[testkit::story]
async fn the_schema_is_a_file_to_download(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let whole = nobody.at(SCHEMA).await.is(200);
    assert_eq!(whole.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(whole.header("access-control-allow-origin"), "*");
    assert!(whole.text().starts_with("schema {\n  query: Query\n  mutation: Mutation\n}"));
    assert!(whole.text().contains("@deprecated(reason:"));
    assert!(whole.text().contains("directive @cost(constant: Int"));

    let tag = whole.header("etag").to_owned();
    let again = nobody.request(http::Method::GET, SCHEMA).header("if-none-match", &tag);
    let again = again.await.is(304);
    assert!(again.body.is_empty());
    assert_eq!(again.header("etag"), tag);

    let left = nobody.at(format!("{SCHEMA}?remove_deprecated=true")).await.is(200);
    assert!(!left.text().contains("@deprecated("), "marked members are gone");
    assert_ne!(left.header("etag"), tag);
    let below = nobody.at("/api/graphql/schema.json").await;
    assert_eq!(refusal(&below), (404, "Not found!".into()));
}
