module example.org/beads

go 1.20
