package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// program has a subcommand, and a setting that both have.
func program(ran *string) Command[struct{ Ops }] {
	return Command[struct{ Ops }]{
		Name: "demo", Description: "Shows subcommands.", Vars: map[string]string{"ops": "127.0.0.1:9090"},
		Run: func(_ context.Context, cfg *struct{ Ops }) error { *ran = "demo " + cfg.OpsListen; return nil },
		Commands: []Subcommand{Command[struct {
			Ops
			Log
		}]{
			Name: "look", Description: "Looks.",
			Run: func(_ context.Context, cfg *struct {
				Ops
				Log
			}) error {
				*ran = "look " + cfg.OpsListen + " " + cfg.LogLevel
				return nil
			},
		}},
	}
}

func TestSubcommand(t *testing.T) {
	for _, tc := range []struct {
		name, args, env, ran, said string
		code                       int
	}{
		{"none", "", "", "demo 127.0.0.1:9090", "", 0},
		{"its own flags", "look --log-level=debug", "", "look 127.0.0.1:9090 debug", "", 0},
		{"a shared variable", "look", "OPS_LISTEN=:1", "look :1 info", "", 0},
		{"a variable of others", "look", "RATE=oops", "look 127.0.0.1:9090 info", "", 0},
		{"first alone", "--ops-listen=:1 look", "", "", "demo: unexpected argument look: did you mean look? (see demo --help)\n", 2},
		{"near", "lok", "", "", "demo: unexpected argument lok: did you mean look? (see demo --help)\n", 2},
		{"far", "tweets.jsonl", "", "", "demo: unexpected argument tweets.jsonl: settings are given as --name=value (see demo --help)\n", 2},
		{"argument of the subcommand", "look there", "", "", "demo look: unexpected argument there: settings are given as --name=value (see demo look --help)\n", 2},
		{"unknown flag", "look --rate=1", "", "", "demo look: unknown flag --rate (see demo look --help)\n", 2},
		{"unknown variable", "look", "COLOUR=1", "", "demo look: unknown environment variable VISUALIZER_COLOUR: unset it (see demo look --help)\n", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var ran string
			var stderr bytes.Buffer
			code := program(&ran).Exec(Process{Args: strings.Fields(tc.args), Environ: environ(tc.env), Stdout: &stderr, Stderr: &stderr})
			if code != tc.code || ran != tc.ran || stderr.String() != tc.said {
				t.Errorf("code %d, ran %q, said %q; want %d, %q, %q", code, ran, stderr.String(), tc.code, tc.ran, tc.said)
			}
		})
	}
}

func TestHelpListsSubcommands(t *testing.T) {
	var ran string
	for args, want := range map[string]string{
		"--help":         "\nCommands:\n  demo look    Looks.\n",
		"look --help":    "Usage: demo look [flags]\n\nLooks.\n",
		"look --version": "demo look ",
	} {
		var stdout, stderr bytes.Buffer
		code := program(&ran).Exec(Process{Args: strings.Fields(args), Stdout: &stdout, Stderr: &stderr})
		if code != 0 || !strings.Contains(stdout.String(), want) || stderr.Len() > 0 || ran != "" {
			t.Errorf("%s: code %d, said %s%s; want %q", args, code, &stdout, &stderr, want)
		}
	}
}

func TestReadyURL(t *testing.T) {
	for _, tc := range []struct{ addr, want string }{
		{"127.0.0.1:9090", "http://127.0.0.1:9090/readyz"},
		{"0.0.0.0:9090", "http://127.0.0.1:9090/readyz"},
		{"[::]:9090", "http://127.0.0.1:9090/readyz"},
		{":9090", "http://127.0.0.1:9090/readyz"},
		{"[::1]:9090", "http://[::1]:9090/readyz"},
		{"ops.example:9090", "http://ops.example:9090/readyz"},
		{"9090", ""},
		{"", ""},
		{"127.0.0.1:", ""},
		{"127.0.0.1:0", ""},
	} {
		got, err := readyURL(tc.addr)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v; want %q", tc.addr, got, err, tc.want)
		}
	}
}

func TestHealthcheck(t *testing.T) {
	// A proxy that would answer in the service's place.
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	for _, tc := range []struct {
		name   string
		status int // 0 never answers, -1 doesn't listen
		body   string
		code   int
		said   string
	}{
		{"ready", 200, "ready\n", 0, ""},
		{"not ready", 503, "redis: refused\nnats: away\n", 1, "not ready: redis: refused; nats: away"},
		{"another server", 404, "<html>\n", 1, "ask URL: 404 Not Found: this is not the service's --ops-listen"},
		{"hangs", 0, "", 1, "ask URL: no answer in 3s"},
		{"gone", -1, "", 1, "ask URL: connection refused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tc.status == 0 {
					<-r.Context().Done()
					return
				}
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			}))
			defer service.Close()
			if tc.status < 0 {
				service.Close()
			}
			code, said := healthcheck(service.Listener.Addr().String())
			want := strings.Replace(tc.said, "URL", service.URL+"/readyz", 1)
			if want != "" {
				want = "demo healthcheck: " + want + "\n"
			}
			if code != tc.code || said != want {
				t.Errorf("code %d, said %q; want %d, %q", code, said, tc.code, want)
			}
		})
	}
	code, said := healthcheck("9090")
	if want := "demo healthcheck: read --ops-listen \"9090\": give it as host:port, as the service has it\n"; code != 2 || said != want {
		t.Errorf("code %d, said %q; want 2, %q", code, said, want)
	}
}

// healthcheck asks the service at addr.
func healthcheck(addr string) (code int, said string) {
	cmd := Command[config]{Name: "demo", Vars: map[string]string{"ops": addr}, Commands: []Subcommand{Healthcheck()}}
	var out bytes.Buffer
	code = cmd.Exec(Process{Args: []string{"healthcheck"}, Stdout: &out, Stderr: &out})
	return code, out.String()
}
