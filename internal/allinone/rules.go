package allinone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"visualizer/ingest"
	"visualizer/ingest/source"
	"visualizer/internal/cli"
)

// rulesCommand is the group of commands for the rules of the source x:filtered.
func rulesCommand() cli.Command[struct{}] {
	return cli.Command[struct{}]{
		Name:        "rules",
		Description: "Lists, adds and removes the rules of the source x:filtered, which say what tweets X sends.",
		Commands: []cli.Subcommand{
			cli.Command[ingest.App]{Name: "list", Description: "Lists the app's rules.", Run: listRules},
			cli.Command[addSettings]{Name: "add", Description: "Adds rules.", Run: addRules},
			cli.Command[removeSettings]{Name: "remove", Description: "Removes rules.", Run: removeRules},
		},
		Run: func(context.Context, *struct{}) error {
			return cli.Usage(errors.New("what to do with them is missing: give list, add RULE or remove ID"))
		},
	}
}

func openRules(app ingest.App) (*source.RuleSet, error) {
	if err := app.CheckToken("open rules"); err != nil {
		return nil, cli.Usage(err)
	}
	rules, err := source.NewRuleSet(app.XURL, app.XBearerToken)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return rules, nil
}

func listRules(ctx context.Context, app *ingest.App) error {
	rules, err := openRules(*app)
	if err != nil {
		return err
	}
	all, err := rules.All(ctx)
	if err != nil {
		return err
	}
	return writeRules(os.Stdout, all)
}

// addSettings are the flags of visualizer rules add.
type addSettings struct {
	ingest.App
	Tag    string   `help:"What tweets that match are marked with." placeholder:"TEXT"`
	DryRun bool     `help:"Have X check the rules, and add none."`
	Rule   []string `arg:"" help:"In the language of X's search, such as 'cat has:images lang:en'. One that begins with - stands behind --."`
}

func addRules(ctx context.Context, cfg *addSettings) error {
	rules, err := openRules(cfg.App)
	if err != nil {
		return err
	}
	var wanted []source.Rule
	for _, value := range cfg.Rule {
		wanted = append(wanted, source.Rule{Value: value, Tag: cfg.Tag})
	}
	added, err := rules.Add(ctx, wanted, cfg.DryRun)
	return report(added, err, cfg.DryRun, "added")
}

// removeSettings are the flags of visualizer rules remove.
type removeSettings struct {
	ingest.App
	DryRun bool     `help:"Have X check it, and remove none."`
	Rule   []string `arg:"" help:"Id or text of a rule, as list shows them."`
}

func removeRules(ctx context.Context, cfg *removeSettings) error {
	rules, err := openRules(cfg.App)
	if err != nil {
		return err
	}
	removed, err := rules.Remove(ctx, cfg.Rule, cfg.DryRun)
	return report(removed, err, cfg.DryRun, "removed")
}

// report shows what was done, also when it was not all.
func report(done []source.Rule, err error, dryRun bool, what string) error {
	if dryRun {
		what = "would be " + what
	}
	if len(done) > 0 {
		fmt.Fprintf(os.Stderr, "%d %s\n", len(done), what)
		err = errors.Join(err, writeRules(os.Stdout, done))
	}
	return err
}

func writeRules(w io.Writer, rules []source.Rule) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tTAG\tRULE")
	for _, r := range rules {
		fmt.Fprintf(table, "%s\t%s\t%s\n", orDash(r.ID), orDash(oneLine(r.Tag)), oneLine(r.Value))
	}
	return table.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
