//! A snippet with its files, and what is said about it.

use super::lists::author;
use super::{OWN, SnippetVisit, below};
use crate::access::SnippetAccess;
use crate::entity::{authors, raw_path};
use crate::files::{self, File};
use crate::model::Snippet;
use crate::rules::{self, Which};
use crate::talk::{SNIPPET, noteable, thing};
use ::store::Tx;
use askama::Template;
use code::highlight;
use code::pages::parts::clone::CloneBox;
use code::pages::parts::lines::SourceLines;
use code::text;
use http::Method;
use identity::pages::challenge::Challenge;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Moment, Page, Pages, flash, ui};
use kernel::http::{Call, FromCall, Paging, Params, RequestContext, Response, Routes, reply};
use kernel::media;
use planning::access::Desk;
use planning::guarded::NoteablePath;
use planning::pages::notes::{NotePage, Person, StoryQuery};
use planning::pages::talk::{
    self, ENTRIES, Here, StoryReader, TalkForms, TalkPage, TalkView, Writing,
};
use planning::rules::awards;
use planning::rules::comments::Talk;
use planning::rules::references::Links;
use planning::store::awards::{self as award_rows, Awardable};
use planning::store::threads::Resolves;
use spaces::model::Visibility;
use std::sync::Arc;

/// Bytes of a file that is shown, and its lines.
const MOST: u64 = 1024 * 1024;
const MOST_LINES: usize = 10_000;

pub(super) fn routes(r: &mut Routes, one: &str) {
    r.page(Method::GET, one, show);
    r.page(Method::POST, one, act);
    talk::routes::<SnippetPage>(r, one);
}

/// What a page shows of a file.
#[derive(Clone)]
enum Content {
    Lines(SourceLines),
    Picture,
    Empty,
    TooLarge,
    Binary,
}

#[derive(Clone)]
struct FileView {
    /// Names it on the page.
    id: String,
    name: String,
    size: u64,
    raw_url: String,
    content: Content,
}

impl FileView {
    fn is_text(&self) -> bool {
        matches!(self.content, Content::Lines(_))
    }
}

#[derive(Template)]
#[template(path = "snippet.html")]
struct SnippetView {
    page: Page,
    url: String,
    title: String,
    reference: String,
    visibility: Visibility,
    is_spam: bool,
    author: Person,
    created_at: Moment,
    closed_at: Option<Moment>,
    description: String,
    files: Vec<FileView>,
    /// Bytes of all.
    size: u64,
    clone: CloneBox,
    may_change: bool,
    votes: i64,
    upvoted: bool,
    may_award: bool,
    is_part: bool,
    talk: TalkView,
}

/// A page with forms about a snippet, for somebody signed in.
#[derive(Clone)]
pub struct SnippetPage {
    visit: SnippetVisit,
    paging: Paging,
}

impl FromCall for SnippetPage {
    async fn from_call(call: &mut Call) -> Result<SnippetPage> {
        let visit = SnippetVisit::from_call(call).await?;
        visit.viewer.signed_in()?;
        Ok(SnippetPage { visit, paging: Paging::from_call(call).await? })
    }
}

impl TalkPage for SnippetPage {
    type Spot = Which;

    fn viewer(&self) -> &Viewer {
        &self.visit.viewer
    }

    fn paging(&self) -> &Paging {
        &self.paging
    }

    fn here(&self, tx: &mut Tx<'_>) -> Result<Here<Which>> {
        let found = self.visit.which().find(tx, &self.visit.viewer)?;
        Ok(Here {
            spot: self.visit.which(),
            url: found.snippet.path(),
            noteable: noteable(&found.snippet),
            is_reporter: false,
        })
    }

    async fn again(self, _: &App, typed: TalkForms) -> Result<Response> {
        let found = self.visit.find().await?;
        render(self.visit, found, StoryQuery::default(), self.paging, typed).await
    }
}

async fn show(
    visit: SnippetVisit, asked: Params<StoryQuery>, paging: Paging, request: Arc<RequestContext>,
) -> Result<Response> {
    let found = visit.find().await?;
    if visit.is_elsewhere(&found) {
        let query = request.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return reply::redirect(&format!("{}{query}", found.snippet.path()));
    }
    let typed = TalkForms::untyped(&asked);
    render(visit, found, asked.0, paging, typed).await
}

