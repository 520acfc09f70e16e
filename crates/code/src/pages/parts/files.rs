//! The entries of a folder as rows.

use super::commit_line::title;
use crate::folder::{Brief, Folder, LastCommits};
use crate::pages::spot::Spot;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::{Moment, Pages, ui};
use kernel::time::Timestamp;
use repositories::objects::EntryKind;

/// A folder as a table.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/files.html")]
pub struct FileTable {
    /// Where the folder above is, below the root.
    up: Option<String>,
    rows: Vec<FileRow>,
    pages: Pages,
}

impl HtmlSafe for FileTable {}

#[derive(Debug, Clone)]
struct FileRow {
    name: String,
    picture: &'static str,
    /// What it is, for who does not see the picture.
    kind: &'static str,
    /// Nothing where it leads nowhere.
    url: String,
    /// What follows its name.
    about: String,
    last: Option<RowCommit>,
}

#[derive(Debug, Clone)]
struct RowCommit {
    title: String,
    url: String,
    at: Moment,
}

impl FileTable {
    /// The table of a page of a folder.
    pub fn of(
        (project_url, spot): (&str, &Spot), folder: &Folder, last: &LastCommits, pages: Pages,
        now: Timestamp,
    ) -> FileTable {
        let commit = |brief: &Brief| RowCommit {
            title: title(&brief.title),
            url: format!("{project_url}/-/commit/{}", brief.id),
            at: Moment::new(brief.at, now),
        };
        let rows = folder.items.iter().enumerate().map(|(at, item)| {
            let entry = &item.entry;
            let path = spot.path.below(&entry.name);
            let (picture, kind, page) = match entry.kind {
                EntryKind::Folder => ("folder", "Folder", "tree"),
                EntryKind::Submodule => ("link", "Submodule", ""),
                EntryKind::Link => ("link", "Link", "blob"),
                EntryKind::File | EntryKind::Program => ("file", "File", "blob"),
            };
            FileRow {
                name: entry.name.clone(),
                picture,
                kind,
                url: match page {
                    "" => web_address(item.module.as_deref().unwrap_or_default()),
                    page => spot.url(project_url, page, &path),
                },
                about: match (&item.target, entry.kind) {
                    (Some(target), _) => format!("→ {target}"),
                    (None, EntryKind::Submodule) => format!("@ {}", &entry.id.to_string()[..8]),
                    _ => String::new(),
                },
                last: last.of.get(at).and_then(Option::as_ref).map(commit),
            }
        });
        let is_root = spot.path.is_root();
        FileTable {
            up: (!is_root).then(|| spot.url(project_url, "tree", &spot.path.folder())),
            rows: rows.collect(),
            pages,
        }
    }
}

/// Where the repository of a submodule is seen, if its address can be followed.
fn web_address(url: &str) -> String {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    // Credentials in addresses are not handed on.
    match is_web && !url.contains('@') {
        true => url.strip_suffix(".git").unwrap_or(url).to_owned(),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_followed() {
        for (url, expected) in [
            ("https://a.example/b.git", "https://a.example/b"),
            ("javascript:alert(1)", ""),
            ("https://user:secret@a.example/b", ""),
            ("../b.git", ""),
            ("git@a.example:b.git", ""),
        ] {
            assert_eq!(web_address(url), expected);
        }
    }
}
