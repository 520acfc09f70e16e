//! Walks through a file and all it includes, depth first.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use base64::Engine;
use indexmap::IndexMap;
use sha2::{Digest, Sha256};

use super::items::{Item, Reading};
use super::{Answer, Origin, Request, Source, answers, file};
use crate::configuration::Configuration;
use crate::glob::{Dialect, Glob};
use crate::limits::Limits;
use crate::message::Message;
use crate::rules::{Context, Judge, Paths};
use crate::variables::Variables;
use crate::yaml::{Map, Node, Value, merge_deep};

/// What a configuration is read from.
pub struct Start {
    /// The name of the first file, for people.
    pub name: String,
    pub text: String,
    pub origin: Origin,
    /// Given to the first file.
    pub inputs: Map,
    /// Variables known before the pipeline: includes may name them.
    pub variables: Variables,
    /// A trigger job started it, so that artifacts may be included.
    pub child: bool,
    pub limits: Limits,
}

/// What is to be done next.
#[derive(Debug)]
pub enum Step {
    /// Answer one of these at least, then go on.
    Need(Vec<Request>),
    Done(Box<Configuration>),
    Failed(Box<Configuration>),
}

/// A configuration that is being loaded.
pub struct Loader {
    start: Start,
    frames: Vec<Frame>,
    answers: HashMap<usize, Answer>,
    files: Vec<String>,
    warnings: Vec<Message>,
    /// Files taken already, which patterns leave out.
    taken: HashSet<(Origin, String)>,
    next_id: usize,
    included: usize,
    bytes: usize,
}

/// A file whose own includes are not all there.
struct Frame {
    stage: Stage,
    name: String,
    origin: Origin,
    pending: VecDeque<Pending>,
}

enum Stage {
    /// Files with more inputs are read first.
    Header {
        parsed: Box<file::Parsed>,
        given: Map,
        component: IndexMap<String, String>,
        inputs: IndexMap<String, crate::inputs::InputSpec>,
    },
    /// What the file has itself, and what was included so far.
    Content { own: Map, merged: Map },
}

struct Pending {
    id: usize,
    item: Item,
}

type Failed<T> = Result<T, Message>;

impl Loader {
    pub fn new(start: Start) -> Self {
        Self {
            start,
            frames: Vec::new(),
            answers: HashMap::new(),
            files: Vec::new(),
            warnings: Vec::new(),
            taken: HashSet::new(),
            next_id: 0,
            included: 0,
            bytes: 0,
        }
    }

    /// Hands in what came of a request.
    pub fn answer(&mut self, id: usize, answer: Answer) {
        self.answers.insert(id, answer);
    }

    /// Goes on as far as the answers reach.
    pub fn next(&mut self, context: &dyn Context) -> Step {
        match self.advance(context) {
            Ok(Ok(merged)) => {
                let (files, warnings) = self.results();
                let done = Configuration::build(merged, files, warnings, &self.start.limits);
                match done.errors.is_empty() {
                    true => Step::Done(Box::new(done)),
                    false => Step::Failed(Box::new(done)),
                }
            }
            Ok(Err(requests)) => Step::Need(requests),
            Err(error) => {
                let (files, warnings) = self.results();
                Step::Failed(Box::new(Configuration::failed(error, files, warnings)))
            }
        }
    }

    fn results(&mut self) -> (Vec<String>, Vec<Message>) {
        (std::mem::take(&mut self.files), std::mem::take(&mut self.warnings))
    }

