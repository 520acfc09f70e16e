//! Challenges that tell people from programs: version 2, where a widget gives
//! the page a solution and the server asks the widget's maker about it.

use super::settings::is_address;
use http::{HeaderMap, HeaderValue, Method, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::outbound::Call;
use kernel::secrets::Secret;
use serde::Deserialize;
use std::time::Duration;

/// Longest solution in bytes.
const MAX_RESPONSE: usize = 8_192;
/// Time for the whole question.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Largest answer in bytes.
const MAX_ANSWER: u64 = 64 * 1024;

kernel::setting! {
    /// The challenge as administrators set it.
    pub struct Captcha = "identity.captcha" {
        pub enabled: bool = false,
        pub site_key: String = String::new(),
        /// Its private key, sealed.
        pub private_key: Option<String> = None,
        pub verify_url: String = String::new(),
        pub script_url: String = String::new(),
        pub origins: Vec<String> = Vec::new(),
        // What version 2 says on the wire, and what its makers share.
        pub widget_class: String = "g-recaptcha".into(),
        pub response_field: String = "g-recaptcha-response".into(),
    }
}

impl Captcha {
    pub(super) fn validate(&self) -> Result<()> {
        for (key, name) in [
            ("captcha_widget_class", &self.widget_class),
            ("captcha_response_field", &self.response_field),
        ] {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            if name.is_empty() || name.len() > 100 || !name.chars().all(plain) {
                return Err(Error::invalid(key, "is invalid"));
            }
        }
        if self.site_key.len() > 255 || !self.site_key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(Error::invalid("captcha_site_key", "is invalid"));
        }
        if !self.script_url.is_empty() {
            is_address("captcha_script_url", &self.script_url)?;
        }
        if !self.verify_url.is_empty() {
            is_address("captcha_verify_url", &self.verify_url)?;
        }
        for origin in &self.origins {
            let url = is_address("captcha_origins", origin)?;
            if url.origin().ascii_serialization() != *origin {
                return Err(Error::invalid("captcha_origins", "must hold origins"));
            }
        }
        if !self.enabled {
            return Ok(());
        }
        let needed = [
            ("captcha_site_key", self.site_key.is_empty()),
            ("captcha_verify_url", self.verify_url.is_empty()),
            ("captcha_script_url", self.script_url.is_empty()),
            ("captcha_private_key", self.private_key.is_none()),
        ];
        match needed.into_iter().find(|(_, missing)| *missing) {
            Some((key, _)) => Err(Error::invalid(key, "can't be blank")),
            None => Ok(()),
        }
    }

    /// Where the page that shows it loads from: the script's origin, then the
    /// further ones.
    pub fn sources(&self) -> Vec<String> {
        let script = url::Url::parse(&self.script_url).ok();
        let script = script.map(|url| url.origin().ascii_serialization());
        script.into_iter().chain(self.origins.clone()).collect()
    }

    /// Asks whether a solution is one. What cannot be asked is an error: who
    /// waits may try again, nobody passes.
    pub async fn verify(&self, app: &App, response: &str, ip: &str) -> Result<bool> {
        if response.is_empty() || response.len() > MAX_RESPONSE {
            return Ok(false);
        }
        let sealed = self.private_key.as_deref().unwrap_or_default();
        let key = app.secrets().unseal("captcha_private_key", sealed)?;
        let key = String::from_utf8(key).map_err(Error::internal)?;
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("secret", &key)
            .append_pair("response", response)
            .append_pair("remoteip", ip)
            .finish();
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let call = Call::new(Method::POST, self.verify_url.clone())
            .header(header::CONTENT_TYPE, kind)
            .body(form)
            .timeout(TIMEOUT)
            .max_answer(MAX_ANSWER);
        let unknown = |cause: String| {
            tracing::warn!(%cause, "a challenge could not be verified");
            Error::Unavailable("The challenge cannot be verified now.".into())
        };
        let answer = app.outbound().await?.call(call).await;
        let answer = answer.map_err(|fault| unknown(fault.to_string()))?;
        if !answer.status.is_success() {
            return Err(unknown(format!("the verifier answered {}", answer.status)));
        }
        let told: CaptchaAnswer = serde_json::from_slice(&answer.body)
            .map_err(|error| unknown(format!("the verifier's answer: {error}")))?;
        Ok(told.success)
    }
}

#[derive(Deserialize)]
struct CaptchaAnswer {
    #[serde(default)]
    success: bool,
}

/// A challenge solved for something that was refused before.
#[derive(Debug, Clone)]
pub struct Solution {
    pub response: Secret,
    /// Which refusal it is about.
    pub spam_log_id: i64,
}

impl Solution {
    /// Out of the headers `X-Service-Captcha-Response` and
    /// `X-Service-Spam-Log-Id`; nothing unless both are sent.
    pub fn of(headers: &HeaderMap) -> Option<Solution> {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        Some(Solution {
            response: Secret::new(text("x-service-captcha-response")?),
            spam_log_id: text("x-service-spam-log-id")?.trim().parse().ok()?,
        })
    }
}
