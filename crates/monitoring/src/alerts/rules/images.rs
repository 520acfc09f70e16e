//! Metric images: small, of four formats, known by their first bytes.

use crate::alerts::model::{Alert, MAX_IMAGE, MetricImage};
use crate::alerts::pictures;
use crate::alerts::store::images::{self as rows, NewImage};
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use store::Tx;

const MOST: i64 = 100;
const MAX_TEXT: usize = 255;
/// Longest name kept, in characters.
const MAX_FILE_NAME: usize = 100;

kernel::params! {
    /// Where the chart is, and what that place is called.
    #[derive(Default)]
    pub struct Chart {
        /// Where the chart is.
        pub url: Patch<String>,
        /// What that place is called.
        pub url_text: Patch<String>,
    }
}

pub fn media_type(ending: &str) -> &'static str {
    match ending {
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "gif" => "image/gif",
        _ => "image/webp",
    }
}

pub fn read(file_name: &str, bytes: &[u8], chart: &Chart) -> Result<NewImage> {
    if bytes.len() > MAX_IMAGE {
        let text = "is too big (should be at most 1 MiB)";
        return Err(Error::invalid("file", text));
    }
    let wrong = "file format is not supported. Please try one of the following supported formats: \
        image/png, image/jpeg, image/gif, image/webp";
    let ending = pictures::ending(bytes).ok_or_else(|| Error::invalid("file", wrong))?;
    Ok(NewImage {
        file_name: name(file_name)?,
        ending,
        bytes: bytes.to_vec(),
        url: url(chart.url.clone().over(None))?,
        url_text: text(chart.url_text.clone().over(None))?,
    })
}

/// A name without its ending, of letters that every address takes; a path is
/// no name.
fn name(sent: &str) -> Result<String> {
    let stem = sent.rsplit_once('.').map_or(sent, |(stem, _)| stem);
    if sent.contains(['/', '\\', '\0']) || stem.starts_with('.') {
        return Err(Error::invalid("file", "has an unusable name"));
    }
    let plain = |c: char| match c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
        true => c,
        false => '_',
    };
    let name: String = stem.chars().take(MAX_FILE_NAME).map(plain).collect();
    Ok(match name.trim_matches('_').is_empty() {
        true => "image".to_owned(),
        false => name,
    })
}

fn url(sent: Option<String>) -> Result<Option<String>> {
    let is_web = |text: &str| {
        let web = |url: url::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        !text.contains(char::is_whitespace) && url::Url::parse(text).is_ok_and(web)
    };
    bounded("url", sent, is_web)
}

fn text(sent: Option<String>) -> Result<Option<String>> {
    bounded("url_text", sent, |text| !text.chars().any(char::is_control))
}

/// What was sent, trimmed, if it is like this and not too long; nothing if it
/// is blank.
fn bounded(
    field: &str, sent: Option<String>, is_fit: impl Fn(&str) -> bool,
) -> Result<Option<String>> {
    let sent = sent.as_deref().map(str::trim).filter(|text| !text.is_empty());
    match sent {
        Some(text) if !is_fit(text) || text.chars().count() > MAX_TEXT => {
            Err(Error::invalid(field, "is invalid"))
        }
        fit => Ok(fit.map(str::to_owned)),
    }
}

pub fn create(tx: &mut Tx<'_>, alert: &Alert, new: &NewImage) -> Result<MetricImage> {
    if rows::count(tx, alert.id)? >= MOST {
        return Err(Error::invalid("file", "the alert has too many images"));
    }
    rows::insert(tx, alert.id, new)
}

pub fn destroy(tx: &mut Tx<'_>, alert: &Alert, id: i64) -> Result<()> {
    match rows::remove(tx, alert.id, id)? {
        true => Ok(()),
        false => Err(Error::NotFound("Metric image")),
    }
}

/// Says where the chart is.
pub fn update(tx: &mut Tx<'_>, alert: &Alert, id: i64, chart: &Chart) -> Result<MetricImage> {
    let mut image = rows::find(tx, alert.id, id)?.found("Metric image")?;
    image.url = url(chart.url.clone().over(image.url))?;
    image.url_text = text(chart.url_text.clone().over(image.url_text))?;
    rows::update(tx, &image)?;
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_parts_of_addresses() {
        for (sent, expected) in [
            ("chart.png", "chart"),
            ("cpu load.png", "cpu_load"),
            ("", "image"),
            ("Größe.gif", "Gr__e"),
        ] {
            assert_eq!(name(sent).unwrap(), expected, "{sent}");
        }
        for path in ["../chart.png", "a/b.png", "C:\\b.png", "..", "...png", "/etc/passwd"] {
            assert!(name(path).is_err(), "{path}");
        }
        assert!(name(&"x".repeat(999)).unwrap().len() <= MAX_FILE_NAME);
    }

    #[test]
    fn only_addresses_of_the_web_are_taken() {
        assert!(url(Some("https://charts.example/1".into())).is_ok());
        let long = format!("http://x/{}", "y".repeat(255));
        for bad in ["javascript:alert(1)", "ftp://x", "http://", "x", &long] {
            assert!(url(Some(bad.into())).is_err(), "{bad}");
        }
        assert_eq!(url(Some(" ".into())).unwrap(), None);
    }
}
