package jeweller

import (
	"os"
	"os/exec"
	"reflect"
	"sync"
	"testing"

	"example.org/beads"
	in "example.org/beads/inner"
)

func TestRecursion(t *testing.T) {
	if beads.CountDown(5) != 0 {
		t.Fail()
	}
}

func TestPanics(t *testing.T) {
	for _, why := range []string{"one", "two"} {
		func() {
			defer func() { recover() }()
			beads.Fail(why)
		}()
	}
	if err := beads.Try("not today"); err == nil || err.Error() != "not today" {
		t.Fail()
	}
}

func TestThreads(t *testing.T) {
	var group sync.WaitGroup
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := 0; n < 1000; n++ {
				beads.Double(n)
			}
		}()
	}
	group.Wait()
	done := make(chan int)
	go func(c chan int) { c <- in.Both(1) }(done)
	<-done
}

func TestValues(t *testing.T) {
	double := beads.Double // through a value: indirect
	if double(2)+double(3) != 10 || (beads.Double)(1) != 2 {
		t.Fail()
	}
	table := map[string]func(int) int{"double": beads.Double}
	table["double"](4)
	if got := reflect.ValueOf(beads.Double).Call([]reflect.Value{reflect.ValueOf(3)}); got[0].Int() != 6 {
		t.Fail()
	}
	size := beads.Necklace.Size
	add := beads.New(1).Add
	if size(*add(2)) != 2 {
		t.Fail()
	}
}

func TestCallbacks(t *testing.T) {
	if got := beads.Each(Polished, 1, 2); got[1] != 8 {
		t.Fail()
	}
	if got := beads.Each(beads.Double, []int{1, 2}...); got[1] != 8 {
		t.Fail()
	}
}

func TestGeneric(t *testing.T) {
	if got := beads.Map([]int{1, 2}, func(x int) string { return "x" }); len(got) != 2 {
		t.Fail()
	}
	if got := beads.Map[int, int]([]int{1}, Polished); got[0] != 2 {
		t.Fail()
	}
	var bag beads.Bag[string]
	bag.Put("one")
	bag.Put("two")
	if bag.Size() != 2 {
		t.Fail()
	}
}

func TestMethods(t *testing.T) {
	var necklace beads.Necklace
	necklace.Add(1).Add(2)
	outer := wrapped{name: "outer"}
	outer.Add(3)
	pointer := &outer
	if necklace.Size()+outer.Size()+pointer.Size() != 4 {
		t.Fail()
	}
	if label(necklace) != "necklace" || label(pointer) != "necklace" {
		t.Fail()
	}
	var bag beads.Bag[int]
	if sizes(necklace, pointer, &bag) != 3 {
		t.Fail()
	}
	if (beads.Necklace).Size(necklace) != 2 || (*beads.Necklace).Add(&necklace, 3).Size() != 3 {
		t.Fail()
	}
}

func TestAnotherProcess(t *testing.T) {
	if os.Getenv("JEWELLER") != "" {
		beads.Try("over there")
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestAnotherProcess$")
	command.Env = append(os.Environ(), "JEWELLER=1")
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
}

func TestSkipped(t *testing.T) {
	t.Skip("not today")
	beads.Never()
}
