//! Files that projects begin with, by kind: those of the server, and the texts of issues
//! and merge requests that a project keeps in its repository.

use crate::licenses::{self, License};
use kernel::error::Result;
use repositories::objects::{Commit, EntryKind, Objects, Path};

/// Folders of a repository that hold settings of its project, ours first.
const FOLDERS: &[&str] = &[".service", ".gitlab"];
/// Ending of texts of issues and merge requests.
const ENDING: &str = ".md";
/// Texts that are listed.
const MOST: usize = 1000;
/// Bytes of a text.
const LARGEST: u64 = 1024 * 1024;

/// A file of the server's.
struct Own {
    name: &'static str,
    content: &'static str,
}

const GITIGNORES: &[Own] = &[
    Own { name: "C++", content: include_str!("gitignores/C++") },
    Own { name: "Go", content: include_str!("gitignores/Go") },
    Own { name: "Java", content: include_str!("gitignores/Java") },
    Own { name: "Node", content: include_str!("gitignores/Node") },
    Own { name: "Python", content: include_str!("gitignores/Python") },
    Own { name: "Rust", content: include_str!("gitignores/Rust") },
];

const DOCKERFILES: &[Own] = &[
    Own { name: "Go", content: include_str!("dockerfiles/Go") },
    Own { name: "Node", content: include_str!("dockerfiles/Node") },
    Own { name: "Python", content: include_str!("dockerfiles/Python") },
    Own { name: "Rust", content: include_str!("dockerfiles/Rust") },
];

kernel::choices! {
    /// What a template is for. Pipelines have none yet.
    pub enum TemplateType {
        Dockerfiles = "dockerfiles",
        Gitignores = "gitignores",
        CiYmls = "ci_ymls",
        CiYmlsOfClients = "gitlab_ci_ymls",
        Licenses = "licenses",
        Issues = "issues",
        MergeRequests = "merge_requests",
    }
}

impl TemplateType {
    /// The folder of a project's own, below the folders of its settings.
    fn folder(self) -> Option<&'static str> {
        match self {
            TemplateType::Issues => Some("issue_templates"),
            TemplateType::MergeRequests => Some("merge_request_templates"),
            _ => None,
        }
    }

    /// It is read in the repository of a project.
    pub fn is_of_project(self) -> bool {
        self.folder().is_some()
    }

    fn own(self) -> &'static [Own] {
        match self {
            TemplateType::Dockerfiles => DOCKERFILES,
            TemplateType::Gitignores => GITIGNORES,
            _ => &[],
        }
    }

    /// Keys and names of those of the server, in their order.
    pub fn names(self) -> Vec<(&'static str, &'static str)> {
        let named = |license: &'static License| (license.key, license.name);
        match self {
            TemplateType::Licenses => licenses::all().iter().map(named).collect(),
            _ => self.own().iter().map(|one| (one.name, one.name)).collect(),
        }
    }

    /// One of them that is no license.
    pub fn content(self, name: &str) -> Option<(&'static str, &'static str)> {
        let own = self.own().iter().find(|one| one.name.eq_ignore_ascii_case(name));
        own.map(|one| (one.name, one.content))
    }
}

/// Names of the texts of a kind that a commit has, each once.
pub fn names_in(objects: &Objects, commit: &Commit, kind: TemplateType) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for folder in folders(kind) {
        let entry = objects.entry(commit.tree, &folder)?;
        let Some(entry) = entry.filter(|entry| entry.kind == EntryKind::Folder) else {
            continue;
        };
        let entries = objects.tree(entry.id)?.unwrap_or_default();
        let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File);
        names.extend(files.filter_map(|file| Some(file.name.strip_suffix(ENDING)?.to_owned())));
    }
    names.sort();
    names.dedup();
    names.truncate(MOST);
    Ok(names)
}

/// The text of this name.
pub fn text_in(
    objects: &Objects, commit: &Commit, kind: TemplateType, name: &str,
) -> Result<Option<String>> {
    for folder in folders(kind) {
        let Ok(path) = Path::read(&format!("{folder}/{name}{ENDING}")) else {
            return Ok(None);
        };
        let entry = objects.entry(commit.tree, &path)?;
        let Some(entry) = entry.filter(|entry| entry.kind == EntryKind::File) else {
            continue;
        };
        let content = objects.blob(entry.id, LARGEST)?.and_then(|blob| blob.content);
        return Ok(content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    }
    Ok(None)
}

fn folders(kind: TemplateType) -> impl Iterator<Item = Path> {
    let below = kind.folder();
    let paths = FOLDERS.iter().filter_map(move |folder| Some(format!("{folder}/{}", below?)));
    paths.filter_map(|path| Path::read(&path).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_found_in_any_case() {
        for kind in [TemplateType::Gitignores, TemplateType::Dockerfiles] {
            let names = kind.names();
            assert!(names.is_sorted() && !names.is_empty());
            for (key, name) in names {
                let (found, content) = kind.content(&key.to_lowercase()).expect("it is there");
                assert_eq!(found, name);
                assert!(content.ends_with('\n'));
            }
        }
        assert!(TemplateType::CiYmls.names().is_empty());
        assert!(TemplateType::Gitignores.content("../Rust").is_none());
    }
}
