//! New comments on lines, now or with the review, and drafts.

use super::aims::{Aim, misplaced, no_line};
use super::listing::{find_file, pair};
use super::look::Look;
use super::points::PointText;
use super::reviewer::Reviewer;
use super::said::TypedDraft;
use super::subject::file_of_draft;
use super::typed::Typed;
use crate::place::Place;
use crate::positions::placing::are_commits;
use crate::positions::{Placed, Shas};
use crate::threads::drafting::{self, Wanted};
use crate::threads::finishing::{own, publish};
use crate::threads::model::Stored;
use crate::threads::publishing::Closing;
use crate::threads::rules::{Ground, find, stand};
use code::pages::parts::diff::DiffParams;
use identity::pages::challenge::Solved;
use identity::pages::refusal::{Refusal, outcome};
use identity::spam::Guarded;
use kernel::error::{Error, Found, Result};
use kernel::html::flash;
use kernel::http::params::Text;
use kernel::http::{Flat, Params, Response};
use planning::guarded::{self, NoteablePath};
use planning::pages::lines;
use planning::pages::notes::{Open, Retry, noted};
use planning::rules::comments::{Comment, Said};

kernel::params! {
    /// A comment as it is typed.
    pub struct CommentForm {
        /// The text, in Markdown.
        pub body: Text,
        /// The name of the line, or of the file.
        pub comment: Text,
        /// The name of the first line, where these are several.
        pub from: Text,
        /// The point, of a picture.
        pub point: Flat<PointText>,
        /// The thread that it answers, in place of a line.
        pub discussion_id: Text,
        /// Between which commits the line was seen.
        pub base_sha: Text,
        pub start_sha: Text,
        pub head_sha: Text,
        /// Without changes of white space.
        pub w: Option<bool>,
    }
}

kernel::params! {
    /// What becomes of a draft.
    pub struct DraftForm {
        pub draft_id: i64,
        pub action: DraftAction,
        pub body: Text,
    }
}

kernel::choices! {
    pub enum DraftAction { Save = "save", Publish = "publish", Delete = "delete" }
}

impl CommentForm {
    fn text(&self) -> String {
        lines(&self.body)
    }

    fn shas(&self) -> Result<Shas> {
        let read = |name: &str, text: &str| {
            text.parse().map_err(|_| Error::Parameters(vec![format!("{name} is invalid")]))
        };
        Ok(Shas {
            base: read("base_sha", &self.base_sha)?,
            start: read("start_sha", &self.start_sha)?,
            head: read("head_sha", &self.head_sha)?,
        })
    }

    /// The page with this form.
    fn look(&self, look: &Look) -> Look {
        let w = (self.w == Some(true)).then(|| "1".to_owned());
        Look {
            comment: Some(self.comment.0.clone()),
            from: Some(self.from.0.clone()),
            point: self.point.clone(),
            diff: Flat(DiffParams { w, ..look.diff.0.clone() }),
            ..look.clone()
        }
    }
}

/// Finds the line that a comment is about.
async fn placed(by: &Reviewer, place: Place, form: &CommentForm) -> Result<Placed> {
    let aim = Aim::read(&form.comment, &form.from).found("File")?;
    let (shas, viewer) = (form.shas()?, by.visit.viewer.clone());
    let ground = by.app.read(move |tx| {
        let (_, request) = place.authorize(tx, &viewer)?;
        Ground::of(tx, &request)
    });
    let ground = ground.await?.found("File")?;
    if !are_commits(&by.app, &ground.repository, shas).await? {
        return Err(no_line());
    }
    let pair = pair(ground.repository.id, shas);
    let ignores_space = form.w == Some(true);
    let file = find_file(&by.app, pair, &aim.at.file, ignores_space).await?.found("File")?;
    let sent = form.point.on(&file, aim.sent(&file, shas)?)?;
    let placed = find(&by.app, Some(ground), Some(&sent)).await.map_err(misplaced)?;
    placed.found("File")
}

