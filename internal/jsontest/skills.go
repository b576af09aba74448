package jsontest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// The parts of a made-up skill: a SKILL.md, a script, and an image, which isn't text. SkillsInitializeResult declares
// skills.
const (
	SkillFolder            = "skill://acme/pdf/"
	SkillMain              = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRun scripts/a.py with the file. Grüße!\n"
	SkillScript            = "print('a')\n"
	SkillImage             = "\x89PNG\x00\xff"
	SkillsInitializeResult = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}},"serverInfo":{"name":"acme","version":"1"}}`
)

// SkillFileEntry returns the element for a file in the resources of a skill's entry.
func SkillFileEntry(uri, body string) string {
	return fmt.Sprintf(`{"uri":%q,"digest":"sha256:%x","size":%d}`, uri, sha256.Sum256([]byte(body)), len(body))
}

// SkillEntry returns an entry of skills/list; more lists the elements of further files.
func SkillEntry(folder, name, main string, more ...string) string {
	files := append([]string{SkillFileEntry(folder+"SKILL.md", main)}, more...)
	return fmt.Sprintf(`{"uri":%q,"frontmatter":{"name":%q,"description":"Reads PDF files."},"resources":[%s]}`, folder+"SKILL.md", name, strings.Join(files, ","))
}

// PDFSkill is the entry of the made-up skill.
var PDFSkill = SkillEntry(SkillFolder, "pdf", SkillMain, SkillFileEntry(SkillFolder+"scripts/a.py", SkillScript), SkillFileEntry(SkillFolder+"logo.png", SkillImage))

// TextItem returns a file as text, as an item of contents of resources/read.
func TextItem(uri, text string) string {
	spelled, _ := json.Marshal(text)
	return fmt.Sprintf(`{"uri":%q,"mimeType":"text/markdown","text":%s}`, uri, spelled)
}

// BlobItem returns a file as bytes, as an item of contents of resources/read.
func BlobItem(uri, body string) string {
	return fmt.Sprintf(`{"uri":%q,"blob":%q}`, uri, base64.StdEncoding.EncodeToString([]byte(body)))
}
