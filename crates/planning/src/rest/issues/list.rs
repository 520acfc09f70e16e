//! Lists of issues: all, of a group, of a project, of a milestone.

use crate::access::{Aim, ParentRef, Scope, authorize, desk};
use crate::entity::issues::{IssueEntity, RelatedToIssues, issue};
use crate::model::{Issue, IssueKind, IssueState};
use crate::rest::PLACES;
use crate::rules::milestones;
use crate::rules::narrowing::{AskedAlike, AskedText, AskedUnlike};
use crate::store::issues::filter::{Due, Has, IssueFilter, Marks, Times};
use crate::store::issues::list::{OrderBy, Sorting};
use crate::store::listing;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Flat, Paged, Paging, Params, Routes};
use spaces::access::{Purpose, group};
use spaces::model::Sort;
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
    }
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
        pub alike: Flat<AskedUnlike>,
        /// None of these numbers.
        pub iids: Option<Vec<i64>>,
        /// Not of this weight.
        pub weight: Option<i64>,
    }
}

kernel::params! {
    pub struct ListIssues {
        /// Only in this state.
        pub state: Option<StateAsked>,
        /// Whose issues.
        pub scope: Option<Whose>,
        pub alike: Flat<AskedAlike>,
        pub text: Flat<AskedText>,
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
        let (in_title, in_description) = self.text.places()?;
        let mut filter = IssueFilter {
            state: match self.state {
                Some(StateAsked::Opened) => Some(IssueState::Opened),
                Some(StateAsked::Closed) => Some(IssueState::Closed),
                _ => None,
            },
            is: Marks {
                alike: self.alike.read(viewer),
                iids: self.iids.clone(),
                weight: self.weight.clone(),
            },
            not: self.not.as_ref().map_or_else(Marks::default, |not| without(viewer, not)),
            search: self.text.search.clone(),
            in_title,
            in_description,
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
                filter.is.alike.author_id = Some(viewer.signed_in()?.user.id);
            }
            Whose::AssignedToMe | Whose::AssignedToMeDashed => {
                filter.is.alike.assignee = Some(Has::This(viewer.signed_in()?.user.id));
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

fn without(viewer: &Viewer, not: &Not) -> Marks {
    Marks {
        alike: not.alike.read(viewer),
        iids: not.iids.clone(),
        weight: not.weight.map(Has::This),
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

async fn page(
    app: App, viewer: Viewer, wanted: Wanted, paging: Paging,
    place: impl FnOnce(&mut Tx<'_>, &Viewer, &mut IssueFilter) -> Result<Scope> + Send + 'static,
) -> Result<Paged<IssueEntity>> {
    let Wanted { mut filter, sorting, details } = wanted;
    let (page, around) = app
        .read(move |tx| {
            let scope = place(tx, &viewer, &mut filter)?;
            let page = listing::list::<Issue>(tx, &viewer, &scope, &filter, sorting, paging)?;
            let around = RelatedToIssues::read(tx, &viewer, &scope, &page.items)?;
            Ok((page, around))
        })
        .await?;
    Ok(page.map(|row| issue(&app, &row, &around, details)))
}
