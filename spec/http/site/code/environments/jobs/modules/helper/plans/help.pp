plan helper::help { }
