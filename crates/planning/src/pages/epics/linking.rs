//! Linking an epic with another, and taking the link away.

use super::forms::{EpicForms, LinkForm};
use super::page::EpicPage;
use crate::model::LinkType;
use crate::pages::talk::{TalkForms, TalkPage};
use crate::rules::epics::links as rules;
use crate::rules::epics::places::{EpicPlace, find_named};
use identity::pages::refusal::Refusal;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::http::{Params, Response};
use kernel::ids::Reference;

pub async fn change(app: App, page: EpicPage, form: Params<LinkForm>) -> Result<Response> {
    let Params(form) = form;
    let (at, wanted) = (page.clone(), form.clone());
    let done = app
        .write(move |tx| {
            let (desk, epic) = at.find(tx)?;
            let url = format!("{}#linked", epic.path());
            if let Some(id) = wanted.link_id {
                rules::destroy(tx, at.viewer(), &desk, &epic, id)?;
                return Ok((url, "Link removed."));
            }
            let other = find_named(tx, at.viewer(), &desk.group, &wanted.epic)?;
            let Some(other) = other else {
                return Err(Error::invalid("other", "names no epic that you can see"));
            };
            let target = EpicPlace::numbered(Reference::Id(other.group_id), other.iid);
            let kind = wanted.link_type.unwrap_or(LinkType::RelatesTo);
            rules::create(tx, at.viewer(), &desk, &epic, &target, kind)?;
            Ok((url, "Epics linked."))
        })
        .await;
    match done {
        Ok((url, said)) => flash::done(&app, &url, said),
        Err(error) => {
            let refusal = Refusal::of(plain(error), &["other"])?;
            let talk = TalkForms { refusal, ..TalkForms::default() };
            let link = Some(LinkForm { again: Some(true), ..form });
            page.show_again(&app, EpicForms { talk, link, ..EpicForms::default() }).await
        }
    }
}

/// A refusal in the words of the page.
fn plain(error: Error) -> Error {
    match error {
        Error::Exact(403, _) => Error::invalid("other", "is of a group of which you are no member"),
        Error::Conflict(_) => Error::invalid("other", "is linked with this one already"),
        Error::Unprocessable(text) => {
            let text = text.split_once("cannot be added: ").map_or(text.as_str(), |(_, why)| why);
            Error::invalid("other", format!("cannot be added: {text}"))
        }
        other => other,
    }
}
