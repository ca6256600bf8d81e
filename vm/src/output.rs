//! Texts while they are put together: the output of templates, and interpolated strings.

/// Text a template has rendered so far.
#[derive(Default)]
pub(crate) struct TemplateOutput {
    pub text: String,
    /// Whether a Sensitive value was rendered: the whole text then is one.
    pub sensitive: bool,
}

/// Texts under construction.
#[derive(Default)]
pub(crate) struct Texts {
    /// Output of the templates being rendered, innermost last.
    pub templates: Vec<TemplateOutput>,
    /// Where an interpolated string is put together before it goes to the arena; empty in between.
    pub scratch: String,
}
