package ingest

import (
	"context"
	"errors"
	"fmt"
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

var (
	// errMoved means that another writer was faster.
	errMoved = errors.New("changed meanwhile")
	// errChained means that a lane met an edited tweet, whose versions may
	// belong to other lanes: its events must hold all of them.
	errChained = errors.New("part of an edit chain")
)

// part is what goes into one transaction.
type part struct {
	events []work
	// message is the number on the stream of the message it is of; 0 when it
	// is of none, as touches are, and may be repeated.
	message uint64
	// again: it may have been executed before, by a writer that was killed or
	// whose connection broke before it knew.
	again bool
}

// name is the same whenever the part is delivered, and no other's.
func (p part) name() string {
	if p.message == 0 {
		return ""
	}
	return strconv.FormatUint(p.message, 36) + "." + strconv.FormatUint(p.events[0].place, 36)
}

// store writes a part and returns when Redis has executed the transaction.
// After an error the same call may be made again with part.again set.
func (l *lane) store(ctx context.Context, p part) (outcome, error) {
	for {
		done, err := l.attempt(ctx, p)
		if !errors.Is(err, errMoved) || ctx.Err() != nil {
			return done, err
		}
	}
}

// outcome is what became of a part.
type outcome struct {
	refused []refusal
	process string // of the server that has executed it
}

// attempt is one round of watch, read, decide, write on a connection of its
// own, which WATCH belongs to.
func (l *lane) attempt(ctx context.Context, part part) (out outcome, err error) {
	err = l.client.Dedicated(func(c rueidis.DedicatedClient) error {
		s, err := l.read(ctx, c, part.events)
		if err != nil {
			return err
		}
		out.process = s.process
		if len(l.keys) == 1 && s.chained(part.events) {
			return errChained
		}
		if done, err := l.done(ctx, c, part); done || err != nil {
			return err
		}
		p := newPlan(s)
		for _, w := range part.events {
			p.apply(w)
		}
		out.refused, err = l.write(ctx, c, p, part.name())
		return err
	})
	return out, err
}

// done reports whether the part was executed before. It is asked with the lane
// watched, so that the answer still holds when the part is written.
func (l *lane) done(ctx context.Context, c rueidis.DedicatedClient, p part) (bool, error) {
	if !p.again || p.name() == "" {
		return false, nil
	}
	done, err := c.Do(ctx, c.B().Hexists().Key(schema.AppliedKey).Field(p.name()).Build()).AsBool()
	if err != nil {
		return false, fmt.Errorf("read what was applied: %w", err)
	}
	return done, nil
}

// read watches the lane and returns what Redis knows of the events' tweets. It
// asks until what it learns leads to nothing more.
func (l *lane) read(ctx context.Context, c rueidis.DedicatedClient, events []work) (*state, error) {
	s := newState()
	for q := s.missing(events); !q.empty(); q = s.missing(events) {
		watch := c.B().Watch().Key(l.keys...).Build() // a command is gone once it is sent
		asks := q.asks(c)
		cmds := []rueidis.Completed{watch, c.B().Info().Section("server").Build()}
		for _, a := range asks {
			cmds = append(cmds, a.cmd)
		}
		replies := c.DoMulti(ctx, cmds...)
		if err := replies[0].Error(); err != nil {
			return nil, fmt.Errorf("watch lane: %w", err)
		}
		var err error
		if s.process, err = processOf(replies[1]); err != nil {
			return nil, err
		}
		for i, a := range asks {
			if err := a.learn(s, replies[i+2]); err != nil {
				return nil, fmt.Errorf("read %s: %w", a.what, err)
			}
		}
	}
	return s, nil
}

// ask is a command of a question and what to do with its reply.
type ask struct {
	what  string
	cmd   rueidis.Completed
	learn func(*state, rueidis.RedisResult) error
}

// asks returns the commands of a question. Each reads all that it can at once.
func (q question) asks(c rueidis.DedicatedClient) []ask {
	var asks []ask
	if len(q.ids) > 0 {
		keys := make([]string, 0, 2*len(q.ids))
		for _, id := range q.ids {
			keys = append(keys, schema.TweetKey(id), schema.HiddenKey(id))
		}
		asks = append(asks,
			ask{"tombstones", c.B().Smismember().Key(schema.TombstonesKey).Member(q.ids...).Build(), q.learnTombs},
			ask{"edit chains", c.B().Hmget().Key(schema.ChainsKey).Field(q.ids...).Build(), q.learnLinks},
			ask{"documents", c.B().JsonMget().Key(keys...).Path(".").Build(), q.learnDocuments})
	}
	if len(q.users) > 0 {
		asks = append(asks, ask{"scrubbed users", c.B().Hmget().Key(schema.ScrubbedKey).Field(q.users...).Build(), q.learnScrubs})
	}
	return append(asks, ask{"withheld notices", c.B().Hmget().Key(schema.WithheldKey).Field(q.withheld()...).Build(), q.learnWithheld})
}

// withheld are the fields of schema.WithheldKey that concern the question.
func (q question) withheld() []string {
	fields := make([]string, 0, len(q.ids)+len(q.users))
	for _, id := range q.ids {
		fields = append(fields, schema.WithheldTweet+id)
	}
	for _, id := range q.users {
		fields = append(fields, schema.WithheldUser+id)
	}
	return fields
}

func (q question) learnTombs(s *state, r rueidis.RedisResult) error {
	tombs, err := r.AsIntSlice()
	for i := range tombs {
		s.tombs[q.ids[i]] = tombs[i] == 1
	}
	return err
}

func (q question) learnLinks(s *state, r rueidis.RedisResult) error {
	return eachString(q.ids, r, func(id, l string) error { s.links[id] = parseLink(l); return nil })
}

func (q question) learnScrubs(s *state, r rueidis.RedisResult) error {
	for _, id := range q.users {
		s.scrubs[id] = ""
	}
	return eachString(q.users, r, func(id, upTo string) error { s.scrubs[id] = upTo; return nil })
}

func (q question) learnWithheld(s *state, r rueidis.RedisResult) error {
	return eachString(q.withheld(), r, func(field, json string) error {
		n := new(schema.WithheldNotice)
		s.withheld[field] = n
		return schema.Decode([]byte(json), n)
	})
}

// eachString calls learn with the name and value of each that is there.
func eachString(names []string, r rueidis.RedisResult, learn func(name, value string) error) error {
	values, err := r.ToArray()
	if err != nil {
		return err
	}
	for i, name := range names {
		value, err := values[i].ToString()
		if err != nil {
			continue // it is not there
		}
		if err := learn(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (q question) learnDocuments(s *state, r rueidis.RedisResult) error {
	docs, err := r.ToArray()
	if err != nil {
		return err
	}
	for i, id := range q.ids {
		s.docs[id] = nil
		for _, m := range docs[2*i : 2*i+2] {
			if m.IsNil() {
				continue
			}
			if s.docs[id], err = readDocument(m); err != nil {
				return fmt.Errorf("tweet %s: %w", id, err)
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
func (l *lane) write(ctx context.Context, c rueidis.DedicatedClient, p *plan, name string) ([]refusal, error) {
	cmds, documents, err := l.commands(c, p, name)
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

// commands returns the transaction of a plan for the part of a name, and for
// each command in it the document it stores.
func (l *lane) commands(c rueidis.DedicatedClient, p *plan, name string) (cmds []rueidis.Completed, documents []document, err error) {
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
	for user := range p.scrubbed {
		add(c.B().Hset().Key(schema.ScrubbedKey).FieldValue().FieldValue(user, p.scrubs[user]).Build())
	}
	for field := range p.noticed {
		json, err := schema.Encode(p.withheld[field])
		if err != nil {
			return nil, nil, fmt.Errorf("encode notice: %w", err)
		}
		add(c.B().Hset().Key(schema.WithheldKey).FieldValue().FieldValue(field, rueidis.BinaryString(json)).Build())
	}
	for name, n := range p.counts {
		if n != 0 {
			add(c.B().Hincrby().Key(schema.StatusKey).Field(name).Increment(n).Build())
		}
	}
	if name != "" {
		add(c.B().Hset().Key(schema.AppliedKey).FieldValue().FieldValue(name, "1").Build())
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
