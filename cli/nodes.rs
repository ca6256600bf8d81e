//! The arguments that say which nodes of a fleet are meant, and where their facts come from.

use crate::world::World;
use bunraku::Certificates;
use bunraku_fleet::nodes::Nodes;

impl World {
    /// The nodes that facts are known of: those of `--factpath` or `--facts`, or of the place that is configured (a server's
    /// cache, or PuppetDB).
    ///
    /// # Errors
    /// When no place is known, or it can't be read.
    pub fn nodes(&self) -> Result<Nodes, String> {
        let given = self.factpath.as_ref().or(self.facts.as_ref());
        let Some(given) = given.map(|place| place.to_string_lossy().into_owned()) else {
            return self.configured_nodes();
        };
        let own = Certificates {
            authorities: self.localcacert.clone(),
            certificate: self.hostcert.clone(),
            key: self.hostprivkey.clone(),
        };
        Nodes::open(&given, &own)
    }

    fn configured_nodes(&self) -> Result<Nodes, String> {
        let unknown =
            "Which nodes? Give --facts a snapshot, a folder with a file for each node, or puppetdb:URL";
        let Some(configuration) = self.configuration()? else { return Err(unknown.to_owned()) };
        if let Some(folder) = configuration.facts_folder()? {
            return Nodes::open(&folder.to_string_lossy(), &Certificates::default());
        }
        match configuration.facts_puppetdb()? {
            Some((url, certificates)) => Nodes::open(&format!("puppetdb:{url}"), &certificates),
            None => Err(unknown.to_owned()),
        }
    }
}
