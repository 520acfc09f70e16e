//! A repository comes whole from elsewhere: branches, tags and what merge requests had, as
//! they are there. Imports of projects begin so, and go on so while they are live. What is
//! here already and elsewhere by now moves; what is gone there stays.

use super::SEALS;
use super::fetching::{Told, Upstream};
use super::following::settled;
use super::numbered::named;
use super::plan::Refs;
use crate::access::Pushing;
use crate::edits::command;
use crate::formats::commands::Command;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::Git;
use crate::mirrors::address::{self, Credentials};
use crate::mirrors::failure::{clean, is_absent, list, may_pass};
use crate::mirrors::remote::Remote;
use crate::mirrors::server::Server;
use crate::mirrors::turns::{Direction, Turns};
use crate::model::Repository;
use crate::rules::push::{PushedTo, check};
use crate::store::{self, refs};
use ::store::Tx;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::secrets::{Secret, Secrets};
use std::collections::BTreeMap;
use url::Url;

pub use super::numbered::Numbered;

/// How it may be reached.
const SCHEMES: &[&str] = &["http", "https"];
const INVALID: &str = "URI is invalid";
const HAS_PASSWORD: &str = "URI is invalid: it holds a password";

/// Where a repository comes from.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The name of a user in it does not count; a password in it is refused.
    pub url: String,
    /// What proves there who asks: a name, and a password or token.
    pub credentials: Option<(String, Secret)>,
    /// The branch that stands first there, if it is known.
    pub head: Option<String>,
    /// What comes beside branches and tags.
    pub numbered: Numbered,
}

impl Origin {
    /// Where it is, without the name of a user.
    ///
    /// # Errors
    ///
    /// A text for people if that is no address, or holds a password.
    pub fn address(&self) -> Result<Url, String> {
        let mut url = Url::parse(&self.url).map_err(|_| INVALID.to_owned())?;
        if url.password().is_some() {
            return Err(HAS_PASSWORD.into());
        }
        url.set_username("").map_err(|()| INVALID.to_owned())?;
        Ok(url)
    }

    /// What proves over HTTP who asks.
    pub fn authorization(&self) -> Option<String> {
        let (user, secret) = self.credentials.as_ref()?;
        let encoded = STANDARD.encode(format!("{user}:{}", secret.expose()));
        Some(format!("Basic {encoded}"))
    }
}

/// What came of it. Texts are for people, without anything secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brought {
    /// All is here, but for what is told.
    Whole(Option<String>),
    /// This server is busy with others; it was not asked for.
    Busy,
    /// There is none there.
    Absent,
    /// The server is away, or cannot now.
    Away(String),
    /// It does not come, however often it is asked for.
    Refused(String),
}

/// Brings a repository to where pushes by [`crate::protection::Way::Import`] go.
pub async fn bring(app: &App, to: &Pushing, origin: &Origin) -> Result<Brought> {
    bring_some(app, to, origin, None).await
}

/// Brings the branch that stands first there, and nothing else, to a repository that has this
/// branch alone.
pub async fn bring_first(
    app: &App, to: &Pushing, origin: &Origin, own: &RefName,
) -> Result<Brought> {
    bring_some(app, to, origin, Some(own)).await
}

async fn bring_some(
    app: &App, to: &Pushing, origin: &Origin, only: Option<&RefName>,
) -> Result<Brought> {
    let turns = app.kept::<Turns>();
    let Some(_turn) = turns.take(Direction::Pull) else {
        return Ok(Brought::Busy);
    };
    let server = match server(app.secrets(), origin)? {
        Ok(server) => server,
        Err(text) => return Ok(Brought::Refused(text)),
    };
    let remote = match Remote::open(app, &server, &SEALS).await? {
        Ok(remote) => remote,
        Err(text) => return Ok(failed(text)),
    };
    Ok(match take(app, to, (origin, only), &remote).await? {
        Ok(left) => Brought::Whole(left.map(|text| clean(&text, &remote.secrets))),
        Err(text) => failed(text),
    })
}

fn failed(text: String) -> Brought {
    match (is_absent(&text), may_pass(&text)) {
        (true, _) => Brought::Absent,
        (_, true) => Brought::Away(text),
        _ => Brought::Refused(text),
    }
}

/// The server as mirrors have it; a text for people if git may not go there.
fn server(secrets: &Secrets, origin: &Origin) -> Result<Result<Server, String>> {
    let url = match origin.address() {
        Ok(url) => url,
        Err(text) => return Ok(Err(text)),
    };
    let address = match address::parse(url.as_str(), SCHEMES) {
        Ok(address) => address,
        Err(text) => return Ok(Err(text)),
    };
    let credentials = match &origin.credentials {
        Some((user, secret)) => {
            Credentials::Given(Secret::new(format!("{user}:{}", secret.expose())))
        }
        None => Credentials::None,
    };
    let mut server = Server::blank();
    server.place(secrets, &SEALS, address::Address { credentials, ..address })?;
    Ok(Ok(server))
}

