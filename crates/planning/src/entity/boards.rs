//! Boards as JSON.

use super::labels::{LabelDetails, details};
use crate::access::Parent;
use crate::model::boards::{Columns, List};
use kernel::app::App;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::entities::{ProjectEntity, RelatedToProjects, project};

/// A column for a label.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardListEntity {
    pub id: i64,
    pub label: LabelDetails,
    /// From the left, beginning with 0.
    pub position: i64,
    /// Columns have no limit: 0.
    pub max_issue_count: i64,
    /// Columns have no limit: 0.
    pub max_issue_weight: i64,
    pub limit_metric: Option<String>,
}

/// The group that a board belongs to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardGroup {
    pub id: i64,
    pub web_url: String,
    pub name: String,
}

/// A board. All of a place's issues may stand on it, so it has no milestone, assignee,
/// labels and weight of its own.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoardEntity {
    pub id: i64,
    pub name: String,
    pub hide_backlog_list: bool,
    pub hide_closed_list: bool,
    /// The project it belongs to.
    pub project: Option<ProjectEntity>,
    pub lists: Vec<BoardListEntity>,
    pub group: Option<BoardGroup>,
    pub milestone: Option<String>,
    pub assignee: Option<String>,
    pub labels: Vec<LabelDetails>,
    pub weight: Option<i64>,
}

pub fn list(list: &List) -> BoardListEntity {
    BoardListEntity {
        id: list.id,
        label: details(&list.label),
        position: list.position,
        max_issue_count: 0,
        max_issue_weight: 0,
        limit_metric: None,
    }
}

pub fn board(app: &App, parent: &Parent, columns: &Columns) -> BoardEntity {
    let group = match parent {
        Parent::Group(group) => Some(BoardGroup {
            id: group.id,
            web_url: app.url(&format!("/groups/{}", group.full_path)),
            name: group.name.clone(),
        }),
        Parent::Project(_) => None,
    };
    let simple = |of: &_| project(app, of, &RelatedToProjects::default(), true);
    BoardEntity {
        id: columns.board.id,
        name: columns.board.name.clone(),
        hide_backlog_list: columns.board.hide_backlog_list,
        hide_closed_list: columns.board.hide_closed_list,
        project: parent.project().map(simple),
        lists: columns.lists.iter().map(list).collect(),
        group,
        milestone: None,
        assignee: None,
        labels: Vec::new(),
        weight: None,
    }
}
