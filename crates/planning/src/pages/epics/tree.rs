//! What stands below an epic: its epics and issues, and those of these epics, so much
//! of each level. The statements are as many however much there is: two for each
//! level that there is, and two for how far all of it is.

use super::reader::Reader;
use crate::model::epics::{Epic, ListedIssue, MOST_LEVELS};
use crate::store::epics::below::{self as rows, Bounds};
use crate::store::epics::progress::{self, Progress};
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::error::Result;
use kernel::graph::Owned;
use kernel::html::ui;
use kernel::time::Date;
use std::collections::HashMap;
use store::Tx;

/// Epics, and issues, right below the epic of the page; and if all are asked for.
const FIRST: i64 = 50;
const MOST: i64 = 500;
/// Those right below any other, and in all of a level.
const EACH: i64 = 10;
const LEVEL: i64 = 100;
/// Levels that are unfolded at first.
const UNFOLDED: i64 = 2;

/// One level of the tree: what stands right below an epic.
#[derive(Debug, Template)]
#[template(path = "ui/branches.html")]
pub struct Branches {
    /// Where changes of it are sent.
    pub url: String,
    pub csrf: String,
    /// The epic above.
    pub parent: i64,
    /// The viewer may order these, and take them out.
    pub may_order: bool,
    pub epics: Vec<Branch>,
    pub issues: Vec<Leaf>,
    /// What the viewer sees and is not here: how much, and where it is.
    pub more: Option<(String, String)>,
}

impl HtmlSafe for Branches {}

/// An epic with what stands below it.
#[derive(Debug)]
pub struct Branch {
    pub epic: Epic,
    pub reference: String,
    pub progress: Progress,
    pub below: Option<Branches>,
    pub is_unfolded: bool,
}

#[derive(Debug)]
pub struct Leaf {
    pub one: ListedIssue,
    pub reference: String,
}

impl Branches {
    pub fn is_empty(&self) -> bool {
        self.epics.is_empty() && self.issues.is_empty()
    }
}

impl Branch {
    /// What is folded below it.
    fn summary(&self) -> String {
        counted(self.progress.direct)
    }
}

/// How a page shows the tree.
#[derive(Debug, Clone, Copy)]
pub struct TreePage<'p> {
    pub url: &'p str,
    pub csrf: &'p str,
    /// All of the first level is shown.
    pub all: bool,
}

/// `3 epics, 4 issues`.
fn counted((epics, issues): (u64, u64)) -> String {
    let epics = (epics > 0).then(|| ui::count(epics, "epic").to_string());
    let issues = (issues > 0).then(|| ui::count(issues, "issue").to_string());
    let both: Vec<String> = epics.into_iter().chain(issues).collect();
    both.join(", ")
}

impl Epic {
    /// From when to when it lasts, in words; nothing where no day is known.
    pub fn days(&self) -> String {
        let day = |day: Date| day.strftime("%-d %b %Y").to_string();
        match (self.start_on(), self.due_on()) {
            (Some(start), Some(due)) => format!("{} – {}", day(start), day(due)),
            (Some(start), None) => format!("from {}", day(start)),
            (None, Some(due)) => format!("until {}", day(due)),
            (None, None) => String::new(),
        }
    }
}

impl Progress {
    /// How far it is by weight, where its issues have any.
    pub fn weighed(&self) -> String {
        match self.weight.all {
            0 => String::new(),
            all => format!("weight {} of {all}", self.weight.closed),
        }
    }
}

