//! Fetches: what refs there are is told out of the database ([`refs`]); only for
//! objects git itself runs ([`objects`]), over the copy of this node.

pub mod objects;
pub mod refs;

use crate::access::Found;
use crate::formats::packet;
use crate::formats::requests::{self, BadRequest, Request};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use kernel::app::App;
use kernel::error::{Error, Result};

/// Largest request of a fetch: what is wanted, and what is there already.
pub const MAX_REQUEST: usize = 16 * 1024 * 1024;

/// What a client is sent for a request.
pub enum Answer {
    Whole(Bytes),
    /// Objects, as git has them.
    Stream(BoxStream<'static, Result<Bytes>>),
}

/// The answer to a request that is there whole and stands by itself.
pub async fn answer(app: &App, found: &Found, version: Version, sent: Bytes) -> Result<Answer> {
    if version == Version::Two
        && let Some(list) = list_refs(app, found, &sent).await?
    {
        return Ok(Answer::Whole(list));
    }
    let Some(repository) = &found.repository else {
        let mut out = Vec::new();
        packet::put(&mut out, &[b"ERR this repository is empty\n"]);
        return Ok(Answer::Whole(out.into()));
    };
    let objects = objects::send(app, repository.id, &found.hidden, version, sent).await?;
    Ok(Answer::Stream(objects.boxed()))
}

/// The answer to who asks for refs in version 2.
async fn list_refs(app: &App, found: &Found, sent: &Bytes) -> Result<Option<Bytes>> {
    let wrong = |text: &str| Error::BadRequest(text.to_owned());
    let packets =
        packet::all(sent.clone()).map_err(|_| wrong("the request is not made of packets"))?;
    match requests::read(&packets).map_err(|BadRequest(text)| wrong(text))? {
        Request::ListRefs(asked) => refs::list(app, found, asked).await.map(Some),
        Request::Fetch { .. } => Ok(None),
    }
}

/// The version of git's protocol that a client speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Version {
    #[default]
    Zero,
    One,
    Two,
}

impl Version {
    /// The highest of those that a client names: `version=2:other=1`.
    pub fn of(header: &str) -> Version {
        let named = header.split(':').filter_map(|part| part.strip_prefix("version="));
        let known = named.filter_map(|number| match number {
            "2" => Some(Version::Two),
            "1" => Some(Version::One),
            _ => None,
        });
        let mut best = Version::Zero;
        for version in known {
            if version == Version::Two || best == Version::Zero {
                best = version;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn the_highest_version_counts() {
        for (header, version) in [
            ("", Version::Zero),
            ("version=2", Version::Two),
            ("version=1:version=2", Version::Two),
            ("version=2:version=1", Version::Two),
            ("version=1", Version::One),
            ("version=7:x", Version::Zero),
        ] {
            assert_eq!(Version::of(header), version, "{header}");
        }
    }
}
