//! The type `SnippetBlob`: a file of a snippet with what it holds.

use crate::entity::raw_path;
use crate::files::{self, File};
use crate::model::Snippet;
use ::store::Tx;
use code::text;
use identity::graph::caller;
use kernel::app::App;
use kernel::error::Result as Outcome;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Cost, Fault, Graph, HasTypeRef, INT, Key, Order,
    STRING, argument, object,
};
use kernel::markup;
use std::collections::HashMap;
use std::sync::Arc;

/// Most bytes of a file that is answered, and of all of one field.
const LARGEST: u64 = 1024 * 1024;
const LARGEST_SUM: u64 = 20 * 1024 * 1024;
/// Most snippets whose files are answered at once.
const MOST: usize = 100;
const PLACE: &[Key] = &[Key::int("place", Order::Asc)];

struct BlobView {
    place: i64,
    raw_path: String,
    file: File,
}

impl BlobView {
    /// What it holds, if that is a text.
    fn text(&self) -> Option<String> {
        let content = self.file.blob.content.as_deref()?;
        text::letters(content).map(String::from)
    }

    fn name(&self) -> String {
        self.file.path.name().to_owned()
    }
}

pub fn graph(g: &mut Graph) {
    g.object::<BlobView>("SnippetBlob", "A file of a snippet.")
        .field("name", STRING, |it| Some(it.name()))
        .describe("The last part of its path.")
        .field("path", STRING, |it| Some(it.file.path.to_string()))
        .describe("Its path.")
        .field("size", INT.required(), |it| {
            i64::try_from(it.file.blob.size).unwrap_or(i64::MAX)
        })
        .describe("Bytes.")
        .field("rawPath", STRING.required(), |it| it.raw_path.clone())
        .describe("Path of its bytes.")
        .field("plainData", STRING, BlobView::text)
        .describe("What it holds, if it is a text of at most 1 MiB.")
        .field("rawPlainData", STRING, BlobView::text)
        .describe("The same.")
        .field("richData", STRING, |it| {
            let is_markdown = code::folder::is_markdown(it.file.path.name());
            it.text().filter(|_| is_markdown).map(|text| markup::render(&text))
        })
        .describe("The same as HTML, if it is Markdown.")
        .cost(Cost::RENDERED)
        .field("binary", BOOLEAN.required(), |it| it.text().is_none())
        .describe("Whether it is no text.")
        .field("mode", STRING, |it| Some(it.file.kind.mode().to_owned()))
        .describe("How git keeps it.");
    g.on::<Snippet>("Snippet")
        .connections("blobs", object::<BlobView>("SnippetBlob"), blobs)
        .describe("Its files.")
        .git()
        .arg(argument("paths", STRING.required().list()).describe("Only those at these paths."));
}

async fn blobs(
    of: Vec<Arc<Snippet>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<BlobView>>>, Fault> {
    let paths: Option<Vec<String>> = args.get("paths")?;
    if of.len() > MOST {
        return Err(Fault::argument(format!("No more than {MOST} snippets show files at once")));
    }
    let window = ask.window(&context, "files of snippets", PLACE)?;
    let (app, _) = caller(&context)?;
    let ids: Vec<i64> = of.iter().map(|it| it.id).collect();
    let found = app
        .read(move |tx: &mut Tx<'_>| repositories::store::of_snippets(tx, ids))
        .await?;
    let found: HashMap<i64, _> =
        found.into_iter().filter_map(|one| Some((one.snippet_id?, one))).collect();
    let (mut pages, mut sum) = (Vec::new(), 0);
    for snippet in &of {
        let views = match found.get(&snippet.id) {
            Some(repository) => read(&app, repository, snippet, paths.as_deref()).await?,
            None => Vec::new(),
        };
        sum += views.iter().map(|it| it.file.blob.size.min(LARGEST)).sum::<u64>();
        if sum > LARGEST_SUM {
            return Err(Fault::argument("No more than 20 MiB of files are answered at once"));
        }
        pages.push(Some(window.page_of_whole(&views, |it| it.place)));
    }
    Ok(pages)
}

async fn read(
    app: &App, repository: &repositories::model::Repository, snippet: &Snippet,
    paths: Option<&[String]>,
) -> Outcome<Vec<Arc<BlobView>>> {
    let files = files::all(app, repository, snippet, LARGEST).await?.into_iter();
    let is_asked =
        |file: &File| paths.is_none_or(|paths| paths.iter().any(|path| path == file.path.as_str()));
    let view = |(place, file): (usize, File)| {
        let raw_path = raw_path(snippet, file.path.as_str());
        Arc::new(BlobView { place: place as i64, raw_path, file })
    };
    Ok(files.filter(is_asked).enumerate().map(view).collect())
}
