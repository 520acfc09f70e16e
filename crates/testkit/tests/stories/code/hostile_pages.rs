//! What nobody means well, on pages.

use super::{check, maintained, push};
use testkit::TestServer;

#[testkit::story]
async fn what_others_wrote_is_text(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let message = "</title><script>alert(1)</script> \u{202e}txet\n\n<img src=x> \u{2066}";
    git.commit("one", "<b>\u{202e}.md", "<script>\u{202e}\n").await;
    let author = "\u{202e}Eve & \"Co\" <e\"&x@x>";
    let amend = ["commit", "--quiet", "--amend", "--message", message, "--author", author];
    git.run_in("one", &amend).await.done();
    git.run_in("one", &["branch", "a\"'><b>"]).await.done();
    git.run_in("one", &["tag", "--annotate", "t\"><b>", "--message", message])
        .await
        .done();
    push(&git).await;
    let id = git.id("one", "HEAD").await;
    let base = "/acme/anvil/-";
    for page in [
        format!("{base}/commit/{id}"),
        format!("{base}/commit/{id}?view=parallel&path=%3Cb%3E%E2%80%AE.md&old_path=%22%3E%3Cb%3E"),
        format!("{base}/commits/ahead"),
        format!("{base}/commits/ahead?search=%22%3E%3Cb%3E&author=%3Ci%3E"),
        format!("{base}/compare/main...ahead"),
        format!("{base}/branches?search=%22%3E"),
        format!("{base}/branches"),
        format!("{base}/tags"),
        format!("{base}/tags/t%22%3E%3Cb%3E"),
        format!("{base}/network/ahead?all=1"),
        format!("{base}/graphs/ahead"),
        format!("{base}/commits/ahead?format=atom"),
    ] {
        let text = jane.get(&page).await.is(200).text();
        check(
            &text,
            &[],
            &["<script>alert", "<b>", "<i>", "<img src=x", "\u{202e}", "\u{2066}"],
        );
    }
}

#[testkit::story]
async fn a_ref_that_went_is_not_found(t: TestServer) {
    let (project, git, jane) = maintained(&t).await;
    let id = git.id("one", "ahead").await;
    jane.get("/acme/anvil/-/commits/ahead").await.is(200);
    t.admin().delete(project.at("/repository/branches/ahead")).await.is(204);
    for page in ["commits/ahead", "network/ahead", "graphs/ahead", "compare/main...ahead"] {
        jane.get(&format!("/acme/anvil/-/{page}")).await.is(404);
    }
    jane.get(&format!("/acme/anvil/-/commit/{id}")).await.is(200);
    jane.get(&format!("/acme/anvil/-/compare/main...{id}")).await.is(200);
}
