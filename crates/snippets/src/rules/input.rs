//! What a snippet shall be, and what that does to its files.

use super::refused;
use crate::model::{MOST_BYTES, Snippet, next_name};
use identity::model::User;
use identity::spam::{Actor, Subject};
use kernel::error::Result;
use kernel::http::Patch;
use repositories::edits::{Action, ActionKind};
use repositories::formats::object_id::ObjectId;
use spaces::model::Visibility;
use std::collections::HashSet;

const INVALID: &str = "Snippet actions have invalid data";
const MANY: &str = "To update Snippets with multiple files, you must use the `files` parameter";
/// Actions of one change: each file may go and come.
const MOST_ACTIONS: usize = 50;
/// Letters of all texts that are looked at for spam.
const LOOKED_AT: usize = 100_000;

kernel::choices! {
    /// What is done to a file.
    #[derive(Default)]
    pub enum ActionName as "SnippetFileAction" {
        #[default]
        Create = "create",
        Update = "update",
        Delete = "delete",
        Move = "move",
    }
}

/// What is done to a file.
#[derive(Debug, Clone, Default)]
pub struct FileAction {
    pub action: ActionName,
    /// Empty for a name that is found for it.
    pub path: String,
    pub previous_path: Option<String>,
    pub content: Option<String>,
    /// What its writer has seen there.
    pub seen: Option<ObjectId>,
}

/// A snippet to be.
#[derive(Debug, Clone)]
pub struct SnippetInput {
    pub title: String,
    pub description: Option<String>,
    pub visibility: Visibility,
    pub files: Vec<FileAction>,
}

/// Changes of one. What is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub struct SnippetChange {
    pub title: Option<String>,
    pub description: Patch<String>,
    pub visibility: Option<Visibility>,
    pub files: FileChanges,
}

/// Changes of files.
#[derive(Debug, Clone)]
pub enum FileChanges {
    Each(Vec<FileAction>),
    /// Of the only file: its name, its content or both.
    Only {
        name: Option<String>,
        content: Option<String>,
    },
}

impl Default for FileChanges {
    fn default() -> FileChanges {
        FileChanges::Each(Vec::new())
    }
}

impl FileChanges {
    fn contents(&self) -> Vec<&str> {
        match self {
            FileChanges::Each(files) => contents(files),
            FileChanges::Only { content, .. } => content.as_deref().into_iter().collect(),
        }
    }
}

fn contents(files: &[FileAction]) -> Vec<&str> {
    files.iter().filter_map(|file| file.content.as_deref()).collect()
}

impl SnippetChange {
    /// Whether anything of it is read by others as a text.
    pub fn has_texts(&self) -> bool {
        self.title.is_some()
            || matches!(self.description, Patch::Value(_))
            || !self.files.contents().is_empty()
    }

    /// Whether anything changes besides the files.
    pub fn has_row(&self) -> bool {
        let is_described = !matches!(self.description, Patch::Absent);
        self.title.is_some() || is_described || self.visibility.is_some()
    }

    /// A snippet as it becomes, its files apart.
    pub fn over(&self, before: Snippet) -> Snippet {
        Snippet {
            title: self.title.clone().unwrap_or(before.title),
            description: self.description.clone().over(before.description),
            visibility: self.visibility.map_or(before.visibility, Visibility::level),
            ..before
        }
    }
}

/// The files that a new snippet has, as they are written.
pub(super) fn first(files: &[FileAction]) -> Result<Vec<Action>> {
    let is_made = files.iter().all(|file| file.action == ActionName::Create);
    match is_made && !files.is_empty() {
        true => each(files, &[]),
        false => Err(refused(422, INVALID)),
    }
}

/// What is done to the files of a snippet that is there.
pub(super) fn actions(changes: &FileChanges, before: &Snippet) -> Result<Vec<Action>> {
    match changes {
        FileChanges::Each(files) => each(files, before.files()),
        FileChanges::Only { name: None, content: None } => Ok(Vec::new()),
        FileChanges::Only { name, content } => match before.files() {
            [only] => each(&of_only(only, name.as_deref(), content.as_deref()), &[]),
            _ => Err(refused(400, MANY)),
        },
    }
}

/// The same of the only file.
fn of_only(only: &str, name: Option<&str>, content: Option<&str>) -> Vec<FileAction> {
    let name = name.filter(|name| !name.is_empty()).unwrap_or(only);
    let content = content.map(str::to_owned);
    let action = match (name == only, &content) {
        (true, None) => return Vec::new(),
        (true, Some(_)) => ActionName::Update,
        (false, _) => ActionName::Move,
    };
    vec![FileAction {
        action,
        path: name.to_owned(),
        previous_path: Some(only.to_owned()),
        content,
        seen: None,
    }]
}

/// Actions as the repository takes them; files without a name get one.
fn each(files: &[FileAction], there: &[String]) -> Result<Vec<Action>> {
    let bytes: usize = contents(files).iter().map(|content| content.len()).sum();
    let is_small = files.len() <= MOST_ACTIONS && bytes as i64 <= MOST_BYTES;
    if !is_small || !files.iter().all(is_good) {
        return Err(refused(422, INVALID));
    }
    let mut names: HashSet<String> = there.iter().cloned().collect();
    names.extend(files.iter().map(|file| file.path.clone()));
    let mut actions = Vec::new();
    for file in files {
        let path = match file.path.is_empty() {
            true => next_name(names.iter().map(String::as_str)),
            false => file.path.clone(),
        };
        names.insert(path.clone());
        actions.push(action(file, path));
    }
    Ok(actions)
}

