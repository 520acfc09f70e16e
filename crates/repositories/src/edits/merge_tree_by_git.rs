//! What a merge of trees makes is what git makes of commits with these trees.

use super::*;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::process::{Command, Output};

/// Mode and content of each file, by its name.
type Files = BTreeMap<&'static str, (&'static str, String)>;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// Of a plain file, of a program, and of a symbolic link.
const MODES: [&str; 3] = ["100644", "100755", "120000"];

/// What a side does to one of its files.
#[derive(Debug, Clone, Copy)]
enum Change {
    Write(usize),
    Mode,
    Rename(usize),
    Delete,
    Add(usize),
}

fn git(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("git");
    for name in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{name}_NAME"), "x")
            .env(format!("GIT_{name}_EMAIL"), "x");
    }
    command
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(args);
    command.output().expect("git on the path")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn tree(objects: &Path, files: &Files) -> ObjectId {
    let mut data = Vec::new();
    for (name, (mode, content)) in files {
        let blob = write(objects, Kind::Blob, content.as_bytes()).expect("a blob");
        data.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        data.extend_from_slice(&blob.bytes());
    }
    write(objects, Kind::Tree, &data).expect("a tree")
}

fn commit(folder: &Path, tree: ObjectId, parent: Option<&str>) -> String {
    let tree = tree.to_string();
    let mut args = vec!["commit-tree", &tree, "-m", "x"];
    args.extend(parent.iter().flat_map(|parent| ["-p", *parent]));
    said(&git(folder, &args))
}

/// Lines that no other file has, so that it is known again by another name.
fn text(name: &str) -> String {
    (0..6).map(|line| format!("{name} {line}\n")).collect()
}

/// Few short texts, and a side with few files.
fn files() -> impl Strategy<Value = Files> {
    let short = vec("[xyz]\n", 0..5).prop_map(|lines| lines.concat());
    let short = btree_map(0..NAMES.len(), short, 0..4).prop_map(|files| {
        let file = |(at, text): (usize, String)| (NAMES[at], (MODES[0], text));
        files.into_iter().map(file).collect::<Files>()
    });
    let long = vec(any::<bool>(), NAMES.len()).prop_map(|there| {
        let names = NAMES.into_iter().zip(there).filter(|(_, is_there)| *is_there);
        names.map(|(name, _)| (name, (MODES[0], text(name)))).collect::<Files>()
    });
    prop_oneof![short, long]
}

fn changes() -> impl Strategy<Value = Vec<(usize, Change)>> {
    let change = prop_oneof![
        (0..8usize).prop_map(Change::Write),
        Just(Change::Mode),
        (0..4usize).prop_map(Change::Rename),
        Just(Change::Delete),
        (0..4usize).prop_map(Change::Add),
    ];
    vec((0..4usize, change), 0..4)
}

/// What the changes make of files, each counted off among those that are there.
fn changed(files: &Files, changes: &[(usize, Change)]) -> Files {
    let mut files = files.clone();
    for (at, change) in changes {
        if let Change::Add(name) = change {
            files.insert(NAMES[*name], (MODES[0], text("new")));
            continue;
        }
        let Some(name) = files.keys().nth(at % files.len().max(1)).copied() else {
            continue;
        };
        let (mode, content) = files.remove(name).unwrap_or_default();
        let next = MODES.iter().position(|one| *one == mode).unwrap_or_default() + 1;
        match change {
            Change::Write(line) => files.insert(name, (mode, rewritten(&content, *line))),
            Change::Mode => files.insert(name, (MODES[next % MODES.len()], content)),
            Change::Rename(to) => files.insert(NAMES[*to], (mode, content)),
            Change::Delete | Change::Add(_) => None,
        };
    }
    files
}

fn rewritten(content: &str, line: usize) -> String {
    let mut lines: Vec<&str> = content.lines().collect();
    let word = ["one", "two", "three"][line % 3];
    match lines.len() {
        0 => lines.push(word),
        count => lines[line % count] = word,
    }
    lines.join("\n") + "\n"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 2))]

    #[test]
    fn trees_merge_as_git_merges_commits(
        base in files(), one in changes(), other in changes(), apart in option::of(files())
    ) {
        let one = changed(&base, &one);
        // The other side may have files of its own.
        let other = apart.unwrap_or_else(|| changed(&base, &other));
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        said(&git(folder, &["init", "--quiet", "--bare", "."]));
        let objects = folder.join("objects");
        let [from, ours, theirs] = [&base, &one, &other].map(|files| tree(&objects, files));
        let parent = commit(folder, from, None);
        let sides = [ours, theirs].map(|tree| commit(folder, tree, Some(&parent)));
        let asked = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
        let both = sides.each_ref().map(String::as_str);
        let by_git = git(folder, &[&asked[..], &both[..]].concat());
        let (expected, names) = read(&by_git.stdout).expect("a tree");
        let stand_ins = stand_ins(&objects, Some(from), [Some(ours), Some(theirs)]);
        let sides = stand_ins.expect("commits").map(|id| id.to_string());
        let asked = ["-c", RENAMES, "merge-tree", "--write-tree", "-z", "--name-only"];
        let rest = ["--allow-unrelated-histories", "--messages", &sides[0], &sides[1]];
        let made = git(folder, &[&asked[..], &rest[..]].concat());
        let (tree, conflicts) = read(&made.stdout).expect("a tree");
        prop_assert_eq!(made.status.success(), by_git.status.success());
        // A side is named by its commit where a file of it stands beside another one.
        let name = |path: &str| path.split('~').next().unwrap_or_default().to_owned();
        let paths = |all: &Conflicts| -> Vec<String> {
            all.files.iter().map(|one| name(&one.path)).collect()
        };
        prop_assert_eq!(paths(&conflicts), paths(&names));
        prop_assert!(conflicts.files.iter().all(|one| one.kind != ConflictKind::Other));
        if made.status.success() {
            prop_assert_eq!(tree, expected);
        }
        // What merges need not be asked for: only one side changed.
        if ours == from {
            prop_assert_eq!(tree, theirs);
        }
    }
}
