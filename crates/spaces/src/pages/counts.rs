//! How many things of a room above there are, which the navigation of a project or group
//! says.

use super::place::Space;
use identity::viewer::Viewer;
use kernel::error::Result;
use store::Tx;

/// Counts those that the viewer sees, in a fixed number of statements.
pub type Count = fn(&mut Tx<'_>, &Viewer, &Space) -> Result<u64>;

/// What the room of merge requests plugs in.
#[derive(Debug, Default)]
pub struct OpenMergeRequests(pub Option<Count>);

/// The open merge requests of a project or group.
pub(super) fn open_merge_requests(
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space,
) -> Result<Option<u64>> {
    let OpenMergeRequests(count) = tx.plugged()?;
    count.map(|count| count(tx, viewer, space)).transpose()
}
