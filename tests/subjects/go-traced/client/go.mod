module example.org/jeweller

go 1.20

require example.org/beads v1.0.0

replace example.org/beads => ../library
