//! What issues, epics and merge requests tell alike: title and text as HTML, where their
//! page is, how they are named and how long they take.

use super::html;
use crate::model::human_span;
use crate::rules::times::Timed;
use kernel::graph::{Args, BOOLEAN, Cost, HasTypeRef, ObjectBuilder, STRING, argument};
use kernel::markup;
use spaces::model::SourceKind;
use std::any::Any;
use std::sync::Arc;

/// A title, a text in Markdown, and what the files of that belong to.
pub struct Prose<'a> {
    pub title: &'a str,
    pub text: Option<&'a str>,
    pub source: (SourceKind, i64),
}

/// Adds the title as HTML, the text, and the page, which is at this path.
pub fn written<T: Any + Send + Sync>(
    it: ObjectBuilder<'_, T>, prose: fn(&T) -> Prose<'_>, path: fn(&T) -> String,
) -> ObjectBuilder<'_, T> {
    it.field("titleHtml", STRING, move |it| Some(markup::escape(prose(it).title)))
        .describe("Its title as HTML.")
        .field("description", STRING, move |it| prose(it).text.map(str::to_owned))
        .describe("Its description, in Markdown.")
        .level("descriptionHtml", STRING, move |all: Vec<Arc<T>>, _, _| {
            let all = all.iter().map(|it| prose(it));
            html(all.map(|it| (it.text.map(str::to_owned), Some(it.source))).collect())
        })
        .describe("Its description as HTML.")
        .cost(Cost::RENDERED)
        .level("webUrl", STRING.required(), move |all: Vec<Arc<T>>, _, context| async move {
            let app = context.app()?;
            Ok(all.iter().map(|it| app.url(&path(it))).collect())
        })
        .describe("Its page.")
        .field("webPath", STRING.required(), path)
        .describe("Path of its page.")
}

/// Adds how it is named: in short, or with the path of where it stands.
pub fn referred<T: Any + Send + Sync>(
    it: ObjectBuilder<'_, T>, reference: fn(&T, bool) -> String,
) -> ObjectBuilder<'_, T> {
    it.resolve("reference", STRING.required(), move |it, args: Args, _| async move {
        Ok(reference(&it, args.get::<Option<bool>>("full")?.unwrap_or(false)))
    })
    .describe("How it is named.")
    .arg(
        argument("full", BOOLEAN)
            .default(false)
            .describe("With the path of its project or group."),
    )
}

/// Adds the time it is estimated to take, and the time spent on it.
pub fn timed<T: Timed + Any + Send + Sync>(it: ObjectBuilder<'_, T>) -> ObjectBuilder<'_, T> {
    it.value("timeEstimate", "Seconds it is estimated to take.", |it| it.times().0)
        .value("totalTimeSpent", "Seconds spent on it.", |it| it.times().1)
        .value("humanTimeEstimate", "The time it is estimated to take, for people.", |it| {
            human_span(it.times().0)
        })
        .value("humanTotalTimeSpent", "The time spent on it, for people.", |it| {
            human_span(it.times().1)
        })
}
