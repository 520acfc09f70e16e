//! The page of a change: its form, and the commit that comes of it.

use super::sending;
use super::site::{File, Site};
use super::task::{KEEP, Task};
use crate::line_ends;
use crate::pages::parts::code_area::{self, CodeArea};
use crate::pages::parts::commit_form::{CommitFields, CommitForm, Goal};
use askama::Template;
use bytes::Bytes;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{FormPage, Outcome, Typed};
use kernel::html::ui;
use kernel::html::{Errors, Page};
use kernel::http::{Flat, Text};
use repositories::edits::{self, Action, ActionKind, EditRequest, Refused, Start};
use repositories::formats::object_id::ObjectId;
use repositories::objects::Path;
use spaces::pages::{Section, SpaceHead};
use store::Tx;

kernel::params! {
    /// What the form of a change sends.
    #[derive(Default)]
    pub struct Form {
        /// Where the file or folder shall be.
        pub file_path: Text,
        /// What the file shall hold.
        pub content: Text,
        /// The file that its writer has seen, by its object's name.
        pub seen: Text,
        /// The commit that it was seen in.
        pub seen_in: Text,
        /// What is there by now, which the writer was told of.
        pub seen_since: Text,
        /// What others wrote meanwhile shall go.
        pub overwrite: Option<bool>,
        pub commit: Flat<CommitFields>,
    }
}

/// A form with the name and bytes of its file.
#[derive(Debug, Clone, Default)]
pub struct Sent {
    pub form: Form,
    pub file: Option<(String, Bytes)>,
}

/// A page on which a file or folder is changed.
#[derive(Clone)]
pub struct Change {
    site: Site,
    task: Task,
    file: Option<File>,
}

impl Change {
    pub async fn find(site: Site, task: Task) -> Result<Change> {
        let file = match task.has_file() {
            true => site.file().await?,
            false => None,
        };
        if !task.has_file() && !site.has_folder(&site.path).await? {
            return Err(Error::NotFound("Tree"));
        }
        Ok(Change { site, task, file })
    }

    /// The same as it is by now, if it can still be found.
    pub async fn again(self) -> Change {
        let found = match Site::find(self.site.visit.clone()).await {
            Ok(site) => Change::find(site, self.task).await,
            Err(error) => Err(error),
        };
        found.unwrap_or(self)
    }

    /// That there is a file where the page is about one.
    pub fn check(&self) -> Result<()> {
        match self.file.is_none() && self.task.has_file() {
            true => Err(Error::NotFound("File")),
            false => Ok(()),
        }
    }

    /// Commits what a form asks for.
    pub async fn commit(&self, sent: &Sent) -> Result<Outcome<Change>> {
        let fields = &sent.form.commit;
        let branch = self.site.goal.branch(fields)?;
        let (action, path) = self.action(sent)?;
        if self.task == Task::Folder && self.site.has_folder(&path).await? {
            return Err(self.wrong_path("A directory with this name already exists".into()));
        }
        let message = fields.message(&self.task.message(&self.site.path, path.as_str()));
        let request = EditRequest {
            start: self.start(&branch),
            ..EditRequest::new(&branch, &message, vec![action])
        };
        let (app, viewer) = (&self.site.visit.app, &self.site.visit.viewer);
        let project = &self.site.head.code.project;
        let made = edits::commit(app, viewer, project, request).await?;
        let commit = made.map_err(|refused| self.refusal(refused))?;
        let to = match self.task {
            Task::Delete => {
                let folder = self.site.nearest(&commit, &self.site.path).await?;
                self.site.address("tree", &branch, &folder)
            }
            Task::Folder => self.site.address("tree", &branch, &path),
            _ => self.site.address("blob", &branch, &path),
        };
        Outcome::led(to, self.task.done(&branch))
    }

    /// What a new branch begins with.
    fn start(&self, branch: &str) -> Option<Start> {
        let commit = self.site.commit.as_ref()?;
        match &self.site.goal {
            Goal::Only(from) | Goal::Either(from) if from == branch => None,
            Goal::Only(from) | Goal::Either(from) => Some(Start::Branch(from.clone())),
            // It may be a tag or a commit, or a branch that moved since: as it was seen.
            Goal::New(_) => Some(Start::Id(commit.id.to_string())),
        }
    }

