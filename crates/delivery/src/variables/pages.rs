//! `…/-/settings/ci_cd` of projects and groups, `/admin/settings/ci_cd`: the variables,
//! and who may give a pipeline of a project others.

use super::access::{groups_above, holder, thing};
use super::model::{EVERYWHERE, Variable, VariableType};
use super::rules::{self, NewVariable, VariableChange, VariableOptions};
use super::store::{self as rows, Inherited};
use crate::place::{Place, Whose};
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Errors, Page, Pages, ui};
use kernel::http::{Flat, Paging, Params, Patch, Response, Routes, Text};
use kernel::secrets::Secret;
use spaces::model::OverrideRole;
use spaces::pages::{Space, Visit, section};
use spaces::rules::{ProjectChange, update_project};

const SECTION: &str = "settings/ci_cd";
const OF_INSTANCE: &str = "/admin/settings/ci_cd";
/// Of the instance, and of a space.
const AT: (&str, &str) = (OF_INSTANCE, SECTION);
const TITLE_OF_INSTANCE: &str = "CI/CD variables";
const TITLE: &str = "CI/CD";
/// Most variables of groups above that a page names.
const MOST_INHERITED: i64 = 200;
const UNFIT: &str =
    "cannot be masked: that takes one word of 8 characters or more, without signs such as $";
const TYPES: &[(&str, &str)] = &[("env_var", "Variable"), ("file", "File")];
const VISIBILITIES: &[(&str, &str)] = &[
    ("visible", "Visible: logs may show it"),
    ("masked", "Masked: logs show [MASKED] in its place"),
    ("hidden", "Masked and hidden: nobody reads it here again either"),
];
const ROLES: &[(&str, &str)] = &[
    ("developer", "Developers and above"),
    ("maintainer", "Maintainers and owners"),
    ("owner", "Owners"),
    ("no_one_allowed", "Nobody"),
];

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, SECTION, show);
    section(r, Method::POST, SECTION, change);
    r.page(Method::GET, OF_INSTANCE, show_instance);
    r.page(Method::POST, OF_INSTANCE, change_instance);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Create = "create",
        Save = "save",
        Reveal = "reveal",
        Delete = "delete",
        /// Says who may give variables to pipelines.
        Role = "role",
    }
}

impl Action {
    /// Whether it sends a variable as it is typed.
    fn is_of_fields(self) -> bool {
        matches!(self, Action::Create | Action::Save)
    }
}

kernel::choices! {
    /// Who reads a value.
    #[derive(Default)]
    pub enum Shown {
        #[default]
        Visible = "visible",
        Masked = "masked",
        Hidden = "hidden",
    }
}

kernel::params! {
    pub struct Asked {
        /// The variable whose form is shown.
        pub edit: Option<i64>,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        /// The variable that is meant.
        pub variable_id: Option<i64>,
        pub fields: Flat<Fields>,
        pub role: Option<OverrideRole>,
    }
}

kernel::params! {
    /// A variable as it is typed.
    #[derive(Default)]
    pub struct Fields {
        pub key: Text,
        /// Of one that is there: the value stays where nothing is typed.
        pub value: Text,
        pub description: Text,
        pub environment_scope: Text,
        pub variable_type: Option<VariableType>,
        pub visibility: Option<Shown>,
        pub protected: Option<bool>,
        /// `$` in it names other variables.
        pub expanded: Option<bool>,
    }
}

impl Fields {
    /// Of a new variable, before anything is typed.
    fn fresh() -> Fields {
        Fields {
            environment_scope: EVERYWHERE.to_owned().into(),
            expanded: Some(true),
            ..Fields::default()
        }
    }

    /// What is stored, but for the value.
    fn of(variable: &Variable) -> Fields {
        Fields {
            key: variable.key.clone().into(),
            value: Text::default(),
            description: variable.description.clone().unwrap_or_default().into(),
            environment_scope: variable.environment_scope.clone().into(),
            variable_type: Some(variable.variable_type),
            visibility: Some(match (variable.hidden, variable.masked) {
                (true, _) => Shown::Hidden,
                (false, true) => Shown::Masked,
                (false, false) => Shown::Visible,
            }),
            protected: Some(variable.protected),
            expanded: Some(!variable.raw),
        }
    }

    fn options(&self) -> VariableOptions {
        let description = self.description.trim();
        VariableOptions {
            description: match description {
                "" => Patch::Null,
                text => Patch::Value(text.to_owned()),
            },
            variable_type: self.variable_type,
            protected: Some(self.protected.unwrap_or(false)),
            masked: Some(self.visibility.unwrap_or_default() != Shown::Visible),
            raw: Some(!self.expanded.unwrap_or(false)),
        }
    }

