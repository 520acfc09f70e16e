//! What nobody means well.

use super::{developer, with_files};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use testkit::TestServer;

#[testkit::story]
async fn names_of_any_kind_are_shown_and_led_to(t: TestServer) {
    let (project, git) = with_files(
        &t,
        &[
            ("<script>alert(1)<script>", b"a"),
            ("two\nlines", b"b"),
            ("a b#c?d%e&f\"g", b"c"),
        ],
    )
    .await;
    let name = git.at("one").join(OsStr::from_bytes(b"latin-\xfc.txt"));
    std::fs::write(name, "latin\n").expect("a file");
    super::push(&git, "<img src=x onerror=alert(1)>").await;
    let browser = developer(&t, &project).await;
    let page = browser.get("/acme/anvil/-/tree/main").await.is(200).text();
    assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{page}");
    for (address, content) in [
        ("%3Cscript%3Ealert(1)%3Cscript%3E", "<code>a"),
        ("two%0Alines", "<code>b"),
        ("a%20b%23c%3Fd%25e&f%22g", "<code>c"),
        ("latin-%EF%BF%BD.txt", "<code>latin"),
    ] {
        let escaped = address.replace('&', "&#38;");
        let link = format!("href=\"/acme/anvil/-/blob/main/{escaped}\"");
        assert!(page.contains(&link), "{link}: {page}");
        let file = browser.get(&format!("/acme/anvil/-/blob/main/{address}")).await.is(200).text();
        assert!(file.contains(content) && !file.contains("<script>alert"), "{address}: {file}");
        browser.get(&format!("/acme/anvil/-/raw/main/{address}")).await.is(200);
    }
}

#[testkit::story]
async fn what_is_long_or_deep_stays_bounded(t: TestServer) {
    let line = format!("var a=\"{}\";", "<x>&".repeat(1_000_000));
    let many = "\n".repeat(60_000);
    let deep = format!("{}f.txt", "d/".repeat(400));
    let (project, git) = with_files(
        &t,
        &[
            ("one-line.min.js", line.as_bytes()),
            ("many.txt", many.as_bytes()),
            (deep.as_str(), b"deep"),
        ],
    )
    .await;
    let branch = format!("x/{}", "b".repeat(240));
    git.run_in("one", &["push", "--quiet", "origin", &format!("main:refs/heads/{branch}")])
        .await
        .done();
    let browser = developer(&t, &project).await;
    let page = browser.get("/acme/anvil/-/blob/main/one-line.min.js").await.is(200);
    assert!(page.body.len() < 4 * line.len() && page.text().contains("class=\"source wraps\""));
    let page = browser.get("/acme/anvil/-/blob/main/many.txt").await.is(200).text();
    assert!(page.contains("too large to be shown"));
    let page = browser.get(&format!("/acme/anvil/-/blob/main/{deep}")).await.is(200);
    assert!(page.body.len() < 200_000 && page.text().contains("<code>deep"));
    browser.get(&format!("/acme/anvil/-/tree/{branch}/d/d")).await.is(200);
    browser
        .get(&format!("/acme/anvil/-/find_file/{branch}?search=f.txt"))
        .await
        .is(200);
    for nowhere in [
        format!("tree/{}", "x/".repeat(3000)),
        format!("blob/main/{}", "x".repeat(5000)),
        "tree/main/..%2f..%2fetc".to_owned(),
        "blob/main/a%00b".to_owned(),
        "tree/--upload-pack=x".to_owned(),
        "tree/main@%7B1%7D".to_owned(),
    ] {
        let reply = browser.get(&format!("/acme/anvil/-/{nowhere}")).await;
        assert!([400, 404, 414].contains(&reply.status), "{nowhere}: {}", reply.status);
    }
}
