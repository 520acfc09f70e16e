//! What narrows a page of activity.

use crate::kinds::TargetType;
use crate::list::{Events, Of};
use kernel::html::ui::{Chip, Tab};
use kernel::time::Date;

kernel::choices! {
    /// What is shown, as tabs name it.
    #[derive(Default)]
    pub enum Shown {
        /// All but packages, as lists of the interface have it.
        #[default]
        All = "all",
        Issues = "issues",
        MergeRequests = "merge_requests",
        Comments = "comments",
        Milestones = "milestones",
        /// Of groups and people: projects have none.
        Epics = "epics",
        Members = "members",
        Projects = "projects",
        Packages = "packages",
    }
}

impl Shown {
    fn label(self) -> &'static str {
        match self {
            Shown::All => "All",
            Shown::Issues => "Issues",
            Shown::MergeRequests => "Merge requests",
            Shown::Comments => "Comments",
            Shown::Milestones => "Milestones",
            Shown::Epics => "Epics",
            Shown::Members => "Members",
            Shown::Projects => "Projects",
            Shown::Packages => "Packages",
        }
    }

    fn target_type(self) -> Option<TargetType> {
        match self {
            Shown::All => None,
            Shown::Issues => Some(TargetType::Issue),
            Shown::MergeRequests => Some(TargetType::MergeRequest),
            Shown::Comments => Some(TargetType::Note),
            Shown::Milestones => Some(TargetType::Milestone),
            Shown::Epics => Some(TargetType::Epic),
            Shown::Members => Some(TargetType::User),
            Shown::Projects => Some(TargetType::Project),
            Shown::Packages => Some(TargetType::Package),
        }
    }
}

kernel::params! {
    /// What narrows a page.
    #[derive(Default)]
    pub struct ActivityFilter {
        pub kind: Option<Shown>,
        /// Only what was done on this day.
        pub day: Option<Date>,
    }
}

impl ActivityFilter {
    pub fn events(&self, of: Of) -> Events {
        Events {
            target_type: self.shown().target_type(),
            // Both days are left out of a list.
            after: self.day.map(|day| day.yesterday().unwrap_or(Date::MIN)),
            before: self.day.map(|day| day.tomorrow().unwrap_or(Date::MAX)),
            ..Events::of(of)
        }
    }

    pub fn shown(&self) -> Shown {
        self.kind.unwrap_or_default()
    }

    pub fn is_narrow(&self) -> bool {
        self.day.is_some() || self.shown() != Shown::All
    }

    /// The same list; `url` is without anything that narrows it.
    pub fn at(&self, url: &str) -> String {
        let kind = Some(self.shown()).filter(|kind| *kind != Shown::All);
        let kind = kind.map(|kind| format!("kind={kind}"));
        let day = self.day.map(|day| format!("day={day}"));
        let given: Vec<String> = kind.into_iter().chain(day).collect();
        match given.is_empty() {
            true => url.to_owned(),
            false => {
                let joint = if url.contains('?') { '&' } else { '?' };
                format!("{url}{joint}{}", given.join("&"))
            }
        }
    }

    /// One for each kind; for epics where there may be any.
    pub fn tabs(&self, url: &str, with_epics: bool) -> Vec<Tab> {
        let tab = |kind: &Shown| {
            let there = ActivityFilter { kind: Some(*kind), day: self.day };
            Tab::new(kind.label(), there.at(url), *kind == self.shown())
        };
        let kinds = Shown::ALL.iter().filter(|kind| with_epics || **kind != Shown::Epics);
        kinds.map(tab).collect()
    }

    pub fn chips(&self, url: &str) -> Vec<Chip> {
        let anytime = ActivityFilter { kind: self.kind, day: None };
        let on = |date: Date| {
            let text = date.strftime("%-d %b %Y").to_string();
            Chip::new(format!("On {text}"), anytime.at(url))
        };
        self.day.map(on).into_iter().collect()
    }
}
