package allinone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go"

	"visualizer/ingest"
	"visualizer/ingest/sim"
	"visualizer/internal/cli"
	"visualizer/internal/dial"
	"visualizer/internal/stack"
)

// simSettings are the flags of visualizer sim.
type simSettings struct {
	Out    string `help:"File to write, or - for standard output." default:"-" placeholder:"FILE"`
	Tweets int    `help:"How many tweets." default:"10000" placeholder:"N"`
	Seed   uint64 `help:"The same seed makes the same authors and texts." default:"1" placeholder:"N"`
}

// Validate checks what kong can't.
func (s *simSettings) Validate() error {
	if s.Tweets < 1 {
		return errors.New("--tweets: below 1: give how many tweets to make")
	}
	return nil
}

// simCommand writes a file of simulated tweets.
func simCommand() cli.Command[simSettings] {
	return cli.Command[simSettings]{
		Name:        "sim",
		Description: "Writes simulated tweets as JSON lines, as the X API delivers them, made up to now at 50 a second.",
		Run:         writeSim,
	}
}

// simRate is the pace at which a file's tweets were made.
const simRate = 50

func writeSim(ctx context.Context, cfg *simSettings) error {
	out := io.Writer(os.Stdout)
	if cfg.Out != "-" {
		f, err := os.Create(cfg.Out)
		if err != nil {
			return fmt.Errorf("%w: give another --out", err)
		}
		defer f.Close()
		out = f
	}
	start := time.Now().Add(-time.Duration(cfg.Tweets) * time.Second / simRate)
	return sim.WriteFile(&stopWriter{ctx, out}, sim.NewWorld(cfg.Seed), cfg.Tweets, start, simRate)
}

// stopWriter fails when ctx has ended.
type stopWriter struct {
	ctx context.Context
	w   io.Writer
}

func (s *stopWriter) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.w.Write(p)
}

// letterSettings are the flags of visualizer deadletters.
type letterSettings struct {
	Data string `help:"Folder of the all-in-one, which may be running." default:".visualizer" placeholder:"DIR"`
	cli.NATS
	Number []uint64 `arg:"" optional:"" help:"Numbers of letters, as list shows them." placeholder:"NUMBER"`
}

// lettersCommand is the group of commands for dead letters.
func lettersCommand() cli.Command[struct{}] {
	letters := func(name, description string, run func(context.Context, *letterSettings, *ingest.Letters) error) cli.Command[letterSettings] {
		return cli.Command[letterSettings]{Name: name, Description: description, Run: func(ctx context.Context, cfg *letterSettings) error {
			return withLetters(ctx, cfg, run)
		}}
	}
	return cli.Command[struct{}]{
		Name:        "deadletters",
		Description: "Lists, shows and replays records that could not be stored.",
		Commands: []cli.Subcommand{
			letters("list", "Lists the records that were set aside, with their reasons.", listLetters),
			letters("show", "Writes the bytes of a record to stdout, and what is known of it to stderr.", showLetters),
			letters("replay", "Reads records again, all or those numbered, and stores those that are understood now.", replayLetters),
		},
		Run: func(context.Context, *struct{}) error {
			return cli.Usage(errors.New("what to do with them is missing: give list, show NUMBER or replay"))
		},
	}
}

// withLetters opens the dead letters: of the server that is named, of the
// all-in-one that runs on the data folder, or of the folder itself.
func withLetters(ctx context.Context, cfg *letterSettings, run func(context.Context, *letterSettings, *ingest.Letters) error) (err error) {
	url, opts, ok := cfg.NATSURL, []nats.Option(nil), true
	if url == "" {
		url, opts, ok = stack.RunningNATS(cfg.Data)
	}
	if !ok {
		if _, err := os.Stat(cfg.Data); err != nil {
			return cli.Usage(fmt.Errorf("%w: give the folder of the all-in-one with --data, or --nats-url", err))
		}
		servers, err := stack.Start(ctx, stack.Config{Data: cfg.Data, RedisURL: notStarted})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, servers.Close()) }()
		url, opts = servers.NATS()
	}
	conn, err := dial.NATS(ctx, url, "visualizer-deadletters", opts...)
	if err != nil {
		return err
	}
	defer conn.Close()
	letters, err := ingest.OpenLetters(ctx, conn)
	if err != nil {
		return err
	}
	return run(ctx, cfg, letters)
}

// notStarted stands for a server that is not needed.
const notStarted = "none"

func listLetters(ctx context.Context, cfg *letterSettings, letters *ingest.Letters) error {
	if len(cfg.Number) > 0 {
		return cli.Usage(errors.New("list shows all letters: give numbers to show or replay"))
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tSET ASIDE\tREASON\tBYTES\tFROM\tERROR")
	for letter, err := range letters.All(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t%s\n", letter.Number, letter.At, letter.Reason, letter.Size, from(letter), oneLine(letter.Error))
	}
	return table.Flush()
}

// from is where a letter's record stood.
func from(letter ingest.Letter) string {
	if letter.Line == 0 {
		return letter.Source
	}
	return fmt.Sprintf("%s:%d", letter.Source, letter.Line)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func showLetters(ctx context.Context, cfg *letterSettings, letters *ingest.Letters) error {
	if len(cfg.Number) == 0 {
		return cli.Usage(errors.New("the number of a letter is missing: deadletters list shows them"))
	}
	for _, number := range cfg.Number {
		letter, err := letters.Get(ctx, number)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d: %s, %s, set aside %s: %s\n", number, letter.Reason, from(letter), letter.At, oneLine(letter.Error))
		if len(letter.Raw) < letter.Size {
			fmt.Fprintf(os.Stderr, "only the first %d of %d bytes were kept\n", len(letter.Raw), letter.Size)
		}
		if _, err := os.Stdout.Write(append(letter.Raw, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func replayLetters(ctx context.Context, cfg *letterSettings, letters *ingest.Letters) error {
	var replayed, kept, tweets int
	replay := func(letter ingest.Letter, err error) error {
		if err != nil {
			return err
		}
		n, err := letters.Replay(ctx, letter)
		if err != nil {
			kept++
			fmt.Fprintln(os.Stderr, err)
			return nil
		}
		replayed, tweets = replayed+1, tweets+n
		return nil
	}
	if len(cfg.Number) > 0 {
		for _, number := range cfg.Number {
			if err := replay(letters.Get(ctx, number)); err != nil {
				return err
			}
		}
	} else {
		for letter, err := range letters.All(ctx) {
			if err := replay(letter, err); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%d replayed with %d tweets\n", replayed, tweets)
	if kept > 0 {
		return fmt.Errorf("%d dead letters could not be replayed and are kept", kept)
	}
	return nil
}
