//! What refs there are, in the words of git's protocols. What is told of a state of a
//! repository is kept for who asks next.

use super::Version;
use crate::access::{Found, Service};
use crate::formats::object_id::ObjectId;
use crate::formats::packet;
use crate::formats::ref_name::RefName;
use crate::formats::requests::ListRefs;
use crate::hidden::HiddenRequests;
use crate::model::{Ref, Repository};
use crate::store::refs as rows;
use bytes::Bytes;
use kernel::app::App;
use kernel::error::Result;
use moka::sync::Cache;

/// Bytes of answers that are kept.
const KEPT: u64 = 32 * 1024 * 1024;

const FETCHES: &str = "multi_ack thin-pack side-band side-band-64k ofs-delta shallow \
     deepen-since deepen-not deepen-relative no-progress include-tag multi_ack_detailed \
     allow-tip-sha1-in-want allow-reachable-sha1-in-want no-done filter";
const PUSHES: &str =
    "report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options";

/// What is asked of the refs of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Asked {
    All(Service),
    Some(ListRefs),
}

/// A repository, its generation, what is hidden of it, and what is asked.
type Known = (i64, i64, HiddenRequests, Asked);

/// Answers that are known.
pub struct Answers(Cache<Known, Bytes>);

impl Default for Answers {
    fn default() -> Answers {
        let weight = |known: &Known, bytes: &Bytes| {
            let numbers = known.2.count() * size_of::<i64>();
            (bytes.len() + numbers) as u32 + 256
        };
        Answers(Cache::builder().max_capacity(KEPT).weigher(weight).build())
    }
}

/// What a client is told first.
pub async fn advertise(
    app: &App, found: &Found, service: Service, version: Version,
) -> Result<Bytes> {
    if service == Service::Fetch && version == Version::Two {
        return Ok(capabilities(app).into());
    }
    let mut out = Vec::new();
    if version == Version::One {
        packet::put(&mut out, &[b"version 1\n"]);
    }
    out.extend_from_slice(&all(app, found, service).await?);
    Ok(out.into())
}

/// What stands before that over HTTP, but in version 2.
pub fn heading(service: Service) -> Vec<u8> {
    let mut out = Vec::new();
    packet::put(&mut out, &[b"# service=", service.name().as_bytes(), b"\n"]);
    out.extend_from_slice(packet::FLUSH);
    out
}

/// What we do in version 2.
fn capabilities(app: &App) -> Vec<u8> {
    let mut out = Vec::new();
    let agent = agent(app);
    for line in [
        "version 2",
        &agent,
        "ls-refs=unborn",
        "fetch=shallow wait-for-done filter",
        "server-option",
        "object-format=sha1",
    ] {
        packet::put(&mut out, &[line.as_bytes(), b"\n"]);
    }
    out.extend_from_slice(packet::FLUSH);
    out
}

fn agent(app: &App) -> String {
    format!("agent=git/tenon-{}", app.config().version)
}

/// All refs, in the words of versions 0 and 1.
async fn all(app: &App, found: &Found, service: Service) -> Result<Bytes> {
    let words = match service {
        Service::Fetch => {
            format!("{FETCHES} symref=HEAD:{} object-format=sha1 {}", found.head(), agent(app))
        }
        Service::Push => format!("{PUSHES} object-format=sha1 {}", agent(app)),
    };
    let Some(repository) = &found.repository else {
        return Ok(told_all(&[], None, &words, service).into());
    };
    kept(app, (repository, &found.hidden), Asked::All(service), |refs, repository| {
        let head = refs.iter().find(|one| one.name == repository.head);
        let head = head.map(|one| one.object_id);
        told_all(refs, head, &words, service)
    })
    .await
}

fn told_all(refs: &[Ref], head: Option<ObjectId>, words: &str, service: Service) -> Vec<u8> {
    let (mut out, mut words) = (Vec::new(), Some(words));
    let mut tell = |id: ObjectId, name: &str| {
        let line = match words.take() {
            Some(words) => format!("{id} {name}\0{words}\n"),
            None => format!("{id} {name}\n"),
        };
        packet::put(&mut out, &[line.as_bytes()]);
    };
    if let Some(head) = head.filter(|_| service == Service::Fetch) {
        tell(head, "HEAD");
    }
    for one in refs {
        tell(one.object_id, one.name.as_str());
        if let Some(peeled) = one.peeled_id.filter(|_| service == Service::Fetch) {
            tell(peeled, &format!("{}^{{}}", one.name));
        }
    }
    if refs.is_empty() {
        tell(ObjectId::ZERO, "capabilities^{}");
    }
    out.extend_from_slice(packet::FLUSH);
    out
}