/// What there is here.
struct Here {
    repository: Repository,
    refs: Refs,
}

impl Here {
    fn read(tx: &mut Tx<'_>, id: i64) -> Result<Here> {
        let repository = store::by_id(tx, id)?.found("Repository")?;
        let refs = refs::all(tx, id)?;
        let refs = refs.into_iter().map(|it| (it.name, it.object_id)).collect();
        Ok(Here { repository, refs })
    }

    fn has_branches(&self) -> bool {
        self.refs.keys().any(|name| name.as_branch().is_some())
    }
}

/// What is to come: names there, and what they are called here.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    names: BTreeMap<RefName, RefName>,
    /// Those that no repository here takes.
    refused: Vec<RefName>,
}

impl Wanted {
    fn of(here: &Refs, there: &Refs, kind: &str, numbered: Numbered) -> Wanted {
        let to = PushedTo { default_branch: None, kind };
        let mut wanted = Wanted::default();
        for (name, id) in there {
            let is_usual = name.as_branch().or(name.as_tag()).is_some();
            let own = match is_usual {
                true => Some(name.clone()),
                false => named(name, numbered),
            };
            let Some(own) = own.filter(|own| here.get(own) != Some(id)) else {
                continue;
            };
            let is_taken =
                !is_usual || check(&to, &[command(own.clone(), ObjectId::ZERO, *id)]).is_ok();
            match is_taken {
                true => drop(wanted.names.insert(name.clone(), own)),
                false => wanted.refused.push(own),
            }
        }
        wanted.refused.sort_unstable();
        wanted
    }

    /// The branch that stands first there, or the only one, as this one here.
    fn first(head: Option<RefName>, own: &RefName, there: &Refs) -> Wanted {
        let mut branches = there.keys().filter(|name| name.as_branch().is_some());
        let only = branches.next().filter(|_| branches.next().is_none());
        let names = head.or_else(|| only.cloned()).map(|name| (name, own.clone()));
        Wanted { names: names.into_iter().collect(), refused: Vec::new() }
    }

    /// How refs move to where they are there.
    fn commands(&self, here: &Refs, fetched: &Refs) -> Vec<Command> {
        let each = self.names.iter().filter_map(|(there, own)| {
            let new = *fetched.get(there)?;
            let old = here.get(own).copied().unwrap_or(ObjectId::ZERO);
            (old != new).then(|| command(own.clone(), old, new))
        });
        each.collect()
    }
}

/// Fetches what differs; what could not be taken, if anything.
async fn take(
    app: &App, to: &Pushing, (origin, only): (&Origin, Option<&RefName>), remote: &Remote,
) -> Told<Option<String>> {
    let id = to.repository_id;
    let here = app.read(move |tx| Here::read(tx, id)).await?;
    let seat = app.kept::<Git>().seat().await?;
    let upstream = Upstream::open(app, remote, (id, &here.refs), origin.numbered).await?;
    let there = match upstream.refs().await? {
        Ok(there) => there,
        Err(text) => return Ok(Err(text)),
    };
    let wanted = match only {
        None => Wanted::of(&here.refs, &there, &here.repository.kind, origin.numbered),
        Some(own) => Wanted::first(head(origin, &upstream, &there).await?, own, &there),
    };
    if wanted.names.is_empty() {
        return Ok(Ok(left(&wanted.refused, &[])));
    }
    if only.is_none() && !here.has_branches() {
        begin_with(app, id, head(origin, &upstream, &there).await?).await?;
    }
    let names: Vec<RefName> = wanted.names.keys().cloned().collect();
    let fetched = match upstream.fetch(&names).await? {
        Ok(fetched) => fetched,
        Err(text) => return Ok(Err(text)),
    };
    // The next takes one of its own.
    drop(seat);
    let commands = wanted.commands(&here.refs, &fetched);
    if commands.is_empty() {
        return Ok(Ok(left(&wanted.refused, &[])));
    }
    let names = commands.iter().filter_map(|one| one.name.clone()).collect();
    let received = upstream.gather(to, commands, &here.refs).await?;
    let settled = settled(app, to, &received, names).await?;
    Ok(settled.map(|kept| left(&wanted.refused, &kept)))
}

