//! A mark that says whether a signature proves anything; opened, it says why.

use crate::checking::{KeyUsed, Verified};
use crate::model::SignatureType;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::ui;

/// The mark of a signed commit or tag.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/signature.html")]
pub struct SignatureBadge {
    is_verified: bool,
    sentence: &'static str,
    /// Whose key it is, and the address of their page.
    person: Option<(String, String)>,
    /// What the name of the key is called, and the name.
    key: Option<(&'static str, String)>,
}

impl HtmlSafe for SignatureBadge {}

impl SignatureBadge {
    pub fn of(verified: &Verified) -> SignatureBadge {
        let kind = match verified.kind {
            SignatureType::Ssh => "SSH key",
            _ => "GPG key",
        };
        let named = match &verified.key {
            Some(KeyUsed::Gpg(used)) => Some(used.primary_keyid()),
            _ => verified.keyid.clone(),
        };
        let user = verified.user.as_ref();
        SignatureBadge {
            is_verified: verified.status.is_verified(),
            sentence: verified.status.sentence(),
            person: user.map(|user| (user.name.clone(), format!("/{}", user.username))),
            key: named.map(|name| (kind, name)),
        }
    }

    fn tone(&self) -> (&'static str, &'static str) {
        match self.is_verified {
            true => ("Verified", "good"),
            false => ("Unverified", "plain"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VerificationStatus;

    #[test]
    fn a_mark_says_what_it_knows() {
        let mut verified = Verified {
            kind: SignatureType::Ssh,
            status: VerificationStatus::UnknownKey,
            key: None,
            user: None,
            keyid: Some("<b>".into()),
        };
        let html = SignatureBadge::of(&verified).to_string();
        assert!(html.contains("Unverified") && html.contains("SSH key"), "{html}");
        assert!(!html.contains("<b>"), "{html}");
        verified.status = VerificationStatus::Verified;
        let html = SignatureBadge::of(&verified).to_string();
        assert!(html.contains(">Verified<"), "{html}");
    }
}
