package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Status tells what the present run of the line has done. At every moment
// Received = Stored + Updated + Duplicates + all Control + all Rejected +
// Pending.
type Status struct {
	State      StreamState
	Source     Opt
	Received   int64
	Stored     int64
	Updated    int64
	Duplicates int64
	Deleted    int64
	Control    []ControlCount
	Blank      int64
	Repaired   int64
	Rejected   []RejectedCount
	// Pending were published and are not yet durable.
	Pending         int64
	TweetsPerSecond float64
	LastTweetAt     *Time
	LastError       Opt
}

// ControlCount counts messages of one type that are no tweets.
type ControlCount struct {
	Type  string
	Count int64
}

// RejectedCount counts records that were set aside for one reason.
type RejectedCount struct {
	Reason string
	Count  int64
}

// ParseStatus reads the hash under StatusKey; alive tells whether HeartbeatKey
// exists.
func ParseStatus(fields map[string]string, alive bool) *Status {
	count := func(name string) int64 {
		n, _ := strconv.ParseInt(fields[name], 10, 64)
		return n
	}
	s := &Status{
		State:      StreamState(fields[StatusState]),
		Source:     Opt(fields[StatusSource]),
		Stored:     count(StatusStored),
		Updated:    count(StatusUpdated),
		Duplicates: count(StatusDuplicates),
		Deleted:    count(StatusDeleted),
		Blank:      count(StatusBlank),
		Repaired:   count(StatusRepaired),
		LastError:  Opt(fields[StatusLastError]),
	}
	if !alive && s.State != StateFinished || s.State == "" {
		s.State = StateOffline
	}
	if alive {
		s.TweetsPerSecond, _ = strconv.ParseFloat(fields[StatusRate], 64)
	}
	if at := Time(count(StatusLastAt)); at != 0 {
		s.LastTweetAt = &at
	}
	for name, value := range fields {
		n, _ := strconv.ParseInt(value, 10, 64)
		if kind, ok := strings.CutPrefix(name, StatusControl); ok {
			s.Control = append(s.Control, ControlCount{kind, n})
			s.Received += n
		}
		if reason, ok := strings.CutPrefix(name, StatusRejected); ok {
			s.Rejected = append(s.Rejected, RejectedCount{reason, n})
			s.Received += n
		}
	}
	slices.SortFunc(s.Control, func(a, b ControlCount) int { return cmp.Compare(a.Type, b.Type) })
	slices.SortFunc(s.Rejected, func(a, b RejectedCount) int { return cmp.Compare(a.Reason, b.Reason) })
	durable := s.Stored + s.Updated + s.Duplicates
	s.Pending = max(count(StatusPublished)-durable, 0)
	s.Received += durable + s.Pending
	return s
}
