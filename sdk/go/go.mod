module trilho

go 1.24
