//! Commits and tags as git writes them.

use super::Author;
use super::pack::NewObjects;
use super::signing::{self, Signer};
use crate::formats::object_id::ObjectId;
use crate::objects::{Commit, Person};
use gix::objs::Kind;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::{Error, Result};

/// Who wrote a commit, and who made it.
#[derive(Debug, Clone)]
pub struct People {
    pub author: Person,
    pub committer: Person,
    /// Who vouches for both.
    pub signer: Option<Signer>,
}

/// Who asks, and whom they name as the author.
pub async fn person(app: &App, viewer: &Viewer, author: &Author) -> Result<People> {
    let user = &viewer.signed_in()?.user;
    let committer = Person {
        name: user.name.clone(),
        email: user.email.clone(),
        at: whole_seconds(app.now()),
        offset: 0,
    };
    let named = |given: &Option<String>, own: &String| {
        given.clone().filter(|text| !clean(text).is_empty()).unwrap_or(own.clone())
    };
    let author = Person {
        name: named(&author.name, &committer.name),
        email: named(&author.email, &committer.email),
        ..committer.clone()
    };
    Ok(People { author, committer, signer: signing::signer(app).await? })
}

fn whole_seconds(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}

/// Adds a commit.
pub fn commit(
    new: &mut NewObjects, tree: ObjectId, parents: &[ObjectId], people: &People, message: &str,
) -> Result<Commit> {
    let mut text = format!("tree {tree}\n");
    for parent in parents {
        text.push_str(&format!("parent {parent}\n"));
    }
    text.push_str(&format!("author {}\n", line(&people.author)));
    text.push_str(&format!("committer {}\n", line(&people.committer)));
    let message = message.replace('\0', "");
    if let Some(signer) = &people.signer {
        let signature = signer.sign(format!("{text}\n{message}").as_bytes())?;
        text.push_str(&format!("gpgsig {}\n", signature.trim_end().replace('\n', "\n ")));
    }
    text.push('\n');
    text.push_str(&message);
    let id = new.add(Kind::Commit, text.clone().into())?;
    Commit::of(id, text.as_bytes()).ok_or_else(|| Error::internal("a commit of ours is damaged"))
}

/// Adds an annotated tag of a commit.
pub fn tag(
    new: &mut NewObjects, target: ObjectId, name: &str, tagger: &Person, message: &str,
) -> Result<ObjectId> {
    let tagger = line(tagger);
    let message = message.replace('\0', "");
    let text = format!(
        "object {target}\ntype commit\ntag {name}\ntagger {tagger}\n\n{}\n",
        message.trim_end_matches('\n')
    );
    new.add(Kind::Tag, text.into())
}

/// `Name <address> seconds offset`.
fn line(person: &Person) -> String {
    let minutes = person.offset.abs() / 60;
    let sign = if person.offset < 0 { '-' } else { '+' };
    format!(
        "{} <{}> {} {sign}{:02}{:02}",
        clean(&person.name),
        clean(&person.email),
        person.at.as_second().max(0),
        minutes / 60,
        minutes % 60
    )
}

/// Without what would end a name, as git leaves it out.
fn clean(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_control() && !"<>".contains(*c)).collect();
    kept.trim_matches(|c: char| c.is_whitespace() || ".,:;\"\\'".contains(c))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_their_line() {
        let person = Person {
            name: "Ada <x>\nparent 1, Jr.".into(),
            email: "ada@example.com>".into(),
            at: Timestamp::from_second(1_700_000_000).expect("a time"),
            offset: -5400,
        };
        assert_eq!(line(&person), "Ada xparent 1, Jr <ada@example.com> 1700000000 -0130");
    }
}
