//! What is said of a commit, below what it changed on its page, which the room below has; and
//! what its forms do.

use super::access::may_write;
use super::model::CommitThread;
use super::rules::{CommitPlace, discuss};
use super::store as rows;
use super::talk::thing;
use crate::pages::places::{self, ThreadAt};
use crate::threads::model::read;
use ::store::Tx;
use askama::Template;
use code::access::commit;
use code::hooks::CommitShown;
use code::pages::{CodeVisit, commit_again};
use identity::pages::page as page_of;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Pages, ui};
use kernel::http::paging::Start;
use kernel::http::params::{FromParams, Source, parse_form};
use kernel::http::{Call, FromCall, Paging, Response, Routes};
use planning::access::Desk;
use planning::pages::notes::{NotePage, StoryQuery};
use planning::pages::talk::{
    self, ENTRIES, Here, StoryReader, TalkForms, TalkPage, TalkView, Writing,
};
use planning::rules::comments::Talk;
use planning::store::notes::{COMMIT, Noteable};
use planning::store::threads::Resolves;
use repositories::model::RepositoryKind;
use repositories::objects::{Commit, Objects};
use repositories::store::of_project;
use spaces::pages::{Address, PROJECT};
use std::future::Future;
use std::pin::Pin;

/// Below the address of the page of a commit stand names of refs, which have slashes: its
/// forms have an address of their own.
const FORMS: &str = "commit_comments";

pub(super) fn routes(r: &mut Routes) {
    talk::routes::<CommitPage>(r, &format!("{PROJECT}/-/{FORMS}/{{sha}}"));
}

/// What is said of a commit, as its page shows it.
#[derive(Template)]
#[template(path = "commit_talk.html")]
struct CommitTalk {
    url: String,
    is_part: bool,
    talk: TalkView,
}

/// The same as rows alone tell it, and what git is asked about after that.
struct Half {
    view: CommitTalk,
    threads: Vec<CommitThread>,
    project_url: String,
    repository: Option<i64>,
}

/// Which commit somebody looks at, and what of that.
struct Look {
    viewer: Viewer,
    place: CommitPlace,
    asked: StoryQuery,
    paging: Paging,
    csrf: String,
}

impl Look {
    fn new(
        app: &App, viewer: Viewer, place: CommitPlace, asked: StoryQuery, paging: Paging,
    ) -> Look {
        let csrf = page_of(app, &viewer, "").csrf;
        let paging = Paging { per_page: ENTRIES, ..paging };
        Look { viewer, place, asked, paging, csrf }
    }

    fn read(&self, tx: &mut Tx<'_>, typed: &TalkForms) -> Result<Half> {
        let (here, commit) = self.place.find(tx, &self.viewer)?;
        let (url, desk) = (commit.path(), Desk::from(&here));
        let project_url = format!("/{}", here.project.full_path);
        let forms = format!("{project_url}/-/{FORMS}/{}", commit.sha);
        let may_write = may_write(&self.viewer, &here);
        let list = self.asked.here(&url);
        let around = NotePage {
            viewer: &self.viewer,
            desk,
            url: &forms,
            here: &list,
            csrf: &self.csrf,
            page: Pages::of(&self.paging, 0, String::new()).page,
            writes: may_write,
            may_answer: may_write,
            resolves: Resolves::None,
            open: &typed.open,
        };
        let about = thing(commit.id);
        let timeline = Talk::new(&self.viewer, desk, &about).timeline(tx);
        let story = StoryReader { timeline, around: &around, noun: "commit" };
        let (story, total) = story.story(tx, &self.asked, &self.paging)?;
        let said = (story, Pages::of(&self.paging, total, self.asked.list(&url)));
        let writing = Writing::plain(&self.viewer, may_write);
        let is_part = self.asked.is_part();
        let talk = TalkView::new((&forms, &self.csrf), writing, said, typed).part(is_part);
        let threads = rows::threads(tx, &talk.discussions())?;
        let repository = of_project(tx, here.project.id, RepositoryKind::Project)?;
        Ok(Half {
            view: CommitTalk { url, is_part, talk },
            repository: repository.map(|one| one.id),
            project_url,
            threads,
        })
    }
}

