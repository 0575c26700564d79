package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// lane writes events whose tweets no other lane writes. Its transactions are
// optimistic: WATCH the lane's counter, read, decide in Go, and write all in
// one MULTI that also increments the counter. Another writer of the lane, in
// whatever process, makes the transaction fail, and then it is all read and
// decided again: a plan is never sent twice.
type lane struct {
	client rueidis.Client
	keys   []string // counters to watch and to increment
}

// refusal is a document that Redis would not store.
type refusal struct {
	document
	err error
}

// document is what a command of a transaction stores; the zero document is
// another command's.
type document struct {
	id   string
	json []byte
}

// errMoved means that another writer was faster.
var errMoved = errors.New("changed meanwhile")

// store writes the events and returns when Redis has executed the transaction.
// After an error the same call may be made again: whether Redis executed the
// transaction or not, it is read anew.
func (l *lane) store(ctx context.Context, events []work) ([]refusal, error) {
	for {
		refused, err := l.attempt(ctx, events)
		if !errors.Is(err, errMoved) {
			return refused, err
		}
	}
}

// attempt is one round of watch, read, decide, write on a connection of its
// own, which WATCH belongs to.
func (l *lane) attempt(ctx context.Context, events []work) (refused []refusal, err error) {
	err = l.client.Dedicated(func(c rueidis.DedicatedClient) error {
		s, err := l.read(ctx, c, events)
		if err != nil {
			return err
		}
		p := newPlan(s)
		for _, w := range events {
			p.apply(w)
		}
		refused, err = l.write(ctx, c, p)
		return err
	})
	return refused, err
}

// read watches the lane and returns what Redis knows of the events' tweets. It
// follows edit chains until every version is read.
func (l *lane) read(ctx context.Context, c rueidis.DedicatedClient, events []work) (*state, error) {
	s := newState()
	for ids := idsOf(events); len(ids) > 0; ids = s.missing(events) {
		watch := c.B().Watch().Key(l.keys...).Build() // a command is gone once it is sent
		replies := c.DoMulti(ctx, append([]rueidis.Completed{watch}, reads(c, ids)...)...)
		if err := replies[0].Error(); err != nil {
			return nil, fmt.Errorf("watch lane: %w", err)
		}
		if err := s.learn(ids, replies[1:]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func idsOf(events []work) []string {
	var ids []string
	for _, w := range events {
		ids = append(ids, w.ids()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// missing returns versions of the events' tweets that weren't read. Those of
// another lane are only looked at: what changes a chain holds all lanes, so that
// this lane's transaction would fail.
func (s *state) missing(events []work) []string {
	var ids []string
	for _, w := range events {
		for _, id := range w.ids() {
			chain, known := s.chain(id)
			if !known {
				ids = append(ids, chain...)
			}
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { _, looked := s.docs[id]; return looked })
	slices.Sort(ids)
	return slices.Compact(ids)
}

func reads(c rueidis.DedicatedClient, ids []string) []rueidis.Completed {
	keys := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		keys = append(keys, schema.TweetKey(id), schema.HiddenKey(id))
	}
	return []rueidis.Completed{
		c.B().Smismember().Key(schema.TombstonesKey).Member(ids...).Build(),
		c.B().Hmget().Key(schema.ChainsKey).Field(ids...).Build(),
		c.B().JsonMget().Key(keys...).Path(".").Build(),
	}
}

// learn adds the replies to reads of ids.
func (s *state) learn(ids []string, replies []rueidis.RedisResult) error {
	tombs, err := replies[0].AsIntSlice()
	if err != nil {
		return fmt.Errorf("read tombstones: %w", err)
	}
	links, err := replies[1].ToArray()
	if err != nil {
		return fmt.Errorf("read edit chains: %w", err)
	}
	docs, err := replies[2].ToArray()
	if err != nil {
		return fmt.Errorf("read documents: %w", err)
	}
	for i, id := range ids {
		s.tombs[id] = tombs[i] == 1
		if l, err := links[i].ToString(); err == nil {
			s.links[id] = parseLink(l)
		}
		s.docs[id] = nil
		for _, m := range docs[2*i : 2*i+2] {
			if m.IsNil() {
				continue
			}
			if s.docs[id], err = readDocument(m); err != nil {
				return fmt.Errorf("read document of tweet %s: %w", id, err)
			}
			break
		}
	}
	return nil
}

func readDocument(m rueidis.RedisMessage) (*schema.Document, error) {
	text, err := m.ToString()
	if err != nil {
		return nil, err
	}
	doc := new(schema.Document)
	return doc, schema.Decode([]byte(text), doc)
}

// write executes a plan. A command that fails inside the transaction does not
// undo the others, so each reply is looked at.
func (l *lane) write(ctx context.Context, c rueidis.DedicatedClient, p *plan) ([]refusal, error) {
	cmds, documents, err := l.commands(c, p)
	if err != nil {
		return nil, err
	}
	replies := c.DoMulti(ctx, cmds...)
	executed, err := replies[len(replies)-1].ToArray()
	switch {
	case rueidis.IsRedisNil(err):
		return nil, errMoved
	case err != nil:
		return nil, fmt.Errorf("write %d documents: %w", len(p.dirty), firstError(replies, err))
	}
	var refused []refusal
	for i, m := range executed {
		if err := m.Error(); err != nil && !rueidis.IsRedisNil(err) && documents[i].id != "" {
			refused = append(refused, refusal{documents[i], err})
		}
	}
	return refused, nil
}

// firstError is why a transaction was not executed: the first command that
// wasn't even queued.
func firstError(replies []rueidis.RedisResult, err error) error {
	for _, r := range replies {
		if e := r.Error(); e != nil {
			return e
		}
	}
	return err
}

// commands returns the transaction of a plan, and for each command in it the
// document it stores.
func (l *lane) commands(c rueidis.DedicatedClient, p *plan) (cmds []rueidis.Completed, documents []document, err error) {
	store := func(d document, cmd rueidis.Completed) { cmds, documents = append(cmds, cmd), append(documents, d) }
	add := func(cmd rueidis.Completed) { store(document{}, cmd) }
	for id := range p.dirty {
		doc, was := p.docs[id], p.before[id]
		if doc == nil {
			if was != "" {
				add(c.B().Del().Key(was).Build())
			}
			continue
		}
		json, err := schema.Encode(doc)
		if err != nil {
			return nil, nil, fmt.Errorf("encode tweet %s: %w", id, err)
		}
		if key := doc.Key(); was != "" && was != key {
			add(c.B().Del().Key(was).Build())
		}
		store(document{id, json}, c.B().JsonSet().Key(doc.Key()).Path("$").Value(rueidis.BinaryString(json)).Build())
	}
	if len(p.buried) > 0 {
		add(c.B().Sadd().Key(schema.TombstonesKey).Member(p.buried...).Build())
	}
	for id, to := range p.linked {
		add(c.B().Hset().Key(schema.ChainsKey).FieldValue().FieldValue(id, to.String()).Build())
	}
	for name, n := range p.counts {
		if n != 0 {
			add(c.B().Hincrby().Key(schema.StatusKey).Field(name).Increment(n).Build())
		}
	}
	for _, key := range l.keys {
		add(c.B().Incr().Key(key).Build())
	}
	cmds = append([]rueidis.Completed{c.B().Multi().Build()}, cmds...)
	return append(cmds, c.B().Exec().Build()), documents, nil
}

// laneKeys are the counters of all lanes.
func laneKeys(lanes int) []string {
	keys := make([]string, lanes)
	for i := range keys {
		keys[i] = schema.LaneKeyPrefix + strconv.Itoa(i)
	}
	return keys
}
