//! The types of connections: page, edge and page information.

use super::build::{Graph, ObjectBuilder};
use super::connection::{Ask, Connection, Counted, PAGE, Summed};
use super::context::{Args, Context};
use super::fault::Fault;
use super::input::argument;
use super::scalars::{BOOLEAN, FLOAT, INT, STRING};
use super::shape::{Answer, HasTypeRef, ListOf, Node, Shape, object};
use super::types::TypeRef;
use std::any::{Any, TypeId};
use std::future::Future;
use std::sync::Arc;

/// A connection on its way through execution, whatever its rows.
struct Page {
    edges: Vec<Arc<Edge>>,
    next: bool,
    previous: bool,
    count: Option<Counted>,
    sum: Option<Summed>,
}

struct Edge {
    answer: Answer,
    cursor: String,
}

struct PageInfo {
    next: bool,
    previous: bool,
    start: Option<String>,
    end: Option<String>,
}

/// Rows of an already known object type, as they stand in an edge.
#[derive(Clone)]
struct Row(TypeRef);

impl HasTypeRef for Row {
    fn type_ref(&self) -> TypeRef {
        self.0.clone()
    }
}

impl Shape for Row {
    type Value = Answer;

    fn answer(&self, value: Answer) -> Answer {
        value
    }
}

/// The shape of a connection over `S`.
#[derive(Clone)]
struct Of<S> {
    name: Arc<str>,
    row: S,
}

impl<S: HasTypeRef> HasTypeRef for Of<S> {
    fn type_ref(&self) -> TypeRef {
        TypeRef::Named(self.name.clone())
    }
}

impl<T: Any + Send + Sync, S: Shape<Value = Option<Arc<T>>>> Shape for Of<S> {
    type Value = Option<Connection<T>>;

    fn answer(&self, value: Self::Value) -> Answer {
        let Some(found) = value else {
            return Answer::Null;
        };
        let edges = found.rows.into_iter().map(|(row, cursor)| {
            let answer = self.row.answer(Some(row));
            Arc::new(Edge { answer, cursor })
        });
        let page: Node = Arc::new(Page {
            edges: edges.collect(),
            next: found.next,
            previous: found.previous,
            count: found.count,
            sum: found.sum,
        });
        Answer::Object(self.name.clone(), page)
    }

    fn rust(&self) -> Option<(TypeId, &'static str)> {
        self.row.rust().map(|_| (TypeId::of::<Page>(), "Page"))
    }
}

