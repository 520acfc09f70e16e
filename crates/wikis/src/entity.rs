//! Pages as JSON.

use crate::model::{Format, PageFile};
use crate::rules::Attachment;
use crate::tree::Page;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// A page in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WikiPageBasic {
    pub format: Format,
    pub slug: String,
    pub title: String,
    /// What events call it by; nothing of pages that nobody changed here.
    pub wiki_page_meta_id: Option<i64>,
}

impl WikiPageBasic {
    pub fn of(file: &PageFile, ids: &HashMap<String, i64>) -> WikiPageBasic {
        WikiPageBasic {
            format: file.format,
            slug: file.slug.clone(),
            title: file.title(),
            wiki_page_meta_id: ids.get(&file.slug).copied(),
        }
    }
}

/// A page with its text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WikiPage {
    #[serde(flatten)]
    pub basic: WikiPageBasic,
    /// As it was written, or as HTML if that was asked for.
    pub content: String,
    /// `UTF-8`.
    pub encoding: &'static str,
    pub front_matter: FrontMatter,
}

/// What stands above the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FrontMatter {
    /// What the page calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl WikiPage {
    pub fn of(page: &Page, ids: &HashMap<String, i64>, html: Option<String>) -> WikiPage {
        let matter = page.matter();
        WikiPage {
            basic: WikiPageBasic::of(&page.file, ids),
            content: html.unwrap_or_else(|| matter.content.to_owned()),
            encoding: "UTF-8",
            front_matter: FrontMatter { title: matter.title() },
        }
    }
}

/// A page of a list, with its text if that was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ListedPage {
    Basic(WikiPageBasic),
    Whole(Box<WikiPage>),
}

/// A file that was put beside the pages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WikiAttachment {
    pub file_name: String,
    pub file_path: String,
    pub branch: String,
    pub link: AttachmentLink,
}

/// How pages show it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AttachmentLink {
    pub url: String,
    pub markdown: String,
}

impl From<Attachment> for WikiAttachment {
    fn from(kept: Attachment) -> WikiAttachment {
        WikiAttachment {
            link: AttachmentLink { url: kept.path.clone(), markdown: kept.markdown() },
            file_name: kept.name,
            file_path: kept.path,
            branch: kept.branch,
        }
    }
}
