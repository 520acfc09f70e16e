//! Packages of symbols: the debug files within, kept one by one so that
//! debuggers can fetch them. The channel of such a file is its signature.

use super::pdb::{self, Identity};
use super::{NUGET, SymbolPath, nuspec};
use crate::archive;
use crate::client::Client;
use crate::store::index;
use crate::upload;
use bytes::Bytes;
use futures_util::stream;
use kernel::app::App;
use kernel::blobs::Received;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, Response};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;

const MAX_FILES: usize = 500;
/// Longest name of one, in bytes.
const MAX_NAME: usize = 255;
/// Bytes read of an archive at once.
const PIECE: usize = 64 * 1024;
/// Most bytes unpacked where the format has no limit.
const MAX_UNPACKED: u64 = 4 * 1024 * 1024 * 1024;

pub struct Symbol {
    /// Its name, without folders.
    pub name: String,
    pub identity: Identity,
    pub received: Received,
}

/// What is kept of a debug file beside its row.
#[derive(Debug, Serialize, Deserialize)]
pub struct SymbolMetadata {
    signature: String,
    checksum: String,
}

impl Symbol {
    /// What is kept of it, as JSON text.
    pub fn kept(&self) -> Result<String> {
        let kept = SymbolMetadata {
            signature: self.identity.signature.clone(),
            checksum: self.identity.checksum.clone(),
        };
        serde_json::to_string(&kept).map_err(Error::internal)
    }
}

/// What an archive of symbols holds. Blocks; for threads of a runtime that
/// may. `limit` is that of one file of the format; all debug files together
/// have no more.
pub fn read(app: &App, file: File, limit: Option<u64>) -> Result<(nuspec::Nuspec, Vec<Symbol>)> {
    let nuspec = nuspec::read(file.try_clone()?)?.nuspec;
    let runtime = tokio::runtime::Handle::current();
    let mut symbols: Vec<Symbol> = Vec::new();
    archive::visit_zip(file, is_symbols, limit.unwrap_or(MAX_UNPACKED), |path, from| {
        if symbols.len() == MAX_FILES {
            return Err(refused("the archive has too many symbol files".into()));
        }
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        if name.len() > MAX_NAME || name.contains(char::is_control) {
            return Err(refused("the archive has an entry with an unsafe name".into()));
        }
        let pieces = stream::iter(std::iter::from_fn(|| piece(from).transpose()));
        let received = runtime.block_on(upload::receive_part(app, None, pieces))?;
        let identity = pdb::identify(&name, received.open()?)?;
        let known = symbols.iter().any(|one| one.identity == identity && one.name == name);
        if !known {
            symbols.push(Symbol { name, identity, received });
        }
        Ok(())
    })?;
    Ok((nuspec, symbols))
}

/// The next bytes of a member, until its end.
fn piece(from: &mut (dyn Read + Send)) -> Result<Option<Bytes>> {
    let mut bytes = vec![0; PIECE];
    let read = from.read(&mut bytes).map_err(archive::unreadable)?;
    bytes.truncate(read);
    Ok((read > 0).then(|| bytes.into()))
}

fn is_symbols(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".pdb")
}

/// Sends the debug file of a name, signature and checksum.
pub async fn show(params: Params<SymbolPath>, client: Client) -> Result<Response> {
    let Params(path) = params;
    let wanted = client.request.header("symbolchecksum").map(checksums);
    let file = client.read(move |tx, scope, _| {
        let wanted = wanted.filter(|wanted| !wanted.is_empty());
        let wanted = wanted.ok_or_else(|| refused("Missing checksum header".into()))?;
        if !path.symbol_file.eq_ignore_ascii_case(&path.same_file) {
            return Err(Error::NotFound("Package File"));
        }
        let signature = path.signature.to_ascii_lowercase();
        let files = scope.of_format(NUGET).files_in_channel(tx, &signature)?;
        let mut files = files.into_iter().map(|found| found.file);
        files
            .find(|found| {
                found.file.file_name.eq_ignore_ascii_case(&path.symbol_file) && fits(found, &wanted)
            })
            .found("Package File")
    });
    client.send(&file.await?.file).await
}

/// The SHA-256 digests of a header: `algorithm:hex`, several divided by `;`.
fn checksums(header: &str) -> Vec<String> {
    let all = header.split([';', ',']);
    let digests = all.filter_map(|one| one.trim().split_once(':'));
    digests
        .filter(|(algorithm, _)| algorithm.trim().eq_ignore_ascii_case("sha256"))
        .map(|(_, digest)| digest.trim().to_ascii_lowercase())
        .collect()
}

/// Whether one of the digests is that of the file, or of the file with zeros
/// for its id, as executables carry it.
fn fits(found: &index::IndexedFile, wanted: &[String]) -> bool {
    let kept = found.metadata.as_deref();
    let kept = kept.and_then(|text| serde_json::from_str::<SymbolMetadata>(text).ok());
    let own = kept.map(|kept| kept.checksum).unwrap_or_default();
    wanted.iter().any(|digest| *digest == own || *digest == found.file.sha256)
}

fn refused(reason: String) -> Error {
    Error::BadRequest(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_may_name_several_digests() {
        assert_eq!(checksums("SHA256:AB"), ["ab"]);
        assert_eq!(checksums("SHA1:cd; sha256: ab ;SHA256:ef"), ["ab", "ef"]);
        assert!(checksums("").is_empty() && checksums("ab").is_empty());
    }
}
