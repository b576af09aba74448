package skill

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

// scriptEndings are the endings of the names of scripts and programs.
var scriptEndings = sync.OnceValue(func() []string {
	return strings.Fields(".py .pyw .pyz .pyc .pyd .pth .ipynb .sh .bash .zsh .ksh .csh .tcsh .fish .nu .bats .awk .sed .tcl .exp .js .mjs .cjs .jsx .ts .mts .cts .tsx .coffee .rb .gemspec .pl .pm .php .phar .lua .ps1 .psm1 .psd1 .bat .cmd .exe .com .msi .scr .hta .lnk .reg .vbs .vbe .wsf .jse .r .rmd .jl .go .rs .swift .c .cc .cpp .cs .java .class .groovy .gradle .kts .scala .clj .ex .exs .erl .hs .ml .nim .zig .scpt .applescript .command .jar .war .wasm .node .so .dll .dylib .bin .elf .run .appimage .deb .rpm .pkg .dmg .apk .desktop .service .timer .plist .mk .cmake .ninja .nix .tf .dockerfile .sql .fs .fsx .csx .vb .cljs .kt .dart .pyx .gyp .gypi .bzl .bazel .csproj .fsproj .vcxproj .targets .props .cgi .wsgi .rake .whl .egg .gem .ahk .au3 .mak .vim .el .lisp .scm .rkt .msix .cpl .xpi .crx .vsix .jnlp .pkl .pickle .pt .joblib .xlsm .docm .pptm .xlam .dotm")
})

// recipes are names of build and configuration files that a tool runs or takes code from, with or without an
// ending.
var recipes = sync.OnceValue(func() []string {
	return strings.Fields("makefile gnumakefile justfile rakefile gemfile dockerfile containerfile jenkinsfile vagrantfile procfile brewfile taskfile docker-compose compose cmakelists meson build workspace requirements setup pyproject cargo go.mod composer .envrc .bashrc .bash_profile .profile .zshrc .zshenv .npmrc .pre-commit-config pre-commit post-commit pre-push post-checkout post-merge commit-msg prepare-commit-msg pre-rebase pre-receive config.ru snakefile sconstruct sconscript gulpfile gruntfile noxfile conftest deno.json deno.jsonc pom.xml .gitlab-ci.yml action.yml action.yaml mise.toml .mise.toml bunfig.toml .mcp.json tasks.json launch.json devcontainer.json mcp.json hooks.json plugin.json settings.json settings.local.json gradlew mvnw configure azure-pipelines .travis.yml tox.ini lefthook.yml .bash_aliases .inputrc crontab authorized_keys ansible.cfg playbook.yml playbook.yaml pkgbuild podfile fastfile .pdbrc .gdbinit .lldbinit .vimrc .exrc .bash_login .bash_logout .zprofile .zlogin .zlogout .cshrc .tcshrc .kshrc .gitconfig .gitmodules .gitattributes .pypirc .yarnrc .yarnrc.yml .pnpmfile")
})

// IsExecutable reports whether a file is a script or a program, by its name or by its content: a line with #! at the
// beginning, or the scripts of a package.json.
func IsExecutable(name, content string) bool {
	isPackage := strings.HasSuffix(strings.ToLower(name), "package.json") && (strings.Contains(content, `"scripts"`) || strings.Contains(content, `\u`))
	start := strings.ToLower(strings.TrimLeft(content, "\ufeff \t\r\n"))
	isRun := func(mark string) bool { return strings.HasPrefix(start, mark) }
	return IsExecutableName(name) || isPackage || slices.ContainsFunc([]string{"#!", "@echo", "<?php"}, isRun)
}

// IsExecutableName reports whether a file is a script or a program, judged by its name or URI: by its folder, its base
// name (recipes) or its ending.
func IsExecutableName(name string) bool {
	lower := strings.ToLower(name)
	inScripts := slices.ContainsFunc([]string{"/scripts/", "/bin/", "/hooks/", "/.github/workflows/", "/.claude/", "/.cursor/", "/.gemini/", "/.circleci/", "/.cargo/", "/.ssh/"}, func(folder string) bool { return strings.Contains("/"+lower, folder) })
	base := lower[strings.LastIndex(lower, "/")+1:]
	isRecipe := !strings.HasSuffix(lower, ".md") && slices.ContainsFunc(recipes(), func(recipe string) bool { return base == recipe || strings.HasPrefix(base, recipe+".") })
	return inScripts || isRecipe || slices.ContainsFunc(scriptEndings(), func(ending string) bool { return strings.HasSuffix(lower, ending) })
}

// IsProse reports whether a file is only read and never run, by its name. Any other file is code, in which a
// space can change what it does.
func IsProse(name string) bool {
	lower := strings.ToLower(name)
	isText := strings.HasSuffix(lower, ".txt") && !strings.Contains(lower, "requirements") && !strings.Contains(lower, "constraints")
	return !IsExecutableName(name) && (isText || strings.HasSuffix(lower, ".md"))
}

// NamedByCode is the set of the Markdown and text files that a skill's code names: in scripts, in Markdown from the first
// line on that may be code, and in hooks. A command there may run such a file, although its name is that of a text.
type NamedByCode struct {
	names map[string]bool
	all   bool // a pattern or a variable may be any name
}

// Add adds the names in a file.
func (c *NamedByCode) Add(name, content string) {
	if IsProse(name) && !IsExecutable(name, content) {
		content = FromFirstCode(content)
	}
	c.AddCode(content)
}

// AddCode adds the names in code.
func (c *NamedByCode) AddCode(code string) {
	if c.names == nil {
		c.names = map[string]bool{}
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(code), isBetweenNames) {
		if strings.Contains(word, ".md") || strings.Contains(word, ".txt") {
			c.names[strings.Trim(word, besideNames)] = true
			// The code may append a bare ending to any name.
			c.all = c.all || strings.ContainsAny(word, "*?${}%") || word == ".md" || word == ".txt"
		}
	}
}

// isBetweenNames reports whether a character separates names in code.
func isBetweenNames(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`/\\;&|<>()[],:=#", r) }

// besideNames are characters that may surround a name in code and aren't part of the name.
const besideNames = "@+!.~^-"

// Has reports whether code may name a file, given by its URI.
func (c *NamedByCode) Has(name string) bool {
	plain, err := url.PathUnescape(name)
	if err != nil {
		plain = name
	}
	last := ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(plain), isBetweenNames) {
		last = word
	}
	return c.all || c.names[strings.Trim(last, besideNames)]
}
