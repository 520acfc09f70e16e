//! Snippets are made, changed and deleted.

use super::Snippets;
use crate::model::Snippet;
use crate::rules::{self, ActionName, FileAction, FileChanges, SnippetChange, SnippetInput, Which};
use identity::graph::caller;
use kernel::error::Error;
use kernel::graph::input::GraphInput;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID, STRING, item, named, object};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::ids::Reference;
use planning::graph::writer;
use spaces::model::Visibility;
use std::sync::Arc;

/// What a mutation shows: nothing of one that is gone.
struct Written(Option<Arc<Snippet>>);

graph_input! {
    struct BlobAction {
        /// What is done.
        action: String = named("SnippetBlobActionEnum").required(),
        /// The path of the file.
        file_path: String = STRING.required(),
        /// Where it was.
        previous_path: Option<String> = STRING,
        /// What it holds.
        content: Option<String> = STRING,
    }
}

graph_input! {
    struct CreateSnippet {
        /// What it is called.
        title: String = STRING.required(),
        /// What it is about, in Markdown.
        description: Option<String> = STRING,
        /// Who sees it.
        visibility_level: String = named("VisibilityLevelsEnum").required(),
        /// Full path of the project it is in; none for one's own.
        project_path: Option<String> = ID,
        /// Its files.
        blob_actions: Option<Vec<BlobAction>> = named("SnippetBlobActionInputType").required().list(),
    }
}

graph_input! {
    struct UpdateSnippet {
        /// The snippet.
        id: i64 = named("SnippetID").required(),
        /// What it is called.
        title: Option<String> = STRING,
        /// What it is about, in Markdown.
        #[serde(default)]
        description: Patch<String> = STRING,
        /// Who sees it.
        visibility_level: Option<String> = named("VisibilityLevelsEnum"),
        /// What is done to its files.
        blob_actions: Option<Vec<BlobAction>> = named("SnippetBlobActionInputType").required().list(),
    }
}

graph_input! {
    struct OneSnippet {
        /// The snippet.
        id: i64 = named("SnippetID").required(),
    }
}

impl BlobAction {
    fn action(&self) -> FileAction {
        FileAction {
            action: ActionName::from_text(&self.action).unwrap_or_default(),
            path: self.file_path.clone(),
            previous_path: self.previous_path.clone(),
            content: self.content.clone(),
            seen: None,
        }
    }
}

fn actions(given: Option<Vec<BlobAction>>) -> Vec<FileAction> {
    given.unwrap_or_default().iter().map(BlobAction::action).collect()
}

pub fn graph(g: &mut Graph) {
    let kinds = vec![
        item("create", "It is made."),
        item("update", "It gets another content."),
        item("delete", "It goes."),
        item("move", "It gets another path."),
    ];
    g.enumeration("SnippetBlobActionEnum", "What is done to a file.", kinds);
    let text = "What is done to a file of a snippet.";
    g.input("SnippetBlobActionInputType", text, BlobAction::arguments());
    let snippet = object::<Snippet>("Snippet");
    g.mutation::<Written>("createSnippet", "Makes a snippet with its files.")
        .answers("snippet", snippet.clone(), |it| it.0.clone())
        .handle(create);
    g.mutation::<Written>("updateSnippet", "Changes a snippet and its files.")
        .answers("snippet", snippet.clone(), |it| it.0.clone())
        .handle(update);
    g.mutation::<Written>("destroySnippet", "Deletes a snippet.")
        .answers("snippet", snippet.clone(), |it| it.0.clone())
        .handle(destroy);
    g.mutation::<Written>("markAsSpamSnippet", "Writes a snippet down as spam.")
        .answers("snippet", snippet, |it| it.0.clone())
        .handle(mark);
}

fn level(text: &str) -> Visibility {
    Visibility::from_text(text).unwrap_or(Visibility::Private)
}

/// A refusal of files as a sentence.
fn in_words(error: Error) -> Fault {
    let text = match &error {
        Error::Exact(400 | 422, told) => told["message"]["error"].as_str().map(str::to_owned),
        _ => None,
    };
    match text {
        Some(text) => Error::Unprocessable(text).into(),
        None => error.into(),
    }
}

fn shown(snippet: Snippet) -> Done<Written> {
    Done::from(Written(Some(Arc::new(snippet))))
}

async fn create(it: CreateSnippet, context: Context) -> Result<Done<Written>, Fault> {
    let (app, _) = caller(&context)?;
    let input = SnippetInput {
        title: it.title,
        description: it.description,
        visibility: level(&it.visibility_level),
        files: actions(it.blob_actions),
    };
    let project = it.project_path.filter(|path| !path.is_empty()).map(Reference::Path);
    let made = rules::create(&app, writer(&context)?, project, input).await;
    Ok(shown(made.map_err(in_words)?.mutated()?))
}

async fn update(it: UpdateSnippet, context: Context) -> Result<Done<Written>, Fault> {
    let (app, _) = caller(&context)?;
    let change = SnippetChange {
        title: it.title,
        description: it.description,
        visibility: it.visibility_level.as_deref().map(level),
        files: FileChanges::Each(actions(it.blob_actions)),
    };
    let changed = rules::update(&app, writer(&context)?, Which::any(it.id), change).await;
    Ok(shown(changed.map_err(in_words)?.mutated()?))
}

async fn destroy(it: OneSnippet, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    app.write(move |tx| rules::destroy(tx, &viewer, &Which::any(it.id))).await?;
    Ok(Done::from(Written(None)))
}

async fn mark(it: OneSnippet, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    let seen = context.load::<Snippets>([it.id]).await?;
    seen.get(&it.id).ok_or_else(Fault::not_available)?;
    let marked = app.write(move |tx| rules::mark_as_spam(tx, &viewer, it.id)).await?;
    Ok(shown(marked))
}
