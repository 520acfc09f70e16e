//! Links between epics.

use super::{Base, EpicRequest, in_group};
use crate::entity::epics::{EpicEntity, RelatedToEpics, epic as entity};
use crate::model::LinkType;
use crate::model::epics::{Epic, EpicLink};
use crate::rest::PlacePath;
use crate::rules::epics::links::{self as rules, LinkedEpics};
use crate::rules::epics::places::EpicPlace;
use crate::store::epics;
use crate::store::epics::links as rows;
use crate::store::issues::filter::Times;
use crate::store::linked_pairs::EPIC_LINKS;
use identity::caller::Caller;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, Flat, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::Tx;

pub(super) fn routes_of_groups(r: &mut Routes) {
    r.get("/groups/{id}/related_epic_links", of_group)
        .named("related_epic_links")
        .summary("Lists the links between epics of a group and the groups below it");
}

pub(super) fn routes(r: &mut Routes, base: Base) {
    let all = base.one("/related_epics");
    r.get(&all, list)
        .named(&base.named("related"))
        .summary("Lists the epics that have to do with an epic");
    r.post(&all, create)
        .named(&base.named("relate"))
        .summary("Links an epic to another");
    r.delete(&format!("{all}/{{related_epic_link_id}}"), destroy)
        .named(&base.named("unrelate"))
        .summary("Removes a link between epics");
}

kernel::params! {
    pub struct LinksOfGroup {
        pub place: Flat<PlacePath>,
        pub times: Flat<Times>,
    }
}

kernel::params! {
    pub struct RelateEpic {
        /// Number of the other one.
        pub target_epic_iid: i64,
        /// Id or path of the other one's group.
        pub target_group_id: Reference,
        /// What the first is to the other.
        pub link_type: Option<LinkType>,
    }
}

kernel::params! {
    pub struct RelatedPath {
        /// Id of the link.
        pub related_epic_link_id: i64,
    }
}

/// A link with both epics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EpicLinkEntity {
    /// Id.
    pub id: i64,
    /// Where it starts.
    pub source_epic: EpicEntity,
    /// Where it ends.
    pub target_epic: EpicEntity,
    /// What the first is to the second.
    pub link_type: LinkType,
    /// When they were linked.
    pub created_at: String,
    /// When the link was changed last.
    pub updated_at: String,
}

/// An epic that has to do with another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelatedEpicEntity {
    /// The epic.
    #[serde(flatten)]
    pub epic: EpicEntity,
    /// Id of the link.
    pub related_epic_link_id: i64,
    /// What the epic asked about is to this one.
    pub link_type: LinkType,
    /// When they were linked.
    pub link_created_at: String,
    /// When the link was changed last.
    pub link_updated_at: String,
}

fn link(
    app: &App, link: &EpicLink, (source, target): (&Epic, &Epic), around: &RelatedToEpics,
) -> EpicLinkEntity {
    EpicLinkEntity {
        id: link.id,
        source_epic: entity(app, source, around, false),
        target_epic: entity(app, target, around, false),
        link_type: link.link_type,
        created_at: wire::text(link.created_at),
        updated_at: wire::text(link.updated_at),
    }
}

async fn of_group(
    by: Caller, Params(params): Params<LinksOfGroup>, paging: Paging,
) -> Result<Paged<EpicLinkEntity>> {
    in_group(by, params.place.0.id, move |tx, by, desk| {
        let page = rows::of_group(tx, &by.viewer, &desk.group, (&params.times.0, paging))?;
        let ends = rows::ends(tx, &page.items)?;
        let both: Vec<Epic> = ends.values().cloned().collect();
        let around = RelatedToEpics::read(tx, &by.viewer, Some(desk.group.id), &both)?;
        let shown = |one: EpicLink| {
            let both = (ends.get(&one.source_id)?, ends.get(&one.target_id)?);
            Some(link(&by.app, &one, both, &around))
        };
        Ok(page.replace(|items| items.into_iter().filter_map(shown).collect()))
    })
    .await
}

async fn list(at: EpicRequest, paging: Paging) -> Result<Paged<RelatedEpicEntity>> {
    at.read(move |tx, by, desk, own| {
        let links = EPIC_LINKS.of(tx, own.id)?;
        let others: Vec<i64> = links.iter().map(|link| link.other(own.id)).collect();
        let others = epics::visible_by_ids(tx, &by.viewer, &others)?;
        let around = RelatedToEpics::read(tx, &by.viewer, Some(desk.group.id), &others)?;
        let others: HashMap<i64, Epic> = others.into_iter().map(|it| (it.id, it)).collect();
        let related = |link: EpicLink| {
            let other = others.get(&link.other(own.id))?;
            Some(RelatedEpicEntity {
                epic: entity(&by.app, other, &around, false),
                related_epic_link_id: link.id,
                link_type: link.seen_from(own.id),
                link_created_at: wire::text(link.created_at),
                link_updated_at: wire::text(link.updated_at),
            })
        };
        let seen = links.into_iter().filter_map(related).collect();
        Ok(Paged::of_whole(seen, paging))
    })
    .await
}

fn linked(
    tx: &mut Tx<'_>, by: &Caller, group_id: i64, linked: &LinkedEpics,
) -> Result<EpicLinkEntity> {
    let both = [linked.source.clone(), linked.target.clone()];
    let around = RelatedToEpics::read(tx, &by.viewer, Some(group_id), &both)?;
    Ok(link(&by.app, &linked.link, (&linked.source, &linked.target), &around))
}

async fn create(
    at: EpicRequest, Params(params): Params<RelateEpic>,
) -> Result<Created<EpicLinkEntity>> {
    at.write_own(move |tx, by, desk, epic| {
        let target = EpicPlace::numbered(params.target_group_id.clone(), params.target_epic_iid);
        let kind = params.link_type.unwrap_or(LinkType::RelatesTo);
        let made = rules::create(tx, &by.viewer, &desk, &epic, &target, kind)?;
        linked(tx, by, epic.group_id, &made).map(Created)
    })
    .await
}

async fn destroy(at: EpicRequest, path: Params<RelatedPath>) -> Result<Ok200<EpicLinkEntity>> {
    at.write_own(move |tx, by, desk, epic| {
        let id = path.related_epic_link_id;
        let gone = rules::destroy(tx, &by.viewer, &desk, &epic, id)?;
        linked(tx, by, epic.group_id, &gone).map(Ok200)
    })
    .await
}
