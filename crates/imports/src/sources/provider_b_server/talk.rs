//! What was done with each pull request that came, one after the other.

use super::activities::objects;
use super::answers::{Activity, Paged};
use super::{Upstream, told};
use crate::model::Kind;
use crate::run::Page;
use crate::sources::by_number::ByNumber;
use crate::sources::reading::read;
use crate::upstream::Failed;
use serde::{Deserialize, Serialize};

/// Bytes of those who are remembered as seen.
const MOST_SEEN: usize = 2000;
/// Activities of one pull request.
const MOST: i64 = 100_000;

/// The activities of pull requests.
pub struct Talk<'u>(pub &'u Upstream);

/// Where in the activities of one it goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The first activity of the page there.
    start: i64,
    /// Objects of it that came before.
    skip: usize,
    /// Whose newer word on the pull request came before.
    seen: Vec<String>,
}

impl ByNumber for Talk<'_> {
    type Place = Place;

    const OF: Kind = Kind::PullRequest;
    const BRINGS: Kind = Kind::Note;

    async fn some(
        &self, number: i64, from: &Place, page: &mut Page,
    ) -> Result<Option<Place>, Failed> {
        let path = format!("{}/pull-requests/{number}/activities", self.0.repository);
        let list: Paged<Activity> = self.0.list(&path, from.start, &[]).await?;
        let next = list.after(from.start).filter(|next| *next < MOST);
        let (mut came, mut seen) = (Page::default(), from.seen.clone());
        let key = |activity: &Activity| format!("activity {}", activity.id);
        read(&mut came, Kind::Note, list.values, key, |activity| {
            objects(number, activity, &mut seen)
        });
        let room = Page::MOST.saturating_sub(page.objects.len());
        let left = came.objects.len().saturating_sub(from.skip);
        page.objects.extend(came.objects.into_iter().skip(from.skip).take(room));
        if left > room {
            return Ok(Some(Place { skip: from.skip + room, ..from.clone() }));
        }
        page.lost.extend(came.lost);
        Ok(next.map(|start| Place { start, skip: 0, seen: bounded(seen) }))
    }

    fn told(failed: &Failed) -> String {
        told(failed)
    }
}

/// As many as fit into a cursor, the last ones.
fn bounded(mut seen: Vec<String>) -> Vec<String> {
    let mut bytes: usize = seen.iter().map(|id| id.len() + 3).sum();
    let mut gone = 0;
    while bytes > MOST_SEEN {
        bytes -= seen[gone].len() + 3;
        gone += 1;
    }
    seen.drain(..gone);
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::reading;

    #[test]
    fn a_place_fits_into_a_cursor() {
        let seen = bounded((0..1000).map(|id| format!("user-{id}")).collect());
        assert_eq!(seen.last().map(String::as_str), Some("user-999"));
        let place = Place { start: i64::MAX, skip: usize::MAX, seen };
        let text = reading::cursor(&place).unwrap();
        assert!(text.len() < Page::LONGEST_CURSOR, "{}", text.len());
        assert_eq!(reading::place::<Place>(&text).unwrap(), place);
        assert!(bounded(vec!["x".repeat(5000)]).is_empty());
    }
}