pub async fn begin(
    by: Reviewer, Params(form): Params<CommentForm>, Solved(solution): Solved,
) -> Result<Response> {
    let (place, url) = by.place().await?;
    let done = match placed(&by, place.clone(), &form).await {
        Ok(placed) => {
            let stored = Stored::of(&placed);
            let comment = Comment {
                body: form.text(),
                internal: false,
                created_at: None,
                discussion_id: None,
                begins_thread: true,
            };
            let writer = by.writer(solution);
            guarded::comment(&by.app, writer, place, comment, move |tx, request, said| {
                let Said::Note(note, _) = said else {
                    return Ok(None);
                };
                let actor = (note.discussion_id.as_str(), note.author_id);
                stand(tx, &request, actor, &stored, None)?;
                Ok(Some(note.id))
            })
            .await
        }
        Err(error) => Err(error),
    };
    match outcome(&by.app, done.map_err(noted), &["body"]).await? {
        Ok(Some(id)) => flash::done(&by.app, &by.look.at_note(&url, id), "Comment added."),
        Ok(None) => flash::done(&by.app, &by.look.ways(&url).url(), "Done."),
        Err(refusal) => comment_again(by, &form, refusal).await,
    }
}

async fn comment_again(by: Reviewer, form: &CommentForm, refusal: Refusal) -> Result<Response> {
    let look = form.look(&by.look);
    let retry = Retry { body: form.text(), challenge: refusal.challenge.clone() };
    by.again(look, Typed { comment: Some(retry), refusal, ..Typed::default() })
        .await
}

/// Keeps a comment or an answer for the review.
pub async fn keep(by: Reviewer, Params(form): Params<CommentForm>) -> Result<Response> {
    let (place, url) = by.place().await?;
    let answers = (!form.discussion_id.is_empty()).then(|| form.discussion_id.0.clone());
    let stored = match &answers {
        Some(_) => Ok(None),
        None => {
            let placed = placed(&by, place.clone(), &form).await;
            placed.map(|placed| Some(Stored::of(&placed)))
        }
    };
    let done = match stored {
        Ok(stored) => {
            let wanted = Wanted {
                body: form.text(),
                discussion_id: answers.clone(),
                resolves_discussion: false,
                stored,
                commit_id: None,
            };
            let viewer = by.visit.viewer.clone();
            let written = by.app.write(move |tx| {
                let (here, request) = place.authorize(tx, &viewer)?;
                drafting::write(tx, &viewer, &here, &request, &wanted).map(|draft| draft.id)
            });
            written.await
        }
        Err(error) => Err(error),
    };
    match done.map_err(noted) {
        Ok(id) => {
            let text = "Draft kept. Nobody else sees it until you finish the review.";
            flash::done(&by.app, &by.look.at_draft(&url, id), text)
        }
        Err(error) => {
            let refusal = Refusal::of(error, &["body"])?;
            match answers {
                None => comment_again(by, &form, refusal).await,
                Some(id) => {
                    let open = Open::answer(id.clone(), form.text(), &refusal);
                    let look = Look { thread: Some(id), ..by.look.clone() };
                    by.again(look, Typed { open, refusal, ..Typed::default() }).await
                }
            }
        }
    }
}

/// Changes, publishes or deletes a draft.
pub async fn change(
    by: Reviewer, Params(form): Params<DraftForm>, Solved(solution): Solved,
) -> Result<Response> {
    let (place, url) = by.place().await?;
    let (id, at) = (form.draft_id, by.clone());
    let file = by.app.read(move |tx| {
        let request = at.find(tx)?.request;
        let draft = own(tx, &at.visit.viewer, &request, id)?;
        file_of_draft(tx, &draft)
    });
    let file = file.await?;
    let body = lines(&form.body);
    let told = match form.action {
        DraftAction::Save => "Draft saved.",
        DraftAction::Publish => "Comment added.",
        DraftAction::Delete => "Draft deleted.",
    };
    let done = match form.action {
        DraftAction::Publish => {
            publish(&by.app, by.writer(solution), place, Some(id), Closing::default()).await
        }
        action => {
            let (viewer, body) = (by.visit.viewer.clone(), body.clone());
            let written = by.app.write(move |tx| {
                let (here, request) = place.authorize(tx, &viewer)?;
                if action == DraftAction::Delete {
                    return drafting::discard(tx, &viewer, &request, id);
                }
                let change = (id, Some(body.as_str()), None);
                drafting::rewrite(tx, &viewer, &here, &request, change).map(drop)
            });
            written.await.map(Guarded::Made)
        }
    };
    match outcome(&by.app, done.map_err(noted), &["body"]).await? {
        Ok(()) => {
            let to = match form.action {
                DraftAction::Save => by.look.at_draft(&url, id),
                _ => by.look.at_file(&url, file.as_deref()),
            };
            flash::done(&by.app, &to, told)
        }
        Err(refusal) => {
            let draft = TypedDraft { id, body, error: refusal.errors.of("body") };
            let look = Look { draft: Some(id), ..by.look.clone() };
            by.again(look, Typed { draft: Some(draft), refusal, ..Typed::default() }).await
        }
    }
}
