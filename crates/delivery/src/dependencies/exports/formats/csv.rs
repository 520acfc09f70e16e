//! `csv`: a line for each dependency (RFC 4180, lines end with a line feed). What a
//! spreadsheet would take for a formula is made a text.

use super::parts::{Location, identifier};
use super::rows::Batches;
use crate::dependencies::entity::LicenseEntity;
use std::borrow::Cow;
use std::io::{self, Write};

const HEADER: &str = "Name,Version,Packager,Location,License Identifiers,Project,\
    Vulnerabilities Detected,Vulnerability IDs\n";
/// Between the parts of one cell.
const BETWEEN: &str = "; ";

pub struct Csv<W>(W);

impl<W: Write> Csv<W> {
    pub fn begin(mut out: W) -> io::Result<Csv<W>> {
        out.write_all(HEADER.as_bytes())?;
        Ok(Csv(out))
    }

    pub fn batch(&mut self, all: Batches) -> io::Result<()> {
        for batch in &all.batches {
            for row in &batch.rows {
                let known = all.vulnerabilities.get(&row.id).map(Vec::as_slice).unwrap_or_default();
                let licenses = LicenseEntity::all(&row.licenses.0);
                let licenses: Vec<&str> = licenses.iter().map(identifier).collect();
                let known_ids: Vec<&str> = known.iter().map(|one| one.id.as_str()).collect();
                self.line(&[
                    &row.full_name(),
                    row.version.as_deref().unwrap_or_default(),
                    row.packager.as_deref().unwrap_or_default(),
                    Location::of(batch, row).blob_path.as_deref().unwrap_or_default(),
                    &licenses.join(BETWEEN),
                    &batch.place.full_path,
                    &known.len().to_string(),
                    &known_ids.join(BETWEEN),
                ])?;
            }
        }
        Ok(())
    }

    fn line(&mut self, cells: &[&str]) -> io::Result<()> {
        let mut line = String::new();
        for (position, value) in cells.iter().enumerate() {
            if position > 0 {
                line.push(',');
            }
            line.push_str(&cell(value));
        }
        line.push('\n');
        self.0.write_all(line.as_bytes())
    }

    pub fn finish(self) -> W {
        self.0
    }
}

/// A value as a cell: on one line, no formula, and quoted where it has to be.
fn cell(value: &str) -> String {
    let mut text: Cow<'_, str> = Cow::Borrowed(value);
    if text.contains('\n') {
        text = Cow::Owned(text.replace('\n', "\\n"));
    }
    if text.starts_with(['=', '+', '-', '@', ';', '\t', '\r']) {
        text = Cow::Owned(format!("'{text}"));
    }
    match text.contains(['"', ',', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_texts_on_one_line() {
        for (value, wanted) in [
            ("", ""),
            ("left-pad", "left-pad"),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (";a", "';a"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("\n=1", "\\n=1"),
            ("a\nb", "a\\nb"),
            ("a,b", "\"a,b\""),
            ("say \"a\"", "\"say \"\"a\"\"\""),
            ("=cmd|'/c calc'!A1,\"x\"", "\"'=cmd|'/c calc'!A1,\"\"x\"\"\""),
            ("MIT; Apache-2.0", "MIT; Apache-2.0"),
            ("ü", "ü"),
        ] {
            assert_eq!(cell(value), wanted, "{value:?}");
        }
    }
}
