//! What the page of conflicts shows, and what was chosen there so far.

use crate::conflicts::landing::Branches;
use crate::conflicts::resolving::Answer;
use crate::conflicts::{File, Found as Conflicts, Kind, Pick, Text};
use crate::model::MergeRequest;
use crate::pages::frame::{Found, Frame};
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::code_area::{CodeArea, code_area};
use code::visible::visible;
use kernel::html::{Page, ui};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Lines that both sides agree on, shown beside a conflict; so many more are not folded.
const CONTEXT: usize = 3;
const FEW: usize = 8;

/// Whether there is something to resolve.
pub enum Outlook {
    NotOpen,
    NoBranch,
    NoConflicts,
    Conflicts(Arc<Conflicts>),
}

impl Outlook {
    /// Why there is nothing.
    fn nothing(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Outlook::NotOpen => Some(("Nothing to resolve", "This merge request is not open.")),
            Outlook::NoBranch => Some(("Nothing to resolve", "One of its branches is gone.")),
            Outlook::NoConflicts => Some(("No conflicts", "Git merges both branches by itself.")),
            Outlook::Conflicts(_) => None,
        }
    }

    fn conflicts(&self) -> Option<&Conflicts> {
        match self {
            Outlook::Conflicts(found) => Some(found),
            Outlook::NotOpen | Outlook::NoBranch | Outlook::NoConflicts => None,
        }
    }

    fn files(&self) -> &[File] {
        self.conflicts().map_or(&[], |found| &found.files)
    }
}

/// What was chosen so far.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// By the keys of files.
    answers: HashMap<String, Answer>,
    pub message: Option<String>,
    /// What is wrong with files, by their keys.
    errors: HashMap<String, &'static str>,
}

impl Form {
    /// What was sent.
    pub fn new(answers: HashMap<String, Answer>, message: String) -> Form {
        Form { answers, message: Some(message), errors: HashMap::new() }
    }

    /// Has the text of a file be written, beginning with what was chosen so far, or sides
    /// chosen again.
    pub fn switch(&mut self, key: &str, is_text: bool, outlook: &Outlook, names: (&str, &str)) {
        let file = outlook.files().iter().find(|file| file.key == key);
        let Some((file, Ok(text))) = file.map(|file| (file, &file.text)) else {
            return;
        };
        let answer = self.answers.entry(key.to_owned()).or_default();
        answer.path.clone_from(&file.path);
        answer.text = is_text.then(|| text.marked(&answer.picks(text), names));
    }

    /// The texts of all files by their paths; none where something is missing, which is
    /// noted.
    pub fn resolved(&mut self, found: &Conflicts) -> Option<BTreeMap<String, String>> {
        let mut files = BTreeMap::new();
        for file in &found.files {
            let Ok(text) = &file.text else { return None };
            let answer = self.answers.entry(file.key.clone()).or_default();
            match answer.resolved(text) {
                Ok(resolved) => {
                    files.insert(file.path.clone(), resolved);
                }
                Err(why) => {
                    self.errors.insert(file.key.clone(), why);
                }
            }
        }
        (self.errors.is_empty() && !found.is_too_much).then_some(files)
    }

    /// What was typed for files that do not conflict now.
    fn left(&self, files: &[File]) -> Vec<(String, CodeArea)> {
        let is_left = |key: &str| files.iter().all(|file| file.key != key || file.text.is_err());
        let typed = self.answers.iter().filter_map(|(key, answer)| {
            let text = answer.text.as_deref().filter(|_| is_left(key))?;
            let path = visible(&answer.path).into_owned();
            let area = code_area(format!("left-{key}"), format!("What you wrote for {path}"), text);
            Some((path, area))
        });
        let mut left: Vec<(String, CodeArea)> = typed.collect();
        left.sort_by(|(one, _), (other, _)| one.cmp(other));
        left
    }
}

/// Where it is.
pub struct At<'a> {
    pub found: &'a Found,
    pub branches: Option<&'a Branches>,
    pub base_url: &'a str,
}

