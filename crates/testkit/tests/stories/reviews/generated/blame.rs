//! Lines that threads stand on are followed through edits to where `git blame` finds them.

use super::{Files, PLAIN, Stream, repository, samples};
use crate::reviews::forge;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use reviews::positions::{Followed, Kind, Line, Paths, Position, Shas, Spot, follow};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use testkit::{Git, TestServer};

/// Files that are changed by the same commits, and pushes that change them.
const AT_ONCE: usize = 8;
const PUSHES: usize = 5;
/// Lines that a file has at least: so it is known again where it is renamed.
const FEWEST: usize = 8;

#[derive(Debug, Clone, Copy)]
enum Edit {
    Insert {
        at: usize,
        count: usize,
    },
    Delete {
        at: usize,
        count: usize,
    },
    Change {
        at: usize,
    },
    Move {
        from: usize,
        count: usize,
        to: usize,
    },
    /// The same lines once more.
    Repeat {
        from: usize,
        count: usize,
        to: usize,
    },
}

/// What a push does to a file.
#[derive(Debug, Clone)]
enum Push {
    Edits(Vec<Edit>),
    /// Along with the change of a line.
    Rename(usize),
}

/// A file, and what becomes of it.
#[derive(Debug, Clone)]
struct Tale {
    /// The target branch has it, and the merge request begins with these changes of it.
    begins: Option<Vec<Edit>>,
    lines: usize,
    pushes: Vec<Push>,
}

impl Tale {
    /// Its lines stay in their order, and the file where it is: what became of them does not
    /// depend on what was pushed between.
    fn is_plain(&self) -> bool {
        let is_plain = |edit: &Edit| !matches!(edit, Edit::Move { .. } | Edit::Repeat { .. });
        self.pushes.iter().all(|push| match push {
            Push::Edits(edits) => edits.iter().all(is_plain),
            Push::Rename(_) => false,
        })
    }
}

fn plain_edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0..40usize, 1..4usize).prop_map(|(at, count)| Edit::Insert { at, count }),
        (0..40usize, 1..4usize).prop_map(|(at, count)| Edit::Delete { at, count }),
        (0..40usize).prop_map(|at| Edit::Change { at }),
    ]
}

fn edit(repeats: bool) -> impl Strategy<Value = Edit> {
    let block = (0..40usize, 1..5usize, 0..40usize);
    let other = block.prop_map(move |(from, count, to)| match repeats && from % 2 == 0 {
        true => Edit::Repeat { from, count, to },
        false => Edit::Move { from, count, to },
    });
    prop_oneof![3 => plain_edit(), 1 => other]
}

fn tale(repeats: bool) -> impl Strategy<Value = Tale> {
    // Where many lines are alike, files are, too: which one was renamed would not be known.
    let renames = move |at| match repeats {
        true => Push::Edits(vec![Edit::Change { at }]),
        false => Push::Rename(at),
    };
    let any_push = prop_oneof![
        4 => vec(edit(repeats), 0..3).prop_map(Push::Edits),
        1 => (0..40usize).prop_map(renames),
    ];
    // Half of them have no moves and no renames.
    let pushes = prop_oneof![
        vec(vec(plain_edit(), 0..3).prop_map(Push::Edits), PUSHES),
        vec(any_push, PUSHES),
    ];
    let begins = (any::<bool>(), vec(plain_edit(), 1..3));
    (begins, FEWEST..24usize, pushes).prop_map(move |((is_there, edits), lines, pushes)| Tale {
        begins: (is_there && !repeats).then_some(edits),
        lines,
        pushes,
    })
}

/// Writes lines: each another one, or of few kinds.
struct Pen {
    file: usize,
    count: usize,
    repeats: bool,
}

impl Pen {
    fn line(&mut self) -> String {
        self.count += 1;
        let (file, count) = (self.file, self.count);
        match self.repeats {
            true => ["a", "b", "}"][count * count % 7 % 3].to_owned(),
            false => format!("{file} {count}"),
        }
    }

    fn edit(&mut self, lines: &mut Vec<String>, edit: Edit) {
        match edit {
            Edit::Insert { at, count } => {
                let at = at % (lines.len() + 1);
                let new: Vec<String> = (0..count).map(|_| self.line()).collect();
                drop(lines.splice(at..at, new));
            }
            Edit::Delete { count, .. } if lines.len() < FEWEST + count => {}
            Edit::Delete { at, count } => {
                let range = block(lines, at, count);
                lines.drain(range);
            }
            Edit::Change { at } => {
                let at = at % lines.len();
                lines[at] = self.line();
            }
            Edit::Move { from, count, to } => {
                let range = block(lines, from, count);
                let moved: Vec<String> = lines.drain(range).collect();
                let to = to % (lines.len() + 1);
                drop(lines.splice(to..to, moved));
            }
            Edit::Repeat { from, count, to } => {
                let range = block(lines, from, count);
                let again = lines[range].to_vec();
                let to = to % (lines.len() + 1);
                drop(lines.splice(to..to, again));
            }
        }
    }
}

