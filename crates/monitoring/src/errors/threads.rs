//! Stacks that clients send apart from exceptions: those of the program's
//! threads. The SDK of Rust sends the stack of an error so, others that of a
//! message.

use super::lenient::{Flag, Maybe, Values};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Threads that are looked through, the last ones.
const MAX_THREADS: usize = 100;

/// The threads of an event with stacks of this form.
#[derive(Default, Deserialize)]
#[serde(transparent, bound = "T: DeserializeOwned + Default")]
pub struct Threads<T>(Values<Thread<T>, MAX_THREADS>);

#[derive(Default, Deserialize)]
#[serde(default, bound = "T: DeserializeOwned + Default")]
struct Thread<T> {
    crashed: Flag,
    current: Flag,
    stacktrace: Maybe<T>,
}

impl<T> Threads<T> {
    /// The stack of the thread that crashed, else of the one that told the
    /// event, else of the only one.
    pub fn into_stack(self) -> Option<T> {
        let mut all = self.0.into_vec();
        all.retain(|one| one.stacktrace.0.is_some());
        let marked =
            |mark: fn(&Thread<T>) -> Flag| all.iter().position(|one| mark(one).0 == Some(true));
        let only = || (all.len() == 1).then_some(0);
        let told = marked(|one| one.crashed).or_else(|| marked(|one| one.current));
        let at = told.or_else(only)?;
        all.swap_remove(at).stacktrace.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::lenient::Text;
    use serde_json::{Value, from_value, json};

    #[derive(Default, Deserialize)]
    struct Stack {
        name: Text,
    }

    fn stack(threads: Value) -> Option<String> {
        let threads: Threads<Stack> = from_value(threads).unwrap();
        threads.into_stack().and_then(|stack| stack.name.0)
    }

    #[test]
    fn the_thread_that_matters_is_chosen() {
        let thread = |name: &str| json!({"stacktrace": {"name": name}});
        let with = |name: &str, mark: &str| {
            let mut thread = thread(name);
            thread[mark] = json!(true);
            thread
        };
        let some = |name: &str| Some(name.to_owned());
        let all = json!([thread("a"), with("b", "current"), with("c", "crashed")]);
        assert_eq!(stack(all.clone()), some("c"));
        assert_eq!(stack(json!({"values": all})), some("c"));
        assert_eq!(stack(json!([thread("a"), with("b", "current")])), some("b"));
        assert_eq!(stack(json!([thread("a")])), some("a"));
        assert_eq!(stack(json!([{"crashed": true}, thread("a"), null])), some("a"));
    }

    #[test]
    fn odd_threads_have_no_stack() {
        let thread = json!({"stacktrace": {"name": "a"}});
        for odd in [
            json!(null),
            json!("x"),
            json!({"values": 7}),
            json!([]),
            json!([thread, thread]),
            json!([{"stacktrace": [thread]}]),
        ] {
            assert_eq!(stack(odd.clone()), None, "{odd}");
        }
    }
}
