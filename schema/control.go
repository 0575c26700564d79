package schema

import "strconv"

// Control is what startStream and stopStream asked for last. It holds for all
// ingest services, also for those that start later. No hash means started.
type Control struct {
	Version int64 // grows with every change
	Stopped bool
}

const (
	controlVersion = "version"
	controlStopped = "stopped"
)

// ParseControl reads the hash under ControlKey.
func ParseControl(fields map[string]string) Control {
	version, _ := strconv.ParseInt(fields[controlVersion], 10, 64)
	return Control{Version: version, Stopped: fields[controlStopped] == "1"}
}

// Fields are the hash that ParseControl reads.
func (c Control) Fields() map[string]string {
	fields := map[string]string{controlVersion: strconv.FormatInt(c.Version, 10), controlStopped: "0"}
	if c.Stopped {
		fields[controlStopped] = "1"
	}
	return fields
}
