//! `POST …/-/issues/bulk_update`: one change of several issues of a list, each
//! by the rules of its own page, in one transaction.

use super::actions::assignees;
use crate::access::{ProjectAccess, Scope, desk_to_write};
use crate::model::Issue;
use crate::pages::list::{ListPage, Listed, issues_of};
use crate::pages::{first_page, words};
use crate::rules::issues::{Assignees, IssueInput, StateEvent, requests};
use crate::rules::labelling::Labelling;
use crate::store::issues::filter::IssueFilter;
use crate::store::issues::list::{OrderBy, Sorting};
use crate::store::listing;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Pages, flash, ui};
use kernel::http::params::Text;
use kernel::http::{Flat, Paging, Params, Patch, Response, Routes};
use kernel::ids::Reference;
use spaces::pages::{Visit, section};
use std::collections::{BTreeSet, HashMap};
use store::Tx;

/// Issues of one change: those of a page.
const MAX_ISSUES: usize = 100;

pub fn routes(r: &mut Routes) {
    section(r, Method::POST, "issues/bulk_update", update);
    section(r, Method::POST, "incidents/bulk_update", update);
}

kernel::params! {
    /// What becomes of the issues that were ticked; blank leaves a field.
    pub struct BulkForm {
        /// Their ids.
        pub issues: Option<Vec<i64>>,
        pub state_event: Option<StateEvent>,
        pub add_labels: Text,
        pub remove_labels: Text,
        /// User names; `none` for nobody.
        pub assignees: Text,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Option<i64>,
    }
}

async fn update(
    app: App, visit: Visit, Params(form): Params<BulkForm>, Params(query): Params<ListPage>,
    paging: Paging, listed: Listed,
) -> Result<Response> {
    let Visit { viewer, address } = visit;
    let mut chosen = form.issues.clone().unwrap_or_default();
    chosen.sort_unstable();
    chosen.dedup();
    let (who, at) = (viewer.clone(), address.clone());
    let url = app.read(move |tx| Ok(issues_of(tx, &who, &at)?.0.url())).await?;
    let page = Pages::of(&paging, 0, String::new()).page;
    let back = listed.address(&url, &query, page);
    if chosen.is_empty() {
        return flash::refused(&app, &back, "Choose the issues to change first.");
    }
    if chosen.len() > MAX_ISSUES {
        let text = format!("Choose at most {MAX_ISSUES} issues at once.");
        return flash::refused(&app, &back, text);
    }
    let wanted = match wanted(&app, form).await {
        Err(Error::Invalid(_)) => {
            return flash::refused(&app, &back, "Assignees name somebody who is not here.");
        }
        wanted => wanted?,
    };
    let done = app
        .write(move |tx| {
            let (_, scope) = issues_of(tx, &viewer, &address)?;
            Bulk { viewer: &viewer, scope: &scope, wanted: &wanted }.change(tx, &chosen)
        })
        .await?;
    match done.is_whole() {
        true => flash::done(&app, &back, done.text()),
        false => flash::refused(&app, &back, done.text()),
    }
}

/// What became of the issues that were chosen.
#[derive(Debug, Default)]
struct BulkOutcome {
    changed: u64,
    /// They are not there, or the viewer may not change them: which of the two
    /// is not told.
    kept_away: u64,
    /// They cannot become so.
    unfit: u64,
}

impl BulkOutcome {
    fn is_whole(&self) -> bool {
        self.kept_away == 0 && self.unfit == 0
    }

    fn text(&self) -> String {
        let mut text = format!("{} updated", ui::count(self.changed, "issue"));
        if self.kept_away > 0 {
            text.push_str(&format!(", {} not found or not yours to change", self.kept_away));
        }
        if self.unfit > 0 {
            text.push_str(&format!(", {} could not be changed so", self.unfit));
        }
        text + "."
    }
}

struct Bulk<'b> {
    viewer: &'b Viewer,
    /// Only issues of it are changed.
    scope: &'b Scope,
    wanted: &'b IssueInput,
}

impl Bulk<'_> {
    fn change(&self, tx: &mut Tx<'_>, chosen: &[i64]) -> Result<BulkOutcome> {
        let filter = IssueFilter { ids: Some(chosen.to_vec()), ..IssueFilter::default() };
        let sorting = Sorting { by: OrderBy::CreatedAt, descending: false };
        let all = first_page(i64::try_from(MAX_ISSUES).unwrap_or(i64::MAX));
        let issues = listing::rows::<Issue>(tx, self.viewer, self.scope, &filter, sorting, &all)?;
        let missing = chosen.len().saturating_sub(issues.len());
        let mut done = BulkOutcome { kept_away: missing as u64, ..BulkOutcome::default() };
        let projects: BTreeSet<i64> = issues.iter().map(|issue| issue.project_id).collect();
        let mut desks: HashMap<i64, ProjectAccess> = HashMap::new();
        for project in projects {
            desks.extend(self.desk(tx, project)?.map(|desk| (project, desk)));
        }
        for issue in issues {
            let Some(desk) = desks.get(&issue.project_id) else {
                done.kept_away += 1;
                continue;
            };
            match self.edit(tx, desk, &issue) {
                Ok(()) => done.changed += 1,
                Err(error) if is_refusal(&error) => done.kept_away += 1,
                Err(error) if is_unfit(&error) => done.unfit += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    /// The project, if the viewer may write there.
    fn desk(&self, tx: &mut Tx<'_>, project_id: i64) -> Result<Option<ProjectAccess>> {
        match desk_to_write(tx, self.viewer, &Reference::Id(project_id)) {
            Err(error) if is_refusal(&error) => Ok(None),
            desk => desk.map(Some),
        }
    }

    /// Changes one; what refuses it leaves nothing of the change behind.
    fn edit(&self, tx: &mut Tx<'_>, desk: &ProjectAccess, issue: &Issue) -> Result<()> {
        if !requests::may_edit(self.viewer, desk, issue) {
            return Err(Error::forbidden(""));
        }
        if self.wanted.is_empty() {
            return Ok(());
        }
        tx.savepoint(|tx| requests::edit(tx, self.viewer, desk, issue, self.wanted).map(drop))
    }
}

fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Forbidden(_) | Error::NotFound(_) | Error::NotFoundText(_))
}

fn is_unfit(error: &Error) -> bool {
    matches!(
        error,
        Error::Invalid(_) | Error::BadRequest(_) | Error::Conflict(_) | Error::Unprocessable(_)
    )
}

async fn wanted(app: &App, form: BulkForm) -> Result<IssueInput> {
    let names = form.assignees.trim();
    let added = words(&form.add_labels);
    Ok(IssueInput {
        state_event: form.state_event,
        wears: Flat(Labelling {
            add_labels: (!added.is_empty()).then_some(added),
            remove_labels: words(&form.remove_labels),
            ..Labelling::default()
        }),
        assignees: match names {
            "" => Assignees::default(),
            "none" => Assignees::Set(Vec::new()),
            names => assignees(app, names).await?,
        },
        milestone_id: match form.milestone_id {
            None => Patch::Absent,
            Some(0) => Patch::Null,
            Some(id) => Patch::Value(id),
        },
        ..IssueInput::default()
    })
}
