//! The one way to ask other servers for JSON: by the outbound guard, for as long and as much
//! as is bounded, within what upstream allows, and never telling what proves who asks.

mod answers;
mod budgets;
mod failed;
mod items;
mod leaf;
mod links;

pub use failed::Failed;
pub use items::{Items, Unreadable};
pub use leaf::Leaf;

use crate::run::Trouble;
use answers::{Answers, Known};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use budgets::Budgets;
use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};
use kernel::app::App;
use kernel::outbound::{self, Call};
use kernel::secrets::Secret;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::time::Duration;
use url::Url;

/// How long one call may take, with its redirects and its body.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of one answer.
const MOST_BYTES: u64 = 50 * 1024 * 1024;
/// Letters that are told of what upstream said.
const MOST_TOLD: usize = 500;
/// Bytes of an address, so that it fits into a cursor.
const LONGEST_URL: usize = 1500;
/// What stands for what is secret.
const MASK: &str = "*****";

/// What proves upstream who asks.
#[derive(Debug, Clone)]
pub enum Auth {
    Nobody,
    /// `Authorization: token …`.
    Token(Secret),
    Basic {
        username: String,
        password: Secret,
    },
}

impl Auth {
    fn header(&self) -> Option<String> {
        match self {
            Auth::Nobody => None,
            Auth::Token(token) => Some(format!("token {}", token.expose())),
            Auth::Basic { .. } => Some(format!("Basic {}", self.encoded())),
        }
    }

    fn encoded(&self) -> String {
        match self {
            Auth::Basic { username, password } => {
                STANDARD.encode(format!("{username}:{}", password.expose()))
            }
            Auth::Nobody | Auth::Token(_) => String::new(),
        }
    }

    /// What is never told.
    fn secrets(&self) -> Vec<String> {
        let plain = match self {
            Auth::Nobody => return Vec::new(),
            Auth::Token(secret) | Auth::Basic { password: secret, .. } => secret.expose(),
        };
        let all = [plain.to_owned(), self.encoded()];
        all.into_iter().filter(|text| !text.is_empty()).collect()
    }
}

/// A server that is asked, and what proves to it who asks. Nothing of that goes to another.
#[derive(Clone)]
pub struct Client {
    app: App,
    /// Without a slash at its end.
    base: String,
    authorization: Option<HeaderValue>,
    accept: HeaderValue,
    secrets: Vec<String>,
    /// Whose budget it is that calls are taken from.
    account: [u8; 32],
    /// The import whose answers are remembered.
    import_id: Option<i64>,
}

/// What was answered.
#[derive(Debug)]
pub struct Answer<T> {
    pub value: T,
    /// Where the list goes on, on the same server.
    pub next: Option<String>,
    /// Where the last page of the list is.
    pub last: Option<String>,
    pub status: StatusCode,
}

/// What came of a call: a body that is whole, and where its list goes on.
struct Came {
    status: StatusCode,
    body: Bytes,
    link: String,
}