/// The tree below an epic, and how far the epic is.
pub fn read(
    tx: &mut Tx<'_>, reader: &Reader<'_>, page: TreePage<'_>,
) -> Result<(Branches, Progress)> {
    let (viewer, epic) = (reader.viewer, reader.epic);
    let mut growing = Growing::new(reader, page);
    let mut parents = vec![epic.id];
    let mut ids = parents.clone();
    for level in 0..MOST_LEVELS {
        let bounds = match (level, page.all) {
            (0, false) => Bounds { each: FIRST, all: FIRST },
            (0, true) => Bounds { each: MOST, all: MOST },
            _ => Bounds { each: EACH, all: LEVEL },
        };
        let epics = rows::epics(tx, viewer, &parents, bounds)?;
        let issues = rows::issues(tx, viewer, &parents, bounds)?;
        parents = epics.iter().map(|one| one.row.id).collect();
        ids.extend(&parents);
        growing.take(epics, issues);
        if parents.is_empty() {
            break;
        }
    }
    growing.progress = progress::of(tx, viewer, &ids)?;
    let whole = growing.progress.get(&epic.id).copied().unwrap_or_default();
    Ok((growing.level(epic, 0), whole))
}

/// All that the tree is made of, by the epic it stands right below.
struct Growing<'g> {
    reader: &'g Reader<'g>,
    page: TreePage<'g>,
    epics: HashMap<i64, Vec<Epic>>,
    issues: HashMap<i64, Vec<ListedIssue>>,
    progress: HashMap<i64, Progress>,
}

impl<'g> Growing<'g> {
    fn new(reader: &'g Reader<'g>, page: TreePage<'g>) -> Growing<'g> {
        Growing {
            reader,
            page,
            epics: HashMap::new(),
            issues: HashMap::new(),
            progress: HashMap::new(),
        }
    }

    fn take(&mut self, epics: Vec<Owned<Epic>>, issues: Vec<Owned<ListedIssue>>) {
        for one in epics {
            self.epics.entry(one.owner).or_default().push(one.row);
        }
        for one in issues {
            self.issues.entry(one.owner).or_default().push(one.row);
        }
    }

    /// Whether the viewer changes an epic of the tree: roles go down with groups.
    fn may_order(&self, epic: &Epic) -> bool {
        let own = &self.reader.epic.group_path;
        let rest = epic.group_path.strip_prefix(own.as_str());
        let is_below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.reader.may_edit() && is_below
    }

    /// What stands right below an epic.
    fn level(&mut self, epic: &Epic, depth: i64) -> Branches {
        let epics = self.epics.remove(&epic.id).unwrap_or_default();
        let issues = self.issues.remove(&epic.id).unwrap_or_default();
        let (more_epics, more_issues) = self.progress_of(epic).direct;
        let more = (
            more_epics.saturating_sub(epics.len() as u64),
            more_issues.saturating_sub(issues.len() as u64),
        );
        let group_id = self.reader.epic.group_id;
        let leaf = |one: ListedIssue| Leaf {
            reference: format!("{}#{}", one.issue.project_path, one.issue.iid),
            one,
        };
        Branches {
            url: format!("{}/tree", self.page.url),
            csrf: self.page.csrf.to_owned(),
            parent: epic.id,
            may_order: self.may_order(epic),
            epics: epics.into_iter().map(|one| self.branch(one, group_id, depth + 1)).collect(),
            issues: issues.into_iter().map(leaf).collect(),
            more: self.more(epic, more, depth),
        }
    }

    fn branch(&mut self, epic: Epic, group_id: i64, depth: i64) -> Branch {
        let progress = self.progress_of(&epic);
        let below = self.level(&epic, depth);
        Branch {
            reference: epic.reference_from(group_id),
            progress,
            below: (progress.direct != (0, 0)).then_some(below),
            is_unfolded: depth < UNFOLDED,
            epic,
        }
    }

    fn progress_of(&self, epic: &Epic) -> Progress {
        self.progress.get(&epic.id).copied().unwrap_or_default()
    }

    /// Where the rest of a level is.
    fn more(&self, epic: &Epic, rest: (u64, u64), depth: i64) -> Option<(String, String)> {
        let words = counted(rest);
        if words.is_empty() {
            return None;
        }
        Some(match (depth, self.page.all) {
            (0, false) => {
                (format!("Show all: {words} more"), format!("{}?all=true#below", self.page.url))
            }
            (0, true) => (format!("{words} more are not shown"), String::new()),
            _ => (format!("{words} more"), epic.path()),
        })
    }
}
