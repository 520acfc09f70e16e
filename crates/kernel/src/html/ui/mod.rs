//! The parts pages are made of, called from templates as `ui::input(…)`.
//!
//! A template's module imports this one (`use kernel::html::ui;`). Every part
//! escapes what it is given. Fields and the like are small builders:
//! `{{ ui::input("name", "Name", form.name).hint("…").error(errors.of("name")) }}`.

mod avatar;
mod chart;
mod editor;
mod fields;
pub(super) mod icons;
mod panel;
mod picker;
mod shows;

pub use avatar::{Avatar, avatar};
pub use chart::{Bars, Ranking, Sparkline, bars, ranking, sparkline};
pub use editor::{Editor, editor};
pub use fields::{
    Checkbox, Choice, Field, Hidden, Select, area, checkbox, csrf, hidden, input, select,
};
pub use icons::{Icon, icon};
pub use panel::{Panel, Row, Rows, panel, rows};
pub use picker::{Picker, picker};
pub use shows::{
    Badge, Chip, Chips, Confirm, Copied, Empty, Pager, Progress, Tab, Tabs, badge, bytes, chips,
    confirm, copy, count, day, day_of, empty, pager, progress, role, state, tabs, visibility, when,
};
