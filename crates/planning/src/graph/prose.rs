//! Title and text of an issue or epic as HTML, and where its page is.

use super::html;
use kernel::graph::{Cost, HasTypeRef, ObjectBuilder, STRING};
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
