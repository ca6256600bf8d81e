//! The world a compile happens in: environments, autoloader, facts, the catalog.
