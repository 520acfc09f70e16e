//! Repositories come by git, with all that leads to their commits. Elsewhere is another project
//! of the same server.

use imports::git::{Clone, lfs, repository, wiki};
use imports::model::Kind;
use imports::run::{Credentials, Import, Trouble};
use serde_json::{Value, json};
use testkit::service::near;
use testkit::{Git, TestProject, TestServer};

const HEADS: &[(&str, &str)] = &[("refs/merge-requests/*/head", "refs/merge-requests/*/head")];

/// A project, and where its code comes from.
struct Pair {
    project: TestProject,
    source: TestProject,
    /// A clone of the second is in its folder `one`.
    git: Git,
    import: Import,
}

impl Pair {
    async fn begin(t: &TestServer) -> Pair {
        near(t).await;
        let (project, source) = (t.project("acme/anvil").await, t.project("acme/source").await);
        let git = Git::of(&t.admin());
        git.begin("one", "acme/source").await;
        let import = super::import(t, &project, json!({})).await;
        Pair { project, source, git, import }
    }

    async fn push(&self, refs: &[&str]) {
        let args = [&["push", "--quiet", "--force", "origin"], refs].concat();
        self.git.run_in("one", &args).await.done();
    }

    /// The refs of a repository, and what they stand for.
    async fn refs(&self, path: &str) -> Vec<(String, String)> {
        let told = self.git.run(&["ls-remote", "--refs", &self.git.url(path)]).await.done();
        let lines = told.said.lines().filter_map(|line| line.split_once('\t'));
        let own = lines.filter(|(_, name)| !name.ends_with("/merge"));
        own.map(|(id, name)| (name.to_owned(), id.to_owned())).collect()
    }

    async fn names(&self, path: &str) -> Vec<String> {
        self.refs(path).await.into_iter().map(|(name, _)| name).collect()
    }
}

/// Where a repository of the same server is, as root has it.
fn from(t: &TestServer, path: &str, head: Option<&str>) -> Clone {
    let secret = t.admin().token().expect("a token").to_owned();
    Clone {
        url: format!("{}/{path}.git", t.url()),
        credentials: Credentials { username: None, secret },
        default_branch: head.map(str::to_owned),
        refs: HEADS,
    }
}

#[testkit::story(noon)]
async fn a_repository_comes_whole_and_again_what_is_new(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.git.run_in("one", &["tag", "--annotate", "-m", "one", "v1"]).await.done();
    pair.push(&["main", "main:refs/heads/trunk", "v1"]).await;
    pair.git.run_in("one", &["checkout", "--quiet", "-b", "horn"]).await.done();
    pair.git.commit("one", "horn.txt", "long\n").await;
    pair.push(&["horn"]).await;
    let request = json!({"source_branch": "horn", "target_branch": "main", "title": "A horn"});
    t.admin().post(pair.source.at("/merge_requests")).json(&request).await.is(201);
    t.settle().await;

    let source = from(&t, "acme/source", Some("trunk"));
    repository(t.app(), &pair.import, &source).await.expect("it comes");
    t.settle().await;
    assert_eq!(pair.refs("acme/anvil").await, pair.refs("acme/source").await);
    let names = pair.names("acme/anvil").await;
    assert!(names.contains(&"refs/merge-requests/1/head".to_owned()), "{names:?}");
    let shown = t.admin().get(pair.project.at("")).await.is(200).json();
    assert_eq!(shown["default_branch"], "trunk", "as it is there");
    let rules = t.admin().get(pair.project.at("/protected_branches")).await.is(200);
    assert_eq!(rules.each("name"), [json!("trunk")], "it is protected as a first branch");
    let events = t.admin().get(pair.project.at("/events?action=pushed")).await.is(200);
    assert!(events.each("id").is_empty(), "nobody is told");
    let pipelines = t.admin().get(pair.project.at("/pipelines")).await.is(200);
    assert!(pipelines.each("id").is_empty());

    pair.git.commit("one", "horn.txt", "longer\n").await;
    pair.push(&["horn", "horn:refs/heads/more"]).await;
    t.settle().await;
    for _ in 0..2 {
        repository(t.app(), &pair.import, &source).await.expect("it comes again");
    }
    assert_eq!(pair.refs("acme/anvil").await, pair.refs("acme/source").await);
    let shown = t.admin().get(pair.project.at("")).await.is(200).json();
    assert_eq!(shown["default_branch"], "trunk", "HEAD stays");
}

#[testkit::story(noon)]
async fn a_repository_without_any_branch_is_fine(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let source = from(&t, "acme/source", None);
    repository(t.app(), &pair.import, &source).await.expect("there is nothing");
    assert!(pair.refs("acme/anvil").await.is_empty());
}