#[derive(Template)]
#[template(path = "conflicts.html")]
pub struct View {
    page: Page,
    frame: Frame,
    url: String,
    nothing: Option<(&'static str, &'static str)>,
    files: Vec<FileView>,
    /// Why it is not resolved here, but by these commands.
    obstacle: Option<&'static str>,
    commands: Option<String>,
    source_sha: String,
    target_sha: String,
    message: String,
    left: Vec<(String, CodeArea)>,
}

impl View {
    pub fn new(
        (page, frame): (Page, Frame), at: &At<'_>, outlook: &Outlook,
        (form, may_push): (&Form, bool),
    ) -> View {
        let request = &at.found.request;
        let obstacle = match outlook.conflicts() {
            None => None,
            Some(_) if !may_push => Some("You may not push to the source branch."),
            Some(found) if found.is_too_much => {
                Some("There are too many conflicts to resolve them here.")
            }
            Some(found) if !found.is_resolvable() => {
                Some("Not all of these files can be resolved here.")
            }
            Some(_) => None,
        };
        let names = (visible(&request.source_branch), visible(&request.target_branch));
        let show = |file: &File| {
            FileView::of(file, (names.0.as_ref(), names.1.as_ref()), form, obstacle.is_none())
        };
        let heads = at.branches.map(|branches| branches.sides.heads);
        let usual = at.branches.map(|branches| usual_message(request, branches.source.id));
        let commands = at.branches.filter(|_| obstacle.is_some() && may_push);
        View {
            url: format!("{}/-/merge_requests/{}", at.found.space.url(), request.iid),
            nothing: outlook.nothing(),
            files: outlook.files().iter().map(show).collect(),
            commands: commands.map(|branches| commands_for(at.base_url, request, branches)),
            source_sha: heads.map(|heads| heads.source.to_string()).unwrap_or_default(),
            target_sha: heads.map(|heads| heads.target.to_string()).unwrap_or_default(),
            message: form.message.clone().or(usual).unwrap_or_default(),
            left: form.left(outlook.files()),
            obstacle,
            page,
            frame,
        }
    }
}

/// The message of the merge of a target, unless another is written.
pub fn usual_message(request: &MergeRequest, source_id: i64) -> String {
    let (source, target) = (&request.source_branch, &request.target_branch);
    match source_id == request.target_project_id {
        true => format!("Merge branch '{target}' into '{source}'"),
        false => {
            let project = &request.project_path;
            format!("Merge branch '{target}' of {project} into '{source}'")
        }
    }
}

/// How the same is done with git.
fn commands_for(base_url: &str, request: &MergeRequest, branches: &Branches) -> String {
    let address = |path: &str| format!("{base_url}/{path}.git");
    let (from, to) = (address(&branches.source.full_path), address(&request.project_path));
    let (source, target) = (quoted(&request.source_branch), quoted(&request.target_branch));
    let push = quoted(&format!("HEAD:refs/heads/{}", request.source_branch));
    [
        format!("git fetch {from} {source}"),
        "git checkout --detach FETCH_HEAD".to_owned(),
        format!("git fetch {to} {target}"),
        "git merge FETCH_HEAD".to_owned(),
        "# Resolve the conflicts, and git add the files.".to_owned(),
        "git commit".to_owned(),
        format!("git push {from} {push}"),
    ]
    .join("\n")
}

/// A word as shells take it for one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/:-".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A file in conflict.
#[derive(Debug, Template)]
#[template(path = "ui/conflict_file.html")]
pub struct FileView {
    key: String,
    path: String,
    /// The raw path, as it is sent back.
    sent_path: String,
    ours: String,
    theirs: String,
    obstacle: Option<&'static str>,
    error: String,
    /// Something can be chosen.
    is_form: bool,
    area: Option<CodeArea>,
    parts: Vec<Part>,
}

impl HtmlSafe for FileView {}

#[derive(Debug)]
enum Part {
    /// Lines that are agreed on.
    Lines(Vec<String>),
    /// So many of them are not shown.
    Folded(u64),
    Conflict(Box<ConflictView>),
}

#[derive(Debug)]
struct ConflictView {
    name: String,
    number: usize,
    ours: Vec<String>,
    theirs: Vec<String>,
    pick: Option<Pick>,
}

