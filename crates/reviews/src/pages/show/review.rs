//! The viewer's own review: what they wrote and nobody else sees yet, and the form that
//! publishes all of it together with what they say of the whole.

use super::RequestForms;
use super::approvals::{Rights, approve, state_of};
use super::page::RequestPage;
use crate::model::ReviewState;
use crate::pages::frame::Found;
use crate::pages::refused::spoken;
use crate::place::{Place, Wish};
use crate::rules::edit::edit;
use crate::rules::input::Input;
use crate::threads::finishing::{own, publish};
use crate::threads::model::{Draft, read};
use crate::threads::publishing::Closing;
use crate::threads::store as rows;
use ::store::Tx;
use code::visible::visible;
use identity::pages::challenge::{Challenge, Solved};
use identity::pages::refusal::{Refusal, outcome};
use identity::spam::Guarded;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::html::ui::Choice;
use kernel::http::{Params, RequestContext, Response, Text};
use kernel::markup::line;
use planning::guarded::Writer;
use planning::pages::lines;
use planning::pages::notes::noted;
use planning::pages::talk::{TalkForms, TalkPage};
use std::sync::Arc;

/// Letters of a draft that a row shows.
const EXCERPT: usize = 300;
const NOT_REVIEWING: &str = "You may not say that of this merge request";

kernel::choices! {
    /// What somebody says of the whole.
    #[derive(Default)]
    pub enum Verdict as "ReviewVerdict" {
        #[default]
        Comment = "comment",
        Approve = "approve",
        RequestedChanges = "requested_changes",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct ReviewForm {
        /// A note about the whole, in Markdown.
        pub summary: Text,
        pub verdict: Option<Verdict>,
        /// The head that was shown.
        pub sha: Option<String>,
        pub approval_password: Text,
        /// A draft that goes instead.
        pub discard: Option<i64>,
        /// All of them go.
        pub discard_all: Option<bool>,
    }
}

/// A draft of the viewer's.
#[derive(Debug)]
pub struct DraftRow {
    pub id: i64,
    /// The file and line, or that it is an answer.
    pub place: String,
    pub text: String,
}

/// The review as its card shows it.
#[derive(Debug)]
pub struct Review {
    pub drafts: Vec<DraftRow>,
    pub verdicts: Vec<Choice>,
    pub verdict: Verdict,
    pub summary: String,
    /// The head that is shown.
    pub sha: String,
    /// Who approves has to prove who they are.
    pub needs_proof: bool,
    pub is_open: bool,
    pub error: String,
    /// The challenge of a review that was refused as spam.
    pub challenge: Option<Challenge>,
}

impl Review {
    /// Reads it, for who may write about the merge request.
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, found: &Found, rights: Rights, typed: &RequestForms,
    ) -> Result<Option<Review>> {
        let Some(user_id) = viewer.user_id().filter(|_| found.may_write(viewer)) else {
            return Ok(None);
        };
        let drafts = rows::drafts(tx, found.request.id, user_id)?;
        if drafts.is_empty() && !found.request.is_open() {
            return Ok(None);
        }
        let form = typed.review.as_ref();
        let refusal = &typed.talk.refusal;
        Ok(Some(Review {
            drafts: drafts.iter().map(row).collect(),
            verdicts: verdicts(rights),
            verdict: form.and_then(|form| form.verdict).unwrap_or_default(),
            summary: form.map(|form| form.summary.to_string()).unwrap_or_default(),
            sha: found.request.head_id.map(|id| id.to_string()).unwrap_or_default(),
            needs_proof: rights.may_approve && rights.needs_proof,
            is_open: form.is_some() || !drafts.is_empty(),
            error: form.map(|_| refusal.errors.of("body")).unwrap_or_default(),
            challenge: refusal.challenge.clone().filter(|_| form.is_some()),
        }))
    }

    /// What its card is called.
    pub fn title(&self) -> String {
        match self.drafts.len() {
            0 => "Review".to_owned(),
            1 => "Finish your review: 1 note that nobody else sees yet".to_owned(),
            many => format!("Finish your review: {many} notes that nobody else sees yet"),
        }
    }
}

fn verdicts(rights: Rights) -> Vec<Choice> {
    let mut verdicts = vec![("comment", "Comment")];
    if rights.may_approve {
        verdicts.push(("approve", "Approve"));
    }
    if rights.may_request_changes {
        verdicts.push(("requested_changes", "Request changes"));
    }
    Choice::list(&verdicts)
}

