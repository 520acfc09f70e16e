//! `POST …/-/issues/bulk_update`: one change of several issues of a list, each
//! by the rules of its own page.

use super::actions::assignees;
use crate::guarded::{self, Place, Writer};
use crate::pages::words;
use crate::rules::issues::{Assignees, IssueInput, StateEvent};
use http::Method;
use identity::spam::Guarded;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{flash, ui};
use kernel::http::params::Text;
use kernel::http::{Params, Patch, RequestContext, Response, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::pages::{Visit, section};
use std::sync::Arc;

/// Issues of one change: those of a page.
const MAX_ISSUES: usize = 100;

pub fn routes(r: &mut Routes) {
    section(r, Method::POST, "issues/bulk_update", update);
}

kernel::params! {
    /// What becomes of the issues that were ticked; blank leaves a field.
    pub struct BulkForm {
        /// Each as the project's id, a dash and the issue's number.
        pub issues: Option<Vec<String>>,
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
    app: App,
    visit: Visit,
    request: Arc<RequestContext>,
    Params(form): Params<BulkForm>,
) -> Result<Response> {
    let by = Writer::by_form(visit.viewer.clone(), request, None);
    let url = app.read(move |tx| Ok(visit.authorize(tx, Purpose::Read)?.url())).await?;
    let list = format!("{url}/-/issues");
    let chosen = places(form.issues.as_deref().unwrap_or_default());
    if chosen.is_empty() {
        return flash::refused(&app, &list, "Choose the issues to change first.");
    }
    let wanted = match wanted(&app, form).await {
        Err(Error::Invalid(_)) => {
            return flash::refused(&app, &list, "Assignees name somebody who is not here.");
        }
        wanted => wanted?,
    };
    let (mut done, mut refused) = (0u64, 0u64);
    for place in chosen {
        // It writes no texts, so there is nothing to solve.
        let edited = guarded::edit(&app, by.clone(), place, wanted.clone(), |_, _, _| Ok(()));
        match edited.await.and_then(Guarded::rest) {
            Ok(()) => done += 1,
            Err(error) if is_of_one(&error) => refused += 1,
            Err(error) => return Err(error),
        }
    }
    match refused {
        0 => flash::done(&app, &list, format!("{} updated.", ui::count(done, "issue"))),
        _ => flash::refused(
            &app,
            &list,
            format!("{} updated, {refused} could not be changed.", ui::count(done, "issue")),
        ),
    }
}

/// Whether the others may still be changed.
fn is_of_one(error: &Error) -> bool {
    matches!(
        error,
        Error::Forbidden(_)
            | Error::NotFound(_)
            | Error::NotFoundText(_)
            | Error::Invalid(_)
            | Error::BadRequest(_)
            | Error::Conflict(_)
            | Error::Unprocessable(_)
    )
}

fn places(chosen: &[String]) -> Vec<Place> {
    let place = |text: &String| {
        let (project, iid) = text.split_once('-')?;
        Some((Reference::Id(project.parse().ok()?), iid.parse().ok()?))
    };
    chosen.iter().take(MAX_ISSUES).filter_map(place).collect()
}

async fn wanted(app: &App, form: BulkForm) -> Result<IssueInput> {
    let names = form.assignees.trim();
    let added = words(&form.add_labels);
    Ok(IssueInput {
        state_event: form.state_event,
        add_labels: (!added.is_empty()).then_some(added),
        remove_labels: words(&form.remove_labels),
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
