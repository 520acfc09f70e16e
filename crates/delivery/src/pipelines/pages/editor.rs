//! `…/-/ci/editor`: the pipeline file of a branch is written, looked at without running
//! it, and committed as the pages of code commit.

use super::graph::{Drawn, Graph};
use super::{Here, below};
use crate::pipelines::access::repository;
use crate::pipelines::create::{Creation, find, lint};
use crate::pipelines::files::USUAL_NAMES;
use crate::pipelines::model::Source;
use crate::pipelines::store::settings;
use ::store::Tx;
use askama::Template;
use code::line_ends;
use code::pages::parts::code_area::{CodeArea, code_area};
use code::pages::parts::commit_form::{CommitFields, CommitForm, Goal};
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui;
use kernel::http::{Flat, Params, Response, Routes, Text};
use repositories::edits::{self, Action as Edit, ActionKind, EditRequest, Start};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::Repository;
use repositories::objects::{self, Objects, Path};
use repositories::protection;
use repositories::store::refs;
use spaces::access::{self, Purpose};
use spaces::pages::{Section, Visit};

/// Bytes of a file that is edited here.
const LARGEST: u64 = 1024 * 1024;
/// What a new file begins as.
const SAMPLE: &str = "stages: [build, test]\n\ncompile:\n  stage: build\n  script:\n    \
                      - echo \"Build it here\"\n\nunit:\n  stage: test\n  script:\n    \
                      - echo \"Test it here\"\n";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("ci/editor"), show);
    r.page(Method::POST, &below("ci/editor"), change);
}

kernel::choices! {
    /// What the buttons of the page ask for.
    pub enum Action as "EditorAction" {
        Check = "check",
        Commit = "commit",
    }
}

kernel::params! {
    pub struct Asked {
        /// The default branch unless given.
        pub branch: Text,
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        pub branch: Text,
        pub action: Option<Action>,
        pub content: Text,
        /// The file that its writer has seen, by its object's name.
        pub seen: Text,
        pub commit: Flat<CommitFields>,
    }
}

/// A file as the branch has it.
#[derive(Debug, Clone)]
struct File {
    path: String,
    /// None: it is yet to be written.
    there: Option<(ObjectId, String)>,
}

/// What is wrong with a text, or what comes of it.
#[derive(Debug, Clone, Default)]
struct Checked {
    errors: Vec<String>,
    warnings: Vec<String>,
    jobs: Vec<Drawn>,
}

#[derive(Clone)]
struct EditorPage {
    visit: Visit,
    app: App,
    here: Here,
    branch: String,
    file: Result<File, &'static str>,
    goal: Goal,
    checked: Option<Checked>,
    /// What was typed, where it was only looked at.
    typed: Option<Form>,
}

async fn show(app: App, visit: Visit, asked: Params<Asked>) -> Result<Response> {
    let mut page = EditorPage::find(app.clone(), visit, &asked.branch).await?;
    if let Ok(File { there: Some((_, text)), .. }) = &page.file {
        page.checked = Some(page.check(text.clone()).await?);
    }
    form::show(&app, page).await
}

async fn change(app: App, visit: Visit, Params(sent): Params<Form>) -> Result<Response> {
    let mut page = EditorPage::find(app.clone(), visit, &sent.branch).await?;
    page.checked = Some(page.check(sent.content.to_string()).await?);
    if sent.action != Some(Action::Commit) {
        page.typed = Some(sent);
        return form::show(&app, page).await;
    }
    let done = page.commit(&sent).await;
    form::answer(&app, page, sent, done).await
}

/// The name of its pipeline file, where that stands in the project.
fn names(config_path: Option<String>) -> Result<Vec<String>, &'static str> {
    match config_path.filter(|path| !path.is_empty()) {
        None => Ok(USUAL_NAMES.iter().map(ToString::to_string).collect()),
        Some(path) if path.contains("://") || path.contains('@') => {
            Err("The file of this project stands elsewhere: its settings name the place.")
        }
        Some(path) => Ok(vec![path]),
    }
}