    /// As it is stored: browsers send lines with two characters at their end.
    fn value(&self) -> Secret {
        Secret::new(self.value.replace("\r\n", "\n"))
    }

    /// Variables of the instance have no field for it.
    fn scope(&self) -> Option<String> {
        Some(self.environment_scope.to_string()).filter(|scope| !scope.is_empty())
    }

    fn new_variable(&self) -> NewVariable {
        NewVariable {
            key: self.key.to_string(),
            value: self.value(),
            environment_scope: self.scope(),
            hidden: self.visibility == Some(Shown::Hidden),
            options: self.options(),
        }
    }

    fn change(&self) -> VariableChange {
        VariableChange {
            value: Some(self.value()).filter(|value| !value.expose().is_empty()),
            environment_scope: self.scope(),
            hidden: None,
            options: self.options(),
        }
    }
}

#[derive(Clone)]
struct CiSettings {
    app: App,
    whose: Whose,
    paging: Paging,
    edited: Option<i64>,
    revealed: Option<i64>,
}

async fn show(app: App, visit: Visit, asked: Params<Asked>, paging: Paging) -> Result<Response> {
    CiSettings::new(app, Whose::Space(visit), paging, asked.edit).show().await
}

async fn change(app: App, visit: Visit, form: Params<Form>, paging: Paging) -> Result<Response> {
    CiSettings::sent(app, Whose::Space(visit), form.0, paging).await
}

async fn show_instance(
    app: App, admin: Admin, asked: Params<Asked>, paging: Paging,
) -> Result<Response> {
    CiSettings::new(app, Whose::Instance(admin), paging, asked.edit).show().await
}

async fn change_instance(
    app: App, admin: Admin, form: Params<Form>, paging: Paging,
) -> Result<Response> {
    CiSettings::sent(app, Whose::Instance(admin), form.0, paging).await
}

impl CiSettings {
    fn new(app: App, whose: Whose, paging: Paging, edited: Option<i64>) -> CiSettings {
        CiSettings { app, whose, paging, edited, revealed: None }
    }

    async fn show(self) -> Result<Response> {
        let app = self.app.clone();
        form::show(&app, self).await
    }

    async fn sent(app: App, whose: Whose, form: Form, paging: Paging) -> Result<Response> {
        let edited = form.variable_id.filter(|_| form.action == Action::Save);
        let page = CiSettings::new(app.clone(), whose, paging, edited);
        form::submit(&app, page, form).await
    }

    /// The variable that a form names.
    fn named(&self, tx: &mut Tx<'_>, place: &Place, form: &Form) -> Result<Variable> {
        let id = form.variable_id.ok_or_else(|| Error::missing("variable_id"))?;
        rows::by_id(tx, holder(place), id)?.found(thing(place))
    }

    /// The row of a variable, with its value where that is asked for.
    fn row(&self, variable: Variable) -> Result<Row> {
        let is_revealed = self.revealed == Some(variable.id) && !variable.hidden;
        let value = match is_revealed {
            true => Some(variable.open(self.app.secrets())?),
            false => None,
        };
        Ok(Row { variable, value })
    }
}

