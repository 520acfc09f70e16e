//! Releases and their links are made, changed and deleted.

use super::enums::LINK_TYPE;
use super::{LINK_ID, LinkView, ReleaseView, views};
use crate::access::Releases;
use crate::entity;
use crate::model::{Link, LinkType, Release};
use crate::related::Related;
use crate::rules::links::{self, LinkChange, LinkInput};
use crate::rules::{self, AssetsInput, ReleaseChange, ReleaseInput, in_words};
use crate::store::links::place_of;
use identity::graph::caller;
use kernel::app::App;
use kernel::error::Error;
use kernel::graph::input::GraphInput;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID, STRING, TIME, named, object};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::time::Timestamp;
use std::sync::Arc;

/// What a mutation of a release shows.
struct Written(Arc<ReleaseView>);

/// What a mutation of a link shows.
struct Linked(Arc<LinkView>);

graph_input! {
    struct NewLink {
        /// What it is called.
        name: String = STRING.required(),
        /// Where it leads.
        url: String = STRING.required(),
        /// Its path below the release, as `/dir/file`.
        direct_asset_path: Option<String> = STRING,
        /// What it leads to.
        link_type: Option<String> = LINK_TYPE => "OTHER",
    }
}

graph_input! {
    struct NewAssets {
        /// Links to files and pages.
        links: Option<Vec<NewLink>> = named("ReleaseAssetLinkInput").required().list(),
    }
}

graph_input! {
    struct CreateRelease {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// The tag that it is of.
        tag_name: String = STRING.required(),
        /// What the tag says, where it is made with the release.
        tag_message: Option<String> = STRING,
        /// The branch, tag or commit that a new tag is made of.
        r#ref as "ref": Option<String> = STRING,
        /// What it is called.
        name: Option<String> = STRING,
        /// What there is to say of it, in Markdown.
        description: Option<String> = STRING,
        /// When it came out, or will.
        released_at: Option<String> = TIME,
        /// Titles of the milestones it is for.
        milestones: Option<Vec<String>> = STRING.required().list(),
        /// What can be had with it.
        assets: Option<NewAssets> = named("ReleaseAssetsInput"),
    }
}

graph_input! {
    struct UpdateRelease {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Its tag.
        tag_name: String = STRING.required(),
        /// What it is called.
        #[serde(default)]
        name: Patch<String> = STRING,
        /// What there is to say of it, in Markdown.
        #[serde(default)]
        description: Patch<String> = STRING,
        /// When it came out, or will.
        released_at: Option<String> = TIME,
        /// Titles of the milestones it is for; an empty list for none.
        milestones: Option<Vec<String>> = STRING.required().list(),
    }
}

graph_input! {
    struct DeleteRelease {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Its tag.
        tag_name: String = STRING.required(),
    }
}

graph_input! {
    struct CreateLink {
        ..link: NewLink,
        /// Full path of the project.
        project_path: String = ID.required(),
        /// The tag of the release.
        tag_name: String = STRING.required(),
    }
}

graph_input! {
    struct UpdateLink {
        /// The link.
        id: i64 = LINK_ID.required(),
        /// What it is called.
        name: Option<String> = STRING,
        /// Where it leads.
        url: Option<String> = STRING,
        /// Its path below the release; null for none.
        #[serde(default)]
        direct_asset_path: Patch<String> = STRING,
        /// What it leads to.
        link_type: Option<String> = LINK_TYPE,
    }
}

graph_input! {
    struct DeleteLink {
        /// The link.
        id: i64 = LINK_ID.required(),
    }
}

pub fn graph(g: &mut Graph) {
    let text = "Something that can be had with a release.";
    g.input("ReleaseAssetLinkInput", text, NewLink::arguments());
    g.input("ReleaseAssetsInput", "What can be had with a release.", NewAssets::arguments());
    let release = object::<ReleaseView>("Release");
    g.mutation::<Written>("releaseCreate", "Makes a release, and its tag if there is none.")
        .answers("release", release.clone(), |it| Some(it.0.clone()))
        .handle(create);
    g.mutation::<Written>("releaseUpdate", "Changes a release.")
        .answers("release", release.clone(), |it| Some(it.0.clone()))
        .handle(update);
    g.mutation::<Written>("releaseDelete", "Deletes a release; its tag stays.")
        .answers("release", release, |it| Some(it.0.clone()))
        .handle(delete);
    let link = object::<LinkView>("ReleaseAssetLink");
    g.mutation::<Linked>("releaseAssetLinkCreate", "Adds a link to a release.")
        .answers("link", link.clone(), |it| Some(it.0.clone()))
        .handle(create_link);
    g.mutation::<Linked>("releaseAssetLinkUpdate", "Changes a link of a release.")
        .answers("link", link.clone(), |it| Some(it.0.clone()))
        .handle(update_link);
    g.mutation::<Linked>("releaseAssetLinkDelete", "Takes a link off a release.")
        .answers("link", link, |it| Some(it.0.clone()))
        .handle(delete_link);
}

