//! A form with a file: its texts may stand before the file and behind it.

use super::page::{Form, Sent};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use kernel::error::{Error, Result};
use kernel::http::params::{FromParams, Json, Source, insert};
use kernel::http::{Parts, bodies};

/// Largest file, in bytes; git takes larger ones.
pub const LARGEST: usize = 20 * 1024 * 1024;
/// Largest of the texts beside it, and most of them.
const LARGEST_TEXT: usize = 64 * 1024;
const MOST_TEXTS: usize = 20;

/// Reads the form of somebody who may push. The file is kept in memory, where the commit
/// is made, and counts among what all requests keep.
pub async fn receive(mut parts: Parts) -> Result<Sent> {
    let (mut texts, mut file) = (Source::new(), None);
    for _ in 0..MOST_TEXTS {
        let Some(part) = parts.next().await? else {
            break;
        };
        let name = part.name().to_owned();
        match part.file_name().map(str::to_owned) {
            Some(sent) => {
                let mut bytes = part.bytes();
                let mut all = BytesMut::new();
                while let Some(more) = bytes.next().await {
                    let more = more?;
                    if all.len() + more.len() > LARGEST {
                        return Err(Error::TooLarge);
                    }
                    bodies::hold(more.len(), false)?;
                    all.extend_from_slice(&more);
                }
                // Browsers send an empty one where none was chosen.
                if name == "file" && !sent.is_empty() {
                    file = Some((sent, all.freeze()));
                }
            }
            None => {
                let (text, _) = part.beginning(LARGEST_TEXT, LARGEST_TEXT).await?;
                insert(&mut texts, &name, Json::String(text))?;
            }
        }
    }
    let form = Form::from_params(&texts).map_err(Error::Parameters)?;
    Ok(Sent { form, file })
}

/// The file of a form as it is kept: its name without folders of the sender's.
pub fn file(sent: &Sent) -> Result<(String, Bytes)> {
    let Some((name, bytes)) = &sent.file else {
        return Err(Error::invalid("file", "must be chosen"));
    };
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    Ok((name.to_owned(), bytes.clone()))
}
