package source

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Down is why a stream could not be connected to, or ended.
type Down struct {
	// Problem is its kind, one of a small set: the X API's own name for it
	// (TooManyConnections, ForceDisconnect, …), else silent, closed, network,
	// damaged, no_stream, disconnect, or http_ with the status.
	Problem string
	Err     error
}

// Error says what happened and, where something can be done, what.
func (d *Down) Error() string {
	if todo := advice(d.Problem); todo != "" {
		return d.Err.Error() + ": " + todo
	}
	return d.Err.Error()
}

// Unwrap returns what happened.
func (d *Down) Unwrap() error { return d.Err }

// Kinds of Down that are not the API's.
const (
	downSilent     = "silent"     // nothing came for too long
	downClosed     = "closed"     // the server ended the stream
	downNetwork    = "network"    // below HTTP
	downDamaged    = "damaged"    // its compression can't be read
	downNoStream   = "no_stream"  // the answer is a web page or leads elsewhere
	downDisconnect = "disconnect" // a message said so, for no reason known here
)

// downHTTP is the kind of an answer that is no stream.
func downHTTP(status int) string { return fmt.Sprintf("http_%d", status) }

// The API's names that mean something here.
const (
	tooManyConnections = "TooManyConnections"
	noRules            = "http_409"
)

// advice says what a person can do about a kind of Down, or "".
func advice(problem string) string {
	switch problem {
	case tooManyConnections:
		return "X allows one connection and still counts another: stop it, or wait until X has noticed that it is gone"
	case "ProvisioningSubscription":
		return "X is still setting the stream up"
	case "RuleConfigurationIssue", "RulesInvalidIssue", "InvalidRules":
		return "look at the rules with visualizer rules list"
	case noRules:
		return "the app has no rules: add one with visualizer rules add"
	case "SlowReader":
		return "the stream was read too slowly"
	case "ClientApplicationStateDegraded":
		return "look at the app in X's developer console"
	case "usage-capped":
		return "the app has had its tweets of this period"
	}
	return ""
}

// named are the kinds of problem that X's API names.
func named() []string {
	return []string{
		tooManyConnections, "ProvisioningSubscription", "RuleConfigurationIssue", "RulesInvalidIssue",
		"OperationalDisconnect", "UpstreamOperationalDisconnect", "ForceDisconnect", "UpstreamUncleanDisconnect",
		"SlowReader", "InternalError", "ClientApplicationStateDegraded", "InvalidRules", "usage-capped",
	}
}

// kind returns the API's name for a problem, if it is one of those known, else
// other.
func (p *problemJSON) kind(other string) string {
	for _, name := range []string{p.Connection.s, p.Disconnect.s, p.name()} {
		if slices.Contains(named(), name) {
			return name
		}
	}
	return other
}

var errRefused = errors.New("the bearer token is not accepted: check --x-bearer-token-file and what the app may use")

// refuses reports whether a status says that trying again makes no sense.
func refuses(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}
