package e2e

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	child()
	goleak.VerifyTestMain(m)
}
