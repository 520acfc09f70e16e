//! To-dos as JSON.

use super::issues::{Around, IssueEntity, issue, web_url};
use crate::access::{Scope, visible};
use crate::model::Issue;
use crate::store::issues as issue_rows;
use crate::store::notes::ISSUE;
use crate::store::todos::{Action, State, Todo};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

/// The project of a to-do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "named as in projects")]
pub struct ProjectOfTodo {
    pub id: i64,
    pub name: String,
    pub name_with_namespace: String,
    pub path: String,
    pub path_with_namespace: String,
}

/// A to-do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the contract explains the fields")]
pub struct TodoEntity {
    pub id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectOfTodo>,
    pub author: Option<UserBasic>,
    pub action_name: Action,
    pub target_type: String,
    pub target: Option<IssueEntity>,
    pub target_url: String,
    pub body: String,
    pub state: State,
    pub created_at: String,
    pub updated_at: String,
}

/// What to-dos need beside their rows, read for all at once.
#[derive(Debug, Default)]
pub struct Beside {
    users: HashMap<i64, User>,
    projects: HashMap<i64, ProjectOfTodo>,
    issues: HashMap<i64, Issue>,
    around: Around,
    bodies: HashMap<i64, String>,
}

impl Beside {
    /// Reads it in a constant number of statements.
    pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, todos: &[Todo]) -> Result<Beside> {
        let ids = |of: fn(&Todo) -> Option<i64>| -> Vec<i64> {
            let mut ids: Vec<i64> = todos.iter().filter_map(of).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let targets = ids(|todo| (todo.target_type == ISSUE).then_some(todo.target_id));
        let mut condition = Fragment::default();
        condition
            .in_list("issues.id", targets)
            .raw(" and ")
            .append(visible(tx, viewer, &Scope::Everywhere));
        let issues = issue_rows::of_condition(tx, condition)?;
        let around = Around::read(tx, viewer, &Scope::Everywhere, &issues)?;
        let projects: Vec<(i64, String, String, String, String)> = tx.all(
            sql!(
                "select p.id, p.name, n.full_name, p.path, p.full_path from projects p
                 join namespaces n on n.id = p.namespace_id where p.id in_list($1)"
            ),
            (ids(|todo| todo.project_id),),
        )?;
        let bodies: Vec<(i64, String)> = tx.all(
            sql!("select id, body from notes where id in_list($1)"),
            (ids(|todo| todo.note_id),),
        )?;
        Ok(Beside {
            users: load_basic(tx, &ids(|todo| todo.author_id))?,
            projects: projects
                .into_iter()
                .map(|(id, name, namespace, path, full_path)| {
                    let project = ProjectOfTodo {
                        id,
                        name_with_namespace: format!("{namespace} / {name}"),
                        name,
                        path,
                        path_with_namespace: full_path,
                    };
                    (id, project)
                })
                .collect(),
            issues: issues.into_iter().map(|issue| (issue.id, issue)).collect(),
            around,
            bodies: bodies.into_iter().collect(),
        })
    }
}

/// A to-do.
pub fn todo(app: &App, todo: &Todo, beside: &Beside) -> TodoEntity {
    let target = match todo.target_type == ISSUE {
        true => beside.issues.get(&todo.target_id),
        false => None,
    };
    // What the user may no longer see is not told of.
    let hidden = todo.target_type == ISSUE && target.is_none();
    let note = todo.note_id.and_then(|id| beside.bodies.get(&id));
    let note = note.filter(|_| !hidden);
    let mut target_url = target.map(|issue| web_url(app, issue)).unwrap_or_default();
    if let (Some(note), false) = (todo.note_id, target_url.is_empty()) {
        target_url.push_str(&format!("#note_{note}"));
    }
    let author = todo.author_id.and_then(|id| beside.users.get(&id));
    TodoEntity {
        id: todo.id,
        project: todo
            .project_id
            .filter(|_| !hidden)
            .and_then(|id| beside.projects.get(&id).cloned()),
        author: author.map(|user| basic(app, user)),
        action_name: todo.action,
        target_type: todo.target_type.clone(),
        body: match (note, target) {
            (Some(body), _) => body.clone(),
            (None, Some(issue)) => issue.title.clone(),
            (None, None) => String::new(),
        },
        target: target.map(|one| issue(app, one, &beside.around, false)),
        target_url,
        state: todo.state,
        created_at: wire::text(todo.created_at),
        updated_at: wire::text(todo.updated_at),
    }
}
