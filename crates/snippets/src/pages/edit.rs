//! Snippets are written and changed: some files in one form.

use super::slots::{Slot, Slots};
use super::{MAX_FORM, OWN, SnippetVisit, below, maker_home};
use crate::access::Home;
use crate::files::{self, File};
use crate::model::Snippet;
use crate::rules::{self, FileChanges, SnippetChange, SnippetInput};
use askama::Template;
use code::pages::parts::code_area::{CodeArea, code_area};
use code::text;
use http::Method;
use identity::pages::challenge::{Challenge, Solved};
use identity::pages::refusal::{Refusal, outcome};
use kernel::error::{Error, Result};
use kernel::html::ui::{self, Choice};
use kernel::html::{Html, Page, flash};
use kernel::http::params::Text;
use kernel::http::{Params, Patch, RequestContext, Response, Routes};
use planning::guarded::Writer;
use spaces::model::Visibility;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of a file that is edited here.
const MOST: u64 = 1024 * 1024;
const FIELDS: &[&str] = &["title", "description", "files"];

pub(super) fn routes(r: &mut Routes, base: &str, one: &str) {
    r.page(Method::GET, &format!("{base}/new"), ask_new);
    r.page(Method::POST, &format!("{base}/new"), create).takes(MAX_FORM);
    r.page(Method::GET, &format!("{one}/edit"), ask);
    r.page(Method::POST, &format!("{one}/edit"), change).takes(MAX_FORM);
}

kernel::choices! {
    #[derive(Default)]
    pub enum Deed {
        #[default]
        Save = "save",
        /// Show the form again with one more file.
        More = "more",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        pub action: Option<Deed>,
        pub title: Text,
        pub description: Text,
        pub visibility: Option<Visibility>,
        pub files: Slots,
    }
}

#[derive(Template)]
#[template(path = "snippet_form.html")]
struct FormView {
    page: Page,
    title: &'static str,
    /// Where the form goes, and where one goes who writes nothing.
    url: String,
    back: String,
    is_new: bool,
    typed: Form,
    /// Files that are no texts: they can be renamed and deleted.
    fixed: Vec<String>,
    refusal: Refusal,
}

impl FormView {
    fn visibilities(&self) -> Vec<Choice> {
        Choice::list(&[
            ("private", "Private: its author, or members of the project"),
            ("internal", "Internal: everyone who is signed in"),
            ("public", "Public: everyone"),
        ])
    }

    fn visibility(&self) -> Visibility {
        self.typed.visibility.unwrap_or(Visibility::Private)
    }

    fn is_fixed(&self, slot: &Slot) -> bool {
        self.fixed.iter().any(|path| *path == *slot.previous)
    }

    fn area(&self, number: &usize, slot: &Slot) -> CodeArea {
        let label = format!("Content of file {}", number + 1);
        code_area(format!("files[{number}][content]"), label, &slot.content)
    }

    fn can_add(&self) -> bool {
        self.typed.files.0.len() < crate::model::MOST_FILES
    }
}

/// A snippet that is changed, with its files.
struct Stored {
    snippet: Snippet,
    home: Home,
    files: Vec<File>,
}

impl Stored {
    async fn find(visit: &SnippetVisit) -> Result<Stored> {
        visit.viewer.signed_in()?;
        let by = visit.clone();
        let found = visit.app.read(move |tx| by.which().to_change(tx, &by.viewer)).await?;
        let repository = files::repository(&visit.app, &found.snippet).await?;
        let files = files::all(&visit.app, &repository, &found.snippet, MOST).await?;
        Ok(Stored { snippet: found.snippet, home: found.home, files })
    }

    /// The texts of those that are edited.
    fn texts(&self) -> HashMap<String, String> {
        let text = |file: &File| {
            let letters = text::letters(file.blob.content.as_deref()?)?;
            Some((file.path.to_string(), letters.into_owned()))
        };
        self.files.iter().filter_map(text).collect()
    }

    fn form(&self) -> Form {
        let texts = self.texts();
        let slot = |file: &File| {
            let path = file.path.to_string();
            Slot {
                content: texts.get(&path).cloned().unwrap_or_default().into(),
                previous: path.clone().into(),
                path: path.into(),
                seen: file.blob.id.to_string().into(),
                gone: None,
            }
        };
        Form {
            title: self.snippet.title.clone().into(),
            description: self.snippet.text().to_owned().into(),
            visibility: Some(self.snippet.visibility()),
            files: Slots(self.files.iter().map(slot).collect()),
            action: None,
        }
    }

    fn fixed(&self) -> Vec<String> {
        let texts = self.texts();
        let paths = self.files.iter().map(|file| file.path.to_string());
        paths.filter(|path| !texts.contains_key(path)).collect()
    }
}

async fn ask_new(visit: SnippetVisit) -> Result<Response> {
    visit.viewer.signed_in()?;
    render_new(visit, Form::default(), Refusal::default()).await
}

