//! The tree of the files that differ, beside them.

use super::listing::{Listing, PART};
use super::look::Look;
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::diff::id_of;
use code::visible::visible;
use kernel::html::ui;
use repositories::diffs::{Change, FileDiff, Stats};
use std::collections::{HashMap, HashSet};

/// Files that the tree has; the pages have all.
const MOST: usize = 3_000;

/// The tree, row by row.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/file_tree.html")]
pub struct FileTree {
    rows: Vec<Row>,
    /// Files that it has no room for.
    left_out: u64,
    count: u64,
}

impl HtmlSafe for FileTree {}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Row {
    /// A folder begins, by its name from the one around it on.
    Folder(String),
    /// It ends.
    End,
    File(Box<Leaf>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Leaf {
    /// Its place on the page of its part.
    id: String,
    url: String,
    name: String,
    path: String,
    /// What became of it, in a word, if its lines are not all that is said.
    word: &'static str,
    stats: Option<Stats>,
    is_viewed: bool,
    /// Threads that are not resolved.
    open: u64,
}

/// What the tree says of files, by their names on the page.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    pub viewed: HashSet<String>,
    pub open: HashMap<String, u64>,
}

impl FileTree {
    /// The tree of all files; those of the part that is shown are led to on this page.
    pub fn of(listing: &Listing, marks: &Marks, look: &Look, url: &str, page: usize) -> FileTree {
        let mut root = Folder::default();
        for (at, file) in listing.files().take(MOST).enumerate() {
            let of_page = at / PART + 1;
            let before = match of_page == page {
                true => String::new(),
                false => look.at_page(url, of_page),
            };
            let leaf = leaf(file, &before, listing.is_read, marks);
            let folder = match file.new_path.rsplit_once('/') {
                Some((folders, _)) => folders.split('/').fold(&mut root, Folder::below),
                None => &mut root,
            };
            folder.files.push(leaf);
        }
        let mut rows = Vec::new();
        root.write(&mut rows);
        FileTree {
            rows,
            left_out: listing.count().saturating_sub(MOST) as u64,
            count: listing.count() as u64,
        }
    }

    fn counted(&self) -> String {
        ui::count(self.count, "file")
    }
}

/// What a folder holds, in the order of the files.
#[derive(Debug, Default)]
struct Folder {
    name: String,
    folders: Vec<Folder>,
    files: Vec<Leaf>,
}

impl Folder {
    /// The folder of this name in it. What is in one folder comes in a row.
    fn below<'f>(&'f mut self, name: &str) -> &'f mut Folder {
        if self.folders.last().is_none_or(|last| last.name != name) {
            self.folders.push(Folder { name: name.to_owned(), ..Folder::default() });
        }
        let last = self.folders.len() - 1;
        &mut self.folders[last]
    }

    /// Folders that hold nothing but another one stand in one row with it.
    fn write(self, rows: &mut Vec<Row>) {
        for mut folder in self.folders {
            let mut name = visible(&folder.name).into_owned();
            while folder.files.is_empty() && folder.folders.len() == 1 {
                let Some(inner) = folder.folders.pop() else { break };
                name = format!("{name}/{}", visible(&inner.name));
                folder = inner;
            }
            rows.push(Row::Folder(name));
            folder.write(rows);
            rows.push(Row::End);
        }
        rows.extend(self.files.into_iter().map(|leaf| Row::File(Box::new(leaf))));
    }
}

fn leaf(file: &FileDiff, before: &str, has_stats: bool, marks: &Marks) -> Leaf {
    let id = id_of(&file.new_path);
    let name = file.new_path.rsplit('/').next().unwrap_or_default();
    Leaf {
        url: format!("{before}#{id}"),
        name: visible(name).into_owned(),
        path: visible(&file.new_path).into_owned(),
        word: match file.change {
            Change::Added => "new",
            Change::Deleted => "deleted",
            Change::Renamed => "moved",
            Change::Changed => "",
        },
        stats: has_stats.then_some(file.stats),
        is_viewed: marks.viewed.contains(&id),
        open: marks.open.get(&id).copied().unwrap_or_default(),
        id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(paths: &[&str]) -> Vec<String> {
        let mut root = Folder::default();
        let marks = Marks::default();
        for path in paths {
            let file = crate::diffs::shown::tests::file(path, "");
            let folder = match path.rsplit_once('/') {
                Some((folders, _)) => folders.split('/').fold(&mut root, Folder::below),
                None => &mut root,
            };
            folder.files.push(leaf(&file, "", true, &marks));
        }
        let mut rows = Vec::new();
        root.write(&mut rows);
        let told = |row: Row| match row {
            Row::Folder(name) => format!("{name}/"),
            Row::End => "<".to_owned(),
            Row::File(leaf) => leaf.name,
        };
        rows.into_iter().map(told).collect()
    }

    #[test]
    fn folders_hold_files_and_alone_they_stand_together() {
        assert_eq!(told(&["a/b/c/x", "a/b/c/y", "z"]), ["a/b/c/", "x", "y", "<", "z"]);
        assert_eq!(
            told(&["a/b/x", "a/c/d/y", "a/z"]),
            ["a/", "b/", "x", "<", "c/d/", "y", "<", "z", "<"]
        );
        assert_eq!(told(&["one"]), ["one"]);
    }
}