    /// What is done, and where the file or folder is then.
    fn action(&self, sent: &Sent) -> Result<(Action, Path)> {
        let (form, old) = (&sent.form, &self.site.path);
        let path = typed_path(self.task, form);
        let at = |kind, path: &str| Action::new(kind, path);
        let action = match self.task {
            Task::Edit => self.edit(form)?,
            Task::New => Action {
                content: Some(line_ends::restored("", &form.content).into()),
                ..at(ActionKind::Create, &path)
            },
            Task::Folder => at(ActionKind::Create, &format!("{path}/{KEEP}")),
            Task::Upload => {
                let (name, bytes) = sending::file(sent)?;
                let path = old.below(&name).to_string();
                Action { content: Some(bytes), ..at(ActionKind::Create, &path) }
            }
            Task::Replace => Action {
                content: Some(sending::file(sent)?.1),
                seen: self.seen(form),
                ..at(ActionKind::Update, old.as_str())
            },
            Task::Move => Action {
                previous_path: Some(old.to_string()),
                seen: self.seen(form),
                ..at(ActionKind::Move, &path)
            },
            Task::Delete => Action {
                seen: self.seen(form),
                ..at(ActionKind::Delete, old.as_str())
            },
        };
        let shown = match self.task {
            Task::Folder => edits::file_path(&path),
            _ => edits::file_path(&action.path),
        };
        shown.map(|path| (action, path)).map_err(|text| self.wrong_path(text))
    }

    /// A text in place of the one that is there, perhaps under another name.
    fn edit(&self, form: &Form) -> Result<Action> {
        let (path, old) = (typed_path(self.task, form), self.site.path.as_str());
        let path = if path.is_empty() { old.to_owned() } else { path };
        let Some(file) = &self.file else {
            // It went meanwhile. Its writer may want it all the same.
            let kind = match form.overwrite {
                Some(true) => ActionKind::Create,
                _ => ActionKind::Update,
            };
            let content = Some(line_ends::restored("", &form.content).into());
            return Ok(Action { content, seen: None, ..Action::new(kind, path) });
        };
        let before = match &file.text {
            Ok(text) => text.as_str(),
            Err(obstacle) => return Err(Error::Unprocessable(obstacle.text().into())),
        };
        let content = Some(line_ends::restored(before, &form.content).into());
        let seen = self.seen(form);
        Ok(match path == old {
            true => Action { content, seen, ..Action::new(ActionKind::Update, path) },
            false => Action {
                content,
                seen,
                previous_path: Some(old.to_owned()),
                ..Action::new(ActionKind::Move, path)
            },
        })
    }

    /// The object that the file must be for its writer.
    fn seen(&self, form: &Form) -> Option<ObjectId> {
        let seen = match form.overwrite {
            Some(true) if !form.seen_since.is_empty() => &form.seen_since,
            _ => &form.seen,
        };
        // A form without it was written by no page of ours: it changes nothing blindly.
        Some(seen.parse().unwrap_or(ObjectId::ZERO))
    }

    fn wrong_path(&self, text: String) -> Error {
        match self.task.has_path() {
            true => Error::invalid("file_path", text),
            false => Error::Unprocessable(text),
        }
    }

    /// A refusal, beside the field it is about.
    fn refusal(&self, refused: Refused) -> Error {
        let text = refused.text;
        if text.starts_with("A branch called") || text.starts_with("Something went wrong") {
            return Error::invalid("branch_name", text);
        }
        let is_of_path =
            refused.action.is_some() && self.file.is_some() && !text.starts_with(edits::CHANGED);
        match is_of_path || text.ends_with("already exists") {
            true => self.wrong_path(text),
            false => Error::Unprocessable(text),
        }
    }

    /// Something else is there than what the writer has seen.
    fn conflict(&self, form: &Form) -> Option<Conflict> {
        let seen = form.seen.parse::<ObjectId>().ok()?;
        let now = self.file.as_ref().map(|file| file.entry.id);
        if now == Some(seen) {
            return None;
        }
        let commit = self.site.commit.as_ref()?;
        let url = self.site.head.url();
        let seen_in = form.seen_in.parse::<ObjectId>().ok();
        Some(Conflict {
            changes: seen_in
                .filter(|seen_in| *seen_in != commit.id)
                .map(|seen_in| format!("{url}/-/compare/{seen_in}...{}", commit.id)),
            history: self.site.here("commits", &self.site.path),
            now: now.map(|id| id.to_string()).unwrap_or_default(),
            text: self.file.as_ref().and_then(|file| file.text.clone().ok()),
            is_gone: now.is_none(),
        })
    }
}

