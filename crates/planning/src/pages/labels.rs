//! `…/-/labels`: the labels of a project or group.

use super::views::{LabelRow, Labels};
use super::{authorized, scope, shown_color};
use crate::access::{Aim, ParentAccess, ParentRef, authorize};
use crate::model::Label;
use crate::rules::labels::{self as rules, LabelInput};
use crate::store::labels::{self as rows, LabelFilter};
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{self, Pages};
use kernel::http::params::Text;
use kernel::http::{Flat, Paging, Params, Patch, Response, Routes};
use spaces::access::{Purpose, REPORTER};
use spaces::pages::{Address, Section, Space, Visit, section};
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
        pub search: Text,
        /// The label whose form is open.
        pub edit: Option<i64>,
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct LabelTexts {
        pub title: Option<String>,
        pub color: Option<String>,
        pub description: Option<String>,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub label_id: Option<i64>,
        pub texts: Flat<LabelTexts>,
        /// What the list was narrowed to.
        pub search: Text,
    }
}

#[derive(Clone)]
struct Page {
    viewer: Viewer,
    address: Address,
    search: Text,
    /// The label whose form is open.
    edit: Option<i64>,
    paging: Paging,
}

async fn show(
    app: App, viewer: Viewer, address: Address,
    Params(ListPage { search, edit }): Params<ListPage>, paging: Paging,
) -> Result<Response> {
    let page = Page { viewer, address, search, edit, paging };
    form::show(&app, page).await
}

async fn change(
    app: App, Visit { viewer, address }: Visit, form: Params<Form>, paging: Paging,
) -> Result<Response> {
    let (search, edit) = (form.search.clone(), form.label_id);
    let page = Page { viewer, address, search, edit, paging };
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
        let filter = LabelFilter { search: Some(search.0.clone()), ..LabelFilter::default() };
        let user = viewer.user_id();
        let total = filter.count(tx, user, &here.parent)?;
        let found = filter.list(tx, user, &here.parent, self.paging.clone())?;
        let url = format!("{}/-/labels", space.url());
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("search", search)
            .finish();
        let ids = found.items.iter().map(|label| label.id).collect();
        let counts = rows::counts(tx, viewer, &scope(&space), ids)?;
        let row = |label: Label| {
            let (open, _) = counts.get(&label.id).copied().unwrap_or_default();
            LabelRow {
                open_issues: open.unsigned_abs(),
                is_edited: self.edit == Some(label.id),
                ..LabelRow::of(label, &here)
            }
        };
        let mut labels: Vec<LabelRow> = found.items.into_iter().map(row).collect();
        let mut added = LabelRow::default();
        if let Some(form) = &typed.form {
            let refused = match form.label_id.filter(|_| form.action == Action::Update) {
                None => Some(&mut added),
                Some(id) => labels.iter_mut().find(|row| row.label.id == id),
            };
            if let Some(refused) = refused {
                refused.form = form.texts.0.clone();
                refused.errors = typed.errors.clone();
            }
        }
        let head = space.head(tx, viewer)?;
        Ok(Labels {
            labels,
            pages: Pages::of(&self.paging, total, format!("{url}?{query}")),
            can_manage: may_manage(viewer, &here),
            form: added.form,
            errors: added.errors,
            page: head.page(page, Section::Labels),
            head,
            search: search.0.clone(),
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (viewer, address) = (&self.viewer, &self.address);
        let (space, here) = authorize_to_manage(tx, viewer, address)?;
        let texts = &form.texts;
        let which = || match form.label_id {
            Some(id) => Ok(id.to_string()),
            None => Err(Error::missing("label_id")),
        };
        let input = LabelInput {
            title: texts.title.clone(),
            color: texts.color.clone().filter(|color| !color.is_empty()),
            description: Patch::given(texts.description.clone()),
            ..LabelInput::default()
        };
        let text = match form.action {
            Action::Add => {
                rules::create(tx, viewer, &here, &input)?;
                "Label created."
            }
            Action::Update => {
                rules::update(tx, viewer, &here, &which()?, &input)?;
                "Label updated."
            }
            Action::Remove => {
                rules::destroy(tx, viewer, &here, &which()?)?;
                "Label deleted."
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

impl LabelRow {
    fn of(label: Label, here: &ParentAccess) -> LabelRow {
        let parent = &here.parent;
        let label = Label { color: shown_color(&label.color), ..label };
        LabelRow {
            is_inherited: label.project_id != parent.project_id()
                || label.group_id != parent.group_id(),
            form: LabelTexts {
                title: Some(label.title.clone()),
                color: Some(label.color.clone()),
                description: label.description.clone(),
            },
            label,
            ..LabelRow::default()
        }
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
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address,
) -> Result<(Space, ParentAccess)> {
    let space = address.authorize(tx, viewer, Purpose::Read)?;
    let place = match &space {
        Space::Project(..) => ParentRef::Project(space.reference()),
        Space::Group(..) => ParentRef::Group(space.reference()),
    };
    let here = authorize(tx, viewer, &place, Aim::Manage)?;
    Ok((space, here))
}
