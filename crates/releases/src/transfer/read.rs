//! Reads releases as they go elsewhere.

use super::model::{Link, Release};
use crate::store;
use ::store::{Tx, grouped};
use kernel::error::Result;
use planning::store::milestones::by_ids;
use std::collections::HashMap;

/// Releases of a project behind an id, each with its own id, by that.
pub fn page(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, Release<i64>)>> {
    let releases = store::after(tx, project_id, after, limit)?;
    let ids: Vec<i64> = releases.iter().map(|one| one.id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let goals = store::milestones::of_releases(tx, &ids)?;
    let named: Vec<i64> = goals.iter().map(|(_, milestone)| *milestone).collect();
    let titles = match named.is_empty() {
        true => HashMap::new(),
        false => by_ids(tx, &named)?,
    };
    let titled = goals
        .into_iter()
        .filter_map(|(release, milestone)| Some((release, titles.get(&milestone)?.title.clone())));
    let mut titles: HashMap<i64, Vec<String>> = grouped(titled);
    let links = store::links::of_releases(tx, &ids)?;
    let links = links.into_iter().map(|link| {
        let kind = Some(link.link_type.as_str().to_owned());
        let one = Link {
            name: link.name,
            url: link.url,
            path: link.filepath,
            link_type: kind,
        };
        (link.release_id, one)
    });
    let mut links: HashMap<i64, Vec<Link>> = grouped(links);
    let read = releases.into_iter().map(|one| {
        let release = Release {
            commit: one.commit().map(|commit| commit.id.to_string()),
            tag: one.tag,
            name: one.name,
            description: one.description,
            author: one.author_id,
            milestones: titles.remove(&one.id).unwrap_or_default(),
            links: links.remove(&one.id).unwrap_or_default(),
            created_at: one.created_at,
            released_at: one.released_at,
        };
        (one.id, release)
    });
    Ok(read.collect())
}