async fn create(
    visit: SnippetVisit, request: Arc<RequestContext>, form: Params<Form>, Solved(solution): Solved,
) -> Result<Response> {
    visit.viewer.signed_in()?;
    let form = form.0;
    if form.action == Some(Deed::More) {
        return render_new(visit, form.more(), Refusal::default()).await;
    }
    let input = SnippetInput {
        title: form.title.trim().to_owned(),
        description: Some(form.description()).filter(|text| !text.is_empty()),
        visibility: form.visibility.unwrap_or(Visibility::Private),
        files: form.files.actions(|_| None),
    };
    let writer = Writer::by_form(visit.viewer.clone(), request, solution);
    let project = visit.project().cloned();
    let made = rules::create(&visit.app, writer, project, input).await.map_err(in_form);
    match outcome(&visit.app, made, FIELDS).await? {
        Ok(snippet) => flash::done(&visit.app, &snippet.path(), "Snippet created."),
        Err(refusal) => render_new(visit, form, refusal).await,
    }
}

async fn ask(visit: SnippetVisit) -> Result<Response> {
    let stored = Stored::find(&visit).await?;
    let form = stored.form();
    render(visit, &stored, form, Refusal::default()).await
}

async fn change(
    visit: SnippetVisit, request: Arc<RequestContext>, form: Params<Form>, Solved(solution): Solved,
) -> Result<Response> {
    let form = form.0;
    let stored = Stored::find(&visit).await?;
    if form.action == Some(Deed::More) {
        return render(visit, &stored, form.more(), Refusal::default()).await;
    }
    let texts = stored.texts();
    let change = SnippetChange {
        title: Some(form.title.trim().to_owned()),
        description: match form.description() {
            text if text.is_empty() => Patch::Null,
            text => Patch::Value(text),
        },
        visibility: form.visibility,
        files: FileChanges::Each(form.files.actions(|path| texts.get(path).cloned())),
    };
    let writer = Writer::by_form(visit.viewer.clone(), request, solution);
    let which = visit.which();
    let changed = rules::update(&visit.app, writer, which, change).await.map_err(in_form);
    match outcome(&visit.app, changed, FIELDS).await? {
        Ok(snippet) => flash::done(&visit.app, &snippet.path(), "Snippet saved."),
        Err(refusal) => render(visit, &stored, form, refusal).await,
    }
}

impl Form {
    fn description(&self) -> String {
        self.description.trim_end().replace("\r\n", "\n")
    }

    fn more(self) -> Form {
        Form { files: self.files.with_one_more(), ..self }
    }

    /// With a place for the first file.
    fn begun(self) -> Form {
        match self.files.0.is_empty() {
            true => self.more(),
            false => self,
        }
    }
}

/// What is wrong with the files, above the form.
fn in_form(error: Error) -> Error {
    let text = match &error {
        Error::Exact(400 | 422, told) => told["message"]["error"].as_str().map(str::to_owned),
        _ => None,
    };
    match text {
        Some(text) if text.contains(repositories::edits::CHANGED) => Error::Unprocessable(
            "Somebody else changed a file meanwhile. Copy what you typed, and open the snippet \
             again."
                .into(),
        ),
        Some(text) if text.contains("invalid data") => {
            Error::Unprocessable("Each file needs a name and a content.".into())
        }
        Some(text) => Error::Unprocessable(text),
        None => error,
    }
}

async fn render_new(visit: SnippetVisit, typed: Form, refusal: Refusal) -> Result<Response> {
    let shown = refusal.page(&visit.app, &visit.viewer, "New snippet");
    let by = visit.clone();
    let found = visit.app.read(move |tx| {
        let home = maker_home(tx, &by)?;
        Ok((below(tx, &by.viewer, &home, shown.clone())?, home))
    });
    let (page, home) = found.await?;
    let list = match &home {
        Home::Project(project, _) => format!("/{}/-/snippets", project.full_path),
        Home::Person { .. } => OWN.to_owned(),
    };
    answer(FormView {
        page,
        title: "New snippet",
        url: format!("{list}/new"),
        back: list,
        is_new: true,
        typed: typed.begun(),
        fixed: Vec::new(),
        refusal,
    })
}

async fn render(
    visit: SnippetVisit, stored: &Stored, typed: Form, refusal: Refusal,
) -> Result<Response> {
    let shown = refusal.page(&visit.app, &visit.viewer, "Edit snippet");
    let (viewer, home) = (visit.viewer.clone(), stored.home.clone());
    let page = visit.app.read(move |tx| below(tx, &viewer, &home, shown.clone())).await?;
    let back = stored.snippet.path();
    answer(FormView {
        page: page.crumb(&stored.snippet.title, &back),
        title: "Edit snippet",
        url: format!("{back}/edit"),
        back,
        is_new: false,
        typed,
        fixed: stored.fixed(),
        refusal,
    })
}

fn answer(view: FormView) -> Result<Response> {
    let status = view.refusal.status();
    let html = Challenge::allow(view.refusal.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}
