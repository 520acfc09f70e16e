//! The lines of code that threads are about. What stood where between two commits never
//! changes, so it is remembered.

use crate::diffs::reading::{Pair, read_paths};
use crate::positions::{Kind, Line, Position, Spot};
use crate::threads::model::{Thread, read};
use askama::Template;
use askama::filters::HtmlSafe;
use code::caching::by_bytes;
use code::diff::{self, hunks};
use code::pages::parts::diff::texts;
use code::pages::spot::encoded;
use code::visible::{line as in_one_line, visible};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui;
use kernel::markup::escape;
use moka::sync::Cache;
use repositories::diffs::{Diffs, FileDiff};
use repositories::formats::object_id::ObjectId;
use sha1::{Digest, Sha1};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Lines that stand above those a thread is about, and lines that are shown in all.
const BEFORE: usize = 3;
const MOST: usize = 12;
/// Bytes of a line that is shown whole, and letters of one that is longer.
const LONGEST: usize = 400;
/// Lines before it that tell what its words are, and how long these are looked for.
const MOST_TOLD: usize = 400;
const WORDS: Duration = Duration::from_millis(200);
/// Lines of what differs of a file that are looked through.
const MOST_READ: usize = 100_000;
/// Pairs of commits that git is asked about for one page, and how long for all of them.
const MOST_PAIRS: usize = 6;
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of all that is remembered.
const ALL: u64 = 8 * 1024 * 1024;

/// A line as it is shown.
#[derive(Debug, Clone)]
struct CodeLine {
    class: &'static str,
    old: Option<u32>,
    new: Option<u32>,
    html: String,
}

/// What stands above a thread.
#[derive(Template)]
#[template(path = "ui/thread_place.html")]
struct ThreadPlace {
    path: String,
    /// Which lines, in words.
    which: String,
    url: String,
    is_outdated: bool,
    lines: Arc<Vec<CodeLine>>,
}

impl HtmlSafe for ThreadPlace {}

/// A repository, the commits and the place between them.
type Key = (i64, ObjectId, ObjectId, String);

/// What was read lately.
struct Recent(Cache<Key, Arc<Vec<CodeLine>>>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(by_bytes(ALL, size))
    }
}

fn size(key: &Key, lines: &Arc<Vec<CodeLine>>) -> usize {
    key.3.len() + lines.iter().map(|line| line.html.len() + 64).sum::<usize>()
}

/// Where the pages are that places lead to.
pub struct Addresses {
    /// Of the merge request.
    pub url: String,
    /// Of its project.
    pub project_url: String,
}

/// A thread that stands in code.
pub struct ThreadAt {
    pub discussion_id: String,
    pub position: Position,
    pub is_outdated: bool,
    /// Where it is seen with all around it.
    pub url: String,
}

/// Threads of a merge request.
pub fn of_request(at: &Addresses, threads: Vec<Thread>) -> Vec<ThreadAt> {
    let placed = threads.into_iter().filter_map(|thread| {
        let position = read(&thread.position)?;
        Some(ThreadAt {
            url: url(at, &thread, &position),
            discussion_id: thread.discussion_id,
            is_outdated: thread.is_outdated,
            position,
        })
    });
    placed.collect()
}

/// What stands above threads, by the ids of their discussions. One whose lines are not found
/// in time is shown without them.
///
/// # Errors
///
/// Only those of the server.
pub async fn read_all(
    app: &App, repository: i64, threads: Vec<ThreadAt>,
) -> Result<HashMap<String, String>> {
    let positions = threads.iter().map(|thread| &thread.position);
    let lines = lines_of(app, repository, positions).await?;
    let html = threads.into_iter().map(|thread| {
        let place = ThreadPlace {
            path: visible(thread.position.path()).into_owned(),
            which: which(&thread.position),
            url: thread.url,
            is_outdated: thread.is_outdated,
            lines: lines.get(&key(repository, &thread.position)).cloned().unwrap_or_default(),
        };
        (thread.discussion_id, place.to_string())
    });
    Ok(html.collect())
}

fn key(repository: i64, position: &Position) -> Key {
    let (shas, code) = (position.shas(), position.line_code().unwrap_or_default());
    let first = match position.spot {
        Spot::Text { lines: Some(lines), .. } => lines.start.place(),
        _ => 0,
    };
    (repository, shas.base, shas.head, format!("{code}-{first}"))
}

