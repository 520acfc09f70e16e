//! Pages of the pipelines that built packages, as far as somebody sees them.

use super::lists::up_to;
use crate::pipelines::model::Pipeline;
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use spaces::access::{Purpose, visible_projects};
use std::collections::HashMap;

/// Each pipeline of each of some packages once: several files may come from one.
fn built(tx: &Tx<'_>, viewer: &Viewer, packages: &[i64]) -> Fragment {
    let mut from = Fragment::new(
        " from (select distinct package_builds.package_id, package_builds.pipeline_id
            from package_builds where",
    );
    from.in_list("package_builds.package_id", packages)
        .raw(") built join ci_pipelines on ci_pipelines.id = built.pipeline_id where")
        .raw(" ci_pipelines.project_id in (select projects.id from projects where ")
        .append(visible_projects(tx, viewer, Purpose::ReadPipelines))
        .raw(")");
    from
}

/// A page of them for each of the packages.
pub fn pipelines(
    tx: &mut Tx<'_>, viewer: &Viewer, packages: &[i64], window: &Window,
) -> Result<Vec<Owned<Pipeline>>> {
    let from = built(tx, viewer, packages);
    Ok(tx.query(window.narrow_each(Pipeline::COLUMNS, "built.package_id", from))?)
}

/// How many each of the packages has, to this number and one more.
pub fn counts(
    tx: &mut Tx<'_>, viewer: &Viewer, packages: &[i64], limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new("select built.package_id, count(*)");
    query.append(built(tx, viewer, packages)).raw(" group by built.package_id");
    Ok(up_to(tx.query(query)?, limit))
}
