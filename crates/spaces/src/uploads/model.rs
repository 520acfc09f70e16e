//! What an upload is called, and how texts show it.

use crate::model::SourceKind;
use ::store::FromRow;
use kernel::time::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Longest name of a file, in characters.
const MAX_NAME: usize = 200;
/// Hexadecimal digits of a secret.
const SECRET: usize = 32;
/// Characters of an address that stay as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

#[derive(Debug, Clone, FromRow)]
pub struct Upload {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub secret: String,
    pub name: String,
    pub size: i64,
    pub blob_key: String,
    pub uploaded_by_id: Option<i64>,
    pub created_at: Timestamp,
}

impl Upload {
    /// Its address as texts write it: the same wherever their project moves.
    pub fn url(&self) -> String {
        format!("/uploads/{}/{}", self.secret, utf8_percent_encode(&self.name, PLAIN))
    }

    /// Its address below that of the instance.
    pub fn full_path(&self) -> String {
        let (kind, id) = match (self.project_id, self.group_id) {
            (Some(id), _) => (SourceKind::Project, id),
            (None, id) => (SourceKind::Group, id.unwrap_or_default()),
        };
        format!("{}{}", super::address("", kind, id), self.url())
    }

    /// What it is called in a text: a picture without its ending.
    pub fn alt(&self) -> &str {
        let stem = self.name.rsplit_once('.').map(|(stem, _)| stem);
        match kernel::media::is_embedded(&self.name) {
            true => stem.filter(|stem| !stem.is_empty()).unwrap_or(&self.name),
            false => &self.name,
        }
    }

    /// What shows it in a text, or leads to it.
    pub fn markdown(&self) -> String {
        let shown = if kernel::media::is_embedded(&self.name) {
            "!"
        } else {
            ""
        };
        format!("{shown}[{}]({})", self.alt().replace(']', "\\]"), self.url())
    }

    /// Digest of its bytes, which its blob is called by.
    pub fn sha256(&self) -> String {
        self.blob_key.trim_start_matches("sha256/").replace('/', "")
    }
}

/// The name that a file is kept by: the last part of what was sent, of letters,
/// digits, `_`, `-` and `.` only.
pub fn safe_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = |c: char| {
        if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') {
            c
        } else {
            '_'
        }
    };
    let name: String = last.chars().map(kept).collect();
    let name = match name.trim_matches('.').is_empty() {
        true => "file".to_owned(),
        false => name,
    };
    let length = name.chars().count();
    if length <= MAX_NAME {
        return name;
    }
    // The beginning and the end, which has the ending.
    let ending = name.char_indices().rev().nth(19).map_or(0, |(at, _)| at);
    let begin: String = name.chars().take(MAX_NAME - 20).collect();
    format!("{begin}{}", &name[ending..])
}

/// Whether a part of an address can be the secret of an upload.
pub fn is_secret(text: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    text.len() == SECRET && text.bytes().all(is_hex)
}

/// The secrets of the uploads that a text shows or leads to.
pub fn secrets(text: &str) -> Vec<String> {
    let found = text.match_indices("/uploads/").filter_map(|(at, sign)| {
        let secret = text.get(at + sign.len()..at + sign.len() + SECRET)?;
        is_secret(secret).then(|| secret.to_owned())
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_harmless() {
        for (sent, kept) in [
            ("a.png", "a.png"),
            ("a b(1).png", "a_b_1_.png"),
            ("a/../b.svg", "b.svg"),
            ("..\\..\\b.svg", "b.svg"),
            ("../..", "file"),
            ("", "file"),
            ("...", "file"),
            ("x\r\nset-cookie: a", "x__set-cookie__a"),
            ("Größe.jpg", "Größe.jpg"),
            ("a\u{202e}gnp.exe", "a_gnp.exe"),
            ("[x](y).md", "_x__y_.md"),
        ] {
            assert_eq!(safe_name(sent), kept, "{sent:?}");
        }
        let long = safe_name(&format!("{}.tar.gz", "ä".repeat(500)));
        assert_eq!((long.chars().count(), long.ends_with(".tar.gz")), (MAX_NAME, true));
    }

    #[test]
    fn texts_name_uploads_by_their_secrets() {
        let secret = "0123456789abcdef0123456789abcdef";
        let text = format!("![a](/uploads/{secret}/a.png) /uploads/{} /uploads/é", &secret[1..]);
        assert_eq!(secrets(&text), [secret]);
        assert_eq!(secrets("/uploads/"), Vec::<String>::new());
    }
}
