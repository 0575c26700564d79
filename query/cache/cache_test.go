package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func newCache() *Cache[string] { return New(1<<20, func(s string) int { return len(s) }) }

// asking counts how often it is asked.
func asking(n *int, answer string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { *n++; return answer, nil }
}

// TestAge: an answer is good while the epoch stands, but no longer than MaxAge,
// and for a Burst in any case.
func TestAge(t *testing.T) {
	for _, tt := range []struct {
		name  string
		epoch string
		age   time.Duration
		kept  bool
	}{
		{"the same moment", "1", 0, true},
		{"the same epoch", "1", MaxAge - time.Millisecond, true},
		{"the same epoch, too old", "1", MaxAge, false},
		{"another epoch at once", "2", Burst - time.Millisecond, true},
		{"another epoch", "2", Burst, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, asked := newCache(), 0
			if _, err := c.Do(t.Context(), "q", "1", asking(&asked, "old")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(tt.age)
			got, err := c.Do(t.Context(), "q", tt.epoch, asking(&asked, "new"))
			if want := map[bool]string{true: "old", false: "new"}[tt.kept]; got != want || err != nil {
				t.Errorf("%s: %s, %v, want %s", tt.name, got, err, want)
			}
		})
	}
}

// TestAgeCountsFromTheQuestion: what took long to find is that old.
func TestAgeCountsFromTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, asked := newCache(), 0
		slow := func(context.Context) (string, error) { time.Sleep(MaxAge); return "slow", nil }
		if _, err := c.Do(t.Context(), "q", "1", slow); err != nil {
			t.Fatal(err)
		}
		if got, _ := c.Do(t.Context(), "q", "1", asking(&asked, "new")); got != "new" {
			t.Errorf("got %s, which was asked a second ago", got)
		}
	})
}

func TestErrorsAreNotKept(t *testing.T) {
	c, asked := newCache(), 0
	broken := errors.New("broken")
	if _, err := c.Do(t.Context(), "q", "1", func(context.Context) (string, error) { return "half", broken }); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
	if got, err := c.Do(t.Context(), "q", "1", asking(&asked, "whole")); got != "whole" || err != nil {
		t.Errorf("after an error: %s, %v", got, err)
	}
}

// TestQuestionsAreApart: another question never gets this one's answer.
func TestQuestionsAreApart(t *testing.T) {
	c, asked := newCache(), 0
	for _, q := range []string{"a", "b", "", "a\x00"} {
		if got, _ := c.Do(t.Context(), q, "1", asking(&asked, "for "+q)); got != "for "+q {
			t.Errorf("question %q is answered %q", q, got)
		}
	}
}

// TestOneTrip: who asks the same at the same moment shares one trip, and who
// asks in a newer epoch doesn't.
func TestOneTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, trips := newCache(), 0
		slow := func(context.Context) (string, error) {
			trips++
			time.Sleep(50 * time.Millisecond)
			return "answer", nil
		}
		first, leave := context.WithCancel(t.Context())
		go c.Do(first, "q", "1", slow)
		synctest.Wait()
		leave() // the others still get the answer
		got := make(chan string, 11)
		for range 10 {
			go func() { s, _ := c.Do(t.Context(), "q", "1", slow); got <- s }()
		}
		go func() { s, _ := c.Do(t.Context(), "q", "2", slow); got <- s }()
		for range 11 {
			if s := <-got; s != "answer" {
				t.Errorf("got %q", s)
			}
		}
		if trips != 2 || c.Stats().Shared.Load() != 10 {
			t.Errorf("%d trips for two epochs, %d shared", trips, c.Stats().Shared.Load())
		}
	})
}

// TestLeft: who waits for another's trip makes their own when the other one has
// less time, or leaves.
func TestLeft(t *testing.T) {
	for name, hurried := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"less time": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 10*time.Millisecond)
		},
		"leaves": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, leave := context.WithCancel(ctx)
			time.AfterFunc(10*time.Millisecond, leave)
			return ctx, leave
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCache()
			until := func(ctx context.Context) (string, error) {
				select {
				case <-ctx.Done():
					return "", ctx.Err()
				case <-time.After(time.Second):
					return "answer", nil
				}
			}
			ctx, cancel := hurried(t.Context())
			defer cancel()
			go c.Do(ctx, "q", "1", until)
			synctest.Wait()
			for range 3 {
				go func() {
					if got, err := c.Do(t.Context(), "q", "1", until); got != "answer" || err != nil {
						t.Errorf("%s: got %q, %v", name, got, err)
					}
				}()
			}
			time.Sleep(2 * time.Second)
			if own, others := c.Stats().Misses.Load(), c.Stats().Shared.Load(); own != 2 || others != 2 {
				t.Errorf("%s: %d trips, %d shared", name, own, others)
			}
		})
	}
}

func TestBounded(t *testing.T) {
	c, asked := newCache(), 0
	big := strings.Repeat("x", 100<<10)
	for i := range 100 {
		c.Do(t.Context(), string(rune('a'+i)), "1", asking(&asked, big))
	}
	if w := c.answers.WeightedSize(); w > 1<<20 {
		t.Errorf("the answers weigh %d", w)
	}
}

func TestPanicIsAnError(t *testing.T) {
	c := newCache()
	_, err := c.Do(t.Context(), "q", "1", func(context.Context) (string, error) { panic("broken") })
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a panic gives %v", err)
	}
	asked := 0
	if got, err := c.Do(t.Context(), "q", "1", asking(&asked, "answer")); got != "answer" || err != nil {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

// TestMeeting: who asks the same at the same moment and in the same epoch shares
// one trip; who comes later has their own, however long the first one takes.
func TestMeeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, trips := NewMeeting[string](), 0
		slow := func(context.Context) (string, error) {
			trips++
			time.Sleep(time.Second)
			return "answer", nil
		}
		for _, tt := range []struct {
			question, epoch string
			trips           int
			after           time.Duration
		}{{"q", "1", 1, 0}, {"q", "1", 1, 0}, {"p", "1", 2, 0}, {"q", "2", 3, 0}, {"q", "2", 4, Burst}, {"q", "2", 5, 2 * time.Second}} {
			time.Sleep(tt.after)
			go func() {
				if got, err := m.Do(t.Context(), tt.question, tt.epoch, slow); got != "answer" || err != nil {
					t.Errorf("%s: %q, %v", tt.question, got, err)
				}
			}()
			synctest.Wait()
			if trips != tt.trips {
				t.Errorf("%+v: %d trips", tt, trips)
			}
		}
		time.Sleep(2 * time.Second)
		if own, others := m.Stats().Misses.Load(), m.Stats().Shared.Load(); own != 5 || others != 1 {
			t.Errorf("%d trips, %d shared", own, others)
		}
	})
}