/// The refs that a client asks for in version 2.
pub async fn list(app: &App, found: &Found, asked: ListRefs) -> Result<Bytes> {
    let Some(repository) = &found.repository else {
        let mut out = Vec::new();
        tell_head(&mut out, &asked, &found.head(), None);
        out.extend_from_slice(packet::FLUSH);
        return Ok(out.into());
    };
    let wanted = asked.clone();
    kept(app, (repository, &found.hidden), Asked::Some(asked), move |refs, repository| {
        let mut out = Vec::new();
        let head = refs.iter().find(|one| one.name == repository.head);
        tell_head(&mut out, &wanted, &repository.head, head.map(|one| one.object_id));
        let told = refs.iter().filter(|one| wanted.wants(one.name.as_str()));
        told.for_each(|one| tell_one(&mut out, &wanted, one));
        out.extend_from_slice(packet::FLUSH);
        out
    })
    .await
}

fn tell_head(out: &mut Vec<u8>, asked: &ListRefs, head: &RefName, id: Option<ObjectId>) {
    let id = match id {
        Some(id) => id.to_string(),
        None if asked.unborn => "unborn".to_owned(),
        None => return,
    };
    if !asked.wants("HEAD") {
        return;
    }
    let symbolic = match asked.symbolic {
        true => format!(" symref-target:{head}"),
        false => String::new(),
    };
    packet::put(out, &[format!("{id} HEAD{symbolic}\n").as_bytes()]);
}

fn tell_one(out: &mut Vec<u8>, asked: &ListRefs, one: &Ref) {
    let peeled = match one.peeled_id.filter(|_| asked.peeled) {
        Some(id) => format!(" peeled:{id}"),
        None => String::new(),
    };
    packet::put(out, &[format!("{} {}{peeled}\n", one.object_id, one.name).as_bytes()]);
}

/// The answer as it was told to somebody of this state of the repository from whom as much
/// was hidden, or as it is told now.
async fn kept(
    app: &App, (repository, hidden): (&Repository, &HiddenRequests), asked: Asked,
    tell: impl FnOnce(&[Ref], &Repository) -> Vec<u8>,
) -> Result<Bytes> {
    let answers = app.kept::<Answers>();
    let key = (repository.id, repository.generation, hidden.clone(), asked);
    if let Some(known) = answers.0.get(&key) {
        return Ok(known);
    }
    let id = repository.id;
    let prefixes = prefixes(&key.3, repository);
    let (now, refs) = app
        .read(move |tx| {
            let now = crate::store::by_id(tx, id)?;
            let refs = match &prefixes {
                Some(prefixes) => rows::beginning(tx, id, prefixes)?,
                None => rows::all(tx, id)?,
            };
            Ok((now, refs))
        })
        .await?;
    let is_shown = |one: &Ref| !one.name.is_hidden() && !hidden.hides(&one.name);
    let shown: Vec<Ref> = refs.into_iter().filter(is_shown).collect();
    let now = now.unwrap_or_else(|| repository.clone());
    let told = Bytes::from(tell(&shown, &now));
    answers.0.insert((id, now.generation, key.2, key.3), told.clone());
    Ok(told)
}

/// Which refs have to be read: those asked for, and what HEAD stands for.
fn prefixes(asked: &Asked, repository: &Repository) -> Option<Vec<String>> {
    match asked {
        Asked::Some(list) if !list.prefixes.is_empty() => {
            let mut prefixes = list.prefixes.clone();
            prefixes.push(repository.head.to_string());
            Some(prefixes)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refs() -> Vec<Ref> {
        let one = |name: &str, digit: &str, peeled: Option<&str>| Ref {
            name: name.parse().expect("a good name"),
            object_id: digit.repeat(40).parse().expect("an object"),
            peeled_id: peeled.map(|digit| digit.repeat(40).parse().expect("an object")),
        };
        vec![one("refs/heads/main", "a", None), one("refs/tags/v1", "b", Some("a"))]
    }

    fn lines(message: Vec<u8>) -> Vec<String> {
        let packets = packet::all(Bytes::from(message)).expect("good packets");
        let text = |packet: &packet::Packet| match packet.text() {
            Some(text) => String::from_utf8_lossy(text).replace(&"a".repeat(40), "A"),
            None => "-".to_owned(),
        };
        packets.iter().map(text).collect()
    }

    #[test]
    fn all_refs_are_told_with_what_we_can() {
        let refs = refs();
        let told = lines(told_all(&refs, Some(refs[0].object_id), "words", Service::Fetch));
        let b = "b".repeat(40);
        let wanted = [
            "A HEAD\0words".to_owned(),
            "A refs/heads/main".to_owned(),
            format!("{b} refs/tags/v1"),
            "A refs/tags/v1^{}".to_owned(),
            "-".to_owned(),
        ];
        assert_eq!(told, wanted);
        let pushed = lines(told_all(&refs, Some(refs[0].object_id), "words", Service::Push));
        assert_eq!(pushed, ["A refs/heads/main\0words", &format!("{b} refs/tags/v1"), "-"]);
        let none = lines(told_all(&[], None, "words", Service::Push));
        assert_eq!(none, [format!("{} capabilities^{{}}\0words", ObjectId::ZERO), "-".into()]);
    }
}
