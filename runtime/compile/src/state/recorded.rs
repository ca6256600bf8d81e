//! What a compile notes of where things come from, where somebody asks (`bunraku why`); off, there is nothing. Only what the catalog
//! itself does not have: what an attribute says of its place, and a resource of who declared it, it has anyway.

use bunraku_hiera::query::traced::Noted;
use bunraku_vm::host::{Include, Site};
use bunraku_vm::scope::ResourceId;
use hashbrown::HashMap;
use std::cell::RefCell;

/// How a class came to be declared, beside by a resource expression, which the catalog has.
#[derive(Clone, Copy)]
pub(crate) struct Led<'c> {
    pub how: LedHow,
    /// The class, defined type or node whose code says so.
    pub by: Option<ResourceId>,
    pub site: Site<'c>,
}

/// See [`Led`].
#[derive(Clone, Copy)]
pub(crate) enum LedHow {
    /// By a function.
    Function(Include),
    /// By the node's classifier.
    Classifier,
}

/// What has set a parameter, where its own place does not tell.
#[derive(Clone)]
pub(crate) enum Given<'c> {
    /// Hiera: what was noted of the answer.
    Hiera(Noted<'c>),
    /// The node's classifier.
    Classifier,
    /// An override expression.
    Override,
    /// A collector's.
    Collector(Site<'c>),
    /// An arrow, at its place; several add up.
    Arrow(Site<'c>),
    /// Ruby has changed its value in place.
    Changed,
    /// The function `require`.
    Require(Site<'c>),
    /// What contains the resource has handed it down.
    Container(ResourceId),
}

/// An arrow between two resources.
#[derive(Clone, Copy)]
pub(crate) struct Arrow<'c> {
    pub from: ResourceId,
    pub to: ResourceId,
    pub notify: bool,
    pub site: Site<'c>,
}

/// See the module. All of it lies on the heap: [`Recorded::release`] lets go of it.
#[derive(Default)]
pub(crate) struct Recorded<'c> {
    /// By the class's name; the first is what declared it.
    pub led: RefCell<HashMap<String, Vec<Led<'c>>>>,
    /// What has set a parameter of a resource, in the order in which it came: it is the last that counts.
    pub given: RefCell<Vec<(ResourceId, &'c str, Given<'c>)>>,
    /// Resources that a collector or `realize` took, with the place of that.
    pub realized: RefCell<HashMap<ResourceId, Vec<Site<'c>>>>,
    /// The places of collectors, by number.
    pub collectors: RefCell<Vec<Site<'c>>>,
    /// The places of relationships, by number.
    pub relationships: RefCell<Vec<Site<'c>>>,
    pub arrows: RefCell<Vec<Arrow<'c>>>,
}

impl<'c> Recorded<'c> {
    /// Lets go of what lies on the heap.
    pub fn release(&self) {
        let Recorded { led, given, realized, collectors, relationships, arrows } = self;
        led.take();
        given.take();
        realized.take();
        collectors.take();
        relationships.take();
        arrows.take();
    }

    /// Notes what has set a parameter.
    pub fn give(&self, id: ResourceId, name: &'c str, given: Given<'c>) {
        self.given.borrow_mut().push((id, name, given));
    }
}
