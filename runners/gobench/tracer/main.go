// Command tracer writes the files of a Go project anew, so that its calls of a library are counted.
//
//	tracer -library MODULE -methods FILE -into FOLDER -guest FILE [PATTERN...]
//
// It is started in the project's root, and writes overlay.json for `go test -overlay`,
// packages.json with the packages whose tests can call the library, and arguments.json. Calls are
// found by their types, in all packages of the project's own modules.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// listed is what `go list` says of a package, or of one of its variants for a test.
type listed struct {
	ImportPath, ForTest, Dir, Name, Export string
	GoFiles, CgoFiles                      []string
	ImportMap                              map[string]string
	Deps                                   []string
	Module                                 *struct {
		Path, Dir, GoVersion string
		Main                 bool
	}
	Error *struct{ Err string }
}

// own tells whether the package belongs to the project, and is not what `go test` makes up.
func (p *listed) own(library string) bool {
	return p.Module != nil && p.Module.Main && p.Module.Path != library && !strings.HasSuffix(p.ImportPath, ".test")
}

// tested is a package whose tests can call the library.
type tested struct {
	Unit   string `json:"unit"`
	Folder string `json:"folder"`
}

// found is what is written for the one who runs the tests.
type found struct {
	Packages []tested          `json:"packages"`
	Old      []string          `json:"old"`    // modules whose Go has no generic functions yet
	Unseen   map[string]string `json:"unseen"` // places of calls that cannot be counted, and why
	Broken   []string          `json:"broken"` // what the go command says of packages of the project
}

type options struct {
	library, methods, into, guest string
	patterns                      []string
}

func main() {
	var asked options
	flag.StringVar(&asked.library, "library", "", "the module whose use is counted")
	flag.StringVar(&asked.methods, "methods", "", "a file with the id of a method a line")
	flag.StringVar(&asked.into, "into", "", "where files are written to")
	flag.StringVar(&asked.guest, "guest", "", "what counts")
	flag.Parse()
	asked.patterns = flag.Args()
	if err := run(asked); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(asked options) error {
	text, err := os.ReadFile(asked.methods)
	if err != nil {
		return err
	}
	ids := strings.Fields(string(text))
	all, err := list([]string{"./..."})
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	if len(asked.patterns) > 0 {
		some, err := list(asked.patterns)
		if err != nil {
			return err
		}
		for _, one := range some {
			wanted[one.ImportPath] = true
		}
	}
	work := newWork(asked, ids, all)
	for _, one := range all {
		if one.own(asked.library) && work.current(one) {
			work.rewrite(one)
		}
	}
	if err := work.guests(ids); err != nil {
		return err
	}
	result := found{Unseen: work.unseen, Packages: []tested{}}
	result.Packages = append(result.Packages, tests(all, asked, wanted)...)
	for _, one := range all {
		if one.Error != nil && (one.Module == nil || one.Module.Main) {
			result.Broken = append(result.Broken, one.Error.Err)
		}
	}
	if len(result.Packages) == 0 && len(result.Broken) > 0 {
		return fmt.Errorf("%s", result.Broken[0])
	}
	for module := range work.old {
		result.Old = append(result.Old, module)
	}
	sort.Strings(result.Old)
	for name, value := range map[string]any{
		"overlay.json":   map[string]any{"Replace": work.replaced},
		"packages.json":  result,
		"arguments.json": work.arguments,
	} {
		if err := write(filepath.Join(asked.into, name), value); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, value any) error {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// list asks for packages with their dependencies and variants, and has the compiler say what they
// export.
func list(patterns []string) ([]*listed, error) {
	fields := "ImportPath,ForTest,Dir,Name,Export,GoFiles,CgoFiles,ImportMap,Deps,Module,Error"
	words := []string{"list", "-e", "-deps", "-test", "-export", "-json=" + fields}
	command := exec.Command("go", append(words, patterns...)...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []*listed
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		one := new(listed)
		if err := decoder.Decode(one); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
}

// tests returns the packages of the project whose test programs hold a package of the library.
func tests(all []*listed, asked options, wanted map[string]bool) []tested {
	of := map[string]bool{}
	folders := map[string]string{}
	for _, one := range all {
		path, _, _ := strings.Cut(one.ImportPath, " ")
		if one.Module != nil && one.Module.Path == asked.library {
			of[path] = true
		}
		folders[path] = one.Dir
	}
	root, _ := os.Getwd()
	var made []tested
	for _, one := range all {
		unit := strings.TrimSuffix(one.ImportPath, ".test")
		if unit == one.ImportPath || one.Name != "main" || (len(wanted) > 0 && !wanted[unit]) {
			continue
		}
		for _, each := range one.Deps {
			path, _, _ := strings.Cut(each, " ")
			folder, err := filepath.Rel(root, folders[unit])
			if of[path] && err == nil {
				made = append(made, tested{unit, filepath.ToSlash(folder)})
				break
			}
		}
	}
	return made
}
