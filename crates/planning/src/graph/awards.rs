//! Reactions, and the interface of what is reacted to.

use super::ISSUE_TYPES;
use super::epics::EpicView;
use super::notes::{named_id, of_interface};
use super::write::{spot, spot_of_note};
use super::{Pages, caller, read_pages, uncounted};
use crate::guarded::{NoteablePath, Spot};
use crate::model::Issue;
use crate::model::epics::EPIC;
use crate::rules::awards as rules;
use crate::rules::comments::Talk;
use crate::store::awards::{self as rows, Award, Awardable};
use crate::store::notes::{ISSUE, Note};
use identity::graph::{People, Person};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result as Outcome};
use kernel::graph::{
    Ask, BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, Key, ObjectBuilder, Order, STRING,
    Window, named, object,
};
use std::any::Any;
use std::sync::Arc;
use store::Tx;

use crate::activity::NOTE;

const AWARDABLE: &str = "Awardable";

/// An emoji by the name it is kept under.
fn emoji(name: &str) -> Option<&'static emojis::Emoji> {
    let name = match name {
        "thumbsup" => "+1",
        "thumbsdown" => "-1",
        other => other,
    };
    emojis::get_by_shortcode(name)
}

pub fn graph(g: &mut Graph) {
    let text = "A global ID of something that is reacted to, such as `gid://service/Issue/1`.";
    g.scalar("AwardableID", text, named_id);
    g.object::<Award>("AwardEmoji", "A reaction.")
        .field("name", STRING.required(), |it| it.name.clone())
        .describe("Name of the emoji.")
        .field("emoji", STRING.required(), |it| {
            emoji(&it.name).map_or(it.name.clone(), |emoji| emoji.as_str().to_owned())
        })
        .describe("The emoji.")
        .field("unicode", STRING.required(), |it| {
            emoji(&it.name).map_or(String::new(), |emoji| code_points(emoji.as_str()))
        })
        .describe("Its code points in hexadecimal digits.")
        .field("description", STRING.required(), |it| {
            emoji(&it.name).map_or(it.name.clone(), |emoji| emoji.name().to_owned())
        })
        .describe("What it shows.")
        .load::<People, _>("user", object::<Person>("UserCore"), |it| Some(it.user_id))
        .describe("Whose it is.");
    let interface = g.interface::<Awardable>(AWARDABLE, "What is reacted to.");
    list(interface, |it| *it);
    for name in ISSUE_TYPES {
        let issue = g.on::<Issue>(name).implements(AWARDABLE);
        list(issue, |it| Awardable::Issue(it.id));
    }
    let epic = g.on::<EpicView>("Epic").implements(AWARDABLE);
    list(epic, |it| Awardable::Epic(it.id));
    let note = g.on::<Note>("Note").implements(AWARDABLE);
    list(note, |it| Awardable::Note(it.id));
    mutations(g);
}

fn code_points(text: &str) -> String {
    let points = text.chars().map(|c| format!("{:x}", u32::from(c)));
    points.collect::<Vec<_>>().join("-")
}

/// Gives an object type of a room above `awardEmoji`, and with it the interface.
pub fn awardable<T: Any + Send + Sync>(
    builder: ObjectBuilder<'_, T>, of: fn(&T) -> Awardable,
) -> ObjectBuilder<'_, T> {
    list(builder.implements(AWARDABLE), of)
}

fn list<T: Any + Send + Sync>(
    builder: ObjectBuilder<'_, T>, of: fn(&T) -> Awardable,
) -> ObjectBuilder<'_, T> {
    builder
        .connections(
            "awardEmoji",
            object::<Award>("AwardEmoji"),
            move |parents: Vec<Arc<T>>, ask, _, context| async move {
                let of = parents.iter().map(|it| of(it)).collect();
                given(of, ask, context).await
            },
        )
        .describe("Reactions to it, in the order they came.")
}

