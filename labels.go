package main

// A label says what a change means to a reviewer.
type label struct {
	text string // "new parameter, required"
	rank int    // the lower, the earlier it is read
}

// labelChanges gives each change of a tool its label.
func labelChanges(old, new value, changes []change) {
	for i := range changes {
		changes[i].label = label{text: "changed"}
	}
}
