//! What the forms of such a page do.

use super::{DESCRIPTION, Draft, ENTRIES, Here, TalkForms, TalkPage};
use crate::formats::quick_actions;
use crate::guarded::{self, NoteablePath, Writer};
use crate::pages::boxes::{BoxForm, ticked};
use crate::pages::lines;
use crate::pages::notes::{Open, at, noted};
use crate::rules::comments::{Comment, Said, Talk};
use crate::rules::issues::StateEvent;
use crate::store::issues::timeline::Timeline;
use identity::pages::challenge::Solved;
use identity::pages::refusal::{Refusal, outcome};
use identity::spam::Guarded;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::flash;
use kernel::http::params::Text;
use kernel::http::{Flat, Params, RequestContext, Response};
use std::sync::Arc;

kernel::params! {
    pub struct NoteForm {
        pub draft: Flat<Draft>,
        /// Close or reopen it as well.
        pub state_event: Option<StateEvent>,
    }
}

kernel::params! {
    pub struct NoteChange {
        pub note_id: i64,
        /// The text, in Markdown; none deletes it.
        pub body: Text,
        pub delete: Option<bool>,
    }
}

kernel::params! {
    pub struct ResolveForm {
        pub discussion_id: String,
        /// Whether the thread is resolved.
        pub resolved: bool,
        /// The page of the story that it stands on.
        pub page: Option<i64>,
    }
}

kernel::params! {
    pub struct TickForm {
        /// The note that has the box; else the description does.
        pub note_id: Option<i64>,
        pub ticked: Flat<BoxForm>,
    }
}

async fn here<P: TalkPage>(app: &App, page: &P) -> Result<Here<P::Spot>> {
    let page = page.clone();
    app.read(move |tx| page.here(tx)).await
}

pub(super) async fn write_note<P: TalkPage>(
    app: App, page: P, request: Arc<RequestContext>, form: Params<NoteForm>,
    Solved(solution): Solved,
) -> Result<Response> {
    let Params(form) = form;
    let here = here(&app, &page).await?;
    let draft = Draft { body: lines(&form.draft.body).into(), ..form.draft.0 };
    let by = Writer::by_form(page.viewer().clone(), request, solution);
    let added = added(&draft.body);
    let mut done = Ok(Guarded::Made(None));
    if !draft.body.trim().is_empty() || form.state_event.is_none() {
        done = say::<P>(&app, by.clone(), &here, &draft).await;
    }
    if let (Ok(Guarded::Made(_)), Some(event)) = (&done, form.state_event)
        && let Err(error) = page.change_state(&app, by, here.spot, event).await
    {
        done = Err(error);
    }
    match outcome(&app, done.map_err(noted), &["body"]).await? {
        Ok(Some(place)) => flash::done(&app, &format!("{}{place}", here.url), added),
        Ok(None) => flash::done(&app, &here.url, "Done."),
        Err(refusal) => page.again(&app, unsaid(draft, refusal)).await,
    }
}

/// What is said of a comment, a command in it that is none included.
fn added(text: &str) -> String {
    match quick_actions::unknown(text) {
        Some(word) => {
            format!("Comment added. There is no command {word}: it stands in the text.")
        }
        None => "Comment added.".to_owned(),
    }
}

/// Writes a note; where it stands below the address of the page, or nothing where
/// the text held commands only.
async fn say<P: TalkPage>(
    app: &App, by: Writer, here: &Here<P::Spot>, draft: &Draft,
) -> Result<Guarded<Option<String>>> {
    let answers = !draft.discussion_id.is_empty();
    let comment = Comment {
        body: draft.body.0.clone(),
        internal: draft.internal.unwrap_or(false),
        created_at: None,
        discussion_id: answers.then(|| draft.discussion_id.0.clone()),
        begins_thread: false,
    };
    let (noteable, is_reporter) = (here.noteable, here.is_reporter);
    let viewer = by.viewer.clone();
    guarded::comment(app, by, here.spot.clone(), comment, move |tx, _, said| {
        let Said::Note(note, _) = said else {
            return Ok(None);
        };
        let timeline = Timeline::new(tx, &viewer, noteable, is_reporter).with(P::EVENTS);
        let place = timeline.place_of(tx, &note)?;
        Ok(Some(match place.is_in_story() {
            true => at("", place.entries_before / ENTRIES + 1, note.id),
            false => {
                let thread = format!("?thread={}", note.discussion_id);
                at(&thread, place.notes_before / ENTRIES + 1, note.id)
            }
        }))
    })
    .await
}

