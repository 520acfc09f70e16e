//! To-dos as JSON.

use super::issues::{IssueEntity, RelatedToIssues, issue, web_url};
use crate::access::Scope;
use crate::model::Issue;
use crate::store::issues as issue_rows;
use crate::store::notes::ISSUE;
use crate::store::todos::{self as todo_rows, Action, State, Todo};
use crate::targets::{self, AllSeen};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::Tx;

/// The project of a to-do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectOfTodo {
    pub id: i64,
    pub name: String,
    pub name_with_namespace: String,
    pub path: String,
    pub path_with_namespace: String,
}

/// The group of a to-do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GroupOfTodo {
    pub id: i64,
    pub name: String,
    pub path: String,
    pub kind: String,
    pub full_path: String,
    pub web_url: String,
}

/// What a to-do is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TargetEntity {
    /// An issue.
    Issue(Box<IssueEntity>),
    /// A thing of another room, as it shows it.
    Other(serde_json::Value),
}

/// A to-do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TodoEntity {
    pub id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectOfTodo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupOfTodo>,
    pub author: Option<UserBasic>,
    pub action_name: Action,
    pub target_type: String,
    pub target: Option<TargetEntity>,
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
    groups: HashMap<i64, GroupOfTodo>,
    issues: HashMap<i64, Issue>,
    around: RelatedToIssues,
    others: AllSeen,
    bodies: HashMap<i64, String>,
}

impl Beside {
    pub fn read(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, todos: &[Todo]) -> Result<Beside> {
        let ids =
            |of: fn(&Todo) -> Option<i64>| -> Vec<i64> { todos.iter().filter_map(of).collect() };
        let targets = ids(|todo| (todo.target_type == ISSUE).then_some(todo.target_id));
        let issues = issue_rows::visible_by_ids(tx, viewer, &targets)?;
        let around = RelatedToIssues::read(tx, viewer, &Scope::Everywhere, &issues)?;
        let projects = todo_rows::projects(tx, &ids(|todo| todo.project_id))?;
        let groups = todo_rows::groups(tx, &ids(|todo| todo.group_id))?;
        let bodies = todo_rows::bodies(tx, todos)?;
        let others = todos.iter().filter(|todo| todo.target_type != ISSUE);
        let others = others.map(|todo| (todo.target_type.as_str(), todo.target_id));
        Ok(Beside {
            others: targets::read(app, tx, viewer, others)?,
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
            groups: groups
                .into_iter()
                .map(|(id, name, path, full_path)| {
                    let web_url = app.url(&format!("/groups/{full_path}"));
                    let kind = "group".to_owned();
                    (id, GroupOfTodo { id, name, path, kind, full_path, web_url })
                })
                .collect(),
            issues: issues.into_iter().map(|issue| (issue.id, issue)).collect(),
            around,
            bodies,
        })
    }
}

pub fn todo(app: &App, todo: &Todo, beside: &Beside) -> TodoEntity {
    let about = beside.about(app, todo);
    let note = todo.note_id.and_then(|id| beside.bodies.get(&id));
    let author = todo.author_id.and_then(|id| beside.users.get(&id));
    TodoEntity {
        id: todo.id,
        project: todo
            .project_id
            .filter(|_| about.is_some())
            .and_then(|id| beside.projects.get(&id).cloned()),
        group: todo
            .group_id
            .filter(|_| about.is_some())
            .and_then(|id| beside.groups.get(&id).cloned()),
        author: author.map(|user| basic(app, user)),
        action_name: todo.action,
        target_type: todo.target_type.clone(),
        // What the user may no longer see is not told of.
        body: match (&about, note) {
            (None, _) => String::new(),
            (Some(_), Some(body)) => body.clone(),
            (Some(about), None) => about.title.clone(),
        },
        target_url: match (&about, todo.note_id) {
            (None, _) => String::new(),
            (Some(about), None) => about.url.clone(),
            (Some(about), Some(note)) => format!("{}#note_{note}", about.url),
        },
        target: about.map(|about| about.entity),
        state: todo.state,
        created_at: wire::text(todo.created_at),
        updated_at: wire::text(todo.updated_at),
    }
}

#[derive(Debug, Clone, Default)]
pub struct TodoSummary {
    pub author: String,
    pub title: String,
    /// The page of that, from the instance's address on; empty if it is hidden.
    pub url: String,
    pub project: String,
    pub body: String,
}

struct About {
    title: String,
    url: String,
    entity: TargetEntity,
}

impl Beside {
    /// A to-do in words; of what the viewer may no longer see nothing is told.
    pub fn summary(&self, app: &App, todo: &Todo) -> TodoSummary {
        let Some(about) = self.about(app, todo) else {
            return TodoSummary {
                title: "Something you can no longer see".to_owned(),
                ..TodoSummary::default()
            };
        };
        let author = todo.author_id.and_then(|id| self.users.get(&id));
        let project = todo.project_id.and_then(|id| self.projects.get(&id));
        let note = todo.note_id.and_then(|id| self.bodies.get(&id));
        TodoSummary {
            author: author.map(|user| user.username.clone()).unwrap_or_default(),
            title: about.title,
            url: match todo.note_id {
                Some(note) => format!("{}#note_{note}", about.url),
                None => about.url,
            },
            project: match (project, todo.group_id.and_then(|id| self.groups.get(&id))) {
                (Some(project), _) => project.path_with_namespace.clone(),
                (None, Some(group)) => group.full_path.clone(),
                (None, None) => String::new(),
            },
            body: note.cloned().unwrap_or_default(),
        }
    }

    fn about(&self, app: &App, todo: &Todo) -> Option<About> {
        if todo.target_type == ISSUE {
            let seen = self.issues.get(&todo.target_id)?;
            return Some(About {
                title: seen.title.clone(),
                url: web_url(app, seen),
                entity: TargetEntity::Issue(Box::new(issue(app, seen, &self.around, false))),
            });
        }
        let seen = self.others.get(&todo.target_type, todo.target_id)?;
        Some(About {
            title: seen.title.clone(),
            url: app.url(&seen.path),
            entity: TargetEntity::Other(seen.entity.clone()),
        })
    }
}
