//! Small pictures with two texts, such as `pipeline | passed`: for pages elsewhere, drawn
//! here. Their letters are as wide as most fonts have them.

use crate::error::Result;
use crate::http::{Response, reply};
use askama::Template;
use axum::body::Body;
use http::{HeaderValue, StatusCode, header};

/// What a picture may do in a browser: nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
/// Letters of a text, and pixels of its place.
const LONGEST: usize = 64;
const WIDEST: i64 = 200;

/// A picture with two texts.
#[derive(Debug, Clone, Template)]
#[template(
    source = r##"<svg xmlns="http://www.w3.org/2000/svg" width="{{ self.width() }}" height="20" role="img" aria-label="{{ key }}: {{ value }}"><title>{{ key }}: {{ value }}</title><clipPath id="r"><rect width="{{ self.width() }}" height="20" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="{{ key_width }}" height="20" fill="#4a463d"/><rect x="{{ key_width }}" width="{{ value_width }}" height="20" fill="{{ color }}"/></g><g fill="#ffffff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle"><text x="{{ key_width / 2 }}" y="14">{{ key }}</text><text x="{{ key_width + value_width / 2 }}" y="14">{{ value }}</text></g></svg>"##,
    ext = "html"
)]
pub struct Shield {
    key: String,
    value: String,
    key_width: u64,
    value_width: u64,
    color: &'static str,
}

/// What the second text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// All is well.
    Good,
    /// It may become better or worse.
    Fair,
    /// It is not well.
    Bad,
    /// Nothing is known, or it is neither.
    Nothing,
}

impl Means {
    fn color(self) -> &'static str {
        match self {
            Means::Good => "#1d6b43",
            Means::Fair => "#8a5a00",
            Means::Bad => "#a62b20",
            Means::Nothing => "#5e584b",
        }
    }
}

crate::params! {
    /// What of a picture is chosen in its address.
    #[derive(Default)]
    pub struct Chosen {
        /// The first text.
        pub key_text: Option<String>,
        /// Pixels of its place.
        pub key_width: Option<i64>,
    }
}

impl Shield {
    /// A picture with these texts.
    pub fn new(key: &str, value: &str, means: Means) -> Shield {
        let cut = |text: &str| text.chars().take(LONGEST).collect::<String>();
        let (key, value) = (cut(key), cut(value));
        Shield {
            key_width: room(&key),
            value_width: room(&value),
            color: means.color(),
            key,
            value,
        }
    }

    /// With what its address says of it.
    pub fn chosen(mut self, chosen: &Chosen) -> Shield {
        if let Some(text) = chosen.key_text.as_deref().filter(|text| !text.is_empty()) {
            self.key = text.chars().take(LONGEST).collect();
            self.key_width = room(&self.key);
        }
        if let Some(width) = chosen.key_width {
            self.key_width = width.clamp(1, WIDEST).unsigned_abs();
        }
        self
    }

    fn width(&self) -> u64 {
        self.key_width + self.value_width
    }

    /// The answer with the picture, which no cache keeps: it is of now.
    pub fn response(&self) -> Result<Response> {
        let text = self.render().map_err(crate::error::Error::internal)?;
        let mut response = reply::empty(StatusCode::OK);
        *response.body_mut() = Body::from(text);
        let headers = response.headers_mut();
        for (name, value) in [
            (header::CONTENT_TYPE, "image/svg+xml"),
            (header::CACHE_CONTROL, "no-store"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        Ok(response)
    }
}

/// Pixels that a text takes, with some around it.
fn room(text: &str) -> u64 {
    let pixels: u64 = text
        .chars()
        .map(|letter| match letter {
            'i' | 'j' | 'l' | '.' | ',' | ':' | '\'' | '|' | '!' => 4,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 11,
            letter if letter.is_ascii_lowercase() || letter.is_ascii_digit() => 7,
            letter if letter.is_ascii() => 8,
            _ => 12,
        })
        .sum();
    pixels + 12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_markup_and_have_an_end() {
        let shield = Shield::new("<b>\"&", "passed", Means::Good);
        let text = shield.to_string();
        assert!(!text.contains("<b>") && text.contains("passed"), "{text}");
        let long = Shield::new(&"x".repeat(1000), "y", Means::Bad);
        assert_eq!(long.key.len(), LONGEST);
        let chosen = Chosen { key_text: Some("tests".into()), key_width: Some(9_000) };
        let text = shield.chosen(&chosen).to_string();
        assert!(text.contains(">tests<") && text.contains("width=\"200\""), "{text}");
    }
}