/// The page after a note that was not taken: its text stands where it was
/// typed.
fn unsaid(draft: Draft, refusal: Refusal) -> TalkForms {
    if draft.discussion_id.is_empty() {
        return TalkForms { draft, refusal, ..TalkForms::default() };
    }
    let open = Open::answer(draft.discussion_id.0, draft.body.0, &refusal);
    TalkForms { open, refusal, ..TalkForms::default() }
}

pub(super) async fn change_note<P: TalkPage>(
    app: App, page: P, request: Arc<RequestContext>, form: Params<NoteChange>,
    Solved(solution): Solved,
) -> Result<Response> {
    let Params(form) = form;
    let here = here(&app, &page).await?;
    let viewer = page.viewer().clone();
    if form.delete.unwrap_or(false) {
        guarded::destroy(&app, viewer, here.spot, form.note_id).await?;
        return flash::done(&app, &here.url, "Comment deleted.");
    }
    let by = Writer::by_form(viewer, request, solution);
    let body = lines(&form.body);
    let (which, text) = ((form.note_id, None), body.clone());
    let done = guarded::rewrite(&app, by, here.spot, which, text, |_, _, note| Ok(note.id)).await;
    match outcome(&app, done.map_err(noted), &[]).await? {
        Ok(id) => {
            let paging = page.paging();
            let number = paging.offset() / paging.per_page + 1;
            flash::done(&app, &at(&here.url, number, id), "Comment updated.")
        }
        Err(refusal) => {
            let open = Open::edit(form.note_id, body, &refusal);
            page.again(&app, TalkForms { open, refusal, ..TalkForms::default() }).await
        }
    }
}

pub(super) async fn resolve<P: TalkPage>(
    app: App, page: P, form: Params<ResolveForm>,
) -> Result<Response> {
    let Params(form) = form;
    let Here { spot, url, .. } = here(&app, &page).await?;
    let thread = form.discussion_id;
    let viewer = page.viewer().clone();
    guarded::resolve(&app, viewer, spot, thread.clone(), form.resolved).await?;
    let page = match form.page {
        Some(page) if page > 1 => format!("?page={page}"),
        _ => String::new(),
    };
    let done = if form.resolved {
        "Thread resolved."
    } else {
        "Thread reopened."
    };
    flash::done(&app, &format!("{url}{page}#discussion_{thread}"), done)
}

pub(super) async fn tick<P: TalkPage>(
    app: App, page: P, form: Params<TickForm>,
) -> Result<Response> {
    let Params(form) = form;
    let tick = form.ticked.tick()?;
    let (note_id, number) = (form.note_id, form.ticked.page.unwrap_or(1));
    let url = app
        .write(move |tx| {
            let here = page.here(tx)?;
            let Some(note_id) = form.note_id else {
                page.tick(tx, &form.ticked)?;
                return Ok(here.url);
            };
            let (desk, found) = here.spot.authorize(tx, page.viewer())?;
            let topic = P::Spot::topic(&found);
            Talk::new(page.viewer(), P::Spot::desk(&desk), topic)
                .tick(tx, note_id, |text| form.ticked.apply(text))?;
            Ok(here.url)
        })
        .await?;
    let to = match note_id {
        Some(note) => at(&url, number, note),
        None => format!("{url}#{DESCRIPTION}"),
    };
    flash::done(&app, &to, ticked(tick))
}
