//! Passwords of accounts that programs send with every request, as git does. One that
//! was right is not verified anew for a minute: that takes a core for a while, and would
//! count as one more sign-in. Whether the account may act is asked each time.

use crate::model::User;
use crate::sign_in;
use kernel::app::App;
use kernel::error::Result;
use kernel::secrets::{Secret, random_bytes};
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// How long a password that was right is known.
const KNOWN: Duration = Duration::from_secs(60);
/// How many are known at once.
const MOST: u64 = 10_000;

/// The stored hash that a login and password fitted to, by a digest of these that only
/// this process can make.
pub struct RecentPasswords {
    key: [u8; 32],
    fitted: Cache<[u8; 32], String>,
}

impl Default for RecentPasswords {
    fn default() -> RecentPasswords {
        let fitted = Cache::builder().max_capacity(MOST).time_to_live(KNOWN).build();
        RecentPasswords { key: random_bytes(), fitted }
    }
}

impl RecentPasswords {
    fn digest(&self, login: &str, password: &Secret) -> [u8; 32] {
        let digest = Sha256::new()
            .chain_update(self.key)
            .chain_update(login.len().to_be_bytes())
            .chain_update(login)
            .chain_update(password.expose());
        digest.finalize().into()
    }
}

/// Like [`sign_in::check_password`].
pub async fn check(app: &App, login: &str, password: &Secret, ip: &str) -> Result<Option<User>> {
    let recent = app.kept::<RecentPasswords>();
    let digest = recent.digest(login, password);
    if let Some(fitted) = recent.fitted.get(&digest) {
        let name = login.to_owned();
        let user = app.read(move |tx| {
            let found = sign_in::find_alone(tx, &name)?;
            match found.filter(|(_, hash)| hash.as_ref() == Some(&fitted)) {
                Some((user, _)) => sign_in::standing(tx, user.id),
                None => Ok(None),
            }
        });
        if let Some(user) = user.await? {
            return Ok(Some(user));
        }
        recent.fitted.invalidate(&digest);
    }
    let user = sign_in::check_password(app, login, password, ip).await?;
    if let Some(id) = user.as_ref().map(|user| user.id) {
        let hash = app.read(move |tx| crate::store::users::password_hash(tx, id)).await?;
        hash.into_iter().for_each(|hash| recent.fitted.insert(digest, hash));
    }
    Ok(user)
}
