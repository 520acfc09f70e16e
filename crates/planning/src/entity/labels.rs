//! Labels as JSON.

use crate::model::{Label, color};
use kernel::markup;
use schemars::JsonSchema;
use serde::Serialize;

/// A label.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LabelEntity {
    /// Id.
    pub id: i64,
    /// Its title.
    pub name: String,
    /// `#rrggbb`.
    pub color: String,
    /// What is read well on it.
    pub text_color: String,
    /// A few words.
    pub description: Option<String>,
    /// The same as HTML.
    pub description_html: String,
    /// Open issues the caller sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_issues_count: Option<i64>,
    /// Closed issues the caller sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_issues_count: Option<i64>,
    /// Open merge requests the caller sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_merge_requests_count: Option<i64>,
    /// Whether the caller is told of issues with it.
    pub subscribed: bool,
    /// In the project; small numbers come first.
    pub priority: Option<i64>,
    /// Of a project, not of a group.
    pub is_project_label: bool,
    /// No longer offered.
    pub archived: bool,
}

/// A label beside what it is on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LabelDetails {
    /// Id.
    pub id: i64,
    /// Its title.
    pub name: String,
    /// `#rrggbb`.
    pub color: String,
    /// A few words.
    pub description: Option<String>,
    /// The same as HTML.
    pub description_html: String,
    /// What is read well on it.
    pub text_color: String,
}

/// How much has a label, of what the caller sees.
#[derive(Debug, Clone, Copy, Default)]
pub struct LabelCounts {
    pub open_issues: i64,
    pub closed_issues: i64,
    pub open_requests: i64,
}

/// A label, with how much has it where that was counted.
pub fn label(label: &Label, counts: Option<LabelCounts>) -> LabelEntity {
    LabelEntity {
        id: label.id,
        name: label.title.clone(),
        color: label.color.clone(),
        text_color: color::text_on(&label.color).to_owned(),
        description: label.description.clone(),
        description_html: html(label),
        open_issues_count: counts.map(|counts| counts.open_issues),
        closed_issues_count: counts.map(|counts| counts.closed_issues),
        open_merge_requests_count: counts.map(|counts| counts.open_requests),
        subscribed: label.subscribed,
        priority: label.priority,
        is_project_label: label.project_id.is_some(),
        archived: label.archived,
    }
}

/// A label as lists of issues show it when asked for details.
pub fn details(label: &Label) -> LabelDetails {
    LabelDetails {
        id: label.id,
        name: label.title.clone(),
        color: label.color.clone(),
        description: label.description.clone(),
        description_html: html(label),
        text_color: color::text_on(&label.color).to_owned(),
    }
}

fn html(label: &Label) -> String {
    match &label.description {
        Some(text) => markup::render(text),
        None => String::new(),
    }
}
