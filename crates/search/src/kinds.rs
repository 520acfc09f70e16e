//! The kinds of things that are searched.

use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::search::{Found, Hit, Sources};
use spaces::search::Place;
use store::Tx;

kernel::choices! {
    /// In the order of the tabs.
    pub enum Kind {
        Issues = "issues",
        MergeRequests = "merge_requests",
        Epics = "epics",
        Notes = "notes",
        Projects = "projects",
        Groups = "groups",
        People = "people",
        Packages = "packages",
        Milestones = "milestones",
        Labels = "labels",
        Snippets = "snippets",
        Alerts = "alerts",
        Errors = "errors",
    }
}

kernel::choices! {
    /// What is searched in repositories, where nothing is indexed.
    pub enum CodeKind { Blobs = "blobs", Commits = "commits" }
}

impl CodeKind {
    /// What its tab is called.
    pub fn label(self) -> &'static str {
        match self {
            CodeKind::Blobs => "Code",
            CodeKind::Commits => "Commits",
        }
    }
}

/// What is indexed, kind by kind.
pub fn sources() -> Sources {
    use monitoring::search::{ALERTS, ERRORS};
    use planning::store::searched::{EPICS, ISSUES, LABELS, MILESTONES, NOTES};
    use spaces::store::searched::{GROUPS, PROJECTS};
    Sources(vec![
        &PROJECTS,
        &GROUPS,
        &identity::search::PEOPLE,
        &ISSUES,
        &reviews::store::searched::REQUESTS,
        &EPICS,
        &NOTES,
        &LABELS,
        &MILESTONES,
        &snippets::store::SNIPPETS,
        &packages::store::searched::PACKAGES,
        &ALERTS,
        &ERRORS,
    ])
}

impl Kind {
    /// What of it somebody may see in a place; `few` are the projects that they see
    /// there, if they are few.
    pub fn found(
        self, tx: &Tx<'_>, viewer: &Viewer, place: &Place, few: &Option<Vec<i64>>,
    ) -> Result<Found> {
        Ok(match self {
            Kind::Issues => {
                planning::search::issues(tx, viewer, place, None, None).of_projects(few.clone())
            }
            Kind::MergeRequests => {
                reviews::search::merge_requests(tx, viewer, place, None).of_projects(few.clone())
            }
            Kind::Epics => planning::search::epics(tx, viewer, place, None, None),
            Kind::Notes => planning::search::notes(tx, viewer, place, few.clone())?,
            Kind::Projects => spaces::search::projects(tx, viewer, place).of_projects(few.clone()),
            Kind::Groups => spaces::search::groups(tx, viewer, place),
            Kind::People => spaces::search::people(tx, viewer, place),
            Kind::Packages => {
                packages::search::packages(tx, viewer, place).of_projects(few.clone())
            }
            Kind::Milestones => planning::search::milestones(tx, viewer, place, None),
            Kind::Labels => planning::search::labels(tx, viewer, place),
            Kind::Snippets => snippets::search::snippets(tx, viewer, place),
            Kind::Alerts => monitoring::search::alerts(tx, viewer, place).of_projects(few.clone()),
            Kind::Errors => monitoring::search::errors(tx, viewer, place).of_projects(few.clone()),
        })
    }

    /// What its tab is called.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Issues => "Issues",
            Kind::MergeRequests => "Merge requests",
            Kind::Epics => "Epics",
            Kind::Notes => "Comments",
            Kind::Projects => "Projects",
            Kind::Groups => "Groups",
            Kind::People => "People",
            Kind::Packages => "Packages",
            Kind::Milestones => "Milestones",
            Kind::Labels => "Labels",
            Kind::Snippets => "Snippets",
            Kind::Alerts => "Alerts",
            Kind::Errors => "Errors",
        }
    }

    /// The picture beside it.
    pub fn icon(self) -> &'static str {
        match self {
            Kind::Issues => "issue",
            Kind::MergeRequests => "branch",
            Kind::Epics => "milestone",
            Kind::Notes => "comment",
            Kind::Projects => "project",
            Kind::Groups => "group",
            Kind::People => "user",
            Kind::Packages => "package",
            Kind::Milestones => "milestone",
            Kind::Labels => "label",
            Kind::Snippets => "code",
            Kind::Alerts => "bell",
            Kind::Errors => "error",
        }
    }

    /// The sign before its number.
    pub fn sign(self) -> char {
        match self {
            Kind::MergeRequests => '!',
            Kind::Epics => '&',
            _ => '#',
        }
    }

    /// The page of a thing. The place of a comment is the page of what it is about.
    pub fn url(self, hit: &Hit) -> String {
        let (place, id) = (&hit.place, hit.id);
        let number = hit.number.unwrap_or_default();
        match self {
            Kind::Issues => format!("/{place}/-/issues/{number}"),
            Kind::MergeRequests => format!("/{place}/-/merge_requests/{number}"),
            Kind::Epics => format!("/{place}/-/epics/{number}"),
            Kind::Notes => format!("{place}#note_{id}"),
            Kind::Projects | Kind::People => format!("/{place}"),
            Kind::Groups => format!("/groups/{place}"),
            Kind::Packages => format!("/{place}/-/packages/{id}"),
            Kind::Milestones => format!("/{place}/-/milestones/{number}"),
            Kind::Labels => {
                let title = url::form_urlencoded::byte_serialize(hit.title.as_bytes());
                let title: String = title.collect();
                format!("/{place}/-/issues?labels={title}")
            }
            Kind::Snippets if place.is_empty() => format!("/-/snippets/{id}"),
            Kind::Snippets => format!("/{place}/-/snippets/{id}"),
            Kind::Alerts => format!("/{place}/-/alert_management/{number}/details"),
            Kind::Errors => format!("/{place}/-/error_tracking/{id}/details"),
        }
    }
}
