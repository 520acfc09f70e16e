//! What the forms of the merge box do: merging, now or later, rebasing, and taking the source
//! branch away.

use super::RequestForms;
use super::page::RequestPage;
use crate::pages::refused::spoken;
use crate::place::Wish;
use crate::rules::change::reread;
use crate::rules::default_words;
use crate::rules::merge::{Wanted, accept};
use crate::rules::merge_words::Order;
use crate::rules::scene::Scene;
use crate::rules::{auto_merge, rebasing, source_branch};
use identity::pages::refusal::Refusal;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::http::{Params, Response, Text};
use planning::pages::lines;
use planning::pages::talk::{TalkForms, TalkPage};
use repositories::edits::merges::Ended;
use serde_json::Value;

const MOVED: &str = "The source branch is elsewhere since you opened the page: look at what is new before you \
     merge it";
const NOT_MERGING: &str = "You may not merge into this branch";

kernel::params! {
    /// How it is to be merged. What is ticked is only known where it was offered.
    #[derive(Default)]
    pub struct MergeForm {
        /// The head that was shown.
        pub sha: Option<String>,
        pub squash: Option<bool>,
        pub has_squash: Option<bool>,
        pub should_remove_source_branch: Option<bool>,
        pub has_removal: Option<bool>,
        pub merge_commit_message: Text,
        pub squash_commit_message: Text,
        /// Later, once nothing is missing.
        pub auto_merge: Option<bool>,
    }
}

impl MergeForm {
    /// What is wanted; messages that were not changed, of the merge and of the one commit, are
    /// those of the moment of the merge.
    fn wanted(&self, usual: Option<[&str; 2]>) -> Wanted {
        let [merge, squash] = usual.map_or([None, None], |usual| usual.map(Some));
        Wanted {
            order: Order {
                sha: self.sha.clone().filter(|sha| !sha.is_empty()),
                merge_commit_message: worded(&self.merge_commit_message, merge),
                squash_commit_message: worded(&self.squash_commit_message, squash),
            },
            squash: chosen(self.has_squash, self.squash),
            should_remove_source_branch: chosen(self.has_removal, self.should_remove_source_branch),
            auto_merge: self.auto_merge.unwrap_or(false),
        }
    }
}

/// A message that somebody wrote, unless it is the usual one.
fn worded(text: &str, usual: Option<&str>) -> Option<String> {
    let text = lines(text).trim().to_owned();
    let is_usual = usual.is_some_and(|usual| usual.trim() == text);
    (!text.is_empty() && !is_usual).then_some(text)
}

/// What was ticked, where it was offered.
fn chosen(offered: Option<bool>, ticked: Option<bool>) -> Option<bool> {
    offered.unwrap_or(false).then(|| ticked.unwrap_or(false))
}

/// Why it is not merged, in words.
fn refused(error: Error) -> Error {
    match error {
        Error::Exact(405, body) => Error::Unprocessable(why(&body)),
        Error::Conflict(_) => Error::Conflict(MOVED.to_owned()),
        error => spoken(error, NOT_MERGING),
    }
}

fn why(body: &Value) -> String {
    match body["detailed_merge_status"].as_str() {
        Some("not_open") => "It is not open any more".to_owned(),
        _ => "It was not merged: the box below says what is missing".to_owned(),
    }
}

pub(super) async fn merge(
    app: App, page: RequestPage, form: Params<MergeForm>,
) -> Result<Response> {
    let Params(form) = form;
    let (id, url) = id(&app, &page).await?;
    match accepted(&app, page.viewer(), id, &form).await {
        Ok(text) => flash::done(&app, &url, text),
        Err(error) => {
            let refusal = Refusal::of(refused(error), &[])?;
            let talk = TalkForms { refusal, ..TalkForms::default() };
            let typed = RequestForms { talk, merge: Some(form), ..RequestForms::default() };
            page.show_again(&app, typed).await
        }
    }
}

