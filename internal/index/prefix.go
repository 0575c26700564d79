package index

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/redis/rueidis"
)

// prefixExpansions is how many words of the index a prefix may stand for, as in
// the servers that this program starts.
const prefixExpansions = 1_000_000

const prefixSetting = "search-max-prefix-expansions"

// raisePrefixLimit tells in the log when prefixes may be cut.
func raisePrefixLimit(ctx context.Context, client rueidis.Client, log *slog.Logger) {
	if err := setPrefixLimit(ctx, client); err != nil {
		log.Warn("searches for the beginning of a word may find less than there is: set "+prefixSetting+" of this Redis to "+strconv.Itoa(prefixExpansions), "err", err)
	}
}

// setPrefixLimit asks the server to look at every word that a prefix stands
// for. By default RediSearch looks at 200 and, before Redis 8, doesn't tell that
// there are more. The server forgets it when it restarts with other settings.
func setPrefixLimit(ctx context.Context, client rueidis.Client) error {
	limit := strconv.Itoa(prefixExpansions)
	err := client.Do(ctx, client.B().ConfigSet().ParameterValue().ParameterValue(prefixSetting, limit).Build()).Error()
	if err != nil { // a module beside Redis has its own settings
		err = client.Do(ctx, client.B().Arbitrary("FT.CONFIG", "SET", "MAXPREFIXEXPANSIONS", limit).Build()).Error()
	}
	return err
}

// CheckPrefixes returns an error when the server would cut what a prefix stands
// for and can't be told otherwise. A server that doesn't let its settings be
// read is trusted.
func CheckPrefixes(ctx context.Context, client rueidis.Client) error {
	limit, known := prefixLimit(ctx, client)
	if !known || limit >= prefixExpansions {
		return nil
	}
	if err := setPrefixLimit(ctx, client); err != nil {
		return fmt.Errorf("search for a prefix: this Redis looks at %d words only: set its %s to %d: %w", limit, prefixSetting, prefixExpansions, err)
	}
	return nil
}

func prefixLimit(ctx context.Context, client rueidis.Client) (limit int, known bool) {
	for name, command := range map[string]rueidis.Completed{
		prefixSetting:         client.B().ConfigGet().Parameter(prefixSetting).Build(),
		"MAXPREFIXEXPANSIONS": client.B().Arbitrary("FT.CONFIG", "GET", "MAXPREFIXEXPANSIONS").Build(),
	} {
		settings, err := client.Do(ctx, command).AsStrMap()
		if err != nil {
			continue
		}
		if n, err := strconv.Atoi(settings[name]); err == nil {
			return n, true
		}
	}
	return 0, false
}
