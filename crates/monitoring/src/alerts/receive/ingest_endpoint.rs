//! Which integration a request is for, and whether its key opens it.

use super::keep;
use crate::alerts::limits::AlertLimits;
use crate::alerts::model::TOKEN;
use crate::alerts::payload::Reading;
use crate::alerts::store::deliveries;
use crate::alerts::store::integrations::{self as rows, IngestEndpoint};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::RequestContext;
use kernel::secrets::same;

const MAX_IDENTIFIER: usize = 255;

/// What a request meets.
pub enum Entry {
    Opened(Opened),
    /// It does not, or there is none.
    WrongKey,
    /// No active integration answers there.
    Nobody,
}

/// An integration that is open to the request.
pub struct Opened {
    pub integration_id: i64,
    /// The sealed key: another one means that it was reset meanwhile.
    pub sealed_token: String,
    pub reading: Reading,
}

/// The project at the first of these addresses that has one, with its
/// integration there.
pub async fn find(app: &App, addresses: Vec<(String, String)>) -> Result<Option<IngestEndpoint>> {
    app.read(move |tx| {
        for (path, identifier) in &addresses {
            let identifier = match identifier.len() <= MAX_IDENTIFIER {
                true => identifier.as_str(),
                false => "",
            };
            let found = rows::ingest_endpoint(tx, path, identifier)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    })
    .await
}

pub fn authorize(
    app: &App, door: &IngestEndpoint, request: &RequestContext, limits: &AlertLimits,
) -> Entry {
    let (Some(integration_id), Some(sealed_token)) = (door.integration_id, &door.sealed_token)
    else {
        return Entry::Nobody;
    };
    let previous = door
        .previous_token
        .as_ref()
        .filter(|_| door.previous_until.is_some_and(|until| until > app.now()));
    let opens = |sent: &str| {
        let sealed = [Some(sealed_token), previous];
        // Both are compared, so the time tells nothing.
        let matching = sealed.into_iter().flatten().filter(|sealed| {
            let key = app.secrets().unseal(TOKEN, sealed);
            key.is_ok_and(|key| same(key, sent))
        });
        matching.count() > 0
    };
    match key(request) {
        Some(sent) if opens(&sent) => Entry::Opened(Opened {
            integration_id,
            sealed_token: sealed_token.clone(),
            reading: reading(door, limits),
        }),
        _ => Entry::WrongKey,
    }
}

fn reading(door: &IngestEndpoint, limits: &AlertLimits) -> Reading {
    let door = door.clone();
    let reading = Reading {
        name: door.name.unwrap_or_default(),
        mapping: door.payload_mapping.unwrap_or_default().0,
        identity_fields: door.identity_fields.unwrap_or_default().0,
        ignored_fields: door.ignored_fields.unwrap_or_default().0,
        ..Reading::default()
    };
    reading.within(limits)
}

/// The key a request carries: as bearer, else as the password of Basic.
fn key(request: &RequestContext) -> Option<String> {
    let sent: Vec<&str> = request
        .headers
        .get_all(header::AUTHORIZATION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    let of = |scheme: &str, header: &&str| {
        let (named, rest) = header.trim().split_once(' ')?;
        named.eq_ignore_ascii_case(scheme).then(|| rest.trim().to_owned())
    };
    let bearer = sent.iter().find_map(|header| of("bearer", header));
    bearer.or_else(|| {
        let basic = sent.iter().find_map(|header| of("basic", header))?;
        let text = String::from_utf8(STANDARD.decode(basic).ok()?).ok()?;
        text.split_once(':').map(|(_, password)| password.to_owned())
    })
}

/// Notes a refusal in the log of the integration, without keeping the sender
/// waiting; a flood of them is noted in part.
pub fn log(app: &App, door: &IngestEndpoint, status: i64, reason: &'static str) {
    let Some(integration_id) = door.integration_id else {
        return;
    };
    let refused = deliveries::Entry {
        integration_id,
        status,
        reason: Some(reason),
        iids: Vec::new(),
    };
    keep::note(app, door.project_id, refused);
}
