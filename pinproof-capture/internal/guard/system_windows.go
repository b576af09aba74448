package guard

import "io"

// hungUp returns false: on Windows, only a write shows that the reader is gone.
func hungUp(io.Writer) bool { return false }