fn action(file: &FileAction, path: String) -> Action {
    let previous = file.previous_path.clone().filter(|from| *from != path);
    let kind = match (file.action, &previous) {
        (ActionName::Create, _) => ActionKind::Create,
        (ActionName::Delete, _) => ActionKind::Delete,
        (ActionName::Update, None) | (ActionName::Move, None) => ActionKind::Update,
        (ActionName::Update | ActionName::Move, Some(_)) => ActionKind::Move,
    };
    Action {
        previous_path: previous.filter(|_| kind == ActionKind::Move),
        content: file.content.clone().map(Into::into).filter(|_| kind != ActionKind::Delete),
        seen: file.seen,
        ..Action::new(kind, path)
    }
}

/// Whether an action says what it needs.
fn is_good(file: &FileAction) -> bool {
    let has_content = file.content.as_ref().is_some_and(|content| !content.trim().is_empty());
    let has_path = !file.path.trim().is_empty();
    match file.action {
        ActionName::Create => has_content,
        ActionName::Update => has_path && has_content,
        ActionName::Delete => has_path,
        ActionName::Move => {
            has_path && file.previous_path.as_ref().is_some_and(|path| !path.is_empty())
        }
    }
}

/// What others will read, for the spam rules.
pub(super) struct Texts<'t>(Vec<&'t str>);

/// Files that are written, whichever way they are said.
pub(super) trait Contents {
    fn texts(&self) -> Vec<&str>;
}

impl Contents for Vec<FileAction> {
    fn texts(&self) -> Vec<&str> {
        contents(self)
    }
}

impl Contents for FileChanges {
    fn texts(&self) -> Vec<&str> {
        self.contents()
    }
}

impl<'t> Texts<'t> {
    pub fn of(description: Option<&'t str>, files: &'t impl Contents) -> Texts<'t> {
        Texts(description.into_iter().chain(files.texts()).collect())
    }

    /// As one, as far as it is looked at.
    pub fn joined(&self) -> String {
        self.0.join("\n").chars().take(LOOKED_AT).collect()
    }
}

/// A snippet as it was made, for the log of spam.
pub(super) fn subject_of(author: &User, snippet: &Snippet) -> Subject {
    Subject {
        actor: Actor::User(Box::new(author.clone())),
        ip: snippet.ip_address.clone(),
        agent: snippet.user_agent.clone(),
        via_api: true,
        action: "create_snippet",
        target_type: "Snippet",
        noun: "snippet",
        title: snippet.title.clone(),
        text: snippet.text().to_owned(),
        solution: None,
        solved: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(action: ActionName, path: &str, content: Option<&str>) -> FileAction {
        let (path, content) = (path.to_owned(), content.map(str::to_owned));
        FileAction { action, path, content, ..FileAction::default() }
    }

    #[test]
    fn actions_say_what_they_need() {
        use ActionName::{Create, Delete, Move, Update};
        let moved = FileAction { previous_path: Some("a".into()), ..file(Move, "b", None) };
        let good = [
            file(Create, "", Some("x")),
            file(Update, "a", Some("x")),
            file(Delete, "a", None),
        ];
        assert!(good.iter().chain([&moved]).all(is_good));
        let bad = [
            file(Create, "a", None),
            file(Create, "a", Some(" \n")),
            file(Update, "", Some("x")),
            file(Update, "a", None),
            file(Delete, " ", None),
            file(Move, "a", None),
        ];
        for one in &bad {
            assert!(!is_good(one), "{one:?}");
        }
    }

    #[test]
    fn files_without_names_get_some() {
        let two =
            [file(ActionName::Create, "", Some("x")), file(ActionName::Create, "", Some("y"))];
        let there = ["snippetfile2.txt".to_owned()];
        let paths: Vec<String> = each(&two, &there)
            .expect("they are good")
            .into_iter()
            .map(|one| one.path)
            .collect();
        assert_eq!(paths, ["snippetfile3.txt", "snippetfile4.txt"]);
    }

    #[test]
    fn the_only_file_is_renamed_and_written() {
        let done = |name, content| {
            let files = of_only("a.rs", name, content);
            let made = each(&files, &[]).expect("they are good").pop();
            made.map(|one| (one.kind, one.path, one.previous_path, one.content.is_some()))
        };
        assert_eq!(done(None, None), None);
        assert_eq!(done(Some("a.rs"), None), None);
        let changed = (ActionKind::Update, "a.rs".to_owned(), None, true);
        assert_eq!(done(None, Some("x")), Some(changed));
        let moved =
            |written| (ActionKind::Move, "b.rs".to_owned(), Some("a.rs".to_owned()), written);
        assert_eq!(done(Some("b.rs"), None), Some(moved(false)));
        assert_eq!(done(Some("b.rs"), Some("x")), Some(moved(true)));
    }
}
