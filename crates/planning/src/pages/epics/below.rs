//! What the forms of the tree do: put an epic or an issue below an epic, take it out,
//! and order what stands there.

use super::forms::{Deed, EpicForms, TreeForm};
use super::page::EpicPage;
use crate::access::{desk_to_write, epics::signed_in};
use crate::guarded::{self, Writer};
use crate::model::Issue;
use crate::model::epics::Epic;
use crate::pages::talk::{TalkForms, TalkPage};
use crate::rules::epics::change::EpicInput;
use crate::rules::epics::places::{by_id_to_write, find_named};
use crate::rules::epics::{children, issues};
use crate::rules::issues::requests::find;
use crate::store::epics::below as beside;
use crate::store::epics::{self as rows, tree::Move};
use http::StatusCode;
use identity::pages::challenge::Solved;
use identity::pages::refusal::outcome;
use identity::spam::Guarded;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{flash, form};
use kernel::http::{Params, Patch, RequestContext, Response, reply};
use kernel::ids::Reference;
use serde_json::json;
use std::sync::Arc;
use store::Tx;

pub async fn change(
    app: App, page: EpicPage, request: Arc<RequestContext>, form: Params<TreeForm>,
    Solved(solution): Solved,
) -> Result<Response> {
    let Params(form) = form;
    let writer = Writer::by_form(page.viewer().clone(), request, solution);
    let done = match form.deed {
        Deed::New => open(&app, &page, writer, &form).await,
        _ => carry_out(&app, &page, &form).await.map(Guarded::Made),
    };
    if form.quiet.unwrap_or(false) {
        done?;
        return reply::json(StatusCode::OK, &json!({}));
    }
    let done = done.map_err(|error| plain(form::rename(error, "parent_id", form.deed.as_str())));
    match outcome(&app, done, &["title", "epic", "issue"]).await? {
        Ok((url, said)) => flash::done(&app, &format!("{url}#below"), said),
        Err(refusal) => {
            let talk = TalkForms { refusal, ..TalkForms::default() };
            // Also a blank one is shown again.
            let below = Some(TreeForm { quiet: Some(false), ..form });
            page.show_again(&app, EpicForms { talk, below, ..EpicForms::default() }).await
        }
    }
}

/// Makes an epic below this one: where that is told, and what.
async fn open(
    app: &App, page: &EpicPage, writer: Writer, form: &TreeForm,
) -> Result<Guarded<(String, String)>> {
    let at = page.clone();
    let epic = app
        .read(move |tx| {
            let (desk, epic) = at.find(tx)?;
            desk.planning()?;
            Ok(epic)
        })
        .await?;
    let wanted = EpicInput {
        confidential: Some(epic.confidential),
        parent_id: Patch::Value(epic.id),
        ..EpicInput::titled(&form.title)
    };
    let (group, url) = (Reference::Id(epic.group_id), epic.path());
    guarded::open(app, writer, group, wanted, move |_, _, made| {
        Ok((url.clone(), format!("Epic {} created.", made.reference())))
    })
    .await
}

/// Does all else: where that is told, and what.
async fn carry_out(app: &App, page: &EpicPage, form: &TreeForm) -> Result<(String, String)> {
    let (at, form) = (page.clone(), form.clone());
    app.write(move |tx| {
        let (desk, epic) = at.find(tx)?;
        let said = match form.deed {
            Deed::Epic | Deed::Issue => {
                desk.planning()?;
                add(tx, at.viewer(), &epic, &form)?
            }
            _ => order(tx, at.viewer(), &form)?,
        };
        Ok((epic.path(), said))
    })
    .await
}

/// A refusal in the words of the page.
fn plain(error: Error) -> Error {
    match error {
        Error::Exact(..) => Error::Unprocessable(
            "It could not be moved: somebody changed this since you opened the page.".into(),
        ),
        Error::Conflict(_) => Error::invalid("issue", "is in this epic already"),
        other => other,
    }
}

fn add(tx: &mut Tx<'_>, viewer: &Viewer, epic: &Epic, form: &TreeForm) -> Result<String> {
    match form.deed {
        Deed::Epic => {
            let child = chosen(tx, viewer, epic, &form.epic)?;
            if child.parent_id == Some(epic.id) {
                return Err(Error::invalid("epic", "is in this epic already"));
            }
            children::put(tx, viewer, &child, Some(epic))?;
            Ok("Epic added.".into())
        }
        _ => {
            let issue = named(tx, viewer, &form.issue)?;
            issues::put(tx, viewer.user_id(), epic, &issue)?;
            Ok("Issue added.".into())
        }
    }
}

/// The epic that is named, which the viewer may change.
fn chosen(tx: &mut Tx<'_>, viewer: &Viewer, epic: &Epic, text: &str) -> Result<Epic> {
    let unknown = || Error::invalid("epic", "names no epic that you can see");
    let group = signed_in(tx, viewer, &Reference::Id(epic.group_id))?.group;
    let found = find_named(tx, viewer, &group, text)?.ok_or_else(unknown)?;
    match by_id_to_write(tx, viewer, found.id) {
        Ok(found) => found.map(|(_, epic)| epic).ok_or_else(unknown),
        Err(Error::Forbidden(_)) => Err(Error::invalid("epic", "is not yours to change")),
        Err(error) => Err(error),
    }
}

