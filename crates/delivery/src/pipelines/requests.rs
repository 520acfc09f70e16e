//! Pipelines of merge requests: what one is of, and what its jobs are told of it. Merge
//! requests belong to a room above, which asks for these pipelines.

use super::predefined::Pairs;
use ::store::{Json, Tx, sql};
use kernel::error::Result;
use repositories::formats::ref_name::RefName;
use serde::{Deserialize, Serialize};

/// The merge request that a pipeline is of, as it was when that began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfRequest {
    pub id: i64,
    pub iid: i64,
    pub source_project_id: i64,
    pub target_project_id: i64,
    pub source_branch: String,
    pub target_branch: String,
    /// The head of the source.
    pub head: String,
    /// The last commit that the source and the target have: changes count from there.
    pub base: String,
    /// What rules and jobs are told of it, by their names.
    pub variables: Vec<(String, String)>,
}

impl OfRequest {
    /// Whether its branches are of two projects.
    pub fn is_from_fork(&self) -> bool {
        self.source_project_id != self.target_project_id
    }

    /// Whether its code is of another project than this one, in which it runs.
    pub fn is_foreign_to(&self, project_id: i64) -> bool {
        self.source_project_id != project_id
    }

    /// The ref that holds its head in a project.
    pub(super) fn head_ref(&self, project_id: i64) -> Option<RefName> {
        match self.is_foreign_to(project_id) {
            true => format!("refs/merge-requests/{}/head", self.iid).parse().ok(),
            false => RefName::branch(&self.source_branch).ok(),
        }
    }
}

/// What the jobs of a pipeline are told of merge requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Open ones of its branch, as texts anywhere name them.
    pub open: Vec<String>,
    pub request: Option<OfRequest>,
}

impl Told {
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.request.is_none()
    }

    /// Tells rules and jobs.
    pub(super) fn tell(&self, all: &mut Pairs) {
        if !self.open.is_empty() {
            all.add("CI_OPEN_MERGE_REQUESTS", self.open.join(","));
        }
        for (name, value) in self.request.iter().flat_map(|one| &one.variables) {
            all.add(name, value.as_str());
        }
    }
}

/// What the jobs of a pipeline are told.
pub fn told(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Told> {
    let row: Option<(Option<Json<Told>>,)> =
        tx.optional(sql!("select told from ci_pipelines where id = $1"), (pipeline_id,))?;
    Ok(row.and_then(|(told,)| told).map(|told| told.0).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> OfRequest {
        OfRequest {
            id: 70,
            iid: 5,
            source_project_id: 2,
            target_project_id: 1,
            source_branch: "anvil".into(),
            target_branch: "main".into(),
            head: "a".repeat(40),
            base: "b".repeat(40),
            variables: vec![("CI_MERGE_REQUEST_IID".into(), "5".into())],
        }
    }

    #[test]
    fn the_head_of_a_fork_is_kept_by_the_target() {
        let name = |project: i64| request().head_ref(project).map(|name| name.to_string());
        assert_eq!(name(2).as_deref(), Some("refs/heads/anvil"));
        assert_eq!(name(1).as_deref(), Some("refs/merge-requests/5/head"));
        assert!(request().is_foreign_to(1) && !request().is_foreign_to(2));
    }

    #[test]
    fn jobs_are_told_of_open_ones_and_of_their_own() {
        let told = Told {
            open: vec!["a/b!1".into(), "c/d!2".into()],
            request: Some(request()),
        };
        let mut all = Pairs::default();
        told.tell(&mut all);
        let said: Vec<(&str, &str)> =
            all.0.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
        assert_eq!(
            said,
            [("CI_OPEN_MERGE_REQUESTS", "a/b!1,c/d!2"), ("CI_MERGE_REQUEST_IID", "5")]
        );
        assert!(Told::default().is_empty() && !told.is_empty());
    }
}
