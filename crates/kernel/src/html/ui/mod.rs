//! The parts pages are made of, called from templates as `ui::input(…)`.
//!
//! A template's module imports this one (`use kernel::html::ui;`). Every part
//! escapes what it is given. Fields and the like are small builders:
//! `{{ ui::input("name", "Name", form.name).hint("…").error(errors.of("name")) }}`.
//!
//! What holds other markup is a macro of `templates/ui/parts.html`:
//! `{% call part::card("issues", "Issues") %}…{% endcall %}`.

mod avatar;
mod calendar;
mod chart;
mod editor;
mod fields;
mod headings;
pub(super) mod icons;
mod marks;
mod messages;
mod panel;
mod picker;
mod shows;
pub mod timeline;

pub use avatar::{Avatar, avatar};
pub use calendar::{Calendar, calendar};
pub use chart::{Bars, Ranking, Sparkline, bars, ranking, sparkline};
pub use editor::{Editor, editor};
pub use fields::{
    Checkbox, Choice, Field, Hidden, Select, area, checkbox, csrf, hidden, input, select,
};
pub use headings::{
    CardLink, CardSearch, Heading, Remark, Tally, Tile, Tiles, card_link, card_search, heading,
    remark, tally, tiles,
};
pub use icons::{Icon, icon};
pub use marks::{
    PartOfTime, PersonLink, StateDot, Swatch, Tag, part_of_time, person, state_dot, swatch, tag,
};
pub use messages::{
    Alert, Hint, Message, Problem, ScriptAlert, alert, hint, message, problem, script_alert,
};
pub use panel::{Panel, Row, Rows, panel, rows};
pub use picker::{Picker, picker};
pub use shows::{
    Badge, Chip, Chips, Confirm, Copied, Empty, Pager, Progress, Tab, Tabs, badge, bytes, chips,
    confirm, copy, count, day, day_of, empty, pager, progress, role, state, tabs, total, up_to,
    visibility, when,
};
pub use timeline::Timeline;
