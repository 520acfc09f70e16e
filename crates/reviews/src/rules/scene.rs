//! What a merge is judged by, read at once.

use super::change::reread;
use super::sides::Sides;
use crate::access::may_merge;
use crate::entity::{Base, Related, facts::facts};
use crate::merging::accepting::{Asked, HeadPipeline};
use crate::merging::status::{DetailedStatus, Facts, PipelineEnd};
use crate::model::{MergeRequest, Settings, Version};
use crate::store::{pipelines, settings, versions};
use ::store::Tx;
use delivery::pipelines::is_being_made;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use spaces::access::find_project;
use spaces::model::Project;

/// A merge request and all that decides whether it is merged.
pub struct Scene {
    pub request: MergeRequest,
    pub project: Project,
    pub settings: Settings,
    pub version: Option<Version>,
    /// None where a branch is gone.
    pub sides: Option<Sides>,
    pub facts: Facts,
    pub around: Related,
    may_merge: bool,
    head: Option<String>,
}

impl Scene {
    /// As the viewer finds it; pipelines are waited for where a merge was ordered.
    pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, id: i64, is_ordered: bool) -> Result<Scene> {
        let request = reread(tx, id)?;
        let place = Reference::Id(request.target_project_id);
        let project = find_project(tx, &place)?.found("Project")?;
        let one = std::slice::from_ref(&request);
        let around = Related::read_in(tx, viewer, Base::Project, Some(&project), one)?;
        let mut facts = facts(&request, &around, tx.now());
        // Another one of the branch may be there already: it does not stand for this.
        if awaits_pipeline(tx, &request)? {
            facts.pipelines.end = Some(PipelineEnd::Open);
        }
        facts.pipelines.are_awaited = is_ordered && facts.pipelines.end.is_some();
        Ok(Scene {
            may_merge: may_merge(tx, viewer, &project, &request.target_branch)?,
            settings: settings::of_project(tx, project.id)?,
            version: versions::latest(tx, id)?,
            sides: Sides::of(tx, &request)?,
            head: request.head_id.map(|head| head.to_string()),
            facts,
            around,
            project,
            request,
        })
    }

    /// What is still to be found out before a merge request is judged.
    pub fn unsettled(tx: &mut Tx<'_>, id: i64) -> Result<Unsettled> {
        let request = reread(tx, id)?;
        if !request.is_open() {
            return Ok(Unsettled::Nothing);
        }
        let around =
            Related::read(tx, &Viewer::Anonymous, Base::Project, std::slice::from_ref(&request))?;
        use DetailedStatus as D;
        let facts = facts(&request, &around, tx.now());
        let is_known = !matches!(facts.status(), D::Preparing | D::Checking | D::Unchecked);
        if awaits_pipeline(tx, &request)? {
            return Ok(Unsettled::More);
        }
        Ok(match is_known {
            true => Unsettled::Nothing,
            false if facts.lacks_only_a_check() && is_at_head(tx, &request)? => Unsettled::Files,
            false => Unsettled::More,
        })
    }

    pub fn may_merge(&self) -> bool {
        self.may_merge
    }

    /// What somebody asks of it.
    pub fn asked<'a>(&'a self, sha: Option<&'a str>, auto_merge: bool) -> Asked<'a> {
        Asked {
            demands_sha: false,
            sha,
            head: self.head.as_deref(),
            may_merge: self.may_merge,
            auto_merge,
            facts: &self.facts,
            pipeline: match self.facts.pipelines.end {
                None => HeadPipeline::Absent,
                Some(PipelineEnd::Open) => HeadPipeline::Open,
                Some(PipelineEnd::Succeeded) => HeadPipeline::Succeeded,
                Some(PipelineEnd::Failed | PipelineEnd::Skipped) => HeadPipeline::Ended,
            },
        }
    }
}

/// What is not known yet of a merge request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsettled {
    Nothing,
    /// Whether its files can be merged, and nothing else is in the way.
    Files,
    /// What jobs are about to make, or what is in the way once the files are looked at.
    More,
}

/// Whether it knows where its source branch is; a job notes that after it was opened again.
fn is_at_head(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<bool> {
    let sides = Sides::of(tx, request)?;
    Ok(sides.is_some_and(|sides| request.head_id == Some(sides.heads.source)))
}

/// Whether the pipeline of its head is being made.
fn awaits_pipeline(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<bool> {
    let Some(head) = request.head_id.map(|head| head.to_string()) else {
        return Ok(false);
    };
    Ok(is_being_made(tx, &head)? || pipelines::is_due(tx, &head)?)
}
