//! `…/-/merge_requests/<number>`: one merge request, what was said about it, what is known of
//! it, and all that decides about its merge. Its commits and pipelines have pages of their
//! own.

mod actions;
mod approvals;
mod commits;
mod fields;
mod merge_box;
mod merging;
mod page;
mod pipelines;
mod review;
mod views;

use super::frame::{self, Found, Frame, Tab};
use super::{one, places};
use crate::access::may_update;
use crate::model::{MergeRequest, State};
use crate::noteable::{MERGE_REQUEST, noteable};
use crate::rules::scene::Scene;
use crate::store::events;
use crate::tasks::Check;
use crate::threads::PLUG;
use crate::threads::model::Thread;
use crate::threads::store as threads;
use ::store::Tx;
use actions::ChangeForm;
use approvals::Approvals;
use fields::Fields;
use http::Method;
use identity::pages::challenge::Challenge;
use identity::pages::page as page_of;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Pages};
use kernel::http::{Flat, Paging, Params, Response, Routes};
use kernel::jobs::enqueue_at;
use merge_box::{Around, MergeBox, Rights};
use merging::MergeForm;
use page::RequestPage;
use planning::access::Desk;
use planning::pages::boxes::Tickable;
use planning::pages::notes::{NotePage, StoryQuery, at};
use planning::pages::reactions::Reactions;
use planning::pages::talk::{self, ENTRIES, StoryReader, TalkForms, TalkView, Writing};
use planning::rules::references::Links;
use planning::store::awards::Awardable;
use planning::store::issues::timeline::Timeline;
use planning::store::notes::shown;
use planning::store::threads as planning_threads;
use repositories::model::RepositoryKind;
use repositories::store::of_project;
use review::{Review, ReviewForm};
use spaces::access::Purpose;
use spaces::pages::Address;
use std::collections::HashMap;

pub(super) fn routes(r: &mut Routes) {
    r.page(Method::GET, &one(""), show);
    r.page(Method::POST, &one(""), actions::change);
    r.page(Method::GET, &one("/merge_box"), show_box);
    r.page(Method::POST, &one("/merge"), merging::merge);
    r.page(Method::POST, &one("/cancel_auto_merge"), merging::cancel);
    r.page(Method::POST, &one("/rebase"), merging::rebase);
    r.page(Method::POST, &one("/source_branch"), merging::remove_branch);
    r.page(Method::POST, &one("/approve"), approvals::give);
    r.page(Method::POST, &one("/unapprove"), approvals::take_back);
    r.page(Method::POST, &one("/review"), review::finish);
    talk::routes::<RequestPage>(r, &one(""));
    commits::routes(r);
    pipelines::routes(r);
}

kernel::params! {
    pub struct OneRequest {
        pub merge_request_iid: i64,
        pub story: Flat<StoryQuery>,
    }
}

/// What was typed on the page and refused.
#[derive(Default)]
struct RequestForms {
    talk: TalkForms,
    fields: Option<ChangeForm>,
    merge: Option<MergeForm>,
    review: Option<ReviewForm>,
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(path): Params<OneRequest>, paging: Paging,
) -> Result<Response> {
    let story = path.story.0;
    let talk = TalkForms::untyped(&story);
    let typed = RequestForms { talk, ..RequestForms::default() };
    render(&app, viewer, address, (path.merge_request_iid, story), paging, typed).await
}

/// The page as rows alone tell it, and what git is asked about after that.
struct Half {
    view: views::Request,
    scene: Scene,
    threads: Vec<Thread>,
    repository: Option<i64>,
    is_unchecked: bool,
}

