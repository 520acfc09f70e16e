//! Metric images of alerts.

use crate::alerts::model::MetricImage;
use crate::rows::rows_below;
use kernel::error::Result;
use store::{Tx, sql};

#[derive(Debug, Clone)]
pub struct NewImage {
    /// Without the ending.
    pub file_name: String,
    /// `png`, `jpg`, `gif` or `webp`.
    pub ending: &'static str,
    pub bytes: Vec<u8>,
    pub url: Option<String>,
    pub url_text: Option<String>,
}

rows_below!(
    MetricImage, "alert_metric_images", "alert_id", number "id",
    only MetricImage::COLUMNS
);

pub fn insert(tx: &mut Tx<'_>, alert_id: i64, new: &NewImage) -> Result<MetricImage> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into alert_metric_images
                (alert_id, file_name, ending, bytes, url, url_text, created_at)
             values ($1, $2, $3, $4, $5, $6, $7) returning ",
            MetricImage::COLUMNS
        ),
        (
            alert_id,
            new.file_name.as_str(),
            new.ending,
            new.bytes.as_slice(),
            new.url.as_deref(),
            new.url_text.as_deref(),
            now,
        ),
    )?)
}

pub fn update(tx: &mut Tx<'_>, image: &MetricImage) -> Result<()> {
    tx.execute(
        sql!("update alert_metric_images set url = $2, url_text = $3 where id = $1"),
        (image.id, image.url.as_deref(), image.url_text.as_deref()),
    )?;
    Ok(())
}

/// Removes one; whether it was there.
pub fn remove(tx: &mut Tx<'_>, alert_id: i64, id: i64) -> Result<bool> {
    let removed = tx.execute(
        sql!("delete from alert_metric_images where alert_id = $1 and id = $2"),
        (alert_id, id),
    )?;
    Ok(removed > 0)
}

pub fn whole(tx: &mut Tx<'_>, id: i64) -> Result<Option<(i64, String, String, Vec<u8>)>> {
    Ok(tx.optional(
        sql!(
            "select a.project_id, i.file_name, i.ending, i.bytes from alert_metric_images i
             join alerts a on a.id = i.alert_id where i.id = $1"
        ),
        (id,),
    )?)
}
