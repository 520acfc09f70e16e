//! The closed lists of the room.

use crate::model::LinkType;
use kernel::graph::shape::Leaf;
use kernel::graph::{Graph, item};

pub const LINK_TYPE: Leaf<LinkType> = Leaf::upper("ReleaseAssetLinkType");
pub const SORT: &str = "ReleaseSort";

pub fn graph(g: &mut Graph) {
    let kinds = vec![
        item("OTHER", "Anything else."),
        item("RUNBOOK", "How to run it."),
        item("IMAGE", "An image of a container."),
        item("PACKAGE", "A package."),
    ];
    g.enumeration("ReleaseAssetLinkType", "What links of releases lead to.", kinds);
    let sorts = vec![
        item("CREATED_ASC", "The first made first."),
        item("CREATED_DESC", "The last made first."),
        item("RELEASED_AT_ASC", "The first that came out first."),
        item("RELEASED_AT_DESC", "The last that came out first."),
    ];
    g.enumeration(SORT, "Orders of releases.", sorts);
}
