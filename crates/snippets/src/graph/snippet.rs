//! The type `Snippet`.

use super::{LEVEL, OF_PERSON, OF_PROJECT, seen};
use crate::access::{Home, SnippetAccess};
use crate::model::Snippet;
use crate::talk::{SNIPPET, noteable};
use identity::graph::{People, Person, viewer};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Error;
use kernel::graph::{BOOLEAN, Context, Cost, Fault, Graph, HasTypeRef, ID, STRING, TIME, object};
use kernel::markup::{self, Rendering};
use planning::graph::{awardable, noteable as with_notes};
use planning::store::awards::Awardable;
use spaces::access::{Levels, find_projects};
use spaces::graph::{ProjectView, Projects};
use std::collections::HashMap;
use std::sync::Arc;

/// What the caller may do with a snippet.
struct Permissions {
    comments: bool,
    changes: bool,
}

pub fn graph(g: &mut Graph) {
    g.object::<Permissions>("SnippetPermissions", "What the caller may do with a snippet.")
        .field("readSnippet", BOOLEAN.required(), |_| true)
        .describe("See it.")
        .field("createNote", BOOLEAN.required(), |it| it.comments)
        .describe("Write notes about it.")
        .field("awardEmoji", BOOLEAN.required(), |it| it.comments)
        .describe("React to it.")
        .field("updateSnippet", BOOLEAN.required(), |it| it.changes)
        .describe("Change it.")
        .field("adminSnippet", BOOLEAN.required(), |it| it.changes)
        .describe("Delete it.");
    let it = g
        .object::<Snippet>("Snippet", "Some files of a person or a project.")
        .field("id", ID.required(), |it| match it.project_id {
            Some(_) => OF_PROJECT.of(it.id),
            None => OF_PERSON.of(it.id),
        })
        .describe("Global ID.")
        .field("title", STRING.required(), |it| it.title.clone())
        .describe("What it is called.")
        .field("description", STRING, |it| it.description.clone())
        .describe("What it is about, in Markdown.")
        .level("descriptionHtml", STRING, |of: Vec<Arc<Snippet>>, _, _| html(of))
        .describe("The same as HTML.")
        .cost(Cost::RENDERED)
        .field("fileName", STRING, |it| Some(it.file_name().to_owned()))
        .describe("The first of its files.")
        .field("visibilityLevel", LEVEL.required(), Snippet::visibility)
        .describe("Who sees it.")
        .load::<People, _>("author", object::<Person>("UserCore"), |it| it.author_id)
        .describe("Who made it.")
        .load::<Projects, _>("project", object::<ProjectView>("Project"), |it| it.project_id)
        .describe("The project it is in, if it is in one.")
        .field("createdAt", TIME.required(), |it| it.created_at)
        .describe("When it was made.")
        .field("updatedAt", TIME.required(), |it| it.updated_at)
        .describe("When it last changed.")
        .level(
            "userPermissions",
            object::<Permissions>("SnippetPermissions").required(),
            permissions,
        )
        .describe("What the caller may do with it.");
    let it = with_notes(it, noteable);
    awardable(it, |it| Awardable::Thing(SNIPPET, it.id));
    addresses(g);
}

fn addresses(g: &mut Graph) {
    let kinds: [(&str, &str, fn(&App, &Snippet) -> String); 2] = [
        ("webUrl", "Its page.", |app, it| app.url(&it.path())),
        ("rawUrl", "The bytes of its first file.", |app, it| {
            app.url(&format!("{}/raw", it.path()))
        }),
    ];
    for (name, text, of) in kinds {
        g.on::<Snippet>("Snippet")
            .level(
                name,
                STRING.required(),
                move |all: Vec<Arc<Snippet>>, _, context: Context| async move {
                    let app = context.app()?;
                    Ok(all.iter().map(|it| of(app, it)).collect::<Vec<String>>())
                },
            )
            .describe(text);
    }
    let kinds: [(&str, &str, fn(&App, &Snippet) -> String); 2] = [
        ("httpUrlToRepo", "Where it is cloned from over HTTP.", |app, it| {
            app.url(&format!("/{}.git", it.repository_path()))
        }),
        ("sshUrlToRepo", "Where it is cloned from over SSH.", |app, it| {
            app.ssh_url(&format!("{}.git", it.repository_path()))
        }),
    ];
    for (name, text, of) in kinds {
        g.on::<Snippet>("Snippet")
            .level(name, STRING, move |all: Vec<Arc<Snippet>>, _, context: Context| async move {
                let app = context.app()?;
                Ok(all.iter().map(|it| Some(of(app, it))).collect::<Vec<_>>())
            })
            .describe(text);
    }
}

async fn html(of: Vec<Arc<Snippet>>) -> Result<Vec<Option<String>>, Fault> {
    let render = move || {
        let one = |it: &Arc<Snippet>| {
            it.description.as_deref().map(|text| Rendering::default().html(text))
        };
        of.iter().map(one).collect()
    };
    let _turn = markup::turn().await?;
    let rendered = tokio::task::spawn_blocking(render).await;
    rendered.map_err(|error| Error::internal(error).into())
}

async fn permissions(
    of: Vec<Arc<Snippet>>, _: kernel::graph::Args, context: Context,
) -> Result<Vec<Arc<Permissions>>, Fault> {
    let ids: Vec<i64> = of.iter().filter_map(|it| it.project_id).collect();
    let read = seen(&context, move |tx, viewer| {
        let projects = find_projects(tx, &ids)?;
        let levels = Levels::in_projects(tx, viewer, &projects.iter().collect::<Vec<_>>())?;
        let home = |project: spaces::Project| {
            let level = levels.of_project(&project);
            (project.id, Home::Project(Box::new(project), level))
        };
        Ok(projects.into_iter().map(home).collect::<HashMap<i64, Home>>())
    });
    let homes = read.await?;
    let by = viewer(&context);
    Ok(of.iter().map(|it| Arc::new(permitted(&by, &homes, it))).collect())
}

fn permitted(by: &Viewer, homes: &HashMap<i64, Home>, snippet: &Snippet) -> Permissions {
    let is_own = snippet.author_id.is_some() && snippet.author_id == by.user_id();
    let home = match snippet.project_id {
        Some(id) => homes.get(&id).cloned(),
        None => Some(Home::Person { is_own }),
    };
    let Some(home) = home else {
        return Permissions { comments: false, changes: false };
    };
    let found = SnippetAccess { snippet: snippet.clone(), home };
    Permissions {
        comments: found.may_comment(by),
        changes: found.may_change(by),
    }
}