/// The part of the page, with the lines that threads are about.
async fn html(app: &App, look: Look, typed: TalkForms) -> Result<String> {
    let half = kernel::markup::read(app, move |tx| look.read(tx, &typed)).await?;
    let Half { mut view, threads, project_url, repository } = half;
    let placed = threads.into_iter().filter_map(|thread| {
        let position = read(thread.position.as_ref()?)?;
        Some(ThreadAt {
            url: places::in_file(&project_url, &position),
            discussion_id: thread.discussion_id,
            is_outdated: false,
            position,
        })
    });
    let placed: Vec<ThreadAt> = placed.collect();
    if let Some(repository) = repository.filter(|_| !placed.is_empty()) {
        view.talk.stand(&places::read_all(app, repository, placed).await?);
    }
    view.render().map_err(Error::internal)
}

/// What stands below what a commit changed, for `code::hooks::Hooks`.
pub fn below(shown: CommitShown) -> Pin<Box<dyn Future<Output = Result<String>> + Send>> {
    Box::pin(async move {
        let CommitShown { app, viewer, project, commit, query } = shown;
        let mut source = Source::new();
        parse_form(query.as_bytes(), &mut source)?;
        let asked = StoryQuery::from_params(&source).map_err(Error::Parameters)?;
        let typed = TalkForms::untyped(&asked);
        let place = CommitPlace::of(project.id, &commit);
        let look = Look::new(&app, viewer, place, asked, paging(&source)?);
        html(&app, look, typed).await
    })
}

kernel::params! {
    struct PageNumber {
        /// Number of the page of what was said.
        pub page: Option<i64>,
    }
}

fn paging(source: &Source) -> Result<Paging> {
    let asked = PageNumber::from_params(source).map_err(Error::Parameters)?;
    let start = Start::Page(asked.page.unwrap_or(1).max(1));
    Ok(Paging { start, ..Paging::first(ENTRIES) })
}

/// The page of a commit for somebody signed in, who says something there.
#[derive(Clone)]
pub struct CommitPage {
    visit: CodeVisit,
    place: CommitPlace,
    paging: Paging,
}

impl FromCall for CommitPage {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let visit = CodeVisit {
            app: call.app.clone(),
            viewer: Viewer::from_call(call).await?,
            address: Address::of(&call.request)?,
            rest: call.path("sha").unwrap_or_default().to_owned(),
            kind: None,
            refs: None,
            query: String::new(),
        };
        visit.viewer.signed_in()?;
        let paging = Paging::from_call(call).await?;
        let (project_id, commit) = find(&visit).await?;
        // So that there is something to write notes about.
        let place = discuss(&visit.app, &visit.viewer, project_id, &commit).await?;
        Ok(CommitPage { visit, place, paging })
    }
}

async fn find(visit: &CodeVisit) -> Result<(i64, Commit)> {
    let sha = visit.rest.clone();
    let named = visit.find(move |tx, head| head.code.revision(tx, Some(sha.as_str()), "Commit"));
    let (head, revision) = named.await?;
    let read = move |objects: &Objects| commit(objects, &revision, "Commit");
    let commit = visit.objects(&head, read).await?;
    Ok((head.code.project.id, commit))
}

impl TalkPage for CommitPage {
    type Spot = CommitPlace;

    fn viewer(&self) -> &Viewer {
        &self.visit.viewer
    }

    fn paging(&self) -> &Paging {
        &self.paging
    }

    fn here(&self, tx: &mut Tx<'_>) -> Result<Here<CommitPlace>> {
        let (here, commit) = self.place.find(tx, self.viewer())?;
        Ok(Here {
            spot: self.place.clone(),
            url: commit.path(),
            noteable: Noteable {
                kind: COMMIT,
                id: commit.id,
                project_id: Some(commit.project_id),
            },
            is_reporter: here.is_reporter(),
        })
    }

    async fn again(self, app: &App, typed: TalkForms) -> Result<Response> {
        let CommitPage { visit, place, paging } = self;
        let refusal = typed.refusal.clone();
        let asked = StoryQuery::default();
        let look = Look::new(app, visit.viewer.clone(), place, asked, paging);
        let below = html(app, look, typed).await?;
        commit_again(visit, below, refusal).await
    }
}
