//! The part of `/application/settings` about read-only mode.

use kernel::read_only::ReadOnly;

crate::settings_part! {
    ReadOnly {
        /// Whether nobody may change anything but these settings.
        maintenance_mode: bool => enabled,
    } sealed {
    }
}
