//! A pipeline has ended: what its jobs brought is held against the policy that counts.

use super::model::Policy;
use super::store;
use crate::dependencies::ingest::boms_of_pipeline;
use crate::pipelines::model::Pipeline;
use crate::pipelines::store::pipelines;
use crate::statuses::{About, State, Statement, newest, say};
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use repositories::model::RepositoryKind;
use sbom::model::Bom;
use serde::{Deserialize, Serialize};
use spaces::access::find_project;

/// What the status is called.
const NAME: &str = "license-policy";
/// Letters of a name, a version and a licence in what is said.
const LONGEST: usize = 200;

/// Holds what the jobs of a pipeline brought against the policy that counts.
#[derive(Debug, Serialize, Deserialize)]
pub struct JudgeLicenses {
    pub pipeline: i64,
}

/// Has a pipeline judged whose jobs brought lists of components.
pub(crate) fn pipeline_ended(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    let now = tx.now();
    enqueue_at(tx, &JudgeLicenses { pipeline: pipeline_id }, now)
}

/// A pipeline that there is a policy for.
struct Case {
    pipeline: Pipeline,
    policy: Policy,
}

fn look(tx: &mut Tx<'_>, id: i64) -> Result<Option<Case>> {
    let Some(pipeline) = pipelines::by_id(tx, id)? else {
        return Ok(None);
    };
    let Some(project) = find_project(tx, &Reference::Id(pipeline.project_id))? else {
        return Ok(None);
    };
    let policy = store::nearest(tx, &project)?;
    Ok(policy.map(|policy| Case { pipeline, policy }))
}

impl Job for JudgeLicenses {
    const NAME: &'static str = "delivery.judge_licenses";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.pipeline.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.pipeline);
        let Some(case) = app.read(move |tx| look(tx, id)).await? else {
            return Ok(());
        };
        let verdict = judge(&app, &case).await?;
        if verdict.components == 0 {
            return Ok(());
        }
        Ok(app.write(move |tx| told(tx, &case.pipeline, &verdict)).await?)
    }
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Verdict {
    components: usize,
    /// How many may not be used, and what is said of the first.
    refused: usize,
    first: Option<String>,
}

async fn judge(app: &App, case: &Case) -> Result<Verdict> {
    let mut verdict = Verdict::default();
    let mut boms = boms_of_pipeline(app, case.pipeline.id).await?;
    while let Some((_, read)) = boms.next().await? {
        if let Ok(bom) = read {
            verdict.add(&bom, &case.policy);
        }
    }
    Ok(verdict)
}

impl Verdict {
    fn add(&mut self, bom: &Bom, policy: &Policy) {
        self.components += bom.components.len();
        for component in &bom.components {
            let Some(license) = policy.offence(component) else { continue };
            self.refused += 1;
            if self.first.is_none() {
                let name = short(&component.full_name());
                let version = component.version.as_deref().map(short);
                let version = version.map(|text| format!(" {text}")).unwrap_or_default();
                self.first = Some(format!("{name}{version} ({})", short(&license)));
            }
        }
    }

    fn state(&self) -> State {
        match self.refused {
            0 => State::Success,
            _ => State::Failed,
        }
    }

    fn text(&self) -> String {
        match (&self.first, self.refused) {
            (None, _) => format!("All {} components may be used", self.components),
            (Some(first), 1) => format!("{first} may not be used"),
            (Some(first), all) => format!("{first} and {} others may not be used", all - 1),
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

/// Says it of the pipeline. What was said already is not said again: that would end the
/// pipeline once more, and so have it judged.
fn told(tx: &mut Tx<'_>, pipeline: &Pipeline, verdict: &Verdict) -> Result<()> {
    let (state, text) = (verdict.state(), verdict.text());
    let before = newest(tx, pipeline.id, NAME)?;
    let same = before.is_some_and(|one| {
        State::of(one.job.status) == Some(state) && one.description.as_deref() == Some(&text)
    });
    let project = find_project(tx, &Reference::Id(pipeline.project_id))?;
    let kind = RepositoryKind::Project;
    let repository = repositories::store::of_project(tx, pipeline.project_id, kind)?;
    let (false, Some(project), Some(repository)) = (same, project, repository) else {
        return Ok(());
    };
    let about = About {
        project,
        repository,
        sha: pipeline.sha.clone(),
        on_ref: Some(pipeline.on_ref.clone()),
        usual_ref: pipeline.on_ref.clone(),
        pipeline_id: Some(pipeline.id),
    };
    let said = Statement {
        name: NAME.to_owned(),
        state,
        target_url: None,
        description: Some(text),
        coverage: None,
        user_id: None,
    };
    say(tx, &about, &said).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_names_the_first() {
        let verdict = |refused, first: Option<&str>| Verdict {
            components: 3,
            refused,
            first: first.map(str::to_owned),
        };
        assert_eq!(verdict(0, None).text(), "All 3 components may be used");
        assert_eq!(verdict(1, Some("a 1 (X)")).text(), "a 1 (X) may not be used");
        assert_eq!(verdict(3, Some("a 1 (X)")).text(), "a 1 (X) and 2 others may not be used");
        assert_eq!(verdict(1, Some("a")).state(), State::Failed);
    }
}