/// The path that was typed: spaces around it are nobody's wish.
fn typed_path(task: Task, form: &Form) -> String {
    let path = form.file_path.trim();
    match task {
        Task::Folder => path.trim_end_matches('/').to_owned(),
        _ => path.to_owned(),
    }
}

/// What became of the file while somebody wrote.
struct Conflict {
    /// What changed, if anything of it is known.
    changes: Option<String>,
    history: String,
    /// The object that is there by now.
    now: String,
    /// What it holds.
    text: Option<String>,
    is_gone: bool,
}

#[derive(Template)]
#[template(path = "change.html")]
pub struct View {
    page: Page,
    head: SpaceHead,
    task: Task,
    url: String,
    back: String,
    /// Why there is no form.
    obstacle: Option<&'static str>,
    is_pointer: bool,
    replace_url: String,
    file_path: String,
    content: String,
    is_markdown: bool,
    seen: String,
    seen_in: String,
    conflict: Option<Conflict>,
    commit: CommitForm,
    errors: Errors,
}

impl View {
    fn area(&self) -> CodeArea {
        code_area::code_area("content", "Content", &self.content)
    }

    fn path_field(&self) -> ui::Field {
        let (label, hint) = self.task.path_label();
        let field = ui::input("file_path", label, &self.file_path).required().hint(hint);
        field.error(self.errors.of("file_path"))
    }
}

impl FormPage for Change {
    type Form = Sent;
    type View = View;
    const FIELDS: &'static [&'static str] =
        &["file_path", "content", "file", "commit_message", "branch_name"];

    fn page(&self, _: &App) -> Page {
        self.site.visit.page(&self.task.title(&self.site.path))
    }

    fn view(&self, _: &mut Tx<'_>, page: Page, typed: &Typed<Sent>) -> Result<View> {
        let (site, task) = (&self.site, self.task);
        let mut page = site.head.page(page, Section::Files);
        let mut above = Path::default();
        page = page.crumb(&site.name, site.here("tree", &above));
        for part in site.path.parts() {
            above = above.below(part);
            let is_file = task.has_file() && above == site.path;
            page = page.crumb(part, site.here(if is_file { "blob" } else { "tree" }, &above));
        }
        let form = typed.form.as_ref().map(|sent| &sent.form);
        let (app, viewer) = (&site.visit.app, &site.visit.viewer);
        let usual = task.message(&site.path, "");
        let commit = CommitForm::new(app, viewer, site.goal.clone(), &usual);
        let file = self.file.as_ref();
        let is_edit = task == Task::Edit;
        let text = file.filter(|_| is_edit).map(|file| file.text.as_deref());
        let opened = text.and_then(|text| text.ok()).unwrap_or_default().to_owned();
        let obstacle = text.and_then(|text| text.err()).map(|obstacle| obstacle.text());
        let in_commit = site.commit.as_ref().map(|commit| commit.id.to_string());
        let is_markdown = [".md", ".markdown", ".mkd"]
            .iter()
            .any(|ending| site.path.as_str().to_ascii_lowercase().ends_with(ending));
        Ok(View {
            page,
            head: site.head.head.clone(),
            task,
            url: site.here(task.page(), &site.path),
            back: task.back(site),
            obstacle: obstacle.filter(|_| form.is_none()),
            is_pointer: file.is_some_and(|file| file.is_pointer),
            replace_url: site.here("replace", &site.path),
            file_path: form
                .map_or_else(|| task.begins_with(&site.path), |form| form.file_path.to_string()),
            content: form.map_or(opened, |form| form.content.replace("\r\n", "\n")),
            is_markdown: is_edit && is_markdown,
            seen: match form {
                Some(form) => form.seen.to_string(),
                None => file.map(|file| file.entry.id.to_string()).unwrap_or_default(),
            },
            seen_in: match form {
                Some(form) => form.seen_in.to_string(),
                None => in_commit.unwrap_or_default(),
            },
            conflict: form.filter(|_| task.has_file()).and_then(|form| self.conflict(form)),
            commit: commit.typed(form.map(|form| &*form.commit), &typed.errors),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Sent) -> Result<Outcome<Self>> {
        Err(Error::internal("a commit is made outside of a transaction"))
    }
}
