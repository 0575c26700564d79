package ingest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Parts of a service that may be in trouble, beside its sources.
const (
	partStore   = "redis: store tweets"
	partSync    = "redis: sync tweets"
	partStatus  = "redis: write the status"
	partPublish = "nats: publish"
)

// partSource is the part that reads a source.
func partSource(name string) string { return "source " + name }

// troubles are what keeps a service from its work at present, by part.
type troubles struct {
	mu    sync.Mutex
	parts map[string]error
}

// note notes how the last try of a part went; nil ends its trouble. It reports
// whether trouble begins with it.
func (t *troubles) note(part string, err error) (begins bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		delete(t.parts, part)
		return false
	}
	if t.parts == nil {
		t.parts = map[string]error{}
	}
	_, known := t.parts[part]
	t.parts[part] = err
	return !known
}

// err is all trouble there is, or nil. A cause is told once, however many parts
// it troubles.
func (t *troubles) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	told := map[string]bool{}
	for _, part := range slices.Sorted(maps.Keys(t.parts)) {
		if err := t.parts[part]; !told[err.Error()] {
			told[err.Error()] = true
			errs = append(errs, fmt.Errorf("%s: %w", part, err))
		}
	}
	return errors.Join(errs...)
}
