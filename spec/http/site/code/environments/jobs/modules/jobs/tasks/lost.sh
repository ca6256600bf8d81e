echo lost
