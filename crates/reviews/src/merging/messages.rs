//! The messages of merges and squashes, and descriptions made from templates. Pure.

/// Longest message, in bytes.
pub const LONGEST: usize = 1_048_576;
/// Longest template, in characters.
pub const LONGEST_TEMPLATE: usize = 10_000;
/// Longest message of a commit that stands whole among all of them, in bytes.
const LONGEST_OF_COMMIT: usize = 100 * 1024;
const SKIPPED: &str = "-- Skipped commit body exceeding 100KiB in size.";

/// Somebody as trailers name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub email: String,
}

impl Named {
    pub fn new(name: &str, email: &str) -> Named {
        Named { name: name.to_owned(), email: email.to_owned() }
    }

    /// `Ada <ada@example.com>`, without what would end a line or an address.
    fn shown(&self) -> String {
        let clean = |text: &str| -> String {
            text.chars().filter(|c| !c.is_control() && !"<>".contains(*c)).collect()
        };
        format!("{} <{}>", clean(&self.name).trim(), clean(&self.email).trim())
    }
}

/// A commit of a merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitText {
    pub message: String,
    pub author: Named,
    pub is_merge: bool,
}

impl CommitText {
    pub fn title(&self) -> &str {
        self.message.trim().lines().next().unwrap_or_default()
    }

    /// Whether its message has more than a title.
    pub fn has_body(&self) -> bool {
        self.message.trim().lines().nth(1).is_some()
    }

    /// What stands below its title.
    pub fn body(&self) -> &str {
        self.message.trim().split_once('\n').map_or("", |(_, body)| body.trim())
    }

    fn listed(&self) -> String {
        match self.message.len() > LONGEST_OF_COMMIT {
            true => format!("* {}\n\n{SKIPPED}", self.title()),
            false => format!("* {}", self.message.trim()),
        }
    }
}

/// What variables stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    pub source_branch: String,
    pub target_branch: String,
    pub title: String,
    pub description: String,
    /// The issues that the merge closes, as they are named: `#1`, `acme/anvil#2`.
    pub closes: Vec<String>,
    /// `acme/anvil!5`.
    pub full_reference: String,
    /// `!5`.
    pub local_reference: String,
    pub source_project_id: Option<i64>,
    pub url: String,
    /// Those who reviewed it.
    pub reviewers: Vec<Named>,
    pub approvers: Vec<Named>,
    pub merger: Option<Named>,
    /// Who is the author of the commit to be.
    pub author: Option<Named>,
    /// The oldest first.
    pub commits: Vec<CommitText>,
}

/// What a template is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Commit,
    /// The description of a merge request that is being made: little is known yet.
    Description,
}

kernel::choices! {
    /// What may stand in a template.
    enum Variable as "MessageVariable" {
        SourceBranch = "source_branch",
        TargetBranch = "target_branch",
        Title = "title",
        Issues = "issues",
        Description = "description",
        Reference = "reference",
        LocalReference = "local_reference",
        SourceProjectId = "source_project_id",
        FirstCommit = "first_commit",
        FirstMultilineCommit = "first_multiline_commit",
        Url = "url",
        ReviewedBy = "reviewed_by",
        ApprovedBy = "approved_by",
        MergedBy = "merged_by",
        CoAuthoredBy = "co_authored_by",
        AllCommits = "all_commits",
    }
}

/// What may stand in a template, each with what it stands for.
pub fn variables() -> Vec<(&'static str, &'static str)> {
    Variable::ALL.iter().map(|one| (one.as_str(), one.meaning())).collect()
}

