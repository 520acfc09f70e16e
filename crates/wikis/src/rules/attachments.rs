//! Files beside pages: they are kept in the same repository.

use super::refusal;
use crate::access::Wiki;
use crate::model::UPLOADS;
use bytes::BytesMut;
use futures_util::StreamExt;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Part, Parts};
use kernel::secrets::random_bytes;
use repositories::edits::{self, Action, ActionKind, EditRequest};
use spaces::uploads::limits::UploadLimits;
use spaces::uploads::model::safe_name;

/// Most bytes of a file, whatever the instance takes elsewhere: it is written at once.
const LARGEST: u64 = 32 * 1024 * 1024;
/// Most parts of a form, and letters of the name of a branch.
const MAX_PARTS: usize = 10;
const BRANCH: usize = 1024;

/// A file that was sent, with the branch it shall go to.
pub struct Sent {
    name: String,
    content: bytes::Bytes,
    branch: Option<String>,
}

/// A file that was kept.
#[derive(Debug, Clone)]
pub struct Attachment {
    pub name: String,
    pub path: String,
    pub branch: String,
}

impl Attachment {
    /// What shows it in a page, or leads to it.
    pub fn markdown(&self) -> String {
        let stem = self.name.rsplit_once('.').map(|(stem, _)| stem);
        let (sign, alt) = match kernel::media::is_embedded(&self.name) {
            true => ("!", stem.filter(|stem| !stem.is_empty()).unwrap_or(&self.name)),
            false => ("", self.name.as_str()),
        };
        format!("{sign}[{}]({})", alt.replace(']', "\\]"), self.path)
    }
}

/// Receives the `file` of a form, and what it says of a `branch`.
pub async fn receive(app: &App, mut parts: Parts) -> Result<Sent> {
    let limits: UploadLimits = app.settings().get(app).await?;
    let most = limits.bytes().min(LARGEST);
    let (mut file, mut branch) = (None, None);
    for _ in 0..MAX_PARTS {
        let Some(part) = parts.next().await? else { break };
        match part.name() {
            "branch" => branch = Some(part.beginning(BRANCH, BRANCH).await?.0),
            "file" if file.is_none() => file = Some(read(part, most).await?),
            _ => drop(part.beginning(0, BRANCH).await?),
        }
    }
    let (name, content) = file.ok_or_else(|| Error::missing("file"))?;
    Ok(Sent {
        name,
        content,
        branch: branch.filter(|name| !name.is_empty()),
    })
}

async fn read(part: Part, most: u64) -> Result<(String, bytes::Bytes)> {
    let wrong = || Error::Parameters(vec!["file is invalid".into()]);
    let name = safe_name(part.file_name().ok_or_else(wrong)?);
    let (mut body, mut content) = (part.bytes(), BytesMut::new());
    while let Some(bytes) = body.next().await {
        let bytes = bytes?;
        if (content.len() + bytes.len()) as u64 > most {
            return Err(Error::TooLarge);
        }
        kernel::http::bodies::hold(bytes.len(), false)?;
        content.extend_from_slice(&bytes);
    }
    Ok((name, content.freeze()))
}

/// Keeps a file in a wiki.
pub async fn attach(app: &App, viewer: &Viewer, wiki: &Wiki, sent: Sent) -> Result<Attachment> {
    let secret = hex::encode(random_bytes::<16>());
    let kept = Attachment {
        path: format!("{UPLOADS}/{secret}/{}", sent.name),
        branch: sent.branch.unwrap_or_else(|| wiki.branch()),
        name: sent.name,
    };
    let action = Action {
        content: Some(sent.content),
        ..Action::new(ActionKind::Create, kept.path.as_str())
    };
    let message = format!("Upload attachment {}", kept.name);
    let request = EditRequest::new(&kept.branch, &message, vec![action]);
    let made = edits::commit_to(app, viewer, &wiki.place(), request).await?;
    made.map(|_| kept).map_err(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_shown_and_other_files_led_to() {
        let shown = |name: &str| {
            let path = format!("uploads/0/{name}");
            Attachment { name: name.into(), path, branch: String::new() }.markdown()
        };
        assert_eq!(shown("dk.png"), "![dk](uploads/0/dk.png)");
        assert_eq!(shown("a.txt"), "[a.txt](uploads/0/a.txt)");
    }
}
