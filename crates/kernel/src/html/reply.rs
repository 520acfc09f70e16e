//! A template as a response.

use super::zoned::zoned;
use crate::error::{Error, Result};
use crate::http::Response;
use askama::Template;
use axum::body::Body;
use http::{HeaderName, HeaderValue, StatusCode, header};

/// A rendered page; [`Html::response`] adds the headers that keep it safe.
///
/// Pages hold form tokens and private names, so nothing may store them.
#[derive(Debug)]
pub struct Html {
    status: StatusCode,
    body: String,
    form_action: String,
    scripts_from: Vec<String>,
    policy: Option<String>,
}

impl Html {
    /// Renders a template.
    pub fn new(template: &impl Template) -> Result<Html> {
        let body = zoned(template.render().map_err(Error::internal)?);
        Ok(Html {
            status: StatusCode::OK,
            body,
            form_action: "'self'".into(),
            scripts_from: Vec::new(),
            policy: None,
        })
    }

    /// Answers with another status than 200.
    pub fn status(mut self, status: StatusCode) -> Html {
        self.status = status;
        self
    }

    /// Answers 422 when it shows a form again that was refused.
    pub fn refused(self, is_refused: bool) -> Html {
        match is_refused {
            true => self.status(StatusCode::UNPROCESSABLE_ENTITY),
            false => self,
        }
    }

    /// Lets forms of this page also lead to `source`: an origin or a scheme,
    /// as a consent page needs it, whose answer redirects to the client. Text
    /// that could end the directive is ignored.
    pub fn form_action(mut self, source: &str) -> Html {
        if is_source(source) {
            self.form_action = format!("{} {source}", self.form_action);
        }
        self
    }

    /// Lets this page run scripts of another origin, which may show frames of
    /// their own and call home: the widget of a challenge. Text that could end
    /// the directive is ignored.
    pub fn scripts_from(mut self, origin: &str) -> Html {
        if is_source(origin) {
            self.scripts_from.push(origin.to_owned());
        }
        self
    }

    /// Replaces the whole policy, for a page that runs more than our own
    /// script; its sources must be constants or ours.
    pub fn policy(mut self, policy: String) -> Html {
        self.policy = Some(policy);
        self
    }

    /// What the page may load and lead to.
    fn content_security_policy(&self) -> String {
        if let Some(policy) = &self.policy {
            return policy.clone();
        }
        let mut policy = format!(
            "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; \
             form-action {}",
            self.form_action
        );
        if !self.scripts_from.is_empty() {
            let from = self.scripts_from.join(" ");
            for directive in ["script-src", "frame-src", "connect-src", "style-src", "img-src"] {
                policy.push_str(&format!("; {directive} 'self' {from}"));
            }
        }
        policy
    }

    /// The finished response.
    pub fn response(self) -> Response {
        let policy = self.content_security_policy();
        let mut response = http::Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        // All sources are visible ASCII only, so this cannot fail.
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// Whether a text can stand among the sources of a directive.
fn is_source(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && !b";,'\"".contains(&b))
}

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

impl axum::response::IntoResponse for Html {
    fn into_response(self) -> Response {
        self.response()
    }
}