/// A kind that GraphQL writes in capitals.
fn kind(text: Option<&str>) -> Option<LinkType> {
    LinkType::from_text(&text?.to_ascii_lowercase())
}

/// An instant whose form its scalar has checked.
fn instant(text: Option<&str>) -> Result<Option<Timestamp>, Fault> {
    let read = |text: &str| text.parse().map_err(|_| Fault::argument("releasedAt is no time"));
    text.map(read).transpose()
}

impl NewLink {
    fn input(&self) -> LinkInput {
        LinkInput {
            name: self.name.clone(),
            url: self.url.clone(),
            direct_asset_path: self.direct_asset_path.clone(),
            filepath: None,
            link_type: kind(self.link_type.as_deref()),
        }
    }
}

async fn shown(
    app: &App, context: &Context, (_, release): (Releases, Release),
) -> Result<Done<Written>, Fault> {
    let (_, viewer) = caller(context)?;
    let views = app.read(move |tx| views(tx, &viewer, vec![release]));
    let view = views.await?.pop().ok_or_else(Fault::not_available)?;
    Ok(Done::from(Written(view)))
}

async fn create(it: CreateRelease, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    let links = it.assets.and_then(|assets| assets.links);
    let links = links.map(|links| links.iter().map(NewLink::input).collect());
    let input = ReleaseInput {
        tag_name: it.tag_name,
        tag_message: it.tag_message,
        r#ref: it.r#ref,
        name: it.name,
        description: it.description,
        milestones: it.milestones,
        milestone_ids: None,
        released_at: instant(it.released_at.as_deref())?,
        assets: Some(AssetsInput { links }),
    };
    let project = Reference::Path(it.project_path);
    let made = rules::create(&app, &viewer, &project, input).await.map_err(in_words)?;
    shown(&app, &context, made).await
}

async fn update(it: UpdateRelease, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    let change = ReleaseChange {
        name: it.name,
        description: it.description,
        released_at: instant(it.released_at.as_deref())?,
        milestones: it.milestones,
        milestone_ids: None,
    };
    let (project, tag) = (Reference::Path(it.project_path), it.tag_name);
    let changed = app.write(move |tx| rules::update(tx, &viewer, &project, &tag, &change));
    let changed = changed.await.map_err(in_words)?;
    shown(&app, &context, changed).await
}

async fn delete(it: DeleteRelease, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    let (project, tag) = (Reference::Path(it.project_path), it.tag_name);
    let gone = app.write(move |tx| rules::destroy(tx, &viewer, &project, &tag));
    let (here, release, related): (Releases, Release, Related) = gone.await.map_err(in_words)?;
    let (here, related) = (Arc::new(here), Arc::new(related));
    Ok(Done::from(Written(Arc::new(ReleaseView { release, here, related }))))
}

fn linked(app: &App, (here, release, link): &(Releases, Release, Link)) -> Done<Linked> {
    let entity = entity::link(app, here, release, link);
    Done::from(Linked(Arc::new(LinkView { entity, filepath: link.filepath.clone() })))
}

async fn create_link(it: CreateLink, context: Context) -> Result<Done<Linked>, Fault> {
    let (app, viewer) = caller(&context)?;
    let (project, tag, input) = (Reference::Path(it.project_path), it.tag_name, it.link.input());
    let made = app.write(move |tx| links::create(tx, &viewer, (&project, &tag), &input));
    Ok(linked(&app, &made.await.map_err(in_words)?))
}

async fn update_link(it: UpdateLink, context: Context) -> Result<Done<Linked>, Fault> {
    let (app, viewer) = caller(&context)?;
    let change = LinkChange {
        name: it.name,
        url: it.url,
        direct_asset_path: it.direct_asset_path,
        filepath: Patch::Absent,
        link_type: kind(it.link_type.as_deref()),
    };
    let changed = app.write(move |tx| {
        let (project, tag) = place_of(tx, it.id)?.ok_or(Error::NotFound(""))?;
        links::update(tx, &viewer, (&Reference::Id(project), &tag), it.id, &change)
    });
    Ok(linked(&app, &changed.await.map_err(in_words)?))
}

async fn delete_link(it: DeleteLink, context: Context) -> Result<Done<Linked>, Fault> {
    let (app, viewer) = caller(&context)?;
    let gone = app.write(move |tx| {
        let (project, tag) = place_of(tx, it.id)?.ok_or(Error::NotFound(""))?;
        links::destroy(tx, &viewer, (&Reference::Id(project), &tag), it.id)
    });
    Ok(linked(&app, &gone.await.map_err(in_words)?))
}
