//! Why keys cannot be used, and why an answer is refused.

use webauthn_rs::prelude::WebauthnError;

/// Why an address can have no keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The address has a number where keys need a name.
    #[error("security keys need an external address with a host name")]
    NoName,
    /// Browsers offer keys over TLS only.
    #[error("security keys need an external address with https")]
    NotSecure,
}

/// Why an answer is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no answer at all, or not to this kind of ceremony.
    #[error("the security key's answer cannot be read")]
    Malformed,
    /// It was made on another page than ours.
    #[error("the security key answered another site")]
    Origin,
    /// It answers another challenge than the one that was kept.
    #[error("the security key answered another question")]
    Challenge,
    /// It is of a key that was not asked for.
    #[error("the security key is not one of this account")]
    UnknownKey,
    /// It is of a key that was told to decline.
    #[error("the security key is already one of this account")]
    AlreadyKnown,
    /// Its algorithm or form is not one that we know.
    #[error("this kind of security key is not supported")]
    Unsupported,
    /// Nobody touched the key.
    #[error("the security key was not touched")]
    NotVerified,
    /// The signature does not fit.
    #[error("the security key's signature is wrong")]
    Signature,
    /// It counts lower than before: there may be a copy of it (section 6.1.1).
    #[error("the security key counted backwards: there may be a copy of it")]
    Cloned,
}

impl From<WebauthnError> for Refusal {
    fn from(error: WebauthnError) -> Refusal {
        use WebauthnError as E;
        // The exact reason helps whoever runs the instance, not the one who asks.
        tracing::debug!(%error, "a security key's answer is refused");
        match error {
            E::InvalidRPOrigin | E::InvalidRPIDHash | E::CredentialCrossOrigin => Refusal::Origin,
            E::MismatchedChallenge => Refusal::Challenge,
            E::CredentialNotFound => Refusal::UnknownKey,
            E::CredentialExcludedFromRequest | E::CredentialAlreadyExists => Refusal::AlreadyKnown,
            E::UserNotPresent | E::UserNotVerified => Refusal::NotVerified,
            E::CredentialPossibleCompromise => Refusal::Cloned,
            E::AuthenticationFailure | E::SignatureInvalid => Refusal::Signature,
            E::CredentialAlteredAlgFromRequest
            | E::AttestationNotSupported
            | E::COSEKeyInvalidType
            | E::COSEKeyEDUnsupported
            | E::COSEKeyECDSAInvalidCurve
            | E::COSEKeyEDDSAInvalidCurve
            | E::COSEKeyInvalidAlgorithm
            | E::CredentialInsecureCryptography => Refusal::Unsupported,
            _ => Refusal::Malformed,
        }
    }
}
