//! Lists of issues: all, of a group, of a project, of a milestone.

use crate::access::{Aim, ParentRef, Scope, authorize, desk};
use crate::entity::issues::{IssueEntity, RelatedToIssues, issue};
use crate::model::{IssueKind, IssueState};
use crate::rest::{PLACES, PlaceRequest};
use crate::rules::awards;
use crate::rules::milestones;
use crate::store::issues::filter::{Due, Has, IssueFilter, Marks, Times};
use crate::store::issues::list::{self as rows, OrderBy, Sorting};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Paged, Paging, Params, Routes};
use serde_json::Value;
use spaces::access::{Purpose, group};
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    r.get("/issues", list).summary("Lists issues, by default those the caller made");
    for (places, word) in PLACES {
        let all = format!("/{places}/{{id}}/issues");
        r.get(&all, of_place).named(&format!("of_{word}")).summary(match word {
            "group" => "Lists the issues of a group's projects",
            _ => "Lists the issues of a project",
        });
        let milestone = format!("/{places}/{{id}}/milestones/{{milestone_id}}");
        let name = match word {
            "group" => "of_group_milestone",
            _ => "of_milestone",
        };
        r.get(&format!("{milestone}/issues"), of_milestone)
            .named(name)
            .summary(format!("Lists the issues of a {word}'s milestone"));
        r.get(&format!("{milestone}/merge_requests"), merges_of_milestone)
            .named(&format!("merges_{name}"))
            .summary(format!("Lists the merge requests of a {word}'s milestone"));
    }
}

kernel::choices! {
    pub enum Sort { Asc = "asc", Desc = "desc" }
}

kernel::choices! {
    pub enum StateAsked { Opened = "opened", Closed = "closed", All = "all" }
}

kernel::choices! {
    pub enum Whose {
        CreatedByMe = "created_by_me",
        CreatedByMeDashed = "created-by-me",
        AssignedToMe = "assigned_to_me",
        AssignedToMeDashed = "assigned-to-me",
        All = "all",
    }
}

kernel::params! {
    /// What issues are not like.
    pub struct Not {
        /// None of these labels.
        pub labels: Option<Vec<String>>,
        /// Not of this milestone.
        pub milestone: Option<String>,
        /// Not by this user.
        pub author_id: Option<i64>,
        /// Not by this user.
        pub author_username: Option<String>,
        /// Not assigned to this user.
        pub assignee_id: Option<i64>,
        /// Not assigned to these users.
        pub assignee_username: Option<Vec<String>>,
        /// None of these numbers.
        pub iids: Option<Vec<i64>>,
        /// Not of this weight.
        pub weight: Option<i64>,
        /// Without this reaction by the caller; Any or None.
        pub my_reaction_emoji: Option<String>,
    }
}

kernel::params! {
    pub struct ListIssues {
        /// Only in this state.
        pub state: Option<StateAsked>,
        /// Only with all these labels; Any or None.
        pub labels: Option<Vec<String>>,
        /// Only of this milestone; Any or None.
        pub milestone: Option<String>,
        /// Whose issues.
        pub scope: Option<Whose>,
        /// Only by this user.
        pub author_id: Option<i64>,
        /// Only by this user.
        pub author_username: Option<String>,
        /// Only assigned to this user; Any or None.
        pub assignee_id: Option<Has<i64>>,
        /// Only assigned to all these users.
        pub assignee_username: Option<Vec<String>>,
        /// In what `in` says: title and description unless told.
        pub search: Option<String>,
        /// Where to search: `title`, `description`, or both with a comma.
        pub r#in as "in": Option<Vec<String>>,
        /// What to sort by.
        pub order_by: Option<OrderBy>,
        /// Direction.
        pub sort: Option<Sort>,
        /// Only of these numbers.
        pub iids: Option<Vec<i64>>,
        /// Only confidential ones, or only others.
        pub confidential: Option<bool>,
        /// Only of this type.
        pub issue_type: Option<IssueKind>,
        /// Only due then.
        pub due_date: Option<Due>,
        pub times: Flat<Times>,
        /// Only of this weight; Any or None.
        pub weight: Option<Has<i64>>,
        /// Only with this reaction by the caller; Any or None.
        pub my_reaction_emoji: Option<String>,
        /// Only of this epic; Any or None.
        pub epic_id: Option<Has<i64>>,
        /// Only of this iteration; Any or None.
        pub iteration_id: Option<Has<i64>>,
        /// What the issues are not like.
        pub not: Option<Not>,
        /// Labels with all about them.
        pub with_labels_details: Option<bool>,
    }
}