fn which(position: &Position) -> String {
    let number = |line: Line| line.new_line().or(line.old_line()).unwrap_or_default();
    match position.spot {
        Spot::Text { lines: Some(lines), .. } => {
            format!("lines {} to {}", number(lines.start), number(lines.end))
        }
        Spot::Text { line, lines: None } => match line.kind {
            Kind::Removed => format!("removed line {}", line.old),
            Kind::Added | Kind::Same => format!("line {}", line.new),
        },
        Spot::Image(point) => format!("at {}, {}", point.x, point.y),
        Spot::File => "the whole file".to_owned(),
    }
}

/// Where it is seen with all around it: among the changes, or once it is outdated in the file
/// as it was.
fn url(at: &Addresses, thread: &Thread, position: &Position) -> String {
    if thread.is_outdated {
        return in_file(&at.project_url, position);
    }
    let file = hex::encode(Sha1::digest(position.path().as_bytes()));
    let place = position.line_code().unwrap_or_else(|| file.clone());
    format!("{}/diffs?file={file}#{place}", at.url)
}

/// Where it is in the file as it was, of a project with this address.
pub fn in_file(project_url: &str, position: &Position) -> String {
    let shas = position.shas();
    let (commit, path, number) = match position.line() {
        Some(line) if line.kind == Kind::Removed => (shas.base, &position.paths.old, line.old),
        Some(line) => (shas.head, &position.paths.new, line.new),
        None => (shas.head, &position.paths.new, 1),
    };
    format!("{project_url}/-/blob/{commit}/{}#L{number}", encoded(path))
}

/// The lines of each position, by its key.
async fn lines_of(
    app: &App, repository: i64, positions: impl Iterator<Item = &Position>,
) -> Result<HashMap<Key, Arc<Vec<CodeLine>>>> {
    let (mut found, recent) = (HashMap::new(), app.kept::<Recent>());
    let mut unknown: HashMap<(ObjectId, ObjectId), Vec<Position>> = HashMap::new();
    for position in positions.filter(|position| position.line().is_some()) {
        let key = key(repository, position);
        match recent.0.get(&key) {
            Some(lines) => {
                found.insert(key, lines);
            }
            None => {
                let shas = position.shas();
                unknown.entry((shas.base, shas.head)).or_default().push(position.clone());
            }
        }
    }
    let mut pairs: Vec<_> = unknown.into_iter().collect();
    pairs.sort_by_key(|(_, positions)| std::cmp::Reverse(positions.len()));
    let until = Instant::now() + PATIENCE;
    for ((old, new), positions) in pairs.into_iter().take(MOST_PAIRS) {
        let paths = positions.iter().flat_map(|one| [&one.paths.old, &one.paths.new]);
        let mut paths: Vec<String> = paths.cloned().collect();
        paths.sort_unstable();
        paths.dedup();
        let reading = read_paths(app, Pair { repository, old, new }, paths);
        let diffs = match timeout_at(until, reading).await {
            Err(_) => break,
            // Commits of old versions may be gone, and git may be busy.
            Ok(Err(_)) => continue,
            Ok(Ok(diffs)) => diffs,
        };
        let cutting = tokio::task::spawn_blocking(move || {
            let until = std::time::Instant::now() + WORDS;
            let of = positions.iter().map(|one| {
                let lines = Arc::new(cut(&diffs, one, until));
                (key(repository, one), lines, std::time::Instant::now() < until)
            });
            of.collect::<Vec<(Key, Arc<Vec<CodeLine>>, bool)>>()
        });
        for (key, lines, is_in_time) in cutting.await.map_err(Error::internal)? {
            // What was late lacks its colours.
            if is_in_time {
                recent.0.insert(key.clone(), lines.clone());
            }
            found.insert(key, lines);
        }
    }
    Ok(found)
}

/// The lines of a position, with a few above them; none where it is in no hunk.
fn cut(diffs: &Diffs, position: &Position, until: std::time::Instant) -> Vec<CodeLine> {
    let is_it = |file: &&FileDiff| {
        file.new_path == position.paths.new || file.old_path == position.paths.old
    };
    let (Some(file), Spot::Text { line, lines }) = (diffs.files.iter().find(is_it), position.spot)
    else {
        return Vec::new();
    };
    let (hunks, _) = hunks(&file.text, MOST_READ);
    for hunk in &hunks {
        let at = |line: Line| hunk.lines.iter().position(|one| is_same(one, line));
        if let Some(last) = at(line) {
            let first = lines.and_then(|lines| at(lines.start)).unwrap_or(last).min(last);
            let first = first.saturating_sub(BEFORE).max((last + 1).saturating_sub(MOST));
            let told = first.saturating_sub(MOST_TOLD);
            let htmls = texts(position.path(), &hunk.lines[told..=last], until);
            let lines = hunk.lines[told..=last].iter().zip(htmls);
            return lines.skip(first - told).map(|(line, html)| shown(line, html)).collect();
        }
    }
    Vec::new()
}

