plan jobs { }
