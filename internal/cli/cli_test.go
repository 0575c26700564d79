package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden files")

// asCommand makes the test binary run as the command under test.
const asCommand = "CLI_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main(Command[config]{Name: "demo", Vars: vars(), Run: hold})
	}
	goleak.VerifyTestMain(m)
}

type config struct {
	Source         []string      `help:"What to read: sim, x or a file." default:"sim" sep:"none"`
	Rate           int           `help:"Tweets a second; 0 is no limit." default:"50"`
	Retention      time.Duration `help:"Age at which tweets go; 0 keeps them."`
	Token          string        `help:"File of the bearer token." name:"x-bearer-token-file" type:"secret"`
	Listen         string        `help:"Address of the page." default:"${listen}" placeholder:"HOST:PORT"`
	AllowedOrigins []string      `help:"Further origins that may call." placeholder:"ORIGIN"`
	Log
}

func (c config) Validate() error {
	if c.Rate < 0 {
		return fmt.Errorf("--rate %d: negative: give 0 for no limit", c.Rate)
	}
	return nil
}

func vars() map[string]string { return map[string]string{"listen": "127.0.0.1:8080"} }

// hold says that it runs and waits for its end.
func hold(ctx context.Context, _ *config) error {
	fmt.Println("running")
	<-ctx.Done()
	if os.Getenv(asCommand) == "stuck" {
		time.Sleep(time.Minute)
	}
	return ctx.Err()
}

func defaults(change func(*config)) config {
	c := config{
		Source: []string{"sim"}, Rate: 50, Listen: "127.0.0.1:8080",
		Log: Log{LogLevel: "info", LogFormat: "text"},
	}
	change(&c)
	return c
}

func parse(args, environ []string) (c config, stdout string, err error) {
	var out bytes.Buffer
	p := Process{Args: args, Environ: environ, Stdout: &out, Stderr: &out}
	err = Parse(p, "demo", "Shows what the commands share.", &c, vars())
	return c, out.String(), err
}

