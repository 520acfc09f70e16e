//! The branches of a project: `/-/branches`.

use super::parts::commit_rows::CommitRow;
use super::parts::merge_request_url;
use super::ref_lists::{self, Action, Around, Filter, Form, ROWS, RefPage, Shown, of_field};
use super::{CodeHead, CodeVisit};
use crate::ahead::divergence;
use crate::branches::{self, Sort};
use crate::entity::in_address;
use crate::hooks;
use crate::names::{self, Named, Wanted};
use crate::visible::visible;
use askama::Template;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Tab;
use kernel::html::{Page, ui};
use kernel::http::params::one_of;
use kernel::http::{Params, Response, Routes};
use repositories::edits;
use repositories::formats::ref_name::RefName;
use repositories::objects::{Commit, Divergence, Objects};
use repositories::protection::BranchProtection;
use spaces::pages::{PROJECT, Section};
use std::sync::Arc;
use store::Tx;

/// Seconds after which a branch that nobody committed to is stale.
const STALE: i64 = 90 * 24 * 3600;
const STATES: &[(&str, &str)] = &[("all", "All"), ("active", "Active"), ("stale", "Stale")];
const SORTS: &[(&str, &str)] = &[
    ("updated_desc", "Last updated"),
    ("updated_asc", "Oldest updated"),
    ("name_asc", "Name"),
];

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/branches");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, ref_lists::change::<BranchesPage>);
}

/// A branch as a row.
#[derive(Debug, Clone)]
struct BranchRow {
    name: String,
    /// As forms send it.
    value: String,
    url: String,
    compare_url: String,
    /// Where a merge request of it is made, for who may.
    merge_url: Option<String>,
    commit: CommitRow,
    divergence: Option<Divergence>,
    is_default: bool,
    protection: BranchProtection,
}

#[derive(Template)]
#[template(path = "branches.html")]
pub struct BranchesView {
    page: Page,
    list: Around,
    rows: Vec<BranchRow>,
    compare_url: String,
    state: &'static str,
    sort: &'static str,
    tabs: Vec<Tab>,
}

impl BranchesView {
    fn sorts(&self) -> Vec<ui::Choice> {
        ui::Choice::list(SORTS)
    }
}

