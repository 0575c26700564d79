package report

import (
	"fmt"
	"os"
	"strings"
)

// Section is what one command measured.
type Section struct {
	Command string // as it is typed
	Where   string // date, commit, machine
	Notes   []string
	Rows    []Row
}

const heading = "## "

// Markdown returns the section with its heading.
func (s Section) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\n%s\n\n", heading, s.Command, s.Where)
	for _, note := range s.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	if len(s.Notes) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("| | question | A | B | answer (spread) | target | |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range s.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Target, cell(r.Question), cell(r.A), cell(r.B), r.answer(), r.Limit, cell(r.closing()))
	}
	return b.String()
}

// closing is the last cell of a row.
func (r Row) closing() string {
	if r.Fault == "" {
		return r.Verdict()
	}
	return r.Verdict() + ": " + r.Fault
}

// cell keeps a text from ending the cell that it stands in.
func cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

// Replace returns the text of a results file with this section in the place of
// the one of the same command, or behind all others. Nothing else changes.
func (s Section) Replace(text string) string {
	before, after := text, ""
	if at := sectionStart(text, s.Command); at >= 0 {
		before, after = text[:at], text[at:]
		if end := strings.Index(after[len(heading):], "\n"+heading); end >= 0 {
			after = after[len(heading)+end+len("\n"):]
		} else {
			after = ""
		}
	}
	if before != "" && !strings.HasSuffix(before, "\n\n") {
		before = strings.TrimRight(before, "\n") + "\n\n"
	}
	if after != "" {
		after = "\n" + after
	}
	return before + s.Markdown() + after
}

// sectionStart returns where the section of a command begins, or -1.
func sectionStart(text, command string) int {
	line := heading + command + "\n"
	if strings.HasPrefix(text, line) {
		return 0
	}
	if at := strings.Index(text, "\n"+line); at >= 0 {
		return at + len("\n")
	}
	return -1
}

// WriteInto puts the section into the results file at path, which is created
// when there is none.
func (s Section) WriteInto(path string) error {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read results: %w", err)
	}
	// Renamed into place: a run that is stopped here loses no older result.
	part := path + ".part"
	if err := os.WriteFile(part, []byte(s.Replace(string(text))), 0o644); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return os.Rename(part, path)
}

// Missed counts the rows whose target is missed.
func (s Section) Missed() int {
	n := 0
	for _, r := range s.Rows {
		if r.Verdict() == missed {
			n++
		}
	}
	return n
}