/// The branch that HEAD is to stand for: as it is there.
async fn head(origin: &Origin, upstream: &Upstream<'_>, there: &Refs) -> Result<Option<RefName>> {
    let told = origin.head.as_deref().and_then(|name| RefName::branch(name).ok());
    match told.filter(|name| there.contains_key(name)) {
        Some(head) => Ok(Some(head)),
        None => Ok(upstream.head().await?.filter(|name| there.contains_key(name))),
    }
}

async fn begin_with(app: &App, repository: i64, head: Option<RefName>) -> Result<()> {
    match head {
        Some(head) => app.write(move |tx| store::set_head(tx, repository, &head)).await,
        None => Ok(()),
    }
}

/// What could not be taken, in words.
fn left(refused: &[RefName], kept: &[(RefName, String)]) -> Option<String> {
    let mut sentences = Vec::new();
    if !refused.is_empty() {
        let names = list(refused.iter().map(RefName::to_string));
        sentences.push(format!("Some refs have names that are not taken here: {names}"));
    }
    if !kept.is_empty() {
        let names = list(kept.iter().map(|(name, why)| format!("{name} ({why})")));
        sentences.push(format!("Some refs could not be updated: {names}"));
    }
    (!sentences.is_empty()).then(|| sentences.join(". "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: Numbered = &[("refs/pull/*/head", "refs/merge-requests/*/head")];

    fn refs(all: &[(&str, &str)]) -> Refs {
        let one = |(name, digit): &(&str, &str)| {
            let (name, id): (RefName, ObjectId) =
                (name.parse().expect("a name"), digit.repeat(40).parse().expect("an object"));
            (name, id)
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn all_that_differs_comes_under_its_name_here() {
        let here = refs(&[
            ("refs/heads/a", "1"),
            ("refs/heads/own", "3"),
            ("refs/merge-requests/1/head", "5"),
        ]);
        let odd = format!("refs/heads/{}", "a".repeat(40));
        let there = refs(&[
            ("refs/heads/a", "2"),
            ("refs/tags/v1", "4"),
            ("refs/pull/1/head", "5"),
            ("refs/pull/2/head", "6"),
            ("refs/pull/2/merge", "7"),
            ("refs/notes/commits", "7"),
            (&odd, "7"),
        ]);
        let wanted = Wanted::of(&here, &there, "project", HEADS);
        let names: Vec<(&str, &str)> =
            wanted.names.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        let expected = [
            ("refs/heads/a", "refs/heads/a"),
            ("refs/pull/2/head", "refs/merge-requests/2/head"),
            ("refs/tags/v1", "refs/tags/v1"),
        ];
        assert_eq!(names, expected);
        assert_eq!(wanted.refused.iter().map(RefName::as_str).collect::<Vec<_>>(), [odd.as_str()]);
        let commands = wanted.commands(&here, &there);
        assert_eq!(commands.len(), 3);
        assert!(!commands[0].old.is_zero() && commands[1].old.is_zero());
    }

    #[test]
    fn a_repository_with_one_branch_takes_the_first() {
        let own: RefName = "refs/heads/main".parse().expect("a name");
        let first = |head: Option<&str>, all: &[(&str, &str)]| {
            let head = head.map(|name| name.parse().expect("a name"));
            let wanted = Wanted::first(head, &own, &refs(all));
            wanted.names.into_iter().map(|(there, here)| format!("{there} {here}")).next()
        };
        let two = [("refs/heads/a", "1"), ("refs/heads/b", "2")];
        let named = first(Some("refs/heads/b"), &two);
        assert_eq!(named.as_deref(), Some("refs/heads/b refs/heads/main"));
        assert_eq!(first(None, &two), None);
        let alone = first(None, &[("refs/heads/master", "1"), ("refs/tags/v1", "2")]);
        assert_eq!(alone.as_deref(), Some("refs/heads/master refs/heads/main"));
    }

    #[test]
    fn a_name_in_an_address_does_not_count_and_a_password_is_refused() {
        let at = |url: &str| {
            let origin = Origin {
                url: url.into(),
                credentials: None,
                head: None,
                numbered: &[],
            };
            origin.address().map(String::from)
        };
        let plain = Ok("https://host.example/a.git".to_owned());
        assert_eq!(at("https://ada@host.example/a.git"), plain);
        assert!(at("https://ada:secret@host.example/a.git").is_err());
        assert!(at("no address").is_err() && at("file:///srv/a.git").is_err());
    }

    #[test]
    fn what_could_not_be_taken_is_told() {
        assert_eq!(left(&[], &[]), None);
        let name: RefName = "refs/heads/a".parse().expect("a name");
        let told = left(std::slice::from_ref(&name), &[(name.clone(), "why".into())]);
        let told = told.expect("a text");
        assert!(told.contains("not taken here: refs/heads/a. ") && told.contains("(why)"));
    }
}