impl Client {
    /// A client of the interface at `base`. Answers are remembered for an import, so that
    /// what did not change costs nothing of what upstream allows.
    ///
    /// # Errors
    ///
    /// [`Failed::Blocked`] if `base` is no address of a server, and a status of 401 if the
    /// credentials cannot be sent.
    pub fn new(
        app: &App, base: &str, auth: Auth, import_id: Option<i64>,
    ) -> Result<Client, Failed> {
        let base = base.trim_end_matches('/').to_owned();
        let url = Url::parse(&base).map_err(|_| Failed::no_address())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(Failed::no_address());
        }
        let authorization = auth.header().map(|text| HeaderValue::from_str(&text)).transpose();
        let mut authorization = authorization.map_err(|_| Failed::unsendable())?;
        if let Some(value) = &mut authorization {
            value.set_sensitive(true);
        }
        let account = Sha256::digest(format!("{base}\n{}", auth.header().unwrap_or_default()));
        Ok(Client {
            app: app.clone(),
            base,
            authorization,
            accept: HeaderValue::from_static("application/json"),
            secrets: auth.secrets(),
            account: account.into(),
            import_id,
        })
    }

    /// The same, asking for answers of this type.
    pub fn accepting(mut self, accept: &'static str) -> Client {
        self.accept = HeaderValue::from_static(accept);
        self
    }

    /// The address of the interface, without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Asks for something, for a stage of an import. A path begins with a slash and stands
    /// below the interface; an address has to be on its server.
    ///
    /// # Errors
    ///
    /// What is to be done about it.
    pub async fn get_json<T: DeserializeOwned>(
        &self, path_or_url: &str, query: &[(&str, &str)],
    ) -> Result<Answer<T>, Trouble> {
        Ok(self.ask(path_or_url, query).await?)
    }

    /// The same; none where there is nothing (404, 410).
    ///
    /// # Errors
    ///
    /// As [`Client::get_json`].
    pub async fn find_json<T: DeserializeOwned>(
        &self, path_or_url: &str, query: &[(&str, &str)],
    ) -> Result<Option<Answer<T>>, Trouble> {
        match self.ask(path_or_url, query).await {
            Err(failed) if failed.is_absent() => Ok(None),
            answer => Ok(Some(answer?)),
        }
    }

    /// The same as [`Client::get_json`], for who answers refusals in words of their own.
    ///
    /// # Errors
    ///
    /// What went wrong.
    pub async fn ask<T: DeserializeOwned>(
        &self, path_or_url: &str, query: &[(&str, &str)],
    ) -> Result<Answer<T>, Failed> {
        let url = self.address(path_or_url, query)?;
        let Came { status, body, link } = self.fetch(&url).await?;
        let value = serde_json::from_slice(&body).map_err(|error| match error.is_data() {
            true => Failed::Shape(self.clean(&error.to_string())),
            false => Failed::NotJson,
        })?;
        let next = links::find(&link, "next").map(|next| self.page(&url, next)).transpose()?;
        let last = links::find(&link, "last").and_then(|last| self.page(&url, last).ok());
        Ok(Answer { value, next, last, status })
    }

    /// The address of a page that an answer from `url` names: on this server, or none.
    ///
    /// # Errors
    ///
    /// [`Failed::Elsewhere`].
    pub fn page(&self, url: &Url, named: &str) -> Result<String, Failed> {
        let page = url.join(named).map_err(|_| Failed::Elsewhere)?;
        match self.is_here(&page) && page.as_str().len() <= LONGEST_URL {
            true => Ok(page.into()),
            false => Err(Failed::Elsewhere),
        }
    }

    /// The same of an address alone, such as stands in the body of an answer.
    ///
    /// # Errors
    ///
    /// [`Failed::Elsewhere`].
    pub fn checked(&self, named: &str) -> Result<String, Failed> {
        let base = Url::parse(&self.base).map_err(|_| Failed::no_address())?;
        self.page(&base, named)
    }

    /// A text of upstream for people: short, and nothing secret in it.
    pub fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, MASK);
        }
        text.chars().filter(|c| !c.is_control()).take(MOST_TOLD).collect()
    }

    fn is_here(&self, url: &Url) -> bool {
        let here = Url::parse(&self.base);
        here.is_ok_and(|here| here.origin() == url.origin()) && url.username().is_empty()
    }

    fn address(&self, path_or_url: &str, query: &[(&str, &str)]) -> Result<Url, Failed> {
        let text = match path_or_url.starts_with('/') {
            true => format!("{}{path_or_url}", self.base),
            false => path_or_url.to_owned(),
        };
        let mut url = Url::parse(&text).map_err(|_| Failed::Elsewhere)?;
        if !self.is_here(&url) {
            return Err(Failed::Elsewhere);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    async fn fetch(&self, url: &Url) -> Result<Came, Failed> {
        let (budgets, answers) = (self.app.kept::<Budgets>(), self.app.kept::<Answers>());
        if let Some(until) = budgets.closed_until(&self.account, self.app.now()) {
            return Err(Failed::Limited(until));
        }
        let known = self.import_id.and_then(|import| answers.of(import, url));
        let answer = self.call(url, known.as_ref()).await?;
        let wait = budgets.note(self.account, &answer, self.app.now());
        let link = links::joined(&answer.headers);
        match (answer.status, known) {
            (StatusCode::NOT_MODIFIED, Some(Known { body, link, .. })) => {
                Ok(Came { status: StatusCode::OK, body, link })
            }
            (status, _) if status.is_success() => {
                if let Some(import) = self.import_id {
                    answers.remember(import, url, &answer, &link);
                }
                Ok(Came { status, body: answer.body, link })
            }
            (status, _) => {
                Err(wait.map_or_else(|| self.refused(status, &answer.body), Failed::Limited))
            }
        }
    }

    async fn call(&self, url: &Url, known: Option<&Known>) -> Result<outbound::Answer, Failed> {
        let mut call = Call::get(url.as_str())
            .timeout(PATIENCE)
            .max_answer(MOST_BYTES)
            .header(header::ACCEPT, self.accept.clone());
        if let Some(authorization) = &self.authorization {
            call = call.header(header::AUTHORIZATION, authorization.clone());
        }
        if let Some(known) = known {
            call = call.header(header::IF_NONE_MATCH, known.tag.clone());
        }
        let outbound = self.app.outbound().await.map_err(Failed::Internal)?;
        let answer = outbound.call(call).await.map_err(|fault| Failed::of(&fault, self))?;
        match self.is_here(&answer.url) {
            true => Ok(answer),
            false => Err(Failed::Redirected),
        }
    }

    fn refused(&self, status: StatusCode, body: &[u8]) -> Failed {
        // What is masked must not be cut in two before.
        let told = &body[..body.len().min(64 * MOST_TOLD)];
        let body = self.clean(&String::from_utf8_lossy(told));
        Failed::Status { status: status.as_u16(), body }
    }
}

/// One header as text.
fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_proves_who_asks_is_said_and_not_told() {
        let token = Auth::Token(Secret::new("t0ken"));
        assert_eq!(token.header().as_deref(), Some("token t0ken"));
        assert_eq!(token.secrets(), ["t0ken"]);
        let password = Secret::new("s3cret");
        let basic = Auth::Basic { username: "jane".into(), password };
        assert_eq!(basic.header().as_deref(), Some("Basic amFuZTpzM2NyZXQ="));
        assert_eq!(basic.secrets(), ["s3cret", "amFuZTpzM2NyZXQ="]);
        assert_eq!(Auth::Nobody.header(), None);
        assert!(Auth::Nobody.secrets().is_empty());
    }
}