/// So many lines from about here on.
fn block(lines: &[String], at: usize, count: usize) -> Range<usize> {
    let at = at % (lines.len() - count + 1);
    at..at + count
}

/// Where a file is, and its lines; none where it is not.
type State = Option<(String, Vec<String>)>;

/// A file before the merge request, in its first version, and after each push.
fn states(tale: &Tale, file: usize, repeats: bool) -> Vec<State> {
    let mut pen = Pen { file, count: 0, repeats };
    let mut lines: Vec<String> = (0..tale.lines).map(|_| pen.line()).collect();
    let mut path = format!("c{file}/f0");
    let mut states = vec![tale.begins.as_ref().map(|_| (path.clone(), lines.clone()))];
    for edit in tale.begins.iter().flatten() {
        pen.edit(&mut lines, *edit);
    }
    states.push(Some((path.clone(), lines.clone())));
    for (nth, push) in tale.pushes.iter().enumerate() {
        match push {
            Push::Edits(edits) => edits.iter().for_each(|edit| pen.edit(&mut lines, *edit)),
            Push::Rename(at) => {
                path = format!("c{file}/f{}", nth + 1);
                pen.edit(&mut lines, Edit::Change { at: *at });
            }
        }
        states.push(Some((path.clone(), lines.clone())));
    }
    states
}

/// A file, and a line of its first version.
type Place = (usize, u32);

/// Some tales, in a repository.
struct World {
    tales: Vec<Tale>,
    /// Of each file, one for each commit.
    states: Vec<Vec<State>>,
    /// The commit before the merge request, and the head of each version.
    commits: Vec<String>,
}

impl World {
    /// Commits the tales and pushes them as a branch of this name.
    async fn push(git: &Git, branch: &str, tales: &[Tale], repeats: bool) -> World {
        let states: Vec<Vec<State>> = tales
            .iter()
            .enumerate()
            .map(|(file, tale)| states(tale, file, repeats))
            .collect();
        let mut stream = Stream::default();
        let mut parents = Vec::new();
        for version in 0..PUSHES + 2 {
            let readme = ("README.md".to_owned(), (PLAIN, "# Forge\n".to_owned()));
            let mut files = Files::from([readme]);
            for (path, lines) in states.iter().filter_map(|states| states[version].as_ref()) {
                files.insert(path.clone(), (PLAIN, lines.join("\n") + "\n"));
            }
            parents = vec![stream.commit(branch, &parents, &files)];
        }
        stream.import(git, "one").await;
        let name = format!("refs/heads/{branch}");
        git.run_in("one", &["push", "--quiet", "origin", &name]).await.done();
        let listed = git.run_in("one", &["rev-list", "--reverse", &name]).await.done();
        let commits = listed.said.lines().map(str::to_owned).collect();
        World { tales: tales.to_vec(), states, commits }
    }

    /// What the merge request changes in a version.
    fn shas(&self, version: usize) -> Shas {
        let id = |at: usize| self.commits[at].parse::<ObjectId>().expect("an id");
        Shas { base: id(0), start: id(0), head: id(version) }
    }

    fn file(&self, file: usize, version: usize) -> &(String, Vec<String>) {
        self.states[file][version].as_ref().expect("it is there")
    }

    /// All lines of the first version of some files.
    fn first(&self, is_wanted: impl Fn(&Tale) -> bool) -> BTreeMap<Place, Position> {
        let mut places = BTreeMap::new();
        let wanted = self.tales.iter().enumerate().filter(|(_, tale)| is_wanted(tale));
        for (file, _) in wanted {
            let (path, lines) = self.file(file, 1);
            let before =
                self.states[file][0].as_ref().map_or(&[][..], |(_, lines)| lines.as_slice());
            for (at, line) in lines.iter().enumerate() {
                let old = before.iter().position(|other| other == line);
                let kind = if old.is_some() { Kind::Same } else { Kind::Added };
                let (old, new) = (old.map_or(0, |old| old + 1) as u32, at as u32 + 1);
                let position = Position {
                    shas: self.shas(1),
                    paths: Paths { old: path.clone(), new: path.clone() },
                    spot: Spot::Text { line: Line { kind, old, new }, lines: None },
                };
                places.insert((file, new), position);
            }
        }
        places
    }

    /// Where `git blame` finds the lines of the first version in another one: of each file
    /// the new numbers by the old ones.
    async fn blamed(&self, git: &Git, version: usize) -> Vec<HashMap<u32, u32>> {
        let mut blamed = Vec::new();
        for file in 0..self.tales.len() {
            let range = format!("{}..{}", self.commits[1], self.commits[version]);
            let path = &self.file(file, version).0;
            let args = ["blame", "--porcelain", &range, "--", path];
            let told = git.run_in("one", &args).await.done().said;
            blamed
                .push(told.lines().filter_map(|line| of_commit(line, &self.commits[1])).collect());
        }
        blamed
    }
}

