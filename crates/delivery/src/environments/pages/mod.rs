//! `…/-/environments`: the environments of a project, each with what was put into it.

mod list;
mod show;

use super::model::{DeploymentStatus, Environment, State, Tier};
use crate::protection::guard::{Guards, Place};
use crate::protection::model::{Standing, may_deploy};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::http::Routes;
use spaces::access::{self, DEVELOPER, Purpose};
use spaces::model::Project;
use spaces::pages::{Address, PROJECT, Space, SpaceHead};

pub fn routes(r: &mut Routes) {
    list::routes(r);
    show::routes(r);
}

/// An address below the environments of a project.
fn below(path: &str) -> String {
    format!("{PROJECT}/-/environments{path}")
}

/// A project whose environments the viewer sees, on a page.
struct Here {
    project: Project,
    level: i64,
    head: SpaceHead,
    /// The viewer changes environments that are not protected from them.
    can_run: bool,
}

impl Here {
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Here> {
        let space = address.authorize(tx, viewer, Purpose::ReadPipelines)?;
        let project = space.project()?.clone();
        if !access::may(tx, viewer, &project, Purpose::DownloadCode)? {
            return Err(Error::forbidden(""));
        }
        let level = space.level();
        let can_run =
            level >= DEVELOPER && access::allows(viewer, &project, level, Purpose::RunPipelines);
        Ok(Here {
            head: Space::head(&space, tx, viewer)?,
            project,
            level,
            can_run,
        })
    }

    /// The same for who changes them at all.
    fn to_change(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Here> {
        let here = Here::find(tx, viewer, address)?;
        match here.can_run {
            true => Ok(here),
            false => Err(Error::forbidden("")),
        }
    }

    fn url(&self) -> String {
        format!("{}/-/environments", self.head.url)
    }

    /// Who deploys where, read for all of these.
    fn rights(&self, tx: &mut Tx<'_>, viewer: &Viewer, all: &[&Environment]) -> Result<Rights> {
        let places: Vec<Place> = all.iter().map(|one| Place::of(one)).collect();
        let guards = Guards::read(tx, &self.project, &places)?;
        let who = guards.standing(tx, viewer, &self.project)?;
        Ok(Rights { guards, who, can_run: self.can_run })
    }
}

struct Rights {
    guards: Guards,
    who: Standing,
    can_run: bool,
}

impl Rights {
    fn may(&self, environment: &Environment) -> bool {
        self.can_run && may_deploy(self.guards.over(&Place::of(environment)), &self.who)
    }

    fn is_protected(&self, environment: &Environment) -> bool {
        !self.guards.over(&Place::of(environment)).is_empty()
    }
}

/// The tone of the badge of a state.
fn state_tone(state: State) -> &'static str {
    match state {
        State::Available => "good",
        State::Stopping => "warn",
        State::Stopped => "plain",
    }
}

fn status_tone(status: DeploymentStatus) -> &'static str {
    match status {
        DeploymentStatus::Success => "good",
        DeploymentStatus::Failed => "bad",
        DeploymentStatus::Running | DeploymentStatus::Blocked => "warn",
        DeploymentStatus::Created | DeploymentStatus::Canceled | DeploymentStatus::Skipped => {
            "plain"
        }
    }
}

/// The beginning of a commit's id, as it is read aloud.
fn short(sha: &str) -> &str {
    sha.get(..8).unwrap_or(sha)
}

/// What an environment may be for; first what its name says, where that is a choice.
fn tiers(by_name: bool) -> Vec<Choice> {
    let choice = |tier: &Tier| Choice {
        value: tier.to_string(),
        label: match tier {
            Tier::Production => "Production",
            Tier::Staging => "Staging",
            Tier::Testing => "Testing",
            Tier::Development => "Development",
            Tier::Other => "Other",
        }
        .to_owned(),
    };
    let mut all: Vec<Choice> = Tier::ALL.iter().map(choice).collect();
    if by_name {
        all.insert(0, Choice { value: String::new(), label: "As its name says".to_owned() });
    }
    all
}