    /// The merged file, or what is needed for it.
    fn advance(&mut self, context: &dyn Context) -> Failed<Result<Map, Vec<Request>>> {
        let judge = Judge::new(context);
        if self.frames.is_empty() {
            self.open_first(&judge)?;
        }
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Ok(Ok(Map::new()));
            };
            let Some(pending) = frame.pending.front() else {
                if let Some(merged) = self.close(&judge)? {
                    return Ok(Ok(merged));
                }
                continue;
            };
            let Some(answer) = self.answers.remove(&pending.id) else {
                return Ok(Err(self.open_requests()));
            };
            if let Some(pending) = frame.pending.pop_front() {
                let item = pending.item.clone();
                let at = item.at;
                self.take(item, answer, &judge)
                    .map_err(|error| Message { at: error.at.or(Some(at)), ..error })?;
            }
        }
    }

    fn open_requests(&self) -> Vec<Request> {
        let Some(frame) = self.frames.last() else {
            return Vec::new();
        };
        let open = frame.pending.iter().filter(|pending| !self.answers.contains_key(&pending.id));
        open.map(|Pending { id, item }| Request {
            id: *id,
            source: item.source.clone(),
            from: frame.origin.clone(),
        })
        .collect()
    }

    fn open_first(&mut self, judge: &Judge<'_>) -> Failed<()> {
        let (name, origin) = (self.start.name.clone(), self.start.origin.clone());
        let text = std::mem::take(&mut self.start.text);
        let inputs = std::mem::take(&mut self.start.inputs);
        if text.trim().is_empty() {
            return Err(Message::new(format!("Please provide content of {name}")));
        }
        let file = self.add_file(&name, &text)?;
        let parsed = file::read(&text, file, &self.start.limits, &mut self.warnings)?;
        self.open(name, origin, parsed, inputs, IndexMap::new(), judge)
    }

    fn add_file(&mut self, name: &str, text: &str) -> Failed<u16> {
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > self.start.limits.total_bytes {
            return Err(Message::new("Total size of combined CI/CD configuration is too big"));
        }
        let number = u16::try_from(self.files.len()).unwrap_or(u16::MAX);
        self.files.push(name.to_owned());
        Ok(number)
    }

    /// Begins with a file that was parsed.
    fn open(
        &mut self, name: String, origin: Origin, mut parsed: file::Parsed, given: Map,
        component: IndexMap<String, String>, judge: &Judge<'_>,
    ) -> Failed<()> {
        let header = parsed.spec.as_mut().and_then(|spec| spec.include.take());
        let stage = match header {
            None => return self.open_content(name, origin, parsed, &given, &component, judge),
            Some(ref node) => {
                let items = self.items(node, &origin, judge)?;
                let inputs = IndexMap::new();
                let stage = Stage::Header { parsed: Box::new(parsed), given, component, inputs };
                (stage, items)
            }
        };
        let (stage, items) = stage;
        let pending = self.ask(items)?;
        self.frames.push(Frame { stage, name, origin, pending });
        Ok(())
    }

    fn open_content(
        &mut self, name: String, origin: Origin, parsed: file::Parsed, given: &Map,
        component: &IndexMap<String, String>, judge: &Judge<'_>,
    ) -> Failed<()> {
        let none = Variables::default();
        let variables = match origin {
            Origin::Public => &none,
            Origin::Project { .. } => &self.start.variables,
        };
        let mut own = file::content(parsed, given, component, variables)
            .map_err(|error| self.prefixed(&name, error))?;
        let include = own
            .shift_remove("include")
            .unwrap_or(Node::new(Value::Null, Default::default()));
        let items = self.items(&include, &origin, judge)?;
        let pending = self.ask(items)?;
        let stage = Stage::Content { own, merged: Map::new() };
        self.frames.push(Frame { stage, name, origin, pending });
        Ok(())
    }

    /// An error inside of an included file begins with its name.
    fn prefixed(&self, name: &str, error: Message) -> Message {
        match self.files.first().is_some_and(|first| first == name) && self.included == 0 {
            true => error,
            false => Message { text: format!("`{name}`: {}", error.text), ..error },
        }
    }

    fn items(&self, include: &Node, origin: &Origin, judge: &Judge<'_>) -> Failed<Vec<Item>> {
        let (variables, child) = (&self.start.variables, self.start.child);
        Reading { origin, variables, judge, child }.items(include)
    }

    /// Numbers requests and counts them, except for patterns, which are no files yet.
    fn ask(&mut self, items: Vec<Item>) -> Failed<VecDeque<Pending>> {
        let mut pending = VecDeque::new();
        for item in items {
            if item.source != Source::Listing {
                self.included += 1;
            }
            let most = self.start.limits.includes;
            if self.included > most || pending.len() > most {
                let text = format!("Maximum of {most} nested includes are allowed!");
                return Err(Message::at(item.at, text));
            }
            check_extension(&item)?;
            self.next_id += 1;
            pending.push_back(Pending { id: self.next_id, item });
        }
        Ok(pending)
    }

    fn take(&mut self, item: Item, answer: Answer, judge: &Judge<'_>) -> Failed<()> {
        match answer {
            Answer::Paths(paths) if item.source == Source::Listing => self.pick(&item, &paths),
            Answer::File { text, origin, component } => {
                self.take_file(item, text, origin, component, judge)
            }
            answer => {
                Err(Message::at(item.at, answers::refusal(&item.source, &item.shown, &answer)))
            }
        }
    }

    /// Replaces a pattern by the files that fit it and were not taken yet.
    fn pick(&mut self, item: &Item, paths: &Arc<Paths>) -> Failed<()> {
        let Some(origin) = self.frames.last().map(|frame| frame.origin.clone()) else {
            return Ok(());
        };
        let pattern = item.pattern.as_deref().unwrap_or_default();
        let Some(glob) = Glob::new(pattern, Dialect::Includes) else {
            return Ok(());
        };
        let most = self.start.limits.includes + 1;
        let fitting: Vec<String> = paths
            .iter()
            .filter(|path| glob.fits(path))
            .filter(|path| !self.taken.contains(&(origin.clone(), (*path).to_owned())))
            .take(most)
            .map(str::to_owned)
            .collect();
        if fitting.is_empty() {
            let text = format!("Local file `{}` does not exist!", item.shown);
            return Err(Message::at(item.at, text));
        }
        let local = |path: String| Item {
            source: Source::Local { path: path.clone() },
            pattern: None,
            shown: path,
            ..item.clone()
        };
        let mut pending = self.ask(fitting.into_iter().map(local).collect())?;
        if let Some(frame) = self.frames.last_mut() {
            pending.append(&mut frame.pending);
            frame.pending = pending;
        }
        Ok(())
    }

    fn take_file(
        &mut self, item: Item, text: String, origin: Origin, component: IndexMap<String, String>,
        judge: &Judge<'_>,
    ) -> Failed<()> {
        let named = answers::file(&item.source, &item.shown);
        if text.trim().is_empty() {
            return Err(Message::at(item.at, format!("{named} is empty!")));
        }
        if let Some(wanted) = &item.integrity {
            let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(&text));
            if *wanted != format!("sha256-{digest}") {
                let text = format!("{named} could not be verified: the integrity does not match");
                return Err(Message::at(item.at, text));
            }
        }
        if let (Source::Local { path }, Origin::Project { .. }) = (&item.source, &origin) {
            self.taken.insert((origin.clone(), path.clone()));
        }
        let file = self.add_file(&item.shown, &text)?;
        let limits = self.start.limits.clone();
        if let Some(Frame { stage: Stage::Header { inputs, .. }, .. }) = self.frames.last_mut() {
            let more = file::shared_inputs(&text, file, &limits).map_err(|error| Message {
                text: format!("`{}`: {}", item.shown, error.text),
                ..error
            })?;
            inputs.extend(more);
            return Ok(());
        }
        let parsed = file::read(&text, file, &limits, &mut self.warnings)
            .map_err(|error| self.prefixed(&item.shown, error))?;
        self.open(item.shown, origin, parsed, item.inputs, component, judge)
    }

    /// Ends a file: into the one that includes it, or as the result.
    fn close(&mut self, judge: &Judge<'_>) -> Failed<Option<Map>> {
        let Some(Frame { stage, name, origin, .. }) = self.frames.pop() else {
            return Ok(Some(Map::new()));
        };
        match stage {
            Stage::Header { mut parsed, given, component, inputs } => {
                if let Some(spec) = &mut parsed.spec {
                    let own = std::mem::take(&mut spec.inputs);
                    spec.inputs = inputs;
                    spec.inputs.extend(own);
                }
                self.open_content(name, origin, *parsed, &given, &component, judge)?;
                Ok(None)
            }
            Stage::Content { own, mut merged } => {
                merge_deep(&mut merged, own);
                match self.frames.last_mut().map(|frame| &mut frame.stage) {
                    Some(Stage::Content { merged: above, .. }) => {
                        merge_deep(above, merged);
                        Ok(None)
                    }
                    _ => Ok(Some(merged)),
                }
            }
        }
    }
}

/// Files are named `.yml` or `.yaml`; components and patterns name none.
fn check_extension(item: &Item) -> Failed<()> {
    if matches!(item.source, Source::Component { .. } | Source::Listing) {
        return Ok(());
    }
    let lower = item.shown.to_lowercase();
    let path = lower.split(['?', '#']).next().unwrap_or_default();
    match path.ends_with(".yml") || path.ends_with(".yaml") {
        true => Ok(()),
        false => {
            let text = format!("Included file `{}` does not have YAML extension!", item.shown);
            Err(Message::at(item.at, text))
        }
    }
}
