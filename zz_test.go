package main
import "testing"
func TestZZ(t *testing.T){ c,_:=runHere("diff","/tmp/v/big_new.json","--against","/tmp/v/big_old.json"); _=c }
func TestZV(t *testing.T){ c,o:=runHere("verify","/tmp/v/big_new.json","/tmp/v/tools.lock","--server","big_old"); t.Log(c,len(o)) }
