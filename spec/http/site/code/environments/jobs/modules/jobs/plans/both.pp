plan jobs::both { }
