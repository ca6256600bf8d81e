echo many
