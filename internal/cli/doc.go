// Package cli is what the commands of the family share: settings that are a
// flag and an environment variable, help and version, signals, exit codes and
// the one line that an error becomes.
//
// A command is a Command value; its main only hands it to Main. The settings
// are a struct with kong's tags: --x-url is VISUALIZER_X_URL, the flag wins, a
// variable that is set to nothing counts as unset. All commands know the
// variables of all, so that one environment serves them together; any other
// VISUALIZER_* variable is taken for a typing error and refused.
//
// A command may have subcommands, each a Command with settings and help of its
// own: the first argument names one. Without it the command itself runs.
//
// Exit codes are 0 for done, which includes an end that a signal asked for, 1
// for failed and 2 for bad usage: a UsageError, or any error with a method
// BadUsage() bool that says true.
//
// A field of type string with the tag type:"secret" and a name that ends in
// -file is read from the file that is named, or from the variable without
// _FILE. Its value never shows in help, errors or the list of arguments.
package cli
