//! Epics as rows of a timeline: each below the one it stands below.

use crate::model::epics::Epic;
use crate::store::epics::roadmap::Progress;
use kernel::html::ui::timeline::Row;
use std::collections::HashMap;
use store::grouped;

/// What is drawn of each: those that stand below none of them in their order, each with
/// those below it.
pub fn rows(
    roots: Vec<Epic>, below: Vec<Epic>, done: &HashMap<i64, Progress>, group_id: i64,
) -> Vec<Row> {
    let mut children =
        grouped(below.into_iter().map(|epic| (epic.parent_id.unwrap_or_default(), epic)));
    let mut rows = Vec::new();
    // The next one is at the end.
    let mut waiting: Vec<(usize, Epic)> = roots.into_iter().rev().map(|epic| (0, epic)).collect();
    while let Some((level, epic)) = waiting.pop() {
        let progress = done.get(&epic.id).copied().unwrap_or_default();
        let own = children.remove(&epic.id).unwrap_or_default();
        rows.push(row(&epic, level, progress, group_id));
        waiting.extend(own.into_iter().rev().map(|child| (level + 1, child)));
    }
    rows
}

fn row(epic: &Epic, level: usize, progress: Progress, group_id: i64) -> Row {
    let (done, total) = match progress.weight {
        0 => (progress.closed, progress.issues),
        weight => (progress.closed_weight, weight),
    };
    let said = match (progress.issues, progress.weight) {
        (0, _) => "no issues".to_owned(),
        (issues, 0) => format!("{} of {issues} closed", progress.closed),
        (_, weight) => format!("weight {} of {weight} closed", progress.closed_weight),
    };
    Row {
        title: epic.title.clone(),
        url: epic.path(),
        about: epic.reference_from(group_id),
        level,
        days: (epic.start_on(), epic.due_on()),
        done: (done.unsigned_abs(), total.unsigned_abs()),
        said,
        is_closed: !epic.is_open(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epics_stand_below_the_one_they_are_below() {
        let epic = |id: i64, parent_id: Option<i64>| Epic {
            id,
            iid: id,
            parent_id,
            title: id.to_string(),
            ..Epic::default()
        };
        let roots = vec![epic(1, None), epic(2, Some(99))];
        let below = vec![epic(3, Some(1)), epic(4, Some(1)), epic(5, Some(3))];
        let half = Progress { closed: 1, issues: 2, closed_weight: 0, weight: 5 };
        let rows = rows(roots, below, &HashMap::from([(1, half)]), 0);
        let places: Vec<(&str, usize)> =
            rows.iter().map(|row| (row.title.as_str(), row.level)).collect();
        assert_eq!(places, [("1", 0), ("3", 1), ("5", 2), ("4", 1), ("2", 0)]);
        assert_eq!(rows[0].done, (0, 5));
        assert_eq!(
            (rows[0].said.as_str(), rows[1].said.as_str()),
            ("weight 0 of 5 closed", "no issues")
        );
    }
}
