//! What nobody means well.

use serde_json::json;
use testkit::Client;

/// Names that are no refs: options, what git would calculate, and more than fits.
fn names() -> Vec<String> {
    let texts = ["--upload-pack=x", "-x", "@{-1}", "main@{1}", "main^{tree}", "a..b..c", "%00"];
    let mut names: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    names.extend(["x".repeat(300), "x".repeat(5000)]);
    names
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'%' => "%".to_owned(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[testkit::story]
async fn names_that_are_none_are_refused(t: testkit::TestServer) {
    let (project, _) = super::history(&t).await;
    for name in names() {
        let name = encoded(&name);
        for path in [
            format!("branches/{name}"),
            format!("tags/{name}"),
            format!("commits/{name}"),
            format!("commits/{name}/diff"),
            format!("tree?ref={name}"),
            format!("files/README.md?ref={name}"),
            format!("files/README.md/raw?ref={name}"),
            format!("files/README.md/blame?ref={name}"),
            format!("blobs/{name}"),
            format!("archive?sha={name}"),
            format!("compare?from={name}&to=main"),
            format!("contributors?ref={name}"),
            format!("merge_base?refs[]={name}&refs[]=main"),
        ] {
            let reply = t.admin().get(project.at(&format!("/repository/{path}"))).await;
            assert!([400, 404].contains(&reply.status), "{reply:?}");
        }
    }
    let refused = t.admin().get(project.at("/repository/commits?ref_name=--all")).await.is(400);
    assert_eq!(refused.json()["message"], "ref_name is invalid");
    let nothing = t.admin().get(project.at("/repository/commits?ref_name=%40%7B-1%7D"));
    assert_eq!(nothing.await.is(200).json(), serde_json::json!([]));
    let author = t.admin().get(project.at("/repository/commits?author=(a%2B)%2B$")).await.is(200);
    assert_eq!(author.json(), serde_json::json!([]));
}

#[testkit::story]
async fn paths_that_lead_elsewhere_are_refused(t: testkit::TestServer) {
    let (project, _) = super::history(&t).await;
    let long = "x".repeat(5000);
    for path in ["..", "../../etc/passwd", "src/../README.md", "a%00b", &long] {
        let path = encoded(path);
        for asked in [
            format!("files/{path}?ref=main"),
            format!("files/{path}/blame?ref=main"),
            format!("tree?path={path}"),
            format!("commits?path={path}"),
            format!("archive?path={path}"),
            format!("archive.zip?exclude_paths={path}"),
        ] {
            let reply = t.admin().get(project.at(&format!("/repository/{asked}"))).await;
            assert!([400, 404].contains(&reply.status), "{reply:?}");
        }
        let body = json!({"branch": "main", "commit_message": "x", "content": "x"});
        let file = project.at(&format!("/repository/files/{path}"));
        let submodule = project.at(&format!("/repository/submodules/{path}"));
        let set = json!({"branch": "main", "commit_sha": "1".repeat(40)});
        for reply in [
            t.admin().post(&file).json(&body).await,
            t.admin().put(&file).json(&body).await,
            t.admin().delete(&file).json(&body).await,
            t.admin().put(submodule).json(&set).await,
        ] {
            // A lone `..` is no part of an address.
            assert!([400, 404].contains(&reply.status), "{reply:?}");
        }
    }
}

#[testkit::story]
async fn small_trees_below_each_other_are_not_gone_through(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    // Ten folders in ten folders, six deep: a million entries of seven objects.
    let mut tree = git.id("one", "main:docs").await;
    for _ in 0..6 {
        let rows: String = (0..10).map(|n| format!("040000 tree {tree}\tn{n}\n")).collect();
        std::fs::write(git.at("one").join("rows"), rows).unwrap();
        let made = ["-c", "alias.made=!git mktree <rows", "made"];
        tree = git.run_in("one", &made).await.done().last_line().to_owned();
    }
    let commit = git.run_in("one", &["commit-tree", &tree, "-m", "bomb"]).await.done();
    let to = format!("{}:refs/heads/bomb", commit.last_line());
    git.run_in("one", &["push", "--quiet", "origin", &to]).await.done();
    let path = project.at("/repository/tree?ref=bomb&recursive=true");
    t.admin().get(path).await.is(400);
    t.admin().get(project.at("/repository/tree?ref=bomb")).await.is(200);
}

#[testkit::story]
async fn code_is_for_who_may_read_it(t: testkit::TestServer) {
    let (project, _) = super::history(&t).await;
    let guest = t.user("greta").await;
    project.add(&guest, 10).await;
    let reader = t.user("rita").await;
    project.add(&reader, 20).await;
    let outsider = t.user("otto").await;
    let scoped = t.token_of(reader.id, &["read_repository"]).await;
    let other = t.token_of(reader.id, &["read_user"]).await;
    for path in ["branches", "commits", "tree", "files/README.md/raw", "archive.zip"] {
        let at = project.at(&format!("/repository/{path}"));
        guest.get(&at).await.is(403);
        reader.get(&at).await.is(200);
        scoped.get(&at).await.is(200);
        other.get(&at).await.is(403);
        outsider.get(&at).await.is(404);
        Client::nobody(t.admin().server()).get(&at).await.is(404);
    }
}
