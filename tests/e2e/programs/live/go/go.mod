module live

go 1.19