async fn render(
    app: &App, viewer: Viewer, address: Address, (iid, asked): (i64, StoryQuery), paging: Paging,
    typed: RequestForms,
) -> Result<Response> {
    let refusal = &typed.talk.refusal;
    let (status, challenge) = (refusal.status(), refusal.challenge.clone());
    let around = refusal.page(app, &viewer, "Merge request");
    let paging = Paging { per_page: ENTRIES, ..paging };
    let (base_url, by) = (app.base_url().to_owned(), viewer.clone());
    let half = kernel::markup::read(app, move |tx| {
        let found = frame::find(tx, &by, &address, iid, Purpose::Read)?;
        let page = found.page(tx, &by, around.clone(), Tab::Conversation)?;
        let scene = Scene::read(tx, &by, found.request.id, found.request.auto_merge)?;
        let url = found.url();
        let reader = Reader {
            viewer: &by,
            found: &found,
            url: &url,
            csrf: &page.csrf,
            base_url: &base_url,
            typed: &typed,
        };
        let parts = reader.parts(tx, &scene)?;
        let talk = reader.talk(tx, (&asked, &paging), &parts)?;
        let threads = threads::of_discussions(tx, &talk.discussions())?;
        let repository = of_project(tx, found.here.project.id, RepositoryKind::Project)?;
        let is_unchecked = parts.may_edit && scene.request.needs_check();
        let view = views::Request {
            frame: Frame::new(tx, &by, &found, Tab::Conversation)?,
            description: reader.description(tx, parts.may_edit)?,
            reactions: reader.reactions(tx)?,
            side: Fields::read(tx, &by, &found, &scene, typed.fields.as_ref())?,
            review: Review::read(tx, &by, &found, parts.approvals.rights(), &typed)?,
            approvals: parts.approvals,
            merge_box: parts.merge_box,
            list: format!("{}/-/merge_requests", found.space.url()),
            is_signed_in: by.user_id().is_some(),
            is_locked: found.request.is_locked(),
            is_draft: found.request.draft,
            may_edit: parts.may_edit && found.request.is_pending(),
            is_part: asked.is_part(),
            errors: typed.talk.refusal.errors.clone(),
            talk,
            page,
            url: url.clone(),
        };
        Ok(Half {
            view,
            scene,
            threads,
            repository: repository.map(|one| one.id),
            is_unchecked,
        })
    })
    .await?;
    let view = whole(app, &viewer, half).await?;
    let html = Challenge::allow(challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

/// The page with what git says of it.
async fn whole(app: &App, viewer: &Viewer, half: Half) -> Result<views::Request> {
    let Half { mut view, scene, threads, repository, is_unchecked } = half;
    if is_unchecked {
        begin_check(app, &scene.request).await?;
    }
    view.merge_box.complete(app, viewer, &scene).await?;
    let about = match repository.filter(|_| !threads.is_empty()) {
        Some(repository) => {
            let at = places::Addresses {
                url: view.url.clone(),
                project_url: format!("/{}", scene.project.full_path),
            };
            places::read_all(app, repository, places::of_request(&at, threads)).await?
        }
        None => HashMap::new(),
    };
    view.talk.stand(&about);
    Ok(view)
}

/// Has a job find out whether it can be merged.
async fn begin_check(app: &App, request: &MergeRequest) -> Result<()> {
    let request = request.id;
    app.write(move |tx| {
        let now = tx.now();
        enqueue_at(tx, &Check { request }, now)
    })
    .await
}

/// `…/merge_box`: the box alone, which pages fetch again while it changes by itself.
async fn show_box(
    app: App, viewer: Viewer, address: Address, Params(path): Params<OneRequest>,
) -> Result<Response> {
    let around = page_of(&app, &viewer, "");
    let (base_url, by, iid) = (app.base_url().to_owned(), viewer.clone(), path.merge_request_iid);
    let read = app.read(move |tx| {
        let found = frame::find(tx, &by, &address, iid, Purpose::Read)?;
        let scene = Scene::read(tx, &by, found.request.id, found.request.auto_merge)?;
        let reader = Reader {
            viewer: &by,
            found: &found,
            url: &found.url(),
            csrf: &around.csrf,
            base_url: &base_url,
            typed: &RequestForms::default(),
        };
        Ok((reader.parts(tx, &scene)?.merge_box, scene))
    });
    let (mut merge_box, scene) = read.await?;
    merge_box.complete(&app, &viewer, &scene).await?;
    Ok(Html::new(&merge_box)?.response())
}

/// What of the page decides about the merge.
struct Parts {
    approvals: Approvals,
    merge_box: MergeBox,
    may_edit: bool,
    /// Threads that are not resolved, counted to 99 and one more, and where the first is.
    unresolved: u64,
    first_thread: Option<String>,
}

/// The page while it is read for somebody.
struct Reader<'r> {
    viewer: &'r Viewer,
    found: &'r Found,
    url: &'r str,
    csrf: &'r str,
    base_url: &'r str,
    typed: &'r RequestForms,
}

impl Reader<'_> {
    fn timeline(&self, tx: &Tx<'_>) -> Timeline {
        let is_reporter = self.found.here.is_reporter();
        let about = noteable(&self.found.request);
        Timeline::new(tx, self.viewer, about, is_reporter).with(Some(events::LABELS))
    }

    fn parts(&self, tx: &mut Tx<'_>, scene: &Scene) -> Result<Parts> {
        let (viewer, found) = (self.viewer, self.found);
        let may_edit = may_update(tx, viewer, &found.here.project, &found.request)?;
        let (approvals, approvals_left) =
            Approvals::read(tx, viewer, found, (self.url, self.csrf))?;
        let (unresolved, first_thread) = self.unresolved(tx)?;
        let rights = Rights::read(tx, viewer, scene, self.base_url)?;
        let around = Around {
            pipeline: merge_box::pipeline(scene),
            url: self.url,
            may_push: rights.may_push,
            may_rebase: rights.may_rebase,
            fork: rights.fork,
            first_thread: first_thread.clone(),
            viewer,
            found,
            scene,
            may_edit,
            approvals_left,
            unresolved,
        };
        let merge_box = MergeBox::read(tx, &around, self.csrf, self.typed.merge.as_ref())?;
        Ok(Parts { approvals, merge_box, may_edit, unresolved, first_thread })
    }

    /// How many threads are not resolved, and where the first of them is.
    fn unresolved(&self, tx: &mut Tx<'_>) -> Result<(u64, Option<String>)> {
        let about = noteable(&self.found.request);
        let notes = shown(tx, self.viewer, about, self.found.here.is_reporter());
        let count = planning_threads::unresolved(tx, notes.clone())?.unsigned_abs();
        if count == 0 {
            return Ok((0, None));
        }
        let first = planning_threads::first_unresolved(tx, notes)?;
        let first = match first {
            Some(note) => {
                let place = self.timeline(tx).place_of(tx, &note)?;
                Some(at(self.url, place.entries_before / ENTRIES + 1, note.id))
            }
            None => None,
        };
        Ok((count, first))
    }

    fn description(&self, tx: &mut Tx<'_>, may_edit: bool) -> Result<String> {
        let text = self.found.request.text();
        let links = Links::find(tx, self.viewer, "", Desk::from(&self.found.here), [text])?;
        let description = Tickable {
            text,
            id: "d-",
            action: may_edit.then(|| format!("{}/tasks", self.url)),
            csrf: self.csrf,
            page: 1,
        };
        Ok(description.html(&links))
    }

    fn reactions(&self, tx: &mut Tx<'_>) -> Result<Reactions> {
        let to = Awardable::Thing(MERGE_REQUEST, self.found.request.id);
        let may_react = self.found.may_write(self.viewer);
        Reactions::read(tx, self.viewer, to, (self.url, self.csrf), may_react)
    }

    /// What was said and what became of it, one page of it.
    fn talk(
        &self, tx: &mut Tx<'_>, (asked, paging): (&StoryQuery, &Paging), parts: &Parts,
    ) -> Result<TalkView> {
        let (found, typed) = (self.found, self.typed);
        let desk = Desk::from(&found.here);
        let here = asked.here(self.url);
        let around = NotePage {
            viewer: self.viewer,
            desk,
            url: self.url,
            here: &here,
            csrf: self.csrf,
            page: Pages::of(paging, 0, String::new()).page,
            writes: found.writes(self.viewer),
            may_answer: found.may_write(self.viewer),
            resolves: (PLUG.resolves)(tx, self.viewer, desk, found.request.id)?,
            open: &typed.talk.open,
        };
        let timeline = self.timeline(tx);
        let story = StoryReader { timeline, around: &around, noun: "merge request" };
        let (story, total) = story.story(tx, asked, paging)?;
        let said = (story, Pages::of(paging, total, asked.list(self.url)));
        let writing = self.writing(parts.may_edit);
        let talk = TalkView::new((self.url, self.csrf), writing, said, &typed.talk);
        Ok(talk
            .part(asked.is_part())
            .to_resolve(parts.unresolved)
            .elsewhere(parts.first_thread.clone()))
    }

    fn writing(&self, may_edit: bool) -> Writing {
        let request = &self.found.request;
        let state = match request.state {
            State::Opened => Some(("close", "Comment and close")),
            State::Closed => Some(("reopen", "Comment and reopen")),
            State::Locked | State::Merged => None,
        };
        Writing {
            is_signed_in: self.viewer.user_id().is_some(),
            may_write: self.found.may_write(self.viewer),
            may_write_inside: self.found.here.is_reporter(),
            is_locked: request.is_locked(),
            state: state.filter(|_| may_edit),
            hint: "Markdown. Lines such as /close are carried out.",
        }
    }
}
