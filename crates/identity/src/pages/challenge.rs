//! Challenges on pages: the widget in a form, and its solution out of one.

use crate::spam::Refused;
use crate::spam::captcha::{Captcha, Solution};
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Html;
use kernel::http::{Call, FromCall};
use kernel::secrets::Secret;

/// The field that names the refusal which a solution is about.
const REFUSAL: &str = "spam_log_id";

/// A challenge, to be written into a form.
#[derive(Debug, Clone, Template)]
#[template(path = "challenge.html")]
pub struct Challenge {
    class: String,
    site_key: String,
    script_url: String,
    refusal: Option<i64>,
    sources: Vec<String>,
}

impl HtmlSafe for Challenge {}

impl Challenge {
    pub async fn configured(app: &App) -> Result<Option<Challenge>> {
        let captcha: Captcha = app.settings().get(app).await?;
        Ok(captcha.enabled.then(|| Challenge {
            sources: captcha.sources(),
            class: captcha.widget_class,
            site_key: captcha.site_key,
            script_url: captcha.script_url,
            refusal: None,
        }))
    }

    /// The one whose solution opens what was refused; none where nothing does.
    pub async fn after(app: &App, refused: &Refused) -> Result<Option<Challenge>> {
        let Refused::Challenge { spam_log_id, .. } = refused else {
            return Ok(None);
        };
        let configured = Challenge::configured(app).await?;
        Ok(configured.map(|challenge| Challenge { refusal: Some(*spam_log_id), ..challenge }))
    }

    /// Lets the page that shows it load it.
    pub fn allow(challenge: Option<&Challenge>, html: Html) -> Html {
        let sources = challenge.map(|one| one.sources.as_slice());
        let sources = sources.unwrap_or_default().iter();
        sources.fold(html, |html, origin| html.scripts_from(origin))
    }
}

/// The solution that a form brought for what was refused before.
#[derive(Debug)]
pub struct Solved(pub Option<Solution>);

impl FromCall for Solved {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let captcha: Captcha = call.app.settings().get(&call.app).await?;
        let sent = call.merged().await?;
        let text = |name: &str| sent.get(name).and_then(|value| value.as_str());
        let response = text(&captcha.response_field);
        let refusal = text(REFUSAL).and_then(|id| id.parse().ok());
        let solution = response.zip(refusal);
        Ok(Solved(solution.map(|(response, spam_log_id)| Solution {
            response: Secret::new(response),
            spam_log_id,
        })))
    }
}
