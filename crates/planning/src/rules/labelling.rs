//! Which labels something gets and which it loses, alike for issues, epics and merge
//! requests.

use super::labels::label_ids;
use crate::access::Parent;
use kernel::error::Result;
use std::mem::take;
use store::Tx;

kernel::params! {
    /// What is said of the labels of something, new or not. What has a value here is no
    /// parameter of both, and set by who has it.
    /// Labels are added and taken away one by one, so two changes at once lose none.
    #[derive(Default, PartialEq)]
    pub struct Labelling {
        /// Titles of labels: these and no others.
        pub labels: Option<Vec<String>>,
        /// Those of these ids, too.
        pub label_ids: Option<Vec<i64>> = None,
        /// Titles of labels: these, too.
        pub add_labels: Option<Vec<String>>,
        pub add_label_ids: Vec<i64> = Vec::new(),
        pub remove_labels: Vec<String> = Vec::new(),
        pub remove_label_ids: Vec<i64> = Vec::new(),
    }
}

impl Labelling {
    /// These and no others.
    pub fn these(titles: Vec<String>) -> Labelling {
        Labelling { labels: Some(titles), ..Labelling::default() }
    }

    /// These, too.
    pub fn also(titles: Vec<String>) -> Labelling {
        Labelling { add_labels: Some(titles), ..Labelling::default() }
    }

    /// These no longer.
    pub fn without(titles: Vec<String>) -> Labelling {
        Labelling { remove_labels: titles, ..Labelling::default() }
    }

    /// These, by their ids, too.
    pub fn also_ids(ids: Vec<i64>) -> Labelling {
        Labelling { add_label_ids: ids, ..Labelling::default() }
    }

    /// What equals it where it says nothing: no titles add nothing.
    pub fn nothing(&self) -> Labelling {
        Labelling {
            add_labels: self.add_labels.clone().filter(Vec::is_empty),
            ..Labelling::default()
        }
    }

    /// Makes ids of what is named, as far as that may be used there; labels that are
    /// missing are made.
    ///
    /// # Errors
    ///
    /// 400 for too many, and for titles that no label may have.
    pub fn resolve(&mut self, tx: &mut Tx<'_>, parent: &Parent) -> Result<()> {
        if self.labels.is_some() || self.label_ids.is_some() {
            let titles = self.labels.take().unwrap_or_default();
            let ids = self.label_ids.take().unwrap_or_default();
            self.label_ids = Some(label_ids(tx, parent, &titles, &ids, true)?);
        }
        let added = self.add_labels.take().unwrap_or_default();
        self.add_label_ids = label_ids(tx, parent, &added, &self.add_label_ids, true)?;
        let removed = take(&mut self.remove_labels);
        self.remove_label_ids = label_ids(tx, parent, &removed, &self.remove_label_ids, false)?;
        Ok(())
    }
}