/// The page with all that is shown on it, and which state that is.
#[derive(Clone)]
struct BranchesPage(Arc<Shown<BranchRow>>, &'static str);

async fn show(visit: CodeVisit, filter: Params<Filter>) -> Result<Response> {
    let app = visit.app.clone();
    form::show(&app, BranchesPage::read(visit, filter.0).await?).await
}

impl RefPage for BranchesPage {
    async fn read(visit: CodeVisit, filter: Filter) -> Result<BranchesPage> {
        let state = one_of("state", filter.state.as_deref(), STATES)?;
        let sort = one_of("sort", filter.sort.as_deref(), SORTS)?;
        let wanted = Wanted::of(Some(filter.search.trim()), None)?;
        let viewer = visit.viewer.clone();
        let (head, (all, merges)) = visit
            .find(move |tx, head| {
                let merges = hooks::requests_merges(tx, &viewer, &head.code.project)?;
                Ok((names::all_of(tx, &head.code, "refs/heads/", &wanted)?, merges))
            })
            .await?;
        let skip = filter.part.skip(ROWS);
        let (mut rows, total) = match all.is_empty() {
            true => (Vec::new(), 0),
            false => rows(&visit, &head, all, (state, sort), skip).await?,
        };
        for row in rows.iter_mut().filter(|row| merges && !row.is_default) {
            row.merge_url = Some(merge_request_url(head.url(), &row.value, None));
        }
        let shown = Shown { visit, head, rows, total, filter, sort };
        Ok(BranchesPage(Arc::new(shown), state))
    }

    fn head(&self) -> &CodeHead {
        &self.0.head
    }

    async fn act(&self, form: &Form) -> Result<Outcome<BranchesPage>> {
        let (name, head) = (form.name(), &self.0.head);
        if form.action == Action::Delete {
            self.0.delete(RefName::branch(name)).await?;
            return Outcome::led(address(head), format!("Branch {name} was deleted."));
        }
        let (visit, from) = (&self.0.visit, form.from()?);
        let project = &head.code.project;
        let made = edits::create_branch(&visit.app, &visit.viewer, project, name, from).await?;
        made.map_err(|refused| of_field(refused, "branch"))?;
        let url = format!("{}/-/tree/{}", head.url(), in_address(name));
        Outcome::led(url, format!("Branch {name} is there."))
    }
}

fn address(head: &CodeHead) -> String {
    format!("{}/-/branches", head.url())
}

/// The part of the branches that is shown, and how many there are.
async fn rows(
    visit: &CodeVisit, head: &CodeHead, all: Vec<Named>,
    (state, sort): (&'static str, &'static str), skip: usize,
) -> Result<(Vec<BranchRow>, usize)> {
    let repository = head.code.repository()?;
    let default = repository.head.as_branch().unwrap_or_default().to_owned();
    let stale = visit.app.now().as_second() - STALE;
    let first = default.clone();
    let work = move |objects: &Objects| {
        let sort = Sort::from_text(sort).unwrap_or(Sort::UpdatedDesc);
        let mut sorted = branches::sorted(objects, all.clone(), sort)?;
        if state != "all" {
            let times = branches::times(objects, &sorted)?;
            let is_stale = |one: &Named| times.get(&one.peeled()).is_some_and(|time| *time < stale);
            sorted.retain(|one| is_stale(one) == (state == "stale"));
        }
        sorted.sort_by_key(|one| one.name != first);
        let total = sorted.len();
        let part = sorted.into_iter().skip(skip).take(ROWS);
        let read = part.map(|one| Ok(objects.commit(one.peeled())?.map(|commit| (one, commit))));
        let part: Vec<Option<(Named, Commit)>> = read.collect::<Result<_>>()?;
        Ok((part.into_iter().flatten().collect::<Vec<_>>(), total))
    };
    let (part, total) = visit.objects(head, work).await?;
    let ids: Vec<_> = part.iter().map(|(_, commit)| commit.id).collect();
    let apart = match branches::default_tip(&visit.app, repository).await? {
        Some(tip) => divergence(&visit.app, repository, tip, &ids).await?,
        None => Default::default(),
    };
    let names = part.iter().map(|(one, _)| one.name.clone()).collect();
    let protections = branches::protections(&visit.app, &visit.viewer, &head.code, names).await?;
    let mut pipelines = visit.pipelines(head, &ids).await?.into_iter();
    let (url, now) = (head.url(), visit.app.now());
    let row = |((one, commit), protection): ((Named, Commit), BranchProtection)| BranchRow {
        name: visible(&one.name).into_owned(),
        url: format!("{url}/-/tree/{}", in_address(&one.name)),
        compare_url: format!(
            "{url}/-/compare/{}...{}",
            in_address(&default),
            in_address(&one.name)
        ),
        merge_url: None,
        is_default: one.name == default,
        divergence: apart.get(&commit.id).copied(),
        commit: CommitRow {
            pipeline: pipelines.next().flatten(),
            ..CommitRow::of(&commit, url, now)
        },
        value: one.name,
        protection,
    };
    Ok((part.into_iter().zip(protections).map(row).collect(), total))
}

impl FormPage for BranchesPage {
    type Form = Form;
    type View = BranchesView;
    const FIELDS: &'static [&'static str] = &["branch", "ref"];

    fn page(&self, _: &App) -> Page {
        self.0.visit.page("Branches")
    }

    fn view(&self, _: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<BranchesView> {
        let (shown, state) = (&*self.0, self.1);
        let (url, sort) = (address(&shown.head), shown.sort);
        let search = in_address(shown.filter.search.trim());
        let narrowed = |state: &str| format!("{url}?state={state}&sort={sort}&search={search}");
        let tab = |(name, label): &(&str, &str)| Tab::new(label, narrowed(name), *name == state);
        Ok(BranchesView {
            page: shown.head.head.page(page, Section::Branches),
            rows: shown.rows.clone(),
            compare_url: format!("{}/-/compare", shown.head.url()),
            tabs: STATES.iter().map(tab).collect(),
            list: shown.around(url.clone(), narrowed(state), typed),
            state,
            sort,
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<Self>> {
        Err(Error::internal("branches are not changed in one transaction"))
    }
}
