//! A catalog as a graph: what contains what, and what comes before what. An agent makes such a graph of the catalog that it gets,
//! and a further one in which each container is a beginning and an end: by that it orders resources, and finds cycles.
//! Source: `puppet/graph/relationship_graph.rb`.

use hashbrown::HashMap;

/// A directed graph whose edges keep the order they came in. Between two vertices there may be several.
#[derive(Clone, Debug, Default)]
pub struct Digraph {
    out: Vec<Vec<usize>>,
    into: Vec<Vec<usize>>,
    counts: HashMap<(usize, usize), u32>,
}

/// A resource of a [`CatalogGraph`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vertex {
    /// Type, capitalised.
    pub type_name: String,
    /// Title.
    pub title: String,
    /// Whether it contains others: a class, a node, a stage, a resource of a defined type.
    pub is_container: bool,
}

impl Vertex {
    /// `Type[title]`, as an agent writes it.
    pub fn reference(&self) -> String {
        match (self.type_name.as_str(), self.title.as_str()) {
            ("Class", "main") => "Class[Main]".to_owned(),
            (ty, title) => format!("{ty}[{title}]"),
        }
    }
}

/// That a resource comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// What comes first.
    pub from: usize,
    /// What comes behind.
    pub to: usize,
    /// Whether it is told of changes: `notify`, `subscribe`.
    pub notify: bool,
}

/// The graph of a catalog, as its node gets it: virtual resources are left out. Resources are named by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogGraph {
    /// Resources in the catalog's order.
    pub resources: Vec<Vertex>,
    /// What contains what, the container first: in the catalog's order.
    pub contains: Vec<(usize, usize)>,
    /// Relationships in the order in which an agent comes upon them.
    pub relations: Vec<Relation>,
}

/// What a vertex of an [`Expanded`] graph stands for: a resource by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// A resource that contains nothing.
    Resource(usize),
    /// Where a container begins.
    Begin(usize),
    /// Where it ends.
    End(usize),
}

/// A graph in which what comes before a container comes before its beginning, and its contents lie between that and its end.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// Its edges.
    pub graph: Digraph,
    /// What each vertex stands for; nothing in the place of containers themselves.
    pub points: Vec<Option<Point>>,
    ends: HashMap<usize, (usize, usize)>,
}

impl Digraph {
    /// Adds a vertex: its number.
    pub fn vertex(&mut self) -> usize {
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        self.out.len() - 1
    }

    /// Adds an edge.
    pub fn add(&mut self, source: usize, target: usize) {
        self.add_many(source, target, 1);
    }

    fn add_many(&mut self, source: usize, target: usize, count: u32) {
        let edges = self.counts.entry((source, target)).or_insert(0);
        if *edges == 0 {
            self.out[source].push(target);
            self.into[target].push(source);
        }
        *edges += count;
    }

    /// How many edges lead from a vertex to another.
    fn count(&self, source: usize, target: usize) -> u32 {
        self.counts.get(&(source, target)).copied().unwrap_or_default()
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Where the edges of a vertex lead, each place once.
    pub fn targets(&self, source: usize) -> &[usize] {
        &self.out[source]
    }

    /// All edges as Puppet lists them: by where they lead, then in the order of where they come from.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.into.iter().enumerate().flat_map(move |(target, sources)| {
            sources.iter().flat_map(move |source| {
                let count = self.count(*source, target) as usize;
                std::iter::repeat_n((*source, target), count)
            })
        })
    }

    /// Takes a vertex out of all edges: those that led to it, then those from it, with their counts. One from it to itself is
    /// among the first.
    fn detach(&mut self, vertex: usize) -> [Vec<(usize, u32)>; 2] {
        let (sources, targets) =
            (std::mem::take(&mut self.into[vertex]), std::mem::take(&mut self.out[vertex]));
        let mut counted = |source, target| self.counts.remove(&(source, target)).unwrap_or_default();
        let into = sources.iter().map(|source| (*source, counted(*source, vertex))).collect();
        let out = targets.iter().filter(|target| **target != vertex);
        let out = out.map(|target| (*target, counted(vertex, *target))).collect();
        sources.into_iter().for_each(|source| self.out[source].retain(|other| *other != vertex));
        targets.into_iter().for_each(|target| self.into[target].retain(|other| *other != vertex));
        [into, out]
    }
}

impl CatalogGraph {
    /// What contains what, as a graph: vertices are resources.
    pub fn containment(&self) -> Digraph {
        let mut graph = self.vertices();
        self.contains.iter().for_each(|(container, content)| graph.add(*container, *content));
        graph
    }

    /// Relationships, likewise.
    pub fn relationships(&self) -> Digraph {
        let mut graph = self.vertices();
        self.relations.iter().for_each(|relation| graph.add(relation.from, relation.to));
        graph
    }

    fn vertices(&self) -> Digraph {
        let mut graph = Digraph::default();
        self.resources.iter().for_each(|_| {
            graph.vertex();
        });
        graph
    }

    /// Relationships with a beginning and an end in the place of each container.
    pub fn expanded(&self) -> Expanded {
        let mut graph = self.relationships();
        let mut points: Vec<Option<Point>> =
            (0..self.resources.len()).map(Point::Resource).map(Some).collect();
        let mut ends = HashMap::new();
        let containers: Vec<usize> =
            self.resources.iter().enumerate().filter(|(_, one)| one.is_container).map(|(n, _)| n).collect();
        for container in &containers {
            ends.insert(*container, (graph.vertex(), graph.vertex()));
            points[*container] = None;
            points.extend([Some(Point::Begin(*container)), Some(Point::End(*container))]);
        }
        let begin = |vertex: usize| ends.get(&vertex).map_or(vertex, |(begin, _)| *begin);
        let end = |vertex: usize| ends.get(&vertex).map_or(vertex, |(_, end)| *end);
        let containment = self.containment();
        for container in &containers {
            let contents = containment.targets(*container);
            if contents.is_empty() {
                graph.add(begin(*container), end(*container));
            }
            for content in contents {
                graph.add(begin(*container), begin(*content));
                graph.add(end(*content), end(*container));
            }
            let [into, out] = graph.detach(*container);
            for (source, count) in into {
                graph.add_many(end(source), begin(*container), count);
            }
            for (target, count) in out {
                graph.add_many(end(*container), begin(target), count);
            }
        }
        Expanded { graph, points, ends }
    }
}

impl Expanded {
    /// Where a resource begins and where it ends.
    pub fn ends(&self, resource: usize) -> (usize, usize) {
        self.ends.get(&resource).copied().unwrap_or((resource, resource))
    }
}
