package reporttest

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"pinproof/internal/text"
)

// elements are the HTML elements that a page may contain, each with the attributes that it may have.
var elements = map[string]string{
	"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "body": "",
	"header": "class", "nav": "aria-labelledby", "main": "id", "footer": "", "section": "aria-labelledby id",
	"article": "class id", "h1": "", "h2": "id class", "h3": "", "p": "class", "div": "class", "span": "class title",
	"a": "class href title", "ins": "", "del": "", "ul": "class", "ol": "class", "li": "class", "code": "", "pre": "class tabindex",
	"details": "open", "summary": "", "fieldset": "", "legend": "", "label": "title", "input": "type name id checked",
}

// CheckPage reads a page as browsers do and checks every element and attribute against what the template
// makes. It returns the names of the elements in their order.
func CheckPage(t testing.TB, page string) (shape []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]bool{}, []string{}
	style, policy := "", ""
	for n := range doc.Descendants() {
		switch n.Type {
		case html.CommentNode:
			t.Errorf("a comment: %q", n.Data)
		case html.TextNode:
			for _, r := range n.Data {
				if r != '\n' && (r < 0x20 || text.IsHidden(r)) {
					t.Errorf("%U in %q", r, n.Data)
				}
			}
		case html.ElementNode:
			shape = append(shape, n.Data)
			checkElement(t, n)
			for _, a := range n.Attr {
				switch a.Key {
				case "id":
					if ids[a.Val] {
						t.Errorf("id %s twice", a.Val)
					}
					ids[a.Val] = true
				case "href":
					links = append(links, a.Val)
				case "http-equiv":
					policy = n.Attr[1].Val
				}
			}
			if n.Data == "style" {
				style += n.FirstChild.Data
			}
		}
	}
	for _, l := range links {
		if id, ok := strings.CutPrefix(l, "#"); !ok || !ids[id] {
			t.Errorf("a link to %q", l)
		}
	}
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("policy %q, want %q", policy, want)
	}
	if n := strings.Count(style, "/*") + strings.Count(style, "@import") + strings.Count(style, "url("); n > 0 {
		t.Errorf("%d comments and addresses in the style: html/template would edit the one, the policy forbid the other", n)
	}
	if t.Failed() {
		t.Logf("%s", page)
	}
	return shape
}

// className matches an allowed class attribute.
var className = regexp.MustCompile(`^[a-z0-9 -]+$`)

// checkElement checks that a page may contain an element and its attributes.
func checkElement(t testing.TB, n *html.Node) {
	t.Helper()
	allowed, ok := elements[n.Data]
	if !ok || n.Namespace != "" {
		t.Errorf("an element %s", n.Data)
	}
	for _, a := range n.Attr {
		if !slices.Contains(strings.Fields(allowed), a.Key) {
			t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
		}
		if a.Key == "class" && !className.MatchString(a.Val) {
			t.Errorf("class=%q", a.Val)
		}
	}
}

// ElementTexts returns the text of each element with a name and, unless class is "", with a class. Whitespace becomes
// single spaces.
func ElementTexts(t *testing.T, page, name, class string) (list []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		has := class == ""
		for _, a := range n.Attr {
			has = has || a.Key == "class" && slices.Contains(strings.Fields(a.Val), class)
		}
		if n.Type != html.ElementNode || n.Data != name || !has {
			continue
		}
		s := ""
		for c := range n.Descendants() {
			if c.Type == html.TextNode {
				s += c.Data
			}
		}
		list = append(list, strings.Join(strings.Fields(s), " "))
	}
	return list
}

// HasClass reports whether a node is an element of a class.
func HasClass(n *html.Node, class string) bool {
	return n != nil && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "class" && slices.Contains(strings.Fields(a.Val), class)
	})
}

// IsInClosedDetails reports whether an element is in details that are closed.
func IsInClosedDetails(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Data == "details" && !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "open" }) {
			return true
		}
	}
	return false
}
