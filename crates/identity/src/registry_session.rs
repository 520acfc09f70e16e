//! Passes: short-lived texts that stand for a credential below one path, for
//! registry clients that cannot or should not carry the credential itself.
//!
//! A conan client exchanges its password for one, and a terraform client
//! follows an address that holds one. A pass dies with the credential it
//! stands for, which is looked up anew at every use.

use crate::tokens::{self, DeployToken, Holder};
use crate::viewer::{Credential, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Call, FromCall};
use serde::{Deserialize, Serialize};
use store::Tx;

/// What passes begin with, so that they are known from tokens.
const PREFIX: &str = "pass-";
/// What they are signed under.
const LABEL: &str = "registry pass";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Claims {
    #[serde(rename = "c")]
    of: Of,
    /// The path it is good for, and all below.
    #[serde(rename = "p")]
    path: String,
    /// Its end, in seconds since 1970.
    #[serde(rename = "e")]
    end: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Of {
    /// Nobody: what everybody may read.
    #[serde(rename = "n")]
    Nobody,
    #[serde(rename = "t")]
    Token(i64),
    #[serde(rename = "d")]
    Deploy(i64),
}

/// Left in a call whose credential is a pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByPass;

/// Refuses who comes with a pass: where passes are handed out for credentials,
/// one must not outlive itself by another.
pub struct WithoutPass;

impl FromCall for WithoutPass {
    async fn from_call(call: &mut Call) -> Result<Self> {
        match call.extensions.get::<ByPass>() {
            Some(_) => Err(Error::Unauthenticated),
            None => Ok(WithoutPass),
        }
    }
}

/// The credential behind a pass.
pub enum Holding {
    /// None is needed.
    Nobody,
    Token(Box<Holder>),
    Deploy(DeployToken),
}

/// A pass for `path` and all below it, for `seconds`.
///
/// Sessions and applications' tokens have none: no registry client uses them.
pub fn issue(app: &App, viewer: &Viewer, path: &str, seconds: i64) -> Result<String> {
    let of = match viewer {
        Viewer::Anonymous => Of::Nobody,
        Viewer::Deploy(deploy) => Of::Deploy(deploy.id),
        Viewer::User(signed_in) => match signed_in.credential {
            Credential::Token { id, .. } => Of::Token(id),
            _ => {
                return Err(Error::forbidden(
                    "Use an access token or a deploy token for the package registry",
                ));
            }
        },
    };
    let claims = Claims {
        of,
        path: path.trim_end_matches('/').to_owned(),
        end: app.now().as_second() + seconds,
    };
    let claims = serde_json::to_vec(&claims).map_err(Error::internal)?;
    Ok(format!("{PREFIX}{}", app.secrets().sign(LABEL, &claims)))
}

/// Whether the text is a pass by its looks.
pub fn is_pass(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// What a pass stands for, if it is ours, of today and for this path.
pub fn holding(app: &App, tx: &mut Tx<'_>, text: &str, path: &str) -> Result<Option<Holding>> {
    let Some(claims) = read(app, text) else {
        return Ok(None);
    };
    if claims.end <= app.now().as_second() || !covers(&claims.path, path) {
        return Ok(None);
    }
    Ok(match claims.of {
        Of::Nobody => Some(Holding::Nobody),
        Of::Token(id) => tokens::holder_by_id(tx, id)?.map(|it| Holding::Token(Box::new(it))),
        Of::Deploy(id) => tokens::deploy_token_by_id(tx, id)?.map(Holding::Deploy),
    })
}

fn read(app: &App, text: &str) -> Option<Claims> {
    let claims = app.secrets().verify(LABEL, text.strip_prefix(PREFIX)?)?;
    serde_json::from_slice(&claims).ok()
}

fn covers(whole: &str, path: &str) -> bool {
    path.strip_prefix(whole)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_covers_itself_and_what_is_below() {
        let whole = "/api/v4/projects/5/packages/conan";
        assert!(covers(whole, whole));
        assert!(covers(whole, "/api/v4/projects/5/packages/conan/v2/ping"));
        assert!(!covers(whole, "/api/v4/projects/5/packages/conans"));
        assert!(!covers(whole, "/api/v4/projects/55/packages/conan"));
        assert!(!covers(whole, "/api/v4/projects/5/packages"));
    }
}
