package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"visualizer/internal/pinned"
)

// clients are programs that ask what testdata/clients/operations.graphql holds,
// each with a library that people use, and print what they heard. They take the
// URL of GraphQL and the moment before which the tweets were created that they walk.
var clients = []struct {
	name string
	run  func(t *testing.T, args ...string) string
}{
	{"graphql-ws", node("graphql-ws.js")},
	{"graphql-sse", node("graphql-sse.js")},
	{"Apollo Client", node("apollo.js")},
	{"gql", func(t *testing.T, args ...string) string {
		return pinned.Python(t, clientsDir, append([]string{"gql_client.py"}, args...)...)
	}},
	{"genqlient", func(t *testing.T, args ...string) string {
		program := filepath.Join(t.TempDir(), "genqlient")
		output(t, "go", "build", "-o", program, "./genqlient")
		return output(t, program, args...)
	}},
}

const clientsDir = "testdata/clients"

func node(program string) func(t *testing.T, args ...string) string {
	return func(t *testing.T, args ...string) string {
		return pinned.Node(t, clientsDir, append([]string{program}, args...)...)
	}
}

// output runs a program and returns what it prints.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("run %s: %v\n%s", program, err, out)
	}
	return string(out)
}

// heard is what a client got.
type heard struct {
	Total  int
	Pages  [][]string // ids
	Joined []string   // the pages as the client's cache has them, if it has one
	Began  time.Time  // when the subscription was about to begin
	Added  struct {
		ID         string
		ObservedAt time.Time
	}
}

// faults says what is wrong about it; want are the ids of the list.
func (h heard) faults(want []string) (faults []string) {
	if h.Total != len(want) {
		faults = append(faults, fmt.Sprintf("totalCount is %d, want %d", h.Total, len(want)))
	}
	if walked := slices.Concat(h.Pages...); len(h.Pages) < 3 || !slices.Equal(walked, want) {
		faults = append(faults, fmt.Sprintf("the walk is %v, want %v", h.Pages, want))
	}
	if h.Joined != nil && !slices.Equal(h.Joined, want) {
		faults = append(faults, fmt.Sprintf("the cache holds %v, want %v", h.Joined, want))
	}
	if h.Added.ID == "" || h.Added.ObservedAt.Before(h.Began) {
		faults = append(faults, fmt.Sprintf("the subscription that began at %v got %+v", h.Began, h.Added))
	}
	return faults
}

// TestClients: each client asks for a count, walks a list of several pages by
// cursor and gets a tweet that is ingested meanwhile; and it would notice a
// server that gives a page twice.
func TestClients(t *testing.T) {
	t.Parallel()
	l, until, want := clientsLine(t)
	for _, client := range clients {
		t.Run(client.name, func(t *testing.T) {
			ask := func(url string) (h heard) {
				out := client.run(t, url, until)
				if err := json.Unmarshal([]byte(out), &h); err != nil {
					t.Fatalf("%s: %v", out, err)
				}
				return h
			}
			for _, fault := range ask(l.url).faults(want) {
				t.Error(fault)
			}
			if h := ask(stutter(t, l.url)); len(h.faults(want)) == 0 {
				t.Errorf("a page that came twice is not noticed: %+v", h)
			}
		})
	}
}

// clientsLine starts a line with tweets of one file and those that the simulator
// makes on and on. It returns the moment that lies between, and the ids of the
// file's tweets as a plain list has them.
func clientsLine(t *testing.T) (l *line, until string, ids []string) {
	t.Helper()
	m := &model{Rand: rand.New(rand.NewPCG(31, 0))}
	file := m.makeFile(t, 31, 90, 0, time.Date(2023, 3, 14, 9, 26, 53, 0, time.UTC))
	l = start(t, settings(t.TempDir(), file, "sim"))
	until = "2024-01-01T00:00:00.000Z"
	eventually(t, "the file is stored", func() bool { ids = l.before(until); return len(ids) == len(m.tweets) })
	return l, until, ids
}

// before lists the tweets that were created before a moment, at most 100.
func (l *line) before(until string) (ids []string) {
	l.t.Helper()
	list := ask[struct {
		Tweets struct{ Nodes []struct{ ID string } }
	}](l, `query($until: DateTime) { tweets(first: 100, filter: {until: $until}) { nodes { id } } }`, map[string]any{"until": until})
	for _, n := range list.Tweets.Nodes {
		ids = append(ids, n.ID)
	}
	return ids
}