impl ListIssues {
    fn wanted(&self, viewer: &Viewer, default: Whose) -> Result<Wanted> {
        let lies = |asked: &Option<Has<i64>>| match asked {
            None | Some(Has::None) => false,
            Some(_) => true,
        };
        let places = self.r#in.clone().unwrap_or_default();
        if places.iter().any(|one| one != "title" && one != "description") {
            return Err(Error::Parameters(vec!["in does not have a valid value".into()]));
        }
        let mut filter = IssueFilter {
            state: match self.state {
                Some(StateAsked::Opened) => Some(IssueState::Opened),
                Some(StateAsked::Closed) => Some(IssueState::Closed),
                _ => None,
            },
            is: Marks {
                labels: self.labels.clone().and_then(labels),
                milestone: self.milestone.as_deref().and_then(title),
                author_id: self.author_id,
                author_username: self.author_username.clone(),
                assignee: self.assignee_id.clone().map(|asked| match asked {
                    Has::This(0) => Has::None,
                    other => other,
                }),
                assignee_usernames: self.assignee_username.clone().unwrap_or_default(),
                iids: self.iids.clone(),
                weight: self.weight.clone(),
                reaction: reaction(viewer, self.my_reaction_emoji.clone()),
            },
            not: self.not.as_ref().map_or_else(Marks::default, |not| without(viewer, not)),
            search: self.search.clone(),
            in_title: places.iter().any(|one| one == "title"),
            in_description: places.iter().any(|one| one == "description"),
            confidential: self.confidential,
            kinds: self.issue_type.into_iter().collect(),
            due: self.due_date,
            times: self.times.0.clone(),
            epic: self.epic_id.clone().map(|asked| match asked {
                Has::None | Has::This(0) => Has::None,
                Has::Any => Has::Any,
                Has::This(id) => Has::This(vec![id]),
            }),
            impossible: lies(&self.iteration_id),
            ..IssueFilter::default()
        };
        match self.scope.unwrap_or(default) {
            Whose::All => {}
            Whose::CreatedByMe | Whose::CreatedByMeDashed => {
                filter.is.author_id = Some(viewer.signed_in()?.user.id);
            }
            Whose::AssignedToMe | Whose::AssignedToMeDashed => {
                filter.is.assignee = Some(Has::This(viewer.signed_in()?.user.id));
            }
        }
        Ok(Wanted {
            filter,
            sorting: Sorting {
                by: self.order_by.unwrap_or(OrderBy::CreatedAt),
                descending: self.sort != Some(Sort::Asc),
            },
            details: self.with_labels_details.unwrap_or(false),
        })
    }
}

kernel::params! {
    pub struct OfMilestone {
        /// Id of the milestone.
        pub milestone_id: i64,
    }
}

struct Wanted {
    filter: IssueFilter,
    sorting: Sorting,
    details: bool,
}

/// Labels by title; `Any` or `None` alone.
pub(in crate::rest) fn labels(titles: Vec<String>) -> Option<Has<Vec<String>>> {
    let titles: Vec<String> = titles.into_iter().filter(|one| !one.is_empty()).collect();
    match titles.as_slice() {
        [] => None,
        [only] => title(only),
        _ => Some(Has::This(titles)),
    }
}

fn title(text: &str) -> Option<Has<Vec<String>>> {
    Has::of(text, |title| vec![title.to_owned()])
}

