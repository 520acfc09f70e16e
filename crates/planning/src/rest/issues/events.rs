//! What became of an issue.

use super::IssuePath;
use crate::entity::events::{EventEntity, Named, event};
use crate::model::EventKind;
use crate::rules::issues::places::found;
use crate::store::issues::events as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;

/// An event of an issue.
struct OneEvent {
    id: Reference,
    issue_iid: i64,
    event_id: i64,
}

macro_rules! of_kinds {
    ($($module:ident, $kind:ident, $word:literal, $param:literal;)*) => {
        $(mod $module {
            use super::*;

            const BASE: &str =
                concat!("/projects/{id}/issues/{issue_iid}/resource_", $word, "_events");
            const ONE: &str =
                concat!("/projects/{id}/issues/{issue_iid}/resource_", $word, "_events/{", $param, "}");

            kernel::params! {
                /// An event of an issue.
                pub struct EventPath {
                    /// Id or path of the project.
                    pub id: Reference,
                    /// Number of the issue.
                    pub issue_iid: i64,
                    /// Id of the event.
                    pub event_id as $param: i64,
                }
            }

            pub fn routes(r: &mut Routes) {
                r.get(BASE, list)
                    .summary(concat!("Lists the ", $word, " events of an issue"));
                r.get(ONE, show)
                    .summary(concat!("Shows a ", $word, " event of an issue"));
            }

            async fn list(
                app: App,
                viewer: Viewer,
                path: Params<IssuePath>,
                paging: Paging,
            ) -> Result<Paged<EventEntity>> {
                super::list(app, viewer, path.0, EventKind::$kind, paging).await
            }

            async fn show(
                app: App,
                viewer: Viewer,
                path: Params<EventPath>,
            ) -> Result<Ok200<EventEntity>> {
                let place = OneEvent {
                    id: path.id.clone(),
                    issue_iid: path.issue_iid,
                    event_id: path.event_id,
                };
                super::show(app, viewer, place, EventKind::$kind).await
            }
        })*

        pub(super) fn routes(r: &mut Routes) {
            $($module::routes(r);)*
        }
    };
}

of_kinds! {
    state, State, "state", "state_event_id";
    label, Label, "label", "label_event_id";
    milestone, Milestone, "milestone", "milestone_event_id";
    weight, Weight, "weight", "weight_event_id";
}

async fn list(
    app: App,
    viewer: Viewer,
    path: IssuePath,
    kind: EventKind,
    paging: Paging,
) -> Result<Paged<EventEntity>> {
    let (page, named) = app
        .read(move |tx| {
            let (_, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
            let page = rows::list(tx, issue.id, kind, paging)?;
            let named = Named::read(tx, &page.items)?;
            Ok((page, named))
        })
        .await?;
    Ok(page.map(|one| event(&app, &one, &named)))
}

async fn show(
    app: App,
    viewer: Viewer,
    path: OneEvent,
    kind: EventKind,
) -> Result<Ok200<EventEntity>> {
    let (one, named) = app
        .read(move |tx| {
            let (_, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
            let one = rows::find(tx, issue.id, kind, path.event_id)?.found("")?;
            let named = Named::read(tx, std::slice::from_ref(&one))?;
            Ok((one, named))
        })
        .await?;
    Ok(Ok200(event(&app, &one, &named)))
}