#[testkit::story(noon)]
async fn what_does_not_come_says_why_and_nothing_secret(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let good = from(&t, "acme/source", None);
    let with = |secret: &str| Credentials { username: Some("ada".into()), secret: secret.into() };
    let strange = Clone { credentials: with("hunter2-hunter2"), ..good.clone() };
    let nobody = Clone { credentials: with(""), ..good.clone() };
    let nowhere = from(&t, "acme/nowhere", None);
    let (scheme, host) = good.url.split_once("://").expect("an address");
    let told = Clone { url: format!("{scheme}://ada:pass@{host}"), ..good.clone() };
    let file = Clone { url: "file:///srv/code.git".into(), ..good.clone() };
    for from in [&strange, &nobody, &nowhere, &told, &file] {
        match repository(t.app(), &pair.import, from).await {
            Err(Trouble::Refused(text)) => {
                assert!(text.starts_with("Failed to import the repository: "), "{text}");
                assert!(!text.contains("hunter2") && !text.contains("pass@"), "{text}");
            }
            other => panic!("{}: {other:?}", from.url),
        }
    }
    wiki(t.app(), &pair.import, &nowhere).await.expect("a wiki need not be there");

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let away = Clone {
        url: format!("http://127.0.0.1:{port}/a.git"),
        ..good.clone()
    };
    for came in [
        repository(t.app(), &pair.import, &away).await,
        wiki(t.app(), &pair.import, &away).await,
    ] {
        assert!(matches!(came, Err(Trouble::Away(_))), "{came:?}");
    }
    assert!(pair.refs("acme/anvil").await.is_empty());
}

#[testkit::story(noon)]
async fn what_is_near_is_not_fetched_from_unless_that_is_allowed(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let none = json!({"outbound_local_requests_allowlist": []});
    t.admin().put("/application/settings").json(&none).await.is(200);
    match repository(t.app(), &pair.import, &from(&t, "acme/source", None)).await {
        Err(Trouble::Refused(text)) => assert!(text.contains("are not allowed"), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[testkit::story(noon)]
async fn a_wiki_comes_with_its_pages(t: TestServer) {
    let pair = Pair::begin(&t).await;
    for (title, content) in [("home", "Welcome"), ("Horn", "It is long.")] {
        let page = json!({"title": title, "content": content});
        t.admin().post(pair.source.at("/wikis")).json(&page).await.is(201);
    }

    let source = Clone { refs: &[], ..from(&t, "acme/source.wiki", None) };
    wiki(t.app(), &pair.import, &source).await.expect("it comes");
    t.settle().await;
    let here = t.admin().get(pair.project.at("/wikis")).await.is(200);
    let there = t.admin().get(pair.source.at("/wikis")).await.is(200);
    assert_eq!(here.each("slug"), there.each("slug"));
    let page = t.admin().get(pair.project.at("/wikis/Horn")).await.is(200).json();
    assert_eq!(page["content"], "It is long.");
    let events = t.admin().get(pair.project.at("/events")).await.is(200);
    let of_wiki = |kind: &Value| kind.as_str().is_some_and(|kind| kind.contains("Wiki"));
    assert!(!events.each("target_type").iter().any(of_wiki), "nobody is told");
}

#[testkit::story(noon)]
async fn large_files_come_part_by_part(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let content = "a large file\n".repeat(20);
    crate::lfs::send(&t, &t.admin(), "acme/source", &content).await;
    let (oid, size) = (testkit::sha256(&content), content.len());
    let pointer =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n");
    pair.git.commit("one", "horn.psd", &pointer).await;
    pair.push(&["main"]).await;
    let source = from(&t, "acme/source", None);
    repository(t.app(), &pair.import, &source).await.expect("it comes");

    let page = lfs(t.app(), &pair.import, &source, None).await.expect("they come");
    assert_eq!((page.brought, page.next), (vec![(Kind::LfsObject, 1)], None));
    assert!(page.lost.is_empty() && page.objects.is_empty());
    let raw = pair.project.at("/repository/files/horn.psd/raw?ref=main&lfs=true");
    assert_eq!(t.admin().get(raw).await.is(200).text(), content);
    let again = lfs(t.app(), &pair.import, &source, None).await.expect("nothing is left");
    assert_eq!(again.brought, [(Kind::LfsObject, 0)]);

    // What the server lost is told by its name.
    let none = json!({"lfs_enabled": false});
    t.admin().put(pair.source.at("")).json(&none).await.is(200);
    pair.git.commit("one", "more.psd", &pointer.replace(&oid[..4], "0123")).await;
    pair.push(&["main"]).await;
    repository(t.app(), &pair.import, &source).await.expect("it comes");
    let page = lfs(t.app(), &pair.import, &source, None).await.expect("it is told");
    let lost: Vec<(&str, &str)> =
        page.lost.iter().map(|one| (one.key.as_str(), one.reason.as_str())).collect();
    let other = format!("0123{}", &oid[4..]);
    assert_eq!(lost, [(other.as_str(), "the server answered 404")]);
    assert_eq!(page.brought, [(Kind::LfsObject, 0)]);
}