async fn accepted(app: &App, viewer: &Viewer, id: i64, form: &MergeForm) -> Result<&'static str> {
    let by = viewer.clone();
    let scene = app.read(move |tx| Scene::read(tx, &by, id, false)).await?;
    let usual = default_words::usual(app, viewer, &scene).await?;
    let usual = usual.as_ref().map(|usual| [usual.merge.as_str(), usual.squash.as_str()]);
    accept(app, viewer, id, form.wanted(usual)).await?;
    let merged_at = app.read(move |tx| Ok(reread(tx, id)?.merged_at)).await?;
    Ok(match merged_at {
        Some(_) => "Merged.",
        None => "It is merged once nothing is missing.",
    })
}

async fn id(app: &App, page: &RequestPage) -> Result<(i64, String)> {
    let page = page.clone();
    app.read(move |tx| {
        let found = page.find(tx)?;
        Ok((found.request.id, found.url()))
    })
    .await
}

/// Leads to the page, with what was done or why it was not.
pub fn led(
    app: &App, url: &str, done: Result<()>, text: &str, not_allowed: &str,
) -> Result<Response> {
    match done {
        Ok(()) => flash::done(app, url, text),
        Err(error) => {
            let refusal = Refusal::of(spoken(error, not_allowed), &[])?;
            let text = refusal.flash.map(|flash| flash.text).unwrap_or_default();
            flash::refused(app, url, text)
        }
    }
}

pub(super) async fn cancel(app: App, page: RequestPage) -> Result<Response> {
    let (place, url) = page.place(&app).await?;
    let viewer = page.viewer().clone();
    let done = app.write(move |tx| {
        let (here, request) = place.find(tx, &viewer, Wish::WriteOwn)?;
        auto_merge::cancel(tx, &viewer, &here.project, &request)
    });
    let text = "It is not merged by itself any more.";
    led(&app, &url, done.await, text, "Its author may do that, and who may merge it")
}

pub(super) async fn rebase(app: App, page: RequestPage) -> Result<Response> {
    let (place, url) = page.place(&app).await?;
    let viewer = page.viewer().clone();
    let done = app.write(move |tx| {
        let (_, request) = place.find(tx, &viewer, Wish::WriteOwn)?;
        rebasing::begin(tx, &viewer, &request, false)
    });
    let text = "The source branch is being rebased.";
    led(&app, &url, done.await, text, "You may not push to the source branch")
}

pub(super) async fn remove_branch(app: App, page: RequestPage) -> Result<Response> {
    let (id, url) = id(&app, &page).await?;
    let done = match source_branch::remove_now(&app, page.viewer(), id).await {
        Ok(Some(Ended::Done)) => Ok(()),
        Ok(Some(Ended::Moved)) => {
            Err(Error::Conflict("The source branch has other commits by now".into()))
        }
        Ok(Some(Ended::Refused(text))) => Err(Error::Unprocessable(text)),
        Ok(None) => Err(Error::Conflict("The source branch is gone, or has to stay".into())),
        Err(error) => Err(error),
    };
    led(
        &app,
        &url,
        done,
        "The source branch is gone.",
        "You may not delete the source branch",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_offered_or_changed_is_not_wished() {
        let form = MergeForm {
            squash: Some(true),
            merge_commit_message: Text("Merge a\r\n\r\nb\r\n".to_owned()),
            squash_commit_message: Text("Own".to_owned()),
            has_removal: Some(true),
            ..MergeForm::default()
        };
        let wanted = form.wanted(Some(["Merge a\n\nb", "a"]));
        assert_eq!((wanted.squash, wanted.should_remove_source_branch), (None, Some(false)));
        assert_eq!(wanted.order.merge_commit_message, None);
        assert_eq!(wanted.order.squash_commit_message.as_deref(), Some("Own"));
        let worded = form.wanted(None).order.merge_commit_message;
        assert_eq!(worded.as_deref(), Some("Merge a\n\nb"));
    }

    #[test]
    fn refusals_are_told_in_words() {
        let said = |error| match refused(error) {
            Error::Unprocessable(text) | Error::Conflict(text) | Error::Forbidden(text) => text,
            other => panic!("{other}"),
        };
        let body = serde_json::json!({"detailed_merge_status": "not_open"});
        assert_eq!(said(Error::Exact(405, body)), "It is not open any more");
        assert_eq!(said(Error::Conflict("SHA does not match".into())), MOVED);
        assert_eq!(said(Error::Unauthenticated), NOT_MERGING);
    }
}
