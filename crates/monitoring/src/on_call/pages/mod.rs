//! Pages of the area: the schedules of a project, one of them, and whom
//! alerts page. Every form goes through the rules that REST uses, and works
//! without a script.

mod policy;
mod roster;
mod schedule;
mod schedules;
mod views;

use http::Method;
use kernel::html::ui::Choice;
use kernel::http::Routes;
use spaces::access::MAINTAINER;
use spaces::pages::{PROJECT, Space};

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

fn may_change(space: &Space) -> bool {
    space.level() >= MAINTAINER
}

fn zones() -> Vec<Choice> {
    let names = crate::on_call::zones::names().into_iter();
    names
        .map(|name| Choice { value: name.to_owned(), label: name.replace('_', " ") })
        .collect()
}
