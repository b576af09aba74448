package guard

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// TestRandomSessions: whatever a server lists and says, in whatever order things happen, no byte of an unapproved
// definition reaches the client, and no call of a tool reaches the server unless the last list that the server gave has
// the tool as it is pinned. With a server that lists what is pinned, every request of the client's has its result.
func TestRandomSessions(t *testing.T) {
	locks := []string{lockfileWith(t, ""), lockfileWith(t, "--hash-only"), lockfileWith(t, "--descriptions strip")}
	said := jsontest.ReadLines(t, "testdata/smuggled.txt")
	for seed := range jsontest.RoundCount(200, 400) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		isHonest := seed%4 == 0
		s := newStage(t, locks[r.IntN(3)], []string{ModeEnd, ModeSubset}[r.IntN(2)])
		s.now = s.now.Add(time.Duration(seed) * time.Second)
		var steps []string
		latest := "" // the last list of tools that the server gave
		step := func(format string, args ...any) {
			before := s.server.Len()
			steps = append(steps, fmt.Sprintf(format, args...))
			s.step(steps[len(steps)-1])
			for line := range strings.Lines(s.server.String()[before:]) {
				name := map[bool]string{strings.Contains(line, `"name":"a"`): "$A", strings.Contains(line, `"name":"b"`): "$B"}[true]
				if strings.Contains(line, "tools/call") && (name == "" || !slices.Contains(strings.Split(latest, ","), name)) {
					t.Errorf("seed %d: the server lists %q and gets %s\n%s", seed, latest, line, strings.Join(steps, "\n"))
				}
			}
		}
		// gives has the server answer a request.
		gives := func(method string) {
			if len(s.asked[method]) == 0 {
				return
			}
			list := good[method]
			tools := []string{"$A", "$B", "$EVIL", "$EVILA"}
			r.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
			tools = tools[:r.IntN(3)]
			if isHonest || r.IntN(3) == 0 {
				tools = []string{"$A", "$B"}
			}
			switch {
			case method == "tools/list" && !isHonest && r.IntN(8) == 0:
				step(`server %s "error":{"code":-32603,"message":"no"}`, method)
				return
			case method == "tools/list":
				list = `{"tools":[` + strings.Join(tools, ",") + `]}`
				latest = strings.Join(tools, ",")
			case method == "initialize":
				list = "$GREET"
			case list == "":
				list = `{"content":[]}`
			}
			step("server %s %s", method, list)
		}
		methods := []string{"initialize", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "tools/call", "prompts/get", "ping"}
		step("client 0 initialize")
		ids := 0
		for range 40 {
			ids++
			switch n := r.IntN(14); {
			case n < 3:
				step(`client %d tools/call {"name":%q}`, ids, []string{"a", "b", "EVIL"}[r.IntN(3)])
			case n == 3:
				step("client %d tools/list", ids)
			case n == 4:
				step(`client %d prompts/get {"name":"p"}`, ids)
			case n == 5:
				step("client notifications/initialized")
			case n == 6:
				step("after %dms", r.IntN(map[bool]int{true: 700, false: 40_000}[isHonest]))
			case n == 7:
				step(`server {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			case n == 8 && !isHonest && r.IntN(3) == 0:
				_, line, _ := strings.Cut(said[r.IntN(len(said))], ": ")
				line, _, _ = strings.Cut(line, `\n`)
				id := strconv.Itoa(r.IntN(ids + 1))
				if slices.Contains(s.asked["tools/call"], id) {
					id = "0" // a result of a tool is only text
				}
				line = strings.NewReplacer("ID", id, "PAGE", `{"tools":[$A,$EVIL]}`, "GOOD", good["tools/list"]).Replace(line)
				step("server %s", line)
			case n == 9 && len(s.pending) > 0:
				step("verdict")
			case n == 10:
				s.slow = !s.slow
			default:
				gives(methods[r.IntN(len(methods))])
			}
		}
		if s.slow = false; isHonest {
			for range 20 {
				for len(s.pending) > 0 {
					step("verdict")
				}
				for _, method := range methods {
					gives(method)
				}
			}
			for id := range ids {
				isAsked := strings.Contains(strings.Join(steps, "\n")+"\n", fmt.Sprintf("client %d ", id))
				isEvil := strings.Contains(strings.Join(steps, "\n"), fmt.Sprintf(`client %d tools/call {"name":"EVIL"}`, id))
				isAnswered := strings.Contains(s.client.String(), fmt.Sprintf(`"id":%d,"result"`, id)) || strings.Contains(s.client.String(), fmt.Sprintf(`"id":%d,"error"`, id))
				if isAsked && !isAnswered || !isEvil && strings.Contains(s.client.String(), fmt.Sprintf(`"id":%d,"error"`, id)) {
					t.Errorf("seed %d: no result for %d\n%s\n%s", seed, id, strings.Join(steps, "\n"), s.client.String())
				}
			}
		}
		if strings.Contains(s.client.String(), "EVIL") {
			t.Errorf("seed %d: the client got\n%s\n%s", seed, s.client.String(), strings.Join(steps, "\n"))
		}
	}
}
