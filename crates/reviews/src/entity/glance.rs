//! A merge request at a glance, as rows of pages show it.

use super::related::Related;
use crate::merging::MergeStatus;
use crate::model::MergeRequest;
use delivery::pipelines::model::Pipeline;
use identity::model::User;
use planning::model::{Label, Milestone};

/// What is seen of a merge request at a glance.
#[derive(Debug)]
pub struct Glance {
    pub author: Option<User>,
    pub assignees: Vec<User>,
    pub reviewers: Vec<User>,
    pub labels: Vec<Label>,
    pub milestone: Option<Milestone>,
    /// The newest of its head, with the path of its project, if the viewer sees it.
    pub pipeline: Option<(Pipeline, String)>,
    /// Nobody has to approve it any more.
    pub has_approvals: bool,
    pub has_conflicts: bool,
    /// Comments that the viewer may count.
    pub notes: i64,
    /// Thumbs up.
    pub upvotes: i64,
}

impl Related {
    /// What is seen of one of the merge requests that this was read for.
    pub fn glance(&self, request: &MergeRequest) -> Glance {
        let user = |id: i64| self.users.get(&id).cloned();
        let assigned = self.assignees.get(&request.id).into_iter().flatten();
        let reviewing = self.reviewers.get(&request.id).into_iter().flatten();
        let goal = request.milestone_id.and_then(|id| self.milestones.get(&id));
        let pipeline = self.seen_pipeline(request);
        let flags = self.flags(request);
        Glance {
            author: request.author_id.and_then(user),
            assignees: assigned.filter_map(|id| user(*id)).collect(),
            reviewers: reviewing.filter_map(|one| user(one.user_id)).collect(),
            labels: self.labels.get(&request.id).cloned().unwrap_or_default(),
            milestone: goal.cloned(),
            pipeline: pipeline.map(|(one, project)| (one.clone(), project.full_path.clone())),
            has_approvals: !self.approvals.contains_key(&request.id),
            has_conflicts: request.is_open()
                && request.merge_status == MergeStatus::CannotBeMerged
                && flags.branches.source
                && flags.branches.target,
            notes: self.notes(request),
            upvotes: flags.upvotes,
        }
    }
}
