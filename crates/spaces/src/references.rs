//! What texts of projects and groups name, for rooms that do not know what there is to
//! name: a room above finds it.

use crate::hooks;
use crate::model::{Namespace, Project};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::markup::Link;
use std::sync::Arc;
use store::Tx;

/// Finds links in a piece of the texts that were looked through.
pub type FindNamed = Arc<dyn Fn(&str) -> Vec<Link> + Send + Sync>;

/// What texts are about: short names mean what is there.
#[derive(Debug, Clone, Copy)]
pub enum TextOf<'t> {
    Project(&'t Project),
    Group(&'t Namespace),
}

/// What finds links in some texts to what the viewer sees of what they name.
pub type References = fn(&mut Tx<'_>, &Viewer, TextOf<'_>, &[&str]) -> Result<FindNamed>;

/// Looks up what some texts name, as far as the viewer sees it; what they do not see stays
/// text.
pub fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, of: TextOf<'_>, texts: &[&str],
) -> Result<FindNamed> {
    match hooks::get(tx)?.references {
        Some(find) => find(tx, viewer, of, texts),
        None => Ok(Arc::new(|_: &str| Vec::new())),
    }
}