/// Reads `SHA OLD NEW …` of this commit.
fn of_commit(line: &str, commit: &str) -> Option<(u32, u32)> {
    let mut words = line.strip_prefix(commit)?.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

/// Which lines are shown of what differs, by the new path: those near to a change.
async fn shown(git: &Git, base: &str, head: &str) -> HashMap<String, Vec<Range<u32>>> {
    let args = ["diff", "--no-color", "--no-ext-diff", "-U3", "-M30%", base, head];
    let told = git.run_in("one", &args).await.done().said;
    let mut shown: HashMap<String, Vec<Range<u32>>> = HashMap::new();
    let mut path = String::new();
    for line in told.lines() {
        if let Some(new) = line.strip_prefix("+++ b/") {
            new.clone_into(&mut path);
        } else if let Some(hunk) = line.strip_prefix("@@ -") {
            let new = hunk.split(' ').nth(1).and_then(|new| new.strip_prefix('+'));
            let new = new.expect("a hunk").split(',').map(|number| number.parse().expect("it is"));
            let numbers: Vec<u32> = new.collect();
            let (from, count) = (numbers[0], numbers.get(1).copied().unwrap_or(1));
            shown.entry(path.clone()).or_default().push(from..from + count);
        }
    }
    shown
}

/// The positions that moved, as they are followed here.
async fn followed(
    t: &TestServer, repository: &Repository, places: &BTreeMap<Place, Position>, to: Shas,
) -> BTreeMap<Place, Position> {
    let positions = places.values().cloned().collect();
    let followed = follow(t.app(), repository, positions, to).await.expect("git answers");
    let moved = places.keys().zip(followed).filter_map(|(place, followed)| match followed {
        Followed::Moved(position) => Some((*place, position)),
        Followed::Outdated(_) => None,
    });
    moved.collect()
}

/// Path and line of a position.
fn at(position: &Position) -> (&str, u32) {
    let line = position.line().and_then(Line::new_line);
    (position.path(), line.expect("a line of the new side"))
}

/// Demands that these are where git blames them on the first version, as far as that is
/// shown of what the merge request changes.
async fn is_as_blamed(
    git: &Git, world: &World,
    (before, after): (&BTreeMap<Place, Position>, &BTreeMap<Place, Position>), version: usize,
) {
    let (base, head) = (&world.commits[0], &world.commits[version]);
    let (blamed, shown) = (world.blamed(git, version).await, shown(git, base, head).await);
    for (place, position) in before {
        let (file, number) = *place;
        let path = world.file(file, version).0.as_str();
        let is_shown =
            |line: &u32| shown.get(path).into_iter().flatten().any(|range| range.contains(line));
        let expected = blamed[file].get(&number).copied().filter(is_shown);
        let found = after.get(place).map(at);
        assert_eq!(
            found,
            expected.map(|line| (path, line)),
            "line {number} of file {file}, in version {version} after {position:?} of {:#?}",
            world.tales[file]
        );
    }
}

/// Each push brings the threads to its version.
#[testkit::story]
async fn lines_are_followed_as_git_blames_them(t: TestServer) {
    let project = forge(&t).await;
    let repository = repository(&t, &project).await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/forge").await;
    for (round, tales) in samples(&tale(false), 4).chunks(AT_ONCE).enumerate() {
        let world = World::push(&git, &format!("r{round}"), tales, false).await;
        let mut places = world.first(|_| true);
        for version in 2..PUSHES + 2 {
            let moved = followed(&t, &repository, &places, world.shas(version)).await;
            is_as_blamed(&git, &world, (&places, &moved), version).await;
            places = moved;
        }
        // One push brings all of it.
        let (plain, last) = (world.first(Tale::is_plain), PUSHES + 1);
        let moved = followed(&t, &repository, &plain, world.shas(last)).await;
        is_as_blamed(&git, &world, (&plain, &moved), last).await;
    }
}

/// Which of equal lines is meant is not known; what is said of one stays with its text, in
/// the order that it was said in, and no two become one.
#[testkit::story]
async fn equal_lines_keep_their_texts_and_their_order(t: TestServer) {
    let project = forge(&t).await;
    let repository = repository(&t, &project).await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/forge").await;
    for (round, tales) in samples(&tale(true), 4).chunks(AT_ONCE).enumerate() {
        let world = World::push(&git, &format!("r{round}"), tales, true).await;
        let mut places = world.first(|_| true);
        for version in 2..PUSHES + 2 {
            places = followed(&t, &repository, &places, world.shas(version)).await;
            let mut last = (0, 0);
            for ((file, number), position) in &places {
                let (path, line) = at(position);
                let ((_, before), (now, lines)) =
                    (world.file(*file, 1), world.file(*file, version));
                let text = &before[*number as usize - 1];
                let told = format!("line {number} in version {version}: {:#?}", world.tales[*file]);
                assert_eq!((path, &lines[line as usize - 1]), (now.as_str(), text), "{told}");
                assert!(last < (*file, line), "{told}");
                last = (*file, line);
            }
        }
    }
}
