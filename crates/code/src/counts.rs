//! How many commits lead to one.

use kernel::app::App;
use kernel::error::Result;
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Objects, Order, Walk};
use std::time::{Duration, Instant};

/// How long they are counted.
const TIME: Duration = Duration::from_millis(250);
/// Commits between two looks at the clock.
const BETWEEN_LOOKS: usize = 256;

/// Numbers that were counted lately.
struct Recent(Cache<(i64, ObjectId), usize>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(Cache::new(10_000))
    }
}

/// How many commits there are up to one, and whether there are more than were counted.
pub async fn commits(app: &App, repository: &Repository, from: ObjectId) -> Result<(usize, bool)> {
    let recent = app.kept::<Recent>();
    let key = (repository.id, from);
    if let Some(known) = recent.0.get(&key) {
        return Ok((known, false));
    }
    let count = move |objects: &Objects| {
        let until = Instant::now() + TIME;
        let walk = Walk { from: vec![from], order: Order::AsMet, ..Walk::default() };
        let mut count = 0_usize;
        for met in objects.history(&walk)? {
            met?;
            count += 1;
            if count.is_multiple_of(BETWEEN_LOOKS) && Instant::now() >= until {
                return Ok((count, true));
            }
        }
        Ok((count, false))
    };
    let (count, has_more) = objects::read(app, repository, count).await?;
    if !has_more {
        recent.0.insert(key, count);
    }
    Ok((count, has_more))
}