async fn render(
    visit: SnippetVisit, found: SnippetAccess, asked: StoryQuery, paging: Paging, typed: TalkForms,
) -> Result<Response> {
    let files = views(&visit.app, &found.snippet).await?;
    let shown = typed.refusal.page(&visit.app, &visit.viewer, &found.snippet.title);
    let (status, challenge) = (typed.refusal.status(), typed.refusal.challenge.clone());
    let paging = Paging { per_page: ENTRIES, ..paging };
    let base_url = visit.app.base_url().to_owned();
    let ssh_url = visit.app.ssh_url(&format!("{}.git", found.snippet.repository_path()));
    let viewer = visit.viewer.clone();
    let view = kernel::markup::read(&visit.app, move |tx| {
        let reader = Reader { viewer: &viewer, found: &found };
        let mut page = below(tx, &viewer, &found.home, shown.clone())?;
        page.title = format!("{} ({})", found.snippet.title, found.snippet.reference());
        let clone = CloneBox::at(&base_url, &found.snippet.repository_path()).with_ssh(&ssh_url);
        reader.view(tx, (page, files.clone(), clone), (&asked, &paging), &typed)
    })
    .await?;
    let html = Challenge::allow(challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

/// The files as they are shown.
async fn views(app: &App, snippet: &Snippet) -> Result<Vec<FileView>> {
    let repository = files::repository(app, snippet).await?;
    let mut views = Vec::new();
    for file in files::all(app, &repository, snippet, MOST).await? {
        let id = format!("file-{}", views.len() + 1);
        let name = file.path.to_string();
        views.push(FileView {
            raw_url: raw_path(snippet, &name),
            size: file.blob.size,
            content: content(app, &id, &file).await,
            id,
            name,
        });
    }
    Ok(views)
}

async fn content(app: &App, id: &str, file: &File) -> Content {
    let name = file.path.name();
    let is_picture = name.to_ascii_lowercase().ends_with(".svg")
        || media::inline_type(name).is_some_and(|kind| kind.starts_with("image/"));
    if is_picture {
        return Content::Picture;
    }
    let Some(bytes) = &file.blob.content else {
        return Content::TooLarge;
    };
    let Some(letters) = text::letters(bytes) else {
        return Content::Binary;
    };
    if letters.is_empty() {
        return Content::Empty;
    }
    if text::lines(&letters).count() > MOST_LINES {
        return Content::TooLarge;
    }
    let letters: Arc<str> = letters.into();
    let lines = highlight::coloured(app, file.blob.id, name, letters).await;
    let label = format!("Content of {}", file.path);
    Content::Lines(SourceLines::named(id.to_owned(), label, lines))
}

struct Reader<'r> {
    viewer: &'r Viewer,
    found: &'r SnippetAccess,
}

impl Reader<'_> {
    fn view(
        &self, tx: &mut Tx<'_>, (page, files, clone): (Page, Vec<FileView>, CloneBox),
        (asked, paging): (&StoryQuery, &Paging), typed: &TalkForms,
    ) -> Result<SnippetView> {
        let (snippet, now) = (&self.found.snippet, tx.now());
        let desk = self.found.desk(tx, self.viewer)?;
        let people = authors(tx, std::slice::from_ref(snippet))?;
        let links = Links::find(tx, self.viewer, "", Desk::from(&desk), [snippet.text()])?;
        let to = Awardable::Thing(SNIPPET, snippet.id);
        Ok(SnippetView {
            description: links.render(snippet.text()),
            talk: self.talk(tx, Desk::from(&desk), &page.csrf, (asked, paging), typed)?,
            votes: award_rows::count_of(tx, to, "thumbsup")?,
            upvoted: match self.viewer.user_id() {
                Some(user) => award_rows::of_user(tx, to, user, "thumbsup")?.is_some(),
                None => false,
            },
            may_award: self.found.may_comment(self.viewer),
            may_change: self.found.may_change(self.viewer),
            author: author(snippet, &people),
            created_at: Moment::new(snippet.created_at, now),
            closed_at: None,
            is_spam: snippet.marked_as_spam_at.is_some() && self.viewer.is_admin(),
            size: files.iter().map(|file| file.size).sum(),
            url: snippet.path(),
            title: snippet.title.clone(),
            reference: snippet.reference(),
            visibility: snippet.visibility(),
            is_part: asked.is_part(),
            files,
            clone,
            page,
        })
    }

    fn talk(
        &self, tx: &mut Tx<'_>, desk: Desk<'_>, csrf: &str,
        (asked, paging): (&StoryQuery, &Paging), typed: &TalkForms,
    ) -> Result<TalkView> {
        let url = self.found.snippet.path();
        let may_write = self.found.may_comment(self.viewer);
        let around = NotePage {
            viewer: self.viewer,
            desk,
            url: &url,
            here: &asked.here(&url),
            csrf,
            page: Pages::of(paging, 0, String::new()).page,
            writes: may_write,
            may_answer: may_write,
            resolves: Resolves::None,
            open: &typed.open,
        };
        let about = thing(self.found.snippet.id);
        let timeline = Talk::new(self.viewer, desk, &about).timeline(tx);
        let story = StoryReader { timeline, around: &around, noun: "snippet" };
        let (story, total) = story.story(tx, asked, paging)?;
        let said = (story, Pages::of(paging, total, asked.list(&url)));
        let writing = Writing::plain(self.viewer, may_write);
        let talk = TalkView::new((&url, csrf), writing, said, typed);
        Ok(talk.part(asked.is_part()))
    }
}

kernel::choices! {
    pub enum Deed {
        Award = "award",
        Remove = "remove",
        Spam = "spam",
    }
}

kernel::params! {
    pub struct DeedForm {
        pub action: Deed,
        /// Name of a reaction.
        pub name: Option<String>,
    }
}

async fn act(page: SnippetPage, form: Params<DeedForm>) -> Result<Response> {
    let SnippetVisit { app, viewer, .. } = page.visit.clone();
    let (which, by) = (page.visit.which(), viewer.clone());
    let (deed, name) = (form.action, form.0.name.unwrap_or_else(|| "thumbsup".to_owned()));
    let snippet = app.write(move |tx| match deed {
        Deed::Award => {
            let (desk, about) = which.authorize(tx, &by)?;
            let to = Awardable::Thing(SNIPPET, about.id);
            awards::toggle(tx, &by, &desk, &about, to, &name)?;
            Ok(which.find(tx, &by)?.snippet)
        }
        Deed::Remove => rules::destroy(tx, &by, &which),
        Deed::Spam => rules::mark_as_spam(tx, &by, which.id),
    });
    let snippet = snippet.await?;
    match deed {
        Deed::Award => flash::done(&app, &snippet.path(), "Done."),
        Deed::Spam => flash::done(&app, &snippet.path(), "Marked as spam."),
        Deed::Remove => {
            let list = match &snippet.project_path {
                Some(project) => format!("/{project}/-/snippets"),
                None => OWN.to_owned(),
            };
            flash::done(&app, &list, format!("Snippet {} deleted.", snippet.title))
        }
    }
}
