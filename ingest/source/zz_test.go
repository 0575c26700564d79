package source
import ("testing";"strings";"runtime";"time";"fmt";"visualizer/schema")
func TestZZ(t *testing.T){
 n := 16<<20
 for name, in := range map[string]string{
  "page of {}": `{"data":[`+strings.Repeat("{},", n/3)+`{}]}`,
  "page of 0": `{"data":[`+strings.Repeat("0,", n/2)+`{}]}`,
  "page tiny tweets": `{"data":[`+strings.Repeat(`{"id":1,"text":""},`, n/20)+`{}],"includes":{"tweets":[{"id":5,"text":"x"}]}}`,
  "includes users": `{"data":{"id":"1","text":""},"includes":{"users":[`+strings.Repeat("{},", n/3)+`{}]}}`,
  "includes tweets": `{"data":{"id":"1","text":""},"includes":{"tweets":[`+strings.Repeat("{},", n/3)+`{}]}}`,
  "referenced": `{"data":{"id":"1","text":"","referenced_tweets":[`+strings.Repeat("{},", n/3)+`{}]}}`,
  "hashtags": `{"data":{"id":"1","text":"","entities":{"hashtags":[`+strings.Repeat(`{"tag":"a"},`, n/12)+`{}]}}}`,
  "urls": `{"data":{"id":"1","text":"","entities":{"urls":[`+strings.Repeat(`{"url":"a"},`, n/12)+`{}]}}}`,
  "members": `{`+strings.Repeat(`"a":1,`, n/6)+`"b":1}`,
  "delete members": `{`+strings.Repeat(`"a":1,`, n/6)+`"delete":{"status":{"id":1}}}`,
  "ats": `{"id":"1","text":"`+strings.Repeat(`@`, n)+`"}`,
  "tags": `{"id":"1","text":"`+strings.Repeat(`#a`, n/2)+`"}`,
  "tags2": `{"id":"1","text":"`+strings.Repeat(`/#a`, n/2)+`"}`,
  "amps": `{"id":"1","text":"`+strings.Repeat(`&amp;`, n/5)+`"}`,
  "nested rt": strings.Repeat(`{"id_str":"1","text":"","retweeted_status":`, 900)+"{}"+strings.Repeat("}",900),
  "polygon": `{"id_str":"1","text":"","place":{"bounding_box":{"coordinates":[`+strings.Repeat("[[]],", n/5)+`[]]}}}`,
  "errors": `{"errors":[`+strings.Repeat("{},", n/3)+`{}]}`,
  "numbers": `{"id":"1","text":"","public_metrics":{"like_count":`+strings.Repeat("1", n)+`}}`,
 }{
  runtime.GC(); var m0,m1 runtime.MemStats; runtime.ReadMemStats(&m0)
  peak := uint64(0); k:=0
  start := time.Now()
  done := make(chan bool); fin := make(chan bool)
  go func(){ for { select { case <-done: close(fin); return; case <-time.After(5*time.Millisecond): runtime.ReadMemStats(&m1); if m1.HeapInuse>peak {peak=m1.HeapInuse} } } }()
  decode([]byte(in), nil, func(e schema.Event, r *Rejected) bool { k++; return true })
  el := time.Since(start)
  close(done); <-fin
  fmt.Printf("%-18s %8d events %8v peak %5d MB over %d MB\n", name, k, el.Round(time.Millisecond), peak>>20, m0.HeapInuse>>20)
 }
}
