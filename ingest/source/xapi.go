package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
)

// DefaultURL is the base of the public X API.
const DefaultURL = "https://api.x.com"

const (
	userAgent = "visualizer/1"
	// maxProblemBytes is how much of an answer that is no stream is read.
	maxProblemBytes = 4 << 10
)

// api is the X API below one base URL, as one app. The app's token goes to that
// host alone, and no error of this type shows it.
type api struct {
	base   *url.URL
	token  Token
	client *http.Client
}

// newAPI returns the API at base, "" being the public one.
func newAPI(base string, token Token, dial dialer) (*api, error) {
	if base == "" {
		base = DefaultURL
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("open X API: %s is no URL of an API: give one like %s", shownURL(base), DefaultURL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("open X API: the URL has more than a host and a path: give one like %s, and the token in a file", DefaultURL)
	}
	return &api{base: u, token: token, client: &http.Client{Transport: newTransport(dial), CheckRedirect: sameHost}}, nil
}

// shownURL is what an error may say of a URL that can't be read: one with a
// password in it nothing.
func shownURL(s string) string {
	if strings.Contains(s, "@") {
		return "this"
	}
	return fmt.Sprintf("%.100q", s)
}

// newTransport makes a connection for each request, so that a name is looked
// up again and no connection outlives its stream; and never two at a time.
func newTransport(dial dialer) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if dial == nil {
		dial = t.DialContext
	}
	t.DialContext = oneAtATime(dial)
	t.DisableKeepAlives = true
	t.DisableCompression = true // stream decompresses itself, to see each byte arrive
	t.Proxy = proxy
	return t
}

// proxy is the one of the environment for what it can't read: over plain HTTP
// it would be another host that sees the token.
func proxy(req *http.Request) (*url.URL, error) {
	if req.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(req)
}

// sameHost lets no redirect lead to another host, which would get the token.
func sameHost(req *http.Request, via []*http.Request) error {
	if from := via[0].URL; req.URL.Host != from.Host || req.URL.Scheme != from.Scheme || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// send sends a request. Its errors don't have the URL with its long query. The
// caller closes the answer's body.
func (a *api) send(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Response, error) {
	u := a.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept-Encoding", "gzip")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if h := a.token.header(); h != "" {
		req.Header.Set("Authorization", h)
	}
	resp, err := a.client.Do(req)
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	return resp, err
}

// mediaType returns the type of an answer's body.
func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind
}

// decompress returns what body holds, which is the answer's.
func decompress(resp *http.Response, body io.Reader) (io.Reader, error) {
	switch encoding := resp.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return body, nil
	case "gzip":
		return openGzip(body)
	default:
		return nil, fmt.Errorf("content encoding %.40q is unknown", encoding)
	}
}

// refusal tells what an answer says that is not what was asked for. body is
// the answer's.
func refusal(resp *http.Response, body io.Reader) (text string, p problemJSON) {
	text = resp.Status
	switch resp.StatusCode / 100 {
	case 2:
		text += ": it is no stream of JSON"
	case 3:
		text += ": it leads to another host"
	}
	if kind := mediaType(resp); kind != "application/json" && kind != "application/problem+json" {
		return text, p
	}
	plain, err := decompress(resp, body)
	if err != nil {
		return text, p
	}
	said, _ := io.ReadAll(io.LimitReader(plain, maxProblemBytes))
	if json.Unmarshal(said, &p, wireOptions) != nil {
		return text, p
	}
	if detail := problemDetail(said); detail != "" {
		text += ": " + detail
	}
	return text, p.first()
}
