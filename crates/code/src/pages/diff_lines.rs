//! `/-/diff_lines/COMMIT/PATH?from=1&to=20`: lines of a file between the hunks of what
//! differs, for the script of pages that show it.

use super::CodeVisit;
use super::blob::read;
use super::parts::diff::same_lines;
use crate::{highlight, text};
use askama::Template;
use http::Method;
use kernel::error::{Error, Found, Result};
use kernel::html::Html;
use kernel::http::{Params, Response, Routes};
use spaces::pages::PROJECT;
use std::sync::Arc;

/// Bytes of a file whose lines are shown.
const MOST: u64 = 5 * 1024 * 1024;
/// Lines that are had at once.
const MOST_LINES: u32 = 500;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/diff_lines/{{*rest}}"), show);
}

kernel::params! {
    struct AskedLines {
        /// The first line, and the last.
        pub from: i64,
        pub to: i64,
        /// What is added to a number for that on the old side.
        pub shift: Option<i64>,
        /// The file's place on the page.
        pub id: String,
        /// `parallel` has both sides beside each other.
        pub view: Option<String>,
    }
}

impl AskedLines {
    /// Which lines are meant, from 0, and the number of each on the old side.
    fn range(&self) -> Result<(u32, u32, i64)> {
        let number = |name: &str, number: i64| {
            let read = u32::try_from(number).ok().filter(|number| *number > 0);
            read.ok_or_else(|| Error::Parameters(vec![format!("{name} is invalid")]))
        };
        let (from, to) = (number("from", self.from)?, number("to", self.to)?);
        let shift = self.shift.unwrap_or(0);
        number("shift", i64::from(from).saturating_add(shift))?;
        Ok((from, to.min(from.saturating_add(MOST_LINES - 1)), shift))
    }

    /// The name of a file on a page, if this is one.
    fn id(&self) -> Result<&str> {
        let is_name = self.id.len() == 40 && self.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then_some(self.id.as_str()).found("File")
    }
}

#[derive(Template)]
#[template(source = "{{ html|safe }}", ext = "html")]
struct LinesView {
    html: String,
}

async fn show(visit: CodeVisit, asked: Params<AskedLines>) -> Result<Response> {
    let (from, to, shift) = asked.range()?;
    let id = asked.id()?.to_owned();
    let is_parallel = asked.view.as_deref() == Some("parallel");
    let (head, spot) = visit.spot().await?;
    let name = spot.path.name().to_owned();
    let file = visit.objects(&head, move |objects| read(objects, &spot, MOST)).await?;
    let file = file.found("File")?;
    let content = file.blob.content.as_deref().and_then(text::letters);
    let content = Arc::<str>::from(content.found("File")?);
    let lines = highlight::coloured(&visit.app, file.blob.id, &name, content).await;
    let first = usize::try_from(from - 1).unwrap_or(usize::MAX);
    let shown = lines.iter().skip(first).zip(from..=to).filter_map(|(line, new)| {
        let old = u32::try_from(i64::from(new).saturating_add(shift)).ok()?;
        Some((new, old, &**line))
    });
    let view = LinesView { html: same_lines(&id, is_parallel, shown) };
    Ok(Html::new(&view)?.response())
}