/// A reaction of the viewer; strangers, who have none, are user 0.
pub(in crate::rest) fn reaction(
    viewer: &Viewer, asked: Option<String>,
) -> Option<(i64, Has<String>)> {
    let wanted = awards::wanted(&asked?)?;
    Some((viewer.user_id().unwrap_or(0), wanted))
}

fn without(viewer: &Viewer, not: &Not) -> Marks {
    Marks {
        labels: not.labels.clone().and_then(labels),
        milestone: not.milestone.as_deref().and_then(title),
        author_id: not.author_id,
        author_username: not.author_username.clone(),
        assignee: not.assignee_id.map(Has::This),
        assignee_usernames: not.assignee_username.clone().unwrap_or_default(),
        iids: not.iids.clone(),
        weight: not.weight.map(Has::This),
        reaction: reaction(viewer, not.my_reaction_emoji.clone()),
    }
}

async fn list(
    app: App, viewer: Viewer, params: Params<ListIssues>, paging: Paging,
) -> Result<Paged<IssueEntity>> {
    let wanted = params.wanted(&viewer, Whose::CreatedByMe)?;
    let everywhere = |_: &mut Tx<'_>, _: &Viewer, _: &mut IssueFilter| Ok(Scope::Everywhere);
    page(app, viewer, wanted, paging, everywhere).await
}

async fn of_place(
    app: App, viewer: Viewer, place: ParentRef, params: Params<ListIssues>, paging: Paging,
) -> Result<Paged<IssueEntity>> {
    let wanted = params.wanted(&viewer, Whose::All)?;
    page(app, viewer, wanted, paging, move |tx, viewer, _| scope(tx, viewer, &place)).await
}

fn scope(tx: &mut Tx<'_>, viewer: &Viewer, place: &ParentRef) -> Result<Scope> {
    Ok(match place {
        ParentRef::Project(id) => Scope::Project(Box::new(desk(tx, viewer, id)?)),
        ParentRef::Group(id) => Scope::Group(Box::new(group(tx, viewer, id, Purpose::Read)?)),
    })
}

fn everything() -> Wanted {
    Wanted {
        filter: IssueFilter::default(),
        sorting: Sorting { by: OrderBy::CreatedAt, descending: true },
        details: false,
    }
}

async fn of_milestone(
    app: App, viewer: Viewer, place: ParentRef, params: Params<OfMilestone>, paging: Paging,
) -> Result<Paged<IssueEntity>> {
    let work = move |tx: &mut Tx<'_>, viewer: &Viewer, filter: &mut IssueFilter| {
        let entered = authorize(tx, viewer, &place, Aim::Read)?;
        filter.milestone_id = Some(milestones::find(tx, &entered, params.milestone_id)?.id);
        scope(tx, viewer, &place)
    };
    page(app, viewer, everything(), paging, work).await
}

/// Projects have no merge requests.
async fn merges_of_milestone(
    at: PlaceRequest, params: Params<OfMilestone>, paging: Paging,
) -> Result<Paged<Value>> {
    at.read(move |tx, _, here| {
        milestones::find(tx, here, params.milestone_id)?;
        Ok(Paged::numbered(Vec::new(), paging, Some(0)))
    })
    .await
}

async fn page(
    app: App, viewer: Viewer, wanted: Wanted, paging: Paging,
    place: impl FnOnce(&mut Tx<'_>, &Viewer, &mut IssueFilter) -> Result<Scope> + Send + 'static,
) -> Result<Paged<IssueEntity>> {
    let Wanted { mut filter, sorting, details } = wanted;
    let (page, around) = app
        .read(move |tx| {
            let scope = place(tx, &viewer, &mut filter)?;
            let page = rows::list(tx, &viewer, &scope, &filter, sorting, paging)?;
            let around = RelatedToIssues::read(tx, &viewer, &scope, &page.items)?;
            Ok((page, around))
        })
        .await?;
    Ok(page.map(|row| issue(&app, &row, &around, details)))
}