func TestParse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(" s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		args   string
		env    string
		change func(*config)
	}{
		{"nothing", "", "", func(*config) {}},
		{"flag", "--rate=7", "", func(c *config) { c.Rate = 7 }},
		{"flag and value apart", "--rate 7", "", func(c *config) { c.Rate = 7 }},
		{"variable", "", "RATE=7", func(c *config) { c.Rate = 7 }},
		{"the flag wins", "--rate=7", "RATE=8", func(c *config) { c.Rate = 7 }},
		{"the flag wins over a bad variable", "--rate=7", "RATE=many", func(c *config) { c.Rate = 7 }},
		{"empty variable", "", "RATE=", func(*config) {}},
		{"zero is a value", "", "RATE=0", func(c *config) { c.Rate = 0 }},
		{"duration", "--retention=168h", "", func(c *config) { c.Retention = 168 * time.Hour }},
		{"embedded", "--log-format=json", "LOG_LEVEL=debug", func(c *config) { c.Log = Log{"debug", "json"} }},
		{"repeated flag", "--source=a --source=b,c", "", func(c *config) { c.Source = []string{"a", "b,c"} }},
		{"stdin", "--source -", "", func(c *config) { c.Source = []string{"-"} }},
		{"list in a variable", "", `SOURCE=a,,b\,c,x:filtered,`, func(c *config) { c.Source = []string{"a", "b,c", "x:filtered"} }},
		{"the flag's list wins whole", "--source=a", "SOURCE=b,c", func(c *config) { c.Source = []string{"a"} }},
		{"list in a flag", "--allowed-origins=a,b", "", func(c *config) { c.AllowedOrigins = []string{"a", "b"} }},
		{"secret file", "--x-bearer-token-file=" + file, "", func(c *config) { c.Token = "s3cret" }},
		{"secret file by variable", "", "X_BEARER_TOKEN_FILE=" + file, func(c *config) { c.Token = "s3cret" }},
		{"secret itself", "", "X_BEARER_TOKEN=other", func(c *config) { c.Token = "other" }},
		{"secret by flag and variable", "--x-bearer-token-file=" + file, "X_BEARER_TOKEN=other", func(c *config) { c.Token = "s3cret" }},
		{"variables of other commands", "", "DEADLINE=oops MAX_TWEETS=5", func(*config) {}},
		{"variables of other programs", "", "/VISUALIZERS=1", func(*config) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := parse(strings.Fields(tc.args), environ(tc.env))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(defaults(tc.change), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// environ turns "RATE=7" into a variable of ours; a leading / keeps the name.
func environ(list string) []string {
	var out []string
	for _, entry := range strings.Fields(list) {
		if name, ok := strings.CutPrefix(entry, "/"); ok {
			out = append(out, name)
			continue
		}
		out = append(out, prefix+entry)
	}
	return out
}

func TestParseRefuses(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, args, env, want string }{
		{"unknown flag", "--bogus", "", "unknown flag --bogus"},
		{"near flag", "--rte=5", "", `unknown flag --rte, did you mean "--rate"?`},
		{"argument", "tweets.jsonl", "", "unexpected argument tweets.jsonl: settings are given as --name=value"},
		{"no value", "--rate", "", "--rate: give it a value"},
		{"no value of a list", "--source", "", "--source: give it a value"},
		{"flag for a value", "--rate --source=a", "", `--rate: expected int value but got "--source=a" (long flag); perhaps try --rate="--source=a"?`},
		{"bad number", "--rate=many", "", `--rate: expected a valid 64 bit int but got "many"`},
		{"bad number in a variable", "", "RATE=many", `VISUALIZER_RATE: expected a valid 64 bit int but got "many"`},
		{"bad duration", "--retention=7d", "", `--retention: "7d" is no duration: give one like 500ms, 90s or 168h`},
		{"bad duration in a variable", "", "RETENTION=7", `VISUALIZER_RETENTION: "7" is no duration: give one like 500ms, 90s or 168h`},
		{"bad choice", "--log-level=loud", "", `--log-level must be one of "debug","info","warn","error" but got "loud"`},
		{"bad choice in a variable", "", "LOG_LEVEL=loud", `VISUALIZER_LOG_LEVEL must be one of "debug","info","warn","error" but got "loud"`},
		{"config's own rule", "", "RATE=-1", "VISUALIZER_RATE -1: negative: give 0 for no limit"},
		{"config's own rule for a flag", "--rate=-1", "", "--rate -1: negative: give 0 for no limit"},
		{"unknown variable", "", "COLOUR=1", "unknown environment variable VISUALIZER_COLOUR: unset it"},
		{"unknown empty variable", "", "COLOUR=", "unknown environment variable VISUALIZER_COLOUR: unset it"},
		{"near variable", "", "RATTE=1", "unknown environment variable VISUALIZER_RATTE: did you mean VISUALIZER_RATE?"},
		{"near variable of another command", "", "DEADLINES=1s", "unknown environment variable VISUALIZER_DEADLINES: did you mean VISUALIZER_DEADLINE?"},
		{"unknown variables", "", "B=1 A=1", "unknown environment variables VISUALIZER_A, VISUALIZER_B: unset them"},
		{"no such secret", "--x-bearer-token-file=/nowhere/token", "", "--x-bearer-token-file: open /nowhere/token: no such file or directory"},
		{"empty secret", "", "X_BEARER_TOKEN_FILE=" + empty, "VISUALIZER_X_BEARER_TOKEN_FILE: " + empty + " is empty: put the secret there"},
		{"secret twice", "", "X_BEARER_TOKEN=a X_BEARER_TOKEN_FILE=b", "--x-bearer-token-file: VISUALIZER_X_BEARER_TOKEN and VISUALIZER_X_BEARER_TOKEN_FILE are both set: keep one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := parse(strings.Fields(tc.args), environ(tc.env))
			want := tc.want + " (see demo --help)"
			if err == nil || err.Error() != want {
				t.Fatalf("got  %v\nwant %s", err, want)
			}
			if !isUsage(err) {
				t.Error("not a usage error")
			}
		})
	}
}

func TestParseRefusesAFlagOutsideTheList(t *testing.T) {
	var cfg struct{ Colour string }
	err := Parse(Process{}, "demo", "", &cfg, nil)
	want := "read the settings of demo: --colour: VISUALIZER_COLOUR is not in the list of variables"
	if err == nil || err.Error() != want || isUsage(err) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "")
	golden := filepath.Join("testdata", "help.txt")
	_, got, err := parse([]string{"--help"}, environ("RATE=many COLOUR=1"))
	if !errors.Is(err, errShown) {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestVersion(t *testing.T) {
	build := func(v string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: v}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "abc123"}
	dirty := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, tc := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "demo (unknown build)"},
		{build(""), "demo (devel) go1.26.8"},
		{build("v1.2.3", commit), "demo v1.2.3 (abc123) go1.26.8"},
		{build("v1.2.3", commit, dirty), "demo v1.2.3 (abc123, modified) go1.26.8"},
	} {
		if got := version("demo", tc.info); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

func TestVersionFlag(t *testing.T) {
	_, got, err := parse([]string{"--version"}, nil)
	if !errors.Is(err, errShown) || !strings.HasPrefix(got, "demo ") || !strings.HasSuffix(got, runtime.Version()+"\n") {
		t.Errorf("printed %q, error %v", got, err)
	}
}

func TestExec(t *testing.T) {
	boom := errors.New("boom")
	for _, tc := range []struct {
		name, args string
		err        error
		code       int
		stderr     string
	}{
		{"done", "", nil, 0, ""},
		{"help", "--help", boom, 0, ""},
		{"version", "--version", boom, 0, ""},
		{"failed", "", boom, 1, "demo: boom\n"},
		{"usage", "", fmt.Errorf("open: %w", Usage(boom)), 2, "demo: open: boom\n"},
		{"bad flag", "--bogus", nil, 2, "demo: unknown flag --bogus (see demo --help)\n"},
		{"many lines", "", errors.Join(boom, errors.New("bang\r\n")), 1, "demo: boom; bang\n"},
		{"canceled by itself", "", context.Canceled, 1, "demo: context canceled\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			cmd := Command[config]{Name: "demo", Vars: vars(), Run: func(context.Context, *config) error { return tc.err }}
			code := cmd.Exec(Process{Args: strings.Fields(tc.args), Stdout: &stdout, Stderr: &stderr})
			if code != tc.code || stderr.String() != tc.stderr {
				t.Errorf("code %d, stderr %q; want %d, %q", code, stderr.String(), tc.code, tc.stderr)
			}
		})
	}
}