impl EditorPage {
    async fn find(app: App, visit: Visit, asked: &str) -> Result<EditorPage> {
        let (by, asked) = (visit.clone(), asked.trim().to_owned());
        let read = app.read(move |tx| {
            let here = Here::find(tx, &by.viewer, &by.address)?;
            if !access::may(tx, &by.viewer, &here.project, Purpose::PushCode)? {
                return Err(Error::forbidden(""));
            }
            let repository = repository(tx, &here.project)?;
            let branch = match asked.is_empty() {
                true => here.project.default_branch.clone().unwrap_or_else(|| "main".to_owned()),
                false => asked,
            };
            let commit = commit_of(tx, repository.as_ref(), &branch)?;
            let goal = goal(tx, &by, &here, (repository.as_ref(), &branch))?;
            let set = settings::of_project(tx, here.project.id)?;
            Ok((here, repository.zip(commit), branch, goal, set.config_path))
        });
        let (here, place, branch, goal, config_path) = read.await?;
        let file = match names(config_path) {
            Err(obstacle) => Err(obstacle),
            Ok(names) => file(&app, place, names).await?,
        };
        Ok(EditorPage {
            visit,
            app,
            here,
            branch,
            file,
            goal,
            checked: None,
            typed: None,
        })
    }

    /// What comes of a text for its branch.
    async fn check(&self, text: String) -> Result<Checked> {
        let creation = Creation {
            only_looks: true,
            ..Creation::new(self.here.project.id, &self.branch, Source::Push)
        };
        let wrong = |text: String| Checked { errors: vec![text], ..Checked::default() };
        let request = match find(&self.app, &self.visit.viewer, creation).await? {
            Ok(request) => request,
            Err(refused) => return Ok(wrong(refused.text)),
        };
        let text = text.replace("\r\n", "\n");
        Ok(match lint(&request, Some(text)).await? {
            None => wrong("There is no file".to_owned()),
            Some(worked) => Checked {
                errors: worked.errors(true),
                warnings: worked.warnings(),
                jobs: worked.jobs().iter().map(Drawn::planned).collect(),
            },
        })
    }

    async fn commit(&self, sent: &Form) -> Result<Outcome<EditorPage>> {
        let file = self.file.as_ref().map_err(|text| Error::Unprocessable((*text).into()))?;
        let branch = self.goal.branch(&sent.commit)?;
        let before = file.there.as_ref().map(|(_, text)| text.as_str()).unwrap_or_default();
        let content = line_ends::restored(before, &sent.content);
        let kind = match file.there {
            Some(_) => ActionKind::Update,
            None => ActionKind::Create,
        };
        let action = Edit {
            content: Some(content.into()),
            // A form that names nothing has seen nothing.
            seen: file.there.as_ref().map(|_| sent.seen.parse().unwrap_or(ObjectId::ZERO)),
            ..Edit::new(kind, &file.path)
        };
        let message = sent.commit.message(&format!("Update {}", file.path));
        let start = match &self.goal {
            Goal::Only(_) => None,
            Goal::Either(from) if *from == branch => None,
            Goal::Either(from) | Goal::New(from) => Some(Start::Branch(from.clone())),
        };
        let request = EditRequest { start, ..EditRequest::new(&branch, &message, vec![action]) };
        let project = &self.here.project;
        match edits::commit(&self.app, &self.visit.viewer, project, request).await? {
            Ok(_) => Outcome::led(
                spaces::pages::filtered(&self.here.url("ci/editor"), &[("branch", &branch)]),
                format!("Committed to {branch}."),
            ),
            Err(refused) if refused.text.starts_with("A branch called") => {
                Err(Error::invalid("branch_name", refused.text))
            }
            Err(refused) => Ok(Outcome::Refused(refused.text)),
        }
    }
}

fn commit_of(
    tx: &mut Tx<'_>, repository: Option<&Repository>, branch: &str,
) -> Result<Option<ObjectId>> {
    let (Some(repository), Ok(name)) = (repository, RefName::branch(branch)) else {
        return Ok(None);
    };
    let found = refs::some(tx, repository.id, &[name])?;
    Ok(found.first().map(|one| one.peeled_id.unwrap_or(one.object_id)))
}

