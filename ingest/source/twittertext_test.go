package source

import (
	"strings"
	"testing"

	"visualizer/schema"
)

var extractTests = []struct {
	in       string
	tags     []string
	mentions []string
	cash     []string
}{
	{in: "nothing here"},
	{in: "😀🇧🇷 café #Maldives @nasa", tags: []string{"Maldives"}, mentions: []string{"nasa"}},
	{in: "#123 a#b #", tags: nil},
	{in: "#a #B, (#c) #d. \"#e\"", tags: []string{"a", "B", "c", "d", "e"}},
	{in: "#COVID19 #19covid #_x #_1", tags: []string{"COVID19", "19covid", "_x"}},
	{in: "#日本語 ＃タグ #ウィ・フィ #한국", tags: []string{"日本語", "タグ", "ウィ・フィ", "한국"}},
	{in: "日本語#タグ", tags: nil},
	{in: "#می‌خواهم #קו־ים #a·b #café", tags: []string{"می‌خواهم", "קו־ים", "a·b", "café"}},
	{in: "#covid-19 #a.b #o'clock", tags: []string{"covid", "a", "o"}},
	{in: "#a#b ##c #d://x", tags: []string{"c"}},
	{in: "&#39; &#x &#abc", tags: nil},
	{in: "#️⃣ #⃣ 1#️⃣", tags: nil},
	{in: "https://x.example/#frag http://y/@u see #ok", tags: []string{"ok"}},
	{in: "#x #x #X", tags: []string{"x", "X"}},
	{in: "#Wave🌊 👍#Tide", tags: []string{"Wave", "Tide"}},
	{in: "RT @bob: a long text #Gran…", mentions: []string{"bob"}},
	{in: "#Gran… and more", tags: []string{"Gran"}},
	{in: "RT @a: @b @B (@c) .@d RT@e", mentions: []string{"a", "b", "c", "d", "e"}},
	{in: "me@example.com a@b !@c $@d %@e &@f *@g _@h #@i", mentions: nil},
	{in: "@@a ＠b @a/list @c/ @d/9", mentions: []string{"a", "b", "c", "d"}},
	{in: "@a@b @c", mentions: []string{"c"}},
	{in: "@user@mastodon.example", mentions: nil},
	{in: "@aé @a_b_1 @", mentions: []string{"a_b_1"}},
	{in: "@olderlongername_20ch", mentions: []string{"olderlongername_20ch"}},
	{in: "$TWTR $BRK.A, $a $TOOLONGX $5 US$CAD $x1 ($y)", cash: []string{"TWTR", "BRK.A", "a"}},
}

func TestExtract(t *testing.T) {
	for _, tt := range extractTests {
		tw := schema.Tweet{Text: tt.in}
		extractEntities(&tw)
		var mentions []string
		for _, m := range tw.Mentions {
			mentions = append(mentions, string(m.Username))
		}
		same(t, tt.in+": hashtags", tw.Hashtags, tt.tags)
		same(t, tt.in+": mentions", mentions, tt.mentions)
		same(t, tt.in+": cashtags", tw.Cashtags, tt.cash)
	}
}

// Extraction takes time in proportion to the text, whatever it is made of.
func TestExtractHugeTexts(t *testing.T) {
	for _, part := range []string{"@", "#", "@@a", "#a", "/#a", "#a#", "$a", "http://", "＃", "RT@", "a", " @a"} {
		tw := schema.Tweet{Text: strings.Repeat(part, 1<<20/len(part))}
		extractEntities(&tw)
	}
}
