package guard

import "testing"

// TestHalves: where half a surrogate pair passes, in the bytes that come from a server or a client.
func TestHalves(t *testing.T) {
	t.Parallel()
	for line, passes := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"cut \ud83d"}]}}`:                 true,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\uDE00\ud83d\\"}]}}`:             true,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d\ude00\ud83d"}}`:                                        true,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud83d"}}`:                                                   true, // an escaped backslash
		`[{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d"}},{"jsonrpc":"2.0","id":2,"result":{"a":"\ud83d"}}]`: false,
		` [{"jsonrpc":"2.0","id":1,"result":{}}]`:                                                             false,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\ud83d"}}`:                                      true,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":{"a":"\ud83d"}}}`:                 true,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"logger":"\ud83d","data":1}}`:            false,
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"tools":[{"name":"\ud83d"}]}}`:   false,
		`{"jsonrpc":"2.0","id":1,"method":"","params":{"result":"\ud83d"}}`:                                   false,
		`{"jsonrpc":"2.0","id":"\ud83d","result":{}}`:                                                         false,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d"},"x":"\ud83d"}`:                                       false,
		`{"jsonrpc":"2.0","id":1,"result":{"\ud83d":1}}`:                                                      false,
		`{"jsonrpc":"2.0","id":1,"result":{"\ud83d":1,"\ud83e":2}}`:                                           false,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d","a":"\ud83e"}}`:                                       false,
		`{"jsonrpc":"2.0","id":1,"result":{"prompts":[],"a":"\ud83d"}}`:                                       false,
		`{"jsonrpc":"2.0","id":1,"result":{"instructions":"\ud83d"}}`:                                         false,
		`{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"\ud83d","tools":[]}}`:                                false,
		`[{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d"}},{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}]`:   false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":"\ud83d"}}}`:     false,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d` + "\xed\xa0\xbd" + `"}}`:                              false,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\UD83D"}}`:                                                    false,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud8"}}`:                                                      false,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83`:                                                        false,
	} {
		if m, err := message([]byte(line)); (err == nil) != passes || (m.Kind == 0) == passes {
			t.Errorf("%s: %v", line, err)
		}
	}
}
