package source

import "testing"

var timeTests = []struct{ in, want string }{
	{"2023-03-14T09:26:53.000Z", "2023-03-14T09:26:53.000Z"},
	{"2023-03-14T09:26:53Z", "2023-03-14T09:26:53.000Z"},
	{"2023-03-14T11:26:53+02:00", "2023-03-14T09:26:53.000Z"},
	{"2023-03-14T09:26:53.123456Z", "2023-03-14T09:26:53.123Z"},
	{"2023-03-14T09:26:53.9999999999Z", "2023-03-14T09:26:53.999Z"},
	{"2023-03-14 09:26:53+00:00", "2023-03-14T09:26:53.000Z"},
	{"2023-03-14t09:26:53z", "2023-03-14T09:26:53.000Z"},
	{"Tue Mar 14 09:26:53 +0000 2023", "2023-03-14T09:26:53.000Z"},
	{"Tue Mar 14 11:26:53 +0200 2023", "2023-03-14T09:26:53.000Z"},
	{"2006-03-21T20:50:14Z", "2006-03-21T20:50:14.000Z"},
	{"", ""},
	{"yesterday", ""},
	{"1678786013", ""},
	{"2023-03-14", ""},
	{"2023-02-30T00:00:00Z", ""},
	{"0001-01-01T00:00:00Z", ""},
	{"1970-01-01T00:00:00.000Z", ""},
	{"Thu Jan 01 00:00:00 +0000 1970", ""},
	{"0000-01-01T00:00:00Z", ""},
	{"9999-12-31T23:59:59-23:59", ""},
}

func TestParseTime(t *testing.T) {
	for _, tt := range timeTests {
		got := ""
		if at := parseTime(tt.in); at != nil {
			got = at.String()
		}
		if got != tt.want {
			t.Errorf("parseTime(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCreatedAt(t *testing.T) {
	for _, tt := range []struct {
		name, created, id string
		want              string
		derived           bool
	}{
		{"as delivered", "2023-03-14T09:26:53.000Z", "1635573202396643335", "2023-03-14T09:26:53.000Z", false},
		{"unusable", "garbage", "1635573202396643335", "2023-03-14T09:26:53.589Z", true},
		{"shortest snowflake", "", "100000000000", "2010-11-04T01:43:18.498Z", true},
		{"unusable, and no snowflake", "", "99999999999", "", false},
	} {
		at, derived := createdAt(tt.created, tt.id)
		got := ""
		if at != nil {
			got = at.String()
		}
		if got != tt.want || derived != tt.derived {
			t.Errorf("%s: createdAt(%q, %s) = %q, %v, want %q, %v", tt.name, tt.created, tt.id, got, derived, tt.want, tt.derived)
		}
	}
}
