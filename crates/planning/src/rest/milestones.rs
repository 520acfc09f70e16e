//! Milestones of projects and groups.

use super::PLACES;
use crate::access::{Aim, ParentRef, authorize};
use crate::entity::milestones::{MilestoneEntity, milestone};
use crate::model::MilestoneState;
use crate::rules::milestones::{self as rules, Change, StateEvent};
use crate::store::milestones::{self as rows, Filter};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::time::{Date, Timestamp};

kernel::params! {
    pub struct ListMilestones {
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
    /// What is said of a milestone beside its title.
    pub struct MilestoneTexts {
        /// Its description.
        pub description: Patch<String>,
        /// Its first day.
        pub start_date: Patch<Date>,
        /// Its last day.
        pub due_date: Patch<Date>,
    }
}

kernel::params! {
    pub struct CreateMilestone {
        /// Its title.
        pub title: String,
        pub texts: Flat<MilestoneTexts>,
    }
}

kernel::params! {
    pub struct MilestonePath {
        /// Id of the milestone.
        pub milestone_id: i64,
    }
}

kernel::params! {
    pub struct UpdateMilestone {
        /// Id of the milestone.
        pub milestone_id: i64,
        /// Another title.
        pub title: Option<String>,
        pub texts: Flat<MilestoneTexts>,
        /// Close it or open it again.
        pub state_event: Option<StateEvent>,
    }
}

pub(super) fn routes(r: &mut Routes) {
    for (places, word) in PLACES {
        let all = &format!("/{places}/{{id}}/milestones");
        let one = &format!("{all}/{{milestone_id}}");
        let name = |handler: &str| format!("{places}_{handler}");
        r.get(all, list)
            .named(&name("list"))
            .summary(format!("Lists the milestones of a {word}"));
        r.post(all, create)
            .named(&name("create"))
            .summary(format!("Makes a milestone in a {word}"));
        r.get(one, show)
            .named(&name("show"))
            .summary(format!("Shows a milestone of a {word}"));
        r.put(one, update)
            .named(&name("update"))
            .summary(format!("Changes a milestone of a {word}"));
        r.delete(one, destroy)
            .named(&name("destroy"))
            .summary(format!("Deletes a milestone of a {word}"));
    }
    r.post("/projects/{id}/milestones/{milestone_id}/promote", promote)
        .summary("Makes a project's milestone one of its group");
}

impl MilestoneTexts {
    fn change(self) -> Change {
        Change {
            description: self.description,
            start_on: self.start_date,
            due_on: self.due_date,
            ..Change::default()
        }
    }
}

async fn list(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    Params(params): Params<ListMilestones>,
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
    Params(params): Params<CreateMilestone>,
) -> Result<Created<MilestoneEntity>> {
    let new = Change {
        title: Some(params.title),
        ..params.texts.0.change()
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
    path: Params<MilestonePath>,
) -> Result<Ok200<MilestoneEntity>> {
    let found = app
        .read(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Read)?;
            rules::find(tx, &entered, path.milestone_id)
        })
        .await?;
    Ok(Ok200(milestone(&app, &found)))
}

async fn update(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    Params(params): Params<UpdateMilestone>,
) -> Result<Ok200<MilestoneEntity>> {
    let id = params.milestone_id;
    let change = Change {
        title: params.title,
        state_event: params.state_event,
        ..params.texts.0.change()
    };
    let changed = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            match change == Change::default() {
                true => Err(Error::none_of(
                    "title, description, start_date, due_date, state_event",
                )),
                false => rules::update(tx, &viewer, &entered, id, &change),
            }
        })
        .await?;
    Ok(Ok200(milestone(&app, &changed)))
}

async fn destroy(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    path: Params<MilestonePath>,
) -> Result<NoContent> {
    app.write(move |tx| {
        let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
        rules::destroy(tx, &viewer, &entered, path.milestone_id)?;
        Ok(NoContent)
    })
    .await
}

async fn promote(
    app: App,
    viewer: Viewer,
    place: ParentRef,
    path: Params<MilestonePath>,
) -> Result<Ok200<MilestoneEntity>> {
    let promoted = app
        .write(move |tx| {
            let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
            rules::promote(tx, &viewer, &entered, path.milestone_id)
        })
        .await?;
    Ok(Ok200(milestone(&app, &promoted)))
}