fn is_same(one: &diff::Line<'_>, line: Line) -> bool {
    match line.kind {
        Kind::Added => one.kind == diff::Kind::Added && one.new == line.new,
        Kind::Removed => one.kind == diff::Kind::Removed && one.old == line.old,
        Kind::Same => one.kind == diff::Kind::Same && one.new == line.new,
    }
}

fn shown(line: &diff::Line<'_>, html: String) -> CodeLine {
    let class = match line.kind {
        diff::Kind::Added => "add",
        diff::Kind::Removed => "del",
        diff::Kind::Same => "same",
        diff::Kind::Remark => "hunk",
    };
    CodeLine {
        class,
        old: matches!(line.kind, diff::Kind::Same | diff::Kind::Removed).then_some(line.old),
        new: matches!(line.kind, diff::Kind::Same | diff::Kind::Added).then_some(line.new),
        html: match line.text.len() > LONGEST {
            true => escape(&in_one_line(line.text, LONGEST)),
            false => html,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::{Lines, Paths, Shas};
    use repositories::diffs::{Change, Stats};

    fn diffs(text: &str) -> Diffs {
        let file = FileDiff {
            old_path: "x.rs".into(),
            new_path: "x.rs".into(),
            old_mode: "100644".into(),
            new_mode: "100644".into(),
            old_id: ObjectId::ZERO,
            new_id: ObjectId::ZERO,
            change: Change::Changed,
            is_binary: false,
            text: text.into(),
            is_collapsed: false,
            is_too_large: false,
            stats: Stats::default(),
        };
        Diffs { files: vec![file], overflow: false }
    }

    fn position(line: Line, lines: Option<Lines>) -> Position {
        Position {
            shas: Shas {
                base: ObjectId::ZERO,
                start: ObjectId::ZERO,
                head: ObjectId::ZERO,
            },
            paths: Paths { old: "x.rs".into(), new: "x.rs".into() },
            spot: Spot::Text { line, lines },
        }
    }

    fn cut_of(text: &str, line: Line, lines: Option<Lines>) -> Vec<String> {
        let until = std::time::Instant::now() + Duration::from_secs(60);
        let found = cut(&diffs(text), &position(line, lines), until);
        found.into_iter().map(|line| line.html).collect()
    }

    fn htmls(line: Line, lines: Option<Lines>) -> Vec<String> {
        cut_of("@@ -1,5 +1,6 @@\n a\n b\n c\n d\n-e\n+<f>\n+g\n", line, lines)
    }

    #[test]
    fn a_line_is_shown_below_those_before_it() {
        let added = Line { kind: Kind::Added, old: 6, new: 5 };
        let shown = htmls(added, None);
        assert_eq!(shown[..2], ["c", "d"]);
        assert!(shown.len() == 4 && shown[3].contains("&lt;"), "{shown:?}");
        let removed = Line { kind: Kind::Removed, old: 5, new: 5 };
        assert_eq!(htmls(removed, None)[..3], ["b", "c", "d"]);
        let first = Line { kind: Kind::Same, old: 1, new: 1 };
        assert_eq!(htmls(first, None), ["a"]);
        let lines = Lines { start: first, end: added };
        assert_eq!(htmls(added, Some(lines)).len(), 6);
        let far = Line { kind: Kind::Same, old: 90, new: 91 };
        assert!(htmls(far, None).is_empty());
    }

    #[test]
    fn words_have_their_colours() {
        let added = Line { kind: Kind::Added, old: 2, new: 2 };
        let shown = cut_of("@@ -1 +1,2 @@\n a\n+fn g() {}\n", added, None);
        assert!(shown[1].contains("<span class=\"hl-keyword\">fn"), "{shown:?}");
        let long = format!("@@ -1 +1 @@\n-a\n+// {}\n", "x".repeat(LONGEST));
        let added = Line { kind: Kind::Added, old: 2, new: 1 };
        let shown = cut_of(&long, added, None);
        assert!(shown[1].ends_with("x…") && !shown[1].contains('<'), "{shown:?}");
    }
}
