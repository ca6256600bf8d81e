class rooted { class ::innermost { } }
