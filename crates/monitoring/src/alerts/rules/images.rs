//! Metric images: small, of four formats, known by their first bytes.

use crate::alerts::model::{Alert, MAX_IMAGE, MetricImage};
use crate::alerts::pictures;
use crate::alerts::store::images::{self as rows, NewImage};
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use store::Tx;

/// Most images of an alert.
const MOST: i64 = 100;
/// Longest address or text, in characters.
const MAX_TEXT: usize = 255;
/// Longest name kept, in characters.
const MAX_FILE_NAME: usize = 100;

/// What is said of where the chart is.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// Where it is.
    pub url: Patch<String>,
    /// What that place is called.
    pub url_text: Patch<String>,
}

/// Media type of an ending.
pub fn media_type(ending: &str) -> &'static str {
    match ending {
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "gif" => "image/gif",
        _ => "image/webp",
    }
}

/// Looks at what was sent as a file.
pub fn read(file_name: &str, bytes: &[u8], said: &Said) -> Result<NewImage> {
    if bytes.len() > MAX_IMAGE {
        return Err(Error::invalid(
            "file",
            "is too big (should be at most 1 MiB)",
        ));
    }
    let wrong = "file format is not supported. Please try one of the following supported formats: \
        image/png, image/jpeg, image/gif, image/webp";
    let ending = pictures::ending(bytes).ok_or_else(|| Error::invalid("file", wrong))?;
    Ok(NewImage {
        file_name: name(file_name)?,
        ending,
        bytes: bytes.to_vec(),
        url: url(&said.url.clone().over(None))?,
        url_text: text(&said.url_text.clone().over(None))?,
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

fn url(sent: &Option<String>) -> Result<Option<String>> {
    let Some(sent) = sent.as_deref().map(str::trim).filter(|url| !url.is_empty()) else {
        return Ok(None);
    };
    let is_web = url::Url::parse(sent).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && !sent.contains(char::is_whitespace)
    });
    match is_web && sent.chars().count() <= MAX_TEXT {
        true => Ok(Some(sent.to_owned())),
        false => Err(Error::invalid("url", "is invalid")),
    }
}

fn text(sent: &Option<String>) -> Result<Option<String>> {
    let Some(sent) = sent
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
    else {
        return Ok(None);
    };
    match sent.chars().count() <= MAX_TEXT && !sent.chars().any(char::is_control) {
        true => Ok(Some(sent.to_owned())),
        false => Err(Error::invalid("url_text", "is invalid")),
    }
}

/// Adds a picture to an alert.
pub fn create(tx: &mut Tx<'_>, alert: &Alert, new: &NewImage) -> Result<MetricImage> {
    if rows::count(tx, alert.id)? >= MOST {
        return Err(Error::invalid("file", "the alert has too many images"));
    }
    rows::insert(tx, alert.id, new)
}

/// Changes what is said of a picture.
pub fn update(tx: &mut Tx<'_>, alert: &Alert, id: i64, said: &Said) -> Result<MetricImage> {
    let mut image = rows::find(tx, alert.id, id)?.found("Metric image")?;
    image.url = url(&said.url.clone().over(image.url))?;
    image.url_text = text(&said.url_text.clone().over(image.url_text))?;
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
        for path in [
            "../chart.png",
            "a/b.png",
            "C:\\b.png",
            "..",
            "...png",
            "/etc/passwd",
        ] {
            assert!(name(path).is_err(), "{path}");
        }
        assert!(name(&"x".repeat(999)).unwrap().len() <= MAX_FILE_NAME);
    }

    #[test]
    fn only_addresses_of_the_web_are_taken() {
        assert!(url(&Some("https://charts.example/1".into())).is_ok());
        let long = format!("http://x/{}", "y".repeat(255));
        for bad in ["javascript:alert(1)", "ftp://x", "http://", "x", &long] {
            assert!(url(&Some(bad.into())).is_err(), "{bad}");
        }
        assert_eq!(url(&Some(" ".into())).unwrap(), None);
    }
}