func TestUsageKeepsNil(t *testing.T) {
	if Usage(nil) != nil {
		t.Error("Usage(nil) is an error")
	}
}

func TestExecOnSignal(t *testing.T) {
	boom := errors.New("boom")
	const draining = "demo: finishing what is under way; a second Ctrl-C stops at once\n"
	for _, tc := range []struct {
		name   string
		end    func(ctx context.Context) error
		code   int
		stderr string
	}{
		{"nil", func(context.Context) error { return nil }, 0, draining},
		{"canceled", context.Context.Err, 0, draining},
		{"wrapped", func(ctx context.Context) error { return fmt.Errorf("read: %w", ctx.Err()) }, 0, draining},
		{"joined", func(ctx context.Context) error { return errors.Join(ctx.Err(), ctx.Err()) }, 0, draining},
		{"failed", func(ctx context.Context) error { return errors.Join(ctx.Err(), boom) }, 1, draining + "demo: context canceled; boom\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			signals := make(chan os.Signal, 1)
			signals <- syscall.SIGTERM
			var stderr bytes.Buffer
			cmd := Command[config]{Name: "demo", Vars: vars(), Run: func(ctx context.Context, _ *config) error {
				<-ctx.Done()
				return tc.end(ctx)
			}}
			code := cmd.Exec(Process{Stderr: &stderr, Signals: signals})
			if code != tc.code || stderr.String() != tc.stderr {
				t.Errorf("code %d, stderr %q; want %d, %q", code, stderr.String(), tc.code, tc.stderr)
			}
		})
	}
}

func TestExecOnSecondSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		signals := make(chan os.Signal, 2)
		signals <- os.Interrupt
		signals <- sig
		stuck := make(chan struct{})
		cmd := Command[config]{Name: "demo", Vars: vars(), Run: func(context.Context, *config) error {
			<-stuck
			return nil
		}}
		var stderr bytes.Buffer
		if code := cmd.Exec(Process{Stderr: &stderr, Signals: signals}); code != 128+int(sig) {
			t.Errorf("%v: code %d", sig, code)
		}
		if !strings.HasSuffix(stderr.String(), "demo: stopped at once\n") {
			t.Errorf("%v: stderr %q", sig, stderr.String())
		}
		close(stuck)
	}
}

// TestMainProcess sends real signals to a real process.
func TestMainProcess(t *testing.T) {
	for _, tc := range []struct {
		name, mode string
		signals    int
		code       int
	}{
		{"one signal drains", "ends", 1, 0},
		{"two signals stop at once", "stuck", 2, 130},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := exec.Command(os.Args[0])
			p.Env = []string{asCommand + "=" + tc.mode}
			var stderr lines
			p.Stderr = &stderr
			stderr.more = make(chan struct{}, 10)
			stdout, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := stdout.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			for range tc.signals {
				if err := p.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
				<-stderr.more
			}
			_ = p.Wait()
			if code := p.ProcessState.ExitCode(); code != tc.code {
				t.Errorf("code %d, want %d; stderr %s", code, tc.code, stderr.text)
			}
		})
	}
}

// lines tells of each write.
type lines struct {
	text []byte
	more chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	l.more <- struct{}{}
	return len(p), nil
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	log, err := Log{LogLevel: "warn", LogFormat: "text"}.Logger(&out)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("quiet")
	log.Warn("loud")
	if s := out.String(); strings.Contains(s, "quiet") || !strings.Contains(s, "loud") {
		t.Errorf("logged %q", s)
	}
	if _, err := (Log{LogLevel: "loud"}).Logger(&out); !isUsage(err) {
		t.Errorf("bad level gives %v", err)
	}
}
