package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

const (
	guestName = "zz_bench_audit_calls"
	samples   = 3
)

// work is what has been made so far.
type work struct {
	options
	numbers   map[string]int  // of methods by their ids
	named     map[string]bool // names of methods: calls of these through an interface are looked at
	library   map[string]bool // import paths
	exports   map[string]string
	variants  map[string]bool // packages that are compiled anew for their own test
	replaced  map[string]string
	modules   map[string]string // folders of modules whose files call the guest
	old       map[string]bool
	unseen    map[string]string
	arguments map[string][][]*string
}

func newWork(asked options, ids []string, all []*listed) *work {
	made := &work{
		options: asked, numbers: map[string]int{}, named: map[string]bool{},
		library: map[string]bool{}, exports: map[string]string{}, variants: map[string]bool{},
		replaced: map[string]string{}, modules: map[string]string{}, old: map[string]bool{},
		unseen: map[string]string{}, arguments: map[string][][]*string{},
	}
	for number, id := range ids {
		made.numbers[id] = number
		made.named[id[strings.LastIndex(id, ".")+1:]] = true
	}
	for _, one := range all {
		made.exports[one.ImportPath] = one.Export
		path, variant, _ := strings.Cut(one.ImportPath, " ")
		if one.Module != nil && one.Module.Path == asked.library {
			made.library[path] = true
		}
		if variant == "["+path+".test]" {
			made.variants[path] = true
		}
	}
	return made
}

// current tells whether this is the variant that is looked at: that with the package's own tests,
// where it has some. Variants for other packages' tests are of the same files.
func (w *work) current(one *listed) bool {
	path, variant, _ := strings.Cut(one.ImportPath, " ")
	if variant == "" {
		return !w.variants[path]
	}
	return variant == "["+one.ForTest+".test]" && (path == one.ForTest || path == one.ForTest+"_test")
}

// Import reads what the compiler has written of a package.
type exported struct {
	work *work
	maps map[string]string
}

func (e exported) lookup(path string) (io.ReadCloser, error) {
	if other, ok := e.maps[path]; ok {
		path = other
	}
	file := e.work.exports[path]
	if file == "" {
		return nil, fmt.Errorf("nothing is known of %s", path)
	}
	return os.Open(file)
}

// rewrite writes the files of a package anew that call the library.
func (w *work) rewrite(one *listed) {
	set := token.NewFileSet()
	var files []*ast.File
	var paths []string
	for _, name := range append(append([]string{}, one.GoFiles...), one.CgoFiles...) {
		path := filepath.Join(one.Dir, name)
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler will say it
		}
		files, paths = append(files, file), append(paths, path)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		Scopes: map[ast.Node]*types.Scope{},
	}
	read := exported{w, one.ImportMap}
	config := types.Config{
		Importer: importer.ForCompiler(set, "gc", read.lookup), FakeImportC: true,
		Error: func(error) {},
	}
	path, _, _ := strings.Cut(one.ImportPath, " ")
	pkg, _ := config.Check(path, set, files, info)
	for at, file := range files {
		look := &look{work: w, set: set, info: info, pkg: pkg, file: file, called: map[ast.Expr]bool{}}
		ast.Inspect(file, look.visit)
		if len(look.edits) == 0 {
			continue
		}
		if cgo(file) {
			w.unseen[paths[at]] = "the file uses cgo"
			continue
		}
		w.put(one, file, set, paths[at], look.edits)
	}
}

func cgo(file *ast.File) bool {
	for _, one := range file.Imports {
		if one.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// edit is text that is put between two bytes of a file.
type edit struct {
	at, order int
	end       bool
	text      string
}

// put writes a file with its edits. No line moves.
func (w *work) put(one *listed, file *ast.File, set *token.FileSet, path string, edits []edit) {
	text, err := os.ReadFile(path)
	if err != nil {
		w.unseen[path] = err.Error()
		return
	}
	at := set.Position(file.Name.End()).Offset
	own := one.Module.Path + "/" + guestName
	edits = append(edits, edit{at: at, text: "; import " + guestName + " " + strconv.Quote(own)})
	sort.SliceStable(edits, func(i, j int) bool {
		a, b := edits[i], edits[j]
		if a.at != b.at {
			return a.at < b.at
		}
		if a.end != b.end {
			return a.end
		}
		if a.end {
			return a.order > b.order // what is inside ends first
		}
		return a.order < b.order
	})
	var made strings.Builder
	last := 0
	for _, each := range edits {
		made.Write(text[last:each.at])
		made.WriteString(each.text)
		last = each.at
	}
	made.Write(text[last:])
	target := filepath.Join(w.into, "overlay", strconv.Itoa(len(w.replaced))+"_"+filepath.Base(path))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
		err = os.WriteFile(target, []byte(made.String()), 0o644)
	}
	if err != nil {
		w.unseen[path] = err.Error()
		return
	}
	w.replaced[path] = target
	w.modules[one.Module.Path] = one.Module.Dir
	if older(one.Module.GoVersion) {
		w.old[one.Module.Path] = true
	}
}

// older tells whether a module's version of Go has no generic functions.
func older(version string) bool {
	parts := strings.Split(version, ".")
	if len(parts) < 2 {
		return version == ""
	}
	minor, err := strconv.Atoi(parts[1])
	return err == nil && parts[0] == "1" && minor < 18
}

// guests puts what counts into each module that calls it.
func (w *work) guests(ids []string) error {
	byType := map[string][]string{}
	for number, id := range ids {
		dot := strings.LastIndex(id, ".")
		byType[id[:dot]] = append(byType[id[:dot]], fmt.Sprintf("%q: %d", id[dot+1:], number))
	}
	var made strings.Builder
	fmt.Fprintf(&made, "package %s\n\nvar methods [%d]struct{}\n\nvar types = map[string]map[string]int{\n", guestName, len(ids))
	for _, owner := range sorted(byType) {
		fmt.Fprintf(&made, "\t%q: {%s},\n", owner, strings.Join(byType[owner], ", "))
	}
	made.WriteString("}\n")
	table := filepath.Join(w.into, "methods.go")
	if err := os.WriteFile(table, []byte(made.String()), 0o644); err != nil {
		return err
	}
	for _, folder := range w.modules {
		w.replaced[filepath.Join(folder, guestName, "calls.go")] = w.guest
		w.replaced[filepath.Join(folder, guestName, "methods.go")] = table
	}
	return nil
}

func sorted(of map[string][]string) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
