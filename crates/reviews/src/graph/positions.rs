//! Where in what differs notes stand.

use super::diffs::Refs;
use super::enums::POSITION_TYPE;
use crate::commits::store as of_commits;
use crate::noteable::MERGE_REQUEST;
use crate::positions::{Line, Point, Position, PositionType, Spot};
use crate::threads::model::read;
use crate::threads::store::of_discussions;
use identity::graph::caller;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault, Graph, HasTypeRef, object};
use planning::store::notes::{COMMIT, Note};
use std::collections::HashMap;
use std::sync::Arc;

/// Where threads stand, by their ids.
struct Positions;

impl Loader for Positions {
    type Key = String;
    type Value = Arc<Position>;

    async fn load(
        context: Context, ids: Vec<String>,
    ) -> Result<HashMap<String, Arc<Position>>, Fault> {
        let (app, _) = caller(&context)?;
        let found = app.read(move |tx| {
            let of_requests = of_discussions(tx, &ids)?.into_iter();
            let of_requests = of_requests.map(|one| (one.discussion_id, Some(one.position)));
            let of_commits = of_commits::threads(tx, &ids)?.into_iter();
            let of_commits = of_commits.map(|one| (one.discussion_id, one.position));
            Ok(of_requests.chain(of_commits).collect::<Vec<_>>())
        });
        let placed = found.await?.into_iter().filter_map(|(id, position)| {
            let position = read(&position?)?;
            Some((id, Arc::new(position)))
        });
        Ok(placed.collect())
    }
}

/// The thread of a note that may stand in what differs.
fn thread(note: &Note) -> Option<String> {
    let of_code = [MERGE_REQUEST, COMMIT].contains(&note.noteable_type.as_str());
    let may_stand = note.in_thread && !note.is_system && of_code;
    may_stand.then(|| note.discussion_id.clone())
}

fn position_type(position: &Position) -> PositionType {
    match position.spot {
        Spot::Text { .. } => PositionType::Text,
        Spot::Image(_) => PositionType::Image,
        Spot::File => PositionType::File,
    }
}

/// A number of the line, where it is.
fn line(position: &Position, of: fn(Line) -> Option<u32>) -> Option<i64> {
    position.line().and_then(of).map(i64::from)
}

fn pixels(position: &Position, of: fn(Point) -> u32) -> Option<i64> {
    match position.spot {
        Spot::Image(point) => Some(i64::from(of(point))),
        Spot::Text { .. } | Spot::File => None,
    }
}

pub fn graph(g: &mut Graph) {
    g.object::<Position>("DiffPosition", "Where a note stands in what differs.")
        .field("diffRefs", object::<Refs>("DiffRefs").required(), |it| Arc::new(Refs(it.shas)))
        .describe("Between which commits.")
        .value("filePath", "Path of the file.", |it| it.path().to_owned())
        .value("oldPath", "Path of the file before the change.", |it| {
            Some(it.paths.old.clone())
        })
        .value("newPath", "Path of the file after the change.", |it| Some(it.paths.new.clone()))
        .value("oldLine", "The line before the change.", |it| line(it, Line::old_line))
        .value("newLine", "The line after the change.", |it| line(it, Line::new_line))
        .field("positionType", POSITION_TYPE.required(), position_type)
        .describe("What it stands at.")
        .value("width", "How wide the picture is.", |it| pixels(it, |point| point.width))
        .value("height", "How high the picture is.", |it| pixels(it, |point| point.height))
        .value("x", "How far from its left.", |it| pixels(it, |point| point.x))
        .value("y", "How far from its top.", |it| pixels(it, |point| point.y));
    g.on::<Note>("Note")
        .load::<Positions, _>("position", object::<Position>("DiffPosition"), thread)
        .describe("Where in what differs it stands.");
}
