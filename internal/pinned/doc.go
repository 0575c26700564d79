// Package pinned runs programs in JavaScript and Python in tests, with the
// packages that a lock file names by version and hash. They are installed once in
// the user's cache folder, under the lock file's own hash, so that another lock
// file is another folder and what was installed is never changed.
package pinned
