package faults

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program that is started again whenever it ends, as a supervisor
// would, until it is stopped.
type process struct {
	t     *testing.T
	name  string
	start func() *exec.Cmd

	mu      sync.Mutex
	cmd     *exec.Cmd // nil while none runs
	held    bool      // not to be started
	killed  int       // ended by SIGKILL
	ended   int       // all ends
	stopped chan struct{}
	done    chan struct{}
}

// supervise runs a program until the test ends.
func supervise(t *testing.T, name string, start func() *exec.Cmd) *process {
	p := &process{t: t, name: name, start: start, stopped: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	t.Cleanup(p.stop)
	return p
}

func (p *process) run() {
	defer close(p.done)
	runtime.LockOSThread() // see childAttr
	defer runtime.UnlockOSThread()
	for {
		if cmd := p.launch(); cmd != nil {
			cmd.Wait()
			p.note(cmd)
		}
		select {
		case <-p.stopped:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// launch starts the program, unless it is held or stopped.
func (p *process) launch() *exec.Cmd {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stopped:
		return nil
	default:
	}
	if p.held {
		return nil
	}
	cmd := p.start()
	cmd.SysProcAttr = childAttr()
	if err := cmd.Start(); err != nil {
		p.t.Errorf("start %s: %v", p.name, err)
		return nil
	}
	p.cmd = cmd
	return cmd
}

func (p *process) note(cmd *exec.Cmd) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = nil
	p.ended++
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		p.killed++
	}
}

// pid is 0 while none runs.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// kills is how often the program was ended by SIGKILL.
func (p *process) kills() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed
}

// kill ends the program with SIGKILL, and returns once it has ended so. The next
// is started at once, or, with hold, when the test lets it go.
func (p *process) kill(hold bool) {
	p.t.Helper()
	eventually(p.t, p.name+" runs", func() bool { return p.pid() != 0 })
	before := p.kills()
	p.mu.Lock()
	p.held = hold
	if p.cmd != nil {
		p.cmd.Process.Kill()
	}
	p.mu.Unlock()
	eventually(p.t, p.name+" is killed", func() bool { return p.kills() > before })
}

// letGo has a held program started again.
func (p *process) letGo() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = false
}

// stop ends the program: with SIGTERM first, which must do.
func (p *process) stop() {
	p.mu.Lock()
	select {
	case <-p.stopped:
		p.mu.Unlock()
		return
	default:
	}
	close(p.stopped)
	if p.cmd != nil {
		p.cmd.Process.Signal(syscall.SIGCONT)
		p.cmd.Process.Signal(syscall.SIGTERM)
	}
	p.mu.Unlock()
	select {
	case <-p.done:
	case <-time.After(20 * time.Second):
		p.t.Errorf("%s does not stop", p.name)
		p.mu.Lock()
		if p.cmd != nil {
			p.cmd.Process.Kill()
		}
		p.mu.Unlock()
		<-p.done
	}
}

// patience bounds every wait; it is long because the machine may be busy.
const patience = 5 * time.Minute

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("after %v it is not so that %s", patience, what)
		case <-tick.C:
		}
	}
}
