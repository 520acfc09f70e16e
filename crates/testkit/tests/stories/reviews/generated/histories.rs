//! Merges come out as `git merge-tree` says, renames, modes and several merge bases included.

use super::{Files, LINK, PLAIN, PROGRAM, Stream, repository, samples};
use crate::reviews::forge;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use repositories::edits::merges::{Merged, Merger};
use repositories::formats::object_id::ObjectId;
use serde_json::json;
use testkit::{Git, TestProject, TestServer};

/// Histories that are pushed at once, and those of them that become merge requests.
const AT_ONCE: usize = 16;
const REQUESTS: usize = 3;

/// Where files are put. What is a file on one side may be a folder on the other.
const PATHS: [&str; 8] = ["a", "b", "c", "d", "d/a", "d/b", "e/a", "e/b"];

/// What happens to a file, which is counted off among those that are there.
#[derive(Debug, Clone)]
struct Step {
    file: usize,
    /// A line of it, or a path.
    place: usize,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    /// A line becomes one of few others.
    Write(u8),
    Insert(u8),
    Cut,
    Delete,
    Add,
    Rename,
    /// All files of a folder go to another one.
    Move,
    /// It becomes a program, or none.
    Mode,
    Link,
}

/// Two sides that begin at the same files, each with the steps of its commits.
#[derive(Debug, Clone)]
struct History {
    files: Vec<usize>,
    sides: [Vec<Vec<Step>>; 2],
    /// Each side knows the first commit of the other: there are two merge bases.
    crosses: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let what = prop_oneof![
        3 => (0..4u8).prop_map(What::Write),
        2 => (0..4u8).prop_map(What::Insert),
        2 => Just(What::Cut),
        1 => Just(What::Delete),
        1 => Just(What::Add),
        3 => Just(What::Rename),
        1 => Just(What::Move),
        2 => Just(What::Mode),
        1 => Just(What::Link),
    ];
    (0..8usize, 0..32usize, what).prop_map(|(file, place, what)| Step { file, place, what })
}

fn history() -> impl Strategy<Value = History> {
    let side = || vec(vec(step(), 1..4), 1..4);
    (vec(0..PATHS.len(), 1..6), side(), side(), any::<bool>()).prop_map(
        |(files, ours, theirs, crosses)| History { files, sides: [ours, theirs], crosses },
    )
}

/// Lines that no other path has, so that a file is known again elsewhere.
fn text(path: &str) -> String {
    (0..8).map(|line| format!("{path} {line}\n")).collect()
}

