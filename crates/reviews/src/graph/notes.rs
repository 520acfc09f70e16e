//! Mutations that begin discussions in what differs.

use super::MERGE_REQUEST_ID;
use crate::positions::{PositionType, Refusal, Sent, place};
use crate::store as rows;
use crate::talk::thing;
use crate::threads::model::Stored;
use crate::threads::{Ground, stand};
use identity::graph::caller;
use kernel::error::{Error, Found};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, GraphInput, HasTypeRef, INT, STRING, named, object,
};
use kernel::graph_input;
use planning::graph::writer;
use planning::guarded::{self, NoteablePath};
use planning::rules::comments::{Comment, Said, refused_text};
use planning::store::notes::Note;
use std::sync::Arc;

/// The note that begins the discussion; none where it held commands alone.
struct Written(Option<Arc<Note>>);

graph_input! {
    struct PathsInput {
        /// Path of the file before the change.
        old_path: Option<String> = STRING,
        /// Path of the file after the change.
        new_path: Option<String> = STRING,
    }
}

graph_input! {
    /// A file of what differs.
    struct FileInput {
        /// The last commit that both sides have; that of the newest version unless said.
        base_sha: Option<String> = STRING,
        /// Where the target branch was.
        start_sha: String = STRING.required(),
        /// Where the source branch was.
        head_sha: String = STRING.required(),
        /// The file; one of the paths is needed.
        paths: PathsInput = named("DiffPathsInput").required(),
    }
}

graph_input! {
    struct LineInput {
        ..file: FileInput,
        /// The line before the change; none of one that was added.
        old_line: Option<i64> = INT,
        /// The line after the change; none of one that was removed.
        new_line: Option<i64> = INT,
    }
}

graph_input! {
    struct PointInput {
        ..file: FileInput,
        /// How wide the picture is.
        width: i32 = INT.required(),
        /// How high the picture is.
        height: i32 = INT.required(),
        /// How far from its left.
        x: i32 = INT.required(),
        /// How far from its top.
        y: i32 = INT.required(),
    }
}

graph_input! {
    struct What {
        /// The merge request.
        noteable_id: String = named("NoteableID").required(),
        /// The text, in Markdown.
        body: String = STRING.required(),
        /// Whether it is for reporters only.
        internal: Option<bool> = BOOLEAN,
        /// Whether it is for reporters only.
        confidential: Option<bool> = BOOLEAN,
    }
}

graph_input! {
    struct AtLine {
        ..what: What,
        /// Where it stands.
        position: LineInput = named("DiffPositionInput").required(),
    }
}

graph_input! {
    struct AtPoint {
        ..what: What,
        /// Where it stands.
        position: PointInput = named("DiffImagePositionInput").required(),
    }
}

pub fn graph(g: &mut Graph) {
    g.input("DiffPathsInput", "The paths of a file.", PathsInput::arguments());
    g.input("DiffPositionInput", "A line of what differs.", LineInput::arguments());
    let text = "A point of a picture that differs.";
    g.input("DiffImagePositionInput", text, PointInput::arguments());
    let text = "Begins a discussion at a line of what a merge request changes.";
    g.mutation::<Written>("createDiffNote", text)
        .answers("note", object::<Note>("Note"), |it| it.0.clone())
        .handle(|it: AtLine, context| begin(it.what, it.position.sent(), context));
    let text = "Begins a discussion at a point of a picture that a merge request changes.";
    g.mutation::<Written>("createImageDiffNote", text)
        .answers("note", object::<Note>("Note"), |it| it.0.clone())
        .handle(|it: AtPoint, context| begin(it.what, it.position.sent(), context));
}

impl FileInput {
    fn sent(self, kind: PositionType) -> Sent {
        Sent {
            base_sha: self.base_sha,
            start_sha: Some(self.start_sha),
            head_sha: Some(self.head_sha),
            position_type: Some(kind.as_str().to_owned()),
            old_path: self.paths.old_path,
            new_path: self.paths.new_path,
            ..Sent::default()
        }
    }
}

impl LineInput {
    fn sent(self) -> Sent {
        let (old_line, new_line) = (self.old_line, self.new_line);
        Sent { old_line, new_line, ..self.file.sent(PositionType::Text) }
    }
}

impl PointInput {
    fn sent(self) -> Sent {
        Sent {
            width: Some(self.width.into()),
            height: Some(self.height.into()),
            x: Some(self.x.into()),
            y: Some(self.y.into()),
            ..self.file.sent(PositionType::Image)
        }
    }
}

/// A refusal of the text or the position, which REST puts in words of its own.
fn sentence(error: Error) -> Fault {
    match refused_text(&error) {
        Some(problem) => Error::invalid("note", problem).into(),
        None => Refusal::of_field(error).into(),
    }
}

async fn begin(what: What, sent: Sent, context: Context) -> Result<Done<Written>, Fault> {
    let id = MERGE_REQUEST_ID.read(&what.noteable_id).map_err(Fault::argument)?;
    let stored = placed(id, sent, &context).await?;
    let comment = Comment {
        body: what.body,
        internal: what.internal.or(what.confidential).unwrap_or(false),
        created_at: None,
        discussion_id: None,
        begins_thread: true,
    };
    let (app, _) = caller(&context)?;
    let written =
        guarded::comment(&app, writer(&context)?, thing(id), comment, move |tx, thing, said| {
            let Said::Note(note, _) = said else {
                return Ok(None);
            };
            let request = rows::by_id(tx, thing.id)?.found("")?;
            let by = (note.discussion_id.as_str(), note.author_id);
            stand(tx, &request, by, &stored, None)?;
            Ok(Some(Arc::new(*note)))
        });
    let note = written.await.map_err(sentence)?.mutated()?;
    Ok(Done::from(Written(note)))
}

/// Where it stands, for who may write notes about the merge request.
async fn placed(id: i64, sent: Sent, context: &Context) -> Result<Stored, Fault> {
    let (app, viewer) = caller(context)?;
    let ground = app.read(move |tx| {
        thing(id).authorize(tx, &viewer)?;
        let request = rows::by_id(tx, id)?.found("")?;
        Ground::of(tx, &request)
    });
    let ground = ground.await?.ok_or_else(|| sentence(Refusal::NoLine.into()))?;
    let base_sha = sent.base_sha.or_else(|| Some(ground.now.base.to_string()));
    let sent = Sent { base_sha, ..sent };
    let found = place(&app, &ground.repository, &sent, ground.now).await;
    Ok(Stored::of(&found.map_err(sentence)?))
}
