//! Names, versions and archives of Terraform modules.

#![no_main]

use libfuzzer_sys::fuzz_target;
use packages::archive;
use packages::formats::terraform::{check_version, package_name, submodule};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = package_name(&text, "aws");
    let _ = check_version(&text);
    let _ = submodule(&text);
    let _ = archive::tar_gz(data, data.len() as u64, |path| submodule(path).is_some());
});
