//! `…/-/epics/new`, and changing an epic's texts.

use super::below::parent;
use super::desk;
use super::forms::EpicTexts;
use super::page::EpicPage;
use super::views::EpicForm;
use crate::guarded::{self, Writer};
use crate::model::epics::Epic;
use crate::pages::issue::actions::typed;
use crate::pages::{lines, words};
use crate::rules::epics::change::EpicInput;
use crate::rules::epics::places::EpicPlace;
use crate::rules::labelling::Labelling;
use identity::pages::challenge::{Challenge, Solved};
use identity::pages::refusal::{Refusal, outcome};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, flash, form};
use kernel::http::{Flat, Params, Patch, RequestContext, Response};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::pages::{Section, Visit};
use std::sync::Arc;
use store::Tx;

const FIELDS: &[&str] =
    &["title", "description", "labels", "color", "parent", "start_date", "due_date"];

impl EpicTexts {
    fn wanted(&self, tx: &mut Tx<'_>, visit: &Visit, group_id: i64) -> Result<EpicInput> {
        let start_on = typed("start_date", self.start_date.trim(), "is no date")?;
        let due_on = typed("due_date", self.due_date.trim(), "is no date")?;
        let is_fixed = |day: &Patch<_>| matches!(day, Patch::Value(_)).then_some(true);
        Ok(EpicInput {
            title: Some(self.title.to_string()),
            description: Patch::Value(self.description.to_string()),
            wears: Flat(Labelling::these(words(&self.labels))),
            color: Some(self.color.to_string()).filter(|color| !color.is_empty()),
            parent_id: match self.parent.trim() {
                "" => Patch::Absent,
                text => parent(tx, &visit.viewer, group_id, text)?,
            },
            start_is_fixed: is_fixed(&start_on),
            due_is_fixed: is_fixed(&due_on),
            start_on,
            due_on,
            confidential: Some(self.confidential.unwrap_or(false)),
            ..EpicInput::default()
        })
    }
}

pub async fn new(app: App, visit: Visit, Params(form): Params<EpicTexts>) -> Result<Response> {
    let description = lines(&form.description).into();
    let typed = EpicTexts { description, ..form };
    render(&app, visit, None, typed, Refusal::default()).await
}

/// The form; of an epic that is there, if it is given.
async fn render(
    app: &App, visit: Visit, epic: Option<Epic>, typed: EpicTexts, refusal: Refusal,
) -> Result<Response> {
    let title = match epic {
        None => "New epic",
        Some(_) => "Edit epic",
    };
    let shown = refusal.page(app, &visit.viewer, title);
    let status = refusal.status();
    let view = app
        .read(move |tx| {
            let (space, desk) = desk(tx, &visit.viewer, &visit.address, Purpose::ReadMembers)?;
            desk.planning()?;
            let list = format!("{}/-/epics", space.url());
            let page = space.head(tx, &visit.viewer)?.page_below(shown, Section::Epics);
            Ok(EpicForm {
                page,
                title,
                url: match &epic {
                    None => list.clone(),
                    Some(epic) => format!("{}/edit", epic.path()),
                },
                back: epic.as_ref().map_or(list, Epic::path),
                is_new: epic.is_none(),
                can_hide: desk.is_reporter(),
                typed,
                refusal,
            })
        })
        .await?;
    let html = Challenge::allow(view.refusal.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

pub async fn create(
    app: App, visit: Visit, request: Arc<RequestContext>, Params(form): Params<EpicTexts>,
    Solved(solution): Solved,
) -> Result<Response> {
    let form = EpicTexts { description: lines(&form.description).into(), ..form };
    let (by, texts) = (visit.clone(), form.clone());
    let read = app.read(move |tx| {
        let (_, desk) = desk(tx, &by.viewer, &by.address, Purpose::ReadMembers)?;
        desk.planning()?;
        Ok((Reference::Id(desk.group.id), texts.wanted(tx, &by, desk.group.id)?))
    });
    let made = match read.await {
        Ok((group, wanted)) => {
            let writer = Writer::by_form(visit.viewer.clone(), request, solution);
            guarded::open(&app, writer, group, wanted, |_, _, epic| Ok(epic)).await
        }
        Err(error) => Err(error),
    };
    let made = made.map_err(|error| form::rename(error, "parent_id", "parent"));
    match outcome(&app, made, FIELDS).await? {
        Ok(epic) => flash::done(&app, &epic.path(), format!("Epic {} created.", epic.reference())),
        Err(refusal) => render(&app, visit, None, form, refusal).await,
    }
}

/// The epic of a page, for who changes it.
async fn found(app: &App, page: &EpicPage) -> Result<Epic> {
    let page = page.clone();
    app.read(move |tx| {
        let (desk, epic) = page.find(tx)?;
        desk.planning()?;
        Ok(epic)
    })
    .await
}

pub async fn edit(app: App, page: EpicPage) -> Result<Response> {
    let epic = found(&app, &page).await?;
    let typed = EpicTexts {
        title: epic.title.clone().into(),
        description: epic.text().to_owned().into(),
        ..EpicTexts::default()
    };
    let visit = page.visit().clone();
    render(&app, visit, Some(epic), typed, Refusal::default()).await
}

pub async fn update(
    app: App, page: EpicPage, request: Arc<RequestContext>, Params(form): Params<EpicTexts>,
    Solved(solution): Solved,
) -> Result<Response> {
    let before = found(&app, &page).await?;
    let form = EpicTexts { description: lines(&form.description).into(), ..form };
    let wanted = EpicInput {
        title: Some(form.title.to_string()),
        description: Patch::Value(form.description.to_string()),
        ..EpicInput::default()
    };
    let visit = page.visit().clone();
    let place = EpicPlace::numbered(Reference::Id(before.group_id), before.iid);
    let writer = Writer::by_form(visit.viewer.clone(), request, solution);
    let done = guarded::edit(&app, writer, place, wanted, |_, _, epic| Ok(epic)).await;
    match outcome(&app, done, FIELDS).await? {
        Ok(epic) => flash::done(&app, &epic.path(), "Epic updated."),
        Err(refusal) => render(&app, visit, Some(before), form, refusal).await,
    }
}
