//! Epics that have to do with an epic: shown beside it, linked and unlinked.

use super::page::EpicPage;
use super::show::{EpicForms, Reader};
use crate::model::LinkType;
use crate::model::epics::Epic;
use crate::pages::talk::{TalkForms, TalkPage};
use crate::rules::epics::links as rules;
use crate::rules::epics::places::{EpicPlace, find_named};
use crate::store::epics as rows;
use crate::store::epics::links;
use identity::pages::refusal::Refusal;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::html::ui::Choice;
use kernel::http::params::Text;
use kernel::http::{Params, Response};
use kernel::ids::Reference;
use std::collections::HashMap;
use store::Tx;

kernel::params! {
    #[derive(Default)]
    pub struct LinkForm {
        /// The other one, as texts name it.
        pub epic: Text,
        /// What this one is to it.
        pub link_type: Option<LinkType>,
        /// Id of the link that is to go; else one is made.
        pub link_id: Option<i64>,
        /// It was refused.
        pub again: Option<bool>,
    }
}

impl LinkForm {
    pub fn is_open(&self) -> bool {
        self.again.unwrap_or(false)
    }

    pub fn kinds(&self) -> Vec<Choice> {
        Choice::list(&[
            ("relates_to", "Relates to"),
            ("blocks", "Blocks"),
            ("is_blocked_by", "Is blocked by"),
        ])
    }

    pub fn kind(&self) -> String {
        self.link_type.unwrap_or(LinkType::RelatesTo).to_string()
    }
}

/// What an epic is linked with, as far as the viewer sees it.
#[derive(Debug, Default)]
pub struct Linked {
    /// By what the epic is to them.
    pub kinds: Vec<(&'static str, Vec<Other>)>,
}

/// The other end of a link.
#[derive(Debug)]
pub struct Other {
    pub link_id: i64,
    pub epic: Epic,
    pub reference: String,
}

const BLOCKED: &str = "Is blocked by";

impl Linked {
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn tally(&self) -> usize {
        self.kinds.iter().map(|(_, others)| others.len()).sum()
    }

    /// Those that block it and are open.
    pub fn blocking(&self) -> Vec<&Other> {
        let blocked = self.kinds.iter().filter(|(kind, _)| *kind == BLOCKED);
        blocked
            .flat_map(|(_, others)| others)
            .filter(|one| one.epic.is_open())
            .collect()
    }

    pub fn is_blocked(&self) -> bool {
        !self.blocking().is_empty()
    }

    /// Asked before it is closed.
    pub fn question(&self) -> String {
        let names: Vec<&str> =
            self.blocking().iter().take(3).map(|one| one.reference.as_str()).collect();
        let rest = self.blocking().len().saturating_sub(names.len());
        let more = if rest > 0 {
            format!(" and {rest} more")
        } else {
            String::new()
        };
        format!("{}{more} still block this epic. Close it anyway?", names.join(", "))
    }
}

/// The links of an epic, of which the viewer sees both ends, by their kind.
pub fn read(tx: &mut Tx<'_>, reader: &Reader<'_>) -> Result<Linked> {
    let own = reader.epic;
    let found = links::of_epic(tx, own.id)?;
    let ids: Vec<i64> = found.iter().map(|link| link.other(own.id)).collect();
    let others = rows::visible_by_ids(tx, reader.viewer, &ids)?;
    let mut others: HashMap<i64, Epic> = others.into_iter().map(|one| (one.id, one)).collect();
    let mut kinds: Vec<(&'static str, Vec<Other>)> =
        ["Blocks", BLOCKED, "Relates to"].map(|kind| (kind, Vec::new())).into();
    for link in found {
        let Some(epic) = others.remove(&link.other(own.id)) else {
            continue;
        };
        let kind = match link.seen_from(own.id) {
            LinkType::Blocks => 0,
            LinkType::IsBlockedBy => 1,
            LinkType::RelatesTo => 2,
        };
        let reference = epic.reference_from(own.group_id);
        kinds[kind].1.push(Other { link_id: link.id, epic, reference });
    }
    kinds.retain(|(_, others)| !others.is_empty());
    Ok(Linked { kinds })
}

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
