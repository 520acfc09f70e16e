//! `…/-/labels`: the labels of a project or group.

use super::views::{LabelForm, LabelRow, Labels, Tag};
use super::{authorized, paged, shown_color, tabs};
use crate::access::{Aim, ParentAccess, ParentRef, authorize};
use crate::model::Label;
use crate::rules::labels::{self as rules, LabelInput};
use crate::store::labels::{self as rows, Filter};
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{self, Errors};
use kernel::http::{Paging, Params, Patch, RequestContext, Response, Routes};
use spaces::access::{Purpose, REPORTER};
use spaces::pages::{Address, Space, section};
use std::sync::Arc;
use store::Tx;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "labels", show);
    section(r, Method::POST, "labels", change);
}

kernel::choices! {
    pub enum Action { Add = "add", Update = "update", Remove = "remove" }
}

kernel::params! {
    pub struct ListPage {
        /// In title or description.
        pub search: Option<String>,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub label_id: Option<i64>,
        pub title: Option<String>,
        pub color: Option<String>,
        pub description: Option<String>,
        /// What the list was narrowed to.
        pub search: Option<String>,
    }
}

#[derive(Clone)]
struct Page {
    viewer: Viewer,
    address: Address,
    search: String,
    paging: Paging,
}

async fn show(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let page = Page {
        viewer,
        address: Address::of(&asked)?,
        search: params.0.search.unwrap_or_default(),
        paging,
    };
    form::show(&app, page).await
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
    paging: Paging,
) -> Result<Response> {
    let page = Page {
        viewer: viewer.viewer(),
        address: Address::of(&asked)?,
        search: form.search.clone().unwrap_or_default(),
        paging,
    };
    form::submit(&app, page, form.0).await
}

impl FormPage for Page {
    type Form = Form;
    type View = Labels;
    const FIELDS: &'static [&'static str] = &["title", "color", "description"];

    fn page(&self, app: &App) -> html::Page {
        page(app, &self.viewer, "Labels")
    }

    fn view(&self, tx: &mut Tx<'_>, page: html::Page, typed: &Typed<Form>) -> Result<Labels> {
        let (viewer, search) = (&self.viewer, &self.search);
        let space = self.address.authorize(tx, viewer, Purpose::Read)?;
        let here = authorized(&space);
        let filter = Filter {
            with_groups_above: true,
            search: Some(search.clone()),
            ..Filter::default()
        };
        let user = viewer.user_id();
        let total = rows::count(tx, user, &here.parent, &filter)?;
        let found = rows::list(tx, user, &here.parent, &filter, self.paging.clone())?;
        let url = format!("{}/-/labels", space.url());
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("search", search)
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
        if let Some(form) = &typed.form {
            let refused = match form.label_id.filter(|_| form.action == Action::Update) {
                None => Some(&mut added),
                Some(id) => labels.iter_mut().find(|row| row.tag.id == id),
            };
            if let Some(refused) = refused {
                refused.form = form.typed();
                refused.errors = typed.errors.clone();
            }
        }
        Ok(Labels {
            labels,
            pages: paged(&self.paging, total, format!("{url}?{query}")),
            tabs: tabs(&space, "Labels"),
            can_manage: may_manage(viewer, &here),
            form: added.form,
            errors: added.errors,
            page: space.crumbs(page, true),
            head: space.head(tx, viewer)?,
            search: search.clone(),
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (viewer, address) = (&self.viewer, &self.address);
        let (space, here) = authorize_to_manage(tx, viewer, address)?;
        let which = || match form.label_id {
            Some(id) => Ok(id.to_string()),
            None => Err(Error::missing("label_id")),
        };
        let input = LabelInput {
            title: form.title.clone(),
            color: form.color.clone().filter(|color| !color.is_empty()),
            description: form.description.clone().map_or(Patch::Absent, Patch::Value),
            ..LabelInput::default()
        };
        let text = match form.action {
            Action::Add => {
                rules::create(tx, viewer, &here, &input)?;
                "The label is made."
            }
            Action::Update => {
                rules::update(tx, viewer, &here, &which()?, &input)?;
                "The label is changed."
            }
            Action::Remove => {
                rules::destroy(tx, viewer, &here, &which()?)?;
                "The label is deleted."
            }
        };
        Outcome::led(format!("{}/-/labels", space.url()), text)
    }

    /// A name in use is told beside the field, too.
    fn refusal(error: Error) -> Error {
        match error {
            Error::Conflict(_) => Error::invalid("title", "has already been taken"),
            other => other,
        }
    }
}

impl Form {
    fn typed(&self) -> LabelForm {
        LabelForm {
            title: self.title.clone().unwrap_or_default(),
            color: self.color.clone().unwrap_or_default(),
            description: self.description.clone().unwrap_or_default(),
        }
    }
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

pub fn may_manage(viewer: &Viewer, here: &ParentAccess) -> bool {
    let archived = match &here.parent {
        crate::access::Parent::Project(project) => project.archived,
        crate::access::Parent::Group(_) => false,
    };
    viewer.user_id().is_some() && !archived && here.level >= REPORTER
}

pub fn authorize_to_manage(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
) -> Result<(Space, ParentAccess)> {
    let space = address.authorize(tx, viewer, Purpose::Read)?;
    let place = match &space {
        Space::Project(..) => ParentRef::Project(space.reference()),
        Space::Group(..) => ParentRef::Group(space.reference()),
    };
    let here = authorize(tx, viewer, &place, Aim::Manage)?;
    Ok((space, here))
}