impl FormPage for CiSettings {
    type Form = Form;
    type View = CiVariables;
    const FIELDS: &'static [&'static str] = &[
        "key",
        "value",
        "description",
        "environment_scope",
        "variable_type",
        "visibility",
    ];

    fn page(&self, app: &App) -> Page {
        self.whose.page(app, (TITLE_OF_INSTANCE, TITLE))
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<CiVariables> {
        let (place, viewer) = (self.whose.place(tx)?, self.whose.viewer());
        let mut found = rows::page(tx, holder(&place), &self.paging)?;
        found.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let total = rows::count(tx, holder(&place))?;
        let edited = match self.edited {
            Some(id) => Some(rows::by_id(tx, holder(&place), id)?.found(thing(&place))?),
            None => None,
        };
        let again = typed.form.as_ref().filter(|form| form.action.is_of_fields());
        let again = again.map(|form| form.fields.0.clone());
        let stored = edited.as_ref().map_or_else(Fields::fresh, Fields::of);
        let inherited = rows::of_groups(tx, groups_above(&place), MOST_INHERITED)?;
        let (page, tabs) = place.head(tx, &viewer, page, TITLE)?;
        let url = place.url(AT);
        Ok(CiVariables {
            page,
            tabs,
            rows: found.into_iter().map(|row| self.row(row)).collect::<Result<_>>()?,
            inherited,
            has_scopes: place.space().is_some(),
            form: again.unwrap_or(stored),
            edited,
            role: place.space().and_then(role),
            errors: typed.errors.clone(),
            pages: Pages::of(&self.paging, total, &url),
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (place, viewer) = (self.whose.place(tx)?, self.whose.viewer());
        let secrets = self.app.secrets();
        let text = match form.action {
            Action::Create => {
                rules::create(secrets, tx, &viewer, &place, &form.fields.new_variable())?;
                "Variable added."
            }
            Action::Save => {
                let before = self.named(tx, &place, form)?;
                let hidden = before.hidden.then_some(Shown::Hidden);
                let visibility = hidden.or(form.fields.visibility);
                let typed = Fields { visibility, ..form.fields.0.clone() };
                rules::update(secrets, tx, &viewer, &place, before, &typed.change())?;
                "Variable saved."
            }
            Action::Reveal => {
                let revealed = Some(self.named(tx, &place, form)?.id);
                return Ok(Outcome::Shown(CiSettings { revealed, ..self.clone() }));
            }
            Action::Delete => {
                let gone = self.named(tx, &place, form)?;
                rules::destroy(tx, &viewer, &place, &gone)?;
                "Variable deleted."
            }
            Action::Role => {
                save_role(tx, &viewer, &place, form.role)?;
                "Settings saved."
            }
        };
        Outcome::led(place.url(AT), text)
    }

    fn refusal(error: Error) -> Error {
        let mut fields = match form::rename(error, "masked", "visibility") {
            Error::Invalid(fields) => fields,
            other => return other,
        };
        for (_, texts) in fields.iter_mut().filter(|(name, _)| name == "value") {
            for text in texts.iter_mut().filter(|text| *text == "is invalid") {
                UNFIT.clone_into(text);
            }
        }
        Error::Invalid(fields)
    }
}

fn role(space: &Space) -> Option<OverrideRole> {
    match space {
        Space::Project(project, _) => Some(project.pipeline_variables_role),
        Space::Group(..) => None,
    }
}

fn save_role(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, role: Option<OverrideRole>,
) -> Result<()> {
    let Some(space @ Space::Project(..)) = place.space() else {
        return Err(Error::NotFound("Project"));
    };
    let change = ProjectChange {
        ci_pipeline_variables_minimum_override_role: role,
        ..ProjectChange::default()
    };
    update_project(tx, viewer, &space.reference(), &change).map(drop)
}

/// A variable in the table, with its value where that is shown.
#[derive(Debug)]
pub struct Row {
    variable: Variable,
    value: Option<Secret>,
}

/// The page.
#[derive(Debug, Template)]
#[template(path = "ci_variables.html")]
pub struct CiVariables {
    page: Page,
    /// None on the page of the instance.
    tabs: Vec<Tab>,
    url: String,
    rows: Vec<Row>,
    inherited: Vec<Inherited>,
    /// Whether variables may be for some environments only.
    has_scopes: bool,
    edited: Option<Variable>,
    form: Fields,
    /// Who may give variables to a pipeline, of a project.
    role: Option<OverrideRole>,
    errors: Errors,
    pages: Pages,
}

impl CiVariables {
    fn types(&self) -> Vec<Choice> {
        Choice::list(TYPES)
    }

    /// Those that are there do not become hidden.
    fn visibilities(&self) -> Vec<Choice> {
        let count = if self.edited.is_some() { 2 } else { VISIBILITIES.len() };
        Choice::list(&VISIBILITIES[..count])
    }

    fn roles(&self) -> Vec<Choice> {
        Choice::list(ROLES)
    }

    fn kind(&self) -> &'static str {
        self.form.variable_type.unwrap_or_default().as_str()
    }

    fn visibility(&self) -> &'static str {
        self.form.visibility.unwrap_or_default().as_str()
    }

    fn is_ticked(&self, sent: &Option<bool>) -> bool {
        sent.unwrap_or(false)
    }

    fn is_hidden(&self) -> bool {
        self.edited.as_ref().is_some_and(|one| one.hidden)
    }

    fn form_title(&self) -> String {
        match &self.edited {
            Some(one) => format!("Edit {}", one.key),
            None => "Add a variable".to_owned(),
        }
    }

    fn edit_url(&self, variable: &Variable) -> String {
        format!("{}?edit={}#variable", self.url, variable.id)
    }
}
