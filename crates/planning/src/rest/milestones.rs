//! Milestones of projects and groups.

use crate::access::{Aim, ParentRef, authorize};
use crate::entity::milestones::{MilestoneEntity, milestone};
use crate::model::MilestoneState;
use crate::rules::milestones::{self as rules, Change, StateEvent};
use crate::store::milestones::{self as rows, Filter};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};

kernel::params! {
    /// A place and which of its milestones.
    pub struct ListMilestones {
        /// Id or path.
        pub id: Reference,
        /// Only of these numbers.
        pub iids: Option<Vec<i64>>,
        /// Only in this state.
        pub state: Option<MilestoneState>,
        /// Only with this title.
        pub title: Option<String>,
        /// In the title or description.
        pub search: Option<String>,
        /// Also those of the groups above.
        pub include_parent_milestones: Option<bool>,
        /// The same by its newer name.
        pub include_ancestors: Option<bool>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
    }
}

kernel::params! {
    /// A new milestone.
    pub struct CreateMilestone {
        /// Id or path.
        pub id: Reference,
        /// Its title.
        pub title: String,
        /// Its description.
        pub description: Patch<String>,
        /// Its first day.
        pub start_date: Patch<Date>,
        /// Its last day.
        pub due_date: Patch<Date>,
    }
}

kernel::params! {
    /// A milestone.
    pub struct MilestonePath {
        /// Id or path.
        pub id: Reference,
        /// Id of the milestone.
        pub milestone_id: i64,
    }
}

kernel::params! {
    /// A milestone and what becomes of it.
    pub struct UpdateMilestone {
        /// Id or path.
        pub id: Reference,
        /// Id of the milestone.
        pub milestone_id: i64,
        /// Another title.
        pub title: Option<String>,
        /// Another description.
        pub description: Patch<String>,
        /// Its first day.
        pub start_date: Patch<Date>,
        /// Its last day.
        pub due_date: Patch<Date>,
        /// Close it or open it again.
        pub state_event: Option<StateEvent>,
    }
}

macro_rules! of_places {
    ($($module:ident, $place:ident, $word:literal, $list:literal, $one:literal;)*) => {$(
        mod $module {
            use super::*;

            pub fn routes(r: &mut Routes) {
                r.get($list, list)
                    .summary(concat!("Lists the milestones of a ", $word));
                r.post($list, create)
                    .summary(concat!("Makes a milestone in a ", $word));
                r.get($one, show)
                    .summary(concat!("Shows a milestone of a ", $word));
                r.put($one, update)
                    .summary(concat!("Changes a milestone of a ", $word));
                r.delete($one, destroy)
                    .summary(concat!("Deletes a milestone of a ", $word));
            }

            async fn list(
                app: App,
                viewer: Viewer,
                params: Params<ListMilestones>,
                paging: Paging,
            ) -> Result<Paged<MilestoneEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::list(app, viewer, place, params.0, paging).await
            }

            async fn create(
                app: App,
                viewer: Viewer,
                params: Params<CreateMilestone>,
            ) -> Result<Created<MilestoneEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::create(app, viewer, place, params.0).await
            }

            async fn show(
                app: App,
                viewer: Viewer,
                params: Params<MilestonePath>,
            ) -> Result<Ok200<MilestoneEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::show(app, viewer, place, params.0.milestone_id).await
            }

            async fn update(
                app: App,
                viewer: Viewer,
                params: Params<UpdateMilestone>,
            ) -> Result<Ok200<MilestoneEntity>> {
                let place = ParentRef::$place(params.id.clone());
                super::update(app, viewer, place, params.0).await
            }

            async fn destroy(
                app: App,
                viewer: Viewer,
                params: Params<MilestonePath>,
            ) -> Result<NoContent> {
                let place = ParentRef::$place(params.id.clone());
                super::destroy(app, viewer, place, params.0.milestone_id).await
            }
        }
    )*};
}

of_places! {
    projects, Project, "project", "/projects/{id}/milestones",
        "/projects/{id}/milestones/{milestone_id}";
    groups, Group, "group", "/groups/{id}/milestones", "/groups/{id}/milestones/{milestone_id}";
}

pub(super) fn routes(r: &mut Routes) {
    projects::routes(r);
    groups::routes(r);
    r.post("/projects/{id}/milestones/{milestone_id}/promote", promote)
        .summary("Makes a project's milestone one of its group");
}

async fn list(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: ListMilestones,
    paging: Paging,
) -> Result<Paged<MilestoneEntity>> {
    let above = params
        .include_parent_milestones
        .or(params.include_ancestors);
    let filter = Filter {
        with_groups_above: above.unwrap_or(false),
        iids: params.iids,
        ids: None,
        state: params.state,
        title: params.title,
        search: params.search,
        updated_before: params.updated_before,
        updated_after: params.updated_after,
    };
    let page = app
        .read(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Read)?;
            rows::list(tx, &entered.parent, &filter, paging)
        })
        .await?;
    Ok(page.map(|one| milestone(&app, &one)))
}

async fn create(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: CreateMilestone,
) -> Result<Created<MilestoneEntity>> {
    let new = Change {
        title: Some(params.title),
        description: params.description,
        start_on: params.start_date,
        due_on: params.due_date,
        state_event: None,
    };
    let made = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            rules::create(tx, &viewer, &entered, &new)
        })
        .await?;
    Ok(Created(milestone(&app, &made)))
}

async fn show(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    id: i64,
) -> Result<Ok200<MilestoneEntity>> {
    let found = app
        .read(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Read)?;
            rules::find(tx, &entered, id)
        })
        .await?;
    Ok(Ok200(milestone(&app, &found)))
}

async fn update(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    params: UpdateMilestone,
) -> Result<Ok200<MilestoneEntity>> {
    let id = params.milestone_id;
    let change = Change {
        title: params.title,
        description: params.description,
        start_on: params.start_date,
        due_on: params.due_date,
        state_event: params.state_event,
    };
    let changed = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            match change.is_empty() {
                true => Err(Error::none_of(
                    "title, description, start_date, due_date, state_event",
                )),
                false => rules::update(tx, &viewer, &entered, id, &change),
            }
        })
        .await?;
    Ok(Ok200(milestone(&app, &changed)))
}

async fn destroy(app: App, viewer: Viewer, place: ParentRef, id: i64) -> Result<NoContent> {
    app.write(move |tx| {
        let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
        rules::destroy(tx, &viewer, &entered, id)?;
        Ok(NoContent)
    })
    .await
}

async fn promote(
    app: App,
    viewer: Viewer,
    params: Params<MilestonePath>,
) -> Result<Ok200<MilestoneEntity>> {
    let promoted = app
        .write(move |tx| {
            let place = ParentRef::Project(params.id.clone());
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            rules::promote(tx, &viewer, &entered, params.milestone_id)
        })
        .await?;
    Ok(Ok200(milestone(&app, &promoted)))
}
