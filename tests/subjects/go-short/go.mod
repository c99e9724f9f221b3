module example.org/short

go 1.20
