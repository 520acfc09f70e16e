//! The table of licenses.

use super::License;

/// What all of them allow, and what those do that speak of patents.
const USE: &[&str] = &["commercial-use", "modifications", "distribution", "private-use"];
const USE_AND_PATENTS: &[&str] =
    &["commercial-use", "modifications", "distribution", "patent-use", "private-use"];
/// What they do not answer for.
const NO_DUTY: &[&str] = &["liability", "warranty"];
/// All that many of them ask for.
const NOTICE: &[&str] = &["include-copyright"];

/// By their keys.
pub(super) const ALL: &[License] = &[
    License {
        key: "agpl-3.0",
        id: "AGPL-3.0",
        name: "GNU Affero General Public License v3.0",
        nickname: Some("GNU AGPLv3"),
        source_url: "https://www.gnu.org/licenses/agpl-3.0.txt",
        popular: false,
        description: "Whoever lets others use a changed version, even over a network, \
            shares its whole source under the same terms.",
        conditions: &[
            "include-copyright",
            "document-changes",
            "disclose-source",
            "network-use-disclose",
            "same-license",
        ],
        permissions: USE_AND_PATENTS,
        limitations: NO_DUTY,
    },
    License {
        key: "apache-2.0",
        id: "Apache-2.0",
        name: "Apache License 2.0",
        nickname: None,
        source_url: "https://www.apache.org/licenses/LICENSE-2.0.txt",
        popular: true,
        description: "Do what you like, keep the notices and say what you changed; \
            contributors grant their patents, too.",
        conditions: &["include-copyright", "document-changes"],
        permissions: USE_AND_PATENTS,
        limitations: &["trademark-use", "liability", "warranty"],
    },
    License {
        key: "bsd-2-clause",
        id: "BSD-2-Clause",
        name: "BSD 2-Clause \"Simplified\" License",
        nickname: None,
        source_url: "https://opensource.org/license/bsd-2-clause",
        popular: false,
        description: "Do what you like and keep the notices.",
        conditions: NOTICE,
        permissions: USE,
        limitations: NO_DUTY,
    },
    License {
        key: "bsd-3-clause",
        id: "BSD-3-Clause",
        name: "BSD 3-Clause \"New\" or \"Revised\" License",
        nickname: None,
        source_url: "https://opensource.org/license/bsd-3-clause",
        popular: false,
        description: "Do what you like and keep the notices, but do not advertise with the \
            names of the authors.",
        conditions: NOTICE,
        permissions: USE,
        limitations: NO_DUTY,
    },
    License {
        key: "bsl-1.0",
        id: "BSL-1.0",
        name: "Boost Software License 1.0",
        nickname: None,
        source_url: "https://www.boost.org/LICENSE_1_0.txt",
        popular: false,
        description: "Do what you like; the notices are kept where source is handed on, and \
            need not be with programs.",
        conditions: &["include-copyright--source"],
        permissions: USE,
        limitations: NO_DUTY,
    },
    License {
        key: "cc0-1.0",
        id: "CC0-1.0",
        name: "Creative Commons Zero v1.0 Universal",
        nickname: None,
        source_url: "https://creativecommons.org/publicdomain/zero/1.0/legalcode",
        popular: false,
        description: "All rights are given up, as far as the law allows that.",
        conditions: &[],
        permissions: USE,
        limitations: &["liability", "trademark-use", "patent-use", "warranty"],
    },
    License {
        key: "epl-2.0",
        id: "EPL-2.0",
        name: "Eclipse Public License 2.0",
        nickname: None,
        source_url: "https://www.eclipse.org/legal/epl-2.0/",
        popular: false,
        description: "Changed files stay under these terms, what is only combined with them \
            need not; contributors grant their patents.",
        conditions: &["disclose-source", "include-copyright", "same-license"],
        permissions: USE_AND_PATENTS,
        limitations: NO_DUTY,
    },
    License {
        key: "gpl-2.0",
        id: "GPL-2.0",
        name: "GNU General Public License v2.0",
        nickname: Some("GNU GPLv2"),
        source_url: "https://www.gnu.org/licenses/old-licenses/gpl-2.0.txt",
        popular: false,
        description: "Whoever hands on a changed version shares its whole source under the \
            same terms.",
        conditions: &["include-copyright", "document-changes", "disclose-source", "same-license"],
        permissions: USE,
        limitations: NO_DUTY,
    },
    License {
        key: "gpl-3.0",
        id: "GPL-3.0",
        name: "GNU General Public License v3.0",
        nickname: Some("GNU GPLv3"),
        source_url: "https://www.gnu.org/licenses/gpl-3.0.txt",
        popular: true,
        description: "Whoever hands on a changed version shares its whole source under the \
            same terms, and grants patents.",
        conditions: &["include-copyright", "document-changes", "disclose-source", "same-license"],
        permissions: USE_AND_PATENTS,
        limitations: NO_DUTY,
    },
    License {
        key: "isc",
        id: "ISC",
        name: "ISC License",
        nickname: None,
        source_url: "https://opensource.org/license/isc-license-txt",
        popular: false,
        description: "Do what you like and keep the notice; it says so in the fewest words.",
        conditions: NOTICE,
        permissions: USE,
        limitations: NO_DUTY,
    },
    License {
        key: "lgpl-2.1",
        id: "LGPL-2.1",
        name: "GNU Lesser General Public License v2.1",
        nickname: Some("GNU LGPLv2.1"),
        source_url: "https://www.gnu.org/licenses/old-licenses/lgpl-2.1.txt",
        popular: false,
        description: "Changes of the library stay under these terms; programs that use it \
            need not be.",
        conditions: &[
            "include-copyright",
            "disclose-source",
            "document-changes",
            "same-license--library",
        ],
        permissions: USE,
        limitations: NO_DUTY,
    },
    License {
        key: "lgpl-3.0",
        id: "LGPL-3.0",
        name: "GNU Lesser General Public License v3.0",
        nickname: Some("GNU LGPLv3"),
        source_url: "https://www.gnu.org/licenses/lgpl-3.0.txt",
        popular: false,
        description: "Changes of the library stay under these terms; programs that use it \
            need not be, and patents are granted.",
        conditions: &[
            "include-copyright",
            "disclose-source",
            "document-changes",
            "same-license--library",
        ],
        permissions: USE_AND_PATENTS,
        limitations: NO_DUTY,
    },
    License {
        key: "mit",
        id: "MIT",
        name: "MIT License",
        nickname: None,
        source_url: "https://opensource.org/license/mit",
        popular: true,
        description: "Do what you like and keep the notice; nobody answers for the code.",
        conditions: NOTICE,
        permissions: USE,
        limitations: NO_DUTY,
    },
    License {
        key: "mpl-2.0",
        id: "MPL-2.0",
        name: "Mozilla Public License 2.0",
        nickname: None,
        source_url: "https://www.mozilla.org/media/MPL/2.0/index.txt",
        popular: false,
        description: "Changed files stay under these terms, other files of a larger work \
            need not; contributors grant their patents.",
        conditions: &["disclose-source", "include-copyright", "same-license--file"],
        permissions: USE_AND_PATENTS,
        limitations: &["liability", "trademark-use", "warranty"],
    },
    License {
        key: "unlicense",
        id: "Unlicense",
        name: "The Unlicense",
        nickname: None,
        source_url: "https://unlicense.org/UNLICENSE",
        popular: false,
        description: "The code belongs to everybody, without any terms.",
        conditions: &[],
        permissions: USE,
        limitations: NO_DUTY,
    },
];
