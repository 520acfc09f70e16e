//! How far branches are ahead of the default branch and behind it, remembered by their
//! commits.

use kernel::app::App;
use kernel::error::Result;
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Divergence};
use std::collections::HashMap;

/// Commits that one walk comes to for all branches of a page.
const STEPS: usize = 10_000;
/// Pairs of commits that are remembered.
const MOST: u64 = 100_000;

struct Known(Cache<(ObjectId, ObjectId), Option<Divergence>>);

impl Default for Known {
    fn default() -> Known {
        Known(Cache::new(MOST))
    }
}

/// How far each of some commits is from another; those are missing for which that takes
/// too long to be found.
pub async fn divergence(
    app: &App, repository: &Repository, base: ObjectId, tips: &[ObjectId],
) -> Result<HashMap<ObjectId, Divergence>> {
    let known = &app.kept::<Known>().0;
    let (mut found, mut unknown) = (HashMap::new(), Vec::new());
    for tip in tips {
        match known.get(&(base, *tip)) {
            Some(told) => found.extend(told.map(|told| (*tip, told))),
            None => unknown.push(*tip),
        }
    }
    if unknown.is_empty() {
        return Ok(found);
    }
    let asked = unknown.clone();
    let walked =
        objects::read(app, repository, move |objects| objects.divergence(base, &asked, STEPS));
    for (tip, told) in unknown.into_iter().zip(walked.await?) {
        known.insert((base, tip), told);
        found.extend(told.map(|told| (tip, told)));
    }
    Ok(found)
}
