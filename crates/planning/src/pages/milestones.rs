//! `…/-/milestones`: the milestones of a project or group, and one of them.

use super::labels::{authorize_to_manage, may_manage};
use super::list::read_rows;
use super::views::{IssueRow, Milestone as View, MilestoneRow, Milestones};
use super::{authorized, desk, first_page, lines, scope};
use crate::access::Scope;
use crate::model::{Issue, Milestone, MilestoneState};
use crate::rules::milestones::{self as rules, Change, StateEvent};
use crate::rules::references::Links;
use crate::store::issues::filter::IssueFilter;
use crate::store::issues::list::{OrderBy, Sorting};
use crate::store::listing;
use crate::store::milestones::{self as rows, MilestoneFilter};
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Page, Pages};
use kernel::http::params::{Text, one_of};
use kernel::http::{Flat, Paging, Params, Patch, Response, Routes};
use kernel::time::{Date, date_of};
use spaces::access::Purpose;
use spaces::pages::{Address, Section, Space, Visit, section};
use store::Tx;

const FIELDS: &[&str] = &["title", "description", "start_date", "due_date"];

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "milestones", show);
    section(r, Method::POST, "milestones", change);
    section(r, Method::GET, "milestones/{milestone_iid}", show_one);
}

kernel::choices! {
    pub enum Action {
        Add = "add",
        Update = "update",
        Close = "close",
        Activate = "activate",
        Remove = "remove",
    }
}

/// What a list shows, the first unless something is chosen.
const STATES: &[(&str, &str)] = &[("active", "Open"), ("closed", "Closed"), ("all", "All")];

kernel::params! {
    pub struct ListPage {
        /// `active`, `closed` or `all`.
        pub state: Option<String>,
    }
}

