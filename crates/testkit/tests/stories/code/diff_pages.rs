//! What differs, as pages show it.

use super::{check, maintained, push};
use testkit::{Browser, Git, TestServer};

/// The page of the last commit.
async fn last(git: &Git, browser: &Browser, query: &str) -> String {
    let id = git.id("one", "HEAD").await;
    browser.get(&format!("/acme/anvil/-/commit/{id}{query}")).await.is(200).text()
}

/// SHA-1 of `notes.txt`, by which others lead to the file.
const NOTES: &str = "83348d283c1ba0b3b4d55fdc04c39a165b933125";

#[testkit::story]
async fn lines_are_led_to_and_words_are_marked(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    git.commit("one", "notes.txt", "# Anvil\n\nIt is heavy & <b>.\n").await;
    git.commit("one", "notes.txt", "# Anvil\n\nIt is light & <b>.\n\tmore\n").await;
    push(&git).await;

    let page = last(&git, &jane, "").await;

    check(
        &page,
        &[
            &format!("<article class=\"diff-file\" id=\"{NOTES}\""),
            &format!("href=\"#{NOTES}_3_3\" aria-label=\"Removed line 3\""),
            "It is <mark>heavy</mark> &amp; &lt;b&gt;.",
            "It is <mark>light</mark> &amp; &lt;b&gt;.",
            "1 changed file",
            "role=\"region\" aria-label=\"Changes of notes.txt\" tabindex=\"0\"",
        ],
        &["class=\"pair\"", "<b>."],
    );
    let beside = last(&git, &jane, "?view=parallel").await;
    check(&beside, &["class=\"pair\"", "class=\"none\"", "?view=parallel&#38;w=1"], &[]);
}

#[testkit::story]
async fn words_have_colours_and_lines_around_them_are_shown(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let text = |word: &str| {
        let line = |at: usize| format!("let line_{at} = \"<{at}>\";\n");
        let lines = (1..=30).map(line).collect::<String>();
        lines.replace("let line_15", &format!("{word} line_15"))
    };
    git.commit("one", "main.rs", &text("let")).await;
    git.commit("one", "main.rs", &text("const")).await;
    push(&git).await;
    let id = git.id("one", "HEAD").await;

    let page = last(&git, &jane, "").await;

    let lines_at = format!("/acme/anvil/-/diff_lines/{id}/main.rs");
    check(
        &page,
        &[
            &format!("data-lines=\"{lines_at}\""),
            "data-from=\"1\" data-to=\"11\" data-shift=\"0\">Show 11 more lines</a>",
            "data-from=\"19\" data-shift=\"0\">Show more lines</a>",
            "?path=main.rs&amp;context=full#",
        ],
        &["line_30"],
    );
    let whole = last(&git, &jane, "?path=main.rs&context=full").await;
    check(&whole, &["line_30", "data-o=\"1\" data-n=\"1\""], &["class=\"gap\""]);
    let file = "0123456789012345678901234567890123456789";
    let lines = format!("{lines_at}?from=19&to=20&shift=-1&id={file}");
    let more = jane.get(&lines).await.is(200).text();
    check(
        &more,
        &[
            &format!("id=\"{file}_18_19\""),
            &format!("id=\"{file}_19_20\""),
            "data-o=\"18\" data-n=\"19\"",
            "&lt;19&gt;",
        ],
        &["line_21", "<!doctype"],
    );
    let beside = jane.get(&format!("{lines}&view=parallel")).await.is(200).text();
    assert_eq!(beside.matches("class=\"pair\"").count(), 2);
    for (asked, status) in [
        (format!("{lines_at}?from=0&to=2&id={file}"), 400),
        (format!("{lines_at}?from=1&to=2&shift=-5&id={file}"), 400),
        (format!("{lines_at}?from=1&to=2&id=%22x"), 404),
        (format!("{lines_at}.gone?from=1&to=2&id={file}"), 404),
    ] {
        jane.get(&asked).await.is(status);
    }
    assert_eq!(
        jane.get(&format!("{lines_at}?from=99&to=100&id={file}")).await.is(200).text(),
        ""
    );
}

#[testkit::story]
async fn changes_of_white_space_are_left_out(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    git.commit("one", "a.txt", "one two\n").await;
    git.commit("one", "b.txt", "one two\n").await;
    std::fs::write(git.at("one/a.txt"), "one  two\n").unwrap();
    git.commit("one", "b.txt", "one  two\nthree\n").await;
    git.run_in("one", &["commit", "--quiet", "--all", "--amend", "--message", "Space"])
        .await
        .done();
    push(&git).await;

    let (whole, narrow) = (last(&git, &jane, "").await, last(&git, &jane, "?w=1").await);

    check(&whole, &["2 changed files", ">a.txt</a>", "Hide white space changes"], &[]);
    check(
        &narrow,
        &["1 changed file", ">b.txt</a>", "three"],
        &[">a.txt</a>", "class=\"del\""],
    );
}

