//! Exact times on a page as the clock of its viewer shows them. Moments are
//! made far from who looks, so the finished page is gone through: the time zone
//! stands in its first tag, each time in its own.

use crate::time::Timestamp;
use crate::zones;
use jiff::tz::TimeZone;

const ZONE: &str = " data-zone=\"";
const TIME: &str = "<time datetime=\"";
const TITLE: &str = "\" title=\"";

/// How an instant is written out.
pub(super) const EXACT: &str = "%-d %b %Y, %H:%M %Z";

/// The page with its exact times in its viewer's zone, where one is set.
pub(super) fn zoned(page: String) -> String {
    let Some(zone) = zone_of(&page) else {
        return page;
    };
    let mut parts = page.split(TIME);
    let mut shown = String::with_capacity(page.len());
    shown.push_str(parts.next().unwrap_or_default());
    for part in parts {
        shown.push_str(TIME);
        match exact(part, &zone) {
            Some((iso, exact, rest)) => {
                shown.push_str(&format!("{iso}{TITLE}{exact}{rest}"));
            }
            None => shown.push_str(part),
        }
    }
    shown
}

/// The zone that the page's first tag names.
fn zone_of(page: &str) -> Option<TimeZone> {
    let tag = &page[page.find("<html")?..];
    let tag = &tag[..tag.find('>')?];
    let name = tag.split_once(ZONE)?.1.split('"').next()?;
    zones::named(name).map(zones::zone)
}

/// A time's instant, how the zone writes it, and what follows that.
fn exact<'p>(part: &'p str, zone: &TimeZone) -> Option<(&'p str, String, &'p str)> {
    let (iso, behind) = part.split_once(TITLE)?;
    let at: Timestamp = iso.parse().ok()?;
    let rest = &behind[behind.find('"')?..];
    let exact = at.to_zoned(zone.clone()).strftime(EXACT).to_string();
    Some((iso, exact, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "<time datetime=\"2026-03-04T10:00:00.000Z\" title=\"4 Mar 2026, 10:00 UTC\">";

    #[test]
    fn times_are_written_in_the_zone_that_is_set() {
        let page = |zone: &str| format!("<!doctype html>\n<html lang=\"en\"{zone}><p>é{AT}x{AT}");
        assert_eq!(zoned(page("")), page(""));
        let tokyo = zoned(page(" data-zone=\"Asia/Tokyo\""));
        assert_eq!(tokyo.matches("title=\"4 Mar 2026, 19:00 JST\">").count(), 2, "{tokyo}");
        assert!(tokyo.contains("datetime=\"2026-03-04T10:00:00.000Z\""));
    }

    #[test]
    fn what_is_no_time_or_zone_stays() {
        for odd in [
            "<html data-zone=\"Mars/Base\"><time datetime=\"x\" title=\"y\">",
            "<html data-zone=\"Asia/Tokyo\"><time datetime=\"x\" title=\"y\"><time datetime=\"",
            "<html data-zone=\"Asia/Tokyo\"",
            "<p data-zone=\"Asia/Tokyo\">",
        ] {
            assert_eq!(zoned(odd.to_owned()), odd);
        }
    }
}