impl Variable {
    fn meaning(self) -> &'static str {
        match self {
            Variable::SourceBranch => "The branch that is merged",
            Variable::TargetBranch => "The branch that it is merged into",
            Variable::Title => "Title of the merge request",
            Variable::Issues => "The issues that it closes, in a sentence",
            Variable::Description => "Description of the merge request",
            Variable::Reference => "The merge request with its project",
            Variable::LocalReference => "The merge request by its number",
            Variable::SourceProjectId => "Id of the project of the branch",
            Variable::FirstCommit => "Message of the first commit",
            Variable::FirstMultilineCommit => {
                "Message of the first commit with more than a title, else the title"
            }
            Variable::Url => "Address of the merge request",
            Variable::ReviewedBy => "Who reviewed it, a line for each",
            Variable::ApprovedBy => "Who approved it, a line for each",
            Variable::MergedBy => "Who merges it",
            Variable::CoAuthoredBy => "Who else wrote its commits, a line for each",
            Variable::AllCommits => "Messages of all commits",
        }
    }

    fn is_known_before(self) -> bool {
        matches!(
            self,
            Variable::SourceBranch
                | Variable::TargetBranch
                | Variable::FirstCommit
                | Variable::FirstMultilineCommit
                | Variable::CoAuthoredBy
                | Variable::AllCommits
        )
    }

    fn value(self, context: &Context, used: Use) -> String {
        if used == Use::Description && !self.is_known_before() {
            return String::new();
        }
        let value = match self {
            Variable::SourceBranch => context.source_branch.clone(),
            Variable::TargetBranch => context.target_branch.clone(),
            Variable::Title => context.title.clone(),
            Variable::Issues => closing_sentence(&context.closes),
            Variable::Description => context.description.clone(),
            Variable::Reference => context.full_reference.clone(),
            Variable::LocalReference => context.local_reference.clone(),
            Variable::SourceProjectId => {
                context.source_project_id.map(|id| id.to_string()).unwrap_or_default()
            }
            Variable::FirstCommit => first_commit(context),
            Variable::FirstMultilineCommit => first_multiline_commit(context),
            Variable::Url => context.url.clone(),
            Variable::ReviewedBy => trailers("Reviewed-by", &context.reviewers),
            Variable::ApprovedBy => trailers("Approved-by", &context.approvers),
            Variable::MergedBy => context.merger.as_ref().map(Named::shown).unwrap_or_default(),
            Variable::CoAuthoredBy => trailers("Co-authored-by", &co_authors(context)),
            Variable::AllCommits => all_commits(context),
        };
        value.replace('\r', "").trim_matches('\n').to_owned()
    }
}

/// `Closes #1, #2, and #3`.
pub fn closing_sentence(closes: &[String]) -> String {
    match closes {
        [] => String::new(),
        [one] => format!("Closes {one}"),
        [one, other] => format!("Closes {one} and {other}"),
        [first @ .., last] => format!("Closes {}, and {last}", first.join(", ")),
    }
}

fn first_commit(context: &Context) -> String {
    let first = context.commits.first().map(|commit| commit.message.trim());
    first.unwrap_or_default().to_owned()
}

fn first_multiline_commit(context: &Context) -> String {
    let mut own = context.commits.iter().filter(|commit| !commit.is_merge);
    let found = own.find(|commit| commit.has_body());
    found.map_or(context.title.as_str(), |commit| commit.message.trim()).to_owned()
}