kernel::params! {
    pub struct OneMilestone {
        pub milestone_iid: i64,
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct MilestoneTexts {
        pub title: Text,
        pub description: Text,
        pub start_date: Text,
        pub due_date: Text,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub milestone_id: Option<i64>,
        pub texts: Flat<MilestoneTexts>,
    }
}

#[derive(Clone)]
struct MilestoneLoader {
    viewer: Viewer,
    address: Address,
    state: &'static str,
    paging: Paging,
}

async fn show(
    app: App, viewer: Viewer, address: Address, params: Params<ListPage>, paging: Paging,
) -> Result<Response> {
    let state = one_of("state", params.0.state.as_deref(), STATES)?;
    let page = MilestoneLoader { viewer, address, state, paging };
    form::show(&app, page).await
}

async fn change(
    app: App, Visit { viewer, address }: Visit, Params(mut form): Params<Form>,
) -> Result<Response> {
    let paging = first_page(20);
    form.texts.0.description = lines(&form.texts.description).into();
    match (form.action, form.milestone_id) {
        (Action::Update, Some(id)) => {
            let page = MilestoneView { viewer, address, which: Which::Id(id), paging };
            form::submit(&app, page, form).await
        }
        _ => {
            let page = MilestoneLoader { viewer, address, state: "active", paging };
            form::submit(&app, page, form).await
        }
    }
}

impl FormPage for MilestoneLoader {
    type Form = Form;
    type View = Milestones;
    const FIELDS: &'static [&'static str] = FIELDS;
    const RENDERS_TEXT: bool = true;

    fn page(&self, app: &App) -> Page {
        page(app, &self.viewer, "Milestones")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<Milestones> {
        let space = self.address.authorize(tx, &self.viewer, Purpose::Read)?;
        let here = authorized(&space);
        let filter = MilestoneFilter {
            include_ancestors: Some(true),
            state: MilestoneState::from_text(self.state),
            ..MilestoneFilter::default()
        };
        let total = rows::count(tx, &here.parent, &filter)?;
        let found = rows::list(tx, &here.parent, &filter, self.paging.clone())?;
        let (url, state) = (format!("{}/-/milestones", space.url()), self.state);
        let today = date_of(tx.now());
        let ids: Vec<i64> = found.items.iter().map(|goal| goal.id).collect();
        let counts = rows::issue_counts(tx, &self.viewer, &scope(&space), &ids)?;
        let count = |id: i64| counts.get(&id).copied().unwrap_or_default();
        let row = |goal: Milestone| MilestoneRow {
            done: count(goal.id).1.unsigned_abs(),
            total: (count(goal.id).0 + count(goal.id).1).unsigned_abs(),
            is_expired: goal.is_expired(today),
            is_inherited: goal.project_id != here.parent.project_id()
                || goal.group_id != here.parent.group_id(),
            goal,
        };
        let head = space.head(tx, &self.viewer)?;
        Ok(Milestones {
            milestones: found.items.into_iter().map(row).collect(),
            pages: Pages::of(&self.paging, total, format!("{url}?state={state}")),
            can_manage: may_manage(&self.viewer, &here),
            state: state.to_owned(),
            form: typed_texts(typed).unwrap_or_default(),
            errors: typed.errors.clone(),
            page: head.page(page, Section::Milestones),
            head,
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (to, text) = apply(tx, &self.viewer, &self.address, form)?;
        Outcome::led(to, text)
    }
}

async fn show_one(
    app: App, viewer: Viewer, address: Address, path: Params<OneMilestone>, paging: Paging,
) -> Result<Response> {
    let page = MilestoneView {
        viewer,
        address,
        which: Which::Number(path.milestone_iid),
        paging,
    };
    form::show(&app, page).await
}

#[derive(Clone, Copy)]
enum Which {
    Number(i64),
    Id(i64),
}

#[derive(Clone)]
struct MilestoneView {
    viewer: Viewer,
    address: Address,
    which: Which,
    paging: Paging,
}

impl FormPage for MilestoneView {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = FIELDS;

    fn page(&self, app: &App) -> Page {
        page(app, &self.viewer, "Milestone")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let (viewer, paging) = (&self.viewer, &self.paging);
        let space = self.address.authorize(tx, viewer, Purpose::Read)?;
        let here = authorized(&space);
        let goal = match self.which {
            Which::Number(iid) => rows::find_by_iid(tx, &here.parent, iid)?,
            Which::Id(id) => rows::find(tx, &here.parent, id, false)?,
        };
        let goal = goal.found("Milestone")?;
        let list = format!("{}/-/milestones", space.url());
        let head = space.head(tx, viewer)?;
        let mut page = head.page_below(page, Section::Milestones);
        page.title = goal.title.clone();
        let (issues, total) = issues(tx, viewer, &self.address, &space, &goal, paging)?;
        let links = Links::find(tx, viewer, "", &here.parent, [goal.text()])?;
        Ok(View {
            description: links.render(goal.text()),
            form: typed_texts(typed).unwrap_or_else(|| stored(&goal)),
            errors: typed.errors.clone(),
            pages: Pages::of(paging, total, format!("{list}/{}", goal.iid)),
            issues,
            can_manage: may_manage(viewer, &here),
            is_expired: goal.is_expired(date_of(tx.now())),
            goal,
            head,
            page,
            url: list,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (to, text) = apply(tx, &self.viewer, &self.address, form)?;
        Outcome::led(to, text)
    }
}

fn typed_texts(typed: &Typed<Form>) -> Option<MilestoneTexts> {
    typed.form.as_ref().map(|form| form.texts.0.clone())
}

fn stored(goal: &Milestone) -> MilestoneTexts {
    let day = |day: Option<Date>| Text(day.map(|day| day.to_string()).unwrap_or_default());
    MilestoneTexts {
        title: goal.title.clone().into(),
        description: goal.text().to_owned().into(),
        start_date: day(goal.start_on),
        due_date: day(goal.due_on),
    }
}

/// One page of a milestone's issues that the viewer sees, and how many.
fn issues(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, space: &Space, goal: &Milestone,
    paging: &Paging,
) -> Result<(Vec<IssueRow>, i64)> {
    let scope = match space {
        Space::Group(group, _) => Scope::Group(Box::new(group.clone())),
        Space::Project(..) => match desk(tx, viewer, address, Purpose::Read) {
            Ok((_, desk)) => Scope::Project(Box::new(desk)),
            // Its issues are hidden or off.
            Err(Error::NotFound(_)) => return Ok((Vec::new(), 0)),
            Err(error) => return Err(error),
        },
    };
    let filter = IssueFilter { milestone_id: Some(goal.id), ..IssueFilter::default() };
    let sorting = Sorting { by: OrderBy::CreatedAt, descending: true };
    let total = listing::count::<Issue>(tx, viewer, &scope, &filter)?;
    let found = listing::rows::<Issue>(tx, viewer, &scope, &filter, sorting, paging)?;
    Ok((read_rows(tx, found, Some(space))?, total))
}

/// A day out of a field; none where it is empty.
fn day(field: &str, text: &str) -> Result<Patch<Date>> {
    let text = text.trim();
    match (text.is_empty(), text.parse()) {
        (true, _) => Ok(Patch::Null),
        (false, Ok(day)) => Ok(Patch::Value(day)),
        (false, Err(_)) => Err(Error::invalid(field, "is no date")),
    }
}

fn apply(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, form: &Form,
) -> Result<(String, &'static str)> {
    let (space, here) = authorize_to_manage(tx, viewer, address)?;
    let which = || form.milestone_id.ok_or_else(|| Error::missing("milestone_id"));
    let list = format!("{}/-/milestones", space.url());
    let texts = || -> Result<Change> {
        Ok(Change {
            title: Some(form.texts.title.0.clone()),
            description: Patch::Value(form.texts.description.0.clone()),
            start_on: day("start_date", &form.texts.start_date)?,
            due_on: day("due_date", &form.texts.due_date)?,
            state_event: None,
        })
    };
    let state = |event| Change { state_event: Some(event), ..Change::default() };
    let (change, text) = match form.action {
        Action::Add => {
            let made = rules::create(tx, viewer, &here, &texts()?)?;
            return Ok((format!("{list}/{}", made.iid), "Milestone created."));
        }
        Action::Remove => {
            rules::destroy(tx, viewer, &here, which()?)?;
            return Ok((list, "Milestone deleted."));
        }
        Action::Update => (texts()?, "Milestone updated."),
        Action::Close => (state(StateEvent::Close), "Milestone closed."),
        Action::Activate => (state(StateEvent::Activate), "Milestone reopened."),
    };
    let changed = rules::update(tx, viewer, &here, which()?, &change)?;
    Ok((format!("{list}/{}", changed.iid), text))
}
