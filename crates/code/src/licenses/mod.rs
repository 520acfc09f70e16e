//! The licenses that projects are commonly given: what they are called, what they ask
//! for and allow in a few words, and their texts, which come from the list of SPDX.

mod catalogue;

use catalogue::ALL;
use spdx::detection::{Store, TextData};
use std::sync::LazyLock;

/// From which likeness on a text is taken for a license, of 1.
const LIKENESS: f32 = 0.9;

/// A license.
#[derive(Debug)]
pub struct License {
    /// As it is named in addresses.
    pub key: &'static str,
    /// As the list of SPDX names it.
    id: &'static str,
    pub name: &'static str,
    pub nickname: Option<&'static str>,
    /// Who wrote it has it there.
    pub source_url: &'static str,
    /// It is among those that most choose of.
    pub popular: bool,
    pub description: &'static str,
    pub conditions: &'static [&'static str],
    pub permissions: &'static [&'static str],
    pub limitations: &'static [&'static str],
}

/// All of them, by their keys.
pub fn all() -> &'static [License] {
    ALL
}

/// The one with this key, in any case.
pub fn by_key(key: &str) -> Option<&'static License> {
    ALL.iter().find(|license| license.key.eq_ignore_ascii_case(key))
}

/// Their texts, made ready to be compared with others.
static TEXTS: LazyLock<Store> = LazyLock::new(|| {
    let mut texts = Store::new();
    for license in ALL {
        texts.add_license(license.key.to_owned(), license.text().into());
    }
    texts
});

/// Which of them a text is, but for names, years and white space.
pub fn detected(text: &str) -> Option<&'static License> {
    let found = TEXTS.analyze(&TextData::from(text));
    by_key(found.name).filter(|_| found.score > LIKENESS)
}

impl License {
    /// Its page in the list of SPDX.
    pub fn html_url(&self) -> String {
        format!("https://spdx.org/licenses/{}.html", self.id)
    }

    /// Its text, with places for a year and a name.
    pub fn text(&self) -> &'static str {
        spdx::license_id(self.id).map_or("", spdx::LicenseId::text)
    }

    /// The same for the code of somebody; what is not told stays a place to be filled.
    pub fn filled(&self, year: i16, project: Option<&str>, name: Option<&str>) -> String {
        let year = year.to_string();
        let mut text = self.text().to_owned();
        let mut fill = |places: &[&str], with: Option<&str>| {
            for place in places.iter().filter(|_| with.is_some()) {
                text = text.replace(place, with.unwrap_or_default());
            }
        };
        fill(&["<year>", "[yyyy]"], Some(&year));
        let owners = ["<copyright holders>", "<owner>", "[name of copyright owner]"];
        fill(&owners, name);
        fill(&["<name of author>"], name);
        let what = "<one line to give the program's name and a brief idea of what it does.>";
        fill(&[what, "<program>"], project);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_recognized_when_it_is_filled() {
        for license in ALL {
            let text = license.filled(2024, Some("Anvil"), Some("Ada Lovelace"));
            assert!(text.len() > 500, "{} has a text", license.key);
            let found = detected(&text).map(|found| found.key);
            assert_eq!(found, Some(license.key));
        }
        assert!(detected("All rights reserved.").is_none() && detected("").is_none());
    }

    #[test]
    fn names_and_years_are_filled_in() {
        let mit = by_key("MIT").expect("it is there");
        let text = mit.filled(2024, None, Some("Ada"));
        assert!(text.contains("Copyright (c) 2024 Ada\n"), "{text}");
        assert!(mit.filled(2024, None, None).contains("2024 <copyright holders>"));
    }

    #[test]
    fn keys_are_in_their_order() {
        assert!(ALL.is_sorted_by_key(|license| license.key));
    }
}