fn row(draft: &Draft) -> DraftRow {
    let position = draft.position.as_ref().and_then(read);
    let place = match (position, &draft.discussion_id) {
        (Some(position), _) => {
            let line = position.line().and_then(|line| line.new_line().or(line.old_line()));
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("{}{line}", visible(position.path()))
        }
        (None, Some(_)) if draft.resolves_discussion => "Answer that resolves its thread".into(),
        (None, Some(_)) => "Answer".into(),
        (None, None) => "Comment".into(),
    };
    let text = line(&draft.body);
    DraftRow {
        id: draft.id,
        place,
        text: text.chars().take(EXCERPT).collect(),
    }
}

pub(super) async fn finish(
    app: App, page: RequestPage, request: Arc<RequestContext>, form: Params<ReviewForm>,
    Solved(solution): Solved,
) -> Result<Response> {
    let Params(form) = form;
    let (place, url) = page.place(&app).await?;
    if form.discard.is_some() || form.discard_all == Some(true) {
        discard(&app, page.viewer(), place, form.discard).await?;
        return flash::done(&app, &format!("{url}#review"), "Nobody will see that.");
    }
    let writer = Writer::by_form(page.viewer().clone(), request, solution);
    let done = published(&app, writer, place, &form).await;
    let done = done.map_err(|error| spoken(noted(error), NOT_REVIEWING));
    match outcome(&app, done, &["body"]).await? {
        Ok(()) => flash::done(&app, &url, "Your review is published."),
        Err(refusal) => show_again(&app, page, form, refusal).await,
    }
}

async fn show_again(
    app: &App, page: RequestPage, form: ReviewForm, refusal: Refusal,
) -> Result<Response> {
    let talk = TalkForms { refusal, ..TalkForms::default() };
    let typed = RequestForms { talk, review: Some(form), ..RequestForms::default() };
    page.show_again(app, typed).await
}

async fn discard(app: &App, viewer: &Viewer, place: Place, one: Option<i64>) -> Result<()> {
    let viewer = viewer.clone();
    app.write(move |tx| {
        let (_, request) = place.find(tx, &viewer, Wish::WriteOwn)?;
        let ids = match one {
            Some(id) => vec![own(tx, &viewer, &request, id)?.id],
            None => {
                let drafts = rows::drafts(tx, request.id, viewer.signed_in()?.user.id)?;
                drafts.iter().map(|draft| draft.id).collect()
            }
        };
        rows::delete_drafts(tx, &ids)
    })
    .await
}

/// Publishes the review; an approval comes before it, so that one which does not count
/// leaves it as it is.
async fn published(
    app: &App, writer: Writer, place: Place, form: &ReviewForm,
) -> Result<Guarded<()>> {
    let viewer = writer.viewer.clone();
    let verdict = form.verdict.unwrap_or_default();
    let state = match verdict {
        Verdict::Approve => {
            let by = (form.sha.as_deref(), &*form.approval_password);
            approve(app, &viewer, place.clone(), by).await?;
            None
        }
        Verdict::RequestedChanges => {
            become_reviewer(app, &viewer, place.clone()).await?;
            Some(ReviewState::RequestedChanges)
        }
        Verdict::Comment => Some(ReviewState::Reviewed),
    };
    let summary = lines(&form.summary);
    let closing = Closing {
        summary: Some(summary).filter(|text| !text.trim().is_empty()),
        internal: false,
        state,
    };
    publish(app, writer, place, None, closing).await
}

/// Who asks for changes is a reviewer; who may set these becomes one.
async fn become_reviewer(app: &App, viewer: &Viewer, place: Place) -> Result<()> {
    let viewer = viewer.clone();
    app.write(move |tx| {
        let (here, request) = place.find(tx, &viewer, Wish::Write)?;
        if state_of(tx, &viewer, &request)?.is_some() {
            return Ok(());
        }
        let user_id = viewer.signed_in()?.user.id;
        let wanted = Input { add_reviewer_ids: vec![user_id], ..Input::default() };
        edit(tx, &viewer, &here, &request, wanted)?;
        match state_of(tx, &viewer, &request)? {
            Some(_) => Ok(()),
            None => Err(Error::forbidden(NOT_REVIEWING)),
        }
    })
    .await
}