impl ConflictView {
    fn is_picked(&self, side: &str) -> bool {
        self.pick.is_some_and(|pick| pick.as_str() == side)
    }
}

impl FileView {
    fn of(file: &File, (ours, theirs): (&str, &str), form: &Form, is_form: bool) -> FileView {
        let answer = form.answers.get(&file.key);
        let typed = answer.and_then(|answer| answer.text.as_deref()).filter(|_| is_form);
        let area = typed.map(|typed| {
            let name = format!("files[{}][text]", file.key);
            code_area(name, format!("Text of {}", file.shown()), typed)
        });
        let parts = match &file.text {
            Ok(text) if area.is_none() => parts(text, answer),
            _ => Vec::new(),
        };
        FileView {
            key: file.key.clone(),
            path: file.shown(),
            sent_path: file.path.clone(),
            ours: ours.to_owned(),
            theirs: theirs.to_owned(),
            obstacle: file.text.as_ref().err().map(|obstacle| obstacle.text()),
            error: form.errors.get(&file.key).copied().unwrap_or_default().to_owned(),
            is_form: is_form && file.text.is_ok(),
            area,
            parts,
        }
    }
}

fn parts(text: &Text, answer: Option<&Answer>) -> Vec<Part> {
    let picks = answer.map(|answer| answer.picks(text)).unwrap_or_default();
    let (mut names, mut picks) = (text.names().into_iter(), picks.into_iter());
    let (mut parts, mut agreed, mut number) = (Vec::new(), Vec::new(), 0);
    for section in &text.sections {
        if section.kind != Kind::Conflict {
            agreed.extend(shown(text.agreed(section)));
            continue;
        }
        fold(&mut parts, std::mem::take(&mut agreed), (number > 0, true));
        number += 1;
        parts.push(Part::Conflict(Box::new(ConflictView {
            name: names.next().unwrap_or_default(),
            number,
            ours: shown(text.our_lines(section)),
            theirs: shown(text.their_lines(section)),
            pick: picks.next().flatten(),
        })));
    }
    fold(&mut parts, agreed, (number > 0, false));
    parts
}

fn shown(lines: &str) -> Vec<String> {
    lines.lines().map(|line| visible(line).into_owned()).collect()
}

/// Adds lines that are agreed on, of which those stay that stand beside a conflict.
fn fold(parts: &mut Vec<Part>, mut lines: Vec<String>, (behind, before): (bool, bool)) {
    let count = lines.len();
    let (first, last) = (if behind { CONTEXT } else { 0 }, if before { CONTEXT } else { 0 });
    if count <= FEW.max(first + last) {
        if count > 0 {
            parts.push(Part::Lines(lines));
        }
        return;
    }
    let end = lines.split_off(count - last);
    lines.truncate(first);
    let shown = lines.len() + end.len();
    for (part, is_there) in [
        (Part::Lines(lines), first > 0),
        (Part::Folded((count - shown) as u64), true),
        (Part::Lines(end), last > 0),
    ] {
        if is_there {
            parts.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(count: usize, beside: (bool, bool)) -> String {
        let mut parts = Vec::new();
        fold(&mut parts, vec![String::new(); count], beside);
        let shown = parts.iter().map(|part| match part {
            Part::Lines(lines) => format!("{} ", lines.len()),
            Part::Folded(count) => format!("-{count} "),
            Part::Conflict(_) => "x ".to_owned(),
        });
        shown.collect()
    }

    #[test]
    fn agreed_lines_are_folded_away_from_conflicts() {
        assert_eq!(folded(0, (true, true)), "");
        assert_eq!(folded(8, (true, true)), "8 ");
        assert_eq!(folded(20, (true, true)), "3 -14 3 ");
        assert_eq!(folded(20, (false, true)), "-17 3 ");
        assert_eq!(folded(20, (true, false)), "3 -17 ");
        assert_eq!(folded(20, (false, false)), "-20 ");
    }

    #[test]
    fn names_of_branches_do_nothing_in_shells() {
        assert_eq!(quoted("feature/1.x_y-z"), "feature/1.x_y-z");
        assert_eq!(quoted("a;$(b)'c"), r"'a;$(b)'\''c'");
    }
}
