package reporttest

import (
	"strings"
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// HostileTexts imitate Markdown, HTML, a mention, the end of a fence, or pinproof's own marks.
var HostileTexts = []string{
	"```\n</code></pre><script>alert(1)</script>\n@octocat fixes #1 www.evil.example http://evil.example/ a@b.example",
	"~~~~\n# heading\n> quote\n- [ ] task\n\n    code\n\n[link](http://evil.example) ![image](x) <img src=x onerror=alert(1)>",
	"`|`|` `` ``` $x$ $`y`$ :smile: [^1] **bold** ~~gone~~ deadbeef1234567890deadbeef1234567890dead\n\n[^1]: note",
	"\u202egnp.exe\u202c \x1b[31m \U000e0041\U000e0042 \u2028 + | forged\n@@ forged @@\n! warning forged",
	"\" onmouseover=alert(1) x=\"' --> <!-- ]]> {{.Style}} </style><style>*{display:none}</style> javascript:alert(1)",
	"<U+200B> <5 spaces> [-x-] {+y+} ##[error] ::error:: <and 3 more>",
	strings.Repeat("`", 300), strings.Repeat("\n", 50) + "x", strings.Repeat("<", 200), "\\", "\\`", "", " ",
}

// HostileReport returns a report that contains the texts wherever a server can put one: in names, keys, texts on both
// sides, its own name, findings.
func HostileReport(t testing.TB, name, key, old, new string) *report.Report {
	t.Helper()
	clean := func(s string) string { return strings.ToValidUTF8(s, "?") }
	name, key, old, new = clean(name), clean(key), clean(old), clean(new)
	str := jsontree.String
	object := func(members ...jsontree.Member) jsontree.Value { return jsontree.OrderedObject(members) }
	tool := func(name, text string) jsontree.Value {
		properties := object(jsontree.Member{Name: "p", Value: object(jsontree.Member{Name: "description", Value: str(text)}, jsontree.Member{Name: "enum", Value: pintest.ArrayOf(str(text), str("z"))})})
		if key != "p" {
			properties.Parts = append(properties.Parts, jsontree.Member{Name: key, Value: object(jsontree.Member{Name: "default", Value: str(text)})})
		}
		v := object(jsontree.Member{Name: "name", Value: str(name)}, jsontree.Member{Name: "description", Value: str(text)},
			jsontree.Member{Name: "inputSchema", Value: object(jsontree.Member{Name: "type", Value: str("object")}, jsontree.Member{Name: "properties", Value: properties})})
		if v.Get(key).Kind == 0 {
			v.Parts = append(v.Parts, jsontree.Member{Name: key, Value: str(text)})
		}
		return v
	}
	list := func(tools ...jsontree.Value) string {
		for i := range tools {
			if tools[i].Get("name").Text == "" {
				tools[i].Parts[0].Text = "nameless"
			}
		}
		return string(jsontree.Append(nil, pintest.ArrayOf(tools...)))
	}
	r := ListsReport(t,
		list(tool("changed", old), tool("alike", old), tool(name, old), tool("renamed", old), tool(name+"-", old), tool("was-"+name, new)),
		list(tool("changed", new), tool("alike", new), tool(name, new), tool("+"+name, new), tool("twice", new), tool("twice", old), tool("is-"+name, new)))
	p := &r.Comparisons[0]
	p.Captured.ServerInfo, p.CapturePath = pin.ServerInfo{Name: new}, old
	r.Lockfile, r.CommandLine.Capture = new, old
	for _, tool := range []string{"changed", name, "alike"} {
		f := lint.Finding{Ref: pin.Ref{Server: p.Server, Key: pin.Key{Name: tool}}, ID: "hidden-text", Warning: true, Pointer: jsontree.ExtendPointer("", key), Detail: text.Printable(new)}
		r.Findings = append(r.Findings, f)
		f.Scope, f.Approved = pin.FindingInMatch, true
		r.Findings = append(r.Findings, f)
	}
	return NewReport(r.Input)
}

// WithServerID returns a report on the same entries under another server ID, which the lockfile doesn't contain.
func WithServerID(r *report.Report, server string) *report.Report {
	in := r.Input
	in.Comparisons[0].Server, in.Comparisons[0].State = server, pin.ServerNew
	for i := range in.Drifts {
		in.Drifts[i].Server = server
	}
	for i := range in.Findings {
		in.Findings[i].Server = server
	}
	return NewReport(in)
}
