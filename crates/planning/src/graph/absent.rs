//! Types of things that nothing here has yet: what clients ask of them is
//! valid and answered with null. No value of them can be made.

use kernel::graph::{Graph, HasTypeRef, INT, STRING, enumeration, item};

pub enum Position {}

fn of_position<T>(position: &Position) -> T {
    match *position {}
}

pub fn graph(g: &mut Graph) {
    let kinds = vec![
        item("text", "A line."),
        item("image", "A point of a picture."),
        item("file", "A file as a whole."),
    ];
    g.enumeration("DiffPositionType", "What a note stands at.", kinds);
    let kind = enumeration("DiffPositionType").required();
    let text = "Where a note stands in a change of source.";
    g.object::<Position>("DiffPosition", text)
        .field("filePath", STRING.required(), of_position)
        .describe("Path of the file.")
        .field("oldPath", STRING, of_position)
        .describe("Path of the file before the change.")
        .field("newPath", STRING, of_position)
        .describe("Path of the file after the change.")
        .field("oldLine", INT, of_position)
        .describe("The line before the change.")
        .field("newLine", INT, of_position)
        .describe("The line after the change.")
        .field("positionType", kind, of_position)
        .describe("What it stands at.");
}
