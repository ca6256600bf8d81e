//! Which classifier says what a node's classes are, and what it says.

use super::{CompileArguments, Purpose};
use crate::confine::Confine;
use bunraku::{Configuration, Node, Settings, search_failed};
use clap::ValueEnum;
use std::path::PathBuf;

/// The setting `node_terminus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Terminus {
    /// From nowhere.
    Plain,
    /// From an external classifier.
    Exec,
    /// From an LDAP directory.
    Ldap,
}

impl CompileArguments {
    /// Refuses programs that would be run for confined code: see [`Confine::check`].
    ///
    /// # Errors
    /// Names the program; when the configuration can't be read.
    pub fn check_programs(&self, confine: &Confine) -> Result<(), String> {
        if !confine.confine {
            return Ok(());
        }
        let configured = match self.configuration()? {
            Some(configuration) => configuration.programs()?,
            None => Vec::new(),
        };
        let given = match (self.terminus(), &self.external_nodes, self.configuration()?) {
            (Some(Terminus::Exec), None, Some(configuration)) => {
                Some(configuration.get("external_nodes")?.text)
            }
            (_, command, _) => command.clone(),
        };
        let given = given.as_deref().and_then(|command| command.split_whitespace().next());
        let programs = configured.into_iter().chain([("external_nodes", given.map(PathBuf::from))]);
        confine.check(self.folder(), &programs.collect::<Vec<_>>())
    }

    /// Where arguments say that classes come from: who names a classifier wants it to be asked.
    fn terminus(&self) -> Option<Terminus> {
        self.node_terminus.or(self.external_nodes.as_ref().map(|_| Terminus::Exec))
    }

    /// The node with its classes, and the environment that it is to be in.
    ///
    /// # Errors
    /// When the classifier can't be asked, or says something else.
    pub fn classified(
        &self,
        node: Node,
        settings: &mut Settings,
        (configuration, purpose): (Option<&Configuration>, Purpose),
    ) -> Result<(Node, Option<String>), String> {
        let limits = settings.programs;
        let name = node.name().to_owned();
        let failed = |why: String| search_failed(&name, &why);
        let terminus = self.terminus();
        let (node, said) = match (&self.enc_answers, terminus, &self.external_nodes, configuration) {
            (Some(folder), ..) => node.classified_from(folder)?,
            (None, Some(Terminus::Exec), Some(command), _) => {
                node.classified_by(command, limits).map_err(failed)?
            }
            (None, Some(Terminus::Exec), None, Some(configuration)) => {
                configuration.classify_by_program(node, limits).map_err(failed)?
            }
            (None, Some(Terminus::Exec), None, None) => {
                return Err("--node_terminus exec needs a command: --external_nodes names one".to_owned());
            }
            (None, Some(Terminus::Ldap), ..) => {
                self.ldap.tell(settings)?;
                let server = self.ldap.server(self.localcacert.as_deref());
                node.classified_by_ldap(&server, &self.ldap.settings()?, limits)?
            }
            (None, None, _, Some(configuration)) if purpose != Purpose::Data => {
                configuration.classify(node, limits).map_err(failed)?
            }
            _ => (node, None),
        };
        let node = match configuration {
            Some(configuration) => configuration.with_trusted_external(node, limits)?,
            None => node,
        };
        Ok((node, said))
    }

    /// Whether a classifier, or another program, is asked of each node.
    ///
    /// # Errors
    /// When a setting can't be read.
    pub fn asks_of_nodes(&self, configuration: Option<&Configuration>) -> Result<bool, String> {
        let asks = self.enc_answers.is_some() || self.terminus().is_some();
        Ok(asks || configuration.map(Configuration::asks_of_nodes).transpose()?.unwrap_or_default())
    }
}
