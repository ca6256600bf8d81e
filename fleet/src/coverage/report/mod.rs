//! The forms that coverage is told in: a table ([`text`]), one document ([`json`]), what forges and editors read ([`lcov`],
//! [`cobertura`]), and pages with the source ([`html`]).

pub mod cobertura;
pub mod html;
pub mod json;
pub mod lcov;
pub mod text;

use super::{Share, Totals};

/// What what is in no module is called.
pub const NO_MODULE: &str = "(environment)";

/// A column of tables, and what it says of totals.
type Column = (&'static str, fn(&Totals) -> Share);

/// The columns of tables.
const COLUMNS: [Column; 7] = [
    ("lines", |totals| totals.lines),
    ("branches", |totals| totals.branches),
    ("definitions", |totals| totals.definitions),
    ("templates", |totals| totals.templates),
    ("files", |totals| totals.files),
    ("data", |totals| totals.data),
    ("keys", |totals| totals.keys),
];
