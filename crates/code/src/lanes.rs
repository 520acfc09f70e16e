//! A history as lines that part and meet: where each commit stands, and what leads from
//! it to the next one.

use repositories::formats::object_id::ObjectId;

/// Lines beside each other; further ones lie on the last.
pub const MOST_LANES: usize = 20;

/// A commit's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub lane: usize,
    /// From where at this commit to where at the next one a line leads.
    pub lines: Vec<(usize, usize)>,
}

/// Lays out commits, each before those that lead to it, by their ids and parents.
pub fn layout(commits: &[(ObjectId, Vec<ObjectId>)]) -> Vec<Place> {
    let mut lanes: Vec<Option<ObjectId>> = Vec::new();
    let mut places: Vec<Place> = Vec::with_capacity(commits.len());
    // What leads from the row before to which lane of this one.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (id, parents) in commits {
        let waiting = lanes.iter().position(|lane| lane.as_ref() == Some(id));
        let lane = waiting.unwrap_or_else(|| free(&mut lanes));
        let ending: Vec<bool> = lanes.iter().map(|lane| lane.as_ref() == Some(id)).collect();
        if let Some(before) = places.last_mut() {
            let led = open.iter().map(|(from, to)| (*from, if ending[*to] { lane } else { *to }));
            before.lines = led.map(|(from, to)| (drawn(from), drawn(to))).collect();
            before.lines.dedup();
        }
        for at in 0..lanes.len() {
            if ending[at] {
                lanes[at] = None;
            }
        }
        open = (0..lanes.len()).filter(|at| lanes[*at].is_some()).map(|at| (at, at)).collect();
        for (number, parent) in parents.iter().enumerate() {
            let known = lanes.iter().position(|lane| lane.as_ref() == Some(parent));
            let to = known.unwrap_or_else(|| match number {
                0 => lane,
                _ => free(&mut lanes),
            });
            if lanes.len() <= to {
                lanes.resize(to + 1, None);
            }
            lanes[to] = Some(*parent);
            open.push((lane, to));
        }
        places.push(Place { lane: drawn(lane), lines: Vec::new() });
        while lanes.last() == Some(&None) {
            lanes.pop();
        }
    }
    if let Some(last) = places.last_mut() {
        last.lines = open.into_iter().map(|(from, to)| (drawn(from), drawn(to))).collect();
        last.lines.dedup();
    }
    places
}

/// The first lane that nothing is on.
fn free(lanes: &mut Vec<Option<ObjectId>>) -> usize {
    let at = lanes.iter().position(Option::is_none).unwrap_or(lanes.len());
    if at == lanes.len() {
        lanes.push(None);
    }
    at
}

fn drawn(lane: usize) -> usize {
    lane.min(MOST_LANES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> ObjectId {
        ObjectId::from_bytes([number; 20])
    }

    fn laid(commits: &[(u8, &[u8])]) -> Vec<(usize, Vec<(usize, usize)>)> {
        let commits: Vec<_> = commits
            .iter()
            .map(|(one, parents)| (id(*one), parents.iter().map(|one| id(*one)).collect()))
            .collect();
        layout(&commits).into_iter().map(|place| (place.lane, place.lines)).collect()
    }

    #[test]
    fn a_line_is_straight() {
        let line = laid(&[(3, &[2]), (2, &[1]), (1, &[])]);
        assert_eq!(line, [(0, vec![(0, 0)]), (0, vec![(0, 0)]), (0, vec![])]);
    }

    #[test]
    fn lines_part_and_meet() {
        // 5 merges 4 into 3; both come from 2.
        let merge = laid(&[(5, &[3, 4]), (4, &[2]), (3, &[2]), (2, &[])]);
        assert_eq!(merge[0], (0, vec![(0, 0), (0, 1)]));
        assert_eq!(merge[1], (1, vec![(0, 0), (1, 1)]));
        assert_eq!(merge[2].0, 0);
        assert_eq!(merge[3], (1, vec![]));
        let two = laid(&[(3, &[1]), (2, &[1]), (1, &[])]);
        assert_eq!(two[0], (0, vec![(0, 0)]));
        assert_eq!(two[1], (1, vec![(0, 0), (1, 0)]));
    }

    #[test]
    fn many_lines_take_no_more_room() {
        let parents: Vec<u8> = (2..200).collect();
        let octopus = laid(&[(1, &parents), (2, &[]), (3, &[])]);
        assert!(octopus[0].1.iter().all(|(_, to)| *to < MOST_LANES));
        assert_eq!(octopus.len(), 3);
        assert_eq!(laid(&[]), []);
    }
}