/// The issue that is named, on which the viewer may set marks.
fn named(tx: &mut Tx<'_>, viewer: &Viewer, text: &str) -> Result<Issue> {
    let unknown = || Error::invalid("issue", "names no issue that you may put into an epic");
    let (path, iid) = parts(text).ok_or_else(unknown)?;
    let find = |tx: &mut Tx<'_>| {
        let desk = desk_to_write(tx, viewer, &Reference::Path(path.to_owned()))?;
        let issue = find(tx, viewer, &desk, iid)?;
        issues::named(tx, viewer, issue.id)
    };
    match find(tx) {
        Err(
            Error::NotFound(_) | Error::NotFoundText(_) | Error::Forbidden(_) | Error::Moved(_),
        ) => Err(unknown()),
        found => found,
    }
}

/// A project and a number: `acme/anvil#5`, or the address of an issue's page.
fn parts(text: &str) -> Option<(&str, i64)> {
    let text = text.trim();
    let (path, number) = match text.split_once("/-/issues/") {
        Some((before, number)) => {
            let path = before.split_once("://").map_or(before, |(_, rest)| rest);
            (path.split_once('/')?.1, number)
        }
        None => text.rsplit_once('#')?,
    };
    let end = number.find(['?', '#', '/']).unwrap_or(number.len());
    let number = number[..end].parse().ok().filter(|number| *number > 0)?;
    (!path.is_empty()).then_some((path, number))
}

/// Moves something below its epic, or takes it out; who changes that epic may.
fn order(tx: &mut Tx<'_>, viewer: &Viewer, form: &TreeForm) -> Result<String> {
    let parent = by_id_to_write(tx, viewer, form.parent.unwrap_or(0))?.found("")?.1;
    match (form.child, form.place) {
        (Some(child), _) => {
            let child = children::find(tx, viewer, &parent, child)?;
            order_epic(tx, viewer, (&parent, &child), form)
        }
        (None, Some(place)) => order_issue(tx, viewer, (&parent, place), form),
        (None, None) => Err(Error::Parameters(vec!["child or place is missing".into()])),
    }
}

const MOVED: &str = "Moved.";

fn order_epic(
    tx: &mut Tx<'_>, viewer: &Viewer, (parent, child): (&Epic, &Epic), form: &TreeForm,
) -> Result<String> {
    if form.deed == Deed::Remove {
        children::put(tx, viewer, child, None)?;
        return Ok(format!("Epic {} taken out.", child.reference()));
    }
    let next = |tx: &mut Tx<'_>, before| beside::epic_beside(tx, viewer, child, before);
    let is_there = |tx: &mut Tx<'_>, id| children::find(tx, viewer, parent, id).map(drop);
    match form.place(tx, next, is_there)? {
        Some(to) => children::place(tx, parent, child, to).map(|()| MOVED.to_owned()),
        None => Ok("It stands there already.".into()),
    }
}

fn order_issue(
    tx: &mut Tx<'_>, viewer: &Viewer, (parent, place): (&Epic, i64), form: &TreeForm,
) -> Result<String> {
    let (one, issue) = issues::find(tx, viewer, parent, place)?;
    let key = (one.relative_position, one.id);
    if form.deed == Deed::Remove {
        issues::remove(tx, viewer.user_id(), parent, &issue, &one)?;
        return Ok(format!("Issue #{} taken out.", issue.iid));
    }
    let next = |tx: &mut Tx<'_>, before| beside::issue_beside(tx, viewer, parent.id, key, before);
    let is_there = |tx: &mut Tx<'_>, id| issues::find(tx, viewer, parent, id).map(drop);
    match form.place(tx, next, is_there)? {
        Some(to) => issues::place(tx, &one, Some(to)).map(|()| MOVED.to_owned()),
        None => Ok("It stands there already.".into()),
    }
}

impl TreeForm {
    /// Where something goes among what stands beside it: by one up or down, where `next`
    /// finds it, or to a neighbour that is there; none where it stands there already.
    fn place(
        &self, tx: &mut Tx<'_>, next: impl Fn(&mut Tx<'_>, bool) -> Result<Option<i64>>,
        is_there: impl Fn(&mut Tx<'_>, i64) -> Result<()>,
    ) -> Result<Option<Move>> {
        Ok(match self.deed {
            Deed::Up => next(tx, true)?.map(Move::Before),
            Deed::Down => next(tx, false)?.map(Move::After),
            _ => {
                let to = self.to()?;
                let (Move::After(id) | Move::Before(id)) = to;
                is_there(tx, id)?;
                Some(to)
            }
        })
    }

    fn to(&self) -> Result<Move> {
        let to = self.after.map(Move::After).or(self.before.map(Move::Before));
        to.ok_or_else(|| Error::Parameters(vec!["after or before is missing".into()]))
    }
}

/// The epic that somebody wants another to stand below; none where the text is blank.
pub fn parent(tx: &mut Tx<'_>, viewer: &Viewer, group_id: i64, text: &str) -> Result<Patch<i64>> {
    if text.trim().is_empty() {
        return Ok(Patch::Null);
    }
    let group = signed_in(tx, viewer, &Reference::Id(group_id))?.group;
    let found = find_named(tx, viewer, &group, text)?;
    let found = match found {
        Some(epic) => rows::visible_by_ids(tx, viewer, &[epic.id])?.pop(),
        None => None,
    };
    match found {
        Some(epic) => Ok(Patch::Value(epic.id)),
        None => Err(Error::invalid("parent", "names no epic that you can see")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_are_named_in_several_ways() {
        for (text, expected) in [
            ("acme/anvil#5", Some(("acme/anvil", 5))),
            (" acme/anvil#5 ", Some(("acme/anvil", 5))),
            ("https://x.example/acme/anvil/-/issues/7#note_2", Some(("acme/anvil", 7))),
            ("#5", None),
            ("5", None),
            ("acme/anvil#0", None),
            ("acme/anvil#five", None),
            ("https://x.example/-/issues/7", None),
            ("", None),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }
}
