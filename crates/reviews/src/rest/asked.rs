//! What a list of merge requests is asked for.

use crate::model::{ReviewState, State, YesNo};
use crate::store::filter::{Approvers, Filter, Marks, Times};
use crate::store::list::{OrderBy, Sorting};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::Flat;
use planning::rules::narrowing::{AskedAlike, AskedText, AskedUnlike, check_pairs, or_nobody};
use planning::store::issues::filter::Has;
use spaces::model::Sort;

/// Most users that one list asks for as approvers.
const MOST_APPROVERS: usize = 5;

kernel::choices! {
    pub enum StateAsked as "MergeRequestStateAsked" {
        Opened = "opened",
        Closed = "closed",
        Locked = "locked",
        Merged = "merged",
        All = "all",
    }
}

kernel::choices! {
    pub enum Whose as "MergeRequestScope" {
        CreatedByMe = "created_by_me",
        CreatedByMeDashed = "created-by-me",
        AssignedToMe = "assigned_to_me",
        AssignedToMeDashed = "assigned-to-me",
        ReviewsForMe = "reviews_for_me",
        ReviewsForMeDashed = "reviews-for-me",
        All = "all",
    }
}

kernel::choices! {
    pub enum View as "MergeRequestView" { Simple = "simple" }
}

kernel::params! {
    /// What merge requests are not like.
    pub struct Not {
        pub alike: Flat<AskedUnlike>,
        /// Not reviewed by this user.
        pub reviewer_id: Option<i64>,
        /// Not reviewed by this user.
        pub reviewer_username: Option<String>,
    }
}

kernel::params! {
    pub struct Asked {
        /// Only in this state.
        pub state: Option<StateAsked>,
        /// Whose merge requests.
        pub scope: Option<Whose>,
        /// What to sort by.
        pub order_by: Option<OrderBy>,
        /// Direction.
        pub sort: Option<Sort>,
        pub alike: Flat<AskedAlike>,
        /// Only reviewed by this user; Any or None.
        pub reviewer_id: Option<Has<i64>>,
        /// Only reviewed by this user; Any or None.
        pub reviewer_username: Option<String>,
        /// Only merged by this user.
        pub merge_user_id: Option<i64>,
        /// Only merged by this user.
        pub merge_user_username: Option<String>,
        /// Only those that all these users may approve; Any or None.
        pub approver_ids: Option<Vec<String>>,
        /// Only approved by all these users; Any or None.
        pub approved_by_ids: Option<Vec<String>>,
        /// Only approved ones, or only others.
        pub approved: Option<YesNo>,
        /// Only where a reviewer said this last.
        pub review_state: Option<ReviewState>,
        /// Only drafts, or only others.
        pub draft: Option<bool>,
        /// The same by its older name.
        pub wip: Option<YesNo>,
        /// Only from this branch.
        pub source_branch: Option<String>,
        /// Only into this branch.
        pub target_branch: Option<String>,
        /// Only from this project.
        pub source_project_id: Option<i64>,
        /// Only deployed to this environment.
        pub environment: Option<String>,
        pub text: Flat<AskedText>,
        pub times: Flat<Times>,
        /// What the merge requests are not like.
        pub not: Option<Not>,
        /// None of archived projects.
        pub non_archived: Option<bool>,
        /// Only of these numbers; of a project.
        pub iids: Option<Vec<i64>>,
        /// In few words.
        pub view: Option<View>,
        /// Labels with all about them.
        pub with_labels_details: Option<bool>,
        /// Have it found out again whether they can be merged, for who may change them.
        pub with_merge_status_recheck: Option<bool>,
    }
}

/// What a list shows, and how.
pub struct Wanted {
    pub filter: Filter,
    pub sorting: Sorting,
    pub is_simple: bool,
    pub details: bool,
    pub recheck: bool,
}

impl Asked {
    /// What is wanted, of these unless a scope is told.
    ///
    /// # Errors
    ///
    /// 400 for what excludes each other or cannot be; 401 where strangers ask for what is
    /// theirs.
    pub fn wanted(&self, viewer: &Viewer, default: Whose) -> Result<Wanted> {
        self.check_pairs()?;
        let mut filter = self.filter(viewer)?;
        match self.scope.unwrap_or(default) {
            Whose::All => {}
            Whose::CreatedByMe | Whose::CreatedByMeDashed => {
                filter.is.alike.author_id = Some(viewer.signed_in()?.user.id);
            }
            Whose::AssignedToMe | Whose::AssignedToMeDashed => {
                filter.is.alike.assignee = Some(Has::This(viewer.signed_in()?.user.id));
            }
            Whose::ReviewsForMe | Whose::ReviewsForMeDashed => {
                filter.is.reviewer = Some(Has::This(viewer.signed_in()?.user.id));
            }
        }
        Ok(Wanted {
            filter,
            sorting: Sorting {
                by: self.order_by.unwrap_or(OrderBy::CreatedAt),
                descending: self.sort != Some(Sort::Asc),
            },
            is_simple: self.view == Some(View::Simple),
            details: self.with_labels_details.unwrap_or(false),
            recheck: self.with_merge_status_recheck.unwrap_or(false),
        })
    }

