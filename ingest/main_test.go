package ingest

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	child()
	goleak.VerifyTestMain(m)
}
