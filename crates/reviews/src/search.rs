//! Which merge requests somebody finds: those of their lists.

use crate::access::{Scope, visible};
use crate::entity::Base;
use crate::model::State;
use crate::store::TABLES;
use crate::store::searched::REQUESTS;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::search::Found;
use spaces::search::Place;

/// Merge requests of a place; if told only in this state.
pub fn merge_requests(tx: &Tx<'_>, viewer: &Viewer, place: &Place, state: Option<State>) -> Found {
    let scope = match place {
        Place::Group(group) => Scope::Group(group.clone()),
        // Who sees a project may not see its code.
        Place::Everywhere | Place::Project(..) => Scope::Everywhere,
    };
    let mut seen = visible(tx, viewer, &scope);
    if let Place::Project(project, _) = place {
        seen.push(" and merge_requests.target_project_id = ", project.id);
    }
    if let Some(state) = state {
        seen.push(" and merge_requests.state = ", state);
    }
    Found::new(&REQUESTS, TABLES, seen)
}

/// What references of those that are found in a place are relative to.
pub fn base(place: &Place) -> Base {
    match place {
        Place::Everywhere => Base::Nothing,
        Place::Group(group) => Base::Group(group.full_path.clone()),
        Place::Project(..) => Base::Project,
    }
}
