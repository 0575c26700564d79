package fault_test

import (
	"errors"
	"strings"
	"testing"

	"visualizer/internal/fault"
)

func TestContain(t *testing.T) {
	err := fault.Contain(func() error {
		var none []int
		_ = none[len(none)]
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(err.Error(), "TestContain") {
		t.Errorf("a panic gives %v, want what and where", err)
	}
	want := errors.New("as usual")
	if err := fault.Contain(func() error { return want }); err != want {
		t.Errorf("an error gives %v, want it as it is", err)
	}
}