fn trailers(key: &str, people: &[Named]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for one in people {
        let line = format!("{key}: {}", one.shown());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The authors of commits, each once by their address, without the author of the whole.
fn co_authors(context: &Context) -> Vec<Named> {
    let is_same = |one: &Named, other: &Named| one.email.eq_ignore_ascii_case(&other.email);
    let mut authors: Vec<Named> = Vec::new();
    for commit in context.commits.iter().filter(|commit| !commit.is_merge) {
        let author = &commit.author;
        let is_whole = context.author.as_ref().is_some_and(|whole| is_same(whole, author));
        if !is_whole && !authors.iter().any(|known| is_same(known, author)) {
            authors.push(author.clone());
        }
    }
    authors
}

fn all_commits(context: &Context) -> String {
    let (mut all, mut room) = (Vec::new(), LONGEST);
    for commit in context.commits.iter().filter(|commit| !commit.is_merge) {
        let listed = commit.listed();
        let Some(left) = room.checked_sub(listed.len()) else {
            break;
        };
        room = left;
        all.push(listed);
    }
    all.join("\n\n")
}

/// The message of the commit of a merge.
pub fn merge_message(given: Option<&str>, template: Option<&str>, context: &Context) -> String {
    worded(given, template, context, default_merge_message)
}

/// The message of a squashed commit.
pub fn squash_message(given: Option<&str>, template: Option<&str>, context: &Context) -> String {
    worded(given, template, context, |context| context.title.clone())
}

/// The description of a new merge request.
pub fn description(template: &str, context: &Context) -> String {
    cut(filled(template, context, Use::Description))
}

/// What was given, else by the template, else the usual one.
fn worded(
    given: Option<&str>, template: Option<&str>, context: &Context, usual: fn(&Context) -> String,
) -> String {
    let said = |text: &&str| !text.trim().is_empty();
    if let Some(given) = given.filter(said) {
        return cut(given.to_owned());
    }
    let message = template.filter(said).map(|text| filled(text, context, Use::Commit));
    let message = message.filter(|text| !text.trim().is_empty());
    cut(message.unwrap_or_else(|| usual(context)))
}

fn default_merge_message(context: &Context) -> String {
    let Context { source_branch, target_branch, title, .. } = context;
    let parts = [
        format!("Merge branch '{source_branch}' into '{target_branch}'"),
        title.clone(),
        closing_sentence(&context.closes),
        format!("See merge request {}", context.full_reference),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// Not longer than a message may be.
fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
    }
    text
}

/// A template with its variables replaced, in one pass: what they stand for is not looked
/// at again. Lines of nothing but empty variables vanish, with a blank one before them.
fn filled(template: &str, context: &Context, used: Use) -> String {
    let template: String = template.replace('\r', "").chars().take(LONGEST_TEMPLATE).collect();
    let mut lines: Vec<String> = Vec::new();
    for line in template.lines() {
        match fill_line(line, context, used) {
            Some(filled) => lines.push(filled),
            None if lines.last().is_some_and(|last| last.trim().is_empty()) => {
                lines.pop();
            }
            None => {}
        }
    }
    lines.join("\n").trim_matches('\n').to_owned()
}

/// A part of a line.
enum Part<'l> {
    Text(&'l str),
    Variable(Variable),
}

/// None of a line of empty variables.
fn fill_line(line: &str, context: &Context, used: Use) -> Option<String> {
    let (mut filled, mut has_variable, mut is_blank) = (String::new(), false, true);
    for part in parts(line) {
        match part {
            Part::Text(text) => {
                filled.push_str(text);
                is_blank &= text.trim().is_empty();
            }
            Part::Variable(variable) => {
                has_variable = true;
                let value = variable.value(context, used);
                is_blank &= value.is_empty();
                filled.push_str(&value);
            }
        }
    }
    (!has_variable || !is_blank).then_some(filled)
}

/// Cuts a line where variables are; what is no variable stays as it stands.
fn parts(line: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((variable, after)) = variable_at(rest) {
            rest = after;
            return Some(Part::Variable(variable));
        }
        let next = rest.match_indices("%{").map(|(at, _)| at);
        let next = next.filter(|at| *at > 0).find(|at| {
            let (_, from) = rest.split_at(*at);
            variable_at(from).is_some()
        });
        let (text, after) = rest.split_at(next.unwrap_or(rest.len()));
        rest = after;
        Some(Part::Text(text))
    })
}

/// The variable that a text begins with, and what follows it.
fn variable_at(text: &str) -> Option<(Variable, &str)> {
    let (name, after) = text.strip_prefix("%{")?.split_once('}')?;
    Some((Variable::from_text(name)?, after))
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
