//! What the forms beside an epic do: each changes one thing alone.

use super::below::parent;
use super::forms::{Action, EpicForms, FieldForm};
use super::page::EpicPage;
use crate::pages::talk::{TalkForms, TalkPage};
use crate::pages::{issue::actions::typed, words};
use crate::rules::epics::change::EpicInput;
use crate::rules::epics::{places, requests, said::noteable};
use crate::rules::issues::StateEvent;
use crate::rules::labelling::Labelling;
use crate::rules::{awards, todos};
use crate::store::awards::Awardable;
use identity::pages::refusal::Refusal;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{flash, form};
use kernel::http::{Params, Patch, Response};
use kernel::time::Date;
use store::Tx;

pub async fn change(app: App, page: EpicPage, form: Params<FieldForm>) -> Result<Response> {
    let Params(form) = form;
    let (at, wanted) = (page.clone(), form.clone());
    match app.write(move |tx| carry_out(tx, &at, &wanted)).await {
        Ok(url) => flash::done(&app, &url, form.said()),
        Err(error) => {
            let error = form::rename(error, "parent_id", "parent");
            let field = form.typed().map_or("", |(field, _)| field);
            let refusal = Refusal::of(error, &[field])?;
            let talk = TalkForms { refusal, ..TalkForms::default() };
            let field = Some(form);
            page.show_again(&app, EpicForms { talk, field, ..EpicForms::default() }).await
        }
    }
}

/// Does it; where it leads.
fn carry_out(tx: &mut Tx<'_>, page: &EpicPage, form: &FieldForm) -> Result<String> {
    let (desk, epic) = page.find(tx)?;
    let viewer = page.viewer();
    match form.action {
        Action::Subscribe | Action::Unsubscribe => {
            places::subscribe(tx, viewer, &epic, form.action == Action::Subscribe)?;
        }
        Action::Todo => {
            todos::mark(tx, viewer, noteable(&epic))?;
        }
        Action::Award => {
            let name = form.name.as_deref().unwrap_or("thumbsup");
            awards::toggle(tx, viewer, &desk, &epic, Awardable::Epic(epic.id), name)?;
        }
        Action::Delete => {
            requests::destroy(tx, viewer, &desk, &epic)?;
            return Ok(format!("/groups/{}/-/epics", epic.group_path));
        }
        _ => {
            desk.planning()?;
            let wanted = wanted(tx, page, form, epic.group_id)?;
            requests::edit(tx, viewer, &desk, &epic, wanted)?;
        }
    }
    Ok(epic.path())
}

/// What a form changes: the one field it is about.
fn wanted(tx: &mut Tx<'_>, page: &EpicPage, form: &FieldForm, group_id: i64) -> Result<EpicInput> {
    let mut wanted = EpicInput::default();
    match form.action {
        Action::Close => wanted.state_event = Some(StateEvent::Close),
        Action::Reopen => wanted.state_event = Some(StateEvent::Reopen),
        Action::Labels => *wanted.wears = Labelling::these(words(&form.labels)),
        Action::Color => wanted.color = Some(form.color.to_string()),
        Action::Parent => {
            wanted.parent_id = parent(tx, page.viewer(), group_id, &form.parent)?;
        }
        Action::Start => {
            wanted.start_is_fixed = Some(form.is_fixed());
            wanted.start_on = form.day("start_date", &form.start_date)?;
        }
        Action::Due => {
            wanted.due_is_fixed = Some(form.is_fixed());
            wanted.due_on = form.day("due_date", &form.due_date)?;
        }
        Action::Confidential | Action::OpenToAll => {
            wanted.confidential = Some(form.action == Action::Confidential);
        }
        _ => {}
    }
    Ok(wanted)
}

impl FieldForm {
    fn is_fixed(&self) -> bool {
        self.from.0 != "inherited"
    }

    /// The fixed day; what was fixed before stays where it is inherited now.
    fn day(&self, field: &'static str, text: &str) -> Result<Patch<Date>> {
        match self.is_fixed() {
            true => typed(field, text.trim(), "is no date"),
            false => Ok(Patch::Absent),
        }
    }
}
