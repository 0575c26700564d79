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

// ServiceStatus is what one ingest service is doing.
type ServiceStatus struct {
	State     StreamState `json:"state"`
	Source    string      `json:"source"`
	Rate      float64     `json:"rate"`            // tweets a second
	LastAt    Time        `json:"lastAt,omitzero"` // arrival of its last tweet
	LastError string      `json:"lastError,omitzero"`
	// Heeds is the version of Control that the service goes by.
	Heeds int64 `json:"heeds,omitzero"`
}

// ParseStatus reads the hash under StatusKey; services are those alive, which
// control is for.
func ParseStatus(fields map[string]string, services []ServiceStatus, control Control) (*Status, error) {
	count := func(name string) int64 {
		n, _ := strconv.ParseInt(fields[name], 10, 64)
		return n
	}
	s := &Status{
		Stored:     count(StatusStored),
		Updated:    count(StatusUpdated),
		Duplicates: count(StatusDuplicates),
		Deleted:    count(StatusDeleted),
		Blank:      count(StatusBlank),
		Repaired:   count(StatusRepaired),
	}
	alive := len(services) > 0
	if last, ok := fields[StatusLast]; ok && !alive {
		services = make([]ServiceStatus, 1)
		if err := Decode([]byte(last), &services[0]); err != nil {
			return nil, err
		}
		services[0].Heeds = control.Version // it can heed no other any more
	}
	s.addServices(services, control)
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
	if s.State == StateFinished && s.Pending > 0 { // of a service that was killed
		s.State = pendingState(alive)
	}
	return s, nil
}

// pendingState is the state of a line that has read all and not stored all.
func pendingState(alive bool) StreamState {
	if alive {
		return StateRunning
	}
	return StateOffline
}

// busiest orders the states.
var busiest = []StreamState{StateRunning, StateReconnecting, StateConnecting, StateFinished, StateOffline}

// Busiest is the state of several parts together: the first, in the order
// RUNNING, RECONNECTING, CONNECTING, FINISHED, OFFLINE, that any of them is in.
func Busiest(states ...StreamState) StreamState {
	all := StateOffline
	for _, s := range states {
		if slices.Index(busiest, s) < slices.Index(busiest, all) {
			all = s
		}
	}
	return all
}

// addServices sums up what the services are doing.
func (s *Status) addServices(services []ServiceStatus, control Control) {
	s.State = StateOffline
	var sources []string
	var last Time
	for _, v := range services {
		if v.State == StateFinished && v.Heeds < control.Version {
			v.State = StateConnecting // it is about to read again
		}
		s.State = Busiest(s.State, v.State)
		sources = append(sources, v.Source)
		s.TweetsPerSecond += v.Rate
		last = max(last, v.LastAt)
		if v.LastError != "" {
			s.LastError = Opt(v.LastError)
		}
	}
	if control.Stopped {
		s.State = StateStopped
	}
	slices.Sort(sources)
	s.Source = Opt(strings.Join(slices.Compact(sources), " "))
	if last != 0 {
		s.LastTweetAt = &last
	}
}
