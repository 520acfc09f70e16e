//! Addresses that releases lead to, some of which other rooms answer.

use crate::model::{Release, part_of_address};
use code::entity::in_address;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;

/// What files of a tag are packed as.
const FORMATS: [&str; 4] = ["zip", "tar.gz", "tar.bz2", "tar"];

/// All files of a tag as one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReleaseSource")]
pub struct Source {
    pub format: &'static str,
    pub url: String,
}

/// The files of a tag; `project_url` is the project's address.
pub fn sources(project: &Project, project_url: &str, tag: &str) -> Vec<Source> {
    let name = format!("{}-{}", project.path, tag.replace('/', "-"));
    let base = format!("{project_url}/-/archive/{}/{}", in_address(tag), in_address(&name));
    let source = |format: &&'static str| Source { format, url: format!("{base}.{format}") };
    FORMATS.iter().map(source).collect()
}

/// The page of a tag.
pub fn tag_path(project: &Project, tag: &str) -> String {
    format!("/{}/-/tags/{}", project.full_path, part_of_address(tag))
}

/// Where evidence is served, below its project.
pub fn evidence_path(release: &Release, id: i64) -> String {
    format!("{}/evidences/{id}.json", release.path())
}

/// Pages about a release. All of them name its tag, so they are for who reads the code.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(rename = "ReleaseAddresses")]
pub struct Addresses {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_issues_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_merge_requests_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_merge_requests_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_issues_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_merge_requests_url: Option<String>,
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    pub itself: Option<String>,
}

impl Addresses {
    pub fn of(project: &str, release: &Release, reads_code: bool) -> Addresses {
        if !reads_code {
            return Addresses::default();
        }
        let tag = part_of_address(&release.tag);
        let list = |what: &str, state: &str| {
            Some(format!("{project}/-/{what}?release_tag={tag}&scope=all&state={state}"))
        };
        let itself = format!("{project}{}", release.path());
        Addresses {
            closed_issues_url: list("issues", "closed"),
            closed_merge_requests_url: list("merge_requests", "closed"),
            edit_url: Some(format!("{itself}/edit")),
            merged_merge_requests_url: list("merge_requests", "merged"),
            opened_issues_url: list("issues", "opened"),
            opened_merge_requests_url: list("merge_requests", "opened"),
            itself: Some(itself),
        }
    }
}