pub async fn given(to: Vec<Awardable>, ask: Ask, context: Context) -> Pages<Award> {
    let key = Key::int("award_emoji.id", Order::Asc);
    let window = ask.window(&context, "award emoji", &[key])?;
    let ids: Vec<i64> = to.iter().map(|one| one.id()).collect();
    let read = move |tx: &mut Tx<'_>, _: &Viewer, window: &Window| rows::pages_of(tx, &to, window);
    let keys = |it: &Award| vec![it.id.into()];
    Ok(uncounted(read_pages(&context, window, &ids, read, keys).await?))
}

struct Reacted {
    award: Option<Arc<Award>>,
    toggled_on: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Will {
    Add,
    Remove,
    Toggle,
}

kernel::graph_input! {
    struct React {
        /// What is reacted to.
        awardable_id: String = named("AwardableID").required(),
        /// Name of an emoji.
        name: String = STRING.required(),
    }
}

fn mutations(g: &mut Graph) {
    for (name, text, will) in [
        ("awardEmojiAdd", "Reacts to something.", Will::Add),
        ("awardEmojiRemove", "Takes a reaction back.", Will::Remove),
        ("awardEmojiToggle", "Reacts to something, or takes that back.", Will::Toggle),
    ] {
        let mut mutation = g.mutation::<Reacted>(name, text).answers(
            "awardEmoji",
            object::<Award>("AwardEmoji"),
            |it| it.award.clone(),
        );
        if will == Will::Toggle {
            mutation = mutation.answers("toggledOn", BOOLEAN, |it| Some(it.toggled_on));
        }
        mutation.handle(move |input: React, context| react(will, input, context));
    }
}

async fn react(will: Will, input: React, context: Context) -> Result<Done<Reacted>, Fault> {
    let (model, id) = of_interface(&context, &input.awardable_id, AWARDABLE)?;
    let (spot, to) = match model.as_str() {
        ISSUE => (spot(&model, id, &context).await?, Awardable::Issue(id)),
        EPIC => (spot(&model, id, &context).await?, Awardable::Epic(id)),
        NOTE => (spot_of_note(id, &context).await?, Awardable::Note(id)),
        _ => {
            let spot = spot(&model, id, &context).await?;
            let to = match &spot {
                Spot::Thing(thing) => Awardable::Thing(thing.kind, id),
                Spot::Issue(_) | Spot::Epic(_) => return Err(Fault::not_available()),
            };
            (spot, to)
        }
    };
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| change(tx, &viewer, &spot, to, &input.name, will));
    Ok(match work.await? {
        Ok(reacted) => Done::from(reacted),
        Err(sentence) => Done { errors: vec![sentence], payload: None },
    })
}

/// The reaction as it is wanted, or why it cannot be.
fn change(
    tx: &mut Tx<'_>, viewer: &Viewer, spot: &Spot, to: Awardable, text: &str, will: Will,
) -> Outcome<Result<Reacted, String>> {
    let (desk, found) = spot.authorize(tx, viewer)?;
    let (desk, topic) = (Spot::desk(&desk), found.topic());
    if let Awardable::Note(id) = to {
        Talk::new(viewer, desk, topic).find(tx, id)?;
    }
    let Some(name) = rules::name(text) else {
        return Ok(Err("Name is not a valid emoji name".to_owned()));
    };
    let user_id = viewer.signed_in()?.user.id;
    let before = rows::of_user(tx, to, user_id, name)?;
    match (before, will) {
        (Some(_), Will::Add) => Ok(Err("Name has already been taken".to_owned())),
        (None, Will::Remove) => Err(Error::NotFound("")),
        (Some(award), _) => {
            rules::destroy(tx, viewer, to, award.id)?;
            Ok(Ok(Reacted { award: None, toggled_on: false }))
        }
        (None, _) => {
            rules::create(tx, viewer, desk, topic, to, name)?;
            let made = rows::of_user(tx, to, user_id, name)?.found("")?;
            Ok(Ok(Reacted { award: Some(Arc::new(made)), toggled_on: true }))
        }
    }
}
