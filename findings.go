package main

// A finding is something a reviewer should see before approving. It never
// changes a digest.
type finding struct {
	server  string
	tool    string // "" for one of the whole manifest
	id      string // stable: "hidden-text"
	warning bool   // else a note
	pointer string // where in the definition, a JSON Pointer
	detail  string // printable
}
