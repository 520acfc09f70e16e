//! Merge requests as notes, to-dos and activity name them.

use crate::model::MergeRequest;
use ::store::Tx;
use kernel::error::{Found, Result};
pub use planning::store::notes::MERGE_REQUEST;
use planning::store::notes::Noteable;
use planning::targets::{NoteableRow, TargetKinds};

pub fn noteable(request: &MergeRequest) -> Noteable {
    Noteable {
        kind: MERGE_REQUEST,
        id: request.id,
        project_id: Some(request.target_project_id),
    }
}

/// The same with what notes about it ask of this room ([`crate::talk::KIND`]), as the
/// program has it plugged in.
pub fn plugged(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<NoteableRow> {
    tx.plugged::<TargetKinds>()?.thing(MERGE_REQUEST, request.id).found("")
}
