//! The page to try queries on, and the schema as a file.

use crate::graphql::refusal;
use testkit::Reply;

const PAGE: &str = "/-/graphql-explorer";
const SCHEMA: &str = "/api/graphql/schema.graphql";

/// What follows `name="` wherever it stands.
fn values<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!("{name}=\"");
    let rests = text.split(&start).skip(1);
    rests.filter_map(|rest| rest.split('"').next()).collect()
}

/// The page's policy allows what carries this nonce, and no more.
fn nonce(page: &Reply) -> String {
    let policy = page.header("content-security-policy").to_owned();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'nonce-"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!policy.contains("https:"), "{policy}");
    let start = policy.find("'nonce-").expect("a nonce") + 7;
    policy[start..start + 32].to_owned()
}

#[testkit::story]
async fn strangers_and_users_see_the_explorer(t: testkit::TestServer) {
    t.user("jane").await;
    let (stranger, jane) = (t.new_browser(), t.browser("jane").await);

    let shown = stranger.get(PAGE).await.is(200);
    let page = shown.text();
    assert!(page.contains("Sign in</a>"));
    assert_eq!(values(&page, "data-csrf"), [""]);
    let own = jane.get(PAGE).await.is(200);
    assert!(own.text().contains("Signed in as @jane"));
    assert!(
        values(&own.text(), "data-csrf")[0].len() > 20,
        "mutations need it"
    );
    assert_ne!(nonce(&shown), nonce(&own), "every page has its own");
    assert!(
        stranger
            .get("/")
            .await
            .text()
            .contains("href=\"/-/graphql-explorer\"")
    );
}

#[testkit::story]
async fn every_script_is_pinned_by_its_digest(t: testkit::TestServer) {
    let shown = t.new_browser().get(PAGE).await.is(200);
    let page = shown.text();
    let nonce = nonce(&shown);
    let tags: Vec<&str> = page
        .split('<')
        .filter(|tag| tag.starts_with("script") || tag.contains("rel=\"stylesheet\""))
        .collect();
    assert_eq!(tags.len(), 6);
    for tag in tags {
        assert_eq!(values(tag, "nonce"), [nonce.as_str()], "{tag}");
        let address = [values(tag, "src"), values(tag, "href")].concat();
        if address[0].starts_with("/-/assets/") {
            continue;
        }
        assert!(address[0].starts_with("https://"), "{tag}");
        assert!(values(tag, "integrity")[0].starts_with("sha384-"), "{tag}");
        assert_eq!(values(tag, "crossorigin"), ["anonymous"], "{tag}");
    }
    for name in ["graphiql-4.1.2.js", "..%2f..%2fetc%2fpasswd", "x"] {
        let asked = t.anonymous().at(format!("{PAGE}/assets/{name}")).await;
        assert_eq!(
            asked.status, 404,
            "no folder is named, so there are no files here"
        );
    }
}

#[testkit::story]
async fn the_schema_is_a_file_to_download(t: testkit::TestServer) {
    let nobody = t.anonymous();
    let whole = nobody.at(SCHEMA).await.is(200);
    assert_eq!(whole.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(whole.header("access-control-allow-origin"), "*");
    assert!(
        whole
            .text()
            .starts_with("schema {\n  query: Query\n  mutation: Mutation\n}")
    );
    assert!(whole.text().contains("@deprecated(reason:"));
    assert!(whole.text().contains("directive @cost(constant: Int"));

    let tag = whole.header("etag").to_owned();
    let again = nobody
        .request(http::Method::GET, SCHEMA)
        .header("if-none-match", &tag);
    let again = again.await.is(304);
    assert!(again.body.is_empty());
    assert_eq!(again.header("etag"), tag);

    let left = nobody
        .at(format!("{SCHEMA}?remove_deprecated=true"))
        .await
        .is(200);
    assert!(
        !left.text().contains("@deprecated("),
        "marked members are gone"
    );
    assert_ne!(left.header("etag"), tag);
    let below = nobody.at("/api/graphql/schema.json").await;
    assert_eq!(refusal(&below), (404, "Not found!".into()));
}
