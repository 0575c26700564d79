package ingest

import (
	"errors"
	"fmt"
	"slices"

	"visualizer/ingest/source"
)

// App is an app of the X API, as flags.
type App struct {
	XURL string `name:"x-url" help:"Base of the X API; unset is the public one." placeholder:"URL"`
	// XBearerToken hides itself wherever the settings are shown.
	XBearerToken source.Token `name:"x-bearer-token-file" type:"secret" help:"File of the app's bearer token."`
}

// XFlags says how streams of X are read.
type XFlags struct {
	App
	XBackfillMinutes int `help:"How many minutes at most X is asked to send again after a disconnection: 0 to 5. Only some apps may ask." default:"0"`
}

// Validate checks what kong can't.
func (x *XFlags) Validate() error {
	if x.XBackfillMinutes < 0 || x.XBackfillMinutes > source.MaxBackfill {
		return fmt.Errorf("--x-backfill-minutes: %d: give 0 to %d", x.XBackfillMinutes, source.MaxBackfill)
	}
	return nil
}

// open returns the client of a stream of X. A real stream does not wait: what
// there is no room for is refused, counted and shown.
func (x XFlags) open(name, path string) (source.Source, error) {
	if err := x.CheckToken("open source " + name); err != nil {
		return nil, badSource{err}
	}
	room := source.DefaultRoom()
	client, err := source.NewX(source.XConfig{
		Name: name, Path: path, URL: x.XURL, Token: x.XBearerToken, Backfill: x.XBackfillMinutes, Room: &room,
	})
	if err != nil {
		return nil, badSource{err}
	}
	return client, nil
}

// CheckToken says what is missing for the public API, which takes nobody
// without a token.
func (a App) CheckToken(act string) error {
	if a.XURL == "" && !a.XBearerToken.Set() {
		return errors.New(act + ": there is no bearer token: give --x-bearer-token-file, or VISUALIZER_X_BEARER_TOKEN")
	}
	return nil
}

// once refuses a stream of X that is named twice: X allows one connection.
func once(args []string) error {
	for i, arg := range args {
		if isX(arg) && slices.Contains(args[:i], arg) {
			return badSource{fmt.Errorf("open source %s: it is given twice, and X allows one connection: give it once", arg)}
		}
	}
	return nil
}

func isX(arg string) bool { return arg == sampleSource || arg == filteredSource }

// Names of the streams of X, as --source.
const (
	sampleSource   = "x"
	filteredSource = "x:filtered"
)
