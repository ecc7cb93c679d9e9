module example.com/audited

go 1.21

toolchain go1.21.3

require github.com/gin-gonic/gin v1.6.2 // direct

require (
	example.com/own v1.0.0
	github.com/old/name v1.0.0
	golang.org/x/net v0.0.0-20190404232315-eb5bcb51f2a3 // indirect
	gopkg.in/yaml.v2 v2.2.2+incompatible // indirect
)

exclude golang.org/x/net v0.1.0

replace example.com/own => ../own

replace (
	github.com/old/name v1.0.0 => github.com/new/name v1.1.0
	gopkg.in/yaml.v2 v2.0.0 => gopkg.in/yaml.v2 v2.0.1
)
