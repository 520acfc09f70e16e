//! The key that this instance signs commits with that are made on its pages and by REST,
//! if its administrators want that. It is made once, stored sealed, and shared by all
//! servers.

use crate::store::signing_keys as rows;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::secrets::random_bytes;
use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::{Ed25519Keypair, KeypairData};
use russh::keys::{HashAlg, PrivateKey};
use std::sync::{Arc, OnceLock};

/// For what git has things signed.
const NAMESPACE: &str = "git";
/// What the sealed key is bound to.
const CONTEXT: &str = "instance_signing_keys.sealed";

kernel::setting! {
    /// Whether this instance signs.
    #[derive(Copy)]
    pub struct WebSigning = "repositories.signing" {
        /// Commits made on pages and by REST are signed by this server.
        pub web_based_commit_signing_enabled: bool = false,
    }
}

identity::settings_part! {
    WebSigning {
        /// Whether commits made on pages and by REST are signed by this server.
        web_based_commit_signing_enabled: bool => web_based_commit_signing_enabled,
    } sealed {}
}

impl WebSigning {
    fn validate(self) -> Result<()> {
        Ok(())
    }
}

/// Signs as this instance.
#[derive(Debug, Clone)]
pub struct Signer(Arc<PrivateKey>);

/// The one of this server, once it was asked for.
#[derive(Default)]
struct Kept(OnceLock<Signer>);

impl Signer {
    /// The signature over what a commit says.
    pub fn sign(&self, payload: &[u8]) -> Result<String> {
        let signature = self.0.sign(NAMESPACE, HashAlg::Sha512, payload);
        let signature = signature.map_err(Error::internal)?;
        signature.to_pem(LineEnding::LF).map_err(Error::internal)
    }

    fn open(app: &App, sealed: &str) -> Result<Signer> {
        let bytes = app.secrets().unseal(CONTEXT, sealed)?;
        Ok(Signer(Arc::new(PrivateKey::from_bytes(&bytes).map_err(Error::internal)?)))
    }
}

/// Who signs what is made here; none unless administrators want it.
pub async fn signer(app: &App) -> Result<Option<Signer>> {
    let settings: WebSigning = app.settings().get(app).await?;
    if !settings.web_based_commit_signing_enabled {
        return Ok(None);
    }
    let kept = app.kept::<Kept>();
    if let Some(signer) = kept.0.get() {
        return Ok(Some(signer.clone()));
    }
    let sealed = match app.read(rows::sealed).await? {
        Some(sealed) => sealed,
        None => make(app).await?,
    };
    let signer = Signer::open(app, &sealed)?;
    Ok(Some(kept.0.get_or_init(|| signer).clone()))
}

/// Makes the key, unless another server was faster.
async fn make(app: &App) -> Result<String> {
    let pair = KeypairData::Ed25519(Ed25519Keypair::from_seed(&random_bytes()));
    let key = PrivateKey::new(pair, "tenon").map_err(Error::internal)?;
    let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
    let fingerprint = fingerprint.trim_start_matches("SHA256:").to_owned();
    let bytes = key.to_bytes().map_err(Error::internal)?;
    let made = app.secrets().seal(CONTEXT, &bytes);
    app.write(move |tx| {
        rows::insert(tx, &fingerprint, &made)?;
        rows::sealed(tx)?.ok_or_else(|| Error::internal("the key for signing was not stored"))
    })
    .await
}
