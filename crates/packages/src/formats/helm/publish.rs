//! Uploads: a form with the chart and, if it is signed, its provenance file.

use super::chart::Chart;
use super::{Channel, PROVENANCE, check_channel, proves};
use crate::client::Client;
use crate::model::PackageType;
use crate::rules::publish::{Destination, Repeat, add_beside};
use crate::scope::Scope;
use crate::store::files;
use crate::upload::{self, Uploaded};
use crate::upload_form::{SentFile, UploadForm};
use kernel::error::{Error, Result};
use kernel::http::{Params, Parts};
use std::io::Read;

const CHART: &str = "chart";
const PROV: &str = "prov";
/// Most bytes of a provenance file: it repeats Chart.yaml.
const MAX_PROV: u64 = 256 * 1024;

pub async fn publish(params: Params<Channel>, client: Client, parts: Parts) -> Result<Uploaded> {
    let Params(to) = params;
    upload::admit_publisher(&client, &to.id).await?;
    check_channel(&to.channel)?;
    let mut form = UploadForm::receive(&client, PackageType::Helm, parts, &[CHART, PROV]).await?;
    let sent = form.take_file(CHART).ok_or_else(|| Error::missing(CHART))?;
    let (chart, readme) = upload::inspect(&sent.received, Chart::read).await?;
    let digest = sent.received.stored().sha256.clone();
    let prov = match form.take_file(PROV) {
        Some(prov) => Some(checked(prov, digest.clone()).await?),
        None => None,
    };
    let kept = chart.kept()?;
    let destination = Destination {
        repeat: Repeat::Nothing,
        metadata: Some(kept.clone()),
        file_metadata: Some(kept),
        readme,
        ..Destination::new(
            PackageType::Helm,
            &chart.name,
            Some(&chart.version),
            format!("{}-{}.tgz", chart.name, chart.version),
        )
    };
    upload::admit(&client, &to.id, &destination).await?;

    let stored = upload::keep(&client.app, sent.received).await?;
    let prov = match prov {
        Some(prov) => Some(upload::keep(&client.app, prov.received).await?),
        None => None,
    };
    let (channel, of) = (to.channel.clone(), client.viewer.clone());
    upload::publish_then(
        &client,
        &to.id,
        destination,
        stored,
        move |tx, entered, package, file| {
            let scope = Scope::of_project(entered.project.id);
            let name = &file.file_name;
            let known = scope.of_format(PackageType::Helm).newest_in_channel(tx, &channel, name)?;
            if known.is_some_and(|known| known.file.file.package_id != package.id) {
                return Err(Error::BadRequest(format!(
                    "{name} is the file of another chart in this channel"
                )));
            }
            files::set_channel(tx, file.id, &channel)?;
            if let Some(prov) = &prov {
                let (name, proves) = (format!("{name}{PROVENANCE}"), proves(&digest));
                let file = add_beside(tx, &of, package, &name, prov, Some(&proves))?;
                files::set_channel(tx, file.id, &channel)?;
            }
            Ok(())
        },
    )
    .await?;
    Ok(Uploaded)
}

/// Refuses a provenance file that is not about the chart with this digest.
async fn checked(prov: SentFile, digest: String) -> Result<SentFile> {
    let proven = upload::inspect(&prov.received, move |file| {
        let mut text = Vec::new();
        file.take(MAX_PROV + 1).read_to_end(&mut text).map_err(Error::internal)?;
        let is_short = text.len() as u64 <= MAX_PROV;
        let text = String::from_utf8_lossy(&text);
        let is_signed = text.trim_start().starts_with("-----BEGIN PGP SIGNED MESSAGE-----");
        Ok(is_short && is_signed && text.contains(&format!("sha256:{digest}")))
    });
    if proven.await? {
        Ok(prov)
    } else {
        let text = "the provenance file is not that of the chart";
        Err(Error::BadRequest(text.into()))
    }
}
