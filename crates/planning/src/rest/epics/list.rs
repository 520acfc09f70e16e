//! Lists of epics.

use super::{Base, in_group};
use crate::entity::epics::{EpicEntity, RelatedToEpics, epic};
use crate::model::IssueState;
use crate::model::epics::Epic;
use crate::rest::PlacePath;
use crate::rest::issues::list::StateAsked;
use crate::rules::narrowing::{check_pairs, labels, reaction};
use crate::store::epics::list::{EpicFilter, EpicMarks, OrderBy, Sorting};
use crate::store::issues::filter::Times;
use crate::store::listing;
use identity::caller::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Flat, Paged, Paging, Params, Routes};
use spaces::model::Sort;

pub(super) fn routes(r: &mut Routes, base: Base) {
    r.get(base.path, list)
        .named(&base.named("list"))
        .summary("Lists the epics of a group");
}

kernel::params! {
    /// What epics are not like.
    pub struct NotLike {
        /// None of these labels.
        pub labels: Option<Vec<String>>,
        /// Not by this user.
        pub author_id: Option<i64>,
        /// Not by this user.
        pub author_username: Option<String>,
    }
}

kernel::params! {
    pub struct ListEpics {
        /// Only by this user.
        pub author_id: Option<i64>,
        /// Only by this user.
        pub author_username: Option<String>,
        /// Only with all these labels; Any or None.
        pub labels: Option<Vec<String>>,
        /// Labels with all about them.
        pub with_labels_details: Option<bool>,
        /// What to sort by.
        pub order_by: Option<OrderBy>,
        /// Direction.
        pub sort: Option<Sort>,
        /// In the title or description.
        pub search: Option<String>,
        /// Only in this state.
        pub state: Option<StateAsked>,
        pub times: Flat<Times>,
        /// Also those of groups above; not unless asked.
        pub include_ancestor_groups: Option<bool>,
        /// Also those of groups below; unless refused.
        pub include_descendant_groups: Option<bool>,
        /// Only with this reaction by the caller; Any or None.
        pub my_reaction_emoji: Option<String>,
        /// Only confidential ones, or only others.
        pub confidential: Option<bool>,
        /// What the epics are not like.
        pub not: Option<NotLike>,
    }
}

fn marks(
    titles: Option<&Vec<String>>, author_id: Option<i64>, author_username: Option<&String>,
) -> EpicMarks {
    EpicMarks {
        labels: titles.cloned().and_then(labels),
        author_id,
        author_username: author_username.cloned(),
    }
}

impl ListEpics {
    fn filter(&self, viewer: &Viewer) -> Result<EpicFilter> {
        let not = self.not.as_ref();
        check_pairs(&[
            (
                "author_id, author_username",
                self.author_id.is_some(),
                self.author_username.is_some(),
            ),
            (
                "not author_id, not author_username",
                not.is_some_and(|not| not.author_id.is_some()),
                not.is_some_and(|not| not.author_username.is_some()),
            ),
        ])?;
        Ok(EpicFilter {
            state: match self.state {
                Some(StateAsked::Opened) => Some(IssueState::Opened),
                Some(StateAsked::Closed) => Some(IssueState::Closed),
                _ => None,
            },
            search: self.search.clone(),
            is: marks(self.labels.as_ref(), self.author_id, self.author_username.as_ref()),
            not: not.map_or_else(EpicMarks::default, |not| {
                marks(not.labels.as_ref(), not.author_id, not.author_username.as_ref())
            }),
            times: self.times.0.clone(),
            reaction: reaction(viewer, self.my_reaction_emoji.as_deref()),
            confidential: self.confidential,
            ancestors: self.include_ancestor_groups.unwrap_or(false),
            descendants: self.include_descendant_groups.unwrap_or(true),
            ..EpicFilter::default()
        })
    }
}

async fn list(
    by: Caller, Params(place): Params<PlacePath>, Params(params): Params<ListEpics>, paging: Paging,
) -> Result<Paged<EpicEntity>> {
    let filter = params.filter(&by.viewer)?;
    let sorting = Sorting {
        by: params.order_by.unwrap_or(OrderBy::CreatedAt),
        descending: params.sort != Some(Sort::Asc),
    };
    let details = params.with_labels_details.unwrap_or(false);
    in_group(by, place.id, move |tx, by, desk| {
        let page = listing::list::<Epic>(tx, &by.viewer, &desk.group, &filter, sorting, paging)?;
        let group_id = Some(desk.group.id);
        let around = RelatedToEpics::read(tx, &by.viewer, group_id, &page.items)?;
        Ok(page.map(|one| epic(&by.app, &one, &around, details)))
    })
    .await
}