    /// Refuses to ask for one thing in two ways.
    fn check_pairs(&self) -> Result<()> {
        check_pairs(&[
            (
                "author_id, author_username",
                self.alike.author_id.is_some(),
                self.alike.author_username.is_some(),
            ),
            (
                "assignee_id, assignee_username",
                self.alike.assignee_id.is_some(),
                self.alike.assignee_username.is_some(),
            ),
            (
                "reviewer_id, reviewer_username",
                self.reviewer_id.is_some(),
                self.reviewer_username.is_some(),
            ),
            (
                "merge_user_id, merge_user_username",
                self.merge_user_id.is_some(),
                self.merge_user_username.is_some(),
            ),
            ("draft, wip", self.draft.is_some(), self.wip.is_some()),
        ])
    }

    fn filter(&self, viewer: &Viewer) -> Result<Filter> {
        let (in_title, in_description) = self.text.places()?;
        let by_name = self.reviewer_username.as_deref().map(reviewer_named);
        let (reviewer, reviewer_username) = by_name.unwrap_or_default();
        Ok(Filter {
            state: self.state.and_then(state),
            is: Marks {
                alike: self.alike.read(viewer),
                reviewer: self.reviewer_id.clone().map(or_nobody).or(reviewer),
                reviewer_username,
            },
            not: self.not.as_ref().map_or_else(Marks::default, |not| without(viewer, not)),
            iids: None,
            milestone_id: None,
            merge_user_id: self.merge_user_id,
            merge_user_username: self.merge_user_username.clone(),
            approvers: approvers("approver_ids", self.approver_ids.as_deref())?,
            approved_by: approvers("approved_by_ids", self.approved_by_ids.as_deref())?,
            approved: self.approved.map(|said| said == YesNo::Yes),
            review_state: self.review_state,
            draft: self.draft.or(self.wip.map(|said| said == YesNo::Yes)),
            source_branch: self.source_branch.clone(),
            target_branch: self.target_branch.clone(),
            source_project_id: self.source_project_id,
            environment: self.environment.clone(),
            search: self.text.search.clone(),
            in_title,
            in_description,
            times: self.times.0.clone(),
            non_archived: false,
        })
    }
}

fn state(asked: StateAsked) -> Option<State> {
    match asked {
        StateAsked::Opened => Some(State::Opened),
        StateAsked::Closed => Some(State::Closed),
        StateAsked::Locked => Some(State::Locked),
        StateAsked::Merged => Some(State::Merged),
        StateAsked::All => None,
    }
}

/// A reviewer by name, or whether there is any.
fn reviewer_named(name: &str) -> (Option<Has<i64>>, Option<String>) {
    match Has::of(name, str::to_owned) {
        None => (None, None),
        Some(Has::Any) => (Some(Has::Any), None),
        Some(Has::None) => (Some(Has::None), None),
        Some(Has::This(name)) => (None, Some(name)),
    }
}

fn without(viewer: &Viewer, not: &Not) -> Marks {
    Marks {
        alike: not.alike.read(viewer),
        reviewer: not.reviewer_id.map(Has::This),
        reviewer_username: not.reviewer_username.clone(),
    }
}

/// `Any`, `None`, or some ids.
fn approvers(name: &str, asked: Option<&[String]>) -> Result<Option<Approvers>> {
    let wrong = |text: &str| Error::Parameters(vec![format!("{name} {text}")]);
    let asked: Vec<&String> =
        asked.unwrap_or_default().iter().filter(|text| !text.is_empty()).collect();
    match asked.as_slice() {
        [] => return Ok(None),
        [one] if one.eq_ignore_ascii_case("any") => return Ok(Some(Approvers::Any)),
        [one] if one.eq_ignore_ascii_case("none") => return Ok(Some(Approvers::Nobody)),
        many if many.len() > MOST_APPROVERS => return Err(wrong("does not have a valid value")),
        _ => {}
    }
    let ids = asked.iter().map(|text| text.parse::<i64>().map_err(|_| wrong("is invalid")));
    Ok(Some(Approvers::These(ids.collect::<Result<Vec<_>>>()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvers_are_any_none_or_few() {
        let read = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            approvers("approver_ids", Some(&texts)).ok()
        };
        assert_eq!(read(&[]), Some(None));
        assert_eq!(read(&["any"]), Some(Some(Approvers::Any)));
        assert_eq!(read(&["None"]), Some(Some(Approvers::Nobody)));
        assert_eq!(read(&["1", "2"]), Some(Some(Approvers::These(vec![1, 2]))));
        assert_eq!(read(&["1", "any"]), None);
        assert_eq!(read(&["1", "2", "3", "4", "5", "6"]), None);
    }

    #[test]
    fn reviewers_are_asked_for_by_name_or_at_all() {
        assert_eq!(reviewer_named("jane"), (None, Some("jane".to_owned())));
        assert_eq!(reviewer_named("Any"), (Some(Has::Any), None));
        assert_eq!(reviewer_named("none"), (Some(Has::None), None));
        assert_eq!(reviewer_named(""), (None, None));
    }
}
