package schema

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCounterKeyKeepsTheOrder compares keys with the order (value, id) they
// stand for.
func TestCounterKeyKeepsTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	value := func() int64 {
		v := r.Int64() >> r.IntN(63)
		if r.IntN(4) == 0 {
			v = int64(1)<<r.IntN(63) + int64(r.IntN(3)) - 1
		}
		return v
	}
	for range 200_000 {
		a, b, i, j := value(), value(), r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		if r.IntN(3) == 0 {
			b = a
		}
		ka, kb := CounterKey(a, i), CounterKey(b, j)
		if want := cmp.Compare(float64(a), float64(b)); want != 0 && cmp.Compare(ka, kb) != want {
			t.Fatalf("CounterKey(%d, %d) = %d, CounterKey(%d, %d) = %d: not in order", a, i, ka, b, j, kb)
		}
		if a == b && cmp.Compare(ka, kb)*cmp.Compare(i, j) < 0 {
			t.Fatalf("CounterKey(%d, …) = %d for id %d and %d for id %d: not in order", a, ka, i, kb, j)
		}
		if int64(float64(ka)) != ka {
			t.Fatalf("CounterKey(%d, %d) = %d is not exact in a double", a, i, ka)
		}
		if (ka >= CounterFrom(b)) != (float64(a) >= float64(b)) {
			t.Fatalf("CounterKey(%d, %d) = %d against CounterFrom(%d) = %d", a, i, ka, b, CounterFrom(b))
		}
	}
}

// TestCounterKeySpreadsIDs: tweets with the same counter made a tenth of a
// second apart have keys of their own, unless it is enormous.
func TestCounterKeySpreadsIDs(t *testing.T) {
	for _, likes := range []int64{0, 1, 7, 1000, 50_000} {
		a, _ := ParseID(Snowflake(1_678_785_000_000, 0))
		b, _ := ParseID(Snowflake(1_678_785_003_000, 0))
		if CounterKey(likes, a) == CounterKey(likes, b) {
			t.Errorf("CounterKey(%d, …) is the same for ids 3 s apart", likes)
		}
	}
	if CounterKey(math.MaxInt64, 0) < CounterKey(1<<53, 0) {
		t.Error("the largest counter has a smaller key than 2^53")
	}
}

// TestUsernameKeysKeepTheOrder compares (first, second, rest, id) with the order
// (name, id).
func TestUsernameKeysKeepTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	runes := []rune("aabz019__ .|`~-é日𝒳\\[^")
	name := func() string {
		var b strings.Builder
		for range 1 + r.IntN(24) {
			b.WriteRune(runes[r.IntN(1+r.IntN(len(runes)))])
		}
		return b.String()
	}
	for range 300_000 {
		a := Fold(name())
		b := Fold(strings.ToValidUTF8(a[:r.IntN(len(a)+1)]+name(), ""))
		if r.IntN(4) == 0 {
			b = a
		}
		i, j := r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		a1, a2, ar := UsernameKeys(a, i)
		b1, b2, br := UsernameKeys(b, j)
		got := cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2), cmp.Compare(ar, br), cmp.Compare(i, j))
		if got != cmp.Or(cmp.Compare(a, b), cmp.Compare(i, j)) {
			t.Fatalf("%q %d: %d %d %q, %q %d: %d %d %q: not in order", a, i, a1, a2, ar, b, j, b1, b2, br)
		}
		if a1 == b1 && a2 == b2 && (ar == "") != (br == "") {
			t.Fatalf("%q and %q have the same keys and only one has a rest", a, b)
		}
		for _, key := range []int64{a1, a2} {
			if key < 0 || key >= 1<<53 {
				t.Fatalf("a key of %q is %d", a, key)
			}
		}
	}
}

// TestUsernameKeysHoldNames: a name of X needs no rest, and an author's tweets
// of two days have keys of their own.
func TestUsernameKeysHoldNames(t *testing.T) {
	a, _ := ParseID(Snowflake(1_678_785_000_000, 0))
	b, _ := ParseID(Snowflake(1_678_785_000_000+86_400_000, 0))
	for name, rest := range map[string]string{"": "", "mira": "", "mira_vantroy": "", "mira_vantroy_15": "", "a b": fmt.Sprintf("x%x", " b"), "a_name_that_is_too_long": fmt.Sprintf("x%x", "_long")} {
		a1, a2, got := UsernameKeys(name, a)
		if got != rest {
			t.Errorf("the keys of %q leave %q, want %q", name, got, rest)
		}
		if b1, b2, _ := UsernameKeys(name, b); rest == "" && a1 == b1 && a2 == b2 {
			t.Errorf("two tweets of %q have the same keys", name)
		}
	}
}
