//! What is done to a file or folder on a page.

use super::site::Site;
use repositories::objects::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Edit,
    New,
    Folder,
    Upload,
    Replace,
    Move,
    Delete,
}

/// The file that a folder is made with: git keeps no empty ones.
pub const KEEP: &str = ".gitkeep";

impl Task {
    /// What its address has in front of the ref.
    pub fn page(self) -> &'static str {
        match self {
            Task::Edit => "edit",
            Task::New => "new",
            Task::Folder => "new_folder",
            Task::Upload => "upload",
            Task::Replace => "replace",
            Task::Move => "move",
            Task::Delete => "delete",
        }
    }

    /// The heading of its page.
    pub fn title(self, path: &Path) -> String {
        match self {
            Task::Edit => format!("Edit {}", path.name()),
            Task::New => "New file".into(),
            Task::Folder => "New folder".into(),
            Task::Upload => "Upload a file".into(),
            Task::Replace => format!("Replace {}", path.name()),
            Task::Move => format!("Move {}", path.name()),
            Task::Delete => format!("Delete {}", path.name()),
        }
    }

    /// What its button says.
    pub fn button(self) -> &'static str {
        match self {
            Task::Edit => "Commit changes",
            Task::New => "Create file",
            Task::Folder => "Create folder",
            Task::Upload => "Upload file",
            Task::Replace => "Replace file",
            Task::Move => "Move file",
            Task::Delete => "Delete file",
        }
    }

    /// It is about a file that is there.
    pub fn has_file(self) -> bool {
        matches!(self, Task::Edit | Task::Replace | Task::Move | Task::Delete)
    }

    /// Its form holds a text.
    pub fn has_text(self) -> bool {
        matches!(self, Task::Edit | Task::New)
    }

    /// Its form holds a file.
    pub fn has_upload(self) -> bool {
        matches!(self, Task::Upload | Task::Replace)
    }

    /// Its form names a path.
    pub fn has_path(self) -> bool {
        !matches!(self, Task::Upload | Task::Replace | Task::Delete)
    }

    /// The label of that, and what it explains.
    pub fn path_label(self) -> (&'static str, &'static str) {
        match self {
            Task::Folder => ("Folder", "A slash begins a folder below."),
            Task::Move => ("New path", "Folders that are not there are made: a slash begins one."),
            _ => ("Path", "Folders that are not there are made: a slash begins one."),
        }
    }

    /// The path that its form begins with.
    pub fn begins_with(self, path: &Path) -> String {
        match self {
            Task::Edit | Task::Move => path.to_string(),
            _ if path.is_root() => String::new(),
            _ => format!("{path}/"),
        }
    }

    /// What the commit says unless something else was typed.
    pub fn message(self, before: &Path, after: &str) -> String {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        match self {
            Task::New | Task::Upload if after.is_empty() => "Add a file".into(),
            Task::New | Task::Upload => format!("Add {}", name(after)),
            Task::Folder if after.is_empty() => "Add a folder".into(),
            Task::Folder => format!("Add {after}"),
            Task::Edit if before.as_str() != after && !after.is_empty() => {
                format!("Move {before} to {after}")
            }
            Task::Edit => format!("Update {}", before.name()),
            Task::Replace => format!("Replace {}", before.name()),
            Task::Move if after.is_empty() || before.as_str() == after => {
                format!("Move {}", before.name())
            }
            Task::Move => format!("Move {before} to {after}"),
            Task::Delete => format!("Delete {}", before.name()),
        }
    }

    /// What is said once it is done.
    pub fn done(self, branch: &str) -> String {
        let what = match self {
            Task::Edit => "Your changes are",
            Task::New => "The file is",
            Task::Folder => "The folder is",
            Task::Upload => "The upload is",
            Task::Replace => "The new file is",
            Task::Move => "The move is",
            Task::Delete => "The deletion is",
        };
        format!("{what} committed to {branch}.")
    }

    /// Where its page leads back to.
    pub fn back(self, site: &Site) -> String {
        match self.has_file() {
            true => site.here("blob", &site.path),
            false => site.here("tree", &site.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_say_what_was_done() {
        let path = Path::read("docs/a.md").unwrap();
        for (task, after, wanted) in [
            (Task::Edit, "docs/a.md", "Update a.md"),
            (Task::Edit, "docs/b.md", "Move docs/a.md to docs/b.md"),
            (Task::New, "docs/new.md", "Add new.md"),
            (Task::Folder, "docs/deep", "Add docs/deep"),
            (Task::Move, "b.md", "Move docs/a.md to b.md"),
            (Task::Delete, "", "Delete a.md"),
            (Task::Replace, "", "Replace a.md"),
        ] {
            assert_eq!(task.message(&path, after), wanted);
        }
        assert_eq!(Task::New.begins_with(&path.folder()), "docs/");
        assert_eq!(Task::Folder.begins_with(&Path::default()), "");
    }
}
