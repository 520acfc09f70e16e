//! `…/-/labels`: the labels of a project or group.

use super::views::{LabelForm, LabelRow, Labels, Tag};
use super::{entered, paged, shown_color, tabs};
use crate::access::{Aim, Entered, Place, enter};
use crate::model::{Label, color};
use crate::rules::labels::{self as rules, Change, NewLabel};
use crate::store::labels::{self as rows, Filter};
use http::Method;
use identity::pages::refusal::Refusal;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Html, flash};
use kernel::http::{Asked, Paging, Params, Patch, Response, Routes};
use spaces::access::{Purpose, REPORTER};
use spaces::pages::{Address, Space, section};
use std::sync::Arc;
use store::Tx;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "labels", show);
    section(r, Method::POST, "labels", change);
}

kernel::choices! {
    /// What the form does.
    pub enum Action { Add = "add", Update = "update", Remove = "remove" }
}

kernel::params! {
    /// What the list shows.
    pub struct ListPage {
        /// In title or description.
        pub search: Option<String>,
    }
}

kernel::params! {
    /// A label to add, change or remove.
    pub struct Form {
        /// What to do.
        pub action: Action,
        /// The label.
        pub label_id: Option<i64>,
        /// Its title.
        pub title: Option<String>,
        /// Its colour.
        pub color: Option<String>,
        /// A few words.
        pub description: Option<String>,
        /// What the list was narrowed to.
        pub search: Option<String>,
    }
}

/// What was typed, and what is wrong with it.
#[derive(Default)]
struct Typed {
    /// The label that it would change; none where one would be added.
    label_id: Option<i64>,
    form: LabelForm,
    refusal: Refusal,
}

async fn show(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    let search = params.0.search.unwrap_or_default();
    render(&app, viewer, address, search, paging, Typed::default()).await
}

async fn render(
    app: &App,
    viewer: Viewer,
    address: Address,
    search: String,
    paging: Paging,
    typed: Typed,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(app, &viewer, "Labels");
    let view = app
        .read(move |tx| {
            let space = address.enter(tx, &viewer, Purpose::Read)?;
            let here = entered(&space);
            let filter = Filter {
                with_groups_above: true,
                search: Some(search.clone()),
                ..Filter::default()
            };
            let user = viewer.user_id();
            let total = rows::count(tx, user, &here.parent, &filter)?;
            let found = rows::list(tx, user, &here.parent, &filter, paging.clone())?;
            let url = format!("{}/-/labels", space.url());
            let query = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("search", &search)
                .finish();
            let tag = |label: &Label| Tag {
                id: label.id,
                title: label.title.clone(),
                color: shown_color(&label.color),
                description: label.description.clone().unwrap_or_default(),
                is_inherited: label.project_id != here.parent.project_id()
                    || label.group_id != here.parent.group_id(),
            };
            let mut labels: Vec<LabelRow> = found.items.iter().map(tag).map(row).collect();
            let mut added = LabelRow::default();
            let refused = match typed.label_id {
                None => Some(&mut added),
                Some(id) => labels.iter_mut().find(|row| row.tag.id == id),
            };
            if let Some(refused) = refused {
                refused.form = typed.form;
                refused.errors = typed.refusal.errors;
            }
            Ok(Labels {
                labels,
                pages: paged(&paging, total, format!("{url}?{query}")),
                tabs: tabs(&space, "Labels"),
                can_manage: may_manage(&viewer, &here),
                form: added.form,
                errors: added.errors,
                page: space.crumbs(shown, true),
                head: space.head(tx, &viewer)?,
                search,
                url,
            })
        })
        .await?;
    Ok(Html::new(&view)?.status(status).response())
}

fn row(tag: Tag) -> LabelRow {
    LabelRow {
        form: LabelForm {
            title: tag.title.clone(),
            color: tag.color.clone(),
            description: tag.description.clone(),
        },
        errors: Errors::default(),
        tag,
    }
}

/// Whether the viewer changes labels and milestones here.
pub fn may_manage(viewer: &Viewer, here: &Entered) -> bool {
    let archived = match &here.parent {
        crate::access::Parent::Project(project) => project.archived,
        crate::access::Parent::Group(_) => false,
    };
    viewer.user_id().is_some() && !archived && here.level >= REPORTER
}

/// The place, for who changes labels and milestones there.
pub fn enter_to_manage(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
) -> Result<(Space, Entered)> {
    let space = address.enter(tx, viewer, Purpose::Read)?;
    let place = match &space {
        Space::Project(..) => Place::Project(space.reference()),
        Space::Group(..) => Place::Group(space.reference()),
    };
    let here = enter(tx, viewer, &place, Aim::Manage)?;
    Ok((space, here))
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<Asked>,
    form: Params<Form>,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (who, at, wanted) = (viewer.clone(), address.clone(), form.clone());
    let done = app.write(move |tx| apply(tx, &who, &at, &wanted)).await;
    match done {
        Ok((url, text)) => flash::done(&app, &url, text),
        Err(error) => {
            // A name in use is told beside the field, too.
            let error = match error {
                Error::Conflict(_) => Error::invalid("title", "has already been taken"),
                other => other,
            };
            let fields = ["title", "color", "description"];
            let typed = Typed {
                label_id: form.label_id.filter(|_| form.action == Action::Update),
                form: LabelForm {
                    title: form.title.unwrap_or_default(),
                    color: form.color.unwrap_or_default(),
                    description: form.description.unwrap_or_default(),
                },
                refusal: Refusal::of(error, &fields)?,
            };
            let search = form.search.unwrap_or_default();
            render(&app, viewer, address, search, paging, typed).await
        }
    }
}

fn apply(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
    form: &Form,
) -> Result<(String, &'static str)> {
    let (space, here) = enter_to_manage(tx, viewer, address)?;
    let which = || match form.label_id {
        Some(id) => Ok(id.to_string()),
        None => Err(Error::missing("label_id")),
    };
    let color = form.color.clone().filter(|color| !color.is_empty());
    let text = match form.action {
        Action::Add => {
            let new = NewLabel {
                title: form.title.clone().unwrap_or_default(),
                color: color.unwrap_or_else(|| color::DEFAULT.to_owned()),
                description: form.description.clone(),
                priority: None,
                archived: false,
            };
            rules::create(tx, viewer, &here, &new)?;
            "The label is made."
        }
        Action::Update => {
            let change = Change {
                title: form.title.clone(),
                color,
                description: form.description.clone().map_or(Patch::Absent, Patch::Value),
                ..Change::default()
            };
            rules::update(tx, viewer, &here, &which()?, &change)?;
            "The label is changed."
        }
        Action::Remove => {
            rules::destroy(tx, viewer, &here, &which()?)?;
            "The label is deleted."
        }
    };
    Ok((format!("{}/-/labels", space.url()), text))
}