#[testkit::story]
async fn what_is_no_text_is_told(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let id = git.id("one", "main~1").await;
    let page = jane.get(&format!("/acme/anvil/-/commit/{id}")).await.is(200).text();
    check(
        &page,
        &[
            "A binary file: its changes cannot be shown.",
            "Moved without changes.",
            "from src/horn.txt",
            "100644 → 100755",
            "A submodule, set from <code>nothing</code> to <code>11111111</code>",
        ],
        &[],
    );
    for bytes in [&b"\x89PNG\0one"[..], b"\x89PNG\0two"] {
        std::fs::write(git.at("one/logo.png"), bytes).unwrap();
        git.run_in("one", &["add", "logo.png"]).await.done();
        git.run_in("one", &["commit", "--quiet", "--message", "Draw"]).await.done();
    }
    std::fs::write(git.at("one/empty"), "").unwrap();
    git.run_in("one", &["add", "empty"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--amend", "--message", "Draw"])
        .await
        .done();
    push(&git).await;
    let (new, old) = (git.id("one", "HEAD").await, git.id("one", "HEAD~1").await);
    let page = last(&git, &jane, "").await;
    check(
        &page,
        &[
            &format!("<img src=\"/acme/anvil/-/raw/{old}/logo.png\""),
            &format!("<img src=\"/acme/anvil/-/raw/{new}/logo.png\""),
            "An empty file.",
        ],
        &[],
    );
}

#[testkit::story]
async fn what_is_long_or_made_by_programs_is_folded(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    git.run_in("one", &["checkout", "--quiet", "main"]).await.done();
    let long: String = (0..2000).map(|line| format!("a line {line} of many\n")).collect();
    std::fs::write(git.at("one/long.txt"), &long).unwrap();
    std::fs::write(git.at("one/made.txt"), "made\n").unwrap();
    std::fs::write(git.at("one/huge.txt"), "x".repeat(300_000)).unwrap();
    std::fs::write(git.at("one/Cargo.lock"), "[[package]]\n").unwrap();
    let attributes = "made.* linguist-generated\n";
    git.commit("one", ".gitattributes", attributes).await;
    git.run_in("one", &["add", "."]).await.done();
    git.run_in("one", &["commit", "--quiet", "--amend", "--message", "Much"])
        .await
        .done();
    push(&git).await;

    let page = last(&git, &jane, "").await;

    check(
        &page,
        &[
            "Its changes are folded to keep the page short. <a href=",
            "?path=long.txt#",
            "?path=made.txt#",
            "?path=Cargo.lock#",
            "too large to be shown",
            "+2000",
        ],
        &["a line 7 of many", "[[package]]"],
    );
    let alone = last(&git, &jane, "?path=long.txt").await;
    check(&alone, &["a line 1999 of many", "1 changed file", "All files"], &["made.txt"]);
    check(&last(&git, &jane, "?path=made.txt").await, &["made\n</code>"], &[]);
    check(&last(&git, &jane, "?path=nothing").await, &["Nothing differs"], &[]);
    let id = git.id("one", "HEAD").await;
    let wrong = format!("/acme/anvil/-/commit/{id}?path=../x");
    jane.get(&wrong).await.is(404);
}

#[testkit::story]
async fn a_large_difference_is_a_small_page(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    git.run_in("one", &["checkout", "--quiet", "main"]).await.done();
    let lines = "<\n".repeat(100_000);
    std::fs::write(git.at("one/lines"), &lines).unwrap();
    std::fs::write(git.at("one/short"), "&\n".repeat(60_000)).unwrap();
    for file in 0..1100 {
        let path = git.at("one").join(format!("many/{file}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "a\nb\n".repeat(30)).unwrap();
    }
    git.run_in("one", &["add", "."]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Much"]).await.done();
    push(&git).await;

    let page = last(&git, &jane, "?view=parallel").await;

    check(
        &page,
        &["1000+ changed files", "There are more files than are shown here."],
        &[],
    );
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    let alone = last(&git, &jane, "?path=short").await;
    check(&alone, &["The rest of its changes is left out."], &[]);
    assert!(alone.len() < 4_000_000, "{} bytes", alone.len());
}

#[testkit::story]
async fn two_revisions_are_compared_on_a_page(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let form = jane.get("/acme/anvil/-/compare").await.is(200).text();
    check(&form, &["name=\"from\"", "value=\"main\"", "<option value=\"ahead\">"], &[]);
    let led = jane.get("/acme/anvil/-/compare?from=side&to=ahead").await.is(302);
    assert_eq!(led.header("location"), "/acme/anvil/-/compare/side...ahead");
    let straight = jane.get("/acme/anvil/-/compare?from=side&to=ahead&straight=1").await.is(302);
    assert_eq!(straight.header("location"), "/acme/anvil/-/compare/side..ahead");

    let page = jane
        .get("/acme/anvil/-/compare/side...ahead?view=parallel")
        .await
        .is(200)
        .text();

    let id = git.id("one", "ahead").await;
    check(
        &page,
        &[
            &format!("href=\"/acme/anvil/-/commit/{id}\""),
            "docs/more.md",
            "/acme/anvil/-/compare/ahead...side",
            "class=\"pair\"",
        ],
        &[],
    );
    let back = jane.get("/acme/anvil/-/compare/ahead...side").await.is(200).text();
    check(&back, &["No new commits", "Nothing differs"], &[]);
    let straight = jane.get("/acme/anvil/-/compare/ahead..side").await.is(200).text();
    check(&straight, &["No new commits", "docs/more.md"], &[]);
    let same = jane.get("/acme/anvil/-/compare/main...main").await.is(200).text();
    check(&same, &["Nothing differs"], &[]);
    for missing in ["main...nothing", "main...HEAD~1", "--output=x...main", "main...@%7B-1%7D"] {
        let page = jane.get(&format!("/acme/anvil/-/compare/{missing}")).await.is(404).text();
        check(&page, &["There is no branch, tag or commit"], &[]);
    }
    jane.get("/acme/anvil/-/compare?from=a..b&to=main").await.is(422);
}
