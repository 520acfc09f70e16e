//! What the pages of notification settings show.

use super::{EventBox, Shown};
use crate::notifications::store::PlaceRow;
use askama::Template;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Page, Pages};
use spaces::pages::SpaceHead;

/// `/-/profile/notifications`.
#[derive(Template)]
#[template(path = "notifications.html")]
pub struct OwnNotifications {
    pub page: Page,
    pub shown: Shown,
    pub levels: Vec<Choice>,
    pub digests: Vec<Choice>,
    pub addresses: Vec<Choice>,
    pub boxes: Vec<EventBox>,
    /// Where the viewer is a member.
    pub places: Vec<PlaceRow>,
    /// Where the viewer is none and has set something.
    pub others: Vec<PlaceRow>,
    pub place_levels: Vec<Choice>,
    pub pages: Pages,
    pub errors: Errors,
}

/// `…/-/notification_settings`.
#[derive(Template)]
#[template(path = "place_notifications.html")]
pub struct PlaceNotifications {
    pub page: Page,
    pub head: SpaceHead,
    pub shown: Shown,
    pub levels: Vec<Choice>,
    pub digests: Vec<Choice>,
    /// Of groups.
    pub addresses: Option<Vec<Choice>>,
    pub boxes: Vec<EventBox>,
    pub errors: Errors,
}
