package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// document is what a command of a transaction stores; the zero document is
// another command's.
type document struct {
	id   string
	json []byte
}

var (
	// errMoved means that another writer was faster.
	errMoved = errors.New("changed meanwhile")
	// errChained means that events of a lane concern versions of an edited tweet
	// that may belong to other lanes: they must hold all of them.
	errChained = errors.New("part of an edit chain")
)

// part is events of one message that belong to one lane, or that hold all, in
// their order. Parts of several messages may go into one transaction.
type part struct {
	events  []work
	of      delivery
	lane    int      // number of the lane, or allLanes
	message *message // nil: of none
}

// allLanes is the lane of exclusive events.
const allLanes = -1

// delivery says which message a part is of; the zero delivery is of none, as
// touches are, which may be repeated.
type delivery struct {
	sequence uint64 // in the stream
	stored   int64  // when JetStream took it, in microseconds
}

// name is the same whenever the message is delivered, and no other's.
func (p part) name() string {
	if p.of.sequence == 0 {
		return ""
	}
	return strconv.FormatUint(p.of.sequence, 36) + "." + strconv.Itoa(p.lane)
}

// worksOf returns the events of parts, in their order.
func worksOf(parts []part) []work {
	if len(parts) == 1 {
		return parts[0].events
	}
	var events []work
	for _, p := range parts {
		events = append(events, p.events...)
	}
	return events
}

// store writes parts and returns when Redis has executed the transaction. What
// was executed before, by whatever writer, is not executed again: the same part
// may come from a writer that was killed, was paused while another did its work,
// or lost its connection before it knew.
func (l *lane) store(ctx context.Context, parts ...part) (outcome, error) {
	for {
		done, err := l.attempt(ctx, parts...)
		if !errors.Is(err, errMoved) || ctx.Err() != nil {
			return done, err
		}
	}
}

// outcome is what became of parts.
type outcome struct {
	refused []refusal
	process string           // of the server that has executed it
	counts  map[string]int64 // by field of the status, of this execution
}

// attempt is one round of watch, read, decide, write on a connection of its
// own, which WATCH belongs to.
func (l *lane) attempt(ctx context.Context, parts ...part) (out outcome, err error) {
	err = l.client.Dedicated(func(c rueidis.DedicatedClient) error {
		s := newState()
		if err := l.read(ctx, c, s, parts); err != nil {
			return err
		}
		out, _, err = l.step(ctx, c, s, parts, nil)
		return err
	})
	return out, err
}

// run stores chunks one after the other and calls done behind each. What the
// next one needs is read in the round trip that writes the one before, behind
// its transaction. When it fails, the chunk that is not done may be executed or
// not; it is to be stored again.
func (l *lane) run(ctx context.Context, chunks [][]part, done func(outcome) error) error {
	return l.client.Dedicated(func(c rueidis.DedicatedClient) error {
		s := newState()
		for i, chunk := range chunks {
			var next []part
			if i+1 < len(chunks) {
				next = chunks[i+1]
			}
			out, ahead, err := l.insist(ctx, c, s, chunk, next)
			if err == nil {
				err = done(out)
			}
			if err != nil {
				return err
			}
			s = ahead
		}
		return nil
	})
}

// insist makes a step, and whenever another writer was faster reads it all again.
func (l *lane) insist(ctx context.Context, c rueidis.DedicatedClient, s *state, parts, next []part) (outcome, *state, error) {
	for {
		if err := l.read(ctx, c, s, parts); err != nil {
			return outcome{}, nil, err
		}
		out, ahead, err := l.step(ctx, c, s, parts, next)
		if !errors.Is(err, errMoved) || ctx.Err() != nil {
			return out, ahead, err
		}
		s = newState()
	}
}

// step decides on parts and writes them. ahead is what it has read of the next
// ones on the way.
func (l *lane) step(ctx context.Context, c rueidis.DedicatedClient, s *state, parts, next []part) (out outcome, ahead *state, err error) {
	out.process, ahead = s.process, newState()
	done, left := s.applied.split(parts)
	p := decide(s, done, left)
	if len(left) == 0 && len(p.dirty) == 0 {
		return out, ahead, nil
	}
	events := worksOf(slices.Concat(done, left))
	if len(l.keys) == 1 && p.chains(events) {
		return out, ahead, errChained
	}
	asks := l.asks(c, ahead, next)
	unstored, replies, err := l.write(ctx, c, p, left, asks)
	if err != nil {
		return out, ahead, err
	}
	out.refused = p.refusals(unstored, events)
	out.counts = p.counts
	if learn(ahead, asks, replies) != nil {
		ahead = newState() // it is asked again, and then the failure told
	}
	return out, ahead, nil
}

