//! What lists of merge requests are narrowed to.

use crate::model::{ReviewState, State};
use crate::store::filter::{Filter, Marks, Times};
use crate::store::owned::Beside;
use identity::graph::viewer;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, GraphInput, HasTypeRef, STRING, TIME, named};
use kernel::graph_input;
use kernel::time::Timestamp;
use planning::graph::{Moment, bounded, chosen, number, staged, wildcard};
use planning::rules::narrowing::{labels, reaction, title};
use planning::store::listed::Alike;

pub fn graph(g: &mut Graph) {
    let text = "What merge requests are not like.";
    g.input("NegatedMergeRequestFilterInput", text, Like::arguments());
}

graph_input! {
    /// What merge requests are like, or are not.
    #[derive(Default)]
    pub struct Like {
        /// By this user.
        author_username: Option<String> = STRING,
        /// Assigned to all these users.
        assignee_usernames: Option<Vec<String>> = STRING.required().list(),
        /// Reviewed by this user.
        reviewer_username: Option<String> = STRING,
        /// All these labels; `Any` or `None` alone.
        label_name: Option<Vec<Option<String>>> = STRING.list(),
        /// Of this milestone; `Any` or `None`.
        milestone_title: Option<String> = STRING,
        /// With this reaction of the caller; `Any` or `None`.
        my_reaction_emoji: Option<String> = STRING,
        /// From one of these branches.
        source_branches: Option<Vec<String>> = STRING.required().list(),
        /// Into one of these branches.
        target_branches: Option<Vec<String>> = STRING.required().list(),
    }
}

graph_input! {
    /// Who has to do with merge requests, and how.
    pub struct Concerned {
        /// Only assigned to this user.
        assignee_username: Option<String> = STRING,
        /// Only assigned ones, or only others.
        assignee_wildcard_id: Option<String> = named("AssigneeWildcardId"),
        /// Only those that somebody reviews, or only others.
        reviewer_wildcard_id: Option<String> = named("ReviewerWildcardId"),
        /// Only where a reviewer said this last.
        review_state: Option<String> = named("MergeRequestReviewState"),
        /// Only where a reviewer said one of these last.
        review_states: Option<Vec<String>> =
            named("MergeRequestReviewState").required().list(),
        /// Only approved by all these users.
        approved_by: Option<Vec<String>> = STRING.required().list(),
        /// Only merged by this user.
        merged_by: Option<String> = STRING,
    }
}

graph_input! {
    /// When something happened; both ends count.
    pub struct Between {
        /// Only made since.
        created_after: Option<Moment<Timestamp>> = TIME,
        /// Only made until.
        created_before: Option<Moment<Timestamp>> = TIME,
        /// Only changed since.
        updated_after: Option<Moment<Timestamp>> = TIME,
        /// Only unchanged since.
        updated_before: Option<Moment<Timestamp>> = TIME,
        /// Only merged since.
        merged_after: Option<Moment<Timestamp>> = TIME,
        /// Only merged until.
        merged_before: Option<Moment<Timestamp>> = TIME,
        /// Only closed since.
        closed_after: Option<Moment<Timestamp>> = TIME,
        /// Only closed until.
        closed_before: Option<Moment<Timestamp>> = TIME,
        /// Only deployed since.
        deployed_after: Option<Moment<Timestamp>> = TIME,
        /// Only deployed until.
        deployed_before: Option<Moment<Timestamp>> = TIME,
    }
}

