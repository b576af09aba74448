package guard

import (
	"io"
	"os"
)

// hungUp is false: it shows when something is written.
func hungUp(io.Writer) bool { return false }

// locked runs do. What is appended here comes whole, also where guards share a file.
func locked(_ *os.File, do func()) { do() }
