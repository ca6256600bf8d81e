class none { }
