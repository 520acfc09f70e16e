//! Pages of the area: the schedules of a project, one of them, and whom
//! alerts page. Every form goes through the rules that REST uses, and works
//! without a script.

mod line;
mod policy;
mod schedule;
mod schedules;
mod views;

use http::Method;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::http::Routes;
use spaces::Project;
use spaces::access::{MAINTAINER, Purpose};
use spaces::pages::{PROJECT, Space};

/// What is asked of a project to see who is on call.
const READ: Purpose = Purpose::ReadOnCall;
/// And to change it.
const CHANGE: Purpose = Purpose::Update;

pub fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/oncall_schedules");
    let one = format!("{all}/{{schedule_iid}}");
    let policy = format!("{PROJECT}/-/escalation_policies");
    r.page(Method::GET, &all, schedules::show);
    r.page(Method::POST, &all, schedules::create);
    r.page(Method::GET, &one, schedule::show);
    r.page(Method::POST, &one, schedule::change);
    r.page(Method::GET, &policy, policy::show);
    r.page(Method::POST, &policy, policy::change);
}

/// Groups have no schedules.
fn project_of(space: &Space) -> Result<&Project> {
    match space {
        Space::Project(project, _) => Ok(project),
        Space::Group(..) => Err(Error::NotFound("Project")),
    }
}

/// Whether the viewer may change what a page shows.
fn may_change(space: &Space) -> bool {
    space.level() >= MAINTAINER
}

/// Every time zone there is.
fn zones() -> Vec<Choice> {
    let one = |name: &str| Choice {
        value: name.to_owned(),
        label: name.replace('_', " "),
    };
    crate::on_call::zones::names()
        .into_iter()
        .map(one)
        .collect()
}
