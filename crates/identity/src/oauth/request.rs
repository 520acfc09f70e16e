//! An authorization request, checked: what the client asks of the user
//! (RFC 6749 section 4.1.1, OpenID Connect Core 1.0 section 3.1.2.1).

use super::applications::Application;
use super::refusal::{Refusal, Result};
use super::sent::{Lenient, OauthParams};
use super::{pkce, scopes};

/// Names of the parameters that the consent form carries on.
pub const PARAMETERS: &[&str] = &[
    "client_id",
    "redirect_uri",
    "response_type",
    "response_mode",
    "state",
    "scope",
    "code_challenge",
    "code_challenge_method",
    "nonce",
    "prompt",
    "max_age",
    "root_namespace_id",
];

/// How the answer travels back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResponseMode {
    /// In the query of a redirect.
    #[default]
    Query,
    /// In a form that the browser posts.
    FormPost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prompt {
    pub none: bool,
    /// Let the user sign in again.
    pub login: bool,
    /// Ask for consent even if it was given.
    pub consent: bool,
    /// Let the user choose an account.
    pub select_account: bool,
}

impl Prompt {
    fn parse(text: &str) -> Result<Prompt> {
        let mut prompt = Prompt::default();
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        for word in &words {
            match *word {
                "none" => prompt.none = true,
                "login" => prompt.login = true,
                "consent" => prompt.consent = true,
                "select_account" => prompt.select_account = true,
                _ => return Err(Refusal::InvalidRequest("The prompt is unknown.".into())),
            }
        }
        if prompt.none && words.len() > 1 {
            return Err(Refusal::InvalidRequest(
                "The prompt none cannot be combined with others.".into(),
            ));
        }
        Ok(prompt)
    }
}

/// Where an answer goes, right or wrong.
#[derive(Debug, Clone, Default)]
pub struct Target {
    pub redirect_uri: String,
    pub state: Option<String>,
    pub mode: ResponseMode,
}

/// A request that may be put to the user.
#[derive(Debug, Clone)]
pub struct Request {
    pub scopes: Vec<String>,
    pub challenge: Option<String>,
    pub nonce: Option<String>,
    pub prompt: Prompt,
    /// Seconds since the user signed in, at most.
    pub max_age: Option<i64>,
    /// A group whose single sign-on must be live.
    pub root_namespace_id: Option<i64>,
}

/// The answer's way; the address must have been checked before.
pub fn target(sent: &OauthParams) -> Target {
    Target {
        redirect_uri: sent.get("redirect_uri").unwrap_or_default().to_owned(),
        state: sent.get("state").map(str::to_owned),
        mode: match sent.get("response_mode") {
            Some("form_post") => ResponseMode::FormPost,
            _ => ResponseMode::Query,
        },
    }
}

/// Checks everything but client and address.
pub fn check(read: Lenient, application: &Application) -> Result<Request> {
    let Lenient { sent, fault } = read;
    if let Some(fault) = fault {
        return Err(fault);
    }
    if sent.required("response_type")? != "code" {
        return Err(Refusal::UnsupportedResponseType);
    }
    if !matches!(sent.get("response_mode"), None | Some("query" | "form_post")) {
        return Err(Refusal::UnsupportedResponseMode);
    }
    let scopes = scopes::chosen(sent.get("scope"), &application.scopes())?;
    let challenge = challenge(&sent, application)?;
    let max_age = match sent.get("max_age").map(str::parse) {
        None => None,
        Some(Ok(seconds)) if seconds >= 0 => Some(seconds),
        Some(_) => {
            return Err(Refusal::InvalidRequest("The max_age must be seconds.".into()));
        }
    };
    Ok(Request {
        scopes,
        challenge,
        nonce: sent.get("nonce").map(str::to_owned),
        prompt: Prompt::parse(sent.get("prompt").unwrap_or_default())?,
        max_age,
        root_namespace_id: sent.get("root_namespace_id").and_then(|text| text.parse().ok()),
    })
}

fn challenge(sent: &OauthParams, application: &Application) -> Result<Option<String>> {
    let method = sent.get("code_challenge_method");
    let Some(challenge) = sent.get("code_challenge") else {
        if method.is_some() || !application.confidential {
            return Err(Refusal::InvalidRequest("Code challenge is required.".into()));
        }
        return Ok(None);
    };
    if method != Some(pkce::METHOD) {
        return Err(Refusal::InvalidRequest("The code_challenge_method must be S256.".into()));
    }
    if !pkce::is_challenge(challenge) {
        return Err(Refusal::InvalidRequest(
            "The code_challenge must be 43 characters of base64url.".into(),
        ));
    }
    Ok(Some(challenge.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_combine_but_for_none() {
        assert_eq!(Prompt::parse("").unwrap(), Prompt::default());
        let both = Prompt::parse("login consent").unwrap();
        assert!(both.login && both.consent && !both.none);
        assert!(Prompt::parse("none").unwrap().none);
        assert!(Prompt::parse("none login").is_err());
        assert!(Prompt::parse("create").is_err());
    }
}
