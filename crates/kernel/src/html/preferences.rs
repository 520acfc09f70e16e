//! How somebody wants their pages.

use crate::time::Date;

kernel::choices! {
    /// The colours of pages.
    #[derive(Default)]
    pub enum Theme {
        /// As the browser's system has them.
        #[default]
        System = "system",
        Light = "light",
        Dark = "dark",
    }
}

kernel::choices! {
    /// How much room lists and forms take.
    #[derive(Default)]
    pub enum Density {
        #[default]
        Comfortable = "comfortable",
        Compact = "compact",
    }
}

kernel::choices! {
    /// The day a week begins with.
    #[derive(Default)]
    pub enum FirstDay {
        #[default]
        Monday = "monday",
        Saturday = "saturday",
        Sunday = "sunday",
    }
}

impl FirstDay {
    /// Days between the beginning of a day's week and that day.
    pub fn days_before(self, day: Date) -> i64 {
        let first = match self {
            FirstDay::Monday => 0,
            FirstDay::Saturday => 5,
            FirstDay::Sunday => 6,
        };
        (i64::from(day.weekday().to_monday_zero_offset()) - first).rem_euclid(7)
    }
}

/// What a user chose for the pages they see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The colours.
    pub theme: Theme,
    /// How much room lists and forms take.
    pub density: Density,
    /// The day a week begins with, in calendars.
    pub first_day: FirstDay,
    /// The IANA name of a time zone; none for what the browser says.
    pub time_zone: Option<String>,
}

impl Preferences {
    /// What the page says of them for its style sheet, script and times: names
    /// behind `data-`, and values.
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        if self.theme != Theme::System {
            all.push(("theme", self.theme.to_string()));
        }
        if self.density != Density::Comfortable {
            all.push(("density", self.density.to_string()));
        }
        all.extend(self.time_zone.clone().map(|zone| ("zone", zone)));
        all
    }

    /// What browsers are told before the style sheet has come.
    pub fn color_scheme(&self) -> &'static str {
        match self.theme {
            Theme::System => "light dark",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}