// read adds to s what Redis knows of the parts and their events' tweets. It asks
// until what it learns leads to nothing more.
func (l *lane) read(ctx context.Context, c rueidis.DedicatedClient, s *state, parts []part) error {
	for asks := l.asks(c, s, parts); len(asks) > 0; asks = l.asks(c, s, parts) {
		if err := learn(s, asks, c.DoMulti(ctx, commandsOf(asks)...)); err != nil {
			return err
		}
	}
	return nil
}

// asks returns the commands that watch the lane and read what s does not know of
// parts; none when it knows all.
func (l *lane) asks(c rueidis.DedicatedClient, s *state, parts []part) []ask {
	q := s.missing(worksOf(parts))
	if q.empty() {
		return nil
	}
	asks := []ask{
		{"the lane", c.B().Watch().Key(l.keys...).Build(), func(_ *state, r rueidis.RedisResult) error { return r.Error() }},
		{"the server", c.B().Info().Section("server").Build(), learnProcess},
	}
	return append(append(asks, asksOf(c, parts)...), q.asks(c)...)
}

func learnProcess(s *state, r rueidis.RedisResult) (err error) {
	s.process, err = processOf(r)
	return err
}

func commandsOf(asks []ask) []rueidis.Completed {
	cmds := make([]rueidis.Completed, len(asks))
	for i, a := range asks {
		cmds[i] = a.cmd
	}
	return cmds
}

// learn puts the replies of asks into s.
func learn(s *state, asks []ask, replies []rueidis.RedisResult) error {
	for i, a := range asks {
		if err := a.learn(s, replies[i]); err != nil {
			return fmt.Errorf("read %s: %w", a.what, err)
		}
	}
	return nil
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

// write executes a plan, and asks in the same round trip. A command that fails
// inside the transaction does not undo the others, so each reply is looked at.
func (l *lane) write(ctx context.Context, c rueidis.DedicatedClient, p *plan, parts []part, asks []ask) ([]failed, []rueidis.RedisResult, error) {
	cmds, documents, err := l.commands(c, p, parts)
	if err != nil {
		return nil, nil, err
	}
	n := len(cmds)
	all := c.DoMulti(ctx, append(cmds, commandsOf(asks)...)...)
	replies, answers := all[:n], all[n:]
	executed, err := replies[n-1].ToArray()
	switch {
	case rueidis.IsRedisNil(err):
		return nil, nil, errMoved
	case err != nil:
		return nil, nil, fmt.Errorf("write %d documents: %w", len(p.dirty), firstError(replies, err))
	}
	var refused []failed
	for i, m := range executed {
		if err := m.Error(); err != nil && !rueidis.IsRedisNil(err) && documents[i].id != "" {
			refused = append(refused, failed{documents[i], err})
		}
	}
	return refused, answers, nil
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

// commands returns the transaction of a plan for parts, and for each command in
// it the document it stores.
func (l *lane) commands(c rueidis.DedicatedClient, p *plan, parts []part) (cmds []rueidis.Completed, documents []document, err error) {
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
		doc.SetIndex()
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
	if len(p.fresh) > 0 {
		add(c.B().Xadd().Key(schema.OutboxKey).Id("0-*").FieldValue().FieldValue(schema.OutboxIDs, strings.Join(p.fresh, " ")).Build())
	}
	for name, n := range p.counts {
		if n != 0 {
			add(c.B().Hincrby().Key(schema.StatusKey).Field(name).Increment(n).Build())
		}
	}
	for _, part := range parts {
		if name := part.name(); name != "" {
			last := strconv.FormatUint(part.events[len(part.events)-1].place, 10)
			add(c.B().Hset().Key(schema.AppliedKey).FieldValue().FieldValue(name, last).Build())
		}
	}
	for _, key := range l.keys {
		add(c.B().Incr().Key(key).Build())
	}
	cmds = append([]rueidis.Completed{c.B().Multi().Build()}, cmds...)
	return append(cmds, c.B().Exec().Build()), documents, nil
}
