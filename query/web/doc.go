// Package web serves what a browser shows. Everything is in the binary: a page
// loads nothing from, and tells nothing to, any other server, and its
// Content-Security-Policy makes the browser hold it to that.
package web
