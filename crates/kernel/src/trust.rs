//! Whose certificates are believed when this server calls another one: those of the
//! usual authorities, and of the operator's own, which a file names. One answer for
//! mail servers, mailboxes and calls over HTTP.

use crate::error::{Error, Result};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use std::error::Error as Cause;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a file of certificates: more than any system's own.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Authorities that are believed. Cheap enough to clone at start.
#[derive(Clone, Default)]
pub struct Trust {
    own: Vec<CertificateDer<'static>>,
}

impl std::fmt::Debug for Trust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trust").field("own", &self.own.len()).finish()
    }
}

impl Trust {
    /// The usual authorities and those of a file, in PEM.
    pub fn with_file(path: &Path) -> Result<Trust> {
        let unusable = |why: &str| Error::internal(format!("{}: {why}", path.display()));
        let size = std::fs::metadata(path).map_err(|error| unusable(&error.to_string()))?.len();
        if size > LARGEST {
            return Err(unusable("it is too large for a file of certificates"));
        }
        let text = std::fs::read(path).map_err(|error| unusable(&error.to_string()))?;
        let own: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let own = own.map_err(|_| unusable("it is no PEM"))?;
        if own.is_empty() {
            return Err(unusable("it has no certificate in PEM"));
        }
        let trust = Trust { own };
        trust.roots().map_err(|_| unusable("a certificate in it cannot be read"))?;
        Ok(trust)
    }

    /// The operator's own.
    pub fn own(&self) -> &[CertificateDer<'static>] {
        &self.own
    }

    fn roots(&self) -> std::result::Result<RootCertStore, rustls::Error> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for own in &self.own {
            roots.add(own.clone())?;
        }
        Ok(roots)
    }

    /// How a client speaks TLS.
    pub fn tls(&self) -> Result<ClientConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(Error::internal)?;
        let roots = self.roots().map_err(Error::internal)?;
        Ok(config.with_root_certificates(roots).with_no_client_auth())
    }
}

/// What is wrong with the certificate that a call failed over, in plain words; none
/// where it failed over something else.
pub fn refusal(error: &(dyn Cause + 'static)) -> Option<&'static str> {
    if let Some(rustls::Error::InvalidCertificate(why)) = error.downcast_ref() {
        return Some(words(why));
    }
    // What an error of input and output holds is no source of it.
    let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match held {
        Some(held) => refusal(held),
        None => error.source().and_then(refusal),
    }
}

fn words(why: &CertificateError) -> &'static str {
    use CertificateError::*;
    match why {
        UnknownIssuer | BadSignature => {
            "its certificate is of no authority that is known here; if it is one of your own, \
             name it in ca_file"
        }
        NotValidForName | NotValidForNameContext { .. } => "its certificate is for another name",
        Expired | ExpiredContext { .. } => "its certificate has run out",
        NotValidYet | NotValidYetContext { .. } => "its certificate is not good yet",
        _ => "its certificate is not accepted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_files_are_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.pem");
        let said = |text: &str| {
            std::fs::write(&path, text).unwrap();
            match Trust::with_file(&path) {
                Err(Error::Internal(cause)) => cause.to_string(),
                other => panic!("{other:?}"),
            }
        };
        assert!(said("").ends_with("own.pem: it has no certificate in PEM"));
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(said(broken).ends_with("a certificate in it cannot be read"));
        assert!(Trust::with_file(&folder.path().join("none.pem")).is_err());
    }

    #[test]
    fn what_is_wrong_with_a_certificate_is_told_in_words() {
        let wrapped = |why| {
            let inner = rustls::Error::InvalidCertificate(why);
            io::Error::other(io::Error::new(io::ErrorKind::InvalidData, inner))
        };
        let unknown = refusal(&wrapped(CertificateError::UnknownIssuer));
        assert!(unknown.is_some_and(|said| said.contains("ca_file")));
        let named = refusal(&wrapped(CertificateError::NotValidForName));
        assert_eq!(named, Some("its certificate is for another name"));
        assert_eq!(refusal(&io::Error::other("away")), None);
    }
}