graph_input! {
    pub struct Filters {
        ..like: Like,
        ..concerned: Concerned,
        ..between: Between,
        /// Only these numbers.
        iids: Option<Vec<String>> = STRING.required().list(),
        /// Only in this state.
        state: Option<String> = named("MergeRequestState"),
        /// Only drafts, or only others.
        draft: Option<bool> = BOOLEAN,
        /// Only of such milestones.
        milestone_wildcard_id: Option<String> = named("MilestoneWildcardId"),
        /// Only deployed to the environment of this name.
        environment_name: Option<String> = STRING,
        /// In title or description.
        search: Option<String> = STRING,
        /// Where to search.
        fields as "in": Option<Vec<String>> = named("IssuableSearchableField").required().list(),
        /// What they are not like.
        not: Option<Like> = named("NegatedMergeRequestFilterInput"),
        /// The order.
        sort: Option<String> = named("MergeRequestSort") => "created_desc",
    }
}

/// From and into which branches.
type Branches = (Vec<String>, Vec<String>);

impl Like {
    fn read(self, context: &Context) -> Result<(Marks, Branches), Fault> {
        let titles = bounded(self.label_name, "labelName")?.into_iter().flatten();
        let marks = Marks {
            alike: Alike {
                labels: labels(titles.collect()),
                milestone: self.milestone_title.as_deref().and_then(title),
                author_username: self.author_username,
                assignee_usernames: bounded(self.assignee_usernames, "assigneeUsernames")?,
                reaction: reaction(&viewer(context), self.my_reaction_emoji.as_deref()),
                ..Alike::default()
            },
            reviewer_username: self.reviewer_username,
            ..Marks::default()
        };
        let sources = bounded(self.source_branches, "sourceBranches")?;
        let targets = bounded(self.target_branches, "targetBranches")?;
        Ok((marks, (sources, targets)))
    }
}

fn time(at: Option<Moment<Timestamp>>) -> Option<Timestamp> {
    at.map(|at| at.0)
}

impl Between {
    fn times(&self) -> Times {
        Times {
            created_after: time(self.created_after),
            created_before: time(self.created_before),
            updated_after: time(self.updated_after),
            updated_before: time(self.updated_before),
            merged_after: time(self.merged_after),
            merged_before: time(self.merged_before),
            deployed_after: time(self.deployed_after),
            deployed_before: time(self.deployed_before),
        }
    }
}

impl Filters {
    /// What rows are narrowed to.
    pub fn read(self, context: &Context) -> Result<(Filter, Beside), Fault> {
        let (mut is, (sources, targets)) = self.like.read(context)?;
        let (not, (not_sources, not_targets)) = self.not.unwrap_or_default().read(context)?;
        let who = self.concerned;
        let stage = self.milestone_wildcard_id.as_deref();
        is.alike.assignee_usernames.extend(who.assignee_username);
        is.alike.assignee = wildcard(who.assignee_wildcard_id.as_deref());
        is.reviewer = wildcard(who.reviewer_wildcard_id.as_deref());
        is.alike.milestone = is.alike.milestone.or_else(|| wildcard(stage));
        let iids = self.iids.map(|all| bounded(Some(all), "iids")).transpose()?;
        let fields = self.fields.unwrap_or_default();
        let states = bounded(who.review_states, "reviewStates")?.into_iter();
        let filter = Filter {
            state: chosen(self.state, State::from_text),
            is,
            not,
            iids: iids.map(|all| all.iter().map(|one| number(one)).collect()),
            merge_user_username: who.merged_by,
            review_state: chosen(who.review_state, ReviewState::from_text),
            draft: self.draft,
            environment: self.environment_name,
            search: self.search,
            in_title: fields.iter().any(|one| one == "TITLE"),
            in_description: fields.iter().any(|one| one == "DESCRIPTION"),
            times: self.between.times(),
            ..Filter::default()
        };
        let beside = Beside {
            closed_after: time(self.between.closed_after),
            closed_before: time(self.between.closed_before),
            sources,
            targets,
            not_sources,
            not_targets,
            approved_by: bounded(who.approved_by, "approvedBy")?,
            review_states: states
                .filter_map(|one| chosen(Some(one), ReviewState::from_text))
                .collect(),
            stage: staged(stage),
            ..Beside::default()
        };
        Ok((filter, beside))
    }
}
