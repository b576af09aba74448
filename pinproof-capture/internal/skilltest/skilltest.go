// Package skilltest makes up skills, for tests: their entries in skills/list, and the contents of resources/read.
package skilltest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// A made skill has a SKILL.md, a script, and a picture that isn't text.
const (
	Folder = "skill://acme/pdf/"
	Main   = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRun scripts/a.py with the file. Grüße!\n"
	Script = "print('a')\n"
	Image  = "\x89PNG\x00\xff"
	Offers = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}},"serverInfo":{"name":"acme","version":"1"}}`
)

// FileEntry is what an entry of skills/list has of a file.
func FileEntry(uri, body string) string {
	return fmt.Sprintf(`{"uri":%q,"digest":"sha256:%x","size":%d}`, uri, sha256.Sum256([]byte(body)), len(body))
}

// Entry is an entry of skills/list; more are further files of the skill.
func Entry(folder, name, main string, more ...string) string {
	files := append([]string{FileEntry(folder+"SKILL.md", main)}, more...)
	return fmt.Sprintf(`{"uri":%q,"frontmatter":{"name":%q,"description":"Reads PDF files."},"resources":[%s]}`, folder+"SKILL.md", name, strings.Join(files, ","))
}

// PDFEntry is the entry of the made skill.
var PDFEntry = Entry(Folder, "pdf", Main, FileEntry(Folder+"scripts/a.py", Script), FileEntry(Folder+"logo.png", Image))

// TextItem is a file as text, in contents of resources/read.
func TextItem(uri, text string) string {
	spelled, _ := json.Marshal(text)
	return fmt.Sprintf(`{"uri":%q,"mimeType":"text/markdown","text":%s}`, uri, spelled)
}

// BlobItem is a file as bytes, in contents of resources/read.
func BlobItem(uri, body string) string {
	return fmt.Sprintf(`{"uri":%q,"blob":%q}`, uri, base64.StdEncoding.EncodeToString([]byte(body)))
}
