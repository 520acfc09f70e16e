//! Files.

use super::{developer, with_files};
use testkit::TestServer;

#[testkit::story]
async fn a_file_is_shown_as_what_it_is(t: TestServer) {
    let big = vec![b'x'; 6 * 1024 * 1024];
    let (project, git) = with_files(
        &t,
        &[
            ("src/main.rs", b"fn main() { // <x>\r\n    print(\"a\");\r\n}\r\n"),
            ("latin.txt", b"f\xfcr"),
            ("wide.txt", b"\xff\xfef\0\xfc\0"),
            ("pixels.png", b"\x89PNG\0\0"),
            ("drawing.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
            ("film.mp4", b"\0\0"),
            ("paper.pdf", b"%PDF-1.4\0"),
            ("data.bin", b"\0\x01"),
            ("empty", b""),
            ("big.txt", &big),
            ("guide.md", b"# Guide\n\n[b](b.md)\n"),
        ],
    )
    .await;
    let browser = developer(&t, &project).await;
    let at = |path: &str| format!("/acme/anvil/-/blob/main/{path}");

    let code = browser.get(&at("src/main.rs")).await.is(200).text();
    assert!(code.contains("<div id=\"L2\"><a href=\"#L2\" aria-label=\"2\""), "{code}");
    assert!(code.contains("<span class=\"hl-comment\">// &lt;x&gt;</span>"), "{code}");
    assert!(code.contains("3 lines") && !code.contains("id=\"L4\""));
    let id = git.id("one", "main").await;
    for link in [
        "/-/raw/main/src/main.rs\"".to_owned(),
        "/-/raw/main/src/main.rs?inline=false\"".to_owned(),
        "/-/blame/main/src/main.rs\"".to_owned(),
        "/-/commits/main/src/main.rs\"".to_owned(),
        "/-/edit/main/src/main.rs\"".to_owned(),
        format!("/-/blob/{id}/src/main.rs\""),
        format!("/-/commit/{id}\""),
    ] {
        assert!(code.contains(&format!("href=\"/acme/anvil{link}")), "{link}: {code}");
    }
    for (path, text) in [
        ("latin.txt", "<code>für"),
        ("wide.txt", "<code>fü\n"),
        ("pixels.png", "<img src=\"/acme/anvil/-/raw/main/pixels.png\""),
        ("drawing.svg", "<img src=\"/acme/anvil/-/raw/main/drawing.svg\""),
        ("drawing.svg?plain=1", "id=\"L1\""),
        ("film.mp4", "<video src=\"/acme/anvil/-/raw/main/film.mp4\""),
        ("paper.pdf", "A document"),
        ("data.bin", "A binary file"),
        ("empty", "An empty file"),
        ("big.txt", "too large to be shown"),
        ("guide.md", "href=\"/acme/anvil/-/blob/main/b.md\""),
        ("guide.md?plain=1", "<div id=\"L1\""),
    ] {
        let page = browser.get(&at(path)).await.is(200).text();
        assert!(page.contains(text), "{path}: {page}");
    }
    let guide = browser.get(&at("guide.md")).await.text();
    assert!(guide.contains("user-content-guide") && !guide.contains("id=\"L1\""));
}
