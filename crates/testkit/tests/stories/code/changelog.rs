//! What changed in a version, as trailers of commits say it.

use serde_json::json;
use testkit::{Git, TestServer};

#[testkit::story(noon)]
async fn what_changed_is_told_and_written(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["tag", "v1.0.0"]).await.done();
    let commit = async |message: &str| {
        let args = ["commit", "--quiet", "--allow-empty", "--message", message];
        git.run_in("one", &args).await.done();
        git.id("one", "HEAD").await
    };
    let horn = commit("Add a horn\n\nChangelog: added").await;
    commit("Polish it").await;
    let face = commit("Mend the face\n\nChangelog: fixed").await;
    let gone = commit("Add a wheel\n\nChangelog: added").await;
    commit(&format!("Revert \"Add a wheel\"\n\nThis reverts commit {gone}.")).await;
    git.run_in("one", &["push", "--quiet", "origin", "main", "v1.0.0"]).await.done();
    let at = project.at("/repository/changelog");
    let told = t
        .admin()
        .get(format!("{at}?version=1.1.0&date=2031-01-02"))
        .await
        .is(200)
        .json();
    let expected = format!(
        "## 1.1.0 (2031-01-02)\n\n### fixed (1 change)\n\n- [Mend the face](acme/anvil@{face})\n\n\
         ### added (1 change)\n\n- [Add a horn](acme/anvil@{horn})\n"
    );
    assert_eq!(told, json!({"notes": expected}));
    let other = t.admin().get(format!("{at}?version=1.1.0&trailer=Other")).await.is(200).text();
    assert!(other.contains("No changes."), "{other}");
    let until = t.admin().get(format!("{at}?version=1.1.0&from=v1.0.0&to={horn}")).await.is(200);
    assert!(until.text().contains("Add a horn") && !until.text().contains("Mend"));

    let body = json!({"version": "1.1.0", "date": "2031-01-02"});
    t.admin().post(&at).json(&body).await.is(200);
    let file = project.at("/repository/files/CHANGELOG.md/raw");
    assert_eq!(t.admin().get(&file).await.is(200).text(), expected);
    t.advance(60);
    let body =
        json!({"version": "1.0.5", "from": "v1.0.0", "message": "Tell", "date": "2031-01-01"});
    t.admin().post(&at).json(&body).await.is(200);
    let text = t.admin().get(&file).await.is(200).text();
    assert!(
        text.starts_with("## 1.1.0") && text.contains("\n\n## 1.0.5 (2031-01-01)"),
        "{text}"
    );
    let newest = t.admin().get(project.at("/repository/commits/main")).await.is(200).json();
    assert_eq!(newest["title"], "Tell");

    let failed = "Failed to generate the changelog: ";
    let said = t.admin().get(format!("{at}?version=0.1.0")).await.is(422).json();
    let said = said["message"].as_str().unwrap_or_default().to_owned();
    assert!(said.starts_with(failed) && said.contains("no previous tag"), "{said}");
    t.admin().get(format!("{at}?version=1.1.0&from=nowhere")).await.is(422);
    t.admin().get(format!("{at}?version=one")).await.is(400);
    t.admin().get(&at).await.is(400);
    let (dev, olga) = (t.user("dev").await, t.user("olga").await);
    project.add(&dev, 30).await;
    let said = dev.post(&at).json(&json!({"version": "1.2.0"})).await.is(403).text();
    assert!(
        said.contains("You are not allowed to commit a changelog on this branch"),
        "{said}"
    );
    olga.get(format!("{at}?version=1.1.0")).await.is(404);
    for _ in 0..4 {
        dev.get(format!("{at}?version=1.1.0")).await.is(200);
    }
    let said = dev.get(format!("{at}?version=1.1.0")).await.is(429).json();
    let text = "This changelog has been requested too many times. Try again later.";
    assert_eq!(said, json!({"message": {"error": text}}));
}

#[testkit::story(noon)]
async fn a_project_says_how_its_changelogs_are_written(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["tag", "rel-1.0.0"]).await.done();
    let config = "date_format: '%d.%m.%Y'\ncategories:\n  added: New things\n\
                  tag_regex: '^rel-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$'\n";
    git.commit("one", ".gitlab/changelog_config.yml", config).await;
    let args = ["commit", "--quiet", "--allow-empty", "-m", "Add a horn\n\nChangelog: added"];
    git.run_in("one", &args).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main", "rel-1.0.0"])
        .await
        .done();
    let at = project.at("/repository/changelog?version=1.1.0&date=2031-01-02");
    let notes = async |more: &str| {
        let told = t.admin().get(format!("{at}{more}")).await.is(200).json();
        told["notes"].as_str().unwrap_or_default().to_owned()
    };
    let told = notes("").await;
    assert!(told.starts_with("## 1.1.0 (02.01.2031)\n\n### New things (1 change)"), "{told}");

    // Ours comes before that of the vendor, and one that is named before both.
    git.commit("one", ".service/changelog_config.yml", "categories: {added: Ours}\n")
        .await;
    git.commit("one", "docs/log.yml", "categories: {added: Named}\n").await;
    git.commit("one", "bad.yml", "tag_regex: '('\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let from = "&from=rel-1.0.0";
    assert!(notes(from).await.contains("### Ours (1 change)"));
    t.advance(60);
    let named = notes(&format!("{from}&config_file=docs/log.yml")).await;
    assert!(named.contains("### Named (1 change)"), "{named}");
    let older = git.id("one", "main~3").await;
    let before = notes(&format!("{from}&config_file_ref={older}")).await;
    assert!(before.contains("### New things (1 change)"), "{before}");
    let failed = "Failed to generate the changelog: ";
    for (more, text) in [
        ("&config_file=gone.yml", "there is no file gone.yml"),
        ("&config_file=bad.yml", "the configuration's tag_regex is invalid"),
        ("&config_file=../x", "the file has no good path"),
    ] {
        let said = t.admin().get(format!("{at}{from}{more}")).await.is(422).json();
        assert_eq!(said["message"], format!("{failed}{text}"));
        t.advance(60);
    }
}
