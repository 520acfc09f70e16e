//! Types of things that nothing here has yet: what clients ask of them is
//! valid and answered with null. No value of them can be made.

use kernel::graph::{Graph, HasTypeRef, ID, INT, STRING, TIME, enumeration, item};

pub enum Epic {}

pub enum Position {}

fn of_epic<T>(epic: &Epic) -> T {
    match *epic {}
}

fn of_position<T>(position: &Position) -> T {
    match *position {}
}

pub fn graph(g: &mut Graph) {
    let states = vec![item("opened", "To be done."), item("closed", "Done, or not to be done.")];
    g.enumeration("EpicState", "States of an epic.", states);
    g.object::<Epic>("Epic", "Issues of a group that belong together.")
        .field("id", ID.required(), of_epic)
        .describe("Global ID.")
        .field("iid", ID.required(), of_epic)
        .describe("Number in its group.")
        .field("title", STRING, of_epic)
        .describe("Its title.")
        .field("description", STRING, of_epic)
        .describe("Its description, in Markdown.")
        .field("state", enumeration("EpicState").required(), of_epic)
        .describe("Open or closed.")
        .field("webUrl", STRING.required(), of_epic)
        .describe("Its page.")
        .field("webPath", STRING.required(), of_epic)
        .describe("Path of its page.")
        .field("createdAt", TIME, of_epic)
        .describe("When it was made.")
        .field("updatedAt", TIME, of_epic)
        .describe("When it last changed.");
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
