//! Pictures of users: small, of four formats, kept as rows.

use super::record;
use crate::author::Author;
use crate::model::User;
pub use crate::store::avatars::avatar;
use kernel::app::App;
use kernel::error::{Error, Result};
use serde_json::json;
use store::Tx;

/// Largest picture, in bytes.
pub const MAX_AVATAR: usize = 200 * 1024;

/// A picture that follows the rules.
#[derive(Debug, Clone)]
pub struct Avatar {
    /// Name of its address: another one for each picture.
    pub key: String,
    /// What it is by its first bytes, whatever it was called.
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

impl Avatar {
    pub fn new(bytes: &[u8]) -> Result<Avatar> {
        if bytes.len() > MAX_AVATAR {
            let text = "is too big (should be at most 200 KiB)";
            return Err(Error::invalid("avatar", text));
        }
        let (media_type, ending) = format(bytes).ok_or_else(|| {
            let text = "file format is not supported. Please try one of the following supported \
                        formats: image/png, image/jpeg, image/gif, image/webp";
            Error::invalid("avatar", text)
        })?;
        let random = hex::encode(kernel::secrets::random_bytes::<16>());
        Ok(Avatar {
            key: format!("{random}.{ending}"),
            media_type,
            bytes: bytes.to_vec(),
        })
    }
}

/// Media type and ending, by magic numbers. SVG is none of them: it can hold
/// script.
fn format(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(("image/png", "png")),
        [0xff, 0xd8, 0xff, ..] => Some(("image/jpeg", "jpg")),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(("image/gif", "gif")),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            Some(("image/webp", "webp"))
        }
        _ => None,
    }
}

/// Where a user's picture is.
pub fn avatar_url(app: &App, user: &User) -> Option<String> {
    let key = user.avatar_key.as_ref()?;
    Some(app.url(&format!("{AVATARS}/{}/{key}", user.id)))
}

pub const AVATARS: &str = "/uploads/-/system/user/avatar";

/// Gives a user a picture, or takes it away.
pub fn set_avatar(tx: &mut Tx<'_>, by: &Author, user: &User, new: Option<&Avatar>) -> Result<User> {
    let now = tx.now();
    match new {
        Some(avatar) => crate::store::avatars::set(tx, user.id, avatar.media_type, &avatar.bytes)?,
        None => crate::store::avatars::delete(tx, user.id)?,
    };
    let after: User =
        crate::store::avatars::set_key(tx, user.id, new.map(|avatar| avatar.key.as_str()), now)?;
    record(tx, by, "user.update", &after, json!({"changed": ["avatar"]}))?;
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_first_bytes() {
        for (bytes, media_type) in [
            (&b"\x89PNG\r\n\x1a\nrest"[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0rest", Some("image/jpeg")),
            (b"GIF89arest", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPrest", Some("image/webp")),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
            (b"<html>", None),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"", None),
        ] {
            let known = Avatar::new(bytes).ok().map(|avatar| avatar.media_type);
            assert_eq!(known, media_type);
        }
        let mut large = b"GIF89a".to_vec();
        large.resize(MAX_AVATAR, 0);
        assert!(Avatar::new(&large).is_ok());
        large.push(0);
        assert!(Avatar::new(&large).is_err());
    }
}