/// Where a change goes; 404 for a branch that is not there, but the first.
fn goal(
    tx: &mut Tx<'_>, visit: &Visit, here: &Here, (repository, branch): (Option<&Repository>, &str),
) -> Result<Goal> {
    let is_empty = match repository {
        Some(repository) => refs::first_branches(tx, repository.id, 1)?.is_empty(),
        None => true,
    };
    let pushes = protection::may_push(tx, &visit.viewer, &here.project, repository, branch)?;
    match (is_empty, pushes) {
        (true, true) => Ok(Goal::Only(branch.to_owned())),
        (true, false) => Err(Error::forbidden("")),
        (false, _) if commit_of(tx, repository, branch)?.is_none() => {
            Err(Error::NotFound("Branch"))
        }
        (false, true) => Ok(Goal::Either(branch.to_owned())),
        (false, false) => Ok(Goal::New(branch.to_owned())),
    }
}

/// The file under the first of these names that is there.
async fn file(
    app: &App, place: Option<(Repository, ObjectId)>, names: Vec<String>,
) -> Result<Result<File, &'static str>> {
    // The usual name is the last of them.
    let new = names.last().cloned().unwrap_or_default();
    let Some((repository, commit)) = place else {
        return Ok(Ok(File { path: new, there: None }));
    };
    let found = objects::read(app, &repository, move |objects: &Objects| {
        let Some(commit) = objects.commits(&[commit])?.into_iter().next() else {
            return Ok(None);
        };
        for name in &names {
            let Ok(path) = Path::read(name) else { continue };
            if let Some(entry) = objects.entry(commit.tree, &path)?
                && let Some(blob) = objects.blob(entry.id, LARGEST)?
            {
                return Ok(Some((name.clone(), entry.id, blob.content)));
            }
        }
        Ok(None)
    });
    Ok(match found.await? {
        None => Ok(File { path: new, there: None }),
        Some((path, id, Some(bytes))) => match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(File { path, there: Some((id, text.to_owned())) }),
            Err(_) => Err("The file is no text."),
        },
        Some((_, _, None)) => Err("The file is too large to be edited here."),
    })
}

impl FormPage for EditorPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["commit_message", "branch_name"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Pipeline editor")
    }

    fn view(&self, _: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let sent = typed.form.as_ref().or(self.typed.as_ref());
        let (path, there) = match &self.file {
            Ok(file) => (file.path.as_str(), file.there.as_ref()),
            Err(_) => ("", None),
        };
        let usual = format!("Update {path}");
        let commit = CommitForm::new(&self.app, &self.visit.viewer, self.goal.clone(), &usual);
        let stored = || there.map_or(SAMPLE, |(_, text)| text.as_str());
        let seen = there.map(|(id, _)| id.to_string()).unwrap_or_default();
        let checked = self.checked.clone();
        Ok(View {
            page: self.here.head.page(page, Section::Editor),
            url: self.here.url("ci/editor"),
            branch: self.branch.clone(),
            path: path.to_owned(),
            is_new: there.is_none(),
            obstacle: self.file.as_ref().err().copied(),
            content: sent.map_or_else(|| stored().to_owned(), |form| form.content.to_string()),
            seen: sent.map_or(seen, |form| form.seen.to_string()),
            commit: commit.typed(sent.map(|form| &form.commit.0), &typed.errors),
            result: checked.map(|checked| Shown {
                errors: checked.errors,
                warnings: checked.warnings,
                count: checked.jobs.len() as u64,
                graph: Graph::of(checked.jobs),
            }),
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<EditorPage>> {
        Err(Error::internal("a file is committed outside of one transaction"))
    }
}

/// What came of a look at a text.
struct Shown {
    errors: Vec<String>,
    warnings: Vec<String>,
    count: u64,
    graph: Graph,
}

#[derive(Template)]
#[template(path = "pipeline_editor.html")]
pub struct View {
    page: Page,
    url: String,
    branch: String,
    path: String,
    is_new: bool,
    obstacle: Option<&'static str>,
    content: String,
    seen: String,
    commit: CommitForm,
    result: Option<Shown>,
}

impl View {
    fn area(&self) -> CodeArea {
        code_area("content", "Pipeline file", &self.content)
    }

    /// Whether it is there, in a word.
    fn place(&self) -> String {
        match self.is_new {
            true => format!("not yet in {}", self.branch),
            false => format!("in {}", self.branch),
        }
    }
}