impl<'g, T: Any + Send + Sync> ObjectBuilder<'g, T> {
    /// A list of `row` that pages, for one object; in lists use
    /// [`connections`](Self::connections).
    pub fn connection<R, S, F, Fut>(self, name: &str, row: S, answer: F) -> Self
    where
        R: Any + Send + Sync,
        S: Shape<Value = Option<Arc<R>>>,
        F: Fn(Arc<T>, Ask, Args, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<Connection<R>>, Fault>> + Send + 'static,
    {
        let of = declare(self.graph, row);
        let answer = Arc::new(answer);
        let with_field = self.resolve(name, of, move |parent, args: Args, context| {
            let answer = answer.clone();
            async move {
                let ask = Ask::read(&args, PAGE)?;
                answer(parent, ask, args, context).await
            }
        });
        arguments(with_field, PAGE)
    }

    /// The same for all objects of a level at once, in their order.
    pub fn connections<R, S, F, Fut>(self, name: &str, row: S, answer: F) -> Self
    where
        R: Any + Send + Sync,
        S: Shape<Value = Option<Arc<R>>>,
        F: Fn(Vec<Arc<T>>, Ask, Args, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Option<Connection<R>>>, Fault>> + Send + 'static,
    {
        self.connections_up_to(PAGE, name, row, answer)
    }

    /// The same with pages of at most `most` rows.
    pub fn connections_up_to<R, S, F, Fut>(self, most: u32, name: &str, row: S, answer: F) -> Self
    where
        R: Any + Send + Sync,
        S: Shape<Value = Option<Arc<R>>>,
        F: Fn(Vec<Arc<T>>, Ask, Args, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Option<Connection<R>>>, Fault>> + Send + 'static,
    {
        let of = declare(self.graph, row);
        let answer = Arc::new(answer);
        let with_field = self.level(name, of, move |parents, args: Args, context| {
            let answer = answer.clone();
            async move {
                let ask = Ask::read(&args, most)?;
                answer(parents, ask, args, context).await
            }
        });
        arguments(with_field, most)
    }
}

fn arguments<T: Any + Send + Sync>(field: ObjectBuilder<'_, T>, most: u32) -> ObjectBuilder<'_, T> {
    field
        .arg(argument("first", INT).describe("The first so many rows."))
        .arg(argument("last", INT).describe("The last so many rows."))
        .arg(argument("after", STRING).describe("Rows after this cursor."))
        .arg(argument("before", STRING).describe("Rows before this cursor."))
        .page(most)
}

/// Declares the types of a connection over `row`, once.
fn declare<S: Shape>(graph: &mut Graph, row: S) -> Of<S> {
    let inner = row.type_ref().name().clone();
    let (name, edge) = (format!("{inner}Connection"), format!("{inner}Edge"));
    let of = Of { name: Arc::from(name.as_str()), row };
    if graph.has(&name) {
        return of;
    }
    page_info(graph);
    let rows = Row(TypeRef::Named(inner.clone()));
    graph
        .object::<Edge>(&edge, &format!("A row of {inner} in a list."))
        .field("cursor", STRING.required(), |edge| edge.cursor.clone())
        .describe("Names this row as the end of another page.")
        .field("node", rows.clone(), |edge| edge.answer.clone())
        .describe("The row.");
    graph
        .object::<Page>(&name, &format!("A page of {inner}."))
        .field("edges", object::<Edge>(&edge).list(), |page| {
            Some(page.edges.iter().cloned().map(Some).collect())
        })
        .describe("The rows with their cursors.")
        .field("nodes", Rows(rows.list()), |page| {
            Answer::List(page.edges.iter().map(|edge| edge.answer.clone()).collect())
        })
        .describe("The rows.")
        .field("pageInfo", object::<PageInfo>("PageInfo").required(), |page| {
            Arc::new(PageInfo {
                next: page.next,
                previous: page.previous,
                start: page.edges.first().map(|edge| edge.cursor.clone()),
                end: page.edges.last().map(|edge| edge.cursor.clone()),
            })
        })
        .describe("Where this page lies.");
    of
}

/// A whole list of rows at once.
#[derive(Clone)]
struct Rows(ListOf<Row>);

impl HasTypeRef for Rows {
    fn type_ref(&self) -> TypeRef {
        self.0.type_ref()
    }
}

impl Shape for Rows {
    type Value = Answer;

    fn answer(&self, value: Answer) -> Answer {
        value
    }
}

fn page_info(graph: &mut Graph) {
    if graph.has("PageInfo") {
        return;
    }
    graph
        .object::<PageInfo>("PageInfo", "Where a page lies in its list.")
        .field("hasNextPage", BOOLEAN.required(), |info| info.next)
        .describe("Whether rows follow.")
        .field("hasPreviousPage", BOOLEAN.required(), |info| info.previous)
        .describe("Whether rows precede.")
        .field("startCursor", STRING, |info| info.start.clone())
        .describe("Cursor of the first row.")
        .field("endCursor", STRING, |info| info.end.clone())
        .describe("Cursor of the last row.");
}

impl Graph {
    /// Gives the connection over `inner` its `count`. Every resolver of such a
    /// connection says how to count.
    pub fn count(&mut self, inner: &str) {
        self.on::<Page>(&format!("{inner}Connection"))
            .resolve("count", INT.required(), |page, args: Args, context| async move {
                let limit: Option<i64> = args.get("limit")?;
                if limit.is_some_and(|limit| limit <= 0) {
                    return Err(Fault::argument("`limit` must be greater than 0"));
                }
                match &page.count {
                    Some(count) => count(context, limit).await,
                    None => Ok(page.edges.len() as i64),
                }
            })
            .describe("How many rows there are.")
            .arg(argument("limit", INT).describe("Count no further than one past this."));
    }

    /// Gives the connection over `inner` a sum over its whole list under this name. Every
    /// resolver of such a connection says how to add up.
    pub fn sum(&mut self, inner: &str, name: &str, text: &str) {
        self.on::<Page>(&format!("{inner}Connection"))
            .resolve(name, FLOAT, |page, _: Args, context| async move {
                match &page.sum {
                    Some(sum) => sum(context).await,
                    None => Ok(None),
                }
            })
            .describe(text);
    }
}
