package deploy

import (
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// dockerfile is what the tests need of deploy/Dockerfile.
type dockerfile struct {
	stages, args []string
	build        string // the shell command that builds the services
	user         string // of the last stage
}

func readDockerfile(t *testing.T) dockerfile {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var d dockerfile
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		switch fields[0] {
		case "FROM":
			d.stages = append(d.stages, fields[len(fields)-1])
		case "ARG":
			name, _, _ := strings.Cut(fields[1], "=")
			d.args = append(d.args, name)
		case "USER":
			d.user = fields[1]
		case "RUN":
			if strings.Contains(line, "go build") {
				words := slices.DeleteFunc(fields[1:], func(w string) bool { return strings.HasPrefix(w, "--mount=") })
				d.build = strings.Join(words, " ")
			}
		}
	}
	return d
}

// buildContext copies what .dockerignore lets through to a folder.
func buildContext(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Open("../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel("..", path)
		if err != nil || name == "." {
			return err
		}
		if skip, err := ignored.MatchesOrParentMatches(name); err != nil || skip {
			if err == nil && e.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		if e.IsDir() {
			return os.Mkdir(filepath.Join(dir, name), 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), content, 0o644)
	})
	if err != nil {
		t.Fatalf("copy the build's context: %v", err)
	}
}

// version is what the tests' build is told to be.
const version = "v0.0.0-test"

// build builds the services as the Dockerfile does, from what the image's build
// gets, and returns their folder.
func build(t *testing.T) string {
	t.Helper()
	src, out := t.TempDir(), t.TempDir()
	buildContext(t, src)
	command := strings.ReplaceAll(readDockerfile(t).build, "/out/", out+"/")
	cmd := exec.Command("sh", "-euc", command)
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "VERSION="+version, "TARGETOS=linux", "TARGETARCH=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, text)
	}
	return out
}

// checkStatic wants services that run where there is nothing else.
func checkStatic(t *testing.T, out string) {
	t.Helper()
	for _, name := range []string{"ingest", "query"} {
		path := filepath.Join(out, name)
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("%s is linked dynamically: it has %v", name, p.Type)
			}
		}
		f.Close()
		cmd := exec.Command(path, "--version")
		cmd.Env = []string{}
		text, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(text), name+" "+version+" ") {
			t.Errorf("%s --version: %q, %v", name, text, err)
		}
	}
}

// checkVariables wants each service to have a use for the variables it gets. That
// their values are good is seen when it runs.
func checkVariables(t *testing.T, out string, project *types.Project) {
	t.Helper()
	for _, name := range []string{"ingest", "query"} {
		cmd := exec.Command(filepath.Join(out, name), "--help")
		cmd.Env = []string{}
		help, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s --help: %v", name, err)
		}
		for variable := range project.Services[name].Environment {
			known := regexp.MustCompile(`\b` + variable + `\b`).Match(help)
			if variable != "GOMEMLIMIT" && !known {
				t.Errorf("%s has no use for %s", name, variable)
			}
		}
	}
}

func TestDockerfile(t *testing.T) {
	d := readDockerfile(t)
	for name, s := range load(t, nil).Services {
		if s.Build != nil && s.User != d.user {
			t.Errorf("%s runs as %s, its image as %s", name, s.User, d.user)
		}
	}
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(mod), "\ngo ")
	series := strings.Join(strings.SplitN(strings.Fields(after)[0], ".", 3)[:2], ".")
	if !strings.Contains(string(text), "ARG GO_IMAGE=golang:"+series+"\n") {
		t.Errorf("the image is not built with Go %s", series)
	}
}
