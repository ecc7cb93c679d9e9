module example.com/main // Deprecated: use it

go 1.19

require (
	"example.com/A/b" v1.0.0
	example.com/big v2.0.0+incompatible
)

require example.com/e/v3 v3.0.1 // indirect
require example.com/old v1.0.0
require example.com/loc v1.0.0
require example.com/c v1.2.0 // indirect
require example.com/d v0.0.0-20200101000000-0123456789ab // indirect

exclude example.com/c v1.1.0
replace example.com/old v1.0.0 => example.com/fork v1.9.0
replace "example.com/loc" => ./local
retract [v1.0.0, v1.2.0] // bad
retract (
	v0.1.0
	[v0.2.0, v0.3.0]
)
