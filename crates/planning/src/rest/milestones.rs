//! Milestones of projects and groups.

use super::{PLACES, PlaceRequest, twin};
use crate::access::Aim;
use crate::entity::milestones::{MilestoneEntity, milestone};
use crate::rules::milestones::{self as rules, Change, StateEvent};
use crate::store::milestones::{self as rows, MilestoneFilter};
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};

kernel::params! {
    pub struct CreateMilestone {
        /// Its title.
        pub title: String,
        pub texts: Flat<Change>,
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
        pub texts: Flat<Change>,
        /// Close it or open it again.
        pub state_event: Option<StateEvent>,
    }
}

pub(super) fn routes(r: &mut Routes) {
    for place in PLACES {
        let all = &format!("/{}/{{id}}/milestones", place.0);
        let one = &format!("{all}/{{milestone_id}}");
        twin(r.get(all, list), place, "list", "Lists the milestones of a PLACE");
        twin(r.post(all, create), place, "create", "Makes a milestone in a PLACE");
        twin(r.get(one, show), place, "show", "Shows a milestone of a PLACE");
        twin(r.put(one, update), place, "update", "Changes a milestone of a PLACE");
        twin(r.delete(one, destroy), place, "destroy", "Deletes a milestone of a PLACE");
    }
    r.post("/projects/{id}/milestones/{milestone_id}/promote", promote)
        .summary("Makes a project's milestone one of its group");
}

async fn list(
    at: PlaceRequest, Params(filter): Params<MilestoneFilter>, paging: Paging,
) -> Result<Paged<MilestoneEntity>> {
    at.read(move |tx, by, here| {
        let page = rows::list(tx, &here.parent, &filter, paging)?;
        Ok(page.map(|one| milestone(&by.app, &one)))
    })
    .await
}

async fn create(
    at: PlaceRequest, Params(params): Params<CreateMilestone>,
) -> Result<Created<MilestoneEntity>> {
    let new = Change { title: Some(params.title), ..params.texts.0 };
    at.write(Aim::Manage, move |tx, by, here| {
        let made = rules::create(tx, &by.viewer, here, &new)?;
        Ok(Created(milestone(&by.app, &made)))
    })
    .await
}

async fn show(at: PlaceRequest, path: Params<MilestonePath>) -> Result<Ok200<MilestoneEntity>> {
    at.read(move |tx, by, here| {
        let found = rules::find(tx, here, path.milestone_id)?;
        Ok(Ok200(milestone(&by.app, &found)))
    })
    .await
}

async fn update(
    at: PlaceRequest, Params(params): Params<UpdateMilestone>,
) -> Result<Ok200<MilestoneEntity>> {
    let id = params.milestone_id;
    let change = Change {
        title: params.title,
        state_event: params.state_event,
        ..params.texts.0
    };
    at.write(Aim::Manage, move |tx, by, here| {
        if change == Change::default() {
            let names = "title, description, start_date, due_date, state_event";
            return Err(Error::none_of(names));
        }
        let changed = rules::update(tx, &by.viewer, here, id, &change)?;
        Ok(Ok200(milestone(&by.app, &changed)))
    })
    .await
}

async fn destroy(at: PlaceRequest, path: Params<MilestonePath>) -> Result<NoContent> {
    at.write(Aim::Manage, move |tx, by, here| {
        rules::destroy(tx, &by.viewer, here, path.milestone_id)?;
        Ok(NoContent)
    })
    .await
}

async fn promote(at: PlaceRequest, path: Params<MilestonePath>) -> Result<Ok200<MilestoneEntity>> {
    at.write(Aim::Manage, move |tx, by, here| {
        let promoted = rules::promote(tx, &by.viewer, here, path.milestone_id)?;
        Ok(Ok200(milestone(&by.app, &promoted)))
    })
    .await
}