/// Puts a file where it fits: there is no folder of its name, and no file above it.
fn put(files: &mut Files, path: &str, file: (&'static str, String)) {
    let is_apart = |other: &str| {
        !other.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{other}/"))
    };
    files.retain(|other, _| is_apart(other));
    files.insert(path.to_owned(), file);
}

fn apply(files: &mut Files, step: &Step) {
    let path = PATHS[step.place % PATHS.len()];
    if matches!(step.what, What::Add) {
        return put(files, path, (PLAIN, text(path)));
    }
    let Some(name) = files.keys().nth(step.file % files.len().max(1)).cloned() else {
        return;
    };
    let Some((mode, content)) = files.get(&name).cloned() else {
        return;
    };
    match step.what {
        What::Delete => drop(files.remove(&name)),
        What::Rename => {
            files.remove(&name);
            put(files, path, (mode, content));
        }
        What::Move => moved(files),
        What::Link => drop(files.insert(name, (LINK, path.to_owned()))),
        What::Mode if mode == LINK => {}
        What::Mode => {
            let mode = if mode == PLAIN { PROGRAM } else { PLAIN };
            files.insert(name, (mode, content));
        }
        _ if mode == LINK => {}
        _ => drop(files.insert(name, (mode, edited(&content, step)))),
    }
}

fn moved(files: &mut Files) {
    let names: Vec<String> = files.keys().filter(|name| name.starts_with("d/")).cloned().collect();
    for name in names {
        if let Some(file) = files.remove(&name) {
            files.insert(name.replacen("d/", "f/", 1), file);
        }
    }
}

fn edited(content: &str, step: &Step) -> String {
    let mut lines: Vec<String> = content.lines().map(str::to_owned).collect();
    let at = step.place % (lines.len() + 1);
    match step.what {
        What::Insert(word) => lines.insert(at, format!("word {word}")),
        What::Write(word) if at < lines.len() => lines[at] = format!("word {word}"),
        What::Cut if at < lines.len() => drop(lines.remove(at)),
        _ => {}
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

impl History {
    /// Commits both sides to branches of these names.
    fn write(&self, stream: &mut Stream, names: [&str; 2]) {
        let mut base = Files::new();
        for at in &self.files {
            put(&mut base, PATHS[*at], (PLAIN, text(PATHS[*at])));
        }
        let root = stream.commit(names[0], &[], &base);
        let mut firsts = [root; 2];
        let mut ends = [(root, base.clone()), (root, base)];
        for (nth, name) in names.into_iter().enumerate() {
            let (parent, files) = &mut ends[nth];
            for (at, steps) in self.sides[nth].iter().enumerate() {
                steps.iter().for_each(|step| apply(files, step));
                *parent = stream.commit(name, &[*parent], files);
                if at == 0 {
                    firsts[nth] = *parent;
                }
            }
        }
        if self.crosses {
            for (nth, name) in names.into_iter().enumerate() {
                let (parent, files) = &mut ends[nth];
                // What came from the other side is left out, and then something happens.
                let merge = stream.commit(name, &[*parent, firsts[1 - nth]], files);
                let last = Step { file: nth, place: nth, what: What::Insert(7) };
                apply(files, &last);
                *parent = stream.commit(name, &[merge], files);
            }
        }
    }
}

/// What git makes of two commits: the tree, and the files in conflict if there are any.
struct Outcome {
    heads: [String; 2],
    is_clean: bool,
    tree: String,
    names: Vec<String>,
}

async fn merged_by_git(git: &Git, target: &str, source: &str) -> Outcome {
    let heads = [git.id("one", target).await, git.id("one", source).await];
    let args = ["merge-tree", "--write-tree", "--name-only", "--no-messages"];
    let args = [&args[..], &[heads[0].as_str(), heads[1].as_str()]].concat();
    let ran = git.run_in("one", &args).await;
    let mut lines = ran.said.lines().filter(|line| !line.is_empty()).map(str::to_owned);
    let tree = lines.next().expect("a tree");
    Outcome { is_clean: ran.succeeded, tree, names: lines.collect(), heads }
}

/// What is made of them here.
async fn merged(t: &TestServer, repository: i64, heads: &[String; 2]) -> Merged {
    let heads = heads.each_ref().map(|id| id.parse::<ObjectId>().expect("an id"));
    let merger = Merger::begin(t.app(), repository).await.expect("a seat");
    merger.commits(t.app(), heads).await.expect("git answers")
}

#[testkit::story]
async fn merges_come_out_as_git_makes_them(t: TestServer) {
    let project = forge(&t).await;
    let repository = repository(&t, &project).await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/forge").await;
    for (round, histories) in samples(&history(), 4).chunks(AT_ONCE).enumerate() {
        let mut stream = Stream::default();
        let name = |side: &str, nth: usize| format!("{side}{round}-{nth}");
        for (nth, history) in histories.iter().enumerate() {
            history.write(&mut stream, [&name("t", nth), &name("s", nth)]);
        }
        stream.import(&git, "one").await;
        let [targets, sources] = ["t", "s"].map(|side| {
            let all = format!("refs/heads/{side}{round}-*");
            format!("{all}:{all}")
        });
        git.run_in("one", &["push", "--quiet", "origin", &targets, &sources])
            .await
            .done();
        for (nth, history) in histories.iter().enumerate() {
            let expected = merged_by_git(&git, &name("t", nth), &name("s", nth)).await;
            match merged(&t, repository.id, &expected.heads).await {
                Merged::Clean(tree) => {
                    assert!(expected.is_clean, "{:?} of {history:#?}", expected.names);
                    assert_eq!(tree.to_string(), expected.tree, "{history:#?}");
                }
                Merged::Conflicts(found) => {
                    let names: Vec<&str> =
                        found.files.iter().map(|file| file.path.as_str()).collect();
                    assert!(!expected.is_clean && !found.has_more, "{names:?} of {history:#?}");
                    assert_eq!(names, expected.names, "{history:#?}");
                }
            }
            if round == 0 && nth < REQUESTS {
                let branches = [name("t", nth), name("s", nth)];
                is_told(&t, &project, &git, (branches, expected)).await;
            }
        }
    }
}

/// The same of a merge request of these branches.
async fn is_told(
    t: &TestServer, project: &TestProject, git: &Git,
    ([target, source], expected): ([String; 2], Outcome),
) {
    let body = json!({"title": source, "source_branch": source, "target_branch": target});
    let made = t.admin().post(project.at("/merge_requests")).json(&body).await.is(201).json();
    t.settle().await;
    let iid = made["iid"].as_i64().expect("a number");
    let one = project.at(&format!("/merge_requests/{iid}"));
    let shown = t.admin().get(&one).await.is(200).json();
    let status = if expected.is_clean { "mergeable" } else { "conflict" };
    assert_eq!(shown["detailed_merge_status"], status, "{shown}");
    if !expected.is_clean {
        let page = format!("/acme/forge/-/merge_requests/{iid}/merge_box");
        let page = t.anonymous().at(page).await.is(200).text();
        for name in expected.names.iter().take(5) {
            assert!(page.contains(&format!("<code>{name}</code>")), "{name}: {page}");
        }
        return;
    }
    let merge = format!("refs/merge-requests/{iid}/merge");
    git.run_in("one", &["fetch", "--quiet", "origin", &merge]).await.done();
    assert_eq!(git.id("one", "FETCH_HEAD^{tree}").await, expected.tree, "{shown}");
    t.admin().put(format!("{one}/merge")).await.is(200);
    git.run_in("one", &["fetch", "--quiet", "origin", &target]).await.done();
    assert_eq!(git.id("one", "FETCH_HEAD^{tree}").await, expected.tree, "{shown}");
}
