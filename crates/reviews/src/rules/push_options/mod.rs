//! What who pushes by git is told of merge requests of the branches, and what options of the
//! push do to these (contract 10). Whatever fails here is a warning: the push stands.

mod apply;
mod links;
mod parse;

use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use parse::Options;
use repositories::formats::commands::Command;
use repositories::formats::object_id::ObjectId;
use repositories::hooks::{Answer, Answering};
use serde_json::Value;
use spaces::access::find_project;
use spaces::model::Project;

/// Branches of one push that options are about, and that are told of.
const MOST: usize = 10;

/// A branch that was pushed, and where it is.
#[derive(Debug, Clone)]
struct Branch {
    name: String,
    head: ObjectId,
}

/// Somebody who pushed to a project.
struct Push<'a> {
    app: &'a App,
    viewer: &'a Viewer,
    project: Project,
    branches: Vec<Branch>,
    /// No key of projects stands for them.
    is_person: bool,
}

/// For `repositories::hooks::Hooks`.
pub fn answer(push: Answering<'_>) -> Answer<'_> {
    Box::pin(async move {
        let options = Options::read(push.options);
        answered(&push, options).await.unwrap_or_else(|error| vec![words(error)])
    })
}

async fn answered(answering: &Answering<'_>, options: Option<Options>) -> Result<Vec<String>> {
    let id = answering.project_id;
    let read = move |tx: &mut Tx<'_>| find_project(tx, &Reference::Id(id))?.found("Project");
    let project = answering.app.read(read).await?;
    let branches = branches(answering, &project);
    if branches.is_empty() {
        return Ok(Vec::new());
    }
    let push = Push {
        app: answering.app,
        viewer: answering.viewer,
        project,
        branches,
        is_person: answering.viewer.user_id().is_some() && !answering.is_by_deploy_key,
    };
    let mut lines = match options {
        Some(options) => warned(&options, apply::all(&push, &options).await),
        None => Vec::new(),
    };
    lines.extend(links::of(&push).await?);
    Ok(lines)
}

/// Those that are there, but for the default branch.
fn branches(answering: &Answering<'_>, project: &Project) -> Vec<Branch> {
    let branch = |command: &&Command| {
        let name = command.name.as_ref()?.as_branch()?;
        let is_default = project.default_branch.as_deref() == Some(name);
        let is_there = !command.new.is_zero();
        (is_there && !is_default).then(|| Branch { name: name.to_owned(), head: command.new })
    };
    answering.moved.iter().filter_map(branch).collect()
}

/// What went wrong, with the options that it is about.
fn warned(options: &Options, problems: Vec<String>) -> Vec<String> {
    if problems.is_empty() {
        return Vec::new();
    }
    let sent: Vec<String> = options.sent.iter().map(|one| format!("'{one}'")).collect();
    let mut lines = vec![String::new(), "WARNINGS:".to_owned()];
    let sent = sent.join(", ");
    lines.extend(
        problems
            .iter()
            .map(|text| format!("Error encountered with push options {sent}: {text}")),
    );
    lines
}

/// A refusal as a terminal shows it.
fn words(error: Error) -> String {
    match error {
        Error::Invalid(problems) => {
            let one = |(field, texts): (String, Vec<String>)| match field.as_str() {
                "base" => texts.join(", "),
                _ => format!("{field} {}", texts.join(", ")),
            };
            problems.into_iter().map(one).collect::<Vec<_>>().join("; ")
        }
        Error::Parameters(texts) => texts.join(", "),
        Error::Exact(_, body) => said(&body),
        Error::Forbidden(text) if text.is_empty() => "You are not allowed to do this".to_owned(),
        Error::Unauthenticated => "You are not allowed to do this".to_owned(),
        Error::NotFound(_) | Error::NotFoundText(_) => "It could not be found".to_owned(),
        Error::Forbidden(text)
        | Error::BadRequest(text)
        | Error::Conflict(text)
        | Error::Unprocessable(text)
        | Error::Unavailable(text) => text,
        error => {
            tracing::error!(%error, "merge requests of a push");
            "Something went wrong with merge requests. Try again later.".to_owned()
        }
    }
}

/// What a refusal says in its `message`.
fn said(body: &Value) -> String {
    match &body["message"] {
        Value::String(text) => text.clone(),
        Value::Array(all) => {
            let texts: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            texts.join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_are_told_in_words() {
        let exact = |message: Value| Error::Exact(409, json!({"message": message}));
        for (error, text) in [
            (Error::invalid("title", "is too long"), "title is too long"),
            (Error::invalid("base", "No."), "No."),
            (exact(json!(["a", "b"])), "a, b"),
            (exact(json!("a")), "a"),
            (Error::forbidden(""), "You are not allowed to do this"),
            (Error::Conflict("It moved".into()), "It moved"),
        ] {
            assert_eq!(words(error), text);
        }
    }
}
